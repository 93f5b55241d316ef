#include "frontend/backend/NamedVariables.h"

#include "frontend/graph/Call.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/values/Elements.h"
#include "frontend/values/FileArray.h"

#include "keratin/graph.h"
#include "keratin/io.h"

using namespace keratin;
using namespace keratin::frontend;

NamedVariables frontend::namedVariables(const char *function, const std::vector<Tensor> &variables,
                                        const absl::Status &wrong, SourceLocation location) {
  Call call(function, location);
  if (!wrong.ok())
    call.valueError(std::string(wrong.message()));
  NamedVariables named;
  for (const Tensor &tensor : variables) {
    auto op = call.raw(tensor).getDefiningOp<ir::VariableOp>();
    if (!op)
      call.valueError("'" + tensor.name() + "' is no dense variable");
    const VariableInfo &info = call.graph.variables[op.getId()];
    const std::string &name = info.savedName.empty() ? info.name : info.savedName;
    if (name == "__metadata__")
      call.valueError("a variable is named '__metadata__', which the file has another use for");
    auto [place, isNew] = named.emplace(name, tensor);
    if (!isNew && !backend::is_same(place->second, tensor))
      call.valueError("two variables are named '" + name + "'");
  }
  return named;
}

std::vector<compiler::WeightSlot> frontend::slotsOf(const NamedVariables &named) {
  std::vector<compiler::WeightSlot> slots;
  for (const auto &[name, variable] : named) {
    slots.push_back({name, keratin_dtype_t(variable.dtype()), {}});
    for (std::optional<int64_t> size : variable.shape())
      slots.back().dims.push_back(*size); // all are known
  }
  return slots;
}

std::vector<Array> frontend::valuesOf(const NamedVariables &named, SourceLocation location) {
  std::vector<Tensor> tensors;
  for (const auto &[name, variable] : named)
    tensors.push_back(variable);
  return backend::batch_get_value(tensors, location); // of one moment
}

compiler::NamedView frontend::viewOf(const std::string &name, Array &array) {
  return {name,
          {keratin_dtype_t(array.dtype()),
           array.shape(),
           {static_cast<const char *>(array.rawData()), array.bytes()}}};
}

void frontend::setValues(const NamedVariables &named, std::vector<compiler::Array> values,
                         SourceLocation location) {
  std::vector<std::pair<Tensor, Array>> pairs;
  for (const auto &[name, variable] : named)
    pairs.emplace_back(variable, ownedBy(std::move(values[pairs.size()])));
  backend::batch_set_value(pairs, location);
}

void frontend::throwOfFile(const char *function, const std::string &path, SourceLocation location,
                           const absl::Status &status) {
  throwStatus(status.code(), withPlace(std::string(function) + ": '" + path +
                                           "': " + std::string(status.message()),
                                       location));
}
