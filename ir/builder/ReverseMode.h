// Reverse mode: the one walk that gradients are made by, in functions and in the bodies of loops
// and branches.
#ifndef KERATIN_IR_BUILDER_REVERSEMODE_H
#define KERATIN_IR_BUILDER_REVERSEMODE_H

#include "ir/builder/ChosenZeros.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// Null where no path from the loss arrived: an absent path adds nothing, not even zeros.
struct Cotangent {
  mlir::Value value;
  ChosenZeros zeros;
};

// Cotangents of the values of one block. Used in this order: constructor, prepare(), seed() of
// losses that are active, run(), cotangentOf().
class ReverseMode {
public:
  // Ops are built at the builder's insertion point, which follows all losses.
  ReverseMode(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> losses,
              llvm::ArrayRef<mlir::Value> independent);
  ~ReverseMode();
  ReverseMode(const ReverseMode &) = delete;
  ReverseMode &operator=(const ReverseMode &) = delete;
  // Finds the ops to walk through; fails if the losses depend on an op of another block.
  mlir::LogicalResult prepare();
  // Instead: walks through these alone, in the order of the block, which make of the independent
  // values what is linear in them. Nothing they are multiplied by is a derivative, so zeros by
  // choice need no guard.
  void prepareLinear(llvm::ArrayRef<mlir::Operation *> ops);

  // Whether the value depends, by a differentiable path, on an independent one.
  bool isActive(mlir::Value value) const { return between.isActive(value); }
  // Adds to the cotangent of an active loss.
  void seed(mlir::Value loss, Cotangent cotangent) { add(loss, cotangent); }

  // Walks back to the independent values. A loop that is differentiated is replaced by one that
  // keeps what its gradient needs.
  mlir::LogicalResult run();

  Cotangent cotangentOf(mlir::Value value) const;
  // Ops that were differentiated, those in regions included: a bounded number is built for each.
  int64_t differentiated() const { return differentiatedOps; }

private:
  mlir::LogicalResult differentiate(mlir::Operation *op);
  mlir::LogicalResult buildGradients(mlir::Operation *op, llvm::ArrayRef<Cotangent> cotangents,
                                     llvm::ArrayRef<bool> wanted,
                                     llvm::SmallVectorImpl<Cotangent> &gradients);
  mlir::LogicalResult buildRegionGradients(mlir::Operation *op,
                                           llvm::ArrayRef<Cotangent> cotangents,
                                           llvm::ArrayRef<bool> wanted,
                                           llvm::SmallVectorImpl<Cotangent> &gradients);
  void add(mlir::Value value, Cotangent cotangent);

  mlir::OpBuilder &builder;
  mlir::Location location;
  llvm::SmallVector<mlir::Value> losses;
  OpsBetween between;
  bool isLinear = false;
  llvm::DenseMap<mlir::Value, Cotangent> cotangents;
  // Loops that were replaced, which stay as long as the maps that know their results; and back.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> extensions, originals;
  int64_t differentiatedOps = 0;
};

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_REVERSEMODE_H
