// Weights of a product in panels, in the order in which tiles read them.
//
//   keratin.panels  (a unit) on a kernel of a contraction or a convolution: its last operand, which
//                   its body does not mention, holds the weights once more, [p, k, j] being column
//                   p * width + j at depth k, or 0 if there are no so many columns. Columns are
//                   those of b, or the filters. Depth is what
//                   is contracted; of a filter the windows, in their order, then the contracted
//                   dimension.
//
// Whoever makes code for the kernel reads the weights where it likes.
#ifndef KERATIN_IR_INTERFACES_WEIGHTPANELS_H
#define KERATIN_IR_INTERFACES_WEIGHTPANELS_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

inline constexpr llvm::StringLiteral kPanelsAttr = "keratin.panels";

// What a kernel multiplies with, as a matrix of known sizes. `order` are its dimensions, those of
// the depth, then those of the columns, and those that are neither first, which have one element.
struct WeightMatrix {
  mlir::BlockArgument weights; // of the kernel's body
  llvm::SmallVector<int64_t> order;
  int64_t depth = 1, columns = 1;
};
// nullopt: the kernel multiplies with nothing of the kind, as with several matrices.
std::optional<WeightMatrix> weightMatrixOf(KernelOp kernel);

// Columns of a panel; 0: there are none, or none of these weights.
int64_t panelColumnsOf(KernelOp kernel);
// The argument of the body that they are. Precondition: panelColumnsOf() > 0.
mlir::BlockArgument panelsOf(KernelOp kernel);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_WEIGHTPANELS_H
