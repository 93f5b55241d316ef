// The whole of parts, for ops that need it.
#ifndef KERATIN_PASSES_SHARD_GATHERER_H
#define KERATIN_PASSES_SHARD_GATHERER_H

#include "passes/shard/RankValues.h"

namespace keratin::passes {

// Gives ops the whole where they need it, and the others their parts of it again. Lookups in a
// table that is in parts, by indices that are, are of all ranks' indices, and what is found goes to
// the rank that asks.
class Gatherer {
public:
  Gatherer(mlir::func::FuncOp function, const RankValues &values)
      : function(function), values(values) {}

  void run();

private:
  void nameSizes();
  void defineSizes();
  ir::DimExpr renamed(const ir::DimExpr &size, const llvm::DenseMap<int64_t, int64_t> &names) const;
  mlir::Value wholeOf(mlir::Value part);
  mlir::Value partsOf(mlir::Value part);
  mlir::Value partOf(mlir::Value whole, mlir::RankedTensorType type);
  void checkWholes();
  void makeWhole(mlir::Operation *op);
  void exchange(mlir::Operation *op);
  mlir::Value ownOfAll(mlir::Value own);

  mlir::func::FuncOp function;
  const RankValues &values;
  llvm::SmallVector<int64_t> symbols; // the sharded ones
  // Of them: those of the whole size, and of what the ranks before this one have.
  llvm::DenseMap<int64_t, int64_t> allOf, before;
  Symbols wanted; // of which there is a whole
  llvm::DenseMap<mlir::Value, mlir::Value> wholes, parts, ownOfParts;
  bool takesParts = false;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_GATHERER_H
