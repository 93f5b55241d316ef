#include "passes/Passes.h"
#include "passes/linalg/Fourier.h"
#include "passes/linalg/FourierPlan.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_EXPANDFOURIERTRANSFORMS
#include "passes/Passes.h.inc"

ComplexParts multiplied(GraphMath &g, const ComplexParts &a, const ComplexParts &b) {
  return {g.sub(g.mul(a.re, b.re), g.mul(a.im, b.im)), g.add(g.mul(a.re, b.im), g.mul(a.im, b.re))};
}

// exp(-2 pi i j k / n) for j along the first dimension and k along the second; as rootOfUnity, the
// sine and cosine of an eighth of a turn at most.
static ComplexParts wholeMatrix(GraphMath &g, const DimExpr &size, Type elementType, bool inverse) {
  const Shape shape{size, size};
  const RankedTensorType places = getTensorType(shape, g.builder().getI64Type());
  Value row = g.iota(places, 0);
  Value n = g.broadcastScalar(g.count(row, {0}, g.builder().getI64Type()), shape);
  auto times = [&](Value x, int64_t factor) {
    return g.mul(x, g.broadcastScalar(g.integerScalar(factor, g.builder().getI64Type()), shape));
  };
  Value angle = times(g.mod(g.mul(row, g.iota(places, 1)), n), 8);
  // Mirrored where it is more than that, in units of an eighth of 1 / n of a turn.
  auto mirrored = [&](int64_t whole) {
    Value isMore = g.greater(angle, times(n, whole / 2));
    angle = g.select(isMore, g.sub(times(n, whole), angle), angle);
    return isMore;
  };
  Value isBelow = mirrored(8), isLeft = mirrored(4), isSteep = mirrored(2);
  Value radians =
      g.scale(g.div(g.cast(angle, elementType), g.cast(times(n, 4), elementType)), M_PI);
  Value cos = g.cos(radians), sin = g.sin(radians);
  Value re = g.select(isSteep, sin, cos), im = g.select(isSteep, cos, sin);
  Value isNegative = inverse ? isBelow : g.not_(isBelow);
  return {g.select(isLeft, g.neg(re), re), g.select(isNegative, g.neg(im), im)};
}

ComplexParts transformDirectly(GraphMath &g, const ComplexParts &x, bool inverse) {
  const Shape shape = getShape(x.re);
  ComplexParts matrix = wholeMatrix(g, shape[1], getElementType(x.re), inverse);
  Value both = g.concatenate({x.re, x.im}, 0);
  ComplexParts made{g.dotGeneral(both, matrix.re, {}, {}, {1}, {0}),
                    g.dotGeneral(both, matrix.im, {}, {}, {1}, {0})};
  auto lines = [&](Value y, const DimExpr &first) {
    return g.slice(y, {first, DimExpr(0)}, shape, {1, 1});
  };
  return {g.sub(lines(made.re, DimExpr(0)), lines(made.im, shape[0])),
          g.add(lines(made.im, DimExpr(0)), lines(made.re, shape[0]))};
}

ComplexParts transformLines(GraphMath &g, const ComplexParts &x, bool inverse) {
  const DimExpr size = getShape(x.re)[1];
  if (!size.isConstant())
    return transformDirectly(g, x, inverse);
  const int64_t length = size.constantValue();
  if (length <= 1)
    return x;
  if (std::optional<SmallVector<int64_t>> factors = stageFactors(length))
    return transformInStages(g, x, *factors, inverse);
  return transformByConvolution(g, x, length, inverse);
}

static bool isZero(Value x) {
  while (Operation *op = x.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
      return elements && elements.getSplatValue<APFloat>().isZero();
    }
    if (!isa<BroadcastOp, ReshapeOp, TransposeOp>(op))
      return false;
    x = op->getOperand(0);
  }
  return false;
}

// Whether nobody reads an element of the last axis behind the first so many.
static bool readsFirst(Value y, int64_t count) {
  return llvm::all_of(y.getUsers(), [&](Operation *user) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || slice.getStrides().back() != 1)
      return false;
    std::optional<DimExpr> end =
        add(slice.getStarts().getDims().back(), getShape(slice.getY()).back());
    return end && end->isConstant() && end->constantValue() <= count;
  });
}

namespace {

struct ExpandFourierTransformsPass
    : impl::ExpandFourierTransformsBase<ExpandFourierTransformsPass> {
  void runOnOperation() override {
    SmallVector<FftOp> ops;
    getOperation().walk([&](FftOp op) { ops.push_back(op); });
    for (FftOp op : ops) {
      OpBuilder builder(op);
      GraphMath g(builder, op.getLoc());
      expand(g, op);
      op->erase();
    }
  }

private:
  void expand(GraphMath &g, FftOp op) const {
    const Shape shape = getShape(op.getRe());
    const Shape lines{product(Shape(shape.begin(), shape.end() - 1)).value(), shape.back()};
    const ComplexParts x{g.reshape(op.getRe(), lines), g.reshape(op.getIm(), lines)};
    const bool inverse = op.getInverse();
    auto replace = [&](const ComplexParts &y) {
      op->replaceAllUsesWith(ValueRange{g.reshape(y.re, shape), g.reshape(y.im, shape)});
    };
    const int64_t length = shape.back().isConstant() ? shape.back().constantValue() : 0;
    // A small one is a product with one matrix, and half of that no less work than what is around
    // it.
    const bool isHalved = length % 2 == 0 && length >= kLeastHalved;
    if (isHalved && isZero(op.getIm())) {
      const ComplexParts half = transformReals(g, x.re, length, inverse);
      if (readsFirst(op.getYRe(), length / 2 + 1) && readsFirst(op.getYIm(), length / 2 + 1)) {
        replaceSlices(g, op.getYRe(), half.re);
        replaceSlices(g, op.getYIm(), half.im);
      } else {
        replace(mirrored(g, half, length));
      }
    } else if (isHalved && op.getYIm().use_empty()) {
      op.getYRe().replaceAllUsesWith(g.reshape(transformToReals(g, x, length, inverse), shape));
    } else {
      replace(transformLines(g, x, inverse));
    }
  }

  // Slices of y by those of its first elements.
  static void replaceSlices(GraphMath &g, Value y, Value first) {
    Shape shape = getShape(y);
    shape.back() = getShape(first).back();
    first = g.reshape(first, shape);
    for (Operation *user : llvm::make_early_inc_range(y.getUsers()))
      user->setOperand(0, first);
  }

  static constexpr int64_t kLeastHalved = 64;
};

} // namespace
} // namespace keratin::passes
