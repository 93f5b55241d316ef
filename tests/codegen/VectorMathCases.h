// The functions of VectorMath with reference and error bound, for the tests and for the sweep over
// all floats.
#ifndef KERATIN_TESTS_CODEGEN_VECTORMATHCASES_H
#define KERATIN_TESTS_CODEGEN_VECTORMATHCASES_H

#include "codegen/elements/VectorMath.h"
#include "tests/support/JitHarness.h"

#include <cmath>
#include <string>
#include <vector>

namespace keratin::tests {

struct UnaryCase {
  std::string name;
  mlir::Value (codegen::VectorMath::*emit)(mlir::Value) const;
  double (*reference)(double);               // for f32
  long double (*longReference)(long double); // for f64
  // Largest error in units in the last place: f32 and f64 where the machine has FMA, and where it
  // has not.
  double bound32, bound64, bound32Unfused, bound64Unfused;
  // Of functions that are differences and have zeros for which no format is fine enough: units of
  // the last place of this count where it is larger than the result.
  long double (*size)(long double) = nullptr;

  template <typename Float, typename Exact>
  double errorOf(Float x, Float result, Exact exact) const;
};
const std::vector<UnaryCase> &unaryCases();

ElementwiseKernel unaryKernel(JitHarness &harness, const UnaryCase &function, mlir::Type element);
ElementwiseKernel powKernel(JitHarness &harness, mlir::Type element);

// The distance of the result from the exact value in units of the last place of the exact value's
// binade. Infinite where NaN, infinity or the sign of zero are not as they must be.
double ulpError(float result, double exact);
double ulpError(double result, long double exact);

template <typename Float, typename Exact>
double UnaryCase::errorOf(Float x, Float result, Exact exact) const {
  double error = ulpError(result, exact);
  Exact other = size ? static_cast<Exact>(size(x)) : Exact(0);
  // NaN has no size.
  if (!(error > 0 && std::isfinite(error) && std::isfinite(other) && other > std::fabs(exact)))
    return error;
  return error * std::ldexp(1.0, std::ilogb(exact) - std::ilogb(other));
}

// The largest error so far and where it was.
template <typename Float> struct WorstError {
  double ulp = 0;
  Float input = 0, result = 0;

  void add(double error, Float x, Float y) {
    if (!(error <= ulp)) {
      ulp = error;
      input = x;
      result = y;
    }
  }
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_CODEGEN_VECTORMATHCASES_H
