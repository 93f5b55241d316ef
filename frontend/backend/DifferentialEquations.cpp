// K::odeint.
#include "keratin/derivatives.h"

#include "frontend/backend/RungeKutta.h"
#include "frontend/backend/SolvedEquations.h"
#include "frontend/graph/GivenGradient.h"
#include "frontend/graph/Loop.h"
#include "frontend/graph/TracedFunction.h"

#include <numeric>
#include <optional>

using namespace keratin;
using namespace keratin::frontend;

namespace {

class Problem {
public:
  Problem(Call &call, const OdeOptions &options);
  std::vector<Value> solve(const LoopBody &f, const std::vector<Operand> &y0, const Operand &times);

private:
  std::vector<Value> forwards();
  std::vector<Value> gradients(llvm::ArrayRef<Value> solution, llvm::ArrayRef<Value> cotangents);
  RungeKutta adjoint() const;
  // Of what there is along axis 0.
  Value part(Value x, const DimExpr &start, const DimExpr &count) const;
  Value row(Value x, const DimExpr &place) const;
  Value lastTime() const { return row(t, steps); }
  Value sumOfProducts(llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) const;
  std::vector<Value> slopes(llvm::ArrayRef<Value> y, Value time) const;

  Call &call;
  ir::GraphMath &g;
  double relative, absolute;
  DimExpr most;
  std::optional<TracedFunction> function;
  std::vector<Value> first;
  Value t;
  DimExpr steps;
};

} // namespace

Problem::Problem(Call &call, const OdeOptions &options)
    : call(call), g(call.g), relative(options.rtol), absolute(options.atol),
      most(call.size(options.maximumSteps, "maximum_steps")) {}

Value Problem::part(Value x, const DimExpr &start, const DimExpr &count) const {
  ir::Shape sizes = ir::getShape(x), starts(sizes.size(), DimExpr(0));
  starts.front() = start;
  sizes.front() = count;
  return g.slice(x, starts, sizes, std::vector<int64_t>(sizes.size(), 1));
}

Value Problem::row(Value x, const DimExpr &place) const {
  ir::Shape shape = ir::getShape(x);
  shape.erase(shape.begin());
  return g.reshape(part(x, place, DimExpr(1)), shape);
}

Value Problem::sumOfProducts(llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) const {
  Value sum;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    std::vector<int64_t> axes(size_t(call.rank(x)));
    std::iota(axes.begin(), axes.end(), 0);
    Value product = g.cast(g.reduceSum(g.mul(x, y), axes), ir::getElementType(t));
    sum = sum ? g.add(sum, product) : product;
  }
  return sum;
}

std::vector<Value> Problem::slopes(llvm::ArrayRef<Value> y, Value time) const {
  std::vector<Value> given(y.begin(), y.end());
  given.push_back(time);
  return (*function)(given);
}

// From each time to the next.
std::vector<Value> Problem::forwards() {
  RungeKutta method(
      call, [&](llvm::ArrayRef<Value> y, Value time) { return slopes(y, time); }, relative,
      absolute, most);
  RungeKutta::State start = method.start(first, row(t, 0), lastTime());
  std::vector<Value> inits = start.y, next;
  inits.push_back(start.t);
  inits.push_back(start.step);
  Loop loop(call, "the times of odeint", steps, false);
  RungeKutta::State from;
  for (Value y : start.y)
    from.y.push_back(loop.addState(y.getType()));
  from.t = loop.addState(start.t.getType());
  from.step = loop.addState(start.step.getType());
  Value until = loop.addElement(part(t, 1, steps));
  RungeKutta::State to = method.advance(from, until, "the steps of odeint");
  next = to.y;
  next.push_back(to.t);
  next.push_back(to.step);
  loop.end();
  std::vector<Value> stacks = loop.finish(inits, next, to.y).stacks, solution;
  for (auto [y, rest] : llvm::zip_equal(first, stacks)) {
    ir::Shape shape = ir::getShape(y);
    shape.insert(shape.begin(), DimExpr(1));
    solution.push_back(g.concatenate({g.reshape(y, shape), rest}, 0));
  }
  return solution;
}

// Of y, its cotangents a, and the gradients of what f takes from outside: da/dt = -(df/dy)^T a, and
// what a step back adds to the gradients is (df/dc)^T a (Pontryagin et al., 1962).
RungeKutta Problem::adjoint() const {
  const size_t count = first.size();
  auto derivative = [this, count](llvm::ArrayRef<Value> all, Value time) {
    llvm::ArrayRef<Value> y = all.take_front(count), a = all.slice(count, count);
    std::vector<Value> given(y.begin(), y.end());
    given.push_back(time);
    std::vector<Value> made = (*function)(given), cotangents = function->vjp(given, a);
    for (size_t i = 0; i < cotangents.size(); ++i)
      if (i != count) // not that of the time
        made.push_back(g.neg(cotangents[i]));
    return made;
  };
  return RungeKutta(call, derivative, relative, absolute, most);
}

std::vector<Value> Problem::gradients(llvm::ArrayRef<Value> solution,
                                      llvm::ArrayRef<Value> cotangents) {
  const size_t count = first.size();
  // The tolerance is for cotangents of about 1; all is linear in them.
  Value size = largest(call, cotangents);
  size = call.builder.create<ir::StopGradientOp>(g.location(), size);
  Value isUsable = g.and_(g.isFinite(size), g.greater(size, g.zeroLike(size)));
  size = g.select(isUsable, size, g.oneLike(size));
  std::vector<Value> scaled;
  for (Value cotangent : cotangents)
    scaled.push_back(times(call, cotangent, g.div(g.oneLike(size), size)));

  RungeKutta method = adjoint();
  std::vector<Value> inits;
  for (llvm::ArrayRef<Value> values : {llvm::ArrayRef<Value>(first), function->variables()})
    for (Value value : values)
      inits.push_back(g.zeroLike(value));
  // A tenth of an interval is as good a first guess as any: steps get longer or shorter at once.
  Value all = g.abs(g.sub(row(t, 0), lastTime()));
  all = call.builder.create<ir::StopGradientOp>(g.location(), all);
  inits.push_back(g.scale(all, 0.1));
  Loop loop(call, "the times of odeint's gradient", steps, true);
  std::vector<Value> states;
  for (Value value : inits)
    states.push_back(loop.addState(value.getType()));
  Value from = loop.addElement(part(t, 1, steps)), until = loop.addElement(part(t, 0, steps));
  std::vector<Value> y, added;
  for (Value value : solution)
    y.push_back(loop.addElement(part(value, 1, steps)));
  for (Value value : scaled)
    added.push_back(loop.addElement(part(value, 1, steps)));
  RungeKutta::State at{y, from, states.back()};
  for (size_t i = 0; i < count; ++i)
    at.y.push_back(g.add(states[i], added[i]));
  at.y.insert(at.y.end(), states.begin() + count, states.end() - 1);
  Value ofTime = sumOfProducts(added, slopes(y, from));
  RungeKutta::State to = method.advance(at, until, "the steps of odeint's gradient");
  std::vector<Value> next(to.y.begin() + count, to.y.end());
  next.push_back(to.step);
  loop.end();
  Loop::Results results = loop.finish(inits, next, {ofTime});

  // The first time is where y is what it is, so moving it there moves y here.
  std::vector<Value> start, last(results.lastStates.begin(), results.lastStates.end() - 1), made;
  for (Value value : solution)
    start.push_back(row(value, 0));
  llvm::ArrayRef<Value> ofFirst = llvm::ArrayRef(last).take_front(count);
  Value ofStart = g.neg(sumOfProducts(ofFirst, slopes(start, row(t, 0))));
  for (size_t i = 0; i < count; ++i)
    made.push_back(g.add(last[i], row(scaled[i], 0)));
  made.push_back(g.concatenate({g.reshape(ofStart, {DimExpr(1)}), results.stacks.front()}, 0));
  made.insert(made.end(), last.begin() + count, last.end());
  for (Value &gradient : made)
    gradient = times(call, gradient, size);
  return made;
}

std::vector<Value> Problem::solve(const LoopBody &f, const std::vector<Operand> &y0,
                                  const Operand &times) {
  if (y0.empty())
    call.valueError("y0 is an empty list; needed one tensor or more");
  if (!(relative >= 0) || !(absolute > 0))
    call.valueError("rtol is " + std::to_string(relative) + " and atol " +
                    std::to_string(absolute) + "; needed 0 or more, and more than 0");
  for (const Operand &operand : y0)
    first.push_back(call.floating(operand));
  t = call.cast(call.value(times), call.dtypeOf(first.front()));
  if (call.rank(t) != 1)
    call.valueError("t has shape " + describe(t) + "; needed a vector of times");
  DimExpr count = ir::getShape(t).front();
  call.requireAtLeast(count, DimExpr(1), "t must have a time");
  call.requireAtLeast(most, DimExpr(0), "maximum_steps must not be negative");
  t = call.required(t);
  steps = call.check(ir::sub(count, DimExpr(1)));
  function.emplace(call, "the function of odeint");
  traceLike(call, *function, f, first, "y0", row(t, 0));
  const std::vector<Value> solution = forwards();
  std::vector<Value> inputs = first;
  inputs.push_back(t);
  llvm::append_range(inputs, function->variables());
  return withGradient(
      call, "the gradient of odeint", solution, inputs,
      [&](llvm::ArrayRef<Value> results, llvm::ArrayRef<Value> cotangents) {
        return gradients(results, cotangents);
      },
      /*forwardByOps=*/true);
}

std::vector<Tensor> keratin::detail::odeint(const LoopBody &f, const std::vector<Operand> &y0,
                                            const Operand &t, const OdeOptions &options,
                                            SourceLocation location) {
  Call call("odeint", location);
  std::vector<Tensor> results;
  for (Value y : Problem(call, options).solve(f, y0, t))
    results.push_back(call.tensor(y));
  return results;
}
