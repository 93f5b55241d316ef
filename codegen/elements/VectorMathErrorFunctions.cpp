// erfc, which keeps its digits where it is small, and erfinv.
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

#include <limits>

namespace keratin::codegen::kernels {

// a * a without an error.
static Pair square(const VectorExpr &a) {
  if (a.width() == 64 || a.emit().target.hasFma)
    return twoProduct(a, a);
  VectorExpr wide = a.toFloat(64);
  VectorExpr product = wide * wide;
  VectorExpr high = product.toFloat(32);
  return {high, (product - high.toFloat(64)).toFloat(32)};
}

VectorExpr erfc(const VectorExpr &x) {
  bool isDouble = x.width() == 64;
  VectorExpr a = abs(x);
  VectorExpr z = x * x;
  VectorExpr tail = polynomial(z, coefficients::erfSmall64, coefficients::erfSmall32);
  VectorExpr near = 1.0 - fma(x, tail, x);
  // e^(-a^2) S / (1 + 2 a); it is 0 beyond the bound. An error of a^2 would be one of e^(-a^2) many
  // times as large.
  VectorExpr bounded = atMost(a, isDouble ? 27.5 : 10.2);
  Pair exponent = square(bounded);
  VectorExpr t = (bounded - 3.0) / (bounded + 3.0);
  VectorExpr scaled = polynomial(t, coefficients::erfcScaled64, coefficients::erfcScaled32);
  scaled = scaled / fma(bounded, 2.0, 1.0);
  VectorExpr far = expPreciseOfSum(-exponent.high, -exponent.low) * scaled;
  far = select(x < 0.0, 2.0 - far, far);
  return select(a < 0.5, near, far);
}

// erfinv(x) / x is smooth in w = -log(1 - x^2), and where that is large in its root (Giles:
// Approximating the erfinv function, 2012).
VectorExpr erfinv(const VectorExpr &x) {
  VectorExpr a = abs(x);
  VectorExpr w = -log((1.0 - a) * (1.0 + a));
  VectorExpr root = squareRoot(w);
  VectorExpr ratio =
      x.width() == 64
          ? select(w < 6.25, polynomial(w - 3.125, coefficients::erfinvCentral64),
                   select(root < 4.0, polynomial(root - 3.25, coefficients::erfinvMiddle64),
                          polynomial(root - 5.0, coefficients::erfinvTail64)))
          : select(w < 5.0, polynomial(w - 2.5, coefficients::erfinvCentral32),
                   polynomial(root - 3.0, coefficients::erfinvTail32));
  return x * select(equal(a, 1.0), infinity, ratio);
}

} // namespace keratin::codegen::kernels
