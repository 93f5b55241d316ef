// Ops of ONNX on integers that stand for floats: value = (integer - zero point) * scale.
#include "frontend/onnx/ModelNode.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// Where a node has scales and zero points: one in all, one for each place along an axis, or one for
// each block of places along it.
struct Granularity {
  int64_t axis, block = 0; // block: 0 for none
  bool areApart = false;   // the places of a block have a dimension of their own, behind the axis
};

Granularity granularityOf(ModelNode &node, Call &call, Value x) {
  const int64_t block = node.integer("block_size", 0);
  if (block < 0 || block > (1 << 30))
    node.fail("has blocks of " + std::to_string(block));
  return {call.rank(x) > 1 ? node.axis(node.integer("axis", 1), call.rank(x)) : 0, block};
}

// The dimensions but that of the places of a block.
Numbers withoutPlaces(const ir::Shape &apart, int64_t axis) {
  Numbers dims;
  for (int64_t i = 0; i < int64_t(apart.size()); ++i)
    if (i != axis + 1)
      dims.push_back(i);
  return dims;
}

// x with blocks that are known to be whole set apart, so that scales are repeated as they are read.
Value withBlocks(Call &call, Value x, Value scale, Granularity &by) {
  ir::Shape shape = ir::getShape(x);
  const size_t axis = size_t(by.axis);
  if (!by.block || shape.empty() || call.rank(scale) != int64_t(shape.size()) ||
      shape[axis].content() % uint64_t(by.block) != 0)
    return x;
  by.areApart = true;
  shape[axis] = call.check(ir::floordiv(shape[axis], DimExpr(by.block)));
  shape.insert(shape.begin() + by.axis + 1, DimExpr(by.block));
  return call.g.reshape(x, shape);
}

// One of each block in all its places; the last block may be short.
Value inBlocks(Call &call, Value parameter, const ir::Shape &shape, Granularity by) {
  const size_t axis = size_t(by.axis);
  const std::string what = "the scales and the blocks of x";
  ir::Shape needed = shape;
  if (by.areApart) {
    needed.erase(needed.begin() + by.axis + 1);
    return call.g.broadcast(call.requireShape(parameter, needed, what), shape,
                            withoutPlaces(shape, by.axis));
  }
  needed[axis] = call.check(ir::ceildiv(shape[axis], DimExpr(by.block)));
  ir::Shape apart = needed, whole = needed;
  apart.insert(apart.begin() + by.axis + 1, DimExpr(by.block));
  whole[axis] = call.check(ir::mul(needed[axis], DimExpr(by.block)));
  const Value spread = call.g.reshape(call.g.broadcast(call.requireShape(parameter, needed, what),
                                                       apart, withoutPlaces(apart, by.axis)),
                                      whole);
  return call.g.slice(spread, ir::Shape(shape.size(), 0), shape, Numbers(shape.size(), 1));
}

// A scale or a zero point beside x.
Value beside(ModelNode &node, Call &call, Value parameter, Value x, Granularity by) {
  const ir::Shape shape = ir::getShape(x);
  const int64_t rank = call.rank(parameter), rankOfX = int64_t(shape.size()) - by.areApart;
  if (by.block && rank && rank == rankOfX)
    return inBlocks(call, parameter, shape, by);
  if (rank == 0 || (rank == 1 && ir::getShape(parameter).front() == DimExpr(1)))
    return call.g.broadcastScalar(call.g.reshape(parameter, {}), shape);
  if (rank != 1 || by.block)
    node.fail("has scales of rank " + std::to_string(rank) + " beside x of rank " +
              std::to_string(rankOfX) + "; needed 0, 1, or with a block_size the same");
  if (by.axis < 0 || by.axis >= rankOfX)
    node.fail("has scales along an axis that x has not");
  const std::string what = "the scales and their axis";
  return call.g.broadcast(call.withSize(parameter, 0, shape[size_t(by.axis)], what), shape,
                          {by.axis});
}

// Rounded to the nearest, and inside the type.
Value saturated(Call &call, Value x, ElementType type) {
  const std::optional<IntegerRange> range = rangeOf(type);
  if (!range)
    call.valueError("quantised to " + elementTypeName(type) +
                    "; needed integers of 16 bits at most");
  return call.cast(
      call.g.maximum(call.g.minimum(x, call.like(x, range->high)), call.like(x, range->low)),
      type.dtype);
}

ElementType outputType(ModelNode &node, size_t zeroPoint) {
  const int64_t asked = node.integer("output_dtype", 0);
  std::optional<ElementType> type = asked ? elementTypeOf(asked) : ElementType{DType::UInt8};
  if (!type)
    node.notImplemented("integers of type " + elementTypeName(asked));
  if (!node.has(zeroPoint))
    return *type;
  const ElementType found = node.elementType(zeroPoint);
  if (asked && !(found == *type))
    node.fail("has a zero point of dtype " + elementTypeName(found) + " and an output_dtype of " +
              elementTypeName(*type));
  return found;
}

Value scaleOf(ModelNode &node, Call &call) {
  const Value scale = call.value(node.input(1));
  if (!isFloating(call.dtypeOf(scale)))
    node.fail(std::string("has scales of dtype ") + dtypeName(call.dtypeOf(scale)) +
              "; needed floats");
  return scale;
}

// In which integers of 16 bits are exact.
DType wideOf(DType dtype) { return dtype == DType::Float64 ? dtype : DType::Float32; }

Values quantize(ModelNode &node) {
  const ElementType type = outputType(node, 2);
  Call call("load_onnx", node.place);
  const Value given = call.value(node.input(0)), scale = scaleOf(node, call);
  Granularity by = granularityOf(node, call, given);
  // Of opsets before 23 both are of one dtype, but for integers.
  const DType precision =
      node.integer("precision", 0) ? node.dtype("precision", {}) : call.dtypeOf(scale);
  if (!isFloating(precision))
    node.fail(std::string("has the precision ") + dtypeName(precision) + "; needed floats");
  const Value x = call.cast(withBlocks(call, given, scale, by), precision);
  Value y = call.g.round(call.g.div(x, beside(node, call, call.cast(scale, precision), x, by)));
  y = call.cast(y, wideOf(precision));
  if (node.has(2))
    y = call.g.add(
        y, beside(node, call, call.cast(call.value(node.input(2)), call.dtypeOf(y)), y, by));
  const Value result = call.g.reshape(saturated(call, y, type), ir::getShape(given));
  return one(ModelValue(call.tensor(result), type.bits));
}

Values dequantize(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value scale = scaleOf(node, call), integers = call.value(node.input(0));
  const DType dtype =
      node.integer("output_dtype", 0) ? node.dtype("output_dtype", {}) : call.dtypeOf(scale);
  if (!isFloating(dtype))
    node.fail(std::string("has an output_dtype of ") + dtypeName(dtype) + "; needed floats");
  Granularity by = granularityOf(node, call, integers);
  // Exact: differences of integers of 16 bits are no longer than 24.
  Value x = call.cast(withBlocks(call, integers, scale, by), DType::Int32);
  if (node.has(2))
    x = call.g.sub(x,
                   beside(node, call, call.cast(call.value(node.input(2)), DType::Int32), x, by));
  // Rounded once, where the output is short.
  const DType wide = wideOf(dtype);
  Value y = call.cast(x, wide);
  y = call.g.mul(y, beside(node, call, call.cast(scale, wide), y, by));
  return one(call.tensor(call.cast(call.g.reshape(y, ir::getShape(integers)), dtype)));
}

// To uint8 with the scale and zero point that the numbers ask for.
Values dynamicQuantize(ModelNode &node) {
  Call call("load_onnx", node.place);
  auto &g = call.g;
  const ElementType bytes{DType::UInt8};
  const Value x = call.value(node.input(0));
  std::vector<int64_t> all;
  for (int64_t i = 0; i < call.rank(x); ++i)
    all.push_back(i);
  const Value zero = g.scalar(0, ir::getElementType(x)),
              most = g.scalar(255, ir::getElementType(x));
  const Value low = g.minimum(g.reduceMin(x, all), zero),
              high = g.maximum(g.reduceMax(x, all), zero);
  const Value scale = g.div(g.sub(high, low), most);
  const Value exact = g.sub(zero, g.div(low, scale));
  const Value point = saturated(call, g.round(g.maximum(g.minimum(exact, most), zero)), bytes);
  const Value y = g.add(g.round(g.div(x, g.broadcastScalar(scale, ir::getShape(x)))),
                        g.broadcastScalar(call.cast(point, call.dtypeOf(x)), ir::getShape(x)));
  Values values = one(call.tensor(saturated(call, y, bytes)));
  values.emplace_back(call.tensor(scale));
  values.emplace_back(call.tensor(point));
  return values;
}

// Sums in int32 to the output's integers: a product of scales, divided by the output's.
Values requantized(ModelNode &node, const Tensor &sums, int64_t axisOfScales) {
  const ElementType type = outputType(node, 7);
  Call call("load_onnx", node.place);
  const Value y = call.cast(call.value(sums), DType::Float32);
  auto scale = [&](size_t i) {
    return beside(node, call, call.cast(call.value(node.input(i)), DType::Float32), y,
                  {axisOfScales});
  };
  const Value factor = call.g.div(call.g.mul(scale(1), scale(4)), scale(6));
  Value scaled = call.g.round(call.g.mul(y, factor));
  if (node.has(7))
    scaled =
        call.g.add(scaled, beside(node, call, call.cast(call.value(node.input(7)), DType::Float32),
                                  y, {axisOfScales}));
  return one(call.tensor(saturated(call, scaled, type)));
}

Values quantizedMatMul(ModelNode &node) {
  const Tensor sums = exactProduct(node, {0, 2}, {3, 5});
  return requantized(node, sums, sums.ndim() - 1);
}

Values quantizedConv(ModelNode &node) {
  Tensor sums = exactConvolution(node, {0, 2}, {3, 5});
  if (node.has(8)) {
    Call call("load_onnx", node.place);
    const Value y = call.value(sums);
    sums = call.tensor(
        call.g.add(y, call.g.broadcast(call.value(node.input(8)), ir::getShape(y), {1})));
  }
  return requantized(node, sums, 1);
}

const OpRecord quantizationRecords[] = {
    {"DequantizeLinear", dequantize, "", Narrow::Known},
    {"DynamicQuantizeLinear", dynamicQuantize},
    {"QLinearConv", quantizedConv},
    {"QLinearMatMul", quantizedMatMul},
    {"QuantizeLinear", quantize, "", Narrow::Known},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::quantizationOps() {
  return quantizationRecords;
}
