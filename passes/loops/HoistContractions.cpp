#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/CheapValues.h"
#include "passes/loops/ScanEditor.h"
#include "passes/loops/StepBatcher.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_HOISTCONTRACTIONS
#include "passes/Passes.h.inc"

namespace {

// Contractions that depend on elements of sequences, not on states.
class ContractionHoisting {
public:
  explicit ContractionHoisting(ScanOp op) : scan(op), steps(op.getSteps()) {}
  void run();

private:
  void findReady();
  bool isRoot(Operation &op) const;
  Operation *withWhatFollows(Operation *op) const;

  ScanEditor scan;
  DimExpr steps;
  // Values of the body that can be made outside; true for those that differ from step to step.
  DenseMap<Value, bool> ready;
};

void ContractionHoisting::findReady() {
  ready[scan.stepNumber()] = true;
  for (const ScanEditor::Input &input : scan.sequences)
    ready[input.argument] = true;
  for (const ScanEditor::Input &input : scan.captures)
    ready[input.argument] = false;
  bool hasStep = steps.isConstant() && steps.constantValue() > 0;
  for (Operation &op : scan.body().without_terminator()) {
    if (!llvm::all_of(op.getOperands(), [&](Value x) { return ready.contains(x); }) ||
        !canBatch(&op, steps, [&](Value x) { return ready.lookup(x); }))
      continue;
    bool varies =
        !isa<DimOp>(op) && llvm::any_of(op.getOperands(), [&](Value x) { return ready.lookup(x); });
    // What varies fails outside exactly if it fails in a step; the rest only if there is one.
    if (varies || hasStep || !canFailInside(&op))
      ready[op.getResult(0)] = varies;
  }
}

// With one operand that is the same at each step: then the rows of all steps are one matrix. With
// two that vary there are as many small contractions outside as inside.
bool ContractionHoisting::isRoot(Operation &op) const {
  return isContraction(&op) && ready.contains(op.getResult(0)) &&
         ready.lookup(op.getOperand(0)) != ready.lookup(op.getOperand(1));
}

// The bias of a layer and the like: elementwise ops that would read nothing but the result.
Operation *ContractionHoisting::withWhatFollows(Operation *op) const {
  for (;;) {
    Value result = op->getResult(0);
    Operation *user = result.hasOneUse() ? *result.user_begin() : nullptr;
    if (!user || !isa<ElementwiseOpInterface>(user) || !ready.contains(user->getResult(0)))
      return op;
    op = user;
  }
}

void ContractionHoisting::run() {
  findReady();
  SmallVector<Operation *> roots;
  for (Operation &op : scan.body().without_terminator())
    if (isRoot(op))
      roots.push_back(withWhatFollows(&op));
  if (roots.empty())
    return;
  DenseSet<Operation *> needed = withSources(roots);

  OpBuilder builder(scan.op());
  StepBatcher batcher(builder, steps);
  GraphMath g(builder, scan.op().getLoc());
  for (const ScanEditor::Input &input : scan.sequences)
    batcher.map(input.argument, {input.operand, true});
  for (const ScanEditor::Input &input : scan.captures)
    batcher.map(input.argument, {input.operand});
  if (!scan.stepNumber().use_empty())
    batcher.map(scan.stepNumber(), {g.iota(getTensorType({steps}, builder.getI64Type()), 0), true});
  for (Operation &op : scan.body().without_terminator())
    if (needed.contains(&op))
      batcher.batch(&op);
  for (Operation *root : roots) {
    Value result = root->getResult(0);
    if (!result.use_empty())
      scan.replace(result, scan.sequence(batcher.lookup(result).value));
  }
  scan.finish();
}

struct HoistContractionsPass : impl::HoistContractionsBase<HoistContractionsPass> {
  void runOnOperation() override {
    // Inner loops first: all steps of them may be one row of all steps of the loop around them.
    for (ScanOp scan : innermostToBatch(getOperation()))
      ContractionHoisting(scan).run();
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace keratin::passes
