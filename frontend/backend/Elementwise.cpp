// K functions that work element by element.
#include "keratin/elementwise.h"

#include "frontend/backend/ComplexFunctions.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/values/Elements.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;
using ir::Comparison;
using ir::GraphMath;

// Bools as zeros and ones of another dtype.
static Value withoutBools(Call &call, llvm::ArrayRef<Value> values, DType numbers,
                          llvm::function_ref<Value(llvm::ArrayRef<Value>)> compute) {
  if (call.dtypeOf(values.front()) != DType::Bool)
    return compute(values);
  std::vector<Value> cast;
  for (Value x : values)
    cast.push_back(call.cast(x, numbers));
  return call.cast(compute(cast), DType::Bool);
}

Value frontend::asNumbers(Call &call, Value a, Value b,
                          llvm::function_ref<Value(Value, Value)> compute) {
  return withoutBools(call, {a, b}, DType::Int32,
                      [&](llvm::ArrayRef<Value> xs) { return compute(xs[0], xs[1]); });
}

Value frontend::asSummands(Call &call, Value a, Value b,
                           llvm::function_ref<Value(Value, Value)> compute) {
  return asSummands(call, {a, b}, [&](llvm::ArrayRef<Value> xs) { return compute(xs[0], xs[1]); });
}

// Linear in each value, so in the parts of the i-th, which is complex.
static Value asRealSummands(Call &call, llvm::ArrayRef<Value> values, size_t i,
                            llvm::function_ref<Value(llvm::ArrayRef<Value>)> compute) {
  std::vector<Value> others(values);
  auto with = [&](Value part) {
    others[i] = part;
    return asSummands(call, others, compute);
  };
  if (Value real = realOfCast(values[i])) {
    Value sum = with(real);
    return isComplex(call, sum) ? sum : complexOf(call, {sum, call.g.zeroLike(sum)});
  }
  const ComplexParts parts = partsOf(call, values[i]);
  Value re = with(parts.re), im = with(parts.im);
  if (!isComplex(call, re))
    return complexOf(call, {re, im});
  const ComplexParts a = partsOf(call, re), b = partsOf(call, im); // re + i im
  return complexOf(call, {call.g.sub(a.re, b.im), call.g.add(a.im, b.re)});
}

Value frontend::asSummands(Call &call, llvm::ArrayRef<Value> values,
                           llvm::function_ref<Value(llvm::ArrayRef<Value>)> compute) {
  for (size_t i = 0; i < values.size(); ++i)
    if (isComplex(call, values[i]))
      return asRealSummands(call, values, i, compute);
  return withoutBools(call, values, DType::Float32, compute);
}

std::pair<Value, Value> frontend::binaryFloats(Call &call, const Operand &x, const Operand &y) {
  auto [a, b] = call.binary(x, y);
  if (isFloating(call.dtypeOf(a)) || isComplex(call, a))
    return {a, b};
  return {call.cast(a, Configuration::floatx()), call.cast(b, Configuration::floatx())};
}

std::vector<Value> frontend::floatsOfOneShape(Call &call, const std::vector<Operand> &operands) {
  std::vector<Value> values = call.promoted(operands);
  ir::Shape shape;
  for (Value &value : values) {
    if (!isFloating(call.dtypeOf(value)))
      value = call.cast(value, Configuration::floatx());
    shape = call.broadcastShape(shape, ir::getShape(value));
  }
  for (Value &value : values)
    value = call.broadcastTo(value, shape);
  return values;
}

Tensor frontend::elementwise(const char *function, UnaryMethod method, const Operand &operand,
                             FloatRule rule, SourceLocation location) {
  Call call(function, location);
  Value x = rule == FloatRule::CastToFloat ? call.floating(operand) : call.value(operand);
  if (isComplex(call, x))
    return call.tensor(complexFunction(call, function, x));
  return call.tensor(asNumbers(call, x, x, [&](Value a, Value) { return (call.g.*method)(a); }));
}

Tensor frontend::arithmetic(const char *function, BinaryMethod method, const Operand &x,
                            const Operand &y, SourceLocation location) {
  Call call(function, location);
  auto [a, b] = call.binary(x, y);
  // Of complex numbers the other methods are ops of both parts.
  if (isComplex(call, a) && method == &GraphMath::mul)
    return call.tensor(complexProduct(call, a, b));
  return call.tensor(
      asNumbers(call, a, b, [&](Value u, Value v) { return (call.g.*method)(u, v); }));
}

Tensor frontend::comparison(const char *function, Comparison direction, const Operand &x,
                            const Operand &y, SourceLocation location) {
  Call call(function, location);
  auto [a, b] = call.binary(x, y);
  if (!isComplex(call, a))
    return call.tensor(call.g.compare(direction, a, b));
  // Equal, or not: there is no order.
  const ComplexParts u = partsOf(call, a), v = partsOf(call, b);
  Value re = call.g.compare(direction, u.re, v.re), im = call.g.compare(direction, u.im, v.im);
  return call.tensor(direction == Comparison::EQ ? call.g.and_(re, im) : call.g.or_(re, im));
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

// Integers are unchanged.
static Tensor wholeNumber(const char *function, UnaryMethod method, const Operand &operand,
                          SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  return call.tensor(isFloating(call.dtypeOf(x)) ? (call.g.*method)(x) : x);
}

Tensor floor(const Operand &x, SourceLocation location) {
  return wholeNumber("floor", &GraphMath::floor, x, location);
}

Tensor ceil(const Operand &x, SourceLocation location) {
  return wholeNumber("ceil", &GraphMath::ceil, x, location);
}

Tensor where(const Operand &condition, const Operand &x, const Operand &y,
             SourceLocation location) {
  Call call("where", location);
  auto [a, b] = call.promoted(x, y);
  Value chosen = call.value(condition, DType::Bool);
  ir::Shape shape = call.broadcastShape(ir::getShape(chosen),
                                        call.broadcastShape(ir::getShape(a), ir::getShape(b)));
  return call.tensor(call.g.select(call.broadcastTo(chosen, shape), call.broadcastTo(a, shape),
                                   call.broadcastTo(b, shape)));
}

Tensor square(const Operand &operand, SourceLocation location) {
  Call call("square", location);
  Value x = call.value(operand);
  if (isComplex(call, x))
    return call.tensor(complexProduct(call, x, x));
  return call.tensor(asNumbers(call, x, x, [&](Value u, Value v) { return call.g.mul(u, v); }));
}

Tensor sqrt(const Operand &operand, SourceLocation location) {
  Call call("sqrt", location);
  Value x = call.floating(operand);
  if (isComplex(call, x))
    return call.tensor(complexSquareRoot(call, x));
  return call.tensor(call.g.sqrt(call.g.maximum(x, call.g.zeroLike(x))));
}

Tensor pow(const Operand &x, const Operand &a, SourceLocation location) {
  Call call("pow", location);
  auto [base, exponent] = call.binary(x, a);
  if (isComplex(call, base)) {
    // Of whole powers that are not too many products, these are more exact.
    constexpr double mostProducts = 100;
    if (a.kind() == Operand::Kind::Integer && std::abs(a.number()) <= mostProducts)
      return call.tensor(complexPower(call, base, int64_t(a.number())));
    return call.tensor(complexPower(call, base, exponent));
  }
  if (isInteger(call.dtypeOf(base)) && (a.isNumber() || a.kind() == Operand::Kind::Array))
    for (int64_t i = 0; i < a.array().size(); ++i)
      if (compareElements(a.array(), i, Array(0)) < 0)
        call.valueError("an integer to a negative power; found exponent " +
                        elementText(a.array(), i) + "; needed 0 or more");
  return call.tensor(
      asNumbers(call, base, exponent, [&](Value u, Value v) { return call.g.pow(u, v); }));
}

// An integer tensor in another integer dtype; what is beyond its range becomes its end.
static Value limitedTo(Call &call, Value x, DType dtype) {
  auto end = [&](const Array &number) { // none that the tensor's dtype does not reach
    return firstMisfit(number, call.dtypeOf(x))
               ? Value()
               : call.broadcastTo(call.literal(number, call.dtypeOf(x)), ir::getShape(x));
  };
  if (Value least = end(leastOf(dtype)))
    x = call.g.maximum(x, least);
  if (Value greatest = end(greatestOf(dtype)))
    x = call.g.minimum(x, greatest);
  return call.cast(x, dtype);
}

// A bound in x's dtype and shape. Of integers it may lie beyond the range, where it bounds nothing;
// on the other side no integer would be left.
static Value bound(Call &call, Value x, const Operand &operand, const char *name, bool isLower) {
  DType dtype = call.dtypeOf(x);
  Value value;
  if (!isInteger(dtype)) {
    value = call.value(operand, dtype);
  } else if (operand.isNumber() || operand.kind() == Operand::Kind::Array) {
    const Array &numbers = operand.array();
    call.checkKeepsParts(numbers, dtype);
    for (int64_t i = 0; i < numbers.size(); ++i) {
      Fit fit = fitOf(numbers, i, dtype);
      if (fit != Fit::Inside && fit != (isLower ? Fit::Below : Fit::Above))
        call.valueError(std::string(name) + " is " + elementText(numbers, i) + "; no " +
                        dtypeName(dtype) + " is at " + (isLower ? "least" : "most") + " that");
    }
    value = call.literal(saturated(numbers, dtype));
  } else {
    value = call.value(operand);
    value =
        isInteger(call.dtypeOf(value)) ? limitedTo(call, value, dtype) : call.cast(value, dtype);
  }
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
  if (min_value.isNumber() && max_value.isNumber() &&
      compareElements(max_value.array(), 0, min_value.array()) < 0)
    high = min_value;
  if (!high.isNone())
    x = call.g.minimum(x, bound(call, x, high, "max_value", false));
  if (!min_value.isNone())
    x = call.g.maximum(x, bound(call, x, min_value, "min_value", true));
  return call.tensor(x);
}

Tensor cast(const Operand &x, DTypeArgument dtype, SourceLocation location) {
  Call call("cast", location);
  if (std::optional<SparseParts> parts = sparseParts(x)) {
    parts->values = call.cast(parts->values, dtype.valueOr(Configuration::floatx()));
    return call.tensor(sparseMatrix(call, *parts));
  }
  DType type = dtype.valueOr(Configuration::floatx());
  // On the host, so that a double keeps its digits on the way to float64.
  if (x.isNumber() || x.kind() == Operand::Kind::Array) {
    call.checkKeepsParts(x.array(), type);
    return call.tensor(call.literal(x.array().astype(type)));
  }
  Value y = call.cast(call.value(x), type);
  // A value of its own, which realOfCast does not look through: gradients may be taken with respect
  // to it.
  if (y.getDefiningOp<ir::ComplexOp>())
    y = call.builder.create<ir::IdentityOp>(call.g.location(), y);
  return call.tensor(y);
}

Tensor floor_divide(const Operand &x, const Operand &y, SourceLocation location) {
  Call call("floor_divide", location);
  auto [a, b] = call.binary(x, y);
  if (call.dtypeOf(a) == DType::Bool) {
    a = call.cast(a, DType::Int32);
    b = call.cast(b, DType::Int32);
  }
  return call.tensor(call.builder.create<ir::FloorDivOp>(call.g.location(), a, b));
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
