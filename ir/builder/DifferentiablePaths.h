// What losses depend on in a way that gradients can follow.
#ifndef KERATIN_IR_BUILDER_DIFFERENTIABLEPATHS_H
#define KERATIN_IR_BUILDER_DIFFERENTIABLEPATHS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace keratin::ir {

// The values from which a path of differentiable operands leads to one of the losses, computed once
// in time linear in their number. The expansion of gradients walks along it.
//
// A keratin.gradients op that is not yet expanded counts as depending on all that its loss depends
// on: its gradient may turn out to be zeros.
class DifferentiablePaths {
public:
  // A loop or a branch is one op, and whether a path leads through it is not looked at; or paths
  // lead through its body, and values in it are on them.
  enum class Bodies { Closed, Open };
  explicit DifferentiablePaths(llvm::ArrayRef<mlir::Value> losses, Bodies bodies = Bodies::Closed);

  // Whether a gradient can flow from a loss to x; never if one of them is not floating.
  bool reaches(mlir::Value x) const { return values.contains(x); }
  // The ops on the paths, in no useful order.
  llvm::ArrayRef<mlir::Operation *> ops() const { return visited; }

private:
  void reach(mlir::Value value);
  void walkOp(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Value> pending;
  llvm::DenseSet<mlir::Operation *> seen;
  llvm::SmallVector<mlir::Operation *> visited;
};

// Whether a gradient can flow from the results of op to this operand. An op that does not say (it
// has no DifferentiableOpInterface) is taken to let it through, so that the expansion refuses it
// instead of leaving out a part of a gradient.
bool isDifferentiableOperand(mlir::OpOperand &operand);

// One step of a path through the bodies of loops and branches. Those values that lead to this one;
// false if it is the result of an op without a body, to which its operands lead.
bool forEachSource(mlir::Value value, llvm::function_ref<void(mlir::Value)> reach);
// And those to which a use leads.
void forEachTarget(mlir::OpOperand &use, llvm::function_ref<void(mlir::Value)> reach);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_DIFFERENTIABLEPATHS_H
