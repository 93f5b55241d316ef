#include "frontend/onnx/ModelNode.h"

#include "frontend/graph/Printable.h"
#include "frontend/graph/SourcePlace.h"
#include "keratin/io.h"
#include "keratin/shapes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
using onnx::AttributeProto;

ModelValue ModelValue::sequenceOf(std::vector<ModelValue> values) {
  ModelValue value;
  value.values = std::make_shared<std::vector<ModelValue>>(std::move(values));
  return value;
}

// As Call::literal, of elements that nobody changes: no copy is made.
static Tensor sharedLiteral(Call &call, const std::shared_ptr<const Array> &elements) {
  ir::Shape shape;
  for (int64_t dim : elements->shape())
    shape.push_back(DimExpr(dim));
  const int64_t id = call.graph.literals.add(
      Array::constView(elements->rawData(), elements->dtype(), elements->shape(), {}, elements));
  return call.tensor(call.builder.create<ir::LiteralOp>(
      call.g.location(), ir::getTensorType(shape, call.elementType(elements->dtype())), id));
}

const Tensor &ModelValue::tensor(SourceLocation place) {
  if (!isTensor())
    throw ValueError(withPlace(std::string("load_onnx: ") +
                                   (values ? "a sequence" : "an optional value that is not there") +
                                   " where a tensor is needed",
                               place));
  if (made.isEmpty()) {
    Call call("load_onnx", place);
    made = sharedLiteral(call, known);
  }
  return made;
}

// Few ops, on few elements, that read nothing but literals.
static bool followsFromLiterals(Value value) {
  constexpr size_t mostOps = 64;
  llvm::SetVector<mlir::Operation *> ops;
  if (mlir::Operation *op = value.getDefiningOp())
    ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto type = ir::getTensorType(ops[i]->getResult(0));
    if (ops.size() > mostOps || !type.hasStaticShape() || type.getNumElements() > kMostKnown ||
        ops[i]->getNumRegions())
      return false;
    if (llvm::isa<ir::LiteralOp>(ops[i]))
      continue;
    if (!mlir::isPure(ops[i]) || llvm::isa<ir::RandomBitsOp>(ops[i]))
      return false;
    for (const Value operand : ops[i]->getOperands()) {
      if (!operand.getDefiningOp())
        return false;
      ops.insert(operand.getDefiningOp());
    }
  }
  return !ops.empty();
}

const Array *ModelValue::computedConstant() {
  if (!known && !made.isEmpty()) {
    bool isKnown = false;
    {
      Call call("load_onnx", SourceLocation());
      isKnown = followsFromLiterals(call.value(made));
    }
    if (isKnown)
      known = std::make_shared<const Array>(backend::eval(made));
  }
  return known.get();
}

ModelValue &ModelNode::value(size_t i) const {
  if (!has(i))
    fail("has no input " + std::to_string(i));
  return *inputs[i];
}

Tensor ModelNode::input(size_t i) const {
  ModelValue &given = value(i);
  if (!given.isTensor())
    fail("has " + std::string(given.sequence() ? "a sequence" : "an optional value") +
         " as input " + std::to_string(i) + "; needed a tensor");
  return given.tensor(place);
}

std::vector<ModelValue> &ModelNode::sequence(size_t i) const {
  std::vector<ModelValue> *values = value(i).sequence();
  if (!values)
    fail("has no sequence as input " + std::to_string(i));
  return *values;
}

ElementType ModelNode::elementType(size_t i) const {
  return {input(i).dtype(), value(i).narrowBits};
}

const Array *ModelNode::constant(size_t i) const {
  return has(i) ? inputs[i]->constant() : nullptr;
}

const Array *ModelNode::computedConstant(size_t i) const {
  return has(i) ? inputs[i]->computedConstant() : nullptr;
}

const Array *ModelNode::constantOrFormula(size_t i) const {
  if (!has(i) || constant(i))
    return constant(i);
  return formulasOf(i).empty() ? computedConstant(i) : nullptr;
}

ir::Shape ModelNode::formulasOf(size_t i) const {
  const Tensor value = input(i);
  Call call("load_onnx", place);
  return call.formulas(call.value(value)).value_or(ir::Shape());
}

std::vector<int64_t> ModelNode::integersOf(size_t i, const char *what) const {
  const Array *array = computedConstant(i);
  if (!array) {
    if (!has(i))
      fail(std::string("has no input ") + what);
    notImplemented(std::string(what) + " that only a call knows");
  }
  return array->toVector<int64_t>();
}

Shape ModelNode::shapeOf(size_t i) const {
  if (const Array *array = constant(i))
    return Shape(array->toVector<int64_t>());
  const Tensor sizes = input(i);
  if (!isInteger(sizes.dtype()))
    fail(std::string("has sizes of dtype ") + dtypeName(sizes.dtype()) + "; needed integers");
  if (const Array *array = constantOrFormula(i))
    return Shape(array->toVector<int64_t>());
  return Shape(sizes);
}

const AttributeProto *ModelNode::find(const char *name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

const AttributeProto *ModelNode::find(const char *name, AttributeProto::AttributeType type) const {
  const AttributeProto *attribute = find(name);
  // Early exporters left the type out.
  if (attribute && attribute->type() != type && attribute->type() != AttributeProto::UNDEFINED)
    fail(std::string("has an attribute ") + name + " of another type than the op's");
  return attribute;
}

int64_t ModelNode::integer(const char *name, int64_t otherwise) const {
  const AttributeProto *attribute = find(name, AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

int64_t ModelNode::integer(const char *name) const {
  if (!find(name))
    fail(std::string("has no attribute ") + name);
  return integer(name, 0);
}

double ModelNode::number(const char *name, double otherwise) const {
  const AttributeProto *attribute = find(name, AttributeProto::FLOAT);
  return attribute ? double(attribute->f()) : otherwise;
}

std::string ModelNode::text(const char *name, const std::string &otherwise) const {
  const AttributeProto *attribute = find(name, AttributeProto::STRING);
  return attribute ? printable(attribute->s()) : otherwise;
}

std::vector<int64_t> ModelNode::integers(const char *name) const {
  const AttributeProto *attribute = find(name, AttributeProto::INTS);
  if (!attribute)
    return {};
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<double> ModelNode::numbers(const char *name) const {
  const AttributeProto *attribute = find(name, AttributeProto::FLOATS);
  if (!attribute)
    return {};
  return {attribute->floats().begin(), attribute->floats().end()};
}

std::vector<std::string> ModelNode::texts(const char *name) const {
  const AttributeProto *attribute = find(name, AttributeProto::STRINGS);
  if (!attribute)
    return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

DType ModelNode::dtype(const char *name, DType otherwise) const {
  if (!hasAttribute(name))
    return otherwise;
  const int64_t asked = integer(name);
  const std::optional<ElementType> type = elementTypeOf(asked);
  if (!type || type->isNarrow())
    notImplemented("elements of type " + elementTypeName(asked));
  return type->dtype;
}

const onnx::TensorProto *ModelNode::tensor(const char *name) const {
  const AttributeProto *attribute = find(name, AttributeProto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

const onnx::GraphProto &ModelNode::graph(const char *name) const {
  const AttributeProto *attribute = find(name, AttributeProto::GRAPH);
  if (!attribute)
    fail(std::string("has no attribute ") + name);
  return attribute->g();
}

int64_t ModelNode::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    fail("has axis " + std::to_string(axis) + "; needed one in [" + std::to_string(-rank) + ", " +
         std::to_string(rank) + ")");
  return axis < 0 ? axis + rank : axis;
}

void ModelNode::fail(const std::string &what) const {
  throw ValueError(withPlace("load_onnx: the node " + printable(what), place));
}

void ModelNode::notImplemented(const std::string &what) const {
  throw NotImplementedError(withPlace("load_onnx: not implemented: " + printable(what), place));
}

Tensor keratin::frontend::onnx_models::scalarOf(const Tensor &x, SourceLocation place) {
  return x.ndim() == 0 ? x : backend::reshape(x, Shape(std::vector<int64_t>{}), place);
}
