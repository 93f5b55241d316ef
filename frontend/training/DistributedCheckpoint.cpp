// The state of a training in a set of files, of which each rank of a job writes its part.
#include "keratin/distributed.h"

#include "frontend/backend/NamedVariables.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "keratin/training.h"

#include "compiler/arrays/SafetensorsSet.h"
#include "runtime/core/DType.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace keratin;
using namespace keratin::frontend;
using compiler::SafetensorsSet;

static constexpr char kSave[] = "distributed.save_checkpoint",
                      kLoad[] = "distributed.load_checkpoint";

// All ranks are here, and have the same to say.
static void meet(const char *function, const std::string &what) {
  runWithJob(function, collective(KERATIN_BARRIER, what.c_str()));
}

static int64_t takeFromFirst(const char *function, int64_t number) {
  keratin_collective_t wanted = collective(KERATIN_BROADCAST, "checkpoint");
  wanted.dtype = KERATIN_DTYPE_INT64;
  wanted.send = wanted.receive = &number;
  wanted.send_elements = wanted.receive_elements = 1;
  runWithJob(function, wanted);
  return number;
}

// What a rank does by itself before all meet: a failure is one on all of them.
template <typename Work> static auto alone(Work work) {
  try {
    return work();
  } catch (const std::exception &failure) {
    keratin_group_fail(jobGroup(), failure.what());
    throw;
  }
}

static NamedVariables variablesOf(const char *function, const TensorList &variables,
                                  const std::string &path, SourceLocation location) {
  return namedVariables(function, variables.list(),
                        compiler::isSafetensorsIndex(path)
                            ? absl::OkStatus()
                            : absl::InvalidArgumentError("'" + path +
                                                         "' ends in no known way; needed "
                                                         ".safetensors.index.json"),
                        location);
}

// The same on ranks that have the same variables.
static std::string describe(const std::vector<compiler::WeightSlot> &slots) {
  std::string text;
  for (const compiler::WeightSlot &slot : slots) {
    text += slot.name + '\0' + std::to_string(slot.dtype);
    for (int64_t size : slot.dims)
      text += "," + std::to_string(size);
    text += ';';
  }
  return "checkpoint of " + std::to_string(slots.size()) + " variables, digest " +
         llvm::utohexstr(llvm::xxh3_64bits(text));
}

static SafetensorsSet setOf(const std::string &path,
                            const std::vector<compiler::WeightSlot> &slots) {
  std::vector<SafetensorsSet::Member> members;
  for (const compiler::WeightSlot &slot : slots) {
    int64_t bytes = 0;
    (void)runtime::tensorBytes(slot.dtype, int32_t(slot.dims.size()), slot.dims.data(), bytes);
    members.push_back({slot.name, uint64_t(bytes)});
  }
  return SafetensorsSet(path, std::move(members), size_t(backend::distributed::size()));
}

static void writePart(const SafetensorsSet &set, const NamedVariables &named, size_t part,
                      const std::string &path, SourceLocation location) {
  NamedVariables own;
  size_t member = 0;
  for (const auto &[name, variable] : named)
    if (set.partOf(member++) == part)
      own.emplace(name, variable);
  absl::Status status = withMemory([&] {
    std::vector<Array> arrays = valuesOf(own, location);
    std::vector<compiler::NamedView> views;
    for (const auto &[name, variable] : own)
      views.push_back(viewOf(name, arrays[views.size()]));
    return compiler::writeWeights(path, views);
  });
  if (!status.ok())
    throwOfFile(kSave, path, location, status);
}

namespace keratin::backend::distributed {

void saveCheckpoint(const TensorList &variables, const std::string &path, SourceLocation location) {
  const NamedVariables named = alone([&] { return variablesOf(kSave, variables, path, location); });
  const std::vector<compiler::WeightSlot> slots = slotsOf(named);
  meet(kSave, describe(slots));
  const SafetensorsSet set = setOf(path, slots);
  const int64_t turn = takeFromFirst(kSave, rank() == 0 ? set.freeTurn() : 0);
  alone([&] {
    if (const auto part = size_t(rank()); part < set.numParts())
      writePart(set, named, part, set.partPath(turn, part), location);
  });
  meet(kSave, "parts of a checkpoint");
  alone([&] {
    if (absl::Status status = rank() == 0 ? set.writeIndex(turn) : absl::OkStatus(); !status.ok())
      throwOfFile(kSave, path, location, status);
  });
  meet(kSave, "index of a checkpoint");
  if (rank() == 0)
    set.removeOthers(turn);
}

void saveCheckpoint(const Function &step, const std::string &path, SourceLocation location) {
  saveCheckpoint(alone([&] { return training::stateOf(step); }), path, location);
}

void loadCheckpoint(const TensorList &variables, const std::string &path, SourceLocation location) {
  const NamedVariables named = alone([&] { return variablesOf(kLoad, variables, path, location); });
  const std::vector<compiler::WeightSlot> slots = slotsOf(named);
  std::vector<compiler::Array> values = alone([&] {
    auto read = withMemory([&] { return compiler::readWeights(path, slots); });
    if (!read.ok())
      throwOfFile(kLoad, path, location, read.status());
    return *std::move(read);
  });
  // Of values as well: ranks might have files of their own.
  uint64_t digest = 0;
  for (const compiler::Array &value : values)
    digest = 31 * digest + llvm::xxh3_64bits({value.data.data(), value.data.size()});
  meet(kLoad, describe(slots) + ", of values " + llvm::utohexstr(digest));
  setValues(named, std::move(values), location);
}

void loadCheckpoint(const Function &step, const std::string &path, SourceLocation location) {
  loadCheckpoint(alone([&] { return training::stateOf(step); }), path, location);
}

} // namespace keratin::backend::distributed
