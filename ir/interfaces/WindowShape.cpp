#include "ir/interfaces/WindowShape.h"

using namespace keratin::ir;
using namespace mlir;

static SmallVector<WindowDim> dimsOf(Value x, Value windows, ArrayRef<int64_t> window,
                                     ArrayRef<int64_t> strides, DimsAttr low,
                                     ArrayRef<int64_t> xDilation = {}) {
  Shape xShape = getShape(x), yShape = getShape(windows);
  ArrayRef<DimExpr> lows = low.getDims();
  SmallVector<WindowDim> dims;
  for (size_t i = 0; i < xShape.size(); ++i)
    dims.push_back({xShape[i], yShape[i], window[i], strides[i],
                    xDilation.empty() ? 1 : xDilation[i], lows[i]});
  return dims;
}

SmallVector<WindowDim> keratin::ir::getWindowDims(Operation *op) {
  if (auto sum = dyn_cast<WindowSumOp>(op))
    return dimsOf(sum.getX(), sum.getY(), sum.getWindow(), sum.getStrides(), sum.getLow(),
                  sum.getXDilation());
  if (auto max = dyn_cast<WindowMaxOp>(op))
    return dimsOf(max.getX(), max.getY(), max.getWindow(), max.getStrides(), max.getLow());
  if (auto pick = dyn_cast<WindowPickOp>(op))
    return dimsOf(pick.getX(), pick.getY(), pick.getWindow(), pick.getStrides(), pick.getLow());
  auto scatter = cast<WindowScatterOp>(op);
  return dimsOf(scatter.getX(), scatter.getV(), scatter.getWindow(), scatter.getStrides(),
                scatter.getLow());
}
