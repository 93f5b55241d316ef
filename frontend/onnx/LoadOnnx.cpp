// K::load_onnx.
#include "keratin/onnx.h"

#include "frontend/onnx/GraphImporter.h"
#include "keratin/io.h"

using namespace keratin;
using namespace keratin::frontend::onnx_models;

namespace keratin::backend {

OnnxModel load_onnx(const std::string &path, const OnnxOptions &options, SourceLocation location) {
  const ModelFile file(path, location);
  GraphImporter importer(file);
  importer.addInitializers(file.graph(), options.trainable);
  importer.addInputs(file.graph(), options.constants);
  importer.addNodes(file.graph().node());
  std::vector<Output> outputs;
  for (const onnx::ValueInfoProto &output : file.graph().output())
    outputs.emplace_back(output.name(), importer.output(output.name()));
  if (outputs.empty())
    file.fail("has no outputs");
  OnnxModel model;
  model.variables = importer.variables;
  model.function =
      function(importer.inputs, outputs, {}, options.function.name, options.function, location);
  return model;
}

} // namespace keratin::backend
