// Tangents of loops, branches and checkpoints: they are carried beside the values, so that nothing
// is kept.
#ifndef KERATIN_IR_OPS_LOOPTANGENTS_H
#define KERATIN_IR_OPS_LOOPTANGENTS_H

#include "ir/builder/ForwardMode.h"

namespace keratin::ir {

struct RegionTangents {
  llvm::SmallVector<Tangent>
      tangents; // of the results; null where not wanted, or where there is none
  // What takes the place of the results where the op is replaced; else empty.
  llvm::SmallVector<mlir::Value> values;
  int64_t differentiated = 0; // ops inside
};

// Emits a loop at the builder's insertion point that has the tangents for further states and
// stacks. If `replaces`, it does all that the loop does; else it computes again, in silence, what
// the tangents need.
mlir::FailureOr<RegionTangents> tangentsOfLoop(LoopOpInterface loop, mlir::OpBuilder &builder,
                                               llvm::ArrayRef<Tangent> ofOperands,
                                               llvm::ArrayRef<bool> wanted, bool replaces);
// Emits an if on the same condition.
mlir::FailureOr<RegionTangents> tangentsOfIf(IfOp op, mlir::OpBuilder &builder,
                                             llvm::ArrayRef<Tangent> ofOperands,
                                             llvm::ArrayRef<bool> wanted, bool replaces);
// Emits a checkpoint with the tangents as further operands and results.
mlir::FailureOr<RegionTangents> tangentsOfCheckpoint(CheckpointOp op, mlir::OpBuilder &builder,
                                                     llvm::ArrayRef<Tangent> ofOperands,
                                                     llvm::ArrayRef<bool> wanted, bool replaces);

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_LOOPTANGENTS_H
