// What a kernel of gradients of attention computes.
#ifndef KERATIN_CODEGEN_LOWERING_ATTENTIONGRADIENTNEST_H
#define KERATIN_CODEGEN_LOWERING_ATTENTIONGRADIENTNEST_H

#include "codegen/lowering/ContractionNest.h"
#include "ir/interfaces/AttentionGradient.h"

namespace keratin::codegen {

// Batched products of queries and keys, what follows from their elements, and its products with
// matrices of keys or of queries.
struct AttentionGradientNest {
  // nullopt if the kernel is another.
  static std::optional<AttentionGradientNest> of(ir::KernelOp kernel);

  ir::DimExpr operations() const;
  void print(llvm::raw_ostream &out) const;

  ir::AttentionGradient gradient;
  llvm::SmallVector<ContractionNest, 3> made, sums; // without loops of what follows
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ATTENTIONGRADIENTNEST_H
