// layers::load_keras, and the same for tools.
#include "keratin/keras_files.h"

#include "compiler/artifact/Names.h"
#include "frontend/backend/ImportErrors.h"
#include "frontend/backend/SavedFunctions.h"
#include "frontend/keras_files/KerasLayer.h"
#include "frontend/keras_files/SavedModel.h"
#include "keratin/io.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;

namespace {

struct Imported {
  std::string name; // the model's
  std::vector<Tensor> inputs, variables;
  std::vector<Output> outputs;
};

} // namespace

static Imported import(KerasFile &file, bool asVariables) {
  const KerasLayer model(file, file.model());
  if (model.record().addInner == nullptr || model.record().weights.size())
    model.notImplemented("a file of a single layer");
  Imported made{model.name(), {}, {}, {}};
  for (const auto &layer : model.inner)
    layer->takeWeights(file.weights(layer->name()), asVariables, made.variables);
  LayerCall call;
  for (Tensor &input : inputsOf(model)) {
    call.inputs.push_back({input});
    made.inputs.push_back(std::move(input));
  }
  const LayerValues values = model.call(call);
  const std::vector<std::string> names = outputNamesOf(model, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    made.outputs.emplace_back(names[i], values[i].tensor);
  return made;
}

absl::StatusOr<std::string> keras_files::savedGraphOf(const std::string &path) {
  return importedOrStatus("load_keras", path, [&] {
    KerasFile file(path, SourceLocation());
    const Imported made = import(file, false);
    const Function function = functionWithoutCode(made.inputs, made.outputs,
                                                  compiler::modelName(made.name), file.location);
    return frontend::savedGraphOf("load_keras", {function}, file.location);
  });
}

KerasModel layers::load_keras(const std::string &path, const KerasOptions &options,
                              SourceLocation location) {
  return importedOrThrown("load_keras", path, location, [&] {
    KerasFile file(path, location);
    Imported made = import(file, options.trainable);
    KerasModel model;
    model.variables = std::move(made.variables);
    model.function = backend::function(made.inputs, made.outputs, {}, options.function.name,
                                       options.function, location);
    return model;
  });
}
