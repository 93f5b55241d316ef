// Places along a sharded size by which a rank finds rows of its own part.
#ifndef KERATIN_PASSES_SHARD_OWNPLACES_H
#define KERATIN_PASSES_SHARD_OWNPLACES_H

#include "ir/dialect/Keratin.h"
#include "passes/shard/ShardedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

namespace keratin::passes {

// Of a list of samples * classes rows, sample s * classes + class c is a row. In the whole, s
// counts on from the samples of the ranks before, and the list's rows of this rank begin at as many
// times classes: so in its part both count from 0. That is so of an iota along the sharded size, if
// all that is made of it picks rows, or adds to rows, of lists that have as many rows a sample as
// it was multiplied by. An index that leaves the rank's rows is one of a row that another rank has.
class OwnPlaces {
public:
  // Of the function's own block; by the symbols of sizes that are sharded along this axis of the
  // mesh, and of those along others.
  OwnPlaces(mlir::func::FuncOp function, const Symbols &sharded, const Symbols &others);

  // Whether it counts from where the rank's part begins.
  bool contain(mlir::Value value) const { return before.contains(value); }
  // Whether a gather picks, or a scatter adds to, rows of the rank's part by such places.
  bool pick(mlir::Operation *op) const { return picking.contains(op); }
  // Counts on from the ranks before, as does all that goes together with it.
  void forget(mlir::Value place);
  // Has a call fail where a place is one of a row that another rank has.
  void check() const;

private:
  void visit(mlir::Operation *op);
  void visitPlaces(mlir::Operation *op);
  void findNumber(mlir::Operation *op);
  void setPlaces(mlir::Operation *op, const std::optional<ir::DimExpr> &more);
  void forgetRefused();

  const Symbols &sharded, &others;
  // What is the same number on all ranks.
  llvm::DenseMap<mlir::Value, ir::DimExpr> numbers;
  // By how much places are more in the whole: a size of what the ranks before this one have, in
  // terms of what it has itself.
  llvm::DenseMap<mlir::Value, ir::DimExpr> before;
  llvm::SetVector<mlir::Operation *> picking;
  // Of what is made of places, and what it is made of: all of it counts from the rank's part, or
  // none.
  llvm::EquivalenceClasses<void *> together;
  llvm::SmallVector<mlir::Value> refused;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_OWNPLACES_H
