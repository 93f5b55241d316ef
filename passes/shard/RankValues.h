// What each rank has of each value of a sharded function.
#ifndef KERATIN_PASSES_SHARD_RANKVALUES_H
#define KERATIN_PASSES_SHARD_RANKVALUES_H

#include "passes/shard/OwnPlaces.h"
#include "passes/shard/RankMarkers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace keratin::passes {

enum class RankKind {
  Same, // the value
  Part, // its part along the sharded size, which stands in the type
  Sum,  // a share: the value is the sum of those of all ranks
  Max,  // the value is the largest of those of all ranks
  Min,
  Own, // of keratin.enter_rank: another value on each rank, of which others know nothing
};

class RankValues {
public:
  // With `gathers` an op may have the parts of all ranks. A slice of a whole from where a part
  // begins, if it is said here, is the rank's part.
  RankValues(mlir::func::FuncOp function, ShardedSizes sizes, const RankMarkers &markers,
             bool gathers, llvm::DenseMap<int64_t, ir::DimExpr> begins)
      : function(function), axis(sizes.axis), sharded(std::move(sizes.symbols)),
        others(std::move(sizes.others)), markers(markers), gathers(gathers),
        begins(std::move(begins)), places(function, sharded, others) {}

  // Fails, with an error of the graph, where an op needs elements that other ranks have, and may
  // not have them.
  mlir::LogicalResult run();

  mlir::StringAttr meshAxis() const { return axis; }
  const Symbols &shardedSymbols() const { return sharded; }
  // Whether it is in parts along another axis, or a rank's own there (keratin.enter_rank).
  bool isOfOthers(mlir::Value value) const;
  // Whether the keratin.enter_rank or leave_rank is of the ranks along this axis.
  bool isOfRanks(mlir::Operation *marker) const { return markers.areAlong(marker, axis); }
  // Whether the op gets the whole of all operands, and makes the whole on all ranks.
  bool isOfWhole(mlir::Operation *op) const { return op && gathering.contains(op); }
  // Whether it picks, or adds to, rows of a table that is in parts, by parts of indices along the
  // same axis: it gets those of all ranks.
  bool isExchanged(mlir::Operation *op) const { return exchanged.contains(op); }
  // Whether the elements have to be in the order of ranks, and are not.
  bool needsOrder(mlir::OpOperand &operand) const { return unordered.contains(&operand); }
  // The dimension that is sharded; none: the value is the same, or a share, on all ranks.
  std::optional<unsigned> dimensionOf(mlir::Value value) const;
  // Of how many runs the whole of a part is, in each of which the ranks' follow one another: more
  // than one where dimensions in front have been merged with the sharded one. None: all elements
  // along it are alike, so any number is right.
  std::optional<ir::DimExpr> runsOf(mlir::Value part) const;

  // By which a rank finds rows of its own part.
  const OwnPlaces &ownPlaces() const { return places; }

  RankKind kindOf(mlir::Value value) const { return kinds.lookup(value); }
  // The operands that are shares and are needed whole.
  const llvm::DenseSet<mlir::OpOperand *> &wholeOperands() const { return whole; }

private:
  mlir::LogicalResult visitChecks();
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitKinds(mlir::Operation *op);
  mlir::LogicalResult visitRuns(mlir::Operation *op);
  mlir::LogicalResult visitRunsOfReshape(ir::ReshapeOp op);
  mlir::LogicalResult visitReturn(mlir::func::ReturnOp op);
  bool isScaled(mlir::Operation *op) const;
  void scaleWholes();
  bool isCut(mlir::Operation *op) const;
  void noteBound(mlir::Operation *op);
  mlir::LogicalResult visitElementwise(mlir::Operation *op);
  mlir::LogicalResult visitReduction(ir::ReductionOpInterface op);
  mlir::LogicalResult visitContraction(ir::DotGeneralOp op);
  mlir::LogicalResult visitConvolution(ir::ConvolutionOp op);
  mlir::LogicalResult visitMove(mlir::Operation *op);
  mlir::LogicalResult visitScatter(ir::ScatterAddOp op);
  mlir::LogicalResult visitWindows(mlir::Operation *op, llvm::ArrayRef<int64_t> window,
                                   llvm::ArrayRef<int64_t> strides, ir::DimsAttr low);
  mlir::LogicalResult visitCollective(mlir::Operation *op);
  mlir::LogicalResult visitOtherAxis(mlir::Operation *op);
  mlir::LogicalResult visitRank(ir::RankOp op);
  // Of a table that is in parts along this axis.
  bool isOfOwnRows(mlir::Operation *op) const;
  mlir::LogicalResult visitOwnRows(mlir::Operation *op);
  mlir::LogicalResult visitOwnPlaces(mlir::Operation *op);
  mlir::LogicalResult refuseOthers(mlir::Operation *op, llvm::StringRef what);
  mlir::LogicalResult visitOwn(mlir::Operation *op);
  mlir::LogicalResult visitLoop(ir::LoopOpInterface op);
  // Of states of these kinds.
  mlir::LogicalResult visitStep(ir::LoopOpInterface op, llvm::ArrayRef<RankKind> states);
  mlir::LogicalResult visitBranches(ir::IfOp op);

  bool isSharded(const ir::DimExpr &size) const { return isOf(size, sharded); }
  bool isPart(mlir::Value value) const { return dimensionOf(value).has_value(); }
  // Whether those who meet for the op have one place along this axis, and so the same of it.
  bool isAmongOthers(mlir::Operation *op) const {
    const mlir::StringAttr along = ir::meshAxisOf(op);
    return axis && along && along != axis;
  }
  bool isShare(mlir::Value value) const {
    RankKind kind = kindOf(value);
    return kind == RankKind::Sum || kind == RankKind::Max || kind == RankKind::Min;
  }
  bool isOwn(mlir::Value value) const { return kindOf(value) == RankKind::Own; }
  // By the type alone.
  RankKind kindByType(mlir::Value value) const {
    return isPart(value) ? RankKind::Part : RankKind::Same;
  }

  void setArgument(mlir::BlockArgument argument);
  void setRuns(mlir::Value part, const std::optional<ir::DimExpr> &count);
  void setKinds(mlir::Operation *op, RankKind share = RankKind::Same);
  void needWhole(mlir::OpOperand &operand) {
    if (isShare(operand.get()))
      whole.insert(&operand);
  }
  void needOperandsWhole(mlir::Operation *op);
  // Those, and so what it makes is the same on all ranks, or a part.
  mlir::LogicalResult needAllWhole(mlir::Operation *op);
  // Needs the parts of all ranks, or is refused.
  mlir::LogicalResult needAllParts(mlir::Operation *op, const llvm::Twine &what);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &what,
                             llvm::StringRef needed = "");
  bool hasParts(mlir::Value value) const;
  mlir::LogicalResult needOrder(mlir::OpOperand &operand);
  mlir::LogicalResult forgetPlaces(mlir::Operation *op);
  void forgetAll();
  void forgetInside(mlir::Operation *op);

  mlir::func::FuncOp function;
  const mlir::StringAttr axis;
  const Symbols sharded, others;
  const RankMarkers &markers;
  const bool gathers;
  const llvm::DenseMap<int64_t, ir::DimExpr> begins;
  OwnPlaces places;
  bool haveForgotten = false; // some of them
  llvm::DenseMap<mlir::Value, RankKind> kinds;
  llvm::DenseMap<mlir::Value, ir::DimExpr> runs;
  llvm::DenseSet<mlir::Value> ownOfOthers;
  llvm::DenseSet<mlir::OpOperand *> whole, unordered;
  llvm::DenseSet<mlir::Operation *> gathering, exchanged;
  // Computed sizes that can be as large as the whole.
  llvm::DenseSet<int64_t> unbounded;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_RANKVALUES_H
