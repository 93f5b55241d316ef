// What a kernel of attention computes.
#ifndef KERATIN_CODEGEN_LOWERING_ATTENTIONNEST_H
#define KERATIN_CODEGEN_LOWERING_ATTENTIONNEST_H

#include "codegen/lowering/ContractionNest.h"
#include "ir/interfaces/Attention.h"

namespace keratin::codegen {

// Two batched products of matrices: rows of the first, once softmax has made weights of them, are
// rows of the first factor of the second. What follows from the second starts from its elements.
struct AttentionNest {
  // nullopt if the kernel is another, or what follows has no loops.
  static std::optional<AttentionNest> of(ir::KernelOp kernel);

  ir::DimExpr operations() const;
  void print(llvm::raw_ostream &out) const;

  ir::Attention attention;
  ContractionNest scores, mix;
  llvm::SmallVector<mlir::Value, 2> rowResults; // numbers of rows that the kernel yields
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ATTENTIONNEST_H
