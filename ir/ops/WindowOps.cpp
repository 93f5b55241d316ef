// Verifiers of the ops over windows.
#include "ir/interfaces/ConvolutionShape.h"

using namespace keratin::ir;
using namespace mlir;

// Bounds that keep positions inside 64 bits when sizes are known only at run time.
static constexpr int64_t kLargestStep = INT32_MAX;
static constexpr int64_t kFarthest = int64_t(1) << 62;

static bool isNear(const std::optional<DimExpr> &position) {
  return position && (!position->isConstant() || (position->constantValue() <= kFarthest &&
                                                  position->constantValue() >= -kFarthest));
}

// (size - 1) * step
static std::optional<DimExpr> extent(const DimExpr &size, int64_t step) {
  std::optional<DimExpr> neighbours = sub(size, 1);
  return neighbours ? mul(*neighbours, step) : std::nullopt;
}

static LogicalResult verifySteps(Operation *op, StringRef name, ArrayRef<int64_t> steps,
                                 size_t count) {
  if (steps.size() != count)
    return op->emitOpError() << name << " has " << steps.size() << " entries, it needs " << count;
  for (int64_t step : steps)
    if (step < 1 || step > kLargestStep)
      return op->emitOpError() << name << " " << step << " is outside 1 to " << kLargestStep;
  return success();
}

// Along one dimension: what windows cover, from the first element of the first to the last of the
// last.
static LogicalResult verifyReach(Operation *op, size_t dim, const DimExpr &x, int64_t xDilation,
                                 const DimExpr &window, int64_t dilation, const DimExpr &y,
                                 int64_t stride, const DimExpr &low) {
  std::optional<DimExpr> first = sub(0, low), last = extent(y, stride);
  std::optional<DimExpr> inside = extent(window, dilation);
  last = last && first ? add(*last, *first) : std::nullopt;
  last = last && inside ? add(*last, *inside) : std::nullopt;
  if (!isNear(first) || !isNear(last) || !isNear(inside) || !isNear(extent(x, xDilation)))
    return op->emitOpError() << "the positions that windows cover along dimension " << dim
                             << " do not fit 64 bits";
  return success();
}

LogicalResult ConvolutionOp::verify() {
  std::string error;
  std::optional<ConvolutionDims> dims = ConvolutionDims::parse(getDims(), &error);
  if (!dims)
    return emitOpError("dims \"") << getDims() << "\": " << error;
  Shape x = getShape(getX()), filter = getShape(getFilter()), y = getShape(getY());
  if (getElementType(getX()) != getElementType(getFilter()) ||
      getElementType(getX()) != getElementType(getY()))
    return emitOpError("x, filter and result must have the same element type");
  if (x.size() != dims->xRank() || filter.size() != dims->filterRank() || y.size() != dims->yRank())
    return emitOpError("dims \"") << getDims() << "\" do not fit the ranks " << x.size() << ", "
                                  << filter.size() << " and " << y.size();
  size_t windows = dims->windows.size();
  ArrayRef<DimExpr> low = getLow().getDims();
  if (low.size() != windows || getReversed().size() != windows)
    return emitOpError("needs one low padding and one flag of reversal for each of the ")
           << windows << " windows";
  if (failed(verifySteps(*this, "strides", getStrides(), windows)) ||
      failed(verifySteps(*this, "x_dilation", getXDilation(), windows)) ||
      failed(verifySteps(*this, "dilation", getDilation(), windows)))
    return failure();
  auto mustAgree = [&](char letter, int a, const Shape &left, int b,
                       const Shape &right) -> LogicalResult {
    if (a < 0 || b < 0 || left[a] == right[b])
      return success();
    return emitOpError("dimension '") << letter << "' has sizes " << left[a].str() << " and "
                                      << right[b].str() << "; they must be equal";
  };
  if (failed(mustAgree('b', dims->batch.x, x, dims->batch.y, y)) ||
      failed(mustAgree('c', dims->contracted.x, x, dims->contracted.filter, filter)) ||
      failed(mustAgree('f', dims->filters.filter, filter, dims->filters.y, y)) ||
      failed(mustAgree('g', dims->groups.x, x, dims->groups.filter, filter)) ||
      failed(mustAgree('g', dims->groups.x, x, dims->groups.y, y)))
    return failure();
  for (auto [i, window] : llvm::enumerate(getConvolutionShape(*this).windows))
    if (failed(verifyReach(*this, window.places.x, window.xSize, window.xDilation,
                           window.filterSize, window.dilation, window.ySize, window.stride,
                           window.low)))
      return failure();
  return success();
}

// `windows` has one element a window, `x` is what they slide over.
static LogicalResult verifyWindows(Operation *op, Value x, Value windows, ArrayRef<int64_t> window,
                                   ArrayRef<int64_t> strides, DimsAttr lowAttr,
                                   ArrayRef<int64_t> xDilation) {
  Shape from = getShape(x), to = getShape(windows), low = lowAttr.getDims();
  if (from.size() != to.size())
    return op->emitOpError("operand and result must have the same rank");
  if (low.size() != from.size())
    return op->emitOpError() << "low has " << low.size() << " entries, it needs " << from.size();
  if (failed(verifySteps(op, "window", window, from.size())) ||
      failed(verifySteps(op, "strides", strides, from.size())) ||
      failed(verifySteps(op, "x_dilation", xDilation, from.size())))
    return failure();
  for (size_t i = 0; i < from.size(); ++i)
    if (failed(verifyReach(op, i, from[i], xDilation[i], window[i], 1, to[i], strides[i], low[i])))
      return failure();
  return success();
}

LogicalResult WindowSumOp::verify() {
  if (getElementType(getX()) != getElementType(getY()))
    return emitOpError("operand and result must have the same element type");
  return verifyWindows(*this, getX(), getY(), getWindow(), getStrides(), getLow(), getXDilation());
}

static SmallVector<int64_t> ones(Value x) {
  return SmallVector<int64_t>(getTensorType(x).getRank(), 1);
}

LogicalResult WindowMaxOp::verify() {
  if (getElementType(getX()) != getElementType(getY()))
    return emitOpError("operand and result must have the same element type");
  return verifyWindows(*this, getX(), getY(), getWindow(), getStrides(), getLow(), ones(getX()));
}

LogicalResult WindowPickOp::verify() {
  if (getElementType(getV()) != getElementType(getY()))
    return emitOpError("v and the result must have the same element type");
  if (getShape(getX()) != getShape(getV()))
    return emitOpError("x and v must have the same shape, found ")
           << toString(getShape(getX())) << " and " << toString(getShape(getV()));
  return verifyWindows(*this, getX(), getY(), getWindow(), getStrides(), getLow(), ones(getX()));
}

LogicalResult WindowScatterOp::verify() {
  if (getElementType(getV()) != getElementType(getY()))
    return emitOpError("v and the result must have the same element type");
  if (getShape(getX()) != getShape(getY()))
    return emitOpError("x and the result must have the same shape, found ")
           << toString(getShape(getX())) << " and " << toString(getShape(getY()));
  return verifyWindows(*this, getX(), getV(), getWindow(), getStrides(), getLow(), ones(getX()));
}
