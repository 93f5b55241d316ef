// The state of a training in a set of files, of which each rank of a job writes its part.
#include "keratin/distributed.h"

#include "frontend/backend/NamedVariables.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/VariableStorage.h"
#include "keratin/io.h"
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

static bool isDivided(const Tensor &variable) {
  Graph::Lock lock(Graph::get());
  auto op = valueOf(variable).getDefiningOp<ir::VariableOp>();
  return Graph::get().variables[op.getId()].storage->isDivided();
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

// What is written in this part. Variables in parts of their own all ranks read together, one after
// the other; those of no part of the set only help.
static std::map<std::string, Array> valuesOfPart(const SafetensorsSet &set,
                                                 const NamedVariables &named, size_t part,
                                                 SourceLocation location) {
  std::map<std::string, Array> values;
  NamedVariables whole;
  size_t member = 0;
  for (const auto &[name, variable] : named) {
    const bool isOwn = set.partOf(member++) == part;
    if (isDivided(variable)) {
      Array value = backend::get_value(variable, location);
      if (isOwn)
        values.emplace(name, std::move(value));
    } else if (isOwn) {
      whole.emplace(name, variable);
    }
  }
  aloneInJob([&] {
    std::vector<Array> arrays = valuesOf(whole, location);
    for (size_t i = 0; const auto &[name, variable] : whole)
      values.emplace(name, std::move(arrays[i++]));
  });
  return values;
}

static void writePart(std::map<std::string, Array> &values, const std::string &path,
                      SourceLocation location) {
  absl::Status status = withMemory([&] {
    std::vector<compiler::NamedView> views;
    for (auto &[name, value] : values)
      views.push_back(viewOf(name, value));
    return compiler::writeWeights(path, views);
  });
  if (!status.ok())
    throwOfFile(kSave, path, location, status);
}

namespace keratin::backend::distributed {

void saveCheckpoint(const TensorList &variables, const std::string &path, SourceLocation location) {
  const NamedVariables named =
      aloneInJob([&] { return variablesOf(kSave, variables, path, location); });
  const std::vector<compiler::WeightSlot> slots = slotsOf(named);
  meet(kSave, describe(slots));
  const SafetensorsSet set = setOf(path, slots);
  const int64_t turn = takeFromFirst(kSave, "checkpoint", rank() == 0 ? set.freeTurn() : 0);
  const auto part = size_t(rank());
  std::map<std::string, Array> values = valuesOfPart(set, named, part, location);
  aloneInJob([&] {
    if (part < set.numParts())
      writePart(values, set.partPath(turn, part), location);
  });
  meet(kSave, "parts of a checkpoint");
  aloneInJob([&] {
    if (absl::Status status = rank() == 0 ? set.writeIndex(turn) : absl::OkStatus(); !status.ok())
      throwOfFile(kSave, path, location, status);
  });
  meet(kSave, "index of a checkpoint");
  if (rank() == 0)
    set.removeOthers(turn);
}

void saveCheckpoint(const Function &step, const std::string &path, SourceLocation location) {
  saveCheckpoint(aloneInJob([&] { return training::stateOf(step); }), path, location);
}

void loadCheckpoint(const TensorList &variables, const std::string &path, SourceLocation location) {
  const NamedVariables named =
      aloneInJob([&] { return variablesOf(kLoad, variables, path, location); });
  const std::vector<compiler::WeightSlot> slots = slotsOf(named);
  std::vector<compiler::Array> values = aloneInJob([&] {
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
  loadCheckpoint(aloneInJob([&] { return training::stateOf(step); }), path, location);
}

} // namespace keratin::backend::distributed
