// Transposes around reshapes, and reshapes behind convolutions: channels that are shuffled or
// repeated stay in the order in which convolutions take them.
#include "passes/simplify/Patterns.h"

#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// Adjacent dimensions of a reshape's operand that become adjacent ones of its result.
struct Run {
  size_t from, fromEnd, to, toEnd;
};

// The shortest runs that the sizes show; nothing where they show none.
std::optional<SmallVector<Run>> runsOf(const Shape &from, const Shape &to) {
  SmallVector<Run> runs;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Run run{i, i + 1, j, j + 1};
    std::optional<DimExpr> a = from[i++], b = to[j++];
    while (*a != *b) {
      std::optional<DimExpr> nextA = i < from.size() ? mul(*a, from[i]) : std::nullopt;
      std::optional<DimExpr> nextB = j < to.size() ? mul(*b, to[j]) : std::nullopt;
      bool areNumbers = a->isConstant() && b->isConstant();
      bool extendsA = areNumbers ? a->constantValue() < b->constantValue() : nextA && *nextA == *b;
      if (!extendsA && !areNumbers && (!nextB || *nextB != *a))
        return std::nullopt;
      (extendsA ? a : b) = extendsA ? nextA : nextB;
      if (!a || !b)
        return std::nullopt;
      ++(extendsA ? i : j);
    }
    run.fromEnd = i;
    run.toEnd = j;
    runs.push_back(run);
  }
  // Ones at the end.
  for (; i < from.size() && !runs.empty() && from[i] == DimExpr(1); ++i)
    runs.back().fromEnd = i + 1;
  for (; j < to.size() && !runs.empty() && to[j] == DimExpr(1); ++j)
    runs.back().toEnd = j + 1;
  if (i < from.size() || j < to.size())
    return std::nullopt;
  return runs;
}

// Whether the dimensions of [begin, end) follow one another in the operand of the permutation.
bool areTogether(ArrayRef<int64_t> permutation, size_t begin, size_t end) {
  for (size_t i = begin + 1; i < end; ++i)
    if (permutation[i] != permutation[i - 1] + 1)
      return false;
  return true;
}

// reshape(transpose(x)) = transpose(reshape(x)), where what is merged lies side by side in x.
struct ReshapeOfTranspose : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose || !transpose->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a transpose, or it is needed elsewhere too");
    if (isa_and_nonnull<BroadcastOp, TransposeOp>(transpose.getX().getDefiningOp()))
      return rewriter.notifyMatchFailure(op, "the transpose goes up, or becomes one with another");
    const Shape to = getShape(op);
    auto runs = runsOf(getShape(transpose), to);
    if (!runs)
      return rewriter.notifyMatchFailure(op, "sizes do not show what becomes what");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    for (const Run &run : *runs)
      if (!areTogether(permutation, run.from, run.fromEnd))
        return rewriter.notifyMatchFailure(op, "merges what is apart before the transpose");
    SmallVector<const Run *> ordered;
    for (const Run &run : *runs)
      ordered.push_back(&run);
    llvm::sort(ordered, [&](const Run *a, const Run *b) {
      return permutation[a->from] < permutation[b->from];
    });
    Shape shape;
    SmallVector<int64_t> places(to.size());
    for (const Run *run : ordered)
      for (size_t dim = run->to; dim < run->toEnd; ++dim) {
        places[dim] = shape.size();
        shape.push_back(to[dim]);
      }
    Value inner = GraphMath(rewriter, op.getLoc()).reshape(transpose.getX(), shape);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner, places);
    return success();
  }
};

// Whether the value is a transpose, reshaped and repeated.
bool comesOfTranspose(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<TransposeOp>(op))
      return true;
    if (!isa<BroadcastOp, ReshapeOp>(op) || !op->hasOneUse())
      return false;
    value = op->getOperand(0);
  }
  return false;
}

// transpose(reshape(x)) = reshape(transpose(x)), where what is split stays side by side and x comes
// of a transpose: the two become one.
struct TransposeOfReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape || !reshape->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a reshape, or it is needed elsewhere too");
    if (!isa_and_nonnull<TransposeOp, BroadcastOp>(reshape.getX().getDefiningOp()) ||
        !comesOfTranspose(reshape.getX()))
      return rewriter.notifyMatchFailure(op, "no transpose to meet");
    auto runs = runsOf(getShape(reshape.getX()), getShape(reshape));
    if (!runs)
      return rewriter.notifyMatchFailure(op, "sizes do not show what becomes what");
    ArrayRef<int64_t> permutation = op.getPermutation();
    SmallVector<int64_t> order;
    for (size_t i = 0; i < permutation.size();) {
      const Run *run =
          llvm::find_if(*runs, [&](const Run &run) { return int64_t(run.to) == permutation[i]; });
      if (run == runs->end() || i + run->toEnd - run->to > permutation.size() ||
          !areTogether(permutation, i, i + run->toEnd - run->to))
        return rewriter.notifyMatchFailure(op, "parts what the reshape split");
      i += run->toEnd - run->to;
      for (size_t dim = run->from; dim < run->fromEnd; ++dim)
        order.push_back(dim);
    }
    Value inner = GraphMath(rewriter, op.getLoc()).transpose(reshape.getX(), order);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner);
    return success();
  }
};

// Whether elementwise ops alone stand between a convolution and the value.
bool comesOfConvolution(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ConvolutionOp>(op))
      return op->hasOneUse();
    if (!isa<ElementwiseOpInterface>(op) || !op->hasOneUse())
      return false;
    auto chain = llvm::find_if(op->getOperands(), [](Value operand) {
      return !isa_and_nonnull<BroadcastOp>(operand.getDefiningOp());
    });
    if (chain == op->operand_end())
      return false;
    value = *chain;
  }
  return false;
}

// A broadcast that repeats along whole dimensions.
bool isRepeated(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && llvm::all_of_zip(getShape(broadcast.getX()), broadcast.getDims(),
                                       [shape = getShape(value)](const DimExpr &size, int64_t dim) {
                                         return size == shape[dim];
                                       });
}

// f(reshape(x), broadcasts) = reshape(f(x, broadcasts)), where x is a convolution whose groups the
// reshape merges with their filters: f becomes part of its kernel.
struct ElementwiseOfGroups : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    ReshapeOp reshape;
    for (Value operand : op->getOperands()) {
      if (isRepeated(operand))
        continue;
      auto found = operand.getDefiningOp<ReshapeOp>();
      if (!found || (reshape && reshape != found))
        return rewriter.notifyMatchFailure(op, "an operand is neither a reshape nor repeated");
      reshape = found;
    }
    if (!reshape || !llvm::all_of(reshape->getUsers(), [&](Operation *user) { return user == op; }))
      return rewriter.notifyMatchFailure(op, "no reshape of its own");
    if (!comesOfConvolution(reshape.getX()))
      return rewriter.notifyMatchFailure(op, "not of a convolution");
    const Shape from = getShape(reshape.getX()), to = getShape(reshape);
    auto runs = runsOf(from, to);
    if (!runs || runs->size() != to.size())
      return rewriter.notifyMatchFailure(op, "the reshape does not only merge");
    GraphMath g(rewriter, op.getLoc());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast) {
        operands.push_back(reshape.getX());
        continue;
      }
      Shape parts;
      SmallVector<int64_t> dims;
      for (int64_t dim : broadcast.getDims())
        for (size_t part = (*runs)[dim].from; part < (*runs)[dim].fromEnd; ++part) {
          parts.push_back(from[part]);
          dims.push_back(part);
        }
      Type type = getTensorType(from, getElementType(operand));
      Value x = dims.empty() ? broadcast.getX() : g.reshape(broadcast.getX(), parts);
      operands.push_back(rewriter.create<BroadcastOp>(op.getLoc(), type, x, dims));
    }
    Type type = getTensorType(from, getElementType(op->getResult(0)));
    Operation *inner =
        rewriter.create(op.getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(), inner->getResult(0));
    return success();
  }
};

} // namespace

void keratin::passes::populateReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<ReshapeOfTranspose, TransposeOfReshape, ElementwiseOfGroups>(patterns.getContext());
}
