#include "passes/Passes.h"
#include "passes/linalg/Fourier.h"
#include "passes/linalg/FourierPlan.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_EXPANDFOURIERTRANSFORMS
#include "passes/Passes.h.inc"

ComplexParts multiplied(GraphMath &g, const ComplexParts &a, const ComplexParts &b) {
  return {g.sub(g.mul(a.re, b.re), g.mul(a.im, b.im)), g.add(g.mul(a.re, b.im), g.mul(a.im, b.re))};
}

Value inMemory(GraphMath &g, Value x) {
  return g.builder().create<DelayOp>(g.location(), x.getType(), x, x);
}

Value joinedInMemory(GraphMath &g, ValueRange xs) {
  SmallVector<Value> made;
  for (Value x : xs)
    made.push_back(inMemory(g, x));
  return inMemory(g, g.concatenate(made, 0));
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

ComplexParts apart(GraphMath &g, Value pairs) {
  Shape sizes = getShape(pairs), starts(sizes.size(), DimExpr(0));
  const Shape shape(sizes.begin(), sizes.end() - 1);
  sizes.back() = DimExpr(1);
  auto part = [&](int64_t which) {
    starts.back() = DimExpr(which);
    return g.reshape(g.slice(pairs, starts, sizes, SmallVector<int64_t>(sizes.size(), 1)), shape);
  };
  Value re = part(0);
  return {re, part(1)};
}

// Two runs of numbers are mixed faster than loops store every other one.
Value paired(GraphMath &g, const ComplexParts &parts) {
  Shape shape = getShape(parts.re);
  shape.insert(shape.begin(), DimExpr(1));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, int64_t(shape.size())));
  order.push_back(0);
  return g.transpose(joinedInMemory(g, {g.reshape(parts.re, shape), g.reshape(parts.im, shape)}),
                     order);
}

// What is done with parts apart.
static ComplexParts transformParts(GraphMath &g, const ComplexParts &x, bool inverse) {
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

SmallVector<Value> transformLines(GraphMath &g, ValueRange x, bool inverse, bool makesPairs) {
  const DimExpr lines = getShape(x[0])[0], size = getShape(x[0])[1];
  // Of fewer lines there are no vectors, and where one of the parts is known to be zeros, or not
  // asked for, a matrix has half the elements.
  constexpr int64_t kLeastLines = 16, kLeastOfParts = 32;
  const bool isWhole = x.size() == 1 && makesPairs;
  if (lines.isConstant() && size.isConstant() && lines.constantValue() >= kLeastLines &&
      (isWhole || size.constantValue() >= kLeastOfParts))
    if (SmallVector<int64_t> factors = factorsSideBySide(size.constantValue()); !factors.empty())
      return transformSideBySide(g, x, factors, inverse, makesPairs);
  if (std::optional<FourierRounds> rounds =
          fourierRounds(size.isConstant() ? size.constantValue() : 0,
                        getElementType(x[0]).getIntOrFloatBitWidth()))
    return transformInRounds(g, x, *rounds, inverse, makesPairs);
  const ComplexParts parts = x.size() == 1 ? apart(g, x[0]) : ComplexParts{x[0], x[1]};
  const ComplexParts y = transformParts(g, parts, inverse);
  return makesPairs ? SmallVector<Value>{paired(g, y)} : SmallVector<Value>{y.re, y.im};
}

static bool isZero(Value x) {
  while (Operation *op = x.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
      return elements && elements.getSplatValue<APFloat>().isZero();
    }
    if (!isa<BroadcastOp, ReshapeOp, TransposeOp, PadOp, SliceOp, ReverseOp>(op))
      return false;
    x = op->getOperand(0);
  }
  return false;
}

// The only op that reads both, if it makes pairs of them as they are.
static ConcatenateOp joinedAsPairs(Value re, Value im) {
  auto joins = [](Value part, size_t place) {
    auto reshape = part.hasOneUse() ? dyn_cast<ReshapeOp>(*part.user_begin()) : ReshapeOp();
    auto join = reshape && reshape->hasOneUse() ? dyn_cast<ConcatenateOp>(*reshape->user_begin())
                                                : ConcatenateOp();
    const size_t rank = getShape(part).size();
    const bool isPair = join && join.getXs().size() == 2 && join.getXs()[place] == reshape &&
                        size_t(join.getAxis()) == rank && getShape(join.getY()).size() == rank + 1;
    return isPair ? join : ConcatenateOp();
  };
  ConcatenateOp join = joins(re, 0);
  return join && join == joins(im, 1) ? join : ConcatenateOp();
}

// What both are the parts of, which lie along its last axis; null: nothing.
static Value pairsOf(Value re, Value im) {
  auto whole = [](Value part, int64_t place) -> Value {
    auto reshape = part.getDefiningOp<ReshapeOp>();
    auto slice = reshape ? reshape.getX().getDefiningOp<SliceOp>() : SliceOp();
    if (!slice)
      return {};
    const Shape pairs = getShape(slice.getX());
    Shape column = pairs, starts(pairs.size(), DimExpr(0));
    column.back() = DimExpr(1);
    starts.back() = DimExpr(place);
    const bool isPart = pairs.back() == DimExpr(2) && getShape(slice.getY()) == column &&
                        ArrayRef(slice.getStarts().getDims()) == ArrayRef(starts) &&
                        ArrayRef(pairs).drop_back() == ArrayRef(getShape(part));
    return isPart ? slice.getX() : Value();
  };
  Value pairs = whole(re, 0);
  return pairs && pairs == whole(im, 1) ? pairs : Value();
}

// The first elements of a line behind which the others are their mirror, negated or not; null: it
// is none.
static Value mirroredHalf(Value part, bool isNegated) {
  auto join = part.getDefiningOp<ConcatenateOp>();
  const int64_t last = getTensorType(part).getRank() - 1;
  if (!join || join.getXs().size() != 2 || int64_t(join.getAxis()) != last)
    return {};
  Value half = join.getXs()[0], rest = join.getXs()[1];
  if (auto negated = rest.getDefiningOp<NegOp>(); isNegated && negated)
    rest = negated.getX();
  else if (isNegated)
    return {};
  auto mirror = rest.getDefiningOp<ReverseOp>();
  auto slice = mirror ? mirror.getX().getDefiningOp<SliceOp>() : SliceOp();
  if (!slice || slice.getX() != half || mirror.getAxes() != ArrayRef<int64_t>{last})
    return {};
  // All but the first and the last one.
  Shape starts(size_t(last) + 1, DimExpr(0)), sizes = getShape(half);
  starts.back() = DimExpr(1);
  sizes.back() = DimExpr(sizes.back().constantValue() - 2);
  const bool isMirror =
      ArrayRef(slice.getStarts().getDims()) == ArrayRef(starts) &&
      getShape(slice.getY()) == sizes &&
      llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; });
  return isMirror ? half : Value();
}

// The op that makes pairs, if nothing else comes of the part than a value like it.
static ConcatenateOp pairedBehind(Value part) {
  while (part.hasOneUse()) {
    Operation *user = *part.user_begin();
    if (auto join = dyn_cast<ConcatenateOp>(user)) {
      const Shape pairs = getShape(join.getY());
      return join.getXs().size() == 2 && int64_t(join.getAxis()) + 1 == int64_t(pairs.size()) &&
                     pairs.back() == DimExpr(2)
                 ? join
                 : ConcatenateOp();
    }
    if (!isa<ReshapeOp, TransposeOp, MulOp, DivOp>(user))
      break;
    part = user->getResult(0);
  }
  return {};
}

static void mixInMemory(ConcatenateOp join) {
  OpBuilder builder(join);
  GraphMath g(builder, join.getLoc());
  Shape shape = getShape(join.getY());
  shape.pop_back();
  const ComplexParts parts{g.reshape(join.getXs()[0], shape), g.reshape(join.getXs()[1], shape)};
  join.replaceAllUsesWith(g.reshape(paired(g, parts), getShape(join.getY())));
  join.erase();
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
  using ExpandFourierTransformsBase::ExpandFourierTransformsBase;

  void runOnOperation() override {
    SmallVector<FftOp> ops;
    getOperation().walk([&](FftOp op) { ops.push_back(op); });
    llvm::SetVector<Operation *> joins;
    for (FftOp op : ops) {
      ConcatenateOp join = pairedBehind(op.getYRe());
      if (join && join == pairedBehind(op.getYIm()) && !joinedAsPairs(op.getYRe(), op.getYIm()))
        joins.insert(join);
    }
    for (Operation *join : joins)
      mixInMemory(cast<ConcatenateOp>(join));
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
    const bool inverse = op.getInverse();
    const int64_t length = shape.back().isConstant() ? shape.back().constantValue() : 0;
    // A small one is a product with one matrix, and half of that no less work than what is around
    // it.
    const bool isHalved = length % 2 == 0 && length >= kLeastHalved,
               ofReals = isHalved && isZero(op.getIm()),
               toReals = isHalved && !ofReals && op.getYIm().use_empty(),
               readsHalf = ofReals && readsFirst(op.getYRe(), length / 2 + 1) &&
                           readsFirst(op.getYIm(), length / 2 + 1);
    if (readsHalf)
      sliceOnce(g, op, length / 2 + 1);
    Value re = readsHalf ? theUser(op.getYRe()) : op.getYRe(),
          im = readsHalf ? theUser(op.getYIm()) : op.getYIm();
    // What comes as pairs, or is asked for as pairs, is taken apart and put together block by
    // block.
    ConcatenateOp joined = toReals ? ConcatenateOp() : joinedAsPairs(re, im);
    ComplexParts given{op.getRe(), op.getIm()};
    Shape sizes = lines;
    const ComplexParts half{toReals ? mirroredHalf(given.re, /*isNegated=*/false) : Value(),
                            toReals ? mirroredHalf(given.im, /*isNegated=*/true) : Value()};
    const bool ofHalf = half.re && half.im;
    if (ofHalf) {
      given = half;
      sizes[1] = DimExpr(length / 2 + 1);
    }
    SmallVector<Value> operands{g.reshape(given.re, sizes)};
    if (Value pairs = ofReals ? Value() : pairsOf(given.re, given.im))
      operands = {g.reshape(pairs, {sizes[0], sizes[1], DimExpr(2)})};
    else if (!ofReals)
      operands.push_back(g.reshape(given.im, sizes));
    auto transform = [&](GraphMath &g, ValueRange x) -> SmallVector<Value> {
      if (toReals) {
        const ComplexParts parts = x.size() == 1 ? apart(g, x[0]) : ComplexParts{x[0], x[1]};
        return {ofHalf ? transformHalfToReals(g, parts, length, inverse)
                       : transformToReals(g, parts, length, inverse)};
      }
      if (!ofReals)
        return transformLines(g, x, inverse, /*makesPairs=*/bool(joined));
      ComplexParts all = transformReals(g, x[0], length, inverse);
      if (!readsHalf)
        all = mirrored(g, all, length);
      if (joined)
        return {paired(g, all)};
      return {all.re, all.im};
    };
    const SmallVector<Value> y =
        blocks ? inBlocks(g, operands, length, transform) : transform(g, operands);
    if (joined) {
      const SmallVector<Value> columns(joined.getXs());
      joined.replaceAllUsesWith(g.reshape(y[0], getShape(joined.getY())));
      joined.erase();
      for (Value column : columns)
        column.getDefiningOp()->erase();
    } else {
      re.replaceAllUsesWith(g.reshape(y[0], getShape(re)));
      if (!toReals)
        im.replaceAllUsesWith(g.reshape(y[1], getShape(im)));
    }
    if (readsHalf) {
      re.getDefiningOp()->erase();
      im.getDefiningOp()->erase();
    }
  }

  static Value theUser(Value y) { return (*y.user_begin())->getResult(0); }

  // The slices of both results are those of one, of their first so many elements.
  static void sliceOnce(GraphMath &g, FftOp op, int64_t count) {
    for (Value y : op.getResults()) {
      Shape sizes = getShape(y);
      sizes.back() = DimExpr(count);
      if (y.hasOneUse() && getShape(theUser(y)) == sizes)
        continue;
      OpBuilder::InsertionGuard guard(g.builder());
      g.builder().setInsertionPointAfter(op);
      Value first =
          g.slice(y, Shape(sizes.size(), DimExpr(0)), sizes, SmallVector<int64_t>(sizes.size(), 1));
      y.replaceUsesWithIf(first,
                          [&](OpOperand &use) { return use.getOwner() != first.getDefiningOp(); });
    }
  }

  static constexpr int64_t kLeastHalved = 64;
};

} // namespace
} // namespace keratin::passes
