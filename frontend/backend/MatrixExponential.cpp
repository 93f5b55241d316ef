// K::expm.
#include "frontend/backend/Factorizations.h"
#include "frontend/backend/Reductions.h"
#include "frontend/graph/Loop.h"
#include "ir/builder/MatrixMath.h"
#include "keratin/linear_algebra.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// A Taylor polynomial, by which the exponential of matrices with so small a norm is exact to all
// bits of the dtype (Higham, Al-Mohy: Computing matrix functions, 2010, for the double; the same
// rule for the float), and the largest power of two by which norms are divided.
struct Polynomial {
  int degree;
  double largestNorm;
  int mostSquarings;
};

} // namespace

static constexpr Polynomial ofFloat = {8, 0.58, 127}, ofDouble = {16, 0.78, 1023};

// Sums of four powers each are the coefficients of a polynomial in the fourth (Paterson,
// Stockmeyer: On the number of nonscalar multiplications necessary to evaluate polynomials, 1973).
static Value taylor(ir::GraphMath &g, Value x, int degree) {
  Value powers[5] = {ir::unitMatrices(g, x), x};
  for (int i = 2; i <= 4; ++i)
    powers[i] = ir::matrixProduct(g, powers[i / 2], powers[i - i / 2]);
  auto coefficient = [](int power) { return 1 / std::tgamma(power + 1.0); };
  Value sum = g.scale(powers[0], coefficient(degree));
  for (int first = degree - 4; first >= 0; first -= 4) {
    Value terms = g.scale(powers[0], coefficient(first));
    for (int i = 1; i < 4; ++i)
      terms = g.add(terms, g.scale(powers[i], coefficient(first + i)));
    sum = g.add(ir::matrixProduct(g, powers[4], sum), terms);
  }
  return sum;
}

// How often each matrix is halved so that the sums of its columns are that small: a whole number.
static Value squaringsOf(ir::GraphMath &g, Value x, const Polynomial &polynomial) {
  const int64_t axis = ir::getTensorType(x).getRank() - 2;
  Value sums = g.reduceSum(g.abs(x), {axis});
  Value norm = g.reduceMax(sums, {axis});
  Value times = g.ceil(g.scale(g.log(g.scale(norm, 1 / polynomial.largestNorm)), 1 / std::log(2)));
  Value none = g.zeroLike(times), most = g.constantLike(polynomial.mostSquarings, times);
  // NaN and zeros are not halved.
  return g.select(g.greater(times, none), g.minimum(times, most), none);
}

// 2^-times, exactly.
static Value halvings(ir::GraphMath &g, Value times, int most) {
  Value factor = g.oneLike(times), rest = times;
  int bit = 1;
  while (bit <= most / 2)
    bit *= 2;
  for (; bit > 0; bit /= 2) {
    Value number = g.constantLike(bit, rest), isSet = g.greaterEqual(rest, number);
    factor = g.mul(
        factor, g.select(isSet, g.constantLike(std::ldexp(1.0, -bit), factor), g.oneLike(factor)));
    rest = g.select(isSet, g.sub(rest, number), rest);
  }
  return factor;
}

static Value exponential(Call &call, Value x) {
  ir::GraphMath &g = call.g;
  const Polynomial polynomial = call.dtypeOf(x) == DType::Float64 ? ofDouble : ofFloat;
  const ir::Shape shape = ir::getShape(x);
  const int64_t axis = call.rank(x) - 2;
  if (shape.back() == DimExpr(0))
    return x;
  auto everywhere = [&](Value each) { return g.broadcastAlong(each, shape, {axis, axis + 1}); };
  Value times = squaringsOf(g, x, polynomial);
  Value first = taylor(g, g.mul(x, everywhere(halvings(g, times, polynomial.mostSquarings))),
                       polynomial.degree);
  std::vector<int64_t> batch;
  for (int64_t i = 0; i < axis; ++i)
    batch.push_back(i);
  auto isAnyAbove = [&](Value number) {
    return g.reduceAny(g.greater(times, g.broadcastScalar(number, ir::getShape(times))), batch);
  };
  mlir::Type type = ir::getElementType(x);
  Value some = isAnyAbove(g.scalar(0, type));

  Loop loop(call, "the squarings of expm");
  loop.addState(some.getType());
  Value y = loop.addState(first.getType());
  Value done = g.cast(loop.stepNumber(), type);
  Value isOpen = g.greater(times, g.broadcastScalar(done, ir::getShape(times)));
  Value next = g.select(everywhere(isOpen), ir::matrixProduct(g, y, y), y);
  Value more = isAnyAbove(g.add(done, g.scalar(1, type)));
  loop.end();
  return loop.finishWhile({some, first}, {more, next}, DimExpr(polynomial.mostSquarings)).back();
}

namespace keratin::backend {

Tensor expm(const Operand &operand, SourceLocation location) {
  Call call("expm", location);
  Value x = asSquareMatrices(call, call.floating(operand));
  return call.tensor(call.cast(exponential(call, widened(call, x)), call.dtypeOf(x)));
}

} // namespace keratin::backend
