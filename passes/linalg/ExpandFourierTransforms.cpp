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

// Of the lines of a matrix.
static ComplexParts transformed(GraphMath &g, const ComplexParts &x, bool inverse) {
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

namespace {

struct ExpandFourierTransformsPass
    : impl::ExpandFourierTransformsBase<ExpandFourierTransformsPass> {
  void runOnOperation() override {
    SmallVector<FftOp> ops;
    getOperation().walk([&](FftOp op) { ops.push_back(op); });
    for (FftOp op : ops) {
      OpBuilder builder(op);
      GraphMath g(builder, op.getLoc());
      const Shape shape = getShape(op.getRe());
      const Shape lines{product(Shape(shape.begin(), shape.end() - 1)).value(),
                        shape.back()};
      ComplexParts y = transformed(g, {g.reshape(op.getRe(), lines), g.reshape(op.getIm(), lines)},
                                   op.getInverse());
      op->replaceAllUsesWith(ValueRange{g.reshape(y.re, shape), g.reshape(y.im, shape)});
      op->erase();
    }
  }
};

} // namespace
} // namespace keratin::passes
