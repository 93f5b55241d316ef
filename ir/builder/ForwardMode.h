// Forward mode: the one walk that tangents are made by, in functions and in the bodies of loops and
// branches.
#ifndef KERATIN_IR_BUILDER_FORWARDMODE_H
#define KERATIN_IR_BUILDER_FORWARDMODE_H

#include "ir/builder/ChosenZeros.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// Null where no path from an input arrived: an absent path adds nothing, not even zeros.
struct Tangent {
  mlir::Value value;
  ChosenZeros zeros;
};

// Tangents of the values of one block. Used in this order: constructor, prepare(), seed() of the
// inputs, run(), tangentOf().
class ForwardMode {
public:
  // BesideValues: the tangents of an op's results come right behind it, and a loop or a branch is
  // replaced by one that carries tangents beside values. The tangents of the inputs must be there
  // before the first op. AtBuilder: all is built at the builder's insertion point, which follows
  // the outputs, and a loop or a branch is run again for its tangents.
  enum class Place { BesideValues, AtBuilder };
  ForwardMode(mlir::OpBuilder &builder, mlir::Location location,
              llvm::ArrayRef<mlir::Value> inputs);
  ~ForwardMode();
  ForwardMode(const ForwardMode &) = delete;
  ForwardMode &operator=(const ForwardMode &) = delete;
  // Finds the ops to walk through; fails, in silence, if the outputs depend on an op of
  // another block.
  mlir::LogicalResult prepare(llvm::ArrayRef<mlir::Value> outputs);

  // The ops that it will walk through, in the order of the block.
  llvm::ArrayRef<mlir::Operation *> ops() const { return between.ops(); }
  bool isActive(mlir::Value value) const { return between.isActive(value); }
  // Adds to the tangent of an input.
  void seed(mlir::Value input, Tangent tangent) { add(input, tangent); }

  // Walks from the inputs to the outputs. A value made by a loop or a branch that was replaced is
  // another one afterwards.
  mlir::LogicalResult run(Place where);

  Tangent tangentOf(mlir::Value value) const { return tangents.lookup(value); }
  // Ops that were differentiated, those in regions included: a bounded number is built for each.
  int64_t differentiated() const { return differentiatedOps; }

private:
  mlir::LogicalResult differentiate(mlir::Operation *op);
  mlir::LogicalResult buildRegionTangents(mlir::Operation *op, llvm::ArrayRef<Tangent> ofOperands);
  void add(mlir::Value value, Tangent tangent);

  mlir::OpBuilder &builder;
  mlir::Location location;
  Place place = Place::AtBuilder;
  OpsBetween between;
  llvm::DenseMap<mlir::Value, Tangent> tangents;
  // Loops and branches that were replaced, which stay as long as the sets that know their results.
  llvm::SmallVector<mlir::Operation *> replaced;
  int64_t differentiatedOps = 0;
};

// Builds the tangents of an op's results by its rule, at the builder's place; regions have more to
// it. `ofResults` has an entry for each result.
mlir::LogicalResult buildTangents(mlir::OpBuilder &builder, mlir::Operation *op,
                                  llvm::ArrayRef<Tangent> ofOperands,
                                  llvm::SmallVectorImpl<Tangent> &ofResults);

// Where tangents of an op's results are zeros by choice: the elements that `op` takes from no
// operand with a tangent.
ChosenZeros zerosOfTangents(mlir::Operation *op, llvm::ArrayRef<Tangent> ofOperands);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_FORWARDMODE_H
