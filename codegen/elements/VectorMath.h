// Our own math functions as vector code: no libm calls, no math dialect.
#ifndef KERATIN_CODEGEN_ELEMENTS_VECTORMATH_H
#define KERATIN_CODEGEN_ELEMENTS_VECTORMATH_H

#include "codegen/elements/VectorExpr.h"

#include <array>

namespace keratin::codegen {

// Every function takes scalars or one-dimensional vectors of any number of lanes and gives the same
// type. Floats are f32 or f64; f16 and bf16 are accepted by all float functions, computed in f32
// and rounded once more. NaN, infinities, signed zeros and denormals give what C99 annex F says;
// the errors are in docs/vector-math.md. Works in the default floating-point environment: round to
// nearest, denormals kept.
//
// sin, cos and tan emit an scf.if for arguments beyond 1e5 (f32) or 8e6 (f64), floorMod an
// scf.while for quotients beyond 2^23 or 2^52, zeta an scf.for over the first terms, the incomplete
// functions and the gradients of samples an scf.while over a series or a fraction; the rest is free
// of branches.
//
// With ElementTarget::callsMath, functions of more than a few instructions are functions of the
// module (callShared), one for each type, with the same results.
class VectorMath {
public:
  using Value = mlir::Value;

  VectorMath(mlir::OpBuilder &builder, mlir::Location loc, const ElementTarget &target)
      : emit{builder, loc, target} {}

  Value exp(Value x) const;
  Value expOfNotPositive(Value x) const; // the same bits, of x <= 0 or NaN
  Value expm1(Value x) const;
  Value log(Value x) const;
  Value log1p(Value x) const;
  Value pow(Value x, Value y) const;
  Value sqrt(Value x) const;
  Value rsqrt(Value x) const; // 1 / sqrt(x), each rounded
  // x * y + z of f32 or f64, rounded once if the machine can.
  Value multiplyAdd(Value x, Value y, Value z) const;

  Value sin(Value x) const;
  Value cos(Value x) const;
  Value tan(Value x) const;
  Value atan(Value x) const;

  Value tanh(Value x) const;
  Value sigmoid(Value x) const;  // 1 / (1 + exp(-x))
  Value softplus(Value x) const; // log(1 + exp(x))
  Value erf(Value x) const;
  Value erfc(Value x) const; // 1 - erf(x)
  Value erfinv(Value x) const;

  Value lgamma(Value x) const; // log |gamma(x)|
  Value digamma(Value x) const;
  // Of Hurwitz: the sum of (q + k)^-s over k = 0, 1, ...
  Value zeta(Value s, Value q) const;
  // e^-|x| times the modified Bessel functions of order 0 and 1.
  Value besselI0e(Value x) const;
  Value besselI1e(Value x) const;
  // The incomplete gamma function, regularized, and 1 minus that.
  Value igamma(Value a, Value x) const;
  Value igammac(Value a, Value x) const;
  // How x changes with a where igamma(a, x) stays as it is.
  Value gammaSampleGradient(Value a, Value x) const;
  // The incomplete beta function, regularized.
  Value betainc(Value a, Value b, Value x) const;
  // How x changes with a where betainc(a, b, x) stays as it is.
  Value betaSampleGradient(Value a, Value b, Value x) const;

  Value floor(Value x) const;
  Value ceil(Value x) const;
  Value roundEven(Value x) const;
  Value trunc(Value x) const;
  // Floats and signed integers; abs of the least integer is itself.
  Value abs(Value x) const;
  // -1, 0 or 1; of floats: keeps -0 and NaN.
  Value sign(Value x) const;

  // Python's // and % of floats. The remainder is the exact one, with the sign of y, rounded once;
  // 0 has the sign of y too. The quotient is the exact one rounded towards minus infinity, or to
  // the nearest number where it has more bits than the format. By 0: as x / y, and NaN.
  Value floorDiv(Value x, Value y) const;
  Value floorMod(Value x, Value y) const;
  // Integers of 8 to 64 bits, towards minus infinity. Nothing traps: x / 0 and x mod 0 are 0, min /
  // -1 is min.
  Value floorDiv(Value x, Value y, bool isSigned) const;
  Value floorMod(Value x, Value y, bool isSigned) const;
  // The upper half of the unsigned product.
  Value mulHighUnsigned(Value x, Value y) const;

  // Float to integer: towards zero, saturating, NaN gives 0. The result has the shape of x.
  Value castFloatToInt(Value x, mlir::Type resultType, bool isSigned) const;
  // Between any two of f64, f32, f16, bf16: to nearest even in one rounding, NaN stays NaN,
  // denormals are kept.
  Value castFloatToFloat(Value x, mlir::Type resultType) const;

  // Philox4x32-10 on i32 lanes (Salmon et al., SC 2011): the random bits for a counter under a key.
  std::array<Value, 4> philox(std::array<Value, 4> counter, std::array<Value, 2> key) const;
  // The same for several counters, which become the bits. The rounds are a loop, all counters in
  // it: ten times less for LLVM, to whom the products of a round are a riddle that grows with each
  // round before.
  void philoxLoop(mlir::MutableArrayRef<std::array<Value, 4>> counters,
                  std::array<Value, 2> key) const;

private:
  // f as given for f32 and f64, which may be called by that name; for f16 and bf16 through f32.
  template <typename Function, typename... Operands>
  Value shared(llvm::StringRef name, Function f, Operands... operands) const;
  // The same, always in place.
  template <typename Function> Value viaSingle(Value x, Function f) const;
  template <typename Function> Value viaSingle(Value x, Value y, Function f) const;
  template <typename Function> Value viaSingle(Value x, Value y, Value z, Function f) const;

  EmitContext emit;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_VECTORMATH_H
