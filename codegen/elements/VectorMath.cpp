#include "codegen/elements/VectorMath.h"

#include "codegen/elements/VectorMathKernels.h"
#include "codegen/llvm/SharedFunction.h"

#include <tuple>

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

template <typename Function>
Value VectorMath::viaSingle(Value x, Value y, Value z, Function function) const {
  VectorExpr third(emit, z);
  return viaSingle(x, y, [&](const VectorExpr &first, const VectorExpr &second) {
    return function(first, second, kernels::castFloatToFloat(third, first.element()));
  });
}

// keratin_tanh_8xf32
static std::string nameOf(llvm::StringRef function, mlir::Type type) {
  std::string text = ("keratin_" + function + "_").str();
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    text += std::to_string(vector.getNumElements()) + "x";
  return text + "f" + std::to_string(mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth());
}

template <typename Function, typename... Operands>
Value VectorMath::shared(llvm::StringRef name, Function function, Operands... operands) const {
  return viaSingle(operands..., [&](const auto &...x) -> VectorExpr {
    if (!emit.target.callsMath)
      return function(x...);
    const Value values[] = {x...};
    const mlir::Type type = values[0].getType();
    auto body = [&](mlir::OpBuilder &builder, mlir::ValueRange p) -> llvm::SmallVector<Value> {
      EmitContext inside{builder, emit.loc, emit.target};
      size_t i = 0;
      // Braces: in this order.
      std::tuple parameters{((void)x, VectorExpr(inside, p[i++]))...};
      return {std::apply(function, parameters)};
    };
    return {emit, callShared(emit.builder, emit.loc, nameOf(name, type), values, type, body)[0]};
  });
}

Value VectorMath::exp(Value x) const { return shared("exp", kernels::exp, x); }
Value VectorMath::expOfNotPositive(Value x) const {
  return shared("expOfNotPositive", kernels::expOfNotPositive, x);
}
Value VectorMath::expm1(Value x) const { return shared("expm1", kernels::expm1, x); }
Value VectorMath::log(Value x) const { return shared("log", kernels::log, x); }
Value VectorMath::log1p(Value x) const { return shared("log1p", kernels::log1p, x); }
Value VectorMath::sqrt(Value x) const { return viaSingle(x, squareRoot); }
Value VectorMath::rsqrt(Value x) const {
  return viaSingle(x, [](const VectorExpr &v) { return 1.0 / squareRoot(v); });
}

Value VectorMath::pow(Value x, Value y) const { return shared("pow", kernels::pow, x, y); }
Value VectorMath::multiplyAdd(Value x, Value y, Value z) const {
  return fma(VectorExpr(emit, x), VectorExpr(emit, y), VectorExpr(emit, z));
}
Value VectorMath::floorDiv(Value x, Value y) const {
  return shared("floorDiv", kernels::floorDiv, x, y);
}
Value VectorMath::floorMod(Value x, Value y) const {
  return shared("floorMod", kernels::floorMod, x, y);
}

Value VectorMath::sin(Value x) const { return shared("sin", kernels::sin, x); }
Value VectorMath::cos(Value x) const { return shared("cos", kernels::cos, x); }
Value VectorMath::tan(Value x) const { return shared("tan", kernels::tan, x); }
Value VectorMath::atan(Value x) const { return shared("atan", kernels::atan, x); }
Value VectorMath::tanh(Value x) const { return shared("tanh", kernels::tanh, x); }
Value VectorMath::sigmoid(Value x) const { return shared("sigmoid", kernels::sigmoid, x); }
Value VectorMath::softplus(Value x) const { return shared("softplus", kernels::softplus, x); }
Value VectorMath::erf(Value x) const { return shared("erf", kernels::erf, x); }
Value VectorMath::erfc(Value x) const { return shared("erfc", kernels::erfc, x); }
Value VectorMath::erfinv(Value x) const { return shared("erfinv", kernels::erfinv, x); }
Value VectorMath::lgamma(Value x) const { return shared("lgamma", kernels::lgamma, x); }
Value VectorMath::digamma(Value x) const { return shared("digamma", kernels::digamma, x); }
Value VectorMath::zeta(Value s, Value q) const { return shared("zeta", kernels::zeta, s, q); }
Value VectorMath::besselI0e(Value x) const { return shared("besselI0e", kernels::besselI0e, x); }
Value VectorMath::besselI1e(Value x) const { return shared("besselI1e", kernels::besselI1e, x); }
Value VectorMath::igamma(Value a, Value x) const { return shared("igamma", kernels::igamma, a, x); }
Value VectorMath::igammac(Value a, Value x) const {
  return shared("igammac", kernels::igammac, a, x);
}
Value VectorMath::gammaSampleGradient(Value a, Value x) const {
  return shared("gammaSampleGradient", kernels::gammaSampleGradient, a, x);
}
Value VectorMath::betainc(Value a, Value b, Value x) const {
  return shared("betainc", kernels::betainc, a, b, x);
}
Value VectorMath::betaSampleGradient(Value a, Value b, Value x) const {
  return shared("betaSampleGradient", kernels::betaSampleGradient, a, b, x);
}
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
