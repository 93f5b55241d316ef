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
// need it too. What it alone needs on the way to something that prints moves into the branch; but
// not an update, which happens whatever is chosen, nor what that needs.
static std::vector<mlir::Operation *> printingOps(Value root) {
  std::vector<mlir::Operation *> ops = neededBy(root);
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
    if (printing.contains(op) && !llvm::isa<ir::UpdateOp>(op) &&
        llvm::all_of(op->getUsers(),
                     [&](mlir::Operation *user) { return exclusive.contains(user); })) {
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
  // `made` are the traces of the branches: a size that one of their ops defines has a value in its
  // branch alone, which hands it out.
  ChosenShape(Call &call, Value &a, Value &b, llvm::ArrayRef<const Trace *> made)
      : call(call), made(made) {
    makeRanksEqual(a, b);
    from = ir::getShape(a);
    to = ir::getShape(b);
    for (size_t i = 0; i < from.size(); ++i) {
      bool isInside = computesSize(from[i]) || computesSize(to[i]);
      if (from[i] == to[i] && !isInside) {
        common.push_back(from[i]);
        continue;
      }
      (isInside ? inside : outside).push_back(int64_t(i));
      common.push_back(call.check(ir::max(most(from[i]), most(to[i]))));
    }
  }

  // The value as both branches yield it, and the sizes of it that only the branch knows.
  std::vector<Value> yielded(Value x) const {
    ir::Shape shape = ir::getShape(x);
    std::vector<Value> values = {inside.empty() && outside.empty()
                                     ? call.g.reshape(x, common)
                                     : call.g.pad(x, ir::Shape(common.size(), DimExpr(0)),
                                                  std::vector<int64_t>(common.size(), 0), common)};
    for (int64_t axis : inside)
      values.push_back(call.scalar(shape[size_t(axis)], DType::Int64));
    return values;
  }

  size_t count() const { return 1 + inside.size(); }

  // What a branch with this condition gave, without the padding.
  Value cut(llvm::ArrayRef<Value> chosen, Value condition) const {
    Value x = chosen.front();
    for (int64_t axis : outside) {
      Value size = call.g.select(condition, call.scalar(from[size_t(axis)], DType::Int64),
                                 call.scalar(to[size_t(axis)], DType::Int64));
      x = call.truncate(x, size, axis);
    }
    for (auto [axis, size] : llvm::zip(inside, chosen.drop_front()))
      x = call.truncate(x, size, axis);
    return x;
  }

private:
  // Every value's rank is known. A scalar gets a dimension of size 1 for each that the other branch
  // has: whoever broadcasts the result, or sums it, sees no difference. Of any other tensor nobody
  // knows which dimensions of the other one are its.
  void makeRanksEqual(Value &a, Value &b) {
    int64_t rankA = call.rank(a), rankB = call.rank(b);
    if (rankA == rankB)
      return;
    if (rankA != 0 && rankB != 0)
      call.valueError("the branches under a scalar condition have shapes " + describe(a) + " and " +
                      describe(b) + "; needed equal ranks, or a scalar in one of them");
    Value &scalar = rankA == 0 ? a : b;
    scalar = call.g.reshape(scalar, ir::Shape(size_t(std::max(rankA, rankB)), DimExpr(1)));
  }

  // The op of a branch that defines the symbol; null if it is known outside.
  ir::TruncateOp definition(int64_t symbol) const {
    mlir::Operation *owner = call.graph.symbols[symbol].owner;
    bool isInside =
        owner && llvm::any_of(made, [&](const Trace *trace) { return trace->hasMade(owner); });
    return isInside ? llvm::dyn_cast<ir::TruncateOp>(owner) : ir::TruncateOp();
  }

  bool computesSize(const DimExpr &size) const {
    return llvm::any_of(size.symbols(), [&](int64_t id) { return bool(definition(id)); });
  }

  // What it is at most, in sizes that are known outside.
  DimExpr most(const DimExpr &size) const {
    return call.check(size.atMost([&](int64_t id) -> std::optional<DimExpr> {
      ir::TruncateOp op = definition(id);
      return op ? std::optional(most(ir::getShape(op.getX())[op.getAxis()])) : std::nullopt;
    }));
  }

  Call &call;
  llvm::ArrayRef<const Trace *> made;
  ir::Shape from, to, common;
  std::vector<int64_t> outside, inside; // axes of different sizes, by who knows them
};

} // namespace

static std::vector<Operand> traced(Call &call, const Branches &branch) {
  std::vector<Operand> operands = call.runUserCode(branch);
  for (const Operand &operand : operands)
    if (operand.isTensor())
      call.raw(operand.tensor());
  return operands;
}

// Values that were made before the branches move into them where they print.
static std::vector<Tensor> chooseBranch(Call &call, Value condition, const Branches &x,
                                        const Branches &y, bool movesX, bool movesY) {
  const std::string function = call.function;
  Trace thenTrace(call, "the then-branch of " + function);
  const std::vector<Operand> thenOperands = traced(call, x);
  thenTrace.end();
  Trace elseTrace(call, "the else-branch of " + function);
  const std::vector<Operand> elseOperands = traced(call, y);
  elseTrace.end();

  // What makes the two alike is part of both.
  Trace commonTrace(call, "the branches of " + function);
  const Trace *made[] = {&thenTrace, &elseTrace};
  BranchBody thenBody{{&thenTrace, &commonTrace}, {}, {}},
      elseBody{{&elseTrace, &commonTrace}, {}, {}};
  std::vector<ChosenShape> shapes;
  for (auto [first, second] : llvm::zip_equal(thenOperands, elseOperands)) {
    auto [a, b] = call.promoted(first, second);
    shapes.emplace_back(call, a, b, made);
    llvm::append_range(thenBody.values, shapes.back().yielded(a));
    llvm::append_range(elseBody.values, shapes.back().yielded(b));
  }
  commonTrace.end();
  condition = call.required(condition);
  if (movesX)
    thenBody.moved = printingOps(thenBody.values.front());
  if (movesY)
    elseBody.moved = printingOps(elseBody.values.front());
  const std::vector<Value> chosen = branch(call, condition, thenBody, elseBody);
  llvm::ArrayRef<Value> rest = chosen;
  std::vector<Tensor> results;
  for (const ChosenShape &shape : shapes) {
    results.push_back(call.tensor(shape.cut(rest.take_front(shape.count()), condition)));
    rest = rest.drop_front(shape.count());
  }
  return results;
}

std::vector<Tensor> frontend::choose(Call &call, Value condition, const Branches &x,
                                     const Branches &y) {
  return chooseBranch(call, condition, x, y, false, false);
}

Tensor frontend::choose(Call &call, Value condition, const Branch &x, const Branch &y) {
  condition = call.cast(condition, DType::Bool);
  int64_t rank = call.rank(condition);
  if (rank == 0)
    return chooseBranch(
               call, condition, [&] { return std::vector<Operand>{x.evaluate()}; },
               [&] { return std::vector<Operand>{y.evaluate()}; }, !x.isCallable(), !y.isCallable())
        .front();
  const Operand first = call.runUserCode([&] { return x.evaluate(); });
  const Operand second = call.runUserCode([&] { return y.evaluate(); });
  auto [a, b] = call.promoted(first, second);
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
