// Ops of ONNX on integers that stand for floats: value = (integer - zero point) * scale.
#include "frontend/onnx/ModelNode.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// A scale or a zero point beside x: one number, or one for each place along an axis.
Value beside(ModelNode &node, Call &call, Value parameter, Value x, int64_t axis) {
  const ir::Shape shape = ir::getShape(x);
  const int64_t rank = call.rank(parameter);
  if (rank == 0 || (rank == 1 && ir::getShape(parameter).front() == DimExpr(1)))
    return call.g.broadcastScalar(call.g.reshape(parameter, {}), shape);
  if (rank != 1)
    node.notImplemented("scales in blocks");
  if (axis < 0 || axis >= int64_t(shape.size()))
    node.fail("has scales along an axis that x has not");
  const std::string what = "the scales and their axis";
  return call.g.broadcast(call.withSize(parameter, 0, shape[size_t(axis)], what), shape, {axis});
}

// Rounded to the nearest, and inside the dtype.
Value saturated(Call &call, Value x, DType dtype) {
  double low = 0, high = 0;
  switch (dtype) {
  case DType::UInt8:
    high = 255;
    break;
  case DType::Int8:
    low = -128, high = 127;
    break;
  case DType::UInt16:
    high = 65535;
    break;
  case DType::Int16:
    low = -32768, high = 32767;
    break;
  default:
    call.valueError(std::string("quantised to ") + dtypeName(dtype) +
                    "; needed int8, uint8, int16 or uint16");
  }
  return call.cast(call.g.maximum(call.g.minimum(x, call.like(x, high)), call.like(x, low)), dtype);
}

DType outputType(ModelNode &node, size_t zeroPoint) {
  if (node.has(zeroPoint))
    return node.input(zeroPoint).dtype();
  const int64_t asked = node.integer("output_dtype", 0);
  if (!asked)
    return DType::UInt8;
  const std::optional<DType> dtype = dtypeOf(asked);
  if (!dtype)
    node.notImplemented("integers of type " + elementTypeName(asked));
  return *dtype;
}

int64_t axisOf(ModelNode &node, Call &call, Value x) {
  return call.rank(x) > 1 ? node.axis(node.integer("axis", 1), call.rank(x)) : 0;
}

Values quantize(ModelNode &node) {
  const DType dtype = outputType(node, 2);
  Call call("load_onnx", node.place);
  Value x = call.value(node.input(0));
  const int64_t axis = axisOf(node, call, x);
  if (!isFloating(call.dtypeOf(x)))
    x = call.cast(x, DType::Float32);
  const Value scale =
      beside(node, call, call.cast(call.value(node.input(1)), call.dtypeOf(x)), x, axis);
  Value y = call.g.round(call.g.div(x, scale));
  if (node.has(2))
    y = call.g.add(
        y, beside(node, call, call.cast(call.value(node.input(2)), call.dtypeOf(x)), x, axis));
  return one(call.tensor(saturated(call, y, dtype)));
}

Values dequantize(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value scale = call.value(node.input(1));
  const DType dtype = call.dtypeOf(scale);
  const Value integers = call.value(node.input(0));
  const int64_t axis = axisOf(node, call, integers);
  // Exact: differences of integers of 16 bits are no longer than 24.
  Value x = call.cast(integers, DType::Int32);
  if (node.has(2))
    x = call.g.sub(x,
                   beside(node, call, call.cast(call.value(node.input(2)), DType::Int32), x, axis));
  const Value y = call.cast(x, dtype);
  return one(call.tensor(call.g.mul(y, beside(node, call, scale, y, axis))));
}

// To uint8 with the scale and zero point that the numbers ask for.
Values dynamicQuantize(ModelNode &node) {
  Call call("load_onnx", node.place);
  auto &g = call.g;
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
  const Value point =
      saturated(call, g.round(g.maximum(g.minimum(exact, most), zero)), DType::UInt8);
  const Value y = g.add(g.round(g.div(x, g.broadcastScalar(scale, ir::getShape(x)))),
                        g.broadcastScalar(call.cast(point, call.dtypeOf(x)), ir::getShape(x)));
  Values values = one(call.tensor(saturated(call, y, DType::UInt8)));
  values.emplace_back(call.tensor(scale));
  values.emplace_back(call.tensor(point));
  return values;
}

// Less its zero point, in int32; `axis` is that of a vector of them.
Tensor centred(ModelNode &node, size_t operand, size_t zeroPoint, int64_t axis) {
  Call call("load_onnx", node.place);
  const Value x = call.cast(call.value(node.input(operand)), DType::Int32);
  if (!node.has(zeroPoint))
    return call.tensor(x);
  const Value zero = call.cast(call.value(node.input(zeroPoint)), DType::Int32);
  return call.tensor(call.g.sub(x, beside(node, call, zero, x, axis)));
}

// Sums in int32 to the output's integers: a product of scales, divided by the output's.
Values requantized(ModelNode &node, const Tensor &sums, int64_t axisOfScales) {
  const DType dtype = outputType(node, 7);
  Call call("load_onnx", node.place);
  const Value y = call.cast(call.value(sums), DType::Float32);
  auto scale = [&](size_t i) {
    return beside(node, call, call.cast(call.value(node.input(i)), DType::Float32), y,
                  axisOfScales);
  };
  const Value factor = call.g.div(call.g.mul(scale(1), scale(4)), scale(6));
  Value scaled = call.g.round(call.g.mul(y, factor));
  if (node.has(7))
    scaled =
        call.g.add(scaled, beside(node, call, call.cast(call.value(node.input(7)), DType::Float32),
                                  y, axisOfScales));
  return one(call.tensor(saturated(call, scaled, dtype)));
}

Values quantizedMatMul(ModelNode &node) {
  const Tensor sums = exactProduct(node, {0, 2}, {3, 5});
  return requantized(node, sums, sums.ndim() - 1);
}

Values quantizedConv(ModelNode &node) {
  Tensor sums = convolve(node, centred(node, 0, 2, 1), centred(node, 3, 5, 0));
  if (node.has(8)) {
    Call call("load_onnx", node.place);
    const Value y = call.value(sums);
    sums = call.tensor(
        call.g.add(y, call.g.broadcast(call.value(node.input(8)), ir::getShape(y), {1})));
  }
  return requantized(node, sums, 1);
}

const OpRecord records[] = {
    {"DequantizeLinear", dequantize}, {"DynamicQuantizeLinear", dynamicQuantize},
    {"QLinearConv", quantizedConv},   {"QLinearMatMul", quantizedMatMul},
    {"QuantizeLinear", quantize},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::quantizationOps() { return records; }
