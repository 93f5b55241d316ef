// Ops of ONNX that make tensors of shapes and numbers.
#include "keratin/creation.h"
#include "frontend/onnx/GraphImporter.h"
#include "frontend/onnx/ModelNode.h"
#include "keratin/elementwise.h"
#include "keratin/io.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

ModelValue constantOf(ModelNode &node, const onnx::TensorProto &tensor, const char *what) {
  Array elements = node.importer.file.array(tensor, what);
  return ModelValue(std::move(elements), elementTypeOf(tensor.data_type())->bits);
}

Values constant(ModelNode &node) {
  if (const onnx::TensorProto *tensor = node.tensor("value"))
    return one(constantOf(node, *tensor, "a constant"));
  if (node.hasAttribute("value_float"))
    return one(Array(float(node.number("value_float", 0))));
  if (node.hasAttribute("value_int"))
    return one(Array(node.integer("value_int")));
  if (node.hasAttribute("value_floats")) {
    const std::vector<double> numbers = node.numbers("value_floats");
    return one(Array(std::vector<float>(numbers.begin(), numbers.end())));
  }
  if (node.hasAttribute("value_ints")) {
    const std::vector<int64_t> numbers = node.integers("value_ints");
    return one(Array::copyOf(DType::Int64, {int64_t(numbers.size())}, numbers.data()));
  }
  node.notImplemented("a constant that is no tensor of numbers");
}

Values constantOfShape(ModelNode &node) {
  ModelValue given(Array::zeros(DType::Float32, {1}));
  if (const onnx::TensorProto *tensor = node.tensor("value"))
    given = constantOf(node, *tensor, "the value");
  const Array &value = *given.constant();
  if (value.size() != 1)
    node.fail("has " + std::to_string(value.size()) + " values; needed one");
  Call call("load_onnx", node.place);
  const ir::Shape shape = call.shape(node.shapeOf(0));
  const Value scalar = call.literal(value.reshape({}));
  return one(ModelValue(call.tensor(call.g.broadcastScalar(scalar, shape)), given.narrowBits));
}

// The sizes from start to end.
Values shape(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t rank = x.ndim();
  auto place = [&](const char *name, int64_t otherwise) {
    const int64_t given = node.integer(name, otherwise);
    return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const int64_t start = place("start", 0), end = std::max(start, place("end", rank));
  Call call("load_onnx", node.place);
  const ir::Shape sizes = ir::getShape(call.value(x));
  std::vector<int64_t> known;
  std::vector<Value> parts;
  for (int64_t i = start; i < end; ++i) {
    if (sizes[size_t(i)].isConstant())
      known.push_back(sizes[size_t(i)].constantValue());
    parts.push_back(call.g.reshape(call.scalar(sizes[size_t(i)], DType::Int64), {1}));
  }
  if (int64_t(known.size()) == end - start)
    return one(Array::copyOf(DType::Int64, {end - start}, known.data()));
  return one(call.tensor(call.g.concatenate(parts, 0)));
}

Values size(ModelNode &node) {
  Tensor x = node.input(0);
  Call call("load_onnx", node.place);
  const DimExpr count = call.check(ir::product(ir::getShape(call.value(x))));
  if (count.isConstant())
    return one(Array(count.constantValue()));
  return one(call.tensor(call.scalar(count, DType::Int64)));
}

Values range(ModelNode &node) {
  auto scalar = [&](size_t i) -> Operand {
    if (const Array *known = node.constant(i); known && isInteger(known->dtype()))
      return Operand(known->item<int64_t>(0), node.place);
    return scalarOf(node.input(i), node.place);
  };
  const DType dtype = node.input(0).dtype();
  return one(K::arange(scalar(0), scalar(1), scalar(2), dtype, node.place));
}

Values eyeLike(ModelNode &node) {
  Tensor x = node.input(0);
  if (x.ndim() != 2)
    node.fail("has an input of rank " + std::to_string(x.ndim()) + "; needed 2");
  const DType dtype = node.dtype("dtype", x.dtype());
  Call call("load_onnx", node.place);
  auto type = ir::getTensorType(ir::getShape(call.value(x)), call.builder.getI64Type());
  const Value k = call.g.broadcastScalar(
      call.g.integerScalar(node.integer("k", 0), type.getElementType()), ir::getShape(type));
  const Value distance = call.g.sub(call.g.iota(type, 1), call.g.iota(type, 0));
  return one(call.tensor(call.cast(call.g.equal(distance, k), dtype)));
}

// on at the index, off elsewhere; negative indices count from the end.
Values oneHot(ModelNode &node) {
  Tensor indices = node.input(0), values = node.input(2);
  if (values.ndim() != 1 || (node.constant(1) && node.constant(1)->size() != 1))
    node.fail("needs a depth and a vector of two values");
  Call call("load_onnx", node.place);
  const Value places = call.cast(call.value(indices), DType::Int64);
  const Shape given = node.constant(1) ? Shape(node.integersOf(1, "depth")) : node.shapeOf(1);
  DimExpr depth;
  if (given.isTensor()) {
    const Value scalar = call.g.reshape(call.value(given.tensor()), {});
    depth = call.size(call.cast(scalar, DType::Int64), "depth");
  } else {
    depth = DimExpr(given.entries().front().number());
  }
  const int64_t rank = call.rank(places) + 1;
  const int64_t axis = node.axis(node.integer("axis", -1), rank);
  ir::Shape shape = ir::getShape(places);
  shape.insert(shape.begin() + axis, depth);
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      others.push_back(i);
  const mlir::Type i64 = call.builder.getI64Type();
  const Value count = call.g.broadcastScalar(call.scalar(depth, DType::Int64), shape);
  const Value spread = call.g.broadcast(places, shape, others);
  const Value zero = call.like(spread, 0);
  const Value index = call.g.select(call.g.less(spread, zero), call.g.add(spread, count), spread);
  const Value number = call.g.iota(ir::getTensorType(shape, i64), axis);
  const Value pair = call.value(values);
  auto pick = [&](int64_t i) {
    const Value part = call.g.slice(pair, {i}, {1}, {1});
    return call.g.broadcastScalar(call.g.reshape(part, {}), shape);
  };
  return one(call.tensor(call.g.select(call.g.equal(index, number), pick(1), pick(0))));
}

const OpRecord creationRecords[] = {
    {"Constant", constant},
    {"ConstantOfShape", constantOfShape},
    {"EyeLike", eyeLike},
    {"OneHot", oneHot},
    {"Range", range},
    {"Shape", shape, "", Narrow::Known},
    {"Size", size, "", Narrow::Known},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::creationOps() { return creationRecords; }
