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

// The value repeated along the axes, through reshapes that keep its dimensions.
Value matchRepeated(Value value, ArrayRef<int64_t> axes) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  Shape expected = getShape(value);
  SmallVector<int64_t> kept = complement(axes, expected.size());
  if (broadcast.getDims() == ArrayRef<int64_t>(kept))
    return broadcast.getX();
  for (int64_t axis : axes)
    expected[axis] = DimExpr(1);
  auto reshape = broadcast.getX().getDefiningOp<ReshapeOp>();
  bool isSame = reshape && getShape(broadcast.getX()) == expected &&
                getTensorType(reshape.getX()).getRank() == int64_t(kept.size());
  return isSame ? Value(reshape.getX()) : Value();
}

template <typename OpT>
bool matchOperands(Value value, llvm::function_ref<bool(Value, Value)> test) {
  auto op = value.getDefiningOp<OpT>();
  return op && (test(op.getA(), op.getB()) || test(op.getB(), op.getA()));
}

// What autodiff makes of softmax: (dw / z - sum(dw * w / z)) * e with w = e / z and z = sum(e).
struct GradientOfSoftmax {
  Value e, dw, w;
  SmallVector<int64_t> axes;
};

std::optional<GradientOfSoftmax> matchGradientOfSoftmax(Value value) {
  GradientOfSoftmax found;
  // Of dw / z and what is added to it.
  auto matchSum = [&](Value quotient, Value repeated) {
    auto div = quotient.getDefiningOp<DivOp>();
    std::optional<SumOfExp> z = div ? matchRepeatedSum(div.getB(), false) : std::nullopt;
    if (!z || z->sum.getX() != found.e)
      return false;
    found.dw = div.getA();
    found.axes = z->axes;
    Value inner = matchRepeated(repeated, found.axes);
    auto sum = inner ? inner.getDefiningOp<ReduceSumOp>() : ReduceSumOp();
    auto neg = sum ? sum.getX().getDefiningOp<NegOp>() : NegOp();
    auto share = neg ? neg.getX().getDefiningOp<DivOp>() : DivOp();
    return share && sum.getAxes() == ArrayRef<int64_t>(found.axes) && share.getB() == div.getB() &&
           matchOperands<MulOp>(share.getA(), [&](Value dw, Value w) {
             auto weights = w.getDefiningOp<DivOp>();
             found.w = w;
             return dw == found.dw && weights && weights.getA() == found.e &&
                    weights.getB() == div.getB();
           });
  };
  bool isFound = matchOperands<MulOp>(value, [&](Value sum, Value e) {
    found.e = e;
    return e.getDefiningOp<ExpOp>() && matchOperands<AddOp>(sum, matchSum);
  });
  return isFound ? std::optional(found) : std::nullopt;
}

// The same numbers in another shape, or as float32 what is float16 or bfloat16 elsewhere.
bool keepsNumbers(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  auto fits = [](Value value) {
    Type type = getElementType(value);
    return type.isF16() || type.isBF16() || type.isF32();
  };
  return isa_and_nonnull<ReshapeOp>(op) || (cast && fits(cast.getX()) && fits(cast.getY()));
}

Value withoutForm(Value value) {
  while (keepsNumbers(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

// Whether the op is y = w . values where dw = dy . values, over the other dimension of the values.
bool isProductOf(DotGeneralOp y, const GradientOfSoftmax &gradient, DotGeneralOp dw) {
  const int64_t batch = dw.getABatch().size(), rank = getTensorType(dw.getA()).getRank();
  SmallVector<int64_t> leading = complement({}, batch);
  for (ArrayRef<int64_t> dims : {dw.getABatch(), dw.getBBatch(), y.getABatch(), y.getBBatch()})
    if (dims != ArrayRef<int64_t>(leading))
      return false;
  auto isLast = [](ArrayRef<int64_t> dims, Value of) {
    return dims == ArrayRef<int64_t>{getTensorType(of).getRank() - 1};
  };
  return y.getB() == dw.getB() && withoutForm(y.getA()) == withoutForm(gradient.w) &&
         getTensorType(y.getB()).getRank() == batch + 2 && rank > batch &&
         isLast(dw.getAContract(), dw.getA()) && isLast(y.getAContract(), y.getA()) &&
         dw.getBContract().size() == 1 && y.getBContract().size() == 1 &&
         dw.getBContract().front() != y.getBContract().front() &&
         getShape(y.getY()) == getShape(dw.getA()) && getShape(y.getA()) == getShape(dw.getY());
}

// The product that made dw, if it is dw = dy . values and there is y = w . values before the op.
std::optional<std::pair<DotGeneralOp, DotGeneralOp>>
matchAttention(const GradientOfSoftmax &gradient, Operation *op) {
  auto dw = withoutForm(gradient.dw).getDefiningOp<DotGeneralOp>();
  Shape shape = getShape(gradient.w);
  const int64_t last = int64_t(shape.size()) - 1;
  Type type = getElementType(gradient.w);
  if (!dw || ArrayRef<int64_t>(gradient.axes) != ArrayRef<int64_t>{last} ||
      !(type.isF32() || type.isF64()) || getShape(dw.getY()).back() != shape[last])
    return std::nullopt;
  for (Operation *user : dw.getB().getUsers()) {
    auto y = dyn_cast<DotGeneralOp>(user);
    if (y && y->getBlock() == op->getBlock() && y->isBeforeInBlock(op) &&
        isProductOf(y, gradient, dw))
      return std::pair(dw, y);
  }
  return std::nullopt;
}

// w * (dw - sum(dw * w)): e is needed no more, which is as large as w. In attention, where dw = dy
// . values and y = w . values, that sum is sum(dy * y), along a shorter axis, so that no kernel
// needs dw in memory (Dao et al., "FlashAttention", 2022, appendix B.2).
struct GradientByWeights : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    std::optional<GradientOfSoftmax> found = matchGradientOfSoftmax(op.getY());
    if (!found)
      return rewriter.notifyMatchFailure(op, "not the gradient of a softmax");
    GraphMath g(rewriter, op.getLoc());
    Value dw = found->dw, w = found->w, total;
    if (auto attention = matchAttention(*found, op)) {
      // In the shape of the product, whose tiles the rest follows from, and the type of weights.
      auto [product, y] = *attention;
      Type type = getElementType(w);
      Value dy = g.cast(product.getA(), type);
      total = g.reduceSum(g.mul(dy, g.cast(y.getY(), type)), {getTensorType(dy).getRank() - 1});
      dw = g.cast(product.getY(), type);
      w = g.reshape(w, getShape(dw));
      found->axes = {getTensorType(dw).getRank() - 1};
    } else {
      total = g.reduceSum(g.mul(dw, w), found->axes);
    }
    Value repeated = g.broadcastAlong(total, getShape(w), found->axes);
    rewriter.replaceOp(op, g.reshape(g.mul(w, g.sub(dw, repeated)), getShape(op.getY())));
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
  // What is differentiated is what was written.
  if (phase == RewritePhase::AfterGradients)
    patterns.add<GradientByWeights>(context);
}
