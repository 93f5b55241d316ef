#include "codegen/elements/VectorMath.h"

#include "codegen/elements/VectorMathKernels.h"

namespace keratin::codegen {

using mlir::Value;

template <typename Function> Value VectorMath::viaSingle(Value x, Function function) const {
  VectorExpr value(emit, x);
  if (value.width() != 16)
    return function(value);
  mlir::Type half = value.element();
  mlir::Type single = mlir::Float32Type::get(x.getContext());
  return kernels::castFloatToFloat(function(kernels::castFloatToFloat(value, single)), half);
}

template <typename Function>
Value VectorMath::viaSingle(Value x, Value y, Function function) const {
  VectorExpr second(emit, y);
  return viaSingle(x, [&](const VectorExpr &first) {
    return function(first, kernels::castFloatToFloat(second, first.element()));
  });
}

Value VectorMath::exp(Value x) const { return viaSingle(x, kernels::exp); }
Value VectorMath::expm1(Value x) const { return viaSingle(x, kernels::expm1); }
Value VectorMath::log(Value x) const { return viaSingle(x, kernels::log); }
Value VectorMath::log1p(Value x) const { return viaSingle(x, kernels::log1p); }
Value VectorMath::sqrt(Value x) const { return viaSingle(x, squareRoot); }
Value VectorMath::rsqrt(Value x) const {
  return viaSingle(x, [](const VectorExpr &v) { return 1.0 / squareRoot(v); });
}

Value VectorMath::pow(Value x, Value y) const { return viaSingle(x, y, kernels::pow); }
Value VectorMath::floorDiv(Value x, Value y) const { return viaSingle(x, y, kernels::floorDiv); }
Value VectorMath::floorMod(Value x, Value y) const { return viaSingle(x, y, kernels::floorMod); }

Value VectorMath::sin(Value x) const { return viaSingle(x, kernels::sin); }
Value VectorMath::cos(Value x) const { return viaSingle(x, kernels::cos); }
Value VectorMath::tan(Value x) const { return viaSingle(x, kernels::tan); }
Value VectorMath::atan(Value x) const { return viaSingle(x, kernels::atan); }
Value VectorMath::tanh(Value x) const { return viaSingle(x, kernels::tanh); }
Value VectorMath::sigmoid(Value x) const { return viaSingle(x, kernels::sigmoid); }
Value VectorMath::softplus(Value x) const { return viaSingle(x, kernels::softplus); }
Value VectorMath::erf(Value x) const { return viaSingle(x, kernels::erf); }
Value VectorMath::floor(Value x) const { return viaSingle(x, kernels::floor); }
Value VectorMath::ceil(Value x) const { return viaSingle(x, kernels::ceil); }
Value VectorMath::roundEven(Value x) const { return viaSingle(x, kernels::roundEven); }
Value VectorMath::trunc(Value x) const { return viaSingle(x, kernels::trunc); }

Value VectorMath::abs(Value x) const {
  VectorExpr value(emit, x);
  if (value.isFloat() && value.width() == 16)
    return (value.asInt() & 0x7fff).bitcast(value.type());
  return codegen::abs(value);
}

Value VectorMath::sign(Value x) const {
  VectorExpr value(emit, x);
  if (!value.isFloat())
    return arithmeticShift(value, value.width() - 1) | ((-value) >> (value.width() - 1));
  return viaSingle(
      x, [](const VectorExpr &v) { return select(v > 0.0, 1.0, select(v < 0.0, -1.0, v)); });
}

} // namespace keratin::codegen
