#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/CheapValues.h"
#include "passes/loops/ScanEditor.h"

#include "ir/interfaces/ComputedSizes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "passes/Passes.h.inc"

namespace {

class InvariantHoisting {
public:
  explicit InvariantHoisting(LoopOpInterface op) : scan(op), sizes(scan.body()) {}
  void run();

private:
  bool isInvariant(Operation &op) const;
  bool pays(Operation &op) const;
  bool readsNoLess(Operation &op) const;

  ScanEditor scan;
  LocalSizes sizes;
  DenseSet<Value> invariant;
};

bool InvariantHoisting::isInvariant(Operation &op) const {
  if (!isMemoryEffectFree(&op) || sizes.mentionedBy(&op) ||
      !llvm::all_of(op.getOperands(), [&](Value x) { return invariant.contains(x); }))
    return false;
  // A loop without steps does not fail.
  auto known = dyn_cast<ScanOp>(*scan.op());
  return (known && known.getSteps().isConstant() && known.getSteps().constantValue() > 0) ||
         !canFailInside(&op);
}

// Whether the op has an operand of at least as many elements that lies in memory anyway.
bool InvariantHoisting::readsNoLess(Operation &op) const {
  std::optional<DimExpr> written = elementCount(getShape(op.getResult(0)));
  return llvm::any_of(op.getOperands(), [&](Value x) {
    while (isa_and_nonnull<BroadcastOp, ReshapeOp>(x.getDefiningOp()))
      x = x.getDefiningOp()->getOperand(0);
    if (isa_and_nonnull<IotaOp, ConstantOp>(x.getDefiningOp()))
      return false;
    std::optional<DimExpr> read = elementCount(getShape(x));
    std::optional<DimExpr> more = read && written ? sub(*read, *written) : std::nullopt;
    return more && more->lowerBound() && *more->lowerBound() >= 0;
  });
}

// Bringing a value in costs a trip to memory at each step. Cheap arithmetic is worth that if it is
// brought in instead of something as large.
bool InvariantHoisting::pays(Operation &op) const {
  if (isa<BroadcastOp>(op))
    return !usersFuse(op.getResult(0));
  if (costsNothing(&op))
    return false;
  return !isCheapArithmetic(&op) || readsNoLess(op);
}

void InvariantHoisting::run() {
  for (const ScanEditor::Input &input : scan.captures)
    invariant.insert(input.argument);
  SmallVector<Operation *> roots;
  for (Operation &op : scan.body().without_terminator())
    if (isInvariant(op)) {
      invariant.insert(op.result_begin(), op.result_end());
      if (pays(op))
        roots.push_back(&op);
    }
  if (roots.empty())
    return;
  // With them what they are computed from, which stays inside as far as others need it there.
  DenseSet<Operation *> needed = withSources(roots);
  OpBuilder builder(scan.op());
  IRMapping outside;
  for (const ScanEditor::Input &input : scan.captures)
    outside.map(input.argument, input.operand);
  for (Operation &op : scan.body().without_terminator())
    if (needed.contains(&op))
      builder.clone(op, outside);
  for (Operation *root : roots)
    for (Value result : root->getResults())
      if (!result.use_empty())
        scan.replace(result, scan.capture(outside.lookup(result)));
  scan.finish();
}

struct HoistInvariantsPass : impl::HoistInvariantsBase<HoistInvariantsPass> {
  void runOnOperation() override {
    // Inner loops first: what leaves them may leave the loop around them, too.
    for (LoopOpInterface loop : innermostLoops(getOperation()))
      InvariantHoisting(loop).run();
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace keratin::passes
