// Keeps rewrites from bypassing values that gradients are taken with respect to.
#ifndef KERATIN_PASSES_SIMPLIFY_GRADIENTPINS_H
#define KERATIN_PASSES_SIMPLIFY_GRADIENTPINS_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::passes {

// A gradients op asks how its loss depends on x through uses of x itself. With x = exp(u), the
// rewrite log(x) = u takes such a use away, and merging x with an equal value adds uses: both
// change the gradient, while the loss stays the same. So while a pass rewrites a function that
// still holds derivatives, each such x that is computed, or is an argument of a body, whose loop
// may be given one value twice, is hidden: its users read a variable that is set to x (ops that no
// rewrite sees through or merges). The destructor takes the variables out again.
class GradientPins {
public:
  explicit GradientPins(mlir::func::FuncOp function);
  ~GradientPins();
  GradientPins(const GradientPins &) = delete;
  GradientPins &operator=(const GradientPins &) = delete;

  // Whether the function holds gradients ops at all.
  bool beforeGradients() const { return foundGradients; }

private:
  struct Pin {
    ir::UpdateOp update;
    mlir::BlockArgument argument; // null: x is computed
  };
  llvm::SmallVector<Pin> pins;
  bool foundGradients = false;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_GRADIENTPINS_H
