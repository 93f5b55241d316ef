#include "ir/interfaces/ContractionShape.h"

#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

namespace {
struct Run {
  DimExpr size = 1, stride = 0;
};
} // namespace

// Joins dimensions (in the order given) into one, if memory allows it.
static std::optional<Run> joinDimensions(const Shape &shape, ArrayRef<int64_t> dims) {
  Run run;
  bool first = true;
  for (int64_t dim : llvm::reverse(dims)) {
    if (shape[dim] == DimExpr(1))
      continue;
    std::optional<DimExpr> stride = product(Shape(shape.begin() + dim + 1, shape.end()));
    if (!stride)
      return std::nullopt;
    if (first) {
      run = {shape[dim], *stride};
      first = false;
      continue;
    }
    // The outer dimension must step over exactly what was joined so far.
    if (mul(run.size, run.stride) != stride)
      return std::nullopt;
    std::optional<DimExpr> size = mul(run.size, shape[dim]);
    if (!size)
      return std::nullopt;
    run.size = *size;
  }
  return run;
}

static SmallVector<int64_t> freeDimensions(size_t rank, ArrayRef<int64_t> batch,
                                           ArrayRef<int64_t> contracted) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < int64_t(rank); ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contracted, i))
      dims.push_back(i);
  return dims;
}

std::optional<ContractionShape> keratin::ir::getContractionShape(DotGeneralOp op) {
  Shape a = getShape(op.getA()), b = getShape(op.getB());
  SmallVector<int64_t> aFree = freeDimensions(a.size(), op.getABatch(), op.getAContract());
  SmallVector<int64_t> bFree = freeDimensions(b.size(), op.getBBatch(), op.getBContract());
  auto aBatch = joinDimensions(a, op.getABatch()), bBatch = joinDimensions(b, op.getBBatch());
  auto aRows = joinDimensions(a, aFree), bColumns = joinDimensions(b, bFree);
  auto aDepth = joinDimensions(a, op.getAContract()), bDepth = joinDimensions(b, op.getBContract());
  if (!aBatch || !bBatch || !aRows || !bColumns || !aDepth || !bDepth)
    return std::nullopt;
  ContractionShape shape;
  shape.batch = aBatch->size;
  shape.m = aRows->size;
  shape.n = bColumns->size;
  shape.k = aDepth->size;
  shape.a = {aBatch->stride, aRows->stride, aDepth->stride};
  shape.b = {bBatch->stride, bDepth->stride, bColumns->stride};
  shape.batchDims = op.getABatch().size();
  shape.mDims = aFree.size();
  shape.nDims = bFree.size();
  return shape;
}

bool keratin::ir::isWidening(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  if (!cast || !getElementType(cast.getY()).isSignlessInteger(32))
    return false;
  Type type = getElementType(cast.getX());
  return (type.isInteger(8) || type.isInteger(16)) && llvm::any_of(op->getUsers(), isContraction);
}

Value keratin::ir::inMemory(Value factor) {
  Operation *op = factor.getDefiningOp();
  return isWidening(op) ? op->getOperand(0) : factor;
}
