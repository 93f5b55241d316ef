#include "frontend/onnx/ModelNode.h"

#include "frontend/graph/SourcePlace.h"
#include "frontend/onnx/Printable.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
using onnx::AttributeProto;

const Tensor &ModelValue::tensor(SourceLocation place) {
  if (made.isEmpty()) {
    Call call("load_onnx", place);
    made = call.tensor(call.literal(*known));
  }
  return made;
}

Tensor ModelNode::input(size_t i) const {
  if (!has(i))
    fail("has no input " + std::to_string(i));
  return inputs[i]->tensor(place);
}

const Array *ModelNode::constant(size_t i) const {
  return has(i) ? inputs[i]->constant() : nullptr;
}

std::vector<int64_t> ModelNode::integersOf(size_t i, const char *what) const {
  const Array *array = constant(i);
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
  const std::optional<DType> dtype = dtypeOf(asked);
  if (!dtype)
    notImplemented("elements of type " + elementTypeName(asked));
  return *dtype;
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
