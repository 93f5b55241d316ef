// Ops that move elements: merged, cancelled, and moved to where they cancel.
//
// Transposes go down, towards the results: through elementwise ops into reductions and
// contractions, which absorb them, or to the transpose that undoes them.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"
#include "passes/simplify/Scatters.h"

#include "ir/builder/GraphMath.h"
#include "ir/dialect/OwnRows.h"
#include "ir/interfaces/ContractionShape.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return inverse;
}

//===-- Transposes ----------------------------------------------------------------------------===//

struct TransposeOfTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a transpose");
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOp(op, GraphMath(rewriter, op.getLoc()).transpose(inner.getX(), permutation));
    return success();
  }
};

// transpose(broadcast(x)) = broadcast(transpose(x)): the operand is smaller, often needs no
// transpose.
struct TransposeOfBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "not of a broadcast");
    SmallVector<int64_t> permutation, dims;
    for (auto [i, dim] : llvm::enumerate(op.getPermutation())) {
      const int64_t *found = llvm::find(broadcast.getDims(), dim);
      if (found == broadcast.getDims().end())
        continue;
      permutation.push_back(found - broadcast.getDims().begin());
      dims.push_back(i);
    }
    Value inner = GraphMath(rewriter, op.getLoc()).transpose(broadcast.getX(), permutation);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner, dims);
    return success();
  }
};

// A transpose that leaves the order of all dimensions but those of size 1 is a reshape.
struct TransposeOfUnitDims : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Shape shape = getShape(op.getX());
    int64_t previous = -1;
    for (int64_t dim : op.getPermutation()) {
      if (shape[dim] == DimExpr(1))
        continue;
      if (dim < previous)
        return rewriter.notifyMatchFailure(op, "changes the order of elements");
      previous = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
};

// f(transpose(a), transpose(b)) = transpose(f(a, b)) with the same permutation; constants follow.
struct ElementwiseOfTransposes : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    // A convolution widens for itself, and absorbs no transpose.
    if (isWidening(op) && llvm::any_of(op->getUsers(), llvm::IsaPred<ConvolutionOp>))
      return rewriter.notifyMatchFailure(op, "longer elements would move");
    TransposeOp first;
    for (Value operand : op->getOperands()) {
      auto transpose = operand.getDefiningOp<TransposeOp>();
      if (!transpose) {
        auto broadcast = operand.getDefiningOp<BroadcastOp>();
        if (!broadcast || !broadcast.getDims().empty())
          return rewriter.notifyMatchFailure(op, "an operand is neither transpose nor scalar");
        continue;
      }
      if (first && first.getPermutation() != transpose.getPermutation())
        return rewriter.notifyMatchFailure(op, "different permutations");
      if (!llvm::all_of(transpose->getUsers(), [&](Operation *user) { return user == op; }))
        return rewriter.notifyMatchFailure(op, "the transpose is needed elsewhere too");
      first = transpose;
    }
    if (!first)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    GraphMath g(rewriter, op.getLoc());
    Shape shape = getShape(first.getX());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto transpose = operand.getDefiningOp<TransposeOp>();
      operands.push_back(
          transpose ? transpose.getX()
                    : g.broadcastScalar(operand.getDefiningOp<BroadcastOp>().getX(), shape));
    }
    Type type = getTensorType(shape, getElementType(op->getResult(0)));
    Operation *inner =
        rewriter.create(op.getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner->getResult(0), first.getPermutation());
    return success();
  }
};

// slice(transpose(x)) = transpose(slice(x)): fewer elements are transposed.
struct SliceOfTranspose : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "not of a transpose");
    Shape starts = op.getStarts().getDims(), sizes = getShape(op), innerStarts, innerSizes;
    SmallVector<int64_t> strides;
    for (int64_t dim : inversePermutation(transpose.getPermutation())) {
      innerStarts.push_back(starts[dim]);
      innerSizes.push_back(sizes[dim]);
      strides.push_back(op.getStrides()[dim]);
    }
    GraphMath g(rewriter, op.getLoc());
    Value inner = g.slice(transpose.getX(), innerStarts, innerSizes, strides);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner, transpose.getPermutation());
    return success();
  }
};

//===-- Slices, pads, reverses, concatenations ------------------------------------------------===//

// slice(slice(x)): starts add up, scaled by the inner stride, and strides multiply.
struct SliceOfSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<SliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a slice");
    Shape outerStarts = op.getStarts().getDims(), starts = inner.getStarts().getDims();
    SmallVector<int64_t> strides;
    for (size_t i = 0; i < starts.size(); ++i) {
      std::optional<DimExpr> offset = mul(outerStarts[i], DimExpr(inner.getStrides()[i]));
      std::optional<DimExpr> start = offset ? add(starts[i], *offset) : std::nullopt;
      int64_t stride;
      if (!start || llvm::MulOverflow(op.getStrides()[i], inner.getStrides()[i], stride))
        return rewriter.notifyMatchFailure(op, "a start or stride does not fit 64 bits");
      starts[i] = *start;
      strides.push_back(stride);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getX(),
                                         DimsAttr::get(getContext(), starts), strides);
    return success();
  }
};

// slice(pad(x)) = x, if the slice takes out just what the pad put in.
struct SliceOfPad : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getX().getDefiningOp<PadOp>();
    if (!pad || pad.getX().getType() != op.getType() || pad.getLow() != op.getStarts())
      return rewriter.notifyMatchFailure(op, "not the inverse of a pad");
    for (auto [stride, interior] : llvm::zip(op.getStrides(), pad.getInterior()))
      if (stride != interior + 1)
        return rewriter.notifyMatchFailure(op, "not the inverse of a pad");
    rewriter.replaceOp(op, pad.getX());
    return success();
  }
};

// slice(concatenate(…, x, …)) = slice(x), if the box lies inside x along the axis.
struct SliceOfConcatenate : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto concatenate = op.getX().getDefiningOp<ConcatenateOp>();
    if (!concatenate)
      return rewriter.notifyMatchFailure(op, "not of a concatenation");
    int64_t axis = concatenate.getAxis();
    Shape starts = op.getStarts().getDims();
    // One past the last element that the slice reads.
    std::optional<DimExpr> end = sub(getShape(op)[axis], DimExpr(1));
    end = end ? mul(*end, DimExpr(op.getStrides()[axis])) : end;
    end = end ? add(*end, starts[axis]) : end;
    end = end ? add(*end, DimExpr(1)) : end;
    if (!end)
      return rewriter.notifyMatchFailure(op, "the box does not fit 64 bits");
    DimExpr offset(0);
    for (Value x : concatenate.getXs()) {
      std::optional<DimExpr> next = add(offset, getShape(x)[axis]);
      std::optional<DimExpr> before = sub(starts[axis], offset);
      std::optional<DimExpr> after = next ? sub(*next, *end) : next;
      if (before && after && before->lowerBound().value_or(-1) >= 0 &&
          after->lowerBound().value_or(-1) >= 0) {
        starts[axis] = *before;
        rewriter.replaceOp(
            op, GraphMath(rewriter, op.getLoc()).slice(x, starts, getShape(op), op.getStrides()));
        return success();
      }
      if (!next)
        break;
      offset = *next;
    }
    return rewriter.notifyMatchFailure(op, "no operand is known to hold the whole box");
  }
};

struct ConcatenateOfOne : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatenateOp op, PatternRewriter &rewriter) const override {
    if (op.getXs().size() != 1)
      return rewriter.notifyMatchFailure(op, "several operands");
    rewriter.replaceOp(op, op.getXs().front());
    return success();
  }
};

// gather(concatenate(a, b, a), i) = gather(concatenate(a, b), j) for indices that are known.
struct GatherOfRepeated : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto joined = op.getX().getDefiningOp<ConcatenateOp>();
    if (!joined || joined.getAxis() != 0)
      return rewriter.notifyMatchFailure(op, "not of rows that were joined");
    SmallVector<Value> parts;
    llvm::DenseMap<Value, int64_t> firstOf;
    std::vector<int64_t> rows; // of those that are left, for each row
    int64_t next = 0;
    for (Value x : joined.getXs()) {
      const DimExpr count = getShape(x)[0];
      if (!count.isConstant())
        return rewriter.notifyMatchFailure(op, "of parts of unknown sizes");
      auto [first, isNew] = firstOf.try_emplace(x, next);
      if (isNew) {
        parts.push_back(x);
        next += count.constantValue();
      }
      for (int64_t row = 0; row < count.constantValue(); ++row)
        rows.push_back(first->second + row);
    }
    if (parts.size() == joined.getXs().size())
      return rewriter.notifyMatchFailure(op, "of different parts");
    DenseIntElementsAttr indices;
    if (!matchPattern(op.getIndices(), m_Constant(&indices)))
      return rewriter.notifyMatchFailure(op, "at places that only the call knows");
    if (llvm::any_of(indices.getValues<APInt>(),
                     [&](const APInt &i) { return i.isNegative() || i.uge(rows.size()); }))
      return rewriter.notifyMatchFailure(op, "beyond the last row, or counted from there");
    auto remaining = llvm::cast<DenseIntElementsAttr>(
        indices.mapValues(indices.getElementType(), [&](const APInt &i) {
          return APInt(i.getBitWidth(), rows[i.getZExtValue()]);
        }));
    GraphMath g(rewriter, op.getLoc());
    Value all = g.concatenate(parts, 0);
    Value places = rewriter.create<ConstantOp>(op.getLoc(), op.getIndices().getType(), remaining);
    rewriter.replaceOp(op, g.gather(all, places));
    return success();
  }
};

// reverse(reverse(x)) reverses along the axes that only one of them names.
struct ReverseOfReverse : OpRewritePattern<ReverseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReverseOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReverseOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a reverse");
    SmallVector<int64_t> axes;
    for (int64_t axis = 0, rank = getTensorType(op).getRank(); axis < rank; ++axis)
      if (llvm::is_contained(op.getAxes(), axis) != llvm::is_contained(inner.getAxes(), axis))
        axes.push_back(axis);
    rewriter.replaceOp(op, GraphMath(rewriter, op.getLoc()).reverse(inner.getX(), axes));
    return success();
  }
};

// reverse along no axis, or along axes of size 1 only, is nothing.
struct ReverseOfNothing : OpRewritePattern<ReverseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReverseOp op, PatternRewriter &rewriter) const override {
    Shape shape = getShape(op);
    for (int64_t axis : op.getAxes())
      if (shape[axis] != DimExpr(1))
        return rewriter.notifyMatchFailure(op, "moves elements");
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

// Rows of a table that stand for an unknown number of others that are added to them.
constexpr int64_t kManyRows = 1024;

// scatter_add(i, u) + scatter_add(j, v) = scatter_add(i and j, u and v), where there are fewer rows
// than the table has: the gradient of a table that was gathered from twice stays a few rows.
struct AddOfScatters : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    auto first = op.getA().getDefiningOp<ScatterAddOp>();
    auto second = op.getB().getDefiningOp<ScatterAddOp>();
    if (!first || !second || !first->hasOneUse() || !second->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of two scatters, or somebody else reads one");
    DimExpr rows = getShape(op.getY())[0];
    std::optional<DimExpr> a = product(getShape(first.getIndices()));
    std::optional<DimExpr> b = product(getShape(second.getIndices()));
    std::optional<DimExpr> all = a && b ? add(*a, *b) : std::nullopt;
    if (!all || !rows.isConstant() ||
        rows.constantValue() < (all->isConstant() ? all->constantValue() : kManyRows))
      return rewriter.notifyMatchFailure(op, "many rows for the table");
    Value joined = joinScatters(rewriter, op.getLoc(), first, second);
    if (!joined)
      return rewriter.notifyMatchFailure(op, "indices of two types");
    rewriter.replaceOp(op, joined);
    return success();
  }
};

} // namespace

Value keratin::passes::joinScatters(OpBuilder &builder, Location location, ScatterAddOp first,
                                    ScatterAddOp second) {
  std::optional<DimExpr> a = product(getShape(first.getIndices()));
  std::optional<DimExpr> b = product(getShape(second.getIndices()));
  if (!a || !b || !add(*a, *b) ||
      getElementType(first.getIndices()) != getElementType(second.getIndices()) ||
      hasOwnRows(first) != hasOwnRows(second))
    return {};
  GraphMath g(builder, location);
  const Shape table = getShape(first.getY());
  auto joined = [&](Value x, Value y, Shape shape) {
    shape.front() = *a;
    Value before = g.reshape(x, shape);
    shape.front() = *b;
    return g.concatenate({before, g.reshape(y, shape)}, 0);
  };
  Value indices = joined(first.getIndices(), second.getIndices(), {DimExpr(0)});
  Value updates = joined(first.getUpdates(), second.getUpdates(), table);
  Value sum = g.scatterAdd(indices, updates, table);
  if (hasOwnRows(first))
    setOwnRows(sum.getDefiningOp());
  return sum;
}

void keratin::passes::populateMovementPatterns(RewritePatternSet &patterns) {
  patterns
      .add<TransposeOfTranspose, TransposeOfBroadcast, TransposeOfUnitDims, ElementwiseOfTransposes,
           SliceOfTranspose, SliceOfSlice, SliceOfPad, SliceOfConcatenate, ConcatenateOfOne,
           GatherOfRepeated, ReverseOfReverse, ReverseOfNothing, AddOfScatters>(
          patterns.getContext());
}
