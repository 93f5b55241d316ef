// Ops of ONNX that compute element by element.
#include "keratin/elementwise.h"
#include "frontend/graph/ValueRange.h"
#include "frontend/onnx/ModelNode.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// The op of the dialect on x alone.
using Unary = Value (ir::GraphMath::*)(Value);
template <Unary method> Values unary(ModelNode &node) {
  Call call("load_onnx", node.place);
  return one(call.tensor((call.g.*method)(call.value(node.input(0)))));
}

template <Tensor (*function)(const Operand &, SourceLocation)> Values simple(ModelNode &node) {
  return one(function(node.input(0), node.place));
}

// Before opset 7 the second operand was fitted to the first from an axis on.
Tensor second(ModelNode &node, const Tensor &x) {
  Tensor y = node.input(1);
  if (node.opset >= 7 || !node.integer("broadcast", 0) || !node.hasAttribute("axis"))
    return y;
  Call call("load_onnx", node.place);
  Value value = call.value(y);
  ir::Shape shape = ir::getShape(value);
  const int64_t axis = node.axis(node.integer("axis"), x.ndim());
  while (axis + int64_t(shape.size()) < x.ndim())
    shape.push_back(1);
  return call.tensor(call.g.reshape(value, shape));
}

using Binary = Tensor (*)(const Operand &, const Operand &, SourceLocation);
template <Binary function> Values binary(ModelNode &node) {
  Tensor x = node.input(0);
  return one(function(x, second(node, x), node.place));
}

// Both with the shape of their broadcast.
template <typename Compute> Values joined(ModelNode &node, Compute compute) {
  Tensor x = node.input(0);
  Call call("load_onnx", node.place);
  auto [a, b] = call.binary(x, second(node, x));
  return one(call.tensor(compute(call, a, b)));
}

using Two = Value (ir::GraphMath::*)(Value, Value);
template <Two method> Values arithmetic(ModelNode &node) {
  return joined(node, [](Call &call, Value a, Value b) { return (call.g.*method)(a, b); });
}

Value zerosLike(Call &call, Value x) { return call.like(x, 0); }

// Of integers the quotient is cut off.
Values divide(ModelNode &node) {
  return joined(node, [](Call &call, Value a, Value b) -> Value {
    if (isFloating(call.dtypeOf(a)))
      return call.g.div(a, b);
    const Value down = call.g.floorDiv(a, b), zero = zerosLike(call, a);
    // Sizes remain formulas, (size - 1) / 16 too.
    ValueRanges ranges(call.graph);
    const ValueRange from = ranges.of(a), by = ranges.of(b);
    if (from.isAtLeast(0) && by.isAtLeast(0))
      return down;
    if (by.isAtLeast(1) && by.least->isConstant() && from.isAtLeast(1 - by.least->constantValue()))
      return call.g.floorDiv(call.g.maximum(a, zero), b);
    // One more where it is negative and leaves something.
    const Value isNegative = call.g.less(call.g.mul(call.g.sign(a), call.g.sign(b)), zero);
    const Value leaves = call.g.notEqual(call.g.mul(down, b), a);
    return call.g.select(call.g.and_(isNegative, leaves), call.g.add(down, call.like(a, 1)), down);
  });
}

Values modulo(ModelNode &node) {
  const bool ofDividend = node.integer("fmod", 0);
  return joined(node, [&](Call &call, Value a, Value b) -> Value {
    if (!ofDividend)
      return call.g.mod(a, b);
    const Value positive = call.g.mod(call.g.abs(a), call.g.abs(b));
    return call.g.select(call.g.less(a, zerosLike(call, a)), call.g.neg(positive), positive);
  });
}

// Of the dtype of the base.
Values power(ModelNode &node) {
  Tensor x = node.input(0), y = second(node, x);
  const DType dtype = x.dtype();
  if (isFloating(dtype) || !isFloating(y.dtype()))
    return one(K::cast(K::pow(x, K::cast(y, dtype, node.place), node.place), dtype, node.place));
  const DType wide = DType::Float64;
  return one(K::cast(K::pow(K::cast(x, wide, node.place), K::cast(y, wide, node.place), node.place),
                     dtype, node.place));
}

Values reciprocal(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  return one(call.tensor(call.g.div(call.like(x, 1), x)));
}

Values negate(ModelNode &node) {
  Call call("load_onnx", node.place);
  return one(call.tensor(call.g.neg(call.value(node.input(0)))));
}

// Of any number of operands.
template <Two method> Values fold(ModelNode &node) {
  Tensor all = node.input(0);
  for (size_t i = 1; i < node.inputCount(); ++i) {
    Call call("load_onnx", node.place);
    auto [a, b] = call.binary(all, node.input(i));
    all = call.tensor((call.g.*method)(a, b));
  }
  return one(all);
}

Values mean(ModelNode &node) {
  Tensor sum = fold<&ir::GraphMath::add>(node).front().tensor(node.place);
  Call call("load_onnx", node.place);
  const Value x = call.value(sum);
  return one(call.tensor(call.g.div(x, call.like(x, double(node.inputCount())))));
}

template <ir::Comparison direction> Values compare(ModelNode &node) {
  return joined(node, [](Call &call, Value a, Value b) { return call.g.compare(direction, a, b); });
}

Values shift(ModelNode &node) {
  const std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    node.fail("has direction '" + direction + "'; needed LEFT or RIGHT");
  return joined(node, [&](Call &call, Value a, Value b) {
    return direction == "LEFT" ? call.g.shiftLeft(a, b) : call.g.shiftRight(a, b);
  });
}

Values isNan(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  return one(call.tensor(call.g.notEqual(x, x)));
}

Values isInfinite(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const double infinity = std::numeric_limits<double>::infinity();
  Value found = call.g.and_(call.g.equal(x, x), call.g.not_(call.g.isFinite(x)));
  if (!node.integer("detect_positive", 1))
    found = call.g.equal(x, call.like(x, -infinity));
  if (!node.integer("detect_negative", 1)) {
    const Value positive = call.g.equal(x, call.like(x, infinity));
    found = node.integer("detect_positive", 1) ? positive : call.g.and_(found, positive);
  }
  return one(call.tensor(found));
}

Values where(ModelNode &node) {
  return one(K::where(node.input(0), node.input(1), node.input(2), node.place));
}

Values castOf(ModelNode &node, ElementType type) {
  if (const Array *array = node.constant(0); array && !type.isNarrow())
    return one(array->astype(type.dtype));
  Call call("load_onnx", node.place);
  return one(ModelValue(call.tensor(castTo(call, call.value(node.input(0)), type)), type.bits));
}

Values cast(ModelNode &node) {
  const int64_t to = node.integer("to");
  const std::optional<ElementType> type = elementTypeOf(to);
  if (!type)
    node.notImplemented("a cast to " + elementTypeName(to));
  return castOf(node, *type);
}

Values castLike(ModelNode &node) { return castOf(node, node.elementType(1)); }

Values clip(ModelNode &node) {
  Tensor x = node.input(0);
  if (node.opset < 11) {
    Call call("load_onnx", node.place);
    Value value = call.value(x);
    if (node.hasAttribute("max"))
      value = call.g.minimum(value, call.like(value, node.number("max", 0)));
    if (node.hasAttribute("min"))
      value = call.g.maximum(value, call.like(value, node.number("min", 0)));
    return one(call.tensor(value));
  }
  // The upper bound wins.
  if (node.has(1))
    x = K::maximum(x, node.input(1), node.place);
  if (node.has(2))
    x = K::minimum(x, node.input(2), node.place);
  return one(x);
}

//===-- Functions of others -------------------------------------------------------------------===//

template <Value (*formula)(Call &, Value)> Values composed(ModelNode &node) {
  Call call("load_onnx", node.place);
  return one(call.tensor(formula(call, call.value(node.input(0)))));
}

// (e + e / (e + 1)) / 2 of e = exp(x) - 1: exact near 0.
Value sinh(Call &call, Value x) {
  auto &g = call.g;
  const Value magnitude = g.abs(x), e = g.expm1(magnitude);
  // e / (e + 1) is 1 where e is infinite.
  const Value part = g.sub(call.like(x, 1), g.exp(g.neg(magnitude)));
  const Value near = g.div(e, g.add(e, call.like(x, 1)));
  const Value small = g.less(magnitude, call.like(x, 1));
  const Value positive = g.scale(g.add(e, g.select(small, near, part)), 0.5);
  return g.select(g.less(x, call.like(x, 0)), g.neg(positive), positive);
}
Value cosh(Call &call, Value x) {
  return call.g.scale(call.g.add(call.g.exp(x), call.g.exp(call.g.neg(x))), 0.5);
}
// atan(x / sqrt(1 - x^2)).
Value asin(Call &call, Value x) {
  auto &g = call.g;
  const Value unit = call.like(x, 1);
  return g.atan(g.div(x, g.sqrt(g.mul(g.sub(unit, x), g.add(unit, x)))));
}
// 2 atan(sqrt((1 - x) / (1 + x))).
Value acos(Call &call, Value x) {
  auto &g = call.g;
  const Value unit = call.like(x, 1);
  return g.scale(g.atan(g.sqrt(g.div(g.sub(unit, x), g.add(unit, x)))), 2);
}
// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))), with the sign of x.
Value asinh(Call &call, Value x) {
  auto &g = call.g;
  const Value unit = call.like(x, 1), magnitude = g.abs(x), square = g.mul(x, x);
  const Value root = g.sqrt(g.add(square, unit));
  const Value positive = g.log1p(g.add(magnitude, g.div(square, g.add(unit, root))));
  return g.select(g.less(x, call.like(x, 0)), g.neg(positive), positive);
}
// log1p(t + sqrt(2 t + t^2)) of t = x - 1.
Value acosh(Call &call, Value x) {
  auto &g = call.g;
  const Value t = g.sub(x, call.like(x, 1));
  return g.log1p(g.add(t, g.sqrt(g.mul(t, g.add(t, call.like(x, 2))))));
}
// log1p(2 x / (1 - x)) / 2.
Value atanh(Call &call, Value x) {
  auto &g = call.g;
  return g.scale(g.log1p(g.div(g.scale(x, 2), g.sub(call.like(x, 1), x))), 0.5);
}

using Math = ir::GraphMath;
using ir::Comparison;

const OpRecord elementwiseRecords[] = {
    {"Abs", unary<&Math::abs>},
    {"Acos", composed<acos>},
    {"Acosh", composed<acosh>},
    {"Add", arithmetic<&Math::add>},
    {"And", arithmetic<&Math::and_>},
    {"Asin", composed<asin>},
    {"Asinh", composed<asinh>},
    {"Atan", unary<&Math::atan>},
    {"Atanh", composed<atanh>},
    {"BitShift", shift},
    {"BitwiseAnd", arithmetic<&Math::and_>},
    {"BitwiseNot", unary<&Math::not_>},
    {"BitwiseOr", arithmetic<&Math::or_>},
    {"BitwiseXor", arithmetic<&Math::xor_>},
    {"Cast", cast, "", Narrow::Known},
    {"CastLike", castLike, "", Narrow::Known},
    {"Ceil", unary<&Math::ceil>},
    {"Clip", clip},
    {"Cos", unary<&Math::cos>},
    {"Cosh", composed<cosh>},
    {"Div", divide},
    {"Equal", compare<Comparison::EQ>},
    {"Erf", unary<&Math::erf>},
    {"Exp", unary<&Math::exp>},
    {"Floor", unary<&Math::floor>},
    {"Greater", compare<Comparison::GT>},
    {"GreaterOrEqual", compare<Comparison::GE>},
    {"IsInf", isInfinite},
    {"IsNaN", isNan},
    {"Less", compare<Comparison::LT>},
    {"LessOrEqual", compare<Comparison::LE>},
    {"Log", unary<&Math::log>},
    {"Max", fold<&Math::maximum>},
    {"Mean", mean},
    {"Min", fold<&Math::minimum>},
    {"Mod", modulo},
    {"Mul", arithmetic<&Math::mul>},
    {"Neg", negate},
    {"Not", unary<&Math::not_>},
    {"Or", arithmetic<&Math::or_>},
    {"Pow", power},
    {"Reciprocal", reciprocal},
    {"Round", unary<&Math::round>},
    {"Sign", unary<&Math::sign>},
    {"Sin", unary<&Math::sin>},
    {"Sinh", composed<sinh>},
    {"Sqrt", unary<&Math::sqrt>},
    {"Sub", arithmetic<&Math::sub>},
    {"Sum", fold<&Math::add>},
    {"Tan", unary<&Math::tan>},
    {"Where", where},
    {"Xor", arithmetic<&Math::xor_>},
};

} // namespace

Value keratin::frontend::onnx_models::castTo(Call &call, Value x, ElementType type) {
  auto &g = call.g;
  if (!type.isNarrow())
    return call.cast(x, type.dtype);
  if (isFloating(call.dtypeOf(x)))
    x = call.cast(x, DType::Int32);
  const Value bytes = call.cast(x, type.dtype);
  const Value low = g.and_(bytes, call.like(bytes, double((1 << type.bits) - 1)));
  if (type.dtype == DType::UInt8)
    return low;
  // The highest of the bits is the sign.
  const Value sign = call.like(bytes, double(1 << (type.bits - 1)));
  return g.sub(g.xor_(low, sign), sign);
}

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::elementwiseOps() {
  return elementwiseRecords;
}
