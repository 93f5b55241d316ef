// Gradients of loops, branches and checkpoints, as the reverse walk asks for them.
//
// Unlike other ops they are told what is wanted, since each gradient costs a loop a state or a
// stack, and where cotangents hold zeros by choice, since the ops inside have to know.
#ifndef KERATIN_IR_OPS_LOOPGRADIENTS_H
#define KERATIN_IR_OPS_LOOPGRADIENTS_H

#include "ir/builder/ReverseMode.h"

namespace keratin::ir {

// On a loop (a unit): its gradient keeps the states before each step and nothing else, and does the
// step again from there. On the gradient's loop too, so that this holds to any order. Loops within
// loops make it pay (keratin-checkpoint-loops, passes/loops).
inline constexpr char kCheckpointsAttr[] = "keratin.checkpoints";

struct RegionGradients {
  llvm::SmallVector<Cotangent> operands; // null where not wanted, or where there is none
  // The loop with what the gradient needs in further stacks, next to the loop and with its results
  // first. The loop itself if nothing more was needed; null for others.
  LoopOpInterface extended;
  int64_t differentiated = 0; // ops inside
};

// A region on its way to an op, held in the function meanwhile: who looks for a symbol that nothing
// has looks there, too.
class HeldRegion {
public:
  explicit HeldRegion(mlir::Operation *place);
  mlir::Region &operator*() const { return holder->getRegion(0); }
  mlir::Region *operator->() const { return &holder->getRegion(0); }

private:
  struct Erase {
    void operator()(mlir::Operation *op) const { op->erase(); }
  };
  std::unique_ptr<mlir::Operation, Erase> holder;
};

// Emits a scan in the other direction at the builder's insertion point, which may be in another
// block than the loop if that sees the loop's operands and results.
mlir::FailureOr<RegionGradients> differentiateLoop(LoopOpInterface loop, mlir::OpBuilder &builder,
                                                   llvm::ArrayRef<Cotangent> cotangents,
                                                   llvm::ArrayRef<bool> wanted);
// Emits an if on the same condition.
mlir::FailureOr<RegionGradients> differentiateIf(IfOp op, mlir::OpBuilder &builder,
                                                 llvm::ArrayRef<Cotangent> cotangents,
                                                 llvm::ArrayRef<bool> wanted);
// Emits the body once more, of delayed operands, and its gradient.
mlir::FailureOr<RegionGradients> differentiateCheckpoint(CheckpointOp op, mlir::OpBuilder &builder,
                                                         llvm::ArrayRef<Cotangent> cotangents,
                                                         llvm::ArrayRef<bool> wanted);

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_LOOPGRADIENTS_H
