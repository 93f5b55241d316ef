// Steps of an initial value problem.
#ifndef KERATIN_FRONTEND_BACKEND_RUNGEKUTTA_H
#define KERATIN_FRONTEND_BACKEND_RUNGEKUTTA_H

#include "frontend/graph/Call.h"

#include <functional>
#include <vector>

namespace keratin::frontend {

// dy/dt = f(y, t) from a state to a time, by the pair of orders 5 and 4 of Dormand and Prince (A
// family of embedded Runge-Kutta formulae, 1980), with steps whose error, by the root mean square
// of all elements, is at most absolute + relative * |y|. Tangents of the length of steps are zeros:
// those of values are what the same steps make of the variational equation.
class RungeKutta {
public:
  using Derivative = std::function<std::vector<Value>(llvm::ArrayRef<Value> y, Value t)>;
  RungeKutta(Call &call, Derivative derivative, double relative, double absolute, DimExpr most)
      : call(call), derivative(std::move(derivative)), relative(relative), absolute(absolute),
        most(std::move(most)) {}

  struct State {
    std::vector<Value> y;
    Value t;
    Value step; // to be tried next, positive
  };
  // At a first time, with a length that fits the size of y and of its derivative there and is not
  // above that to `until` (Hairer, Norsett, Wanner: Solving ordinary differential equations I,
  // II.4).
  State start(llvm::ArrayRef<Value> y, Value t, Value until) const;
  // At `until`, after or before; NaN if `most` steps do not lead there, or none that is long enough
  // to count. `name` is for messages.
  State advance(const State &from, Value until, const std::string &name) const;

private:
  struct Step {
    std::vector<Value> y, derivative, error;
  };
  Step take(llvm::ArrayRef<Value> y, llvm::ArrayRef<Value> derivative, Value t, Value length) const;
  Value ratio(llvm::ArrayRef<Value> y, llvm::ArrayRef<Value> next,
              llvm::ArrayRef<Value> error) const;
  Value meanNorm(llvm::ArrayRef<Value> values, llvm::ArrayRef<Value> scales) const;
  std::vector<Value> chosen(Value condition, llvm::ArrayRef<Value> a,
                            llvm::ArrayRef<Value> b) const;
  Value constant(Value x) const;

  Call &call;
  Derivative derivative;
  double relative, absolute;
  DimExpr most;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_RUNGEKUTTA_H
