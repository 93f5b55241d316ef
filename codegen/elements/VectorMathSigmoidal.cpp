// tanh, sigmoid, softplus, erf: made of exp where they are flat, of polynomials where they are
// steep.
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

namespace keratin::codegen::kernels {

static constexpr double log2OfE = 0x1.71547652b82fep0;

VectorExpr tanh(const VectorExpr &x) {
  bool isDouble = x.width() == 64;
  VectorExpr a = abs(x);
  VectorExpr z = x * x;
  VectorExpr tail = polynomial(z, coefficients::tanh64, coefficients::tanh32);
  VectorExpr small = fma(a * z, tail, a);
  // 1 beyond the bound.
  VectorExpr e = exp2Moderate(atMost(a, isDouble ? 20.0 : 10.0), 2 * log2OfE);
  VectorExpr large = 1.0 - 2.0 / (e + 1.0);
  return copySign(select(a < (isDouble ? 0.55 : 0.6), small, large), x);
}

VectorExpr sigmoid(const VectorExpr &x) {
  // Written with e^-|x|, which cannot overflow; for negative x the quotient keeps small results
  // exact.
  VectorExpr e = expPrecise(-abs(x));
  VectorExpr sum = 1.0 + e;
  VectorExpr quotient = select(x < 0.0, e, x.constant(1)) / sum;
  // What the sum lost, times 1 / sum to 4 %: enough for a correction below one ulp.
  VectorExpr lost = e - (sum - 1.0);
  return fma(quotient, -lost * fma(sum, -0.5, 1.4571), quotient);
}

VectorExpr softplus(const VectorExpr &x) {
  // The exponential of sigmoid, which is its gradient and often computed beside it.
  return atLeast(x, 0.0) + log1pOfUnitInterval(expPrecise(-abs(x)));
}

static VectorExpr erfLarge(const VectorExpr &a) {
  if (a.width() == 32) {
    // From 4 on the result rounds to 1.
    VectorExpr bounded = atMost(a, 4.0);
    return 1.0 - exp2Moderate(bounded * polynomial(bounded, coefficients::erfLarge32), 1.0);
  }
  VectorExpr bounded = atMost(a, 6.0);
  VectorExpr scaled = polynomial((bounded - 2.0) / (bounded + 2.0), coefficients::erfLarge64);
  return 1.0 - exp2Moderate(bounded * bounded, -log2OfE) * scaled;
}

VectorExpr erf(const VectorExpr &x) {
  bool isDouble = x.width() == 64;
  VectorExpr a = abs(x);
  VectorExpr z = x * x;
  VectorExpr tail = polynomial(z, coefficients::erfSmall64, coefficients::erfSmall32);
  VectorExpr small = fma(a, tail, a);
  return copySign(select(a < (isDouble ? 1.0 : 0.93), small, erfLarge(a)), x);
}

} // namespace keratin::codegen::kernels
