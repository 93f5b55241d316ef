// What a kernel computes and what it moves.
#ifndef KERATIN_PASSES_MEMORY_KERNELCOST_H
#define KERATIN_PASSES_MEMORY_KERNELCOST_H

#include "ir/shapes/DimExpr.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace keratin::passes {

// Expressions over the symbols; nullopt for what cannot be represented.
struct KernelCost {
  std::optional<ir::DimExpr> operations = ir::DimExpr(0); // ir/interfaces/OpCost.h
  // As the kernel reads: an input once for each pass over it (a reduction whose result meets the
  // elements again makes one more), the part that it takes where a gather or slice takes one. A
  // product counts its operands once, however often its tiles load them. Each result once.
  std::optional<ir::DimExpr> bytesRead = ir::DimExpr(0), bytesWritten = ir::DimExpr(0);

  KernelCost &operator+=(const KernelCost &other);
};

// Of a kernel, or of an op that is in none and counts as one. A view, a constant, the definition of
// a size and a return move nothing. Of loops and branches see ir::costOfRegions().
KernelCost costOf(mlir::Operation *op);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_KERNELCOST_H
