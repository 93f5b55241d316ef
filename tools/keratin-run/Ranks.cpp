#include "tools/keratin-run/Ranks.h"

#include "runtime/comm/Axis.h"
#include "runtime/core/DType.h"
#include "runtime/object/VariablePart.h"

#include <keratin/comm.h>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <numeric>

using namespace keratin;
using namespace keratin::tools;

namespace {

// An array as runs along one of its dimensions: so many, each of so many bytes an element of it.
struct Runs {
  Runs(const Array &array, size_t dimension) : elementBytes(runtime::dtypeSize(array.dtype)) {
    for (size_t i = 0; i < array.dims.size(); ++i)
      (i < dimension ? count : elementBytes) *= i == dimension ? 1 : array.dims[i];
  }
  int64_t count = 1, elementBytes;
};

keratin_collective_t collective(int32_t kind, const char *name) {
  keratin_collective_t made = {};
  made.bytes = sizeof(made);
  made.kind = kind;
  made.name = name;
  return made;
}

comm::Members membersOf(const Program &program, keratin_axis_t axis) {
  return comm::membersOf(axis, program.rank(), program.ranks());
}

absl::Status gather(const Program &program, keratin_axis_t axis, const char *name, int32_t dtype,
                    const void *own, int64_t elements, void *all, int64_t allElements) {
  keratin_collective_t wanted = collective(KERATIN_ALL_GATHER, name);
  wanted.axis = axis;
  wanted.dtype = dtype;
  wanted.send = own;
  wanted.send_elements = elements;
  wanted.receive = all;
  wanted.receive_elements = allElements;
  return program.runOnRanks(wanted);
}

Array rowsOf(const Array &whole, size_t dimension, int64_t first, int64_t end) {
  const Runs runs(whole, dimension);
  const int64_t rows = whole.dims[dimension];
  Array part{whole.dtype, whole.dims, {}};
  part.dims[dimension] = end - first;
  for (int64_t run = 0; run < runs.count; ++run) {
    const char *start = whole.data.data() + run * rows * runs.elementBytes;
    part.data.insert(part.data.end(), start + first * runs.elementBytes,
                     start + end * runs.elementBytes);
  }
  return part;
}

absl::Status gatherOutput(const Program &program, keratin_axis_t axis, const char *name,
                          size_t dimension, Array &output) {
  std::vector<int64_t> rows(size_t(membersOf(program, axis).count));
  if (absl::Status status = gather(program, axis, name, KERATIN_DTYPE_INT64,
                                   &output.dims[dimension], 1, rows.data(), int64_t(rows.size()));
      !status.ok())
    return status;
  std::vector<int64_t> dims = output.dims;
  dims[dimension] = std::accumulate(rows.begin(), rows.end(), int64_t(0));
  auto parts = makeArray(name, output.dtype, dims);
  if (!parts.ok())
    return parts.status();
  const int64_t width = runtime::dtypeSize(output.dtype);
  if (absl::Status status = gather(program, axis, name, output.dtype, output.data.data(),
                                   int64_t(output.data.size()) / width, parts->data.data(),
                                   int64_t(parts->data.size()) / width);
      !status.ok())
    return status;
  // Each rank's runs follow one another; so do, now, the ranks' in each run.
  const Runs runs(*parts, dimension);
  output = *parts;
  const char *from = parts->data.data();
  int64_t before = 0;
  for (int64_t count : rows) {
    const auto bytes = size_t(count * runs.elementBytes);
    for (int64_t run = 0; run < runs.count && bytes; ++run, from += bytes)
      std::memcpy(output.data.data() + (run * dims[dimension] + before) * runs.elementBytes, from,
                  bytes);
    before += count;
  }
  return absl::OkStatus();
}

} // namespace

std::vector<Array> tools::ownInputs(const Program &program, const std::vector<Array> &inputs) {
  std::vector<Array> own;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int64_t part = program.signature().inputs[i].part;
    const auto dimension = size_t(part - 1);
    const comm::Members members = membersOf(program, program.axisOfInput(i));
    const int64_t place = members.placeOf(program.rank()), places = members.count;
    auto begin = [&](int64_t of) {
      return runtime::partBegin(inputs[i].dims[dimension], of, places);
    };
    own.push_back(part ? rowsOf(inputs[i], dimension, begin(place), begin(place + 1)) : inputs[i]);
  }
  return own;
}

absl::Status tools::gatherOutputs(const Program &program, std::vector<Array> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (const auto &[dimension, axis] : program.partsOfOutput(i))
      if (absl::Status status = gatherOutput(program, axis, program.signature().outputs[i].name,
                                             dimension, outputs[i]);
          !status.ok())
        return status;
  return absl::OkStatus();
}

std::string tools::fileOfRank(const std::string &path, const Program &program) {
  if (program.ranks() == 1)
    return path;
  llvm::SmallString<128> own(path);
  const std::string extension = llvm::sys::path::extension(path).str();
  llvm::sys::path::replace_extension(own, "." + std::to_string(program.rank()) + extension);
  return std::string(own);
}

absl::Status tools::takeLargest(const Program &program, double &number) {
  keratin_collective_t wanted = collective(KERATIN_ALL_REDUCE, "the largest number");
  wanted.dtype = KERATIN_DTYPE_FLOAT64;
  wanted.reduction = KERATIN_REDUCE_MAX;
  wanted.send = wanted.receive = &number;
  wanted.send_elements = wanted.receive_elements = 1;
  return program.runOnRanks(wanted);
}

absl::Status tools::meet(const Program &program) {
  return program.runOnRanks(collective(KERATIN_BARRIER, "keratin-run"));
}
