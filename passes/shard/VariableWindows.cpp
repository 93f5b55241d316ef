// Convolutions and windows of what has a part of a variable.
#include "passes/shard/VariableParts.h"

#include "ir/interfaces/ConvolutionShape.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

// Dimensions of one letter are one; windows are of the whole.
LogicalResult VariableParts::followConvolution(ConvolutionOp op) {
  const ConvolutionDims dims = *ConvolutionDims::parse(op.getDims());
  for (const ConvolutionDims::Places &window : dims.windows)
    for (auto [value, place] :
         {std::pair(op.getX(), window.x), std::pair(op.getFilter(), window.filter)})
      if (std::optional<Along> along = alongOf(value); along && int(along->dimension) == place)
        return refuse(op);
  for (const ConvolutionDims::Places &places : {dims.contracted, dims.groups})
    if (places.x >= 0 && failed(alignPairs(op, {places.x}, {places.filter})))
      return failure();
  Shape shape = getShape(op.getY());
  const Shape x = getShape(op.getX()), filter = getShape(op.getFilter());
  for (const ConvolutionDims::Places &places : {dims.batch, dims.filters, dims.groups})
    if (places.y >= 0)
      shape[size_t(places.y)] = places.x >= 0 ? x[size_t(places.x)] : filter[size_t(places.filter)];
  return setShape(op.getY(), shape), success();
}

// Of other dimensions. All operands have those that windows leave alone.
LogicalResult VariableParts::followWindows(Operation *op, ArrayRef<int64_t> window,
                                           ArrayRef<int64_t> strides, DimsAttr low) {
  for (OpOperand &part : op->getOpOperands()) {
    std::optional<Along> along = alongOf(part.get());
    if (!along)
      continue;
    const unsigned dimension = along->dimension;
    Value result = op->getResult(0);
    Shape shape = getShape(result);
    if (window[dimension] != 1 || strides[dimension] != 1 ||
        low.getDims()[dimension] != DimExpr(0) || shape[dimension] != wholeOf(along->size))
      return refuse(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!alongOf(operand.get()) && failed(cut(operand, *along)))
        return failure();
    shape[dimension] = along->size;
    return setShape(result, shape), success();
  }
  return success();
}
