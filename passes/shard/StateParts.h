// States of optimizers, of which each rank has a part.
#ifndef KERATIN_PASSES_SHARD_STATEPARTS_H
#define KERATIN_PASSES_SHARD_STATEPARTS_H

#include "ir/dialect/Signature.h"
#include "passes/shard/Bucket.h"
#include "passes/shard/RankValues.h"

namespace keratin::passes {

// What is computed element by element from variables that are in parts (keratin.in_parts), and what
// only that needs, is done on the rank's part of the elements. Shares that it needs are scattered,
// of what else it needs there is a slice, and who needs the whole of what it makes gets the parts
// of all ranks.
class StateParts {
public:
  // Looks at the function; shares are those of `values`.
  StateParts(mlir::func::FuncOp function, const RankValues &values);

  // Whether the rank's part is all that the operand needs.
  bool needsPart(mlir::OpOperand &operand) const;
  // Gives uses that need a part of a share theirs, in one message.
  void scatter(llvm::ArrayRef<Need> bucket);
  // The rest, when shares are what they are to be: the function's types change.
  void run(BucketLimits limits);

private:
  bool isByElement(mlir::Operation *op) const;
  void findOps();
  ir::DimExpr partLength(mlir::Value whole) const;
  mlir::RankedTensorType partType(mlir::Value whole) const;
  mlir::Value partOf(mlir::Value whole);
  void takePart(mlir::OpOperand &operand);
  void gather(llvm::ArrayRef<Need> bucket);

  mlir::func::FuncOp function;
  mlir::Block &body;
  ir::Signature signature;
  const RankValues &values;
  ir::EvenParts parts;
  llvm::SmallVector<mlir::BlockArgument> states;
  llvm::DenseSet<mlir::Operation *> ops; // done on parts
  llvm::DenseMap<mlir::Value, mlir::Value> slices;
  llvm::DenseSet<mlir::Value> scattered;
  // What values were before they became parts.
  llvm::DenseMap<mlir::Value, mlir::RankedTensorType> wholeTypes;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_STATEPARTS_H
