// What each rank has of each value of a sharded function.
#ifndef KERATIN_PASSES_SHARD_RANKVALUES_H
#define KERATIN_PASSES_SHARD_RANKVALUES_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace keratin::passes {

enum class RankKind {
  Same, // the value
  Part, // its part along the sharded size, which stands in the type
  Sum,  // a share: the value is the sum of those of all ranks
  Max,  // the value is the largest of those of all ranks
  Min,
};

class RankValues {
public:
  // The symbols are the sharded ones.
  RankValues(mlir::func::FuncOp function, llvm::DenseSet<int64_t> sharded)
      : function(function), sharded(std::move(sharded)) {}

  // Fails, with an error of the graph, where an op needs elements that other ranks have.
  mlir::LogicalResult run();

  RankKind kindOf(mlir::Value value) const { return kinds.lookup(value); }
  // The dimension that is sharded; none: the value is the same, or a share, on all ranks.
  std::optional<unsigned> dimensionOf(mlir::Value value) const;
  // The operands that are shares and are needed whole.
  const llvm::DenseSet<mlir::OpOperand *> &wholeOperands() const { return whole; }

private:
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitKinds(mlir::Operation *op);
  mlir::LogicalResult visitRuns(mlir::Operation *op);
  mlir::LogicalResult visitRunsOfReshape(ir::ReshapeOp op);
  mlir::LogicalResult visitElementwise(mlir::Operation *op);
  mlir::LogicalResult visitReduction(ir::ReductionOpInterface op);
  mlir::LogicalResult visitContraction(ir::DotGeneralOp op);
  mlir::LogicalResult visitConvolution(ir::ConvolutionOp op);
  mlir::LogicalResult visitMove(mlir::Operation *op);
  mlir::LogicalResult visitScatter(ir::ScatterAddOp op);
  mlir::LogicalResult visitWindows(mlir::Operation *op, llvm::ArrayRef<int64_t> window,
                                   llvm::ArrayRef<int64_t> strides, ir::DimsAttr low);
  mlir::LogicalResult visitLoop(ir::LoopOpInterface op);
  mlir::LogicalResult visitBranches(ir::IfOp op);

  bool isSharded(const ir::DimExpr &size) const;
  bool isPart(mlir::Value value) const { return dimensionOf(value).has_value(); }
  bool isShare(mlir::Value value) const {
    RankKind kind = kindOf(value);
    return kind != RankKind::Same && kind != RankKind::Part;
  }
  // By the type alone.
  RankKind kindByType(mlir::Value value) const {
    return isPart(value) ? RankKind::Part : RankKind::Same;
  }

  void setArgument(mlir::BlockArgument argument);
  void setRuns(mlir::Value part, const std::optional<ir::DimExpr> &count);
  std::optional<ir::DimExpr> runsOf(mlir::Value part) const;
  void setKinds(mlir::Operation *op, RankKind share = RankKind::Same);
  void needWhole(mlir::OpOperand &operand) {
    if (isShare(operand.get()))
      whole.insert(&operand);
  }
  void needOperandsWhole(mlir::Operation *op);
  // Those, and so what it makes is the same on all ranks, or a part.
  mlir::LogicalResult needAllWhole(mlir::Operation *op);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &what);

  mlir::func::FuncOp function;
  llvm::DenseSet<int64_t> sharded;
  llvm::DenseMap<mlir::Value, RankKind> kinds;
  // Of how many runs the whole of a part is, in each of which the ranks' follow one another: more
  // than one where dimensions in front have been merged with the sharded one. Not there: all
  // elements along it are alike, so any number is right.
  llvm::DenseMap<mlir::Value, ir::DimExpr> runs;
  llvm::DenseSet<mlir::OpOperand *> whole;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_RANKVALUES_H
