// From the nodes of a model's graph to tensors.
#ifndef KERATIN_FRONTEND_ONNX_GRAPHIMPORTER_H
#define KERATIN_FRONTEND_ONNX_GRAPHIMPORTER_H

#include "frontend/onnx/ModelNode.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace keratin::frontend::onnx_models {

// Imports one graph: a model's, or the body of a function or of a node in one. Names of values are
// looked up from the inside out.
class GraphImporter {
public:
  GraphImporter(const ModelFile &file, GraphImporter *outer = nullptr)
      : file(file), outer(outer), depth(outer ? outer->depth + 1 : 0) {}

  // The graph's initializers: constants, or those of floats variables.
  void addInitializers(const onnx::GraphProto &graph, bool asVariables);
  // Those in `constants` have these values.
  void addInputs(const onnx::GraphProto &graph, const std::map<std::string, Array> &constants);
  void addNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);
  void define(const std::string &name, ModelValue value);
  // Null for a name that nothing has.
  ModelValue *lookUp(const std::string &name);
  // ValueError for a name that nothing has.
  Tensor output(const std::string &name);

  const ModelFile &file;
  std::vector<Tensor> inputs;
  std::vector<Tensor> variables;

private:
  void addInput(const onnx::ValueInfoProto &input, const Array *constant);
  void addNode(const onnx::NodeProto &proto);
  SourceLocation placeOf(const onnx::NodeProto &proto);
  Size sizeOf(const onnx::TensorShapeProto::Dimension &dim);

  GraphImporter *outer;
  const int depth;
  int nodes = 0;
  llvm::StringMap<ModelValue> values;
};

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_GRAPHIMPORTER_H
