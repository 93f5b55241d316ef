// Algebra: the rules of AlgebraRules.td and those that are not one line.
#include "passes/simplify/Matchers.h"
#include "passes/simplify/Patterns.h"
#include "passes/simplify/RuleLocations.h"

#include "ir/builder/GraphMath.h"
#include "ir/dialect/LocalStatistics.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

//===-- Arithmetic on splats ------------------------------------------------------------------===//

Value splatOf(OpBuilder &builder, Location loc, Attribute element, Value like) {
  auto type = RankedTensorType::get({}, getElementType(like));
  Value scalar = builder.create<ConstantOp>(loc, type, DenseElementsAttr::get(type, element));
  return GraphMath(builder, loc).broadcastScalar(scalar, getShape(like));
}

Value negatedSplat(OpBuilder &builder, Location loc, Value splat) {
  Attribute element = getSplat(splat);
  if (auto floating = dyn_cast<FloatAttr>(element))
    return splatOf(builder, loc, FloatAttr::get(floating.getType(), neg(floating.getValue())),
                   splat);
  auto integer = cast<IntegerAttr>(element);
  return splatOf(builder, loc, IntegerAttr::get(integer.getType(), -integer.getValue()), splat);
}

bool hasExactReciprocal(Value splat) {
  auto floating = dyn_cast_or_null<FloatAttr>(getSplat(splat));
  return floating && floating.getValue().getExactInverse(nullptr);
}

Value reciprocal(OpBuilder &builder, Location loc, Value splat) {
  auto floating = cast<FloatAttr>(getSplat(splat));
  APFloat inverse = floating.getValue();
  inverse.getExactInverse(&inverse);
  return splatOf(builder, loc, FloatAttr::get(floating.getType(), inverse), splat);
}

Attribute product(Value a, Value b) {
  Attribute x = getSplat(a), y = getSplat(b);
  if (auto floating = dyn_cast<FloatAttr>(x))
    return FloatAttr::get(floating.getType(), floating.getValue() * cast<FloatAttr>(y).getValue());
  auto integer = cast<IntegerAttr>(x);
  return IntegerAttr::get(integer.getType(), integer.getValue() * cast<IntegerAttr>(y).getValue());
}

Value productOfSplats(OpBuilder &builder, Location loc, Value a, Value b) {
  return splatOf(builder, loc, product(a, b), a);
}

// Whether (x * c) * d may become x * (c * d). Floats: if one factor grows and the other shrinks,
// the first product may overflow or vanish where the second form would not; a constant that itself
// overflows or vanishes is as bad.
bool canMergeFactors(Value c, Value d) {
  if (!getSplat(c) || !getSplat(d))
    return false;
  if (isInteger(c))
    return true;
  std::optional<double> x = getSplatNumber(c), y = getSplatNumber(d);
  bool grow = std::fabs(*x) >= 1 && std::fabs(*y) >= 1,
       shrink = std::fabs(*x) <= 1 && std::fabs(*y) <= 1;
  return (grow || shrink) && cast<FloatAttr>(product(c, d)).getValue().isNormal();
}

#include "passes/simplify/AlgebraRules.cpp.inc"

//===-- The form of constants -----------------------------------------------------------------===//

// A constant of equal elements is stored once.
struct SplatConstantAsBroadcast : OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConstantOp op, PatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!elements || elements.getType().getRank() == 0)
      return rewriter.notifyMatchFailure(op, "a scalar, or elements differ");
    auto scalar = RankedTensorType::get({}, elements.getElementType());
    Value value = rewriter.create<ConstantOp>(
        op.getLoc(), scalar, DenseElementsAttr::get(scalar, elements.getSplatValue<Attribute>()));
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), value, ArrayRef<int64_t>());
    return success();
  }
};

struct ConstantOnTheRight : OpTraitRewritePattern<OpTrait::IsCommutative> {
  using OpTraitRewritePattern::OpTraitRewritePattern;
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 2 || !getSplat(op->getOperand(0)) || getSplat(op->getOperand(1)))
      return rewriter.notifyMatchFailure(op, "no constant on the left alone");
    rewriter.modifyOpInPlace(op, [&] {
      Value constant = op->getOperand(0);
      op->setOperand(0, op->getOperand(1));
      op->setOperand(1, constant);
    });
    return success();
  }
};

//===-- Comparisons ---------------------------------------------------------------------------===//

Comparison inverse(Comparison direction) {
  switch (direction) {
  case Comparison::EQ:
    return Comparison::NE;
  case Comparison::NE:
    return Comparison::EQ;
  case Comparison::LT:
    return Comparison::GE;
  case Comparison::LE:
    return Comparison::GT;
  case Comparison::GT:
    return Comparison::LE;
  case Comparison::GE:
    return Comparison::LT;
  }
  llvm_unreachable("all comparisons are listed");
}

// not (a == b) = a != b; the order of floats has no inverse, because of NaN.
struct NotOfCompare : OpRewritePattern<NotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NotOp op, PatternRewriter &rewriter) const override {
    auto compare = op.getX().getDefiningOp<CompareOp>();
    if (!compare)
      return rewriter.notifyMatchFailure(op, "not of a comparison");
    Comparison direction = compare.getDirection();
    bool isEquality = direction == Comparison::EQ || direction == Comparison::NE;
    if (isFloat(compare.getA()) && !isEquality)
      return rewriter.notifyMatchFailure(op, "with NaN both orders are false");
    rewriter.replaceOpWithNewOp<CompareOp>(op, op.getType(), compare.getA(), compare.getB(),
                                           inverse(direction));
    return success();
  }
};

// x < x is false; x <= x is true where x cannot be NaN.
struct CompareWithItself : OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CompareOp op, PatternRewriter &rewriter) const override {
    if (op.getA() != op.getB())
      return rewriter.notifyMatchFailure(op, "different operands");
    Comparison direction = op.getDirection();
    bool strict = direction == Comparison::LT || direction == Comparison::GT;
    if (!strict && isFloat(op.getA()))
      return rewriter.notifyMatchFailure(op, "depends on NaN");
    bool value =
        direction == Comparison::EQ || direction == Comparison::LE || direction == Comparison::GE;
    rewriter.replaceOp(op, GraphMath(rewriter, op.getLoc()).constantLike(value, op));
    return success();
  }
};

//===-- Casts ---------------------------------------------------------------------------------===//

unsigned mantissaBits(FloatType type) {
  return APFloat::semanticsPrecision(type.getFloatSemantics());
}

// Whether every value of one element type is a value of the other.
bool holdsAll(Type wide, Type narrow) {
  if (narrow.isInteger(1) || wide == narrow)
    return true;
  auto wideFloat = dyn_cast<FloatType>(wide), narrowFloat = dyn_cast<FloatType>(narrow);
  if (wideFloat && narrowFloat) // float16 and bfloat16 hold each other's values neither way
    return wideFloat.getWidth() > narrowFloat.getWidth();
  if (narrowFloat || wide.isInteger(1))
    return false;
  bool isUnsigned = narrow.isUnsignedInteger();
  unsigned digits = narrow.getIntOrFloatBitWidth() - !isUnsigned;
  if (wideFloat) // float16 has the digits for 8 bits, and the exponents
    return digits <= mantissaBits(wideFloat);
  return (isUnsigned || !wide.isUnsignedInteger()) &&
         digits <= wide.getIntOrFloatBitWidth() - !wide.isUnsignedInteger();
}

// cast(cast(x)) = cast(x), if the first cast keeps the value and the second treats it alike:
// integers wrap where floats saturate, so integer to float to integer stays.
struct CastOfCast : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a cast");
    Type from = getElementType(inner.getX()), middle = getElementType(inner),
         to = getElementType(op);
    if (!holdsAll(middle, from))
      return rewriter.notifyMatchFailure(op, "the first cast loses values");
    bool alike = isa<FloatType>(from) == isa<FloatType>(middle) || isa<FloatType>(to) ||
                 from.isInteger(1) || to.isInteger(1) || from == to;
    if (!alike)
      return rewriter.notifyMatchFailure(op, "wraps one way, saturates the other");
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getX());
    return success();
  }
};

//===-- Sizes ---------------------------------------------------------------------------------===//

// The size of a computed value is that of an argument, where one has it: the value need not be
// computed for its size.
struct SizeOfArgument : OpRewritePattern<DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DimOp op, PatternRewriter &rewriter) const override {
    if (isa<BlockArgument>(op.getX()))
      return rewriter.notifyMatchFailure(op, "already of an argument");
    if (op->getParentOfType<FunctionOpInterface>()->hasAttr(kLocalStatisticsAttr))
      return rewriter.notifyMatchFailure(op, "may be the rank's own, and the argument's is not");
    DimExpr size = getShape(op.getX())[op.getAxis()];
    for (BlockArgument argument : op->getBlock()->getArguments()) {
      Shape shape = getShape(argument);
      auto found = llvm::find(shape, size);
      if (found == shape.end())
        continue;
      rewriter.replaceOpWithNewOp<DimOp>(op, op.getType(), argument, found - shape.begin());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no argument has a dimension of this size");
  }
};

} // namespace

void keratin::passes::populateConstantFormPatterns(RewritePatternSet &patterns) {
  patterns.add<SplatConstantAsBroadcast, ConstantOnTheRight>(patterns.getContext());
}

void keratin::passes::populateAlgebraPatterns(RewritePatternSet &patterns) {
  populateWithGenerated(patterns);
  patterns.add<NotOfCompare, CompareWithItself, CastOfCast, SizeOfArgument>(patterns.getContext());
}
