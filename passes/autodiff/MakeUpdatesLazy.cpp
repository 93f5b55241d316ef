// Updates that leave the rows alone that no gradient names.
#include "ir/builder/GraphMath.h"
#include "ir/dialect/LazyUpdates.h"
#include "ir/dialect/Signature.h"
#include "passes/Passes.h"
#include "passes/simplify/Scatters.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_MAKEUPDATESLAZY
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {

using Scatters = llvm::SmallSetVector<Operation *, 2>;

// What is only another name for its operand.
bool isMarker(Operation *op) { return isa<StopGradientOp, IdentityOp, DependOp>(op); }

Value withoutMarkers(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isMarker(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

class LazyUpdates {
public:
  explicit LazyUpdates(func::FuncOp function)
      : signature(function), exit(function.getBody().front().getTerminator()) {}
  void run();

private:
  void joinGradients();
  Scatters scattersBehind(Value value) const;
  bool isUpdate(Value value) const;
  bool isPartOfMore(Operation *scatter) const;
  Value namedRows(OpBuilder &builder, const Scatters &scatters, const Shape &table) const;
  void keepOtherRows(OpOperand &update, const Scatters &scatters);
  Value variableOf(OpOperand &result) const;

  Signature signature;
  Operation *exit;
};

} // namespace

// Sums of scatters in the order in which they were added up.
void LazyUpdates::joinGradients() {
  for (AddOp op : llvm::make_early_inc_range(exit->getBlock()->getOps<AddOp>())) {
    auto first = withoutMarkers(op.getA()).getDefiningOp<ScatterAddOp>();
    auto second = withoutMarkers(op.getB()).getDefiningOp<ScatterAddOp>();
    OpBuilder builder(op);
    Value joined = first && second
                       ? keratin::passes::joinScatters(builder, op.getLoc(), first, second)
                       : Value();
    if (!joined)
      continue;
    op.getY().replaceAllUsesWith(joined);
    op.erase();
  }
}

// Those that it follows from element by element.
Scatters LazyUpdates::scattersBehind(Value value) const {
  const Shape table = getShape(value);
  Scatters found;
  llvm::SmallSetVector<Operation *, 16> ops;
  auto visit = [&](Value read) {
    Operation *op = read.getDefiningOp();
    if (!op || op->getBlock() != exit->getBlock() || getShape(read) != table)
      return;
    if (isa<ScatterAddOp>(op))
      found.insert(op);
    else if (isMarker(op) || isa<ElementwiseOpInterface>(op))
      ops.insert(op);
  };
  visit(value);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      visit(operand);
  return found;
}

// Whether it is a variable's new value.
bool LazyUpdates::isUpdate(Value value) const {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    return use.getOwner() == exit
               ? signature.isUpdate(use.getOperandNumber())
               : isMarker(use.getOwner()) && isUpdate(use.getOwner()->getResult(0));
  });
}

// Whether something else is added to the rows before an update makes use of them: not a value of
// the optimizer's own, which is a variable, follows from the rows too, or has its new value in the
// sum.
bool LazyUpdates::isPartOfMore(Operation *scatter) const {
  SmallVector<Value> names{scatter->getResult(0)};
  for (size_t i = 0; i < names.size(); ++i)
    for (OpOperand &use : names[i].getUses()) {
      Operation *op = use.getOwner();
      if (isMarker(op))
        names.push_back(op->getResult(0));
      if (!isa<AddOp, SubOp>(op))
        continue;
      Value other = withoutMarkers(op->getOperand(1 - use.getOperandNumber()));
      auto argument = dyn_cast<BlockArgument>(other);
      bool isVariable = argument && signature.isVariable(argument.getArgNumber());
      if (!isVariable && !isUpdate(op->getResult(0)) && scattersBehind(other).empty())
        return true;
    }
  return false;
}

// True in the rows to which anything is added.
Value LazyUpdates::namedRows(OpBuilder &builder, const Scatters &scatters,
                             const Shape &table) const {
  Value named;
  for (Operation *op : scatters) {
    auto scatter = cast<ScatterAddOp>(op);
    GraphMath g(builder, scatter.getLoc());
    Value ones = g.splat(1, getTensorType(getShape(scatter.getIndices()), builder.getI32Type()));
    Value counts = g.scatterAdd(scatter.getIndices(), ones, {table[0]});
    Value isNamed = g.greater(counts, g.zeroLike(counts));
    named = named ? g.or_(named, isNamed) : isNamed;
  }
  return GraphMath(builder, scatters.front()->getLoc()).broadcast(named, table, {0});
}

// The update's old value where no row is named.
void LazyUpdates::keepOtherRows(OpOperand &update, const Scatters &scatters) {
  Value updated = update.get(), old = variableOf(update);
  OpBuilder builder(exit);
  builder.setInsertionPointAfter(updated.getDefiningOp());
  Value named = namedRows(builder, scatters, getShape(updated));
  Value kept = builder.create<SelectOp>(updated.getLoc(), updated.getType(), named, updated, old);
  // Who reads a variable's new value reads this, unless two variables get it.
  bool isShared = llvm::count_if(updated.getUses(), [&](OpOperand &use) {
                    return use.getOwner() == exit && signature.isUpdate(use.getOperandNumber());
                  }) > 1;
  if (isShared)
    update.set(kept);
  else
    updated.replaceAllUsesExcept(kept, kept.getDefiningOp());
}

// Null for what is no update.
Value LazyUpdates::variableOf(OpOperand &result) const {
  std::optional<int64_t> number = signature.updatedVariable(result.getOperandNumber());
  if (!number || !signature.hasVariable(*number))
    return {};
  auto function = cast<func::FuncOp>(exit->getParentOp());
  return function.getArgument(signature.firstVariable() + *number);
}

void LazyUpdates::run() {
  joinGradients();
  SmallVector<std::pair<OpOperand *, Scatters>> lazy; // decided before anything is changed
  for (OpOperand &result : exit->getOpOperands()) {
    Value old = variableOf(result), updated = result.get();
    if (!old || !updated.getDefiningOp() || old.getType() != updated.getType())
      continue;
    Scatters scatters = scattersBehind(updated);
    if (!scatters.empty() &&
        llvm::none_of(scatters, [&](Operation *scatter) { return isPartOfMore(scatter); }))
      lazy.emplace_back(&result, std::move(scatters));
  }
  for (auto &[update, scatters] : lazy)
    keepOtherRows(*update, scatters);
}

namespace {
struct MakeUpdatesLazyPass : keratin::passes::impl::MakeUpdatesLazyBase<MakeUpdatesLazyPass> {
  void runOnOperation() override {
    if (!getOperation()->removeAttr(kLazyUpdatesAttr) || !getOperation().getBody().hasOneBlock())
      return;
    LazyUpdates(getOperation()).run();
  }
};
} // namespace
