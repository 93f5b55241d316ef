// Broadcasts: merged with each other, and moved below what can work on the small shape.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"

#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// broadcast(broadcast(x)) is one broadcast with the dims composed.
struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a broadcast");
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(), dims);
    return success();
  }
};

// A reshape that only puts in or takes out dimensions of size 1: which dimension of the result each
// of the operand's is, -1 for one taken out. Nothing for other reshapes.
std::optional<SmallVector<int64_t>> matchUnitReshape(const Shape &from, const Shape &to) {
  SmallVector<int64_t> map;
  size_t j = 0;
  for (const DimExpr &size : from) {
    size_t next = j;
    while (next < to.size() && to[next] == DimExpr(1) && size != DimExpr(1))
      ++next;
    if (next < to.size() && to[next] == size) {
      map.push_back(next);
      j = next + 1;
    } else if (size == DimExpr(1)) {
      map.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  for (; j < to.size(); ++j)
    if (to[j] != DimExpr(1))
      return std::nullopt;
  return map;
}

// broadcast(reshape(x)), where the reshape only puts in ones, is a broadcast of x.
struct BroadcastOfUnitReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "not of a reshape");
    auto map = matchUnitReshape(getShape(reshape.getX()), getShape(reshape));
    if (!map || llvm::is_contained(*map, -1))
      return rewriter.notifyMatchFailure(op, "the reshape does more than put in ones");
    SmallVector<int64_t> dims;
    for (int64_t dim : *map)
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getX(), dims);
    return success();
  }
};

// reshape(broadcast(x)) is a broadcast of x, where the reshape only puts in ones, only takes out
// ones that the broadcast put in, or x is a scalar.
struct ReshapeOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "not of a broadcast");
    SmallVector<int64_t> dims;
    if (!broadcast.getDims().empty()) {
      auto map = matchUnitReshape(getShape(broadcast), getShape(op));
      if (!map)
        return rewriter.notifyMatchFailure(op, "the reshape mixes dimensions");
      for (int64_t dim : broadcast.getDims()) {
        if ((*map)[dim] < 0)
          return rewriter.notifyMatchFailure(op,
                                             "the reshape takes out a dimension of the operand");
        dims.push_back((*map)[dim]);
      }
    } else if (elementCount(getShape(op.getX())) != elementCount(getShape(op))) {
      return rewriter.notifyMatchFailure(op, "the number of elements is still to be checked");
    }
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getX(), dims);
    return success();
  }
};

// Whether the result may have no elements though the operand has some.
bool mayEmpty(BroadcastOp op) {
  Shape from = getShape(op.getX()), whole = getShape(op);
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (from[i] == whole[dim])
      whole[dim] = DimExpr(1);
  return llvm::any_of(whole, [](const DimExpr &size) { return size.lowerBound().value_or(0) < 1; });
}

// Whether every operand is a repeated constant: these have no gradient.
bool areConstant(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return operand.getDefiningOp<BroadcastOp>().getX().getDefiningOp<ConstantOp>();
  });
}

// f(broadcast(a), broadcast(b)) = broadcast(f(a, b)), if one of the operands before its broadcast
// has the dimensions of all others: these are broadcast to it, scalars above all.
//
// Where the result may be empty and a is not, f had nothing to compute and then has: with f'(a)
// infinite, the gradient of a was an empty sum and becomes 0 * inf.
struct ElementwiseOfBroadcasts : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  ElementwiseOfBroadcasts(MLIRContext *context, RewritePhase phase)
      : OpInterfaceRewritePattern(context), phase(phase) {}
  RewritePhase phase;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    BroadcastOp widest;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast)
        return rewriter.notifyMatchFailure(op, "an operand is not a broadcast");
      if (!widest || broadcast.getDims().size() > widest.getDims().size())
        widest = broadcast;
    }
    if (phase == RewritePhase::BeforeGradients && mayEmpty(widest) && !areConstant(op))
      return rewriter.notifyMatchFailure(op, "may be empty, and its gradient is still to come");
    Shape small = getShape(widest.getX());
    ArrayRef<int64_t> core = widest.getDims();
    SmallVector<SmallVector<int64_t>> dims; // of each operand inside the small shape
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      Shape shape = getShape(broadcast.getX());
      SmallVector<int64_t> &inside = dims.emplace_back();
      for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
        const int64_t *found = llvm::find(core, dim);
        if (found == core.end())
          return rewriter.notifyMatchFailure(op, "an operand repeats where another does not");
        inside.push_back(found - core.begin());
        if (shape[i] != DimExpr(1) && shape[i] != small[inside.back()])
          return rewriter.notifyMatchFailure(op, "an operand repeats where another does not");
      }
    }
    GraphMath g(rewriter, op.getLoc());
    SmallVector<Value> operands;
    for (auto [operand, inside] : llvm::zip(op->getOperands(), dims))
      operands.push_back(g.broadcast(operand.getDefiningOp<BroadcastOp>().getX(), small, inside));
    Type type = getTensorType(small, getElementType(op->getResult(0)));
    Operation *inner =
        rewriter.create(op.getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs());
    SmallVector<int64_t> outer(core);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op->getResult(0).getType(), inner->getResult(0),
                                             outer);
    return success();
  }
};

// A slice of a broadcast is a broadcast of the slice; nothing is left to slice where it repeats.
struct SliceOfBroadcast : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "not of a broadcast");
    Shape from = getShape(broadcast.getX()), whole = getShape(broadcast), to = getShape(op);
    Shape starts = op.getStarts().getDims(), innerStarts, innerSizes;
    SmallVector<int64_t> innerStrides;
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
      bool repeats = from[i] == DimExpr(1) && whole[dim] != DimExpr(1);
      innerStarts.push_back(repeats ? DimExpr(0) : starts[dim]);
      innerSizes.push_back(repeats ? DimExpr(1) : to[dim]);
      innerStrides.push_back(repeats ? 1 : op.getStrides()[dim]);
    }
    Value inner = GraphMath(rewriter, op.getLoc())
                      .slice(broadcast.getX(), innerStarts, innerSizes, innerStrides);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner, broadcast.getDims());
    return success();
  }
};

} // namespace

void keratin::passes::populateBroadcastPatterns(RewritePatternSet &patterns, RewritePhase phase) {
  patterns.add<BroadcastOfBroadcast, BroadcastOfUnitReshape, ReshapeOfBroadcast, SliceOfBroadcast>(
      patterns.getContext());
  patterns.add<ElementwiseOfBroadcasts>(patterns.getContext(), phase);
}
