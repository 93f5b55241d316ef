// What losses depend on in a way that gradients can follow.
#ifndef KERATIN_IR_BUILDER_DIFFERENTIABLEPATHS_H
#define KERATIN_IR_BUILDER_DIFFERENTIABLEPATHS_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>

namespace keratin::ir {

// The values from which a path of differentiable operands leads to one of the losses, computed once
// in time linear in their number. The expansion of gradients walks along it.
//
// A derivative that is not yet expanded counts as depending on all that its loss depends on: it may
// turn out to be zeros.
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

// The ops that lead from independent values to losses, all of one block, in its order.
class OpsBetween {
public:
  explicit OpsBetween(llvm::ArrayRef<mlir::Value> independent)
      : independent(independent.begin(), independent.end()) {}
  // Fails if the losses depend on an op of another block.
  mlir::LogicalResult find(mlir::Block *block, llvm::ArrayRef<mlir::Value> losses);
  // Of these alone, whatever else they depend on.
  void findAmong(llvm::ArrayRef<mlir::Operation *> ops);

  llvm::ArrayRef<mlir::Operation *> ops() const { return order; }
  // Whether one of the losses that find() was given depends on the value.
  bool reaches(mlir::Value value) const { return paths && paths->reaches(value); }
  // Whether the value depends, by a differentiable path, on an independent one.
  bool isActive(mlir::Value value) const {
    return independent.contains(value) ||
           (value.getDefiningOp() && active.contains(value.getDefiningOp()));
  }

private:
  llvm::DenseSet<mlir::Value> independent;
  std::optional<DifferentiablePaths> paths;
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseSet<mlir::Operation *> active;
};

// What an op that stands for a derivative (isDerivative) differentiates, and with respect to what.
struct Derivative {
  mlir::ValueRange losses, variables;
};
std::optional<Derivative> derivativeOf(mlir::Operation *op);
// Whether one of them is inside the op.
bool hasDerivatives(mlir::Operation *op);

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
