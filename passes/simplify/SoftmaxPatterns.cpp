// Softmax, its logarithm, and logsumexp: shifted by the largest element, whatever their spelling.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"

#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

//===-- What is matched -----------------------------------------------------------------------===//

// sum(exp(logits), axes)
struct SumOfExp {
  Value logits;
  SmallVector<int64_t> axes;
  ReduceSumOp sum;
};

// exp(logits) / sum(exp(logits), axes), repeated along the axes
struct Softmax {
  SumOfExp denominator;
};

std::optional<SumOfExp> matchSumOfExp(Value value) {
  auto sum = value.getDefiningOp<ReduceSumOp>();
  auto exp = sum ? sum.getX().getDefiningOp<ExpOp>() : ExpOp();
  if (!exp)
    return std::nullopt;
  return SumOfExp{exp.getX(), SmallVector<int64_t>(sum.getAxes()), sum};
}

// x in 1 / x.
Value matchReciprocal(Value value) {
  auto div = value.getDefiningOp<DivOp>();
  return div && isSplat(div.getA(), 1.0) ? div.getB() : Value();
}

// The sum of exponentials that the value repeats along its axes; through a product with the
// reciprocal if `inverted`.
std::optional<SumOfExp> matchRepeatedSum(Value value, bool inverted) {
  if (inverted)
    if (Value inner = matchReciprocal(value)) {
      value = inner;
      inverted = false;
    }
  // The axes are those of the sum, which stands behind one broadcast and perhaps one keepdims
  // reshape.
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  Value small = broadcast.getX();
  for (int steps = 0; steps < 3; ++steps) {
    if (Value inner = inverted ? matchReciprocal(small) : Value()) {
      small = inner;
      inverted = false;
      continue;
    }
    Operation *move = small.getDefiningOp();
    if (!move || !isa<ReshapeOp, BroadcastOp>(move))
      break;
    small = move->getOperand(0);
  }
  std::optional<SumOfExp> sum = inverted ? std::nullopt : matchSumOfExp(small);
  if (!sum)
    return std::nullopt;
  // What stands between must be nothing but a repetition along the axes.
  int64_t rank = getTensorType(value).getRank();
  SmallVector<int64_t> kept = complement(sum->axes, rank);
  if (broadcast.getDims() != ArrayRef<int64_t>(kept)) {
    Shape expected = getShape(value);
    for (int64_t axis : sum->axes)
      expected[axis] = DimExpr(1);
    if (getShape(broadcast.getX()) != expected)
      return std::nullopt;
  }
  return sum;
}

std::optional<Softmax> matchSoftmax(Value value) {
  Value numerator;
  std::optional<SumOfExp> sum;
  if (auto div = value.getDefiningOp<DivOp>()) {
    numerator = div.getA();
    sum = matchRepeatedSum(div.getB(), /*inverted=*/false);
  } else if (auto mul = value.getDefiningOp<MulOp>()) {
    numerator = mul.getA();
    sum = matchRepeatedSum(mul.getB(), /*inverted=*/true);
    if (!sum) {
      numerator = mul.getB();
      sum = matchRepeatedSum(mul.getA(), /*inverted=*/true);
    }
  }
  if (!sum)
    return std::nullopt;
  auto exp = numerator.getDefiningOp<ExpOp>();
  if (!exp || exp.getX() != sum->logits)
    return std::nullopt;
  return Softmax{*sum};
}

// m for stop_gradient(m), identity(m), is_finite(m) ? m : 0.
Value stripShift(Value value) {
  for (int steps = 0; steps < 3; ++steps) {
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast_or_null<SelectOp>(op)) {
      auto finite = select.getCondition().getDefiningOp<IsFiniteOp>();
      if (!finite || finite.getX() != select.getA() || !isSplat(select.getB(), 0.0))
        return value;
      value = select.getA();
    } else if (op && isa<StopGradientOp, IdentityOp, ReshapeOp>(op)) {
      value = op->getOperand(0);
    } else {
      return value;
    }
  }
  return value;
}

// Whether the logits are x - max(x, axes), so that their largest exponential is 1.
bool isShifted(Value logits, ArrayRef<int64_t> axes) {
  auto sub = logits.getDefiningOp<SubOp>();
  auto broadcast = sub ? sub.getB().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast)
    return false;
  auto max = stripShift(broadcast.getX()).getDefiningOp<ReduceMaxOp>();
  return max && max.getX() == sub.getA() && max.getAxes() == axes;
}

//===-- What is built -------------------------------------------------------------------------===//

class ShiftBuilder {
public:
  ShiftBuilder(OpBuilder &builder, Location location, RewritePhase phase)
      : g(builder, location), phase(phase) {}

  // max(x, axes), a constant for gradients: what flows through it cancels.
  Value largest(Value x, ArrayRef<int64_t> axes, bool onlyFinite) {
    Value max = g.reduceMax(x, axes);
    // inf - inf would be NaN where the sum is inf, or 0.
    if (onlyFinite)
      max = g.select(g.isFinite(max), max, g.zeroLike(max));
    if (phase == RewritePhase::BeforeGradients)
      max = g.builder().create<StopGradientOp>(g.location(), max);
    return max;
  }

  Value shifted(Value x, Value max, ArrayRef<int64_t> axes) {
    return g.sub(x, g.broadcastAlong(max, getShape(x), axes));
  }

  GraphMath g;

private:
  RewritePhase phase;
};

template <class OpT> struct SoftmaxPattern : OpRewritePattern<OpT> {
  SoftmaxPattern(MLIRContext *context, RewritePhase phase)
      : OpRewritePattern<OpT>(context), phase(phase) {}
  RewritePhase phase;
};

//===-- Rules ---------------------------------------------------------------------------------===//

// log(exp(x) / sum(exp(x))) = u - log(sum(exp(u))) with u = x - max(x).
struct LogOfSoftmax : SoftmaxPattern<LogOp> {
  using SoftmaxPattern::SoftmaxPattern;
  LogicalResult matchAndRewrite(LogOp op, PatternRewriter &rewriter) const override {
    std::optional<Softmax> softmax = matchSoftmax(op.getX());
    if (!softmax)
      return rewriter.notifyMatchFailure(op, "not of a softmax");
    auto &[logits, axes, sum] = softmax->denominator;
    ShiftBuilder s(rewriter, op.getLoc(), phase);
    Value u = logits, total = sum;
    if (!isShifted(logits, axes)) {
      u = s.shifted(logits, s.largest(logits, axes, false), axes);
      total = s.g.reduceSum(s.g.exp(u), axes);
    }
    rewriter.replaceOp(op, s.shifted(u, s.g.log(total), axes));
    return success();
  }
};

// exp(x) / sum(exp(x)) overflows for large x; shifted it does not.
template <class OpT> struct UnshiftedSoftmax : SoftmaxPattern<OpT> {
  using SoftmaxPattern<OpT>::SoftmaxPattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    std::optional<Softmax> softmax = matchSoftmax(op.getY());
    if (!softmax)
      return rewriter.notifyMatchFailure(op, "not a softmax");
    auto &[logits, axes, sum] = softmax->denominator;
    if (isShifted(logits, axes))
      return rewriter.notifyMatchFailure(op, "shifted already");
    ShiftBuilder s(rewriter, op.getLoc(), this->phase);
    Value e = s.g.exp(s.shifted(logits, s.largest(logits, axes, false), axes));
    Value total = s.g.broadcastAlong(s.g.reduceSum(e, axes), getShape(e), axes);
    rewriter.replaceOp(op, s.g.div(e, total));
    return success();
  }
};

// log(sum(exp(x))) = m + log(sum(exp(x - m))) with m = max(x), or 0 where that is not finite. Also
// of c * sum and sum / c for a constant c > 0, as in the logarithm of a mean.
struct LogOfSumOfExp : SoftmaxPattern<LogOp> {
  using SoftmaxPattern::SoftmaxPattern;
  LogicalResult matchAndRewrite(LogOp op, PatternRewriter &rewriter) const override {
    Value value = op.getX(), factor;
    Operation *scale = value.getDefiningOp();
    if (scale && isa<MulOp, DivOp>(scale)) {
      factor = scale->getOperand(1);
      std::optional<double> number = getSplatNumber(factor);
      if (!number || !(*number > 0))
        return rewriter.notifyMatchFailure(op, "no positive constant factor");
      value = scale->getOperand(0);
    }
    std::optional<SumOfExp> sum = matchSumOfExp(value);
    if (!sum)
      return rewriter.notifyMatchFailure(op, "not of a sum of exponentials");
    if (isShifted(sum->logits, sum->axes))
      return rewriter.notifyMatchFailure(op, "shifted already");
    ShiftBuilder s(rewriter, op.getLoc(), phase);
    Value max = s.largest(sum->logits, sum->axes, /*onlyFinite=*/true);
    Value total = s.g.reduceSum(s.g.exp(s.shifted(sum->logits, max, sum->axes)), sum->axes);
    if (factor)
      total = isa<MulOp>(scale) ? s.g.mul(total, factor) : s.g.div(total, factor);
    rewriter.replaceOp(op, s.g.add(max, s.g.log(total)));
    return success();
  }
};

// log(slice(p)) = slice(log(p)) and so on for other moves, where log(p) has a stable form: as in
// crossentropies that pick the probability of the true class.
struct LogOfMoved : OpRewritePattern<LogOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LogOp op, PatternRewriter &rewriter) const override {
    Operation *move = op.getX().getDefiningOp();
    if (!move ||
        !isa<ReshapeOp, TransposeOp, SliceOp, ReverseOp, GatherOp, DynamicSliceOp, BroadcastOp>(
            move))
      return rewriter.notifyMatchFailure(op, "not of a moved value");
    Value x = move->getOperand(0);
    Operation *source = x.getDefiningOp();
    // Several moves in a row each come here in turn, once the innermost source is known to be worth
    // it.
    Value origin = x;
    for (int steps = 0; steps < 4; ++steps) {
      Operation *inner = origin.getDefiningOp();
      if (!inner ||
          !isa<ReshapeOp, TransposeOp, SliceOp, ReverseOp, GatherOp, DynamicSliceOp>(inner))
        break;
      origin = inner->getOperand(0);
    }
    source = origin.getDefiningOp();
    if (!source ||
        !(isa<ExpOp, LogisticOp>(source) || matchSoftmax(origin) || matchSumOfExp(origin)))
      return rewriter.notifyMatchFailure(op, "the logarithm of the source has no better form");
    Value log = GraphMath(rewriter, op.getLoc()).log(x);
    Operation *moved = rewriter.clone(*move);
    moved->setOperand(0, log);
    rewriter.replaceOp(op, moved->getResults());
    return success();
  }
};

} // namespace

void keratin::passes::populateSoftmaxPatterns(RewritePatternSet &patterns, RewritePhase phase) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LogOfSoftmax, UnshiftedSoftmax<DivOp>, UnshiftedSoftmax<MulOp>, LogOfSumOfExp>(
      context, phase);
  patterns.add<LogOfMoved>(context);
}
