// Stability: the rules of StabilityRules.td, powers, and divisions by roots.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"
#include "passes/simplify/RuleLocations.h"

#include "ir/builder/GraphMath.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

bool isNegatedAbs(Value x) {
  auto neg = x.getDefiningOp<NegOp>();
  return neg && neg.getX().getDefiningOp<AbsOp>();
}

#include "passes/simplify/StabilityRules.cpp.inc"

//===-- Powers --------------------------------------------------------------------------------===//

// pow(x, 1) = x, pow(x, 2) = x * x, pow(x, 3) = x * (x * x). The gradient of pow is 0 wherever the
// incoming one is, that of the product is 0 * (finite) there: the same for finite x.
struct PowerOfWholeNumber : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    std::optional<double> exponent = getSplatNumber(op.getB());
    Value x = op.getA();
    GraphMath g(rewriter, op.getLoc());
    if (!exponent)
      return rewriter.notifyMatchFailure(op, "the exponent is no constant");
    if (*exponent == 1)
      rewriter.replaceOp(op, x);
    else if (*exponent == 2)
      rewriter.replaceOp(op, g.mul(x, x));
    else if (*exponent == 3)
      rewriter.replaceOp(op, g.mul(x, g.mul(x, x)));
    else
      return rewriter.notifyMatchFailure(op, "no short product");
    return success();
  }
};

// pow(x, -1) = 1 / x, pow(x, -2) = 1 / (x * x), pow(x, 0) = 1, and roots of what is not negative
// (pow of -0 and of -inf differ from sqrt). Only after differentiation: pow's gradient is 0 where
// the incoming one is, even where 1 / x has none.
struct PowerAsQuotientOrRoot : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    std::optional<double> exponent = getSplatNumber(op.getB());
    Value x = op.getA();
    if (!exponent || !isFloat(x))
      return rewriter.notifyMatchFailure(op, "the exponent is no constant, or x no float");
    GraphMath g(rewriter, op.getLoc());
    if (*exponent == 0)
      rewriter.replaceOp(op, g.oneLike(x));
    else if (*exponent == -1)
      rewriter.replaceOp(op, g.div(g.oneLike(x), x));
    else if (*exponent == -2)
      rewriter.replaceOp(op, g.div(g.oneLike(x), g.mul(x, x)));
    else if (*exponent == 0.5 && isNonNegative(x))
      rewriter.replaceOp(op, g.sqrt(x));
    else if (*exponent == -0.5 && isNonNegative(x))
      rewriter.replaceOp(op, g.rsqrt(x));
    else
      return rewriter.notifyMatchFailure(op, "no quotient or root that is equal everywhere");
    return success();
  }
};

//===-- Division by a root --------------------------------------------------------------------===//

// x / sqrt(y) = x * rsqrt(y), also through a broadcast. If the root is used otherwise too, only
// there: a root more on the small shape costs less than the divisions on the large one. After
// differentiation only, because the gradient of rsqrt has y to the power of -3/2 in one piece,
// which may overflow where two divisions do not.
struct DivisionByRoot : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    Value divisor = op.getB();
    auto broadcast = divisor.getDefiningOp<BroadcastOp>();
    auto root = (broadcast ? broadcast.getX() : divisor).getDefiningOp<SqrtOp>();
    if (!root)
      return rewriter.notifyMatchFailure(op, "the divisor is no root");
    bool onlyDivides = llvm::all_of(root->getUsers(), [&](Operation *user) {
      auto div = dyn_cast<DivOp>(user);
      return div && div.getB() == root && div.getA() != root.getY();
    });
    if (!broadcast && !onlyDivides)
      return rewriter.notifyMatchFailure(op, "the root itself is needed too");
    GraphMath g(rewriter, op.getLoc());
    Value inverse = g.rsqrt(root.getX());
    if (broadcast)
      inverse = g.broadcast(inverse, getShape(op), broadcast.getDims());
    rewriter.replaceOp(op, g.mul(op.getA(), inverse));
    return success();
  }
};

// Spellings that divide by a number: tanh(x / 2), (…) / 2. Rewritten to the factor 0.5 as algebra
// does, so that StabilityRules.td needs one spelling.
struct HalvingAsProduct : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    if (!isSplat(op.getB(), 2.0))
      return rewriter.notifyMatchFailure(op, "not half of a value");
    rewriter.replaceOp(op, GraphMath(rewriter, op.getLoc()).scale(op.getA(), 0.5));
    return success();
  }
};

} // namespace

void keratin::passes::populateStabilityPatterns(RewritePatternSet &patterns, RewritePhase phase) {
  populateWithGenerated(patterns);
  MLIRContext *context = patterns.getContext();
  patterns.add<PowerOfWholeNumber, HalvingAsProduct>(context);
  if (phase == RewritePhase::AfterGradients)
    patterns.add<PowerAsQuotientOrRoot, DivisionByRoot>(context);
}
