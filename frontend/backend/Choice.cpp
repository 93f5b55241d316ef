// K::switch.
#include "frontend/backend/Choice.h"

#include "frontend/graph/Loop.h"
#include "keratin/training_phase.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin;
using namespace keratin::frontend;

// The ops that the value needs. Walks with its own stack.
static std::vector<mlir::Operation *> neededBy(Value root) {
  std::vector<mlir::Operation *> ops = {root.getDefiningOp()};
  llvm::DenseSet<mlir::Operation *> seen = {root.getDefiningOp()};
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (seen.insert(operand.getDefiningOp()).second)
        ops.push_back(operand.getDefiningOp());
  return ops;
}

static bool prints(mlir::Operation *op) {
  return op->walk([](ir::PrintOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

// An expression that is a tensor was made before the branch, and is computed in any case if others
// need it too. What it alone needs on the way to something that prints moves into the branch.
static std::vector<mlir::Operation *> printingOps(Call &call, Value root) {
  std::vector<mlir::Operation *> ops = neededBy(root);
  if (llvm::any_of(ops, llvm::IsaPred<ir::UpdateOp>))
    call.notImplemented("an expression that updates under a scalar condition");
  if (llvm::none_of(ops, prints))
    return {};
  llvm::sort(ops, [](mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); });
  llvm::DenseSet<mlir::Operation *> printing, exclusive;
  for (mlir::Operation *op : ops)
    if (prints(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return printing.contains(operand.getDefiningOp());
        }))
      printing.insert(op);
  std::vector<mlir::Operation *> result;
  for (mlir::Operation *op : llvm::reverse(ops))
    if (printing.contains(op) && llvm::all_of(op->getUsers(), [&](mlir::Operation *user) {
          return exclusive.contains(user);
        })) {
      exclusive.insert(op);
      result.push_back(op);
    }
  return result;
}

static Tensor chooseBranch(Call &call, Value condition, const Branch &x, const Branch &y) {
  std::string function = call.function;
  Trace thenTrace(call, "the then-branch of " + function);
  Operand thenOperand = x.evaluate();
  if (thenOperand.isTensor())
    call.raw(thenOperand.tensor());
  thenTrace.end();
  Trace elseTrace(call, "the else-branch of " + function);
  Operand elseOperand = y.evaluate();
  if (elseOperand.isTensor())
    call.raw(elseOperand.tensor());
  elseTrace.end();

  // What makes the two alike is part of both.
  Trace commonTrace(call, "the branches of " + function);
  auto [a, b] = call.promoted(thenOperand, elseOperand);
  ir::Shape from = ir::getShape(a), to = ir::getShape(b), shape;
  if (from.size() != to.size())
    call.notImplemented("branches of different ranks under a scalar condition");
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].isConstant() && to[i].isConstant() && from[i] != to[i])
      call.notImplemented("branches of shapes " + describe(a) + " and " + describe(b) +
                          " under a scalar condition");
    call.requireEqual(from[i], to[i],
                      "not implemented: branches of different sizes under a scalar condition");
    shape.push_back(to[i].isConstant() ? to[i] : from[i]);
  }
  a = call.g.reshape(a, shape);
  b = call.g.reshape(b, shape);
  commonTrace.end();
  condition = call.required(condition);
  BranchBody thenBody{{&thenTrace, &commonTrace}, {a}, {}};
  BranchBody elseBody{{&elseTrace, &commonTrace}, {b}, {}};
  if (!x.isCallable())
    thenBody.moved = printingOps(call, a);
  if (!y.isCallable())
    elseBody.moved = printingOps(call, b);
  return call.tensor(branch(call, condition, thenBody, elseBody).front());
}

Tensor frontend::choose(Call &call, Value condition, const Branch &x, const Branch &y) {
  condition = call.cast(condition, DType::Bool);
  int64_t rank = call.rank(condition);
  if (rank == 0)
    return chooseBranch(call, condition, x, y);
  auto [a, b] = call.promoted(x.evaluate(), y.evaluate());
  ir::Shape shape = call.broadcastShape(ir::getShape(a), ir::getShape(b));
  if (rank > call.rank(a))
    call.valueError("the condition has rank " + std::to_string(rank) +
                    "; needed at most the rank of the then-expression, " +
                    std::to_string(call.rank(a)));
  // Its axes are the first of the expressions'.
  ir::Shape extended = ir::getShape(condition);
  extended.resize(shape.size(), DimExpr(1));
  condition = call.g.reshape(condition, extended);
  shape = call.broadcastShape(shape, extended);
  return call.tensor(call.g.select(call.broadcastTo(condition, shape), call.broadcastTo(a, shape),
                                   call.broadcastTo(b, shape)));
}

namespace keratin::backend {

Tensor switch_(const Operand &condition, const Branch &then_expression,
               const Branch &else_expression, SourceLocation location) {
  Call call("switch", location);
  return choose(call, call.value(condition), then_expression, else_expression);
}

} // namespace keratin::backend
