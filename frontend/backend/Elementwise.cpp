// K functions that work element by element.
#include "keratin/elementwise.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/graph/SparseParts.h"

using namespace keratin;
using namespace keratin::frontend;
using ir::Comparison;
using ir::GraphMath;

Value frontend::asNumbers(Call &call, Value a, Value b,
                          llvm::function_ref<Value(Value, Value)> compute) {
  if (call.dtypeOf(a) != DType::Bool)
    return compute(a, b);
  Value result = compute(call.cast(a, DType::Int32), call.cast(b, DType::Int32));
  return call.cast(result, DType::Bool);
}

Tensor frontend::elementwise(const char *function, UnaryMethod method, const Operand &operand,
                             FloatRule rule, SourceLocation location) {
  Call call(function, location);
  Value x = rule == FloatRule::CastToFloat ? call.floating(operand) : call.value(operand);
  return call.tensor(asNumbers(call, x, x, [&](Value a, Value) { return (call.g.*method)(a); }));
}

Tensor frontend::arithmetic(const char *function, BinaryMethod method, const Operand &x,
                            const Operand &y, SourceLocation location) {
  Call call(function, location);
  auto [a, b] = call.binary(x, y);
  return call.tensor(
      asNumbers(call, a, b, [&](Value u, Value v) { return (call.g.*method)(u, v); }));
}

Tensor frontend::comparison(const char *function, Comparison direction, const Operand &x,
                            const Operand &y, SourceLocation location) {
  Call call(function, location);
  auto [a, b] = call.binary(x, y);
  return call.tensor(call.g.compare(direction, a, b));
}

Value frontend::clip(Call &call, Value x, std::optional<double> low, std::optional<double> high) {
  if (high)
    x = call.g.minimum(x, call.like(x, *high));
  if (low)
    x = call.g.maximum(x, call.like(x, *low));
  return x;
}

namespace keratin::backend {

#include "frontend/generated/ElementwiseFunctions.cpp.inc"

Tensor square(const Operand &operand, SourceLocation location) {
  Call call("square", location);
  Value x = call.value(operand);
  return call.tensor(asNumbers(call, x, x, [&](Value u, Value v) { return call.g.mul(u, v); }));
}

Tensor sqrt(const Operand &operand, SourceLocation location) {
  Call call("sqrt", location);
  Value x = call.floating(operand);
  return call.tensor(call.g.sqrt(call.g.maximum(x, call.g.zeroLike(x))));
}

Tensor pow(const Operand &x, const Operand &a, SourceLocation location) {
  Call call("pow", location);
  auto [base, exponent] = call.binary(x, a);
  if (isInteger(call.dtypeOf(base)) && (a.isNumber() || a.kind() == Operand::Kind::Array))
    for (int64_t i = 0; i < a.array().size(); ++i)
      if (a.array().item<int64_t>(i) < 0)
        call.valueError("an integer to a negative power; found exponent " +
                        std::to_string(a.array().item<int64_t>(i)) + "; needed 0 or more");
  return call.tensor(
      asNumbers(call, base, exponent, [&](Value u, Value v) { return call.g.pow(u, v); }));
}

// A bound in x's dtype and shape.
static Value bound(Call &call, Value x, const Operand &operand, const char *name) {
  Value value = call.value(operand, call.dtypeOf(x));
  ir::Shape shape = ir::getShape(x);
  if (call.broadcastShape(shape, ir::getShape(value)) != shape)
    call.valueError(std::string(name) + " must not have more elements than x; found shapes " +
                    describe(value) + " and " + describe(x));
  return call.broadcastTo(value, shape);
}

Tensor clip(const Operand &operand, const Operand &min_value, const Operand &max_value,
            SourceLocation location) {
  Call call("clip", location);
  Value x = call.value(operand);
  if (call.dtypeOf(x) == DType::Bool)
    call.typeError("bool cannot be clipped; needed numbers");
  Operand high = max_value;
  if (min_value.isNumber() && max_value.isNumber() && max_value.number() < min_value.number())
    high = min_value;
  if (!high.isNone())
    x = call.g.minimum(x, bound(call, x, high, "max_value"));
  if (!min_value.isNone())
    x = call.g.maximum(x, bound(call, x, min_value, "min_value"));
  return call.tensor(x);
}

Tensor cast(const Operand &x, DTypeArgument dtype, SourceLocation location) {
  Call call("cast", location);
  if (std::optional<SparseParts> parts = sparseParts(x)) {
    parts->values = call.cast(parts->values, dtype.valueOr(Configuration::floatx()));
    return call.tensor(sparseMatrix(call, *parts));
  }
  return call.tensor(call.value(x, dtype.valueOr(Configuration::floatx())));
}

Tensor maximum(const Operand &x, const Operand &y, SourceLocation location) {
  Call call("maximum", location);
  auto [a, b] = call.binary(x, y);
  return call.tensor(call.dtypeOf(a) == DType::Bool ? call.g.or_(a, b) : call.g.maximum(a, b));
}

Tensor minimum(const Operand &x, const Operand &y, SourceLocation location) {
  Call call("minimum", location);
  auto [a, b] = call.binary(x, y);
  return call.tensor(call.dtypeOf(a) == DType::Bool ? call.g.and_(a, b) : call.g.minimum(a, b));
}

Tensor equal(const Operand &x, const Operand &y, SourceLocation location) {
  return comparison("equal", Comparison::EQ, x, y, location);
}
Tensor not_equal(const Operand &x, const Operand &y, SourceLocation location) {
  return comparison("not_equal", Comparison::NE, x, y, location);
}
Tensor greater(const Operand &x, const Operand &y, SourceLocation location) {
  return comparison("greater", Comparison::GT, x, y, location);
}
Tensor greater_equal(const Operand &x, const Operand &y, SourceLocation location) {
  return comparison("greater_equal", Comparison::GE, x, y, location);
}
Tensor less(const Operand &x, const Operand &y, SourceLocation location) {
  return comparison("less", Comparison::LT, x, y, location);
}
Tensor less_equal(const Operand &x, const Operand &y, SourceLocation location) {
  return comparison("less_equal", Comparison::LE, x, y, location);
}

} // namespace keratin::backend
