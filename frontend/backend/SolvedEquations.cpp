#include "frontend/backend/SolvedEquations.h"

#include "frontend/graph/Loop.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

void frontend::traceLike(Call &call, TracedFunction &function, const LoopBody &f,
                         llvm::ArrayRef<Value> unknowns, const std::string &name, Value time) {
  if (unknowns.empty())
    call.valueError(name + " is an empty list; needed one tensor or more");
  size_t count = unknowns.size() + (time ? 1 : 0);
  if (f.tensorCount() && *f.tensorCount() != count)
    call.valueError("f has " + std::to_string(*f.tensorCount()) + " parameters; needed " +
                    std::to_string(count) + ", one for each tensor of " + name +
                    (time ? " and the time" : ""));
  std::vector<Tensor> given;
  for (Value unknown : unknowns)
    given.push_back(tensorOf(function.addParameter(ir::getTensorType(unknown))));
  if (time)
    given.push_back(tensorOf(function.addParameter(ir::getTensorType(time))));
  const std::vector<Tensor> made = call.runUserCode([&] { return f(given); });
  if (made.size() != unknowns.size())
    call.valueError("f returns " + std::to_string(made.size()) + " tensors; needed " +
                    std::to_string(unknowns.size()) + ", one for each of " + name);
  std::vector<Value> results;
  for (size_t i = 0; i < made.size(); ++i) {
    Value value = call.value(made[i]);
    const std::string what = unknowns.size() == 1 ? "f" : "result " + std::to_string(i) + " of f";
    DType found = call.dtypeOf(value), needed = call.dtypeOf(unknowns[i]);
    if (found != needed)
      call.valueError(what + " has dtype " + dtypeName(found) + "; needed " + dtypeName(needed) +
                      ", as " + name + " has");
    results.push_back(call.requireShape(value, ir::getShape(unknowns[i]), name + " and " + what));
  }
  function.finish(results);
}

Value frontend::largest(Call &call, llvm::ArrayRef<Value> values) {
  ir::GraphMath &g = call.g;
  Value found;
  for (Value value : values) {
    std::vector<int64_t> axes(size_t(call.rank(value)));
    std::iota(axes.begin(), axes.end(), 0);
    Value one = g.cast(g.reduceMax(g.abs(value), axes), ir::getElementType(values.front()));
    found = found ? g.maximum(found, one) : one;
  }
  return found;
}

std::vector<Value> frontend::differences(Call &call, llvm::ArrayRef<Value> a,
                                         llvm::ArrayRef<Value> b) {
  std::vector<Value> result;
  for (auto [x, y] : llvm::zip_equal(a, b))
    result.push_back(call.g.sub(x, y));
  return result;
}

Value frontend::times(Call &call, Value x, Value scalar) {
  scalar = call.g.cast(scalar, ir::getElementType(x));
  return call.g.mul(x, call.g.broadcastScalar(scalar, ir::getShape(x)));
}

// Three quarters of the dtype's digits.
static double usualTolerance(DType dtype) {
  const int digits[] = {8, 11, 24, 53};
  int of = dtype == DType::BFloat16  ? digits[0]
           : dtype == DType::Float16 ? digits[1]
           : dtype == DType::Float32 ? digits[2]
                                     : digits[3];
  return std::ldexp(1.0, -(3 * (of - 1)) / 4);
}

Stop frontend::stopOf(Call &call, const SolverOptions &options, int64_t usual, Value value) {
  const bool isGiven = !options.maximumIterations.isNone();
  Stop stop{options.tolerance.value_or(usualTolerance(call.dtypeOf(value))),
            isGiven ? call.size(options.maximumIterations, "maximum_iterations") : DimExpr(usual),
            options.check};
  if (!(stop.tolerance >= 0))
    call.valueError("tolerance is " + std::to_string(stop.tolerance) +
                    "; needed a number that is not negative");
  call.requireAtLeast(stop.most, DimExpr(0), "maximum_iterations must not be negative");
  return stop;
}

// The values, in a call that fails where `isOn`: where the last step still changed them.
static std::vector<Value> checkedEnd(Call &call, const std::string &name, Value isOn,
                                     std::vector<Value> values) {
  ir::GraphMath &g = call.g;
  Value number = call.inRange(g.cast(isOn, call.elementType(DType::Int64)), DimExpr(0), DimExpr(1),
                              name + " has not come within the tolerance in maximum_iterations");
  isOn = g.notEqual(number, g.constantLike(0, number));
  // Who reads the values reads the check.
  for (Value &value : values) {
    Value nan = g.constantLike(std::numeric_limits<double>::quiet_NaN(), value);
    value = g.select(g.broadcastScalar(isOn, ir::getShape(value)), nan, value);
  }
  return values;
}

std::vector<Value>
frontend::repeat(Call &call, const std::string &name, llvm::ArrayRef<Value> first, const Stop &stop,
                 bool isAbsolute,
                 llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value>)> step) {
  ir::GraphMath &g = call.g;
  std::vector<Value> inits = {call.literal(Array(true))}, next = {Value()}, states;
  Loop loop(call, name);
  loop.addState(inits.front().getType());
  for (Value value : first) {
    inits.push_back(value);
    states.push_back(loop.addState(value.getType()));
  }
  llvm::append_range(next, step(states));
  llvm::ArrayRef<Value> made = llvm::ArrayRef(next).drop_front();
  Value change = largest(call, differences(call, made, states)), scale = largest(call, made);
  if (isAbsolute)
    scale = g.maximum(scale, g.oneLike(scale));
  next.front() = g.greater(change, g.scale(scale, stop.tolerance));
  loop.end();
  std::vector<Value> last = loop.finishWhile(inits, next, stop.most);
  Value isOn = last.front();
  last.erase(last.begin());
  return stop.check ? checkedEnd(call, name, isOn, std::move(last)) : last;
}
