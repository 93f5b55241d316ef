// Which values of a loop's body its derivative goes through.
#ifndef KERATIN_IR_OPS_BODYPATHS_H
#define KERATIN_IR_OPS_BODYPATHS_H

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/DenseSet.h"

namespace keratin::ir {

// Those that depend on a wanted operand, and reach a result that matters, in this step or in later
// ones. Both go around the loop through the states, and through the bodies of loops and branches
// inside: a state there that matters to nobody must not get zeros for a derivative, which would be
// NaN where the state is infinite.
class BodyPaths {
public:
  // `matters` has an entry for each value that the body yields, `wanted` for each operand.
  BodyPaths(LoopOpInterface loop, llvm::ArrayRef<bool> matters, llvm::ArrayRef<bool> wanted);

  bool isOnPath(mlir::Value value) const {
    return active.contains(value) && reached.contains(value);
  }

private:
  void findActive(LoopOpInterface loop, llvm::ArrayRef<bool> wanted);
  void findReached(LoopOpInterface loop, llvm::ArrayRef<bool> matters);
  void activate(mlir::Value value);
  void reach(mlir::Value value);

  llvm::DenseSet<mlir::Value> active, reached;
  llvm::SmallVector<mlir::Value> pending;
};

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_BODYPATHS_H
