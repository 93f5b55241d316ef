#include "tests/codegen/VectorMathCases.h"

#include "ir/reference/SpecialFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace keratin::codegen;

namespace keratin::tests {

template <typename Float> static Float sigmoidReference(Float x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

template <typename Float> static Float softplusReference(Float x) {
  return std::fmax(x, Float(0)) + std::log1p(std::exp(-std::fabs(x)));
}

// The square root in twice the precision is not exact enough to judge a result that must be exact.
template <typename Float> static Float sqrtReference(Float x) { return std::sqrt(x); }
template <typename Float> static Float rsqrtReference(Float x) { return 1 / std::sqrt(x); }

template <typename Float> static Float signReference(Float x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// Left of 0 gamma functions are differences of what they are on the right and of something
// periodic.
static long double logGammaSize(long double x) {
  return x < 0 ? std::fmax(1.0L, std::fabs(ir::reference::logGamma(1 - x))) : 0;
}
static long double digammaSize(long double x) {
  return x < 0 ? std::fmax(1.0L, std::fabs(ir::reference::digamma(1 - x))) : 0;
}

#define KERATIN_CASE(name, reference, ...)                                                         \
  UnaryCase {                                                                                      \
    #name, &VectorMath::name, [](double x) -> double { return reference(x); },                     \
        [](long double x) -> long double { return reference(x); }, __VA_ARGS__                     \
  }

const std::vector<UnaryCase> &unaryCases() {
  static const std::vector<UnaryCase> cases = {
      KERATIN_CASE(exp, std::exp, 1.5, 2, 2, 2),
      KERATIN_CASE(expm1, std::expm1, 1.5, 2, 2, 2),
      KERATIN_CASE(log, std::log, 1.5, 2, 2, 2),
      KERATIN_CASE(log1p, std::log1p, 1.5, 2, 2, 2),
      KERATIN_CASE(sqrt, sqrtReference, 0.501, 0.501, 0.501, 0.501),
      KERATIN_CASE(rsqrt, rsqrtReference, 1.5, 1.5, 1.5, 1.5),
      KERATIN_CASE(sin, std::sin, 2, 2, 3, 3),
      KERATIN_CASE(cos, std::cos, 2, 2, 3, 3),
      KERATIN_CASE(tan, std::tan, 4, 4, 5, 5),
      KERATIN_CASE(atan, std::atan, 2, 2, 3, 3),
      KERATIN_CASE(tanh, std::tanh, 2, 2, 3, 3),
      KERATIN_CASE(sigmoid, sigmoidReference, 2, 2, 3, 3),
      KERATIN_CASE(softplus, softplusReference, 3, 3, 4, 4),
      KERATIN_CASE(erf, std::erf, 2, 2, 3, 3),
      KERATIN_CASE(erfc, std::erfc, 4.5, 4, 5, 4),
      KERATIN_CASE(erfinv, ir::reference::erfinv, 3.5, 3, 4, 3),
      KERATIN_CASE(lgamma, std::lgamma, 1, 4, 1, 6, logGammaSize),
      KERATIN_CASE(digamma, ir::reference::digamma, 1, 4, 1, 5, digammaSize),
      KERATIN_CASE(besselI0e, ir::reference::besselI0e, 4, 3.5, 4, 4),
      KERATIN_CASE(besselI1e, ir::reference::besselI1e, 4, 3.5, 4, 4),
      KERATIN_CASE(floor, std::floor, 0, 0, 0, 0),
      KERATIN_CASE(ceil, std::ceil, 0, 0, 0, 0),
      KERATIN_CASE(roundEven, std::rint, 0, 0, 0, 0),
      KERATIN_CASE(trunc, std::trunc, 0, 0, 0, 0),
      KERATIN_CASE(abs, std::fabs, 0, 0, 0, 0),
      KERATIN_CASE(sign, signReference, 0, 0, 0, 0),
  };
  return cases;
}

ElementwiseKernel unaryKernel(JitHarness &harness, const UnaryCase &function, Type element) {
  return harness.elementwise({element}, {element}, [&](OpBuilder &b, Location loc, ValueRange in) {
    VectorMath math(b, loc, harness.machine());
    return SmallVector<Value>{(math.*function.emit)(in[0])};
  });
}

ElementwiseKernel powKernel(JitHarness &harness, Type element) {
  return harness.elementwise({element, element}, {element},
                             [&](OpBuilder &b, Location loc, ValueRange in) {
                               VectorMath math(b, loc, harness.machine());
                               return SmallVector<Value>{math.pow(in[0], in[1])};
                             });
}

template <typename Float, typename Exact> static double errorOf(Float result, Exact exact) {
  using Limits = std::numeric_limits<Float>;
  const double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (exact == 0 || std::isinf(exact) || std::signbit(exact) != std::signbit(result))
    return result == exact && std::signbit(exact) == std::signbit(result) ? 0 : wrong;
  int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  Exact ulp = std::ldexp(Exact(1), exponent - (Limits::digits - 1));
  // Infinity stands for the number that would follow the greatest one.
  if (std::isinf(result)) {
    if (std::isinf(static_cast<Float>(exact)))
      return 0;
    return static_cast<double>((std::ldexp(Exact(1), Limits::max_exponent) - std::fabs(exact)) /
                               ulp);
  }
  return static_cast<double>(std::fabs(static_cast<Exact>(result) - exact) / ulp);
}

double ulpError(float result, double exact) { return errorOf(result, exact); }
double ulpError(double result, long double exact) { return errorOf(result, exact); }

} // namespace keratin::tests
