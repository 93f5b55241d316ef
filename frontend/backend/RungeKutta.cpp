#include "frontend/backend/RungeKutta.h"

#include "frontend/backend/SolvedEquations.h"
#include "frontend/graph/Loop.h"

#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

// Of the stages behind the first, the last of which is the derivative at the end of the step.
static constexpr int kStages = 6;
static constexpr double kTimes[kStages] = {1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static constexpr double kWeights[kStages][kStages] = {
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
// What the solutions of orders 5 and 4 differ by.
static constexpr double kErrors[kStages + 1] = {
    71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
// Of the step that has the error that is asked for, and between which limits one changes.
static constexpr double kSafety = 0.9, kShortest = 0.2, kLongest = 10;

Value RungeKutta::constant(Value x) const {
  return call.builder.create<ir::StopGradientOp>(call.g.location(), x);
}

std::vector<Value> RungeKutta::chosen(Value condition, llvm::ArrayRef<Value> a,
                                      llvm::ArrayRef<Value> b) const {
  std::vector<Value> result;
  for (auto [x, y] : llvm::zip_equal(a, b))
    result.push_back(call.g.select(call.g.broadcastScalar(condition, ir::getShape(x)), x, y));
  return result;
}

// The root of the mean of the squares of the elements, each in parts of its scale.
Value RungeKutta::meanNorm(llvm::ArrayRef<Value> values, llvm::ArrayRef<Value> scales) const {
  ir::GraphMath &g = call.g;
  mlir::Type type = ir::getElementType(values.front());
  Value sum, count;
  for (auto [value, scale] : llvm::zip_equal(values, scales)) {
    std::vector<int64_t> axes(size_t(call.rank(value)));
    std::iota(axes.begin(), axes.end(), 0);
    Value part = g.div(value, scale);
    Value squares = g.cast(g.reduceSum(g.mul(part, part), axes), type);
    Value elements = g.count(value, axes, type);
    sum = sum ? g.add(sum, squares) : squares;
    count = count ? g.add(count, elements) : elements;
  }
  return g.sqrt(g.div(sum, g.maximum(count, g.oneLike(count))));
}

// Of the error to that which is allowed.
Value RungeKutta::ratio(llvm::ArrayRef<Value> y, llvm::ArrayRef<Value> next,
                        llvm::ArrayRef<Value> error) const {
  ir::GraphMath &g = call.g;
  std::vector<Value> errors, scales;
  for (auto [before, after, difference] : llvm::zip_equal(y, next, error)) {
    Value size = constant(g.maximum(g.abs(before), g.abs(after)));
    errors.push_back(constant(difference));
    scales.push_back(g.add(g.scale(size, relative), g.constantLike(absolute, size)));
  }
  return meanNorm(errors, scales);
}

RungeKutta::Step RungeKutta::take(llvm::ArrayRef<Value> y, llvm::ArrayRef<Value> first, Value t,
                                  Value length) const {
  ir::GraphMath &g = call.g;
  std::vector<std::vector<Value>> stages = {std::vector<Value>(first.begin(), first.end())};
  // length * the sum of the stages by these weights.
  auto sum = [&](const double *weights, size_t i) {
    Value total;
    for (size_t k = 0; k < stages.size(); ++k)
      if (weights[k] != 0) {
        Value part = g.scale(stages[k][i], weights[k]);
        total = total ? g.add(total, part) : part;
      }
    return times(call, total, length);
  };
  Step step;
  for (int stage = 0; stage < kStages; ++stage) {
    step.y.clear();
    for (size_t i = 0; i < y.size(); ++i)
      step.y.push_back(g.add(y[i], sum(kWeights[stage], i)));
    stages.push_back(derivative(step.y, g.add(t, g.scale(length, kTimes[stage]))));
  }
  step.derivative = stages.back();
  for (size_t i = 0; i < y.size(); ++i)
    step.error.push_back(sum(kErrors, i));
  return step;
}

RungeKutta::State RungeKutta::start(llvm::ArrayRef<Value> y, Value t, Value until) const {
  ir::GraphMath &g = call.g;
  std::vector<Value> scales, sizes, slopes;
  for (Value value : y) {
    sizes.push_back(constant(value));
    Value size = g.abs(sizes.back());
    scales.push_back(g.add(g.scale(size, relative), g.constantLike(absolute, size)));
  }
  for (Value value : derivative(y, t))
    slopes.push_back(constant(value));
  Value size = meanNorm(sizes, scales), slope = meanNorm(slopes, scales);
  Value length = g.scale(g.div(size, slope), 0.01);
  auto isSmall = [&](Value x) { return g.less(x, g.constantLike(1e-5, x)); };
  length = g.select(g.or_(isSmall(size), isSmall(slope)), g.constantLike(1e-6, length), length);
  Value all = g.abs(constant(g.sub(until, t)));
  return {std::vector<Value>(y.begin(), y.end()), t, g.minimum(length, all)};
}

RungeKutta::State RungeKutta::advance(const State &from, Value until,
                                      const std::string &name) const {
  ir::GraphMath &g = call.g;
  const size_t count = from.y.size();
  const std::vector<Value> slopes = derivative(from.y, from.t);
  std::vector<Value> first = {g.notEqual(from.t, until), from.t, from.step};
  llvm::append_range(first, from.y);
  llvm::append_range(first, slopes);
  Loop loop(call, name);
  std::vector<Value> states;
  for (Value value : first)
    states.push_back(loop.addState(value.getType()));
  Value t = states[1], wanted = states[2];
  llvm::ArrayRef<Value> y = llvm::ArrayRef(states).slice(3, count),
                        slope = llvm::ArrayRef(states).drop_front(3 + count);

  Value rest = g.sub(until, t), distance = g.abs(rest);
  Value isLast = g.greaterEqual(wanted, distance);
  Value length = g.select(isLast, rest, g.mul(wanted, g.sign(rest)));
  Step step = take(y, slope, t, length);
  Value found = ratio(y, step.y, step.error);
  Value isTaken = g.greaterEqual(g.oneLike(found), found); // not where it is NaN
  // The error is of order 5 in the length.
  Value factor = g.scale(g.pow(found, g.constantLike(-0.2, found)), kSafety);
  Value atMost = g.select(isTaken, g.constantLike(kLongest, factor), g.oneLike(factor));
  factor = g.minimum(g.maximum(factor, g.constantLike(kShortest, factor)), atMost);
  factor = g.select(g.isFinite(found), factor, g.constantLike(kShortest, factor));
  Value fitting = g.mul(constant(g.abs(length)), factor);
  // One that only had to end at this time says nothing against longer ones.
  Value next = g.select(g.and_(isLast, isTaken), g.maximum(wanted, fitting), fitting);
  Value moved = g.select(isLast, until, g.add(t, length));
  Value isShort = g.equal(g.add(t, g.mul(next, g.sign(rest))), t);

  std::vector<Value> made = {Value(), g.select(isTaken, moved, t), constant(next)};
  Value isThere = g.equal(made[1], until);
  made[0] = g.and_(g.not_(isThere), g.not_(g.and_(g.not_(isTaken), isShort)));
  llvm::append_range(made, chosen(isTaken, step.y, y));
  llvm::append_range(made, chosen(isTaken, step.derivative, slope));
  loop.end();
  const std::vector<Value> last = loop.finishWhile(first, made, most);

  State to;
  to.t = until;
  to.step = last[2];
  Value hasArrived = g.equal(last[1], until);
  for (size_t i = 0; i < count; ++i) {
    Value value = last[3 + i];
    to.y.push_back(chosen(hasArrived, {value},
                          {g.constantLike(std::numeric_limits<double>::quiet_NaN(), value)})
                       .front());
  }
  return to;
}
