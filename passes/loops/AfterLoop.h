// Values of a loop's body as they can be had behind the loop, for all steps at once.
#ifndef KERATIN_PASSES_LOOPS_AFTERLOOP_H
#define KERATIN_PASSES_LOOPS_AFTERLOOP_H

#include "passes/loops/ScanEditor.h"
#include "passes/loops/StepBatcher.h"

#include "llvm/ADT/SetVector.h"

namespace keratin::passes {

// Some are at hand: elements of sequences, captures, the step's number, what is stacked, and what
// moves and cheap arithmetic make of these. Of others the loop has to stack what they are moved
// from. Moves and what `sunk` holds are done behind the loop.
class AfterLoop {
public:
  // Of the stacks, only those for which `stays` holds are taken to be there behind the loop.
  AfterLoop(ScanEditor &scan, llvm::function_ref<bool(unsigned)> stays);

  // Whether the value may differ from step to step.
  bool varies(mlir::Value value) const { return !invariant.contains(value); }
  // Whether nothing has to be stacked for the value.
  bool isAtHand(mlir::Value value) const { return atHand.contains(value); }
  // What a value is made of behind the loop.
  struct Sources {
    llvm::SetVector<mlir::Value> stacked;      // that are not stacked yet
    llvm::SmallVector<mlir::Operation *> made; // in the order of the body
  };
  // nullopt if something would have to be stacked that has too many elements.
  std::optional<Sources> sourcesOf(mlir::ValueRange values) const;

  // The value behind the loop. Precondition: there are sources.
  SteppedValue make(mlir::Value value);
  // The sum of the contraction over all steps. Preconditions: both operands vary, and have sources.
  mlir::Value makeSum(mlir::Operation *contraction);

  mlir::OpBuilder &getBuilder() { return builder; }
  // Finishes the scan.
  ir::ScanOp finish();

  // Ops that are done behind the loop although they are not cheap.
  llvm::DenseSet<mlir::Operation *> sunk;

private:
  ScanEditor &scan;
  ir::DimExpr steps;
  mlir::OpBuilder builder;
  StepBatcher batcher;
  llvm::DenseSet<mlir::Value> invariant, atHand;
  // Stand for stacks that the scan gets when it is finished.
  llvm::SmallVector<mlir::Operation *> placeholders;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_AFTERLOOP_H
