// K::save_weights and K::load_weights.
#include "keratin/weights.h"
#include "keratin/graph.h"
#include "keratin/io.h"

#include "frontend/graph/Call.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/values/Safetensors.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace keratin;
using namespace keratin::frontend;

using Named = std::map<std::string, Tensor>;

static Named namedVariables(const char *function, const std::vector<Tensor> &variables,
                            const std::string &path, SourceLocation location) {
  Call call(function, location);
  if (!llvm::StringRef(path).ends_with(".safetensors"))
    call.valueError("'" + path + "' ends in no known way; needed .safetensors");
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

// What the work with the file throws, with the names of the function and of the file, and the
// place.
template <typename Work>
static auto withFile(const char *function, const std::string &path, SourceLocation location,
                     Work &&work) {
  auto text = [&](const Error &error) {
    return std::string(function) + ": '" + path + "': " + error.what() + "; at " + location.file +
           ":" + std::to_string(location.line);
  };
  try {
    return withMemory(work);
  } catch (const ValueError &error) {
    throw ValueError(text(error));
  } catch (const RuntimeError &error) {
    throw RuntimeError(text(error));
  }
}

static std::string known(const Tensor &variable) { return toString(variable.shape()); }

namespace keratin::backend {

void save_weights(const TensorList &variables, const std::string &path, SourceLocation location) {
  Named named = namedVariables("save_weights", variables.list(), path, location);
  withFile("save_weights", path, location, [&] {
    std::vector<std::pair<std::string, Array>> arrays;
    for (const auto &[name, variable] : named)
      arrays.emplace_back(name, get_value(variable, location));
    writeSafetensors(path, arrays);
  });
}

void save_weights(const Function &f, const std::string &path, SourceLocation location) {
  save_weights(f.variables(), path, location);
}

void load_weights(const TensorList &variables, const std::string &path, SourceLocation location) {
  Named named = namedVariables("load_weights", variables.list(), path, location);
  withFile("load_weights", path, location, [&] {
    std::vector<std::pair<Tensor, Array>> values;
    Named missing = named;
    for (auto &[name, array] :
         readSafetensors(path, [&](const std::string &name) { return named.count(name) != 0; })) {
      const Tensor &variable = named.at(name);
      if (toString(array.shape()) != known(variable))
        throw ValueError("'" + name + "' has shape " + toString(array.shape()) +
                         "; needed the variable's shape " + known(variable));
      missing.erase(name);
      values.emplace_back(variable, std::move(array));
    }
    if (!missing.empty())
      throw ValueError("it has no '" + missing.begin()->first + "'" +
                       (missing.size() > 1
                            ? ", nor " + std::to_string(missing.size() - 1) + " other variables"
                            : ""));
    batch_set_value(values, location);
  });
}

void load_weights(const Function &f, const std::string &path, SourceLocation location) {
  load_weights(f.variables(), path, location);
}

} // namespace keratin::backend
