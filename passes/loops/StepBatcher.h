// Makes ops of a loop's body again outside of it, for all steps at once: some of them, or all,
// where the steps are the elements of a map.
#ifndef KERATIN_PASSES_LOOPS_STEPBATCHER_H
#define KERATIN_PASSES_LOOPS_STEPBATCHER_H

#include "ir/builder/GraphMath.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace keratin::passes {

// A value of the body stands outside as one for all steps, with the steps as dimension 0 in the
// order of their places, or, if it is the same in each, as it is.
struct SteppedValue {
  mlir::Value value;
  bool varies = false;

  explicit operator bool() const { return bool(value); }
};

using SteppedValues = llvm::SmallVector<SteppedValue, 1>;

class StepVariation;

// Whether batch() makes the op as one op, or a few, that read each operand as it lies there, if
// those of its operands vary for which `varies` says so. The types of the results must have
// countable elements for that.
bool canBatch(mlir::Operation *op, const ir::DimExpr &steps,
              llvm::function_ref<bool(mlir::Value)> varies);

class StepBatcher {
public:
  // Emits at the builder's insertion point. What varies must be said for all but batch() and
  // sumOfContractions().
  StepBatcher(mlir::OpBuilder &builder, const ir::DimExpr &steps,
              const StepVariation *variation = nullptr)
      : builder(builder), steps(steps), variation(variation) {}

  void map(mlir::Value inside, SteppedValue outside) { known[inside] = outside; }
  // Null for a value that neither map() nor batch() has made known.
  SteppedValue lookup(mlir::Value inside) const { return known.lookup(inside); }
  // The value for all steps, repeated if it is the same in each.
  mlir::Value forAllSteps(mlir::Value inside, ir::GraphMath &g) const {
    return repeated(lookup(inside), g);
  }

  // Preconditions: the operands are known, and canBatch().
  void batch(mlir::Operation *op);

  // All ops of a block whose arguments are known, but its terminator. Those for which there is no
  // form for all steps become loops over the steps. Precondition: types have countable elements
  // for all steps.
  void batchBlock(mlir::Block &block);

  // sum over all steps of a contraction: preconditions as for batch(), and both operands vary.
  mlir::Value sumOfContractions(mlir::Operation *op);

private:
  SteppedValues make(mlir::Operation *op);
  // Ops that are made in ways of their own: contractions (StepBatcher.cpp),
  SteppedValue makeOwn(ir::DimOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::DotGeneralOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::ConvolutionOp op, ir::GraphMath &g);
  // what says where (BatchedPlaces.cpp),
  SteppedValue makeOwn(ir::GatherOp op, ir::GraphMath &g);
  template <typename Op>
    requires llvm::is_one_of<Op, ir::ScatterAddOp, ir::ScatterLastOp, ir::ScatterMaxOp,
                             ir::ScatterMinOp>::value
  SteppedValue makeOwn(Op op, ir::GraphMath &g) {
    return scatter(op, op.getIndices(), op.getUpdates(), g);
  }
  SteppedValue makeOwn(ir::DynamicSliceOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::DynamicUnsliceOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::SparseDotOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::TruncateOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::DependOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::DelayOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::RequireOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::CheckRangeOp op, ir::GraphMath &g);
  SteppedValues makeOwn(ir::CtcBeamSearchOp op, ir::GraphMath &g);
  // and what has bodies (BatchedRegions.cpp).
  SteppedValues makeOwn(ir::ScanOp op, ir::GraphMath &g);
  SteppedValues makeOwn(ir::WhileOp op, ir::GraphMath &g);
  SteppedValues makeOwn(ir::IfOp op, ir::GraphMath &g);
  SteppedValues makeOwn(ir::CheckpointOp op, ir::GraphMath &g);
  SteppedValues makeOwn(ir::CustomGradientOp op, ir::GraphMath &g);
  SteppedValues selectBranches(ir::IfOp op, ir::GraphMath &g);
  SteppedValues makeSideBySide(ir::WhileOp op, ir::GraphMath &g);
  SteppedValues makeUntilAllAreDone(ir::WhileOp op, ir::GraphMath &g);

  SteppedValues again(mlir::Operation *op, mlir::ValueRange operands, bool isVarying);
  SteppedValue scatter(mlir::Operation *op, mlir::Value indices, mlir::Value updates,
                       ir::GraphMath &g);
  mlir::Value placesInAll(mlir::Value indices, const ir::DimExpr &rows, llvm::StringRef message,
                          ir::GraphMath &g);
  struct Boxes;
  Boxes placeBoxes(mlir::OperandRange starts, const ir::Shape &box, const ir::Shape &whole,
                   const ir::Shape &numbered, ir::GraphMath &g);
  SteppedValue withFirstStart(mlir::Operation *op, mlir::OperandRange starts, ir::GraphMath &g);
  // The values that a nested block yields, with its ops emitted where the builder does, for these
  // arguments.
  SteppedValues batchNested(mlir::OpBuilder &inner, mlir::Block &block,
                            llvm::ArrayRef<SteppedValue> arguments) const;
  // As the value is to be in each step, or for all of them where `inside` may vary.
  mlir::Value asExpected(SteppedValue value, mlir::Value inside, ir::GraphMath &g) const;
  mlir::Value repeated(SteppedValue value, ir::GraphMath &g) const;
  bool varies(mlir::Value inside) const { return lookup(inside).varies; }

  // Ops of a block (BatchedBlock.cpp).
  llvm::DenseSet<mlir::Operation *> sizedByStep(mlir::Block &block) const;
  llvm::StringRef whyLooped(mlir::Operation *op) const;
  llvm::StringRef whyLooped(ir::WhileOp op) const;
  llvm::StringRef whyLooped(ir::IfOp op) const;
  void makeFor(mlir::Operation *op);
  void makeOnce(mlir::Operation *op);
  void makeLoop(llvm::ArrayRef<mlir::Operation *> ops, llvm::StringRef why);

  mlir::OpBuilder &builder;
  ir::DimExpr steps;
  const StepVariation *variation;
  llvm::DenseMap<mlir::Value, SteppedValue> known;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_STEPBATCHER_H
