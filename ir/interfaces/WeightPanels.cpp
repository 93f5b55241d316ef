#include "ir/interfaces/WeightPanels.h"

#include "ir/dialect/TensorShape.h"
#include "ir/interfaces/ConvolutionShape.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

// Its dimensions of depth and of columns.
static std::optional<WeightMatrix> matrixOf(Value weights, ArrayRef<int64_t> depth,
                                            ArrayRef<int64_t> columns) {
  auto argument = dyn_cast<BlockArgument>(weights);
  RankedTensorType type = getTensorType(weights);
  if (!argument || !type.hasStaticShape())
    return std::nullopt;
  WeightMatrix matrix{argument, {}, 1, 1};
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(depth, dim) && !llvm::is_contained(columns, dim)) {
      if (type.getDimSize(dim) != 1)
        return std::nullopt;
      matrix.order.push_back(dim);
    }
  for (auto [dims, size] : {std::pair(depth, &matrix.depth), std::pair(columns, &matrix.columns)})
    for (int64_t dim : dims) {
      matrix.order.push_back(dim);
      *size *= type.getDimSize(dim); // of a tensor whose elements can be counted
    }
  return matrix;
}

static std::optional<WeightMatrix> matrixOf(DotGeneralOp dot) {
  SmallVector<int64_t> columns;
  for (int64_t dim = 0; dim < getTensorType(dot.getB()).getRank(); ++dim)
    if (!llvm::is_contained(dot.getBBatch(), dim) && !llvm::is_contained(dot.getBContract(), dim))
      columns.push_back(dim);
  return matrixOf(dot.getB(), dot.getBContract(), columns);
}

static std::optional<WeightMatrix> matrixOf(ConvolutionOp convolution) {
  const ConvolutionDims dims = getConvolutionShape(convolution).dims;
  SmallVector<int64_t> depth, columns;
  for (const ConvolutionDims::Places &window : dims.windows)
    depth.push_back(window.filter);
  if (dims.contracted.filter >= 0)
    depth.push_back(dims.contracted.filter);
  if (dims.filters.filter >= 0)
    columns.push_back(dims.filters.filter);
  return matrixOf(convolution.getFilter(), depth, columns);
}

std::optional<WeightMatrix> keratin::ir::weightMatrixOf(KernelOp kernel) {
  Operation *product = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (isContraction(&op)) {
      if (product)
        return std::nullopt;
      product = &op;
    }
  if (auto dot = dyn_cast_or_null<DotGeneralOp>(product))
    return matrixOf(dot);
  if (auto convolution = dyn_cast_or_null<ConvolutionOp>(product))
    return matrixOf(convolution);
  return std::nullopt;
}

int64_t keratin::ir::panelColumnsOf(KernelOp kernel) {
  if (!kernel->hasAttr(kPanelsAttr) || kernel.getInputs().empty())
    return 0;
  std::optional<WeightMatrix> matrix = weightMatrixOf(kernel);
  RankedTensorType panels = getTensorType(panelsOf(kernel));
  if (!matrix || panels.getRank() != 3 || !panels.hasStaticShape() ||
      panels.getElementType() != getElementType(matrix->weights))
    return 0;
  const int64_t width = panels.getDimSize(2);
  const bool isOfAll = width > 0 && panels.getDimSize(1) == matrix->depth &&
                       panels.getDimSize(0) == int64_t(llvm::divideCeil(matrix->columns, width));
  return isOfAll ? width : 0;
}

BlockArgument keratin::ir::panelsOf(KernelOp kernel) {
  return kernel.getBody().front().getArguments().back();
}
