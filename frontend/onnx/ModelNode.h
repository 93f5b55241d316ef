// A node of a model, as the code that imports its op sees it.
#ifndef KERATIN_FRONTEND_ONNX_MODELNODE_H
#define KERATIN_FRONTEND_ONNX_MODELNODE_H

#include "frontend/graph/Call.h"
#include "frontend/onnx/ModelFile.h"
#include "keratin/tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::frontend::onnx_models {

class GraphImporter;

using Numbers = std::vector<int64_t>;

// So many elements at most are computed when a model is loaded: shapes, pads and the like.
inline constexpr int64_t kMostKnown = 1024;

// A value of the model: a tensor, and its elements where they are known when the model is loaded; a
// sequence of values; or an optional value that is not there. One that is there is what it holds.
class ModelValue {
public:
  explicit ModelValue(Tensor tensor, int narrowBits = 0)
      : narrowBits(narrowBits), made(std::move(tensor)) {}
  explicit ModelValue(Array elements, int narrowBits = 0)
      : narrowBits(narrowBits), known(std::make_shared<const Array>(std::move(elements))) {}
  static ModelValue sequenceOf(std::vector<ModelValue> values);
  static ModelValue nothing() { return ModelValue(); }

  const Array *constant() const { return known.get(); }
  // What follows from what is known is computed.
  const Array *computedConstant();
  // A literal is made where it is first asked for. ValueError for what is no tensor.
  const Tensor &tensor(SourceLocation place);
  // Null for what is none.
  std::vector<ModelValue> *sequence() { return values.get(); }
  bool isNothing() const { return made.isEmpty() && !known && !values; }
  bool isTensor() const { return !values && !isNothing(); }

  // Of narrow integers (ElementType), or 0.
  int narrowBits = 0;

private:
  ModelValue() = default;

  Tensor made;
  std::shared_ptr<const Array> known;
  std::shared_ptr<std::vector<ModelValue>> values;
};

class ModelNode {
public:
  ModelNode(GraphImporter &importer, const onnx::NodeProto &proto, SourceLocation place,
            int64_t opset, std::vector<ModelValue *> inputs)
      : importer(importer), place(place), opset(opset), proto(proto), inputs(std::move(inputs)) {}

  GraphImporter &importer;
  // "model.onnx: node 'conv1' (Conv)", and its number.
  const SourceLocation place;
  const int64_t opset;
  const std::string &type() const { return proto.op_type(); }

  //===-- Inputs ----------------------------------------------------------------------------===//
  size_t inputCount() const { return inputs.size(); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  // ValueError for one that is not there, or no tensor.
  Tensor input(size_t i) const;
  // The same for any value, and for sequences.
  ModelValue &value(size_t i) const;
  std::vector<ModelValue> &sequence(size_t i) const;
  ElementType elementType(size_t i) const;
  // Null where it is not there, or not known before a call.
  const Array *constant(size_t i) const;
  // The same, computed here and now where it follows from what is known: for what must be known.
  const Array *computedConstant(size_t i) const;
  // The same where formulas of sizes do not say it, which takes no compilation.
  const Array *constantOrFormula(size_t i) const;
  // What sizes of inputs say of integers; none where they do not.
  ir::Shape formulasOf(size_t i) const;
  // The numbers of an input that says how the op works; NotImplementedError where they are not
  // known before a call.
  std::vector<int64_t> integersOf(size_t i, const char *what) const;
  // The same where sizes of inputs may be among them.
  Shape shapeOf(size_t i) const;

  //===-- Attributes ------------------------------------------------------------------------===//
  bool hasAttribute(const char *name) const { return find(name); }
  int64_t integer(const char *name, int64_t otherwise) const;
  int64_t integer(const char *name) const; // ValueError where it is not there
  double number(const char *name, double otherwise) const;
  std::string text(const char *name, const std::string &otherwise) const;
  std::vector<int64_t> integers(const char *name) const; // empty where it is not there
  std::vector<double> numbers(const char *name) const;
  std::vector<std::string> texts(const char *name) const;
  // An element type; NotImplementedError for one that no tensor of ours has, and for narrow ones.
  DType dtype(const char *name, DType otherwise) const;
  const onnx::TensorProto *tensor(const char *name) const;
  const onnx::GraphProto &graph(const char *name) const;

  // An axis of x in [0, rank), from an attribute or a number.
  int64_t axis(int64_t axis, int64_t rank) const;

  //===-- Outputs
  //-------------------------------------------------------------------------------===//
  size_t outputCount() const { return size_t(proto.output_size()); }
  bool wants(size_t i) const { return i < outputCount() && !proto.output(int(i)).empty(); }

  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void notImplemented(const std::string &what) const;

private:
  const onnx::AttributeProto *find(const char *name) const;
  const onnx::AttributeProto *find(const char *name,
                                   onnx::AttributeProto::AttributeType type) const;

  const onnx::NodeProto &proto;
  std::vector<ModelValue *> inputs;
};

// A tensor for each output, or elements that are known.
using Values = std::vector<ModelValue>;
using ImportOp = Values (*)(ModelNode &node);

// What an op does with narrow integers. Those that only move elements have the first input's.
enum class Narrow { Refused, Moved, Known };
struct OpRecord {
  const char *name;
  ImportOp import;
  const char *domain = "";
  Narrow narrow = Narrow::Refused;
};
// Those of a subject, which is a file.
struct OpTable {
  const char *subject;
  llvm::ArrayRef<OpRecord> ops;
};
llvm::ArrayRef<OpRecord> elementwiseOps();
llvm::ArrayRef<OpRecord> activationOps();
llvm::ArrayRef<OpRecord> reductionOps();
llvm::ArrayRef<OpRecord> productOps();
llvm::ArrayRef<OpRecord> shapeOps();
llvm::ArrayRef<OpRecord> indexingOps();
llvm::ArrayRef<OpRecord> scatteringOps();
llvm::ArrayRef<OpRecord> selectionOps();
llvm::ArrayRef<OpRecord> boxOps();
llvm::ArrayRef<OpRecord> creationOps();
llvm::ArrayRef<OpRecord> convolutionOps();
llvm::ArrayRef<OpRecord> poolingOps();
llvm::ArrayRef<OpRecord> normalizationOps();
llvm::ArrayRef<OpRecord> recurrentOps();
llvm::ArrayRef<OpRecord> attentionOps();
llvm::ArrayRef<OpRecord> controlOps();
llvm::ArrayRef<OpRecord> lossOps();
llvm::ArrayRef<OpRecord> quantizationOps();
llvm::ArrayRef<OpRecord> resizingOps();
llvm::ArrayRef<OpRecord> samplingOps();
llvm::ArrayRef<OpRecord> randomOps();
llvm::ArrayRef<OpRecord> sequenceOps();
llvm::ArrayRef<OpRecord> signalOps();
llvm::ArrayRef<OpRecord> trainingOps();
// Null for an op that is not known.
const OpRecord *findOp(const std::string &domain, const std::string &name);
llvm::ArrayRef<OpTable> allOps();

// Row-major numbers of elements of a shape, from their indices along each axis.
Value flatIndex(Call &call, const std::vector<Value> &indices, const ir::Shape &sizes);

// Numbers of the inputs that hold integers, and their zero point, if it is there.
struct Quantized {
  size_t integers, zeroPoint;
};
// The product of matrices (or vectors), exact in int32, of integers less their zero points: one,
// or, of a, one a row, of b one a column.
Tensor exactProduct(ModelNode &node, Quantized a, Quantized b);
// The convolution of a node with the attributes of Conv, likewise, without a bias: zero points are
// one, or one a channel of x, one an output of the filter. Padding is x's zero point.
Tensor exactConvolution(ModelNode &node, Quantized x, Quantized filter);

// As Cast does: of what a narrow type has not the low bits stay.
Value castTo(Call &call, Value x, ElementType type);

// x, of one element, as a scalar.
Tensor scalarOf(const Tensor &x, SourceLocation place);

// The outputs of a graph in a node, which sees the values around it, for these inputs.
Values outputsOf(ModelNode &node, const onnx::GraphProto &graph, Values inputs);

inline Values one(Tensor tensor) {
  Values values;
  values.emplace_back(std::move(tensor));
  return values;
}
inline Values one(Array elements) {
  Values values;
  values.emplace_back(std::move(elements));
  return values;
}

inline Values one(ModelValue value) {
  Values values;
  values.push_back(std::move(value));
  return values;
}

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_MODELNODE_H
