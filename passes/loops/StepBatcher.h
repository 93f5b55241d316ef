// Makes ops of a loop's body again outside of it, for all steps at once.
#ifndef KERATIN_PASSES_LOOPS_STEPBATCHER_H
#define KERATIN_PASSES_LOOPS_STEPBATCHER_H

#include "ir/builder/GraphMath.h"

#include "llvm/ADT/DenseMap.h"

namespace keratin::passes {

// A value of the body stands outside as one for all steps, with the steps as dimension 0 in the
// order of their places, or, if it is the same in each, as it is.
struct SteppedValue {
  mlir::Value value;
  bool varies = false;

  explicit operator bool() const { return bool(value); }
};

// Whether batch() can make the op, if those of its operands vary for which `varies` says so. The
// types of the results must have countable elements for that.
bool canBatch(mlir::Operation *op, const ir::DimExpr &steps,
              llvm::function_ref<bool(mlir::Value)> varies);

class StepBatcher {
public:
  // Emits at the builder's insertion point.
  StepBatcher(mlir::OpBuilder &builder, const ir::DimExpr &steps)
      : builder(builder), steps(steps) {}

  void map(mlir::Value inside, SteppedValue outside) { known[inside] = outside; }
  // Null for a value that neither map() nor batch() has made known.
  SteppedValue lookup(mlir::Value inside) const { return known.lookup(inside); }

  // Preconditions: the operands are known, and canBatch().
  void batch(mlir::Operation *op);

  // sum over all steps of a contraction: preconditions as for batch(), and both operands vary.
  mlir::Value sumOfContractions(mlir::Operation *op);

private:
  SteppedValue make(mlir::Operation *op);
  // Ops that are made in ways of their own.
  SteppedValue makeOwn(ir::DimOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::GatherOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::DotGeneralOp op, ir::GraphMath &g);
  SteppedValue makeOwn(ir::ConvolutionOp op, ir::GraphMath &g);
  SteppedValue again(mlir::Operation *op, mlir::ValueRange operands, bool isVarying);
  // The operand for all steps, repeated if it is the same in each.
  mlir::Value repeated(mlir::Value inside, ir::GraphMath &g);
  bool varies(mlir::Value inside) const { return lookup(inside).varies; }

  mlir::OpBuilder &builder;
  ir::DimExpr steps;
  llvm::DenseMap<mlir::Value, SteppedValue> known;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_STEPBATCHER_H
