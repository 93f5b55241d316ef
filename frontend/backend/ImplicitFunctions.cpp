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

static std::vector<Tensor> tensorsOf(Call &call, llvm::ArrayRef<Value> values) {
  std::vector<Tensor> tensors;
  for (Value value : values)
    tensors.push_back(call.tensor(value));
  return tensors;
}

namespace {

// The derivatives of x = f(x, c) by c: those of a fixed point are fixed points as well, and found
// as x was.
class FixedPointDerivatives {
public:
  FixedPointDerivatives(Call &call, const TracedFunction &f, const Stop &stop)
      : call(call), f(f), stop(stop) {}

  // What f gives c for w = dy + (df/dx)^T w.
  std::vector<Value> gradients(llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dy) const {
    std::vector<Value> gradients = f.vjp(x, adjoint(x, dy));
    gradients.erase(gradients.begin(), gradients.begin() + x.size());
    return gradients;
  }

  // t = df/dx t + df/dc dc. When it ends depends on dc, but t is linear in it, so that what the
  // transpose of t is must be said.
  std::vector<Value> tangents(llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dc) const {
    const std::vector<Value> direct = f.jvp(x, {}, dc);
    const std::vector<Value> t = solve("the tangents of fixed_point", direct,
                                       [&](llvm::ArrayRef<Value> t) { return f.jvp(x, t, {}); });
    std::vector<Value> inputs = direct;
    llvm::append_range(inputs, x);
    llvm::append_range(inputs, f.variables());
    auto build = [&](llvm::ArrayRef<Value> t, llvm::ArrayRef<Value> dt) {
      std::vector<Value> w = adjoint(x, dt);
      llvm::append_range(w, f.vjpOfJvp(x, t, llvm::ArrayRef(w).take_front(dt.size())));
      return w;
    };
    return withGradient(call, "the gradient of the tangents of fixed_point", t, inputs, build,
                        /*forwardByOps=*/true);
  }

private:
  std::vector<Value> adjoint(llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dy) const {
    return solve("the gradient of fixed_point", dy, [&](llvm::ArrayRef<Value> w) {
      std::vector<Value> products = f.vjp(x, w);
      products.resize(x.size());
      return products;
    });
  }

  // y = a y + b for a linear map of y.
  std::vector<Value> solve(const std::string &name, llvm::ArrayRef<Value> b,
                           llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value>)> a) const {
    auto step = [&](llvm::ArrayRef<Value> y) {
      std::vector<Value> next = a(y);
      for (auto [value, constant] : llvm::zip_equal(next, b))
        value = call.g.add(value, constant);
      return next;
    };
    return repeat(call, name, b, stop, /*isAbsolute=*/false, step);
  }

  Call &call;
  const TracedFunction &f;
  const Stop &stop;
};

} // namespace

std::vector<Tensor> keratin::detail::fixedPoint(const LoopBody &f,
                                                const std::vector<Operand> &start,
                                                const SolverOptions &options,
                                                SourceLocation location) {
  Call call("fixed_point", location);
  const std::vector<Value> x0 = floatsOf(call, start);
  TracedFunction function(call, "the function of fixed_point");
  traceLike(call, function, f, x0, "x0");
  const Stop stop = stopOf(call, options, 1000, x0.front());
  std::vector<Value> last =
      repeat(call, "the iteration of fixed_point", x0, stop, /*isAbsolute=*/true,
             [&](llvm::ArrayRef<Value> x) { return function(x); });
  if (function.variables().empty())
    return tensorsOf(call, last);

  const FixedPointDerivatives derivatives(call, function, stop);
  last = withTangents(call, "the tangents of fixed_point", last, function.variables(),
                      [&](llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dc) {
                        return derivatives.tangents(x, dc);
                      });
  return tensorsOf(call, withGradient(
                             call, "the gradient of fixed_point", last, function.variables(),
                             [&](llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> dy) {
                               return derivatives.gradients(x, dy);
                             },
                             /*forwardByOps=*/true));
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
Tensor keratin::detail::root(const LoopBody &f, const Operand &start, const SolverOptions &options,
                             SourceLocation location) {
  Call call("root", location);
  ir::GraphMath &g = call.g;
  const Value x0 = floatsOf(call, {start}).front();
  const Stop stop = stopOf(call, options, 50, x0);
  TracedFunction function(call, "the function of root");
  traceLike(call, function, f, x0, "x0");
  auto step = [&](llvm::ArrayRef<Value> x) {
    auto [jacobian, y] = linearised(call, function, x.front());
    Value change = g.reshape(solutionOf(call, jacobian, y), ir::getShape(x0));
    return std::vector<Value>{g.sub(x.front(), change)};
  };
  std::vector<Value> last =
      repeat(call, "the iteration of root", x0, stop, /*isAbsolute=*/true, step);
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
