// Which values of a loop's body differ from step to step.
#ifndef KERATIN_PASSES_LOOPS_STEPVARIATION_H
#define KERATIN_PASSES_LOOPS_STEPVARIATION_H

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/DenseSet.h"

namespace keratin::passes {

// Values of a body without states, and of what is inside it, if those arguments differ. A value
// that is not said to vary is the same in each step; one that is said to may be, all the same.
class StepVariation {
public:
  StepVariation(mlir::Block &body, mlir::ValueRange varyingArguments);

  bool varies(mlir::Value value) const { return varying.contains(value); }
  // Whether the op is to be done for each step: an operand or a size of it varies, or it has an
  // effect, as printing is, if only inside.
  bool isDoneForEach(mlir::Operation *op) const;
  // Whether the op, or one inside of it, has a size that varies.
  bool hasVaryingSize(mlir::Operation *op) const;

private:
  void visit(mlir::Block &block);
  void visitSize(mlir::Operation *op);
  void visit(ir::LoopOpInterface loop);
  void visit(ir::IfOp branch);
  void visit(ir::CheckpointOp checkpoint);
  void visit(ir::CustomGradientOp op);
  void mark(mlir::Value value) { changed |= varying.insert(value).second; }
  void markAll(mlir::ValueRange values) {
    for (mlir::Value value : values)
      mark(value);
  }
  // The ones where the others do.
  void markLike(mlir::ValueRange values, mlir::ValueRange others);

  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseSet<int64_t> varyingSizes; // their symbols, which ops of the body define
  bool changed = false;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_STEPVARIATION_H
