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
  // Each storage that is read once, as a whole, however often the kernel reads it and however
  // little of it; each result once.
  std::optional<ir::DimExpr> bytesRead = ir::DimExpr(0), bytesWritten = ir::DimExpr(0);

  KernelCost &operator+=(const KernelCost &other);
};

// Of a kernel, or of an op that is in none and counts as one. A view, a constant, the definition of
// a size and a return move nothing. Of loops and branches see ir::costOfRegions().
KernelCost costOf(mlir::Operation *op);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_KERNELCOST_H
