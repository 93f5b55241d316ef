// What a kernel of gradients of attention computes.
#ifndef KERATIN_CODEGEN_LOWERING_ATTENTIONGRADIENTNEST_H
#define KERATIN_CODEGEN_LOWERING_ATTENTIONGRADIENTNEST_H

#include "codegen/lowering/ContractionNest.h"
#include "ir/interfaces/AttentionGradient.h"

#include "llvm/ADT/SetVector.h"

namespace keratin::codegen {

// Batched products of queries and keys, what follows from their elements, and its products with
// matrices of keys or of queries.
struct AttentionGradientNest {
  // nullopt if the kernel is another.
  static std::optional<AttentionGradientNest> of(ir::KernelOp kernel);

  ir::DimExpr operations() const;
  // Ops of the kernel that the values follow from, up to products.
  llvm::SetVector<mlir::Operation *> opsBehind(llvm::ArrayRef<mlir::Value> values) const;
  void print(llvm::raw_ostream &out) const;

  ir::AttentionGradient gradient;
  // Of sums nothing follows; of what is made, what is not in their loops.
  llvm::SmallVector<ContractionNest, 3> made, sums;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ATTENTIONGRADIENTNEST_H
