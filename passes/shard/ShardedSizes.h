// Sizes of which each rank has a part.
#ifndef KERATIN_PASSES_SHARD_SHARDEDSIZES_H
#define KERATIN_PASSES_SHARD_SHARDEDSIZES_H

#include "ir/shapes/DimExpr.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace keratin::passes {

using Symbols = llvm::DenseSet<int64_t>;
// By the axis of the mesh; null: along all ranks.
using SymbolsByAxis = llvm::MapVector<mlir::StringAttr, Symbols>;

struct ShardedSizes {
  mlir::StringAttr axis; // of the mesh, that the ranks are along; null: all ranks
  Symbols symbols;       // that are sharded along it
  Symbols others;        // that are sharded along other axes
};

inline bool isOf(const ir::DimExpr &size, const Symbols &symbols) {
  return llvm::any_of(size.symbols(), [&](int64_t symbol) { return symbols.contains(symbol); });
}

// Whether the sizes of all ranks' parts add up to that of the whole.
bool isAdditive(const ir::DimExpr &size, const Symbols &sharded);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_SHARDEDSIZES_H
