// Contractions take their operands in any order of dimensions: transposes around them are absorbed.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"

#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

SmallVector<int64_t> through(ArrayRef<int64_t> permutation, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> mapped;
  for (int64_t dim : dims)
    mapped.push_back(permutation[dim]);
  return mapped;
}

// The transpose behind one operand of a contraction, if that can do without it.
TransposeOp getAbsorbable(Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  return transpose && keepsFreeOrder(transpose.getPermutation(), batch, contract) ? transpose
                                                                                  : TransposeOp();
}

// dot_general(transpose(a), b): batch and contracted dimensions are named by number, so those of a
// do.
struct DotOfTranspose : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    TransposeOp a = getAbsorbable(op.getA(), op.getABatch(), op.getAContract());
    TransposeOp b = getAbsorbable(op.getB(), op.getBBatch(), op.getBContract());
    if (!a && !b)
      return rewriter.notifyMatchFailure(op,
                                         "no operand is a transpose that only renames dimensions");
    auto mapped = [](TransposeOp transpose, ArrayRef<int64_t> dims) {
      return transpose ? through(transpose.getPermutation(), dims) : SmallVector<int64_t>(dims);
    };
    rewriter.replaceOpWithNewOp<DotGeneralOp>(
        op, op.getType(), a ? a.getX() : op.getA(), b ? b.getX() : op.getB(),
        mapped(a, op.getABatch()), mapped(b, op.getBBatch()), mapped(a, op.getAContract()),
        mapped(b, op.getBContract()));
    return success();
  }
};

// transpose(dot_general(a, b)) = dot_general(b, a) or dot_general(a, b) with batch dimensions in
// another order, if that is all the transpose does.
struct TransposeOfDot : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getX().getDefiningOp<DotGeneralOp>();
    if (!dot || !dot->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a contraction of its own");
    ArrayRef<int64_t> permutation = op.getPermutation();
    size_t batch = dot.getABatch().size();
    size_t freeA = getTensorType(dot.getA()).getRank() - batch - dot.getAContract().size();
    for (int64_t dim : permutation.take_front(batch))
      if (dim >= int64_t(batch))
        return rewriter.notifyMatchFailure(op, "moves batch dimensions behind others");
    // The rest is a then b, or b then a, each in order.
    ArrayRef<int64_t> rest = permutation.drop_front(batch);
    size_t freeB = rest.size() - freeA;
    bool swap = !rest.empty() && rest.front() != int64_t(batch);
    for (size_t i = 0; i < rest.size(); ++i) {
      size_t expected = !swap ? i : i < freeB ? freeA + i : i - freeB;
      if (rest[i] != int64_t(batch + expected))
        return rewriter.notifyMatchFailure(op, "mixes the dimensions of the operands");
    }
    SmallVector<int64_t> aBatch = through(dot.getABatch(), permutation.take_front(batch));
    SmallVector<int64_t> bBatch = through(dot.getBBatch(), permutation.take_front(batch));
    if (swap)
      rewriter.replaceOpWithNewOp<DotGeneralOp>(op, op.getType(), dot.getB(), dot.getA(), bBatch,
                                                aBatch, dot.getBContract(), dot.getAContract());
    else
      rewriter.replaceOpWithNewOp<DotGeneralOp>(op, op.getType(), dot.getA(), dot.getB(), aBatch,
                                                bBatch, dot.getAContract(), dot.getBContract());
    return success();
  }
};

} // namespace

void keratin::passes::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<DotOfTranspose, TransposeOfDot>(patterns.getContext());
}
