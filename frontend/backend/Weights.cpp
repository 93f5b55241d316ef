// K::save_weights and K::load_weights.
#include "keratin/weights.h"

#include "frontend/backend/NamedVariables.h"
#include "frontend/graph/RuntimeStatus.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend {

void save_weights(const TensorList &variables, const std::string &path, SourceLocation location) {
  const NamedVariables named =
      namedVariables("save_weights", variables.list(),
                     compiler::checkWeightsPath(path, compiler::WeightsUse::Write), location);
  absl::Status status = withMemory([&] {
    std::vector<Array> arrays = valuesOf(named, location);
    std::vector<compiler::NamedView> views;
    for (const auto &[name, variable] : named)
      views.push_back(viewOf(name, arrays[views.size()]));
    return compiler::writeWeights(path, views);
  });
  if (!status.ok())
    throwOfFile("save_weights", path, location, status);
}

void save_weights(const Function &f, const std::string &path, SourceLocation location) {
  save_weights(f.variables(), path, location);
}

void load_weights(const TensorList &variables, const std::string &path, SourceLocation location) {
  const NamedVariables named =
      namedVariables("load_weights", variables.list(),
                     compiler::checkWeightsPath(path, compiler::WeightsUse::Read), location);
  absl::Status status = withMemory([&] {
    auto arrays = compiler::readWeights(path, slotsOf(named));
    if (arrays.ok())
      setValues(named, *std::move(arrays), location);
    return arrays.status();
  });
  if (!status.ok())
    throwOfFile("load_weights", path, location, status);
}

void load_weights(const Function &f, const std::string &path, SourceLocation location) {
  load_weights(f.variables(), path, location);
}

} // namespace keratin::backend
