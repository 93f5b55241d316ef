// As a tournament (Brent, Luk: The solution of singular-value and symmetric eigenvalue problems on
// multiprocessor arrays, 1985): a round has all rows in pairs, of which each is turned by itself;
// after a sweep of rounds each row has met all others. Row i of one half meets row i of the other;
// between rounds all rows but one move on by a place.
#include "passes/linalg/Rotations.h"
#include "passes/linalg/LoopParts.h"

#include "ir/builder/LoopBuilder.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Six to ten do it, a few more for rows of very different lengths.
static constexpr int64_t kMostSweeps = 30;

namespace {

struct Halves {
  Value first, second;
};

class Tournament {
public:
  Tournament(const DimExpr &compared, size_t axis) : compared(compared), axis(axis) {}

  // Turns each pair whose cosine is above the limit; `turned` says which.
  Halves turn(GraphMath &g, Halves rows, Value limit, Value &turned) const;
  Halves moveOn(GraphMath &g, Halves rows) const;

private:
  Value part(GraphMath &g, Value x, const DimExpr &first, const DimExpr &size, size_t along) const {
    Shape sizes = getShape(x), starts(sizes.size(), DimExpr(0));
    starts[along] = first;
    sizes[along] = size;
    return sizes == getShape(x) ? x
                                : g.slice(x, starts, sizes, SmallVector<int64_t>(sizes.size(), 1));
  }

  DimExpr compared;
  size_t axis; // of rows
};

} // namespace

// The angle makes the product of the two rows 0, and is the smaller one that does.
Halves Tournament::turn(GraphMath &g, Halves rows, Value limit, Value &turned) const {
  Value p = part(g, rows.first, 0, compared, axis + 1),
        q = part(g, rows.second, 0, compared, axis + 1);
  auto product = [&](Value a, Value b) { return g.reduceSum(g.mul(a, b), {int64_t(axis) + 1}); };
  Value ofFirst = product(p, p), ofSecond = product(q, q), ofBoth = product(p, q);
  Value one = g.oneLike(ofBoth), zero = g.zeroLike(ofBoth);
  Value lengths = g.mul(g.sqrt(ofFirst), g.sqrt(ofSecond));
  turned = g.greater(g.abs(ofBoth), g.mul(g.broadcastScalar(limit, getShape(lengths)), lengths));
  Value cotangent = // of twice the angle
      g.div(g.sub(ofSecond, ofFirst), g.scale(g.select(turned, ofBoth, one), 2));
  Value size = g.abs(cotangent);
  Value tangent = g.div(one, g.add(size, g.sqrt(g.add(one, g.mul(size, size)))));
  tangent = g.select(g.less(cotangent, zero), g.neg(tangent), tangent);
  tangent = g.select(turned, tangent, zero);
  Value cosine = g.div(one, g.sqrt(g.add(one, g.mul(tangent, tangent))));
  Value sine = g.mul(cosine, tangent);
  auto along = [&](Value x) {
    return g.broadcastAlong(x, getShape(rows.first), {int64_t(axis) + 1});
  };
  Value c = along(cosine), s = along(sine);
  return {g.sub(g.mul(c, rows.first), g.mul(s, rows.second)),
          g.add(g.mul(s, rows.first), g.mul(c, rows.second))};
}

Halves Tournament::moveOn(GraphMath &g, Halves rows) const {
  const DimExpr pairs = getShape(rows.first)[axis];
  if (pairs == DimExpr(1))
    return rows;
  const DimExpr others = *sub(pairs, 1), between = *sub(pairs, 2);
  auto some = [&](Value x, const DimExpr &first, const DimExpr &size) {
    return part(g, x, first, size, axis);
  };
  SmallVector<Value> first{some(rows.first, 0, 1), some(rows.second, 0, 1)};
  if (between != DimExpr(0))
    first.push_back(some(rows.first, 1, between));
  return {
      g.concatenate(first, int64_t(axis)),
      g.concatenate({some(rows.second, 1, others), some(rows.first, others, 1)}, int64_t(axis))};
}

// Rounding errors of so many products are about this, relative to the lengths of the rows.
static Value smallestCosine(GraphMath &g, Value x, const DimExpr &compared) {
  Type element = getElementType(x);
  const double epsilon = std::ldexp(1.0, 1 - int(llvm::APFloat::semanticsPrecision(
                                                 cast<FloatType>(element).getFloatSemantics())));
  if (compared.isConstant())
    return g.scalar(epsilon * std::sqrt(double(compared.constantValue())), element);
  Value vector = g.splat(0.0, getTensorType({compared}, element));
  return g.scale(g.sqrt(g.count(vector, {0}, element)), epsilon);
}

// Rows are along the axis, their elements along the one behind it.
static Value turnRows(GraphMath &math, Value x, const DimExpr &compared, size_t axis) {
  Shape shape = getShape(x), half = shape;
  const DimExpr rows = shape[axis];
  // A row of zeros meets one of an odd number; of an unknown number there are two pairs at least.
  const DimExpr pairs = *max(*ceildiv(rows, 2), DimExpr(rows.isConstant() ? 1 : 2));
  shape[axis] = *mul(pairs, 2);
  half[axis] = pairs;
  Shape start(shape.size(), DimExpr(0));
  const SmallVector<int64_t> none(shape.size(), 0), ones(shape.size(), 1);
  Value padded = shape == getShape(x) ? x : math.pad(x, start, none, shape);
  Value first = math.slice(padded, start, half, ones);
  start[axis] = pairs;
  Value second = math.slice(padded, start, half, ones);
  Shape vector = half;
  vector.erase(vector.begin() + ptrdiff_t(axis) + 1);
  auto flags = getTensorType(vector, math.builder().getI1Type());
  const auto all = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(vector.size())));
  const Tournament tournament(compared, axis);

  Value inits[] = {math.integerScalar(1, math.builder().getI1Type()), first, second};
  Value limit = smallestCosine(math, x, compared);
  LoopInputs sweeps{inits, {}, limit};
  WhileOp loop = buildWhile(math, kMostSweeps, sweeps, [&](GraphMath &g, LoopStep &sweep) {
    Value before[] = {g.splat(0, flags), sweep.states[1], sweep.states[2]};
    LoopInputs rounds{before, {}, sweep.captures};
    ScanOp scan = buildScan(g, *sub(shape[axis], 1), rounds, [&](GraphMath &g, LoopStep &round) {
      Value turned;
      Halves after =
          tournament.turn(g, {round.states[1], round.states[2]}, round.captures[0], turned);
      after = tournament.moveOn(g, after);
      round.next = {g.or_(round.states[0], turned), after.first, after.second};
    });
    sweep.next = {g.reduceAny(scan.getResult(0), all), scan.getResult(1), scan.getResult(2)};
  });
  // Everyone is back in place.
  Value turned = math.concatenate({loop.getResult(1), loop.getResult(2)}, int64_t(axis));
  start[axis] = 0;
  return shape == getShape(x) ? turned : math.slice(turned, start, getShape(x), ones);
}

Value withOrthogonalRows(GraphMath &g, Value x, const DimExpr &compared) {
  const Shape shape = getShape(x);
  const bool isSmall = areManySmallMatrices(shape);
  return isSmall ? withBatchFirst(g, turnRows(g, withBatchLast(g, x), compared, 0))
                 : turnRows(g, x, compared, shape.size() - 2);
}

Value signsOfRows(GraphMath &g, Value x) {
  const int64_t axis = getTensorType(x).getRank() - 1;
  auto along = [&](Value row) { return g.broadcastAlong(row, getShape(x), {axis}); };
  Value size = g.abs(x);
  Value isLarge = g.greaterEqual(size, along(g.scale(g.reduceMax(size, {axis}), 0.999)));
  Value place = g.builder().createOrFold<ArgMaxOp>(g.location(),
                                                   g.cast(isLarge, g.builder().getI32Type()), axis);
  auto places = withElementType(getTensorType(x), getElementType(place));
  Value element =
      g.reduceSum(g.select(g.equal(g.iota(places, axis), along(place)), x, g.zeroLike(x)), {axis});
  return g.select(g.less(element, g.zeroLike(element)), g.constantLike(-1, element),
                  g.oneLike(element));
}

} // namespace keratin::passes
