// K::save_weights and K::load_weights.
#include "keratin/weights.h"
#include "keratin/graph.h"
#include "keratin/io.h"

#include "frontend/graph/Call.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/values/Elements.h"
#include "frontend/values/FileArray.h"

#include "compiler/arrays/Weights.h"

#include <map>

using namespace keratin;
using namespace keratin::frontend;

using Named = std::map<std::string, Tensor>;

static Named namedVariables(const char *function, const std::vector<Tensor> &variables,
                            const std::string &path, compiler::WeightsUse use,
                            SourceLocation location) {
  Call call(function, location);
  if (absl::Status status = compiler::checkWeightsPath(path, use); !status.ok())
    call.valueError(std::string(status.message()));
  Named named;
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

// What was wrong with the file, with the names of the function and of the file, and the place.
[[noreturn]] static void throwWith(const char *function, const std::string &path,
                                   SourceLocation location, const absl::Status &status) {
  throwStatus(status.code(), withPlace(std::string(function) + ": '" + path +
                                           "': " + std::string(status.message()),
                                       location));
}

static compiler::WeightSlot slotOf(const std::string &name, const Tensor &variable) {
  compiler::WeightSlot slot{name, keratin_dtype_t(variable.dtype()), {}};
  for (std::optional<int64_t> size : variable.shape())
    slot.dims.push_back(*size); // all are known
  return slot;
}

namespace keratin::backend {

void save_weights(const TensorList &variables, const std::string &path, SourceLocation location) {
  Named named =
      namedVariables("save_weights", variables.list(), path, compiler::WeightsUse::Write, location);
  absl::Status status = withMemory([&] {
    std::vector<Tensor> tensors;
    for (const auto &[name, variable] : named)
      tensors.push_back(variable);
    std::vector<Array> arrays = batch_get_value(tensors, location); // of one moment
    std::vector<compiler::NamedView> views;
    for (const auto &[name, variable] : named) {
      Array &array = arrays[views.size()];
      views.push_back({name,
                       {keratin_dtype_t(array.dtype()),
                        array.shape(),
                        {static_cast<const char *>(array.rawData()), array.bytes()}}});
    }
    return compiler::writeWeights(path, views);
  });
  if (!status.ok())
    throwWith("save_weights", path, location, status);
}

void save_weights(const Function &f, const std::string &path, SourceLocation location) {
  save_weights(f.variables(), path, location);
}

void load_weights(const TensorList &variables, const std::string &path, SourceLocation location) {
  Named named =
      namedVariables("load_weights", variables.list(), path, compiler::WeightsUse::Read, location);
  absl::Status status = withMemory([&] {
    std::vector<compiler::WeightSlot> slots;
    for (const auto &[name, variable] : named)
      slots.push_back(slotOf(name, variable));
    auto arrays = compiler::readWeights(path, slots);
    if (!arrays.ok())
      return arrays.status();
    std::vector<std::pair<Tensor, Array>> values;
    for (const auto &[name, variable] : named)
      values.emplace_back(variable, ownedBy(std::move((*arrays)[values.size()])));
    batch_set_value(values, location);
    return absl::OkStatus();
  });
  if (!status.ok())
    throwWith("load_weights", path, location, status);
}

void load_weights(const Function &f, const std::string &path, SourceLocation location) {
  load_weights(f.variables(), path, location);
}

} // namespace keratin::backend
