// K::load_onnx, and the same for tools.
#include "keratin/onnx.h"

#include "compiler/artifact/Names.h"
#include "frontend/backend/ImportErrors.h"
#include "frontend/backend/SavedFunctions.h"
#include "frontend/onnx/GraphImporter.h"
#include "frontend/onnx/SavedModel.h"
#include "keratin/io.h"

#include <filesystem>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

static std::vector<Output> import(GraphImporter &importer, const OnnxOptions &options) {
  ModelFile &file = importer.file;
  file.steps.begin(file.graph().node_size());
  importer.addInitializers(file.graph(), options.trainable);
  importer.addInputs(file.graph(), options.constants, options.lengths);
  importer.addNodes(file.graph().node());
  std::vector<Output> outputs;
  for (const onnx::ValueInfoProto &output : file.graph().output()) {
    ModelValue &value = importer.output(output.name());
    if (value.isNothing())
      file.notImplemented("the output '" + output.name() +
                          "', an optional value that is not there");
    if (std::vector<ModelValue> *elements = value.sequence()) {
      // One for each of them.
      for (size_t i = 0; i < elements->size(); ++i) {
        if (!(*elements)[i].isTensor())
          file.notImplemented("the output '" + output.name() + "', a sequence of no tensors");
        outputs.emplace_back(output.name() + "_" + std::to_string(i),
                             (*elements)[i].tensor(file.location));
      }
      continue;
    }
    outputs.emplace_back(output.name(), value.tensor(file.location));
  }
  if (outputs.empty())
    file.fail("has no outputs");
  file.steps.end();
  return outputs;
}

absl::StatusOr<std::string> onnx_models::savedGraphOf(const std::string &path) {
  return importedOrStatus("load_onnx", path, [&] {
    ImportSteps steps;
    ModelFile file(path, SourceLocation(), steps);
    GraphImporter importer(file);
    const std::vector<Output> outputs = import(importer, {});
    const std::string &given = file.graph().name();
    const std::string name = compiler::isModelName(given)
                                 ? given
                                 : compiler::modelName(std::filesystem::path(path).stem().string());
    const Function function =
        functionWithoutCode(importer.inputs, outputs, {}, name, file.location);
    return frontend::savedGraphOf("load_onnx", {function}, file.location);
  });
}

namespace keratin::backend {

static OnnxModel load(ModelFile file, const OnnxOptions &options) {
  GraphImporter importer(file);
  const std::vector<Output> outputs = import(importer, options);
  OnnxModel model;
  model.variables = importer.variables;
  model.function = function(importer.inputs, outputs, {}, options.function.name, options.function,
                            file.location);
  return model;
}

OnnxModel load_onnx(const std::string &path, const OnnxOptions &options, SourceLocation location) {
  ImportSteps steps(options.function);
  return importedOrThrown("load_onnx", path, location, [&] {
    try {
      return load(ModelFile(path, location, steps), options);
    } catch (const ImportSteps::Ended &) {
      steps.fail(path, location);
    }
  });
}

} // namespace keratin::backend
