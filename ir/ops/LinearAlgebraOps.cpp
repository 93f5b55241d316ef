// Verifiers of factorizations and of what is solved by them.
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

static LogicalResult verifyMatrices(Operation *op, Value x) {
  if (getTensorType(x).getRank() < 2)
    return op->emitOpError("needs matrices in the last two dimensions, found ") << x.getType();
  return success();
}

static LogicalResult verifySquare(Operation *op, Value x) {
  if (failed(verifyMatrices(op, x)))
    return failure();
  Shape shape = getShape(x);
  if (shape[shape.size() - 2] != shape.back())
    return op->emitOpError("needs square matrices, found ") << x.getType();
  return success();
}

LogicalResult CholeskyOp::verify() {
  if (failed(verifySquare(*this, getX())))
    return failure();
  if (getY().getType() != getX().getType())
    return emitOpError("the result must have the type of x, ")
           << getX().getType() << ", found " << getY().getType();
  return success();
}

LogicalResult TriangularSolveOp::verify() {
  if (failed(verifySquare(*this, getA())) || failed(verifyMatrices(*this, getB())))
    return failure();
  Shape a = getShape(getA()), b = getShape(getB());
  a.pop_back();
  b.pop_back();
  if (a != b || getElementType(getA()) != getElementType(getB()))
    return emitOpError("a and b must have the same element type, batches and rows, found ")
           << getA().getType() << " and " << getB().getType();
  if (getY().getType() != getB().getType())
    return emitOpError("the result must have the type of b, ")
           << getB().getType() << ", found " << getY().getType();
  return success();
}

LogicalResult LuOp::verify() {
  if (failed(verifyMatrices(*this, getX())))
    return failure();
  if (getFactors().getType() != getX().getType())
    return emitOpError("the factors must have the type of x, ")
           << getX().getType() << ", found " << getFactors().getType();
  Shape rows = getShape(getX());
  rows.pop_back();
  if (getShape(getPermutation()) != rows)
    return emitOpError("the permutation must have a number for each row, ")
           << toString(rows) << ", found " << getPermutation().getType();
  return success();
}

// A result's shape, given the sizes of its matrices (or of its vectors) behind x's batches.
static LogicalResult verifyPart(Operation *op, StringRef name, Value part, Value x,
                                std::initializer_list<DimExpr> sizes) {
  Shape shape = getShape(x);
  shape.resize(shape.size() - 2);
  shape.insert(shape.end(), sizes);
  auto needed = getTensorType(shape, getElementType(x));
  if (part.getType() != needed)
    return op->emitOpError() << name << " must have the type " << needed << ", found "
                             << part.getType();
  return success();
}

// The smaller one of the numbers of rows and columns.
static FailureOr<DimExpr> smallerSize(Operation *op, Value x) {
  if (failed(verifyMatrices(op, x)))
    return failure();
  Shape shape = getShape(x);
  std::optional<DimExpr> k = min(shape[shape.size() - 2], shape.back());
  if (!k)
    return op->emitOpError("the smaller size of matrices is too large, found ") << x.getType();
  return *k;
}

LogicalResult QrOp::verify() {
  FailureOr<DimExpr> k = smallerSize(*this, getX());
  if (failed(k))
    return failure();
  Shape shape = getShape(getX());
  return success(
      succeeded(verifyPart(*this, "q", getQ(), getX(), {shape[shape.size() - 2], *k})) &&
      succeeded(verifyPart(*this, "r", getR(), getX(), {*k, shape.back()})));
}

LogicalResult EighOp::verify() {
  if (failed(verifySquare(*this, getX())))
    return failure();
  DimExpr n = getShape(getX()).back();
  return success(succeeded(verifyPart(*this, "values", getValues(), getX(), {n})) &&
                 succeeded(verifyPart(*this, "vectors", getVectors(), getX(), {n, n})));
}

LogicalResult SvdOp::verify() {
  FailureOr<DimExpr> k = smallerSize(*this, getX());
  if (failed(k))
    return failure();
  Shape shape = getShape(getX());
  return success(
      succeeded(verifyPart(*this, "u", getU(), getX(), {shape[shape.size() - 2], *k})) &&
      succeeded(verifyPart(*this, "s", getS(), getX(), {*k})) &&
      succeeded(verifyPart(*this, "vt", getVt(), getX(), {*k, shape.back()})));
}
