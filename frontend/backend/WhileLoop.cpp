// K::while_loop.
#include "keratin/control.h"

#include "frontend/graph/Loop.h"

using namespace keratin;
using namespace keratin::frontend;

// What the condition says of these tensors.
static Value continues(Call &call, const ElementFunction &cond, const std::vector<Tensor> &vars) {
  Value value = call.value(call.runUserCode([&] { return cond(vars); }));
  if (call.rank(value) != 0 || call.dtypeOf(value) != DType::Bool)
    call.valueError("the condition must be a bool scalar; found " + describe(value) + " of dtype " +
                    dtypeName(call.dtypeOf(value)));
  return value;
}

static void checkParameters(Call &call, const char *function, std::optional<size_t> parameters,
                            size_t vars) {
  if (parameters && *parameters != vars)
    call.valueError(std::string(function) + " has " + std::to_string(*parameters) +
                    " parameters; needed " + std::to_string(vars) + ", one for each loop variable");
}

namespace keratin::backend {

std::vector<Tensor> while_loop(const ElementFunction &cond, const LoopBody &body,
                               const TensorList &variables, const Size &maximum_iterations,
                               SourceLocation location) {
  Call call("while_loop", location);
  const std::vector<Tensor> &loop_vars = variables.list();
  if (loop_vars.empty())
    call.valueError("loop_vars is an empty list; needed one tensor or more");
  checkParameters(call, "cond", cond.tensorCount(), loop_vars.size());
  checkParameters(call, "body", body.tensorCount(), loop_vars.size());
  std::optional<DimExpr> most;
  if (!maximum_iterations.isNone()) {
    most = call.size(maximum_iterations, "maximum_iterations");
    call.requireAtLeast(*most, DimExpr(0), "maximum_iterations must not be negative");
  }
  std::vector<Value> first = {Value()}, next = {Value()};
  for (const Tensor &tensor : loop_vars)
    first.push_back(call.required(call.value(tensor)));
  first[0] = continues(call, cond, loop_vars);

  Loop loop(call, "the body of while_loop");
  loop.addState(first[0].getType());
  std::vector<Tensor> vars;
  for (Value value : llvm::ArrayRef(first).drop_front())
    vars.push_back(tensorOf(loop.addState(value.getType())));
  std::vector<Tensor> made = call.runUserCode([&] { return body(vars); });
  if (made.size() != vars.size())
    call.valueError("body returns " + std::to_string(made.size()) + " tensors; needed " +
                    std::to_string(vars.size()) + ", one for each loop variable");
  for (size_t i = 0; i < made.size(); ++i)
    next.push_back(nextState(call, call.value(made[i]), valueOf(vars[i]),
                             "loop variable " + std::to_string(i)));
  next[0] = continues(call, cond, made);
  loop.end();
  std::vector<Value> last = loop.finishWhile(first, next, most);
  std::vector<Tensor> results;
  for (size_t i = 1; i < last.size(); ++i)
    results.push_back(call.tensor(last[i]));
  return results;
}

} // namespace keratin::backend
