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
  std::vector<Tensor> inputs, variables, states;
  std::vector<Output> outputs;
  std::vector<Update> updates; // of the states
};

} // namespace

// The function beside that of a model with stateful layers.
static constexpr const char *kResetStates = "reset_states";

static Imported import(KerasFile &file, bool asVariables) {
  const KerasLayer model(file, file.model());
  if (model.record().addInner == nullptr || model.record().weights.size())
    model.notImplemented("a file of a single layer");
  Imported made{model.name(), {}, {}, {}, {}, {}};
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
  made.states = std::move(file.states);
  for (const auto &[layer, updates] : file.updates)
    made.updates.insert(made.updates.end(), updates.begin(), updates.end());
  return made;
}

static std::vector<Update> zerosFor(const std::vector<Tensor> &states, SourceLocation location) {
  std::vector<Update> updates;
  for (const Tensor &state : states)
    updates.emplace_back(state, 0, location);
  return updates;
}

absl::StatusOr<std::string> keras_files::savedGraphOf(const std::string &path) {
  return importedOrStatus("load_keras", path, [&] {
    KerasFile file(path, SourceLocation());
    const Imported made = import(file, false);
    std::vector<Function> functions{functionWithoutCode(
        made.inputs, made.outputs, made.updates, compiler::modelName(made.name), file.location)};
    if (!made.states.empty())
      functions.push_back(functionWithoutCode({}, {}, zerosFor(made.states, file.location),
                                              kResetStates, file.location));
    return frontend::savedGraphOf("load_keras", functions, file.location);
  });
}

KerasModel layers::load_keras(const std::string &path, const KerasOptions &options,
                              SourceLocation location) {
  return importedOrThrown("load_keras", path, location, [&] {
    KerasFile file(path, location);
    Imported made = import(file, options.trainable);
    KerasModel model;
    model.variables = std::move(made.variables);
    model.states = std::move(made.states);
    model.function = backend::function(made.inputs, made.outputs, made.updates,
                                       options.function.name, options.function, location);
    if (!model.states.empty())
      model.resetStates = backend::function({}, {}, zerosFor(model.states, location), kResetStates,
                                            options.function, location);
    return model;
  });
}
