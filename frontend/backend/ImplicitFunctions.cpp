// K::fixed_point and K::root: values that solve an equation, with gradients by the implicit
// function theorem.
#include "keratin/derivatives.h"

#include "frontend/backend/Derivatives.h"
#include "frontend/backend/Factorizations.h"
#include "frontend/backend/SolvedEquations.h"
#include "frontend/graph/GivenGradient.h"
#include "frontend/graph/Loop.h"
#include "frontend/graph/TracedFunction.h"

using namespace keratin;
using namespace keratin::frontend;

static std::vector<Value> floatsOf(Call &call, const std::vector<Operand> &operands) {
  std::vector<Value> values;
  for (const Operand &operand : operands)
    values.push_back(call.required(call.floating(operand)));
  return values;
}

static DimExpr mostOf(Call &call, const Size &maximum, const std::string &name) {
  DimExpr most = call.size(maximum, name);
  call.requireAtLeast(most, DimExpr(0), name + " must not be negative");
  return most;
}

static std::vector<Tensor> tensorsOf(Call &call, llvm::ArrayRef<Value> values) {
  std::vector<Tensor> tensors;
  for (Value value : values)
    tensors.push_back(call.tensor(value));
  return tensors;
}

// x = f(x, c): the cotangents of c are those that f gives it for w = dy + (df/dx)^T w, which is a
// fixed point as well, and found as x was.
std::vector<Tensor> keratin::detail::fixedPoint(const LoopBody &f,
                                                const std::vector<Operand> &start,
                                                const std::optional<double> &given,
                                                const Size &maximum, SourceLocation location) {
  Call call("fixed_point", location);
  const std::vector<Value> x0 = floatsOf(call, start);
  const DimExpr most = mostOf(call, maximum, "maximum_iterations");
  TracedFunction function(call, "the function of fixed_point");
  traceLike(call, function, f, x0, "x0");
  const double tolerance = toleranceOf(call, given, x0.front());
  std::vector<Value> last =
      repeat(call, "the iteration of fixed_point", x0, tolerance, /*isAbsolute=*/true, most,
             [&](llvm::ArrayRef<Value> x) { return function(x); });
  if (function.variables().empty())
    return tensorsOf(call, last);

  auto build = [&](llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dy) {
    auto step = [&](llvm::ArrayRef<Value> w) {
      std::vector<Value> next = function.vjp(x, w);
      next.resize(x.size());
      for (auto [value, cotangent] : llvm::zip_equal(next, dy))
        value = call.g.add(value, cotangent);
      return next;
    };
    const std::vector<Value> w = repeat(call, "the gradient of fixed_point", dy, tolerance,
                                        /*isAbsolute=*/false, most, step);
    std::vector<Value> gradients = function.vjp(x, w);
    gradients.erase(gradients.begin(), gradients.begin() + x.size());
    return gradients;
  };
  return tensorsOf(
      call, withGradient(call, "the gradient of fixed_point", last, function.variables(), build));
}

// The derivative of each element of f by each of x, and f itself, a column.
static std::pair<Value, Value> linearised(Call &call, const TracedFunction &function, Value x) {
  ir::GraphMath &g = call.g;
  const DimExpr count = call.check(ir::elementCount(ir::getShape(x)));
  Value at = call.builder.create<ir::IdentityOp>(g.location(), x);
  Value y = function({at}).front();
  return {jacobianMatrix(call, y, at), g.reshape(y, {count, DimExpr(1)})};
}

// f(x, c) = 0: the cotangents of c are those that f gives it for -w, where (df/dx)^T w = dy.
Tensor keratin::detail::root(const LoopBody &f, const Operand &start,
                             const std::optional<double> &given, const Size &maximum,
                             SourceLocation location) {
  Call call("root", location);
  ir::GraphMath &g = call.g;
  const Value x0 = floatsOf(call, {start}).front();
  const DimExpr most = mostOf(call, maximum, "maximum_iterations");
  TracedFunction function(call, "the function of root");
  traceLike(call, function, f, x0, "x0");
  auto step = [&](llvm::ArrayRef<Value> x) {
    auto [jacobian, y] = linearised(call, function, x.front());
    Value change = g.reshape(solutionOf(call, jacobian, y), ir::getShape(x0));
    return std::vector<Value>{g.sub(x.front(), change)};
  };
  std::vector<Value> last = repeat(call, "the iteration of root", x0, toleranceOf(call, given, x0),
                                   /*isAbsolute=*/true, most, step);
  if (function.variables().empty())
    return call.tensor(last.front());

  auto build = [&](llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dy) {
    auto [jacobian, y] = linearised(call, function, x.front());
    Value w =
        solutionOf(call, g.transpose(jacobian, {1, 0}), g.reshape(dy.front(), ir::getShape(y)));
    Value cotangent = g.neg(g.reshape(w, ir::getShape(x0)));
    std::vector<Value> gradients = function.vjp(x, {cotangent});
    gradients.erase(gradients.begin());
    return gradients;
  };
  return call.tensor(
      withGradient(call, "the gradient of root", last, function.variables(), build).front());
}
