// The eigenvalues are the zeros of f(x) = 1 + rho sum(z_i^2 / (d_i - x)), one behind each pole d_i.
// Each is found as its distance from the nearer of the poles beside it, so that its distances from
// all poles are right to a few roundings; a z for which such zeros are exact follows from these
// distances alone (Löwner), so eigenvectors are orthogonal however near zeros are to each other.
// Poles that are too weak to matter are eigenvalues themselves; others are moved apart by some
// roundings where they meet.
#include "passes/linalg/SecularEquation.h"
#include "passes/linalg/LoopParts.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Four to ten do it for most, and halving a bracket for all.
static constexpr int64_t kMostIterations = 128;
// Between a pole that takes part and any that does not, so that none divides by 0.
static constexpr double kAside = 16;

static double epsilonOf(Value x) {
  const auto &semantics = cast<FloatType>(getElementType(x)).getFloatSemantics();
  return std::ldexp(1.0, 1 - int(llvm::APFloat::semanticsPrecision(semantics)));
}

namespace {

// Sorted; those that take part come first. All have the shape of the poles.
struct Poles {
  Value poles, // those that do not take part are aside
      weights, squares, takesPart,
      own;     // as they were given
  Value order; // where they were
};

// Where a zero lies: at an offset, between two bounds of it, from the origin.
struct Zeros {
  Value origin, offset, low, high;
  Value fromLeft, fromRight; // the poles beside it, from the origin
  Value isLast;              // nothing is on its right
};

// The sums over the poles on the left of a zero and on its right, and their derivatives.
struct Sums {
  Value left, right, leftSlope, rightSlope;
};

} // namespace

static Value minusOne(GraphMath &g, Value x) { return g.constantLike(-1, x); }

// What is at the next place of vectors; anything at the last one.
static Value next(GraphMath &g, Value x) {
  Shape starts(getShape(x).size(), DimExpr(0)), sizes = getShape(x);
  starts.back() = 1;
  sizes.back() = *sub(sizes.back(), 1);
  Value behind = g.slice(x, starts, sizes, SmallVector<int64_t>(sizes.size(), 1));
  return g.pad(behind, Shape(sizes.size(), DimExpr(0)), SmallVector<int64_t>(sizes.size(), 0),
               getShape(x));
}

static Poles sortedPoles(GraphMath &g, const SecularEquation &equation, Value factor) {
  Value x = equation.poles, z = equation.weights;
  const int64_t axis = getTensorType(x).getRank() - 1;
  const double tolerance = 4 * epsilonOf(x);
  Value counts = g.greater(g.mul(factor, g.abs(z)), g.constantLike(tolerance, x));
  Value aside = g.add(x, g.constantLike(kAside, x)), keys = g.select(counts, x, aside);
  auto numbers = withElementType(getTensorType(x), g.builder().getI64Type());
  Poles result;
  result.order = g.builder().create<TopKOp>(g.location(), numbers, g.neg(keys));
  result.own = gatherRows(g, x, result.order);
  result.weights = gatherRows(g, z, result.order);
  Value strength = g.mul(gatherRows(g, factor, result.order), g.abs(result.weights));
  result.takesPart = g.greater(strength, g.constantLike(tolerance, x));
  // At least `tolerance` apart: more than the roundings of what is done here.
  Value steps =
      g.mul(g.cast(g.iota(numbers, axis), getElementType(x)), g.constantLike(tolerance, x));
  Value lowest = g.constantLike(-kAside, x);
  Value level = g.builder().create<CummaxOp>(
      g.location(), g.select(result.takesPart, g.sub(result.own, steps), lowest), axis,
      /*reverse=*/false);
  Value apart = g.maximum(result.own, g.add(level, steps));
  result.poles = g.select(result.takesPart, apart, g.add(result.own, g.constantLike(kAside, x)));
  result.squares =
      g.select(result.takesPart, g.mul(strength, g.abs(result.weights)), g.zeroLike(x));
  return result;
}

// At the offsets from the origins.
static Sums sumsAt(GraphMath &g, Value poles, Value squares, Value origin, Value offset) {
  Shape shape = getShape(poles);
  const int64_t axis = int64_t(shape.size()) - 1; // of zeros; poles are behind it
  shape.push_back(shape.back());
  auto ofPole = [&](Value x) { return g.broadcastAlong(x, shape, {axis}); };
  auto ofZero = [&](Value x) { return g.broadcastAlong(x, shape, {axis + 1}); };
  Value distance = g.sub(g.sub(ofPole(poles), ofZero(origin)), ofZero(offset));
  Value term = g.div(ofPole(squares), distance), slope = g.div(term, distance);
  Value place = diagonalNumbers(g, term), zero = g.zeroLike(term);
  Value isRight = g.greater(place, g.zeroLike(place));
  auto sum = [&](Value x) { return g.reduceSum(x, {axis + 1}); };
  return {sum(g.select(isRight, zero, term)), sum(g.select(isRight, term, zero)),
          sum(g.select(isRight, zero, slope)), sum(g.select(isRight, slope, zero))};
}

// By the sign of f halfway to the pole on the right: the zero is in the half where it changes.
static Zeros firstGuess(GraphMath &g, const Poles &all) {
  const double epsilon = epsilonOf(all.poles);
  const int64_t axis = getTensorType(all.poles).getRank() - 1;
  Value zero = g.zeroLike(all.poles), one = g.oneLike(all.poles);
  Value right = next(g, all.poles);
  Value isLast = g.and_(all.takesPart, g.not_(next(g, all.takesPart)));
  // No zero is farther from the last pole than this.
  Value whole = g.broadcastAlong(g.reduceSum(all.squares, {axis}), getShape(zero), {axis});
  Value gap = g.select(isLast, g.scale(whole, 1 + 8 * epsilon), g.sub(right, all.poles));
  gap = g.select(all.takesPart, gap, one);
  Value half = g.scale(gap, 0.5);
  Sums sums = sumsAt(g, all.poles, all.squares, all.poles, half);
  Value isBehind = g.less(g.add(one, g.add(sums.left, sums.right)), zero);
  Value fromRight = g.and_(isBehind, g.not_(isLast));
  Zeros zeros;
  zeros.isLast = isLast;
  zeros.origin = g.select(fromRight, right, all.poles);
  zeros.low = g.select(fromRight, g.neg(half), g.select(isBehind, half, zero));
  zeros.high = g.select(fromRight, zero, g.select(isBehind, gap, half));
  zeros.offset = g.select(all.takesPart, g.scale(g.add(zeros.low, zeros.high), 0.5), zero);
  zeros.fromLeft = g.sub(all.poles, zeros.origin);
  zeros.fromRight = g.select(isLast, zero, g.sub(right, zeros.origin));
  return zeros;
}

// Where a constant and a pole on each side, which have the values and slopes of f's sums at the
// offset, are 0 (Li: Solving secular equations stably and efficiently, 1993); of the last zero a
// constant and the pole on its left.
static Value stepFrom(GraphMath &g, const Zeros &zeros, const Sums &sums, Value f) {
  Value left = g.sub(zeros.fromLeft, zeros.offset), right = g.sub(zeros.fromRight, zeros.offset);
  Value zero = g.zeroLike(f);
  Value constant = g.sub(f, g.mul(left, sums.leftSlope));
  Value c = g.sub(constant, g.mul(right, sums.rightSlope)), both = g.mul(left, right);
  Value a =
      g.sub(g.mul(g.add(left, right), f), g.mul(both, g.add(sums.leftSlope, sums.rightSlope)));
  Value b = g.mul(both, f);
  Value inside = g.sub(g.mul(a, a), g.scale(g.mul(b, c), 4));
  Value root = g.sqrt(g.maximum(inside, zero));
  Value step = g.select(g.greater(a, zero), g.div(g.scale(b, 2), g.add(a, root)),
                        g.div(g.sub(a, root), g.scale(c, 2)));
  return g.select(zeros.isLast, g.div(g.mul(left, f), constant), step);
}

static Value offsetsOf(GraphMath &math, const Poles &all, const Zeros &guess) {
  Value isDone = math.not_(all.takesPart);
  const auto axes = llvm::to_vector(llvm::seq<int64_t>(0, getTensorType(isDone).getRank()));
  const double epsilon = epsilonOf(all.poles);
  Value inits[] = {math.reduceAny(all.takesPart, axes), isDone, guess.offset, guess.low,
                   guess.high};
  Value captures[] = {all.poles,      all.squares,     guess.origin,
                      guess.fromLeft, guess.fromRight, guess.isLast};
  WhileOp loop =
      buildWhile(math, kMostIterations, {inits, {}, captures}, [&](GraphMath &g, LoopStep &step) {
        Value isDone = step.states[1], offset = step.states[2];
        ValueRange given = step.captures;
        Sums sums = sumsAt(g, given[0], given[1], given[2], offset);
        Value one = g.oneLike(offset), f = g.add(one, g.add(sums.left, sums.right));
        // Of the roundings of the sums, as many as do not add up in all of them.
        Value size = g.add(one, g.scale(g.sub(sums.right, sums.left), 8));
        Value isSmall = g.not_(g.greater(g.abs(f), g.scale(size, epsilon))); // NaN, too
        isDone = g.or_(isDone, isSmall);
        Value isBelow = g.less(f, g.zeroLike(f));
        Value low = g.select(isBelow, offset, step.states[3]),
              high = g.select(isBelow, step.states[4], offset);
        Zeros zeros{given[2], offset, low, high, given[3], given[4], given[5]};
        Value better = g.add(offset, stepFrom(g, zeros, sums, f));
        Value isInside = g.and_(g.greater(better, low), g.less(better, high));
        better = g.select(isInside, better, g.scale(g.add(low, high), 0.5));
        // Nothing is between the bounds.
        isDone = g.or_(isDone, g.not_(g.and_(g.greater(better, low), g.less(better, high))));
        step.next = {g.reduceAny(g.not_(isDone), axes), isDone, g.select(isDone, offset, better),
                     low, high};
      });
  return loop.getResult(2);
}

// The z for which the zeros are exact: z_i^2 is the product of the distances of all zeros from pole
// i over that of all other poles. Its sign is that of the weight.
static Value exactWeights(GraphMath &g, const Poles &all, Value origin, Value offset) {
  Shape shape = getShape(all.poles);
  const int64_t axis = int64_t(shape.size()) - 1; // of poles; zeros, or other poles, behind it
  shape.push_back(shape.back());
  auto own = [&](Value x) { return g.broadcastAlong(x, shape, {axis + 1}); };
  auto other = [&](Value x) { return g.broadcastAlong(x, shape, {axis}); };
  Value distance = g.sub(g.sub(own(all.poles), other(origin)), other(offset));
  Value place = diagonalNumbers(g, distance);
  Value isOwn = g.equal(place, g.zeroLike(place));
  Value between = g.select(isOwn, minusOne(g, distance), g.sub(own(all.poles), other(all.poles)));
  Value counts = g.and_(own(all.takesPart), other(all.takesPart));
  Value one = g.oneLike(distance);
  Value ratio = g.select(counts, g.div(distance, g.select(counts, between, one)), one);
  Value size = g.sqrt(g.abs(g.reduceProd(ratio, {axis + 1})));
  return g.select(g.less(all.weights, g.zeroLike(size)), g.neg(size), size);
}

SecularRoots solved(GraphMath &g, const SecularEquation &equation, int64_t first, int64_t count,
                    bool needsRows) {
  const Shape shape = getShape(equation.poles);
  const int64_t axis = int64_t(shape.size()) - 1;
  Value factor = g.broadcastAlong(equation.factor, shape, {axis});
  Poles all = sortedPoles(g, equation, factor);
  Zeros zeros = firstGuess(g, all);
  Value offset = offsetsOf(g, all, zeros);
  Value values = g.select(all.takesPart, g.add(zeros.origin, offset), all.own);
  Value order =
      placesAlong(g, g.builder().create<TopKOp>(g.location(), all.order.getType(), g.neg(values)),
                  size_t(axis), first, count);
  SecularRoots roots{gatherRows(g, values, order), Value()};
  if (!needsRows)
    return roots;

  // Rows in their final order, columns in that of the weights as they were given.
  Shape matrix = getShape(order);
  matrix.push_back(shape.back());
  auto ofRow = [&](Value x) {
    return g.broadcastAlong(gatherRows(g, x, order), matrix, {axis + 1});
  };
  auto ofColumn = [&](Value x) {
    return g.broadcastAlong(scatterRows(g, x, all.order), matrix, {axis});
  };
  Type element = getElementType(values);
  Value weights =
      g.select(all.takesPart, exactWeights(g, all, zeros.origin, offset), g.zeroLike(values));
  Value distance = g.sub(g.sub(ofColumn(all.poles), ofRow(zeros.origin)), ofRow(offset));
  Value isVector = g.notEqual(ofRow(g.cast(all.takesPart, element)), g.zeroLike(distance));
  auto places = withElementType(getTensorType(matrix, element), getElementType(order));
  Value isOwn = g.equal(g.iota(places, axis + 1), ofRow(all.order));
  Value one = g.oneLike(distance), zero = g.zeroLike(distance);
  Value divisor = g.select(isVector, distance, one);
  Value rows = g.select(isVector, g.div(ofColumn(weights), divisor), g.select(isOwn, one, zero));
  Value length = g.sqrt(g.reduceSum(g.mul(rows, rows), {axis + 1}));
  roots.rows = g.div(rows, g.broadcastAlong(length, matrix, {axis + 1}));
  return roots;
}

} // namespace keratin::passes
