// lgamma, digamma and the zeta function of Hurwitz. f32 computes in f64: next to the zeros of these
// functions nothing else keeps its digits.
#include "codegen/elements/VectorMathCoefficients.h"
#include "codegen/elements/VectorMathKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace keratin::codegen::kernels {

//===-- lgamma and digamma --------------------------------------------------------------------===//

namespace {
// Both are computed at a y of 1 and more, where they are smooth. Of x in (0, 1) it is x + 1, of
// negative ones 1 - x, which is behind 1 / 2 where x is before it.
struct GammaArgument {
  explicit GammaArgument(const VectorExpr &x)
      : magnitude(abs(x)), isItself(x >= 1.0), y(select(isItself, x, magnitude + 1.0)),
        above(select(isItself, x - 1.0, magnitude)), t((y - 2.0) / (y + 2.0)), reciprocal(1.0 / y),
        fraction(magnitude - roundEven(magnitude)) {}

  VectorExpr magnitude, isItself, y;
  VectorExpr above; // y - 1, not rounded
  VectorExpr t, reciprocal;
  VectorExpr fraction; // from -1/2 to 1/2: the sines of pi times x are those of pi times this
};
} // namespace

VectorExpr logGammaOfNext(const VectorExpr &a) {
  return a * (a - 1.0) * polynomial((a - 1.0) / (a + 3.0), coefficients::logGammaNear64);
}

VectorExpr lgamma(const VectorExpr &x) {
  if (x.width() == 32)
    return lgamma(x.toFloat(64)).toFloat(32);
  GammaArgument of(x);
  // It has zeros at 1 and 2.
  VectorExpr near = of.above * (of.above - 1.0) * polynomial(of.t, coefficients::logGammaNear64);
  // Stirling's formula.
  constexpr double halfLogTwoPi = 0x1.d67f1c864beb5p-1;
  VectorExpr logOfY = log(of.y);
  VectorExpr rest =
      of.reciprocal * polynomial(of.reciprocal * of.reciprocal, coefficients::logGammaFar64);
  VectorExpr far = fma(of.y, logOfY - 1.0, fma(logOfY, -0.5, halfLogTwoPi) + rest);
  // Of x in (0, 1) gamma(x + 1) / x, of negative ones pi / |sin(pi x)| / gamma(1 - x).
  VectorExpr ofY = select(of.y < 4.5, near, far);
  VectorExpr sine = of.fraction * polynomial(of.fraction * of.fraction, coefficients::sinePi64);
  VectorExpr isNegative = x < 0.0;
  VectorExpr logarithm = log(select(isNegative, abs(sine), of.magnitude));
  logarithm = select(of.isItself, 0.0, -logarithm);
  VectorExpr result = logarithm + select(isNegative, -ofY, ofY);
  // At poles gamma(1 - x) may be infinite, too.
  VectorExpr isPole = (isNegative & equal(sine, 0.0)) | equal(of.magnitude, infinity);
  return select(isPole, infinity, result);
}

VectorExpr digamma(const VectorExpr &x) {
  if (x.width() == 32)
    return digamma(x.toFloat(64)).toFloat(32);
  GammaArgument of(x);
  // The distance to the root, in two parts: the first is exact.
  constexpr double rootAboveOne = 0x1.d8b618d5af8fep-2, rootLow = -0x1.1e563779a1f5bp-56;
  VectorExpr distance = (of.above - rootAboveOne) - rootLow;
  VectorExpr near = distance * polynomial(of.t, coefficients::digammaNear64);
  VectorExpr z = of.reciprocal * of.reciprocal;
  VectorExpr far =
      log(of.y) - fma(z, polynomial(z, coefficients::digammaFar64), of.reciprocal * 0.5);
  VectorExpr ofY = select(of.y < 3.0, near, far);
  // Of x in (0, 1) -1 / x, of negative ones -pi cot(pi x). The sign of zero counts.
  VectorExpr isNegative = x.asInt() < 0;
  VectorExpr cotangent = polynomial(of.fraction * of.fraction, coefficients::piCotangent64);
  VectorExpr other = select(isNegative, cotangent, -1.0) / select(isNegative, of.fraction, x);
  VectorExpr result = select(of.isItself, ofY, ofY + other);
  return select((x < 0.0) & equal(of.fraction, 0.0), notANumber, result);
}

//===-- zeta ----------------------------------------------------------------------------------===//

// Of an s above 1 and a q above 0, both in f64, by the formula of Euler and Maclaurin: terms, and
// an integral with its corrections for all others. `isSingle`: with the digits of f32.
static VectorExpr zetaOfPositive(const VectorExpr &s, const VectorExpr &q, bool isSingle) {
  const int64_t terms = isSingle ? 6 : 10;
  auto power = [&](const VectorExpr &base, const VectorExpr &exponent) {
    return isSingle ? powOfSingleMagnitude(base, exponent) : powOfMagnitude(base, exponent);
  };
  // Bernoulli's numbers 2 j by (2 j)!.
  static constexpr double corrections[] = {1.0 / 12,
                                           -1.0 / 720,
                                           1.0 / 30240,
                                           -1.0 / 1209600,
                                           1.0 / 47900160,
                                           -691.0 / 1307674368000,
                                           1.0 / 74724249600,
                                           -3617.0 / 10670622842880000,
                                           43867.0 / 5109094217170944000,
                                           -174611.0 / 802857662698291200000.0,
                                           77683.0 / 14101100039391805440000.0,
                                           -236364091.0 / 1693824136731743669452800000.0};
  const int count = isSingle ? 6 : std::size(corrections);
  VectorExpr w = q + double(terms);
  VectorExpr inverse = 1.0 / w;
  VectorExpr inverseSquare = inverse * inverse;
  // Of larger ones the terms from w on are 0.
  VectorExpr bounded = atMost(s, 2000.0);
  VectorExpr sum = s.constant(corrections[count - 1]);
  for (int j = count - 1; j > 0; --j) {
    VectorExpr factors = (bounded + double(2 * j - 1)) * (bounded + double(2 * j));
    sum = fma(factors * inverseSquare, sum, corrections[j - 1]);
  }
  sum = fma(bounded * inverse, sum, 0.5);
  // w^-s may underflow where w^(1 - s) does not: it is multiplied in two steps.
  VectorExpr root = power(w, s * -0.5);
  VectorExpr rest = root * fma(root, sum, root * w / (s - 1.0));
  // The smallest term first.
  const EmitContext &emit = s.emit();
  OpBuilder &b = emit.builder;
  auto number = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIntOp>(emit.loc, value, 64);
  };
  VectorExpr last = s.constant(double(terms - 1));
  VectorExpr exponent = -s;
  auto loop = b.create<scf::ForOp>(
      emit.loc, number(0), number(terms), number(1), ValueRange{last, rest},
      [&](OpBuilder &inner, Location loc, Value, ValueRange state) {
        EmitContext innerEmit{inner, loc, emit.target};
        VectorExpr place(innerEmit, state[0]), sum(innerEmit, state[1]);
        VectorExpr term = power(VectorExpr(innerEmit, q) + place, VectorExpr(innerEmit, exponent));
        inner.create<scf::YieldOp>(loc, ValueRange{place - 1.0, sum + term});
      });
  return VectorExpr(emit, loop.getResult(1));
}

// Where q is negative the terms of negative numbers, whose distances to 0 are those from `after` to
// 1 - q, are added: zeta(s, before) +- (zeta(s, after) - zeta(s, 1 - q)) for the distances of q to
// the whole numbers beside it. Of differences where the powers of both distances leave the range,
// or are limited (powOfSingleMagnitude), the farther one's counts for nothing.
static VectorExpr zetaInDouble(const VectorExpr &s, const VectorExpr &q, bool isSingle) {
  const EmitContext &emit = s.emit();
  OpBuilder &b = emit.builder;
  VectorExpr isPositive = q > 0.0;
  VectorExpr one = s.constant(1), zero = s.constant(0);
  // An infinite one is as good as a large one, and makes no NaN.
  VectorExpr exponent = atMost(s, 1e300);
  VectorExpr half = exponent * 0.5;
  VectorExpr sign = select(equal(trunc(half), half), one, -1.0);
  VectorExpr first = select(isPositive, q, q - floor(q));
  VectorExpr second = select(isPositive, one, ceil(q) - q),
             third = select(isPositive, one, 1.0 - q);
  VectorExpr weight = select(isPositive, zero, sign);
  VectorExpr isFirstNearer = first < second, isSecondNearer = second < first;
  VectorExpr farther = select(isFirstNearer, second, first);
  const double mostBits = isSingle ? 199 : 1023.999999;
  VectorExpr leaves = (weight < 0.0) & (log(farther) * exponent < mostBits * -std::numbers::ln2);
  first = select(leaves & !isFirstNearer, one, first);
  second = select(leaves & !isSecondNearer, one, second);

  Value anyOther = !isPositive;
  if (isa<VectorType>(s.type()))
    anyOther = b.create<vector::ReductionOp>(emit.loc, vector::CombiningKind::OR, anyOther);
  auto number = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIntOp>(emit.loc, value, 64);
  };
  Value count = b.create<arith::SelectOp>(emit.loc, anyOther, number(3), number(1));
  auto loop = b.create<scf::ForOp>(
      emit.loc, number(0), count, number(1), ValueRange{first, second, third, one, weight, zero},
      [&](OpBuilder &inner, Location loc, Value, ValueRange state) {
        EmitContext innerEmit{inner, loc, emit.target};
        auto of = [&](Value value) { return VectorExpr(innerEmit, value); };
        VectorExpr value = zetaOfPositive(of(exponent), of(state[0]), isSingle);
        // The next weight is that of the second, then its negative.
        VectorExpr sum = fma(of(state[3]), value, of(state[5]));
        inner.create<scf::YieldOp>(
            loc, ValueRange{state[1], state[2], state[2], state[4], -of(state[4]), sum});
      });
  VectorExpr result = VectorExpr(emit, loop.getResult(5));
  result = select(equal(q, infinity), 0.0, result);
  // 0^-s, and powers of negative numbers that are no numbers.
  VectorExpr isWhole = equal(floor(q), q);
  result = select(isPositive | equal(trunc(s), s), result, notANumber);
  result = select(!isPositive & isWhole, infinity, result);
  result = select(equal(s, 1.0), infinity, result);
  return select((s >= 1.0) & !unordered(q, q), result, notANumber);
}

VectorExpr zeta(const VectorExpr &s, const VectorExpr &q) {
  if (s.width() == 64)
    return zetaInDouble(s, q, /*isSingle=*/false);
  return zetaInDouble(s.toFloat(64), q.toFloat(64), /*isSingle=*/true).toFloat(32);
}

} // namespace keratin::codegen::kernels
