#include "tools/keratin-run/Weights.h"

#include "compiler/arrays/Weights.h"
#include "tools/support/Tool.h"

#include "llvm/Support/raw_ostream.h"

using namespace keratin;
using namespace keratin::tools;

static bool mayCountDraws(const Program &program, int32_t variable) {
  const keratin_tensor_desc_t &tensor = program.object().variables[variable].tensor;
  return program.countsDraws(variable).value_or(tensor.dtype == KERATIN_DTYPE_INT64 &&
                                                tensor.rank == 0);
}

absl::Status tools::loadWeights(Program &program, const std::string &path) {
  if (absl::Status status = compiler::checkWeightsPath(path, compiler::WeightsUse::Read);
      !status.ok())
    return status;
  const keratin_object_desc_t &object = program.object();
  std::vector<compiler::WeightSlot> slots;
  for (int32_t i = 0; i < object.num_variables; ++i) {
    const keratin_tensor_desc_t &tensor = object.variables[i].tensor;
    slots.push_back({tensor.name, keratin_dtype_t(tensor.dtype),
                     std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank),
                     mayCountDraws(program, i)});
  }
  auto values = compiler::readWeights(path, slots);
  if (!values.ok())
    return inFile(path, values.status());
  for (int32_t i = 0; i < object.num_variables; ++i) {
    Array &value = (*values)[size_t(i)];
    if (value.dtype != KERATIN_DTYPE_INVALID) {
      if (absl::Status status = program.setVariable(i, value); !status.ok())
        return status;
    } else if (!program.countsDraws(i)) {
      llvm::errs() << "keratin-run: warning: '" << path << "' has no '" << slots[size_t(i)].name
                   << "', which keeps its value\n";
    }
  }
  return absl::OkStatus();
}

absl::Status tools::saveWeights(const Program &program, const std::string &path) {
  const keratin_object_desc_t &object = program.object();
  std::vector<Array> values;
  std::vector<compiler::NamedView> views;
  values.reserve(size_t(object.num_variables)); // views stay
  for (int32_t i = 0; i < object.num_variables; ++i) {
    if (program.countsDraws(i).value_or(false))
      continue;
    auto value = program.variable(i);
    if (!value.ok())
      return value.status();
    values.push_back(*std::move(value));
    views.push_back({object.variables[i].tensor.name, values.back()});
  }
  absl::Status status = path.empty() ? absl::OkStatus() : compiler::writeWeights(path, views);
  if (absl::IsUnavailable(status))
    return absl::UnavailableError("cannot write '" + path + "': " + std::string(status.message()));
  return status;
}
