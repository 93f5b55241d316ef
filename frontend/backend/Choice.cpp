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

namespace {

// The shape of a choice by a scalar. Sizes that are not the same are known when the condition is:
// both branches are padded to the larger one, and what was chosen is cut.
class ChosenShape {
public:
  ChosenShape(Call &call, Value a, Value b, bool isInBody)
      : call(call), from(ir::getShape(a)), to(ir::getShape(b)) {
    if (from.size() != to.size())
      call.notImplemented("branches of different ranks under a scalar condition");
    for (size_t i = 0; i < from.size(); ++i) {
      DimExpr size = from[i].isConstant() ? to[i] : from[i];
      if (from[i] != to[i] && isInBody) {
        // What a size is must not differ from step to step.
        if (from[i].isConstant() && to[i].isConstant())
          call.notImplemented("branches of shapes " + describe(a) + " and " + describe(b) +
                              " under a scalar condition inside a callable");
        call.requireEqual(from[i], to[i],
                          "not implemented: branches of different sizes under a scalar condition "
                          "inside a callable");
        size = from[i].isConstant() ? from[i] : to[i];
      } else if (from[i] != to[i]) {
        differing.push_back(int64_t(i));
        size = call.check(ir::max(from[i], to[i]));
      }
      common.push_back(size);
    }
  }

  Value padded(Value x) const {
    if (differing.empty())
      return call.g.reshape(x, common);
    return call.g.pad(x, ir::Shape(common.size(), DimExpr(0)),
                      std::vector<int64_t>(common.size(), 0), common);
  }

  // What a branch with this condition gave, without the padding.
  Value cut(Value x, Value condition) const {
    for (int64_t axis : differing) {
      Value size = call.g.select(condition, call.scalar(from[size_t(axis)], DType::Int64),
                                 call.scalar(to[size_t(axis)], DType::Int64));
      x = call.truncate(x, size, axis);
    }
    return x;
  }

private:
  Call &call;
  const ir::Shape from, to;
  ir::Shape common;
  std::vector<int64_t> differing;
};

} // namespace

static Tensor chooseBranch(Call &call, Value condition, const Branch &x, const Branch &y) {
  std::string function = call.function;
  bool isInBody = tracedCallable(call.graph);
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
  ChosenShape shape(call, a, b, isInBody);
  a = shape.padded(a);
  b = shape.padded(b);
  commonTrace.end();
  condition = call.required(condition);
  BranchBody thenBody{{&thenTrace, &commonTrace}, {a}, {}};
  BranchBody elseBody{{&elseTrace, &commonTrace}, {b}, {}};
  if (!x.isCallable())
    thenBody.moved = printingOps(call, a);
  if (!y.isCallable())
    elseBody.moved = printingOps(call, b);
  Value chosen = branch(call, condition, thenBody, elseBody).front();
  return call.tensor(shape.cut(chosen, condition));
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
