// Reductions: merged with each other, and moved above what only repeats or moves elements.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"

#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// The same reduction of another operand along other axes; the operand itself along none.
Value reduceAs(Operation *op, Value x, ArrayRef<int64_t> axes, OpBuilder &builder) {
  if (axes.empty())
    return x;
  Shape shape = getShape(x), kept;
  for (int64_t axis : complement(axes, shape.size()))
    kept.push_back(shape[axis]);
  NamedAttribute attribute(builder.getStringAttr("axes"), builder.getDenseI64ArrayAttr(axes));
  return builder
      .create(op->getLoc(), op->getName().getIdentifier(), x,
              getTensorType(kept, getElementType(x)), attribute)
      ->getResult(0);
}

using ReductionPattern = OpInterfaceRewritePattern<ReductionOpInterface>;

// reduce(reduce(x)) of one kind is one reduction along both sets of axes.
struct ReduceOfReduce : ReductionPattern {
  using ReductionPattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ReductionOpInterface op, PatternRewriter &rewriter) const override {
    auto inner = op->getOperand(0).getDefiningOp<ReductionOpInterface>();
    if (!inner || inner->getName() != op->getName())
      return rewriter.notifyMatchFailure(op, "not of a reduction of the same kind");
    if (!inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the inner result is needed elsewhere too");
    Value x = inner->getOperand(0);
    SmallVector<int64_t> kept = complement(inner.getReducedAxes(), getTensorType(x).getRank());
    SmallVector<int64_t> axes(inner.getReducedAxes());
    for (int64_t axis : op.getReducedAxes())
      axes.push_back(kept[axis]);
    llvm::sort(axes);
    rewriter.replaceOp(op, reduceAs(op, x, axes, rewriter));
    return success();
  }
};

// Along axes of size 1 nothing is combined: a reshape.
struct ReduceOfUnitDims : ReductionPattern {
  using ReductionPattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ReductionOpInterface op, PatternRewriter &rewriter) const override {
    Value x = op->getOperand(0);
    Shape shape = getShape(x);
    for (int64_t axis : op.getReducedAxes())
      if (shape[axis] != DimExpr(1))
        return rewriter.notifyMatchFailure(op, "combines elements");
    rewriter.replaceOp(op, GraphMath(rewriter, op.getLoc()).reshape(x, getShape(op->getResult(0))));
    return success();
  }
};

// reduce(transpose(x)) reduces x along the axes that these were; what remains is transposed if its
// order differs.
struct ReduceOfTranspose : ReductionPattern {
  using ReductionPattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ReductionOpInterface op, PatternRewriter &rewriter) const override {
    auto transpose = op->getOperand(0).getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "not of a transpose");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<int64_t> axes;
    for (int64_t axis : op.getReducedAxes())
      axes.push_back(permutation[axis]);
    llvm::sort(axes);
    SmallVector<int64_t> kept = complement(axes, permutation.size()), order;
    for (int64_t dim : complement(op.getReducedAxes(), permutation.size()))
      order.push_back(llvm::find(kept, permutation[dim]) - kept.begin());
    Value reduced = reduceAs(op, transpose.getX(), axes, rewriter);
    rewriter.replaceOp(op, GraphMath(rewriter, op.getLoc()).transpose(reduced, order));
    return success();
  }
};

// Whether x is finite everywhere as far as one look shows: a constant.
bool isFiniteConstant(Value x) {
  std::optional<double> number = getSplatNumber(x);
  return number && std::isfinite(*number);
}

// x times the number of elements that `count` sizes make. Half precision cannot hold large numbers
// of elements; it multiplies in float32.
Value timesCount(GraphMath &g, Value x, Value shaped, ArrayRef<int64_t> axes) {
  Type type = getElementType(x);
  bool half = type.isF16() || type.isBF16();
  Type wide = half ? g.builder().getF32Type() : type;
  Value count = g.broadcastScalar(g.count(shaped, axes, wide), getShape(x));
  return g.cast(g.mul(g.cast(x, wide), count), type);
}

// reduce_sum(broadcast(x)) = x * number of repetitions; the others do not change by repeating.
// Along its own dimensions x is reduced first. Nothing repeated at all (a size of 0) would give 0
// even if x is infinite, so that must be excluded, or x finite.
struct ReduceOfBroadcast : ReductionPattern {
  using ReductionPattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ReductionOpInterface op, PatternRewriter &rewriter) const override {
    auto broadcast = op->getOperand(0).getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "not of a broadcast");
    bool isSum = isa<ReduceSumOp>(op);
    if (!isSum && !isa<ReduceMaxOp, ReduceMinOp, ReduceAnyOp, ReduceAllOp>(op))
      return rewriter.notifyMatchFailure(op, "depends on the number of repetitions");
    Value x = broadcast.getX();
    Shape from = getShape(x), whole = getShape(broadcast);
    ArrayRef<int64_t> dims = broadcast.getDims();
    // Axes along which elements are repeated, and those of x that are reduced.
    SmallVector<int64_t> repeated, own;
    for (int64_t axis : op.getReducedAxes()) {
      const int64_t *found = llvm::find(dims, axis);
      bool kept = found != dims.end() && from[found - dims.begin()] == whole[axis];
      if (!kept)
        repeated.push_back(axis);
      if (found != dims.end())
        own.push_back(found - dims.begin());
    }
    if (repeated.empty())
      return rewriter.notifyMatchFailure(op, "nothing repeated is reduced");
    for (int64_t axis : repeated)
      if (whole[axis].lowerBound().value_or(0) < 1 &&
          !(isSum && (isInteger(x) || isFiniteConstant(x))))
        return rewriter.notifyMatchFailure(op, "a repeated dimension may be empty");

    GraphMath g(rewriter, op.getLoc());
    Value reduced = reduceAs(op, x, own, rewriter);
    if (isSum)
      reduced = timesCount(g, reduced, broadcast, repeated);
    // What is left of x goes to what is left of the result.
    SmallVector<int64_t> left = complement(op.getReducedAxes(), whole.size()), mapped;
    for (int64_t dim : dims)
      if (!llvm::is_contained(op.getReducedAxes(), dim))
        mapped.push_back(llvm::find(left, dim) - left.begin());
    rewriter.replaceOp(op, g.broadcast(reduced, getShape(op->getResult(0)), mapped));
    return success();
  }
};

} // namespace

void keratin::passes::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<ReduceOfReduce, ReduceOfUnitDims, ReduceOfTranspose, ReduceOfBroadcast>(
      patterns.getContext());
}
