// Modified Bessel functions of the first kind, times e^-|x|: up to 8 polynomials in x^2, all of
// whose terms are positive, beyond in 1 / |x|, with a root.
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

namespace keratin::codegen::kernels {

static constexpr double largestSmall = 8;

// What is the same for both orders.
namespace {
struct BesselArgument {
  explicit BesselArgument(const VectorExpr &x)
      : magnitude(abs(x)), small(atMost(magnitude, largestSmall)), square(small * small),
        decay(expPrecise(-small)), isSmall(magnitude <= largestSmall),
        reciprocal(16.0 / magnitude - 1.0), root(squareRoot(magnitude)) {}

  VectorExpr magnitude;
  VectorExpr small, square, decay; // decay: e^-small
  VectorExpr isSmall;
  VectorExpr reciprocal, root; // 16 / |x| - 1
};
} // namespace

VectorExpr besselI0e(const VectorExpr &x) {
  BesselArgument of(x);
  VectorExpr small =
      polynomial(of.square, coefficients::besselI0Small64, coefficients::besselI0Small32);
  VectorExpr large =
      polynomial(of.reciprocal, coefficients::besselI0Large64, coefficients::besselI0Large32);
  return select(of.isSmall, of.decay * small, large / of.root);
}

VectorExpr besselI1e(const VectorExpr &x) {
  BesselArgument of(x);
  VectorExpr small =
      polynomial(of.square, coefficients::besselI1Small64, coefficients::besselI1Small32);
  VectorExpr large =
      polynomial(of.reciprocal, coefficients::besselI1Large64, coefficients::besselI1Large32);
  return select(of.isSmall, x * (of.decay * small), copySign(large / of.root, x));
}

} // namespace keratin::codegen::kernels
