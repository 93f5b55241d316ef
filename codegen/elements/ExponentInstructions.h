// Instructions for the exponents of floats, which some machines have and arith and LLVM's generic
// intrinsics have no ops for.
#ifndef KERATIN_CODEGEN_ELEMENTS_EXPONENTINSTRUCTIONS_H
#define KERATIN_CODEGEN_ELEMENTS_EXPONENTINSTRUCTIONS_H

#include "codegen/elements/VectorExpr.h"

namespace keratin::codegen {

// Implemented by machines that have them; lives as long as the program.
class ExponentInstructions {
public:
  // Whether there are such for vectors like x. The functions below take no others.
  virtual bool take(const VectorExpr &x) const = 0;

  // x * 2^floor(exponent) with one rounding; any exponent, also infinite ones.
  virtual VectorExpr scale(const VectorExpr &x, const VectorExpr &exponent) const = 0;
  // floor(log2 |x|) as a float, denormals included: -inf of 0, +inf of infinities, NaN of NaN.
  virtual VectorExpr exponentOf(const VectorExpr &x) const = 0;
  // x scaled by a power of two into [0.75, 1.5): 1 of both zeros and of +inf, NaN of negative
  // numbers and of NaN.
  virtual VectorExpr mantissaOf(const VectorExpr &x) const = 0;

protected:
  ~ExponentInstructions() = default;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_EXPONENTINSTRUCTIONS_H
