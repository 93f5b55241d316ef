// Of which ranks the markers of what is a rank's own are.
#ifndef KERATIN_PASSES_SHARD_RANKMARKERS_H
#define KERATIN_PASSES_SHARD_RANKMARKERS_H

#include "ir/dialect/Keratin.h"
#include "passes/shard/ShardedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/EquivalenceClasses.h"

namespace keratin::passes {

// A rank's own rows are those of its part, so what stands between keratin.enter_rank and leave_rank
// is its own along the axes of the mesh along which anything that enters there has a part. Along
// another axis all ranks have the same rows, and make the same of them.
class RankMarkers {
public:
  // By the symbols of sizes that inputs have.
  RankMarkers(mlir::func::FuncOp function, const SymbolsByAxis &sizes);

  // Whether the marker is of the ranks along this axis; null: all ranks.
  bool areAlong(mlir::Operation *marker, mlir::StringAttr axis) const;
  // Whether it is of ranks along any other.
  bool areAlongOthers(mlir::Operation *marker, mlir::StringAttr axis) const;

private:
  using Axes = llvm::SetVector<mlir::StringAttr>;

  void follow(mlir::Operation *op);
  void followLoop(ir::LoopOpInterface op);
  void followBranches(ir::IfOp op);
  bool isOwn(mlir::Value value) const {
    return together.findValue(value.getAsOpaquePointer()) != together.end();
  }
  void flow(mlir::Value from, mlir::Value to);

  // What is a rank's own, and what it is made of or makes.
  llvm::EquivalenceClasses<void *> together;
  bool hasChanged = false;
  llvm::DenseMap<mlir::Operation *, Axes> axes;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_RANKMARKERS_H
