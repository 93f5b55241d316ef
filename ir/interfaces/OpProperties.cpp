#include "ir/interfaces/OpProperties.h"

#include "ir/interfaces/IterationSpace.h"

using namespace keratin::ir;
using namespace mlir;

//===-- Attributes that name dimensions -------------------------------------------------------===//

static IntegerAttr shifted(IntegerAttr axis) {
  return IntegerAttr::get(axis.getType(), axis.getInt() + 1);
}

static DenseI64ArrayAttr shifted(DenseI64ArrayAttr axes) {
  SmallVector<int64_t> result(axes.asArrayRef());
  for (int64_t &axis : result)
    ++axis;
  return DenseI64ArrayAttr::get(axes.getContext(), result);
}

static DenseI64ArrayAttr withFirst(DenseI64ArrayAttr list, int64_t first) {
  SmallVector<int64_t> result{first};
  llvm::append_range(result, list.asArrayRef());
  return DenseI64ArrayAttr::get(list.getContext(), result);
}

static DimsAttr withFirst(DimsAttr list, int64_t first) {
  Shape shape = list.getDims();
  shape.insert(shape.begin(), DimExpr(first));
  return DimsAttr::get(list.getContext(), shape);
}

Value keratin::ir::rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool keratin::ir::isCollective(Operation *op) { return runtimeFunctionOf(op) == "collective"; }

#include "ir/interfaces/OpProperties.cpp.inc"
