// From the nodes of a model's graph to tensors.
#ifndef KERATIN_FRONTEND_ONNX_GRAPHIMPORTER_H
#define KERATIN_FRONTEND_ONNX_GRAPHIMPORTER_H

#include "frontend/onnx/ModelNode.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace keratin::frontend::onnx_models {

// Imports one graph: a model's, that of a node in one, or the body of one of the model's functions.
class GraphImporter {
public:
  explicit GraphImporter(ModelFile &file) : file(file), opsets(file.opsets()) {}
  // A graph in a node of another one, whose values it sees.
  explicit GraphImporter(GraphImporter &around);
  // The body of a function that a node of another one calls: its values are its own.
  GraphImporter(GraphImporter &caller, ModelFile::Opsets opsets);

  // The graph's initializers: constants, or those of floats variables.
  void addInitializers(const onnx::GraphProto &graph, bool asVariables);
  // Those in `constants` have these values, sequences these lengths.
  void addInputs(const onnx::GraphProto &graph, const std::map<std::string, Array> &constants,
                 const std::map<std::string, int64_t> &lengths);
  void addNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);
  void define(const std::string &name, ModelValue value);
  // An input of a function's that a call does not give.
  void leaveOut(const std::string &name) { leftOut.insert(name); }
  // Null for a name that nothing has.
  ModelValue *lookUp(const std::string &name);
  // ValueError for a name that nothing has.
  ModelValue &output(const std::string &name);

  ModelFile &file;
  std::vector<Tensor> inputs;
  std::vector<Tensor> variables;

private:
  void addInput(const onnx::ValueInfoProto &input, const Array *constant, const int64_t *length);
  ModelValue tensorInput(const std::string &name, const onnx::TypeProto &type,
                         const Array *constant, bool hasOwnSizes);
  ModelValue sequenceInput(const std::string &name, const onnx::TypeProto &type,
                           const int64_t *length);
  void addNode(const onnx::NodeProto &proto);
  Values callFunction(const onnx::NodeProto &proto, const onnx::FunctionProto &function,
                      const std::vector<ModelValue *> &arguments);
  SourceLocation placeOf(const onnx::NodeProto &proto);
  Size sizeOf(const onnx::TensorShapeProto::Dimension &dim);

  void enter();

  GraphImporter *around = nullptr; // whose values are seen
  GraphImporter *caller = nullptr; // in a node of which this is imported
  const ModelFile::Opsets opsets;
  int depth = 0;
  int nodes = 0;             // of this graph so far
  std::string functionNames; // "f: " for a body of f's
  // Imported so far, of all: those of graphs in nodes, and those of functions.
  int64_t nodesInNodes = 0, nodesInFunctions = 0;
  llvm::StringMap<ModelValue> values;
  std::set<std::string> leftOut;
};

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_GRAPHIMPORTER_H
