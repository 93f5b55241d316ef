// Gradients of the ops over windows, which are ops over windows again.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/ConvolutionShape.h"

using namespace keratin::ir;
using namespace mlir;

using Places = ConvolutionDims::Places;

// The low padding under which a window of `size` elements, counted from its end, meets each element
// of x where it met it before: (size - 1) * dilation - low.
static std::optional<DimExpr> mirroredLow(const DimExpr &size, int64_t dilation,
                                          const DimExpr &low) {
  std::optional<DimExpr> last = sub(size, 1);
  last = last ? mul(*last, dilation) : std::nullopt;
  return last ? sub(*last, low) : std::nullopt;
}

static LogicalResult emitTooLarge(Operation *op) {
  return emitGraphError(op, GraphError::TooLarge)
         << "gradient: the padding of a window does not fit 64 bits";
}

// The same dimensions for operands and result in other places: `x` says which of the three is x
// now.
static Places rearrange(const Places &places, int Places::*x, int Places::*filter, int Places::*y) {
  return {places.*x, places.*filter, places.*y};
}

static ConvolutionDims rearrange(const ConvolutionDims &dims, int Places::*x, int Places::*filter,
                                 int Places::*y) {
  ConvolutionDims result;
  for (const Places &window : dims.windows)
    result.windows.push_back(rearrange(window, x, filter, y));
  result.groups = rearrange(dims.groups, x, filter, y);
  // A dimension is named for those two of the tensors that have it.
  for (const Places &places : {dims.batch, dims.contracted, dims.filters}) {
    Places moved = rearrange(places, x, filter, y);
    if (moved.x >= 0 && moved.y >= 0)
      result.batch = moved;
    else if (moved.x >= 0 && moved.filter >= 0)
      result.contracted = moved;
    else if (moved.filter >= 0 && moved.y >= 0)
      result.filters = moved;
  }
  return result;
}

LogicalResult ConvolutionOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                      SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  Value dy = cotangents[0];
  if (!dy)
    return success();
  GraphMath g(builder, gradientLocation(*this));
  ConvolutionShape shape = getConvolutionShape(*this);

  // dx: dy * filter, each window walked from its end.
  GraphMath::ConvolutionWindows windows;
  windows.dims = rearrange(shape.dims, &Places::y, &Places::filter, &Places::x).str();
  for (const ConvolutionShape::Window &window : shape.windows) {
    std::optional<DimExpr> low = mirroredLow(window.filterSize, window.dilation, window.low);
    if (!low)
      return emitTooLarge(*this);
    windows.low.push_back(*low);
    windows.strides.push_back(window.xDilation);
    windows.xDilation.push_back(window.stride);
    windows.dilation.push_back(window.dilation);
    windows.reversed.push_back(!window.reversed);
  }
  gradients[0] = g.convolution(dy, getFilter(), windows, getShape(getX()));

  // dfilter: x * dy, one window for each of the filter's elements.
  windows = {};
  windows.dims = rearrange(shape.dims, &Places::x, &Places::y, &Places::filter).str();
  SmallVector<int64_t> reversed;
  for (const ConvolutionShape::Window &window : shape.windows) {
    windows.low.push_back(window.low);
    windows.strides.push_back(window.dilation);
    windows.xDilation.push_back(window.xDilation);
    windows.dilation.push_back(window.stride);
    windows.reversed.push_back(false);
    if (window.reversed)
      reversed.push_back(window.places.filter);
  }
  llvm::sort(reversed);
  gradients[1] = g.reverse(g.convolution(getX(), dy, windows, getShape(getFilter())), reversed);
  return success();
}

LogicalResult WindowSumOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  Shape low = getLow().getDims();
  for (auto [i, size] : llvm::enumerate(getWindow())) {
    std::optional<DimExpr> mirrored = mirroredLow(size, 1, low[i]);
    if (!mirrored)
      return emitTooLarge(*this);
    low[i] = *mirrored;
  }
  gradients[0] = GraphMath(builder, gradientLocation(*this))
                     .windowSum(cotangents[0], getWindow(), getXDilation(), low, getStrides(),
                                getShape(getX()));
  return success();
}

LogicalResult WindowMaxOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (Value dy = cotangents[0])
    gradients[0] = builder.create<WindowScatterOp>(gradientLocation(*this), getX().getType(),
                                                   getX(), dy, getWindow(), getStrides(), getLow());
  return success();
}

LogicalResult WindowPickOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (Value dy = cotangents[0])
    gradients[1] = builder.create<WindowScatterOp>(gradientLocation(*this), getV().getType(),
                                                   getX(), dy, getWindow(), getStrides(), getLow());
  return success();
}

LogicalResult WindowScatterOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                        SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  if (Value dy = cotangents[0])
    gradients[1] = builder.create<WindowPickOp>(gradientLocation(*this), getV().getType(), getX(),
                                                dy, getWindow(), getStrides(), getLow());
  return success();
}
