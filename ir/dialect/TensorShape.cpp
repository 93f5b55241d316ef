#include "ir/dialect/TensorShape.h"

#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

Shape keratin::ir::getShape(RankedTensorType type) {
  if (auto dims = dyn_cast_or_null<DimsAttr>(type.getEncoding()))
    return dims.getDims();
  Shape shape;
  for (int64_t dim : type.getShape())
    shape.push_back(DimExpr(dim));
  return shape;
}

Shape keratin::ir::getShape(Value value) { return getShape(getTensorType(value)); }

RankedTensorType keratin::ir::getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType keratin::ir::getTensorType(const Shape &shape, Type elementType) {
  SmallVector<int64_t> sizes;
  bool dynamic = false;
  for (const DimExpr &dim : shape) {
    sizes.push_back(dim.isConstant() ? dim.constantValue() : ShapedType::kDynamic);
    dynamic |= !dim.isConstant();
  }
  Attribute encoding = dynamic ? DimsAttr::get(elementType.getContext(), shape) : Attribute();
  return RankedTensorType::get(sizes, elementType, encoding);
}

RankedTensorType keratin::ir::withElementType(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType, type.getEncoding());
}

Type keratin::ir::getElementType(Value value) { return getTensorType(value).getElementType(); }

std::optional<DimExpr> keratin::ir::elementCount(const Shape &shape) { return product(shape); }

std::optional<DimExpr> keratin::ir::byteCount(const Shape &shape, Type elementType) {
  std::optional<DimExpr> count = elementCount(shape);
  return count ? mul(*count, dtypeBytes(dtypeOf(elementType))) : std::nullopt;
}

std::optional<DimExpr> keratin::ir::byteCount(Value value) {
  return byteCount(getShape(value), getElementType(value));
}

std::string keratin::ir::toString(const Shape &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + shape[i].str();
  return text + (shape.size() == 1 ? ",)" : ")");
}

keratin_dtype_t keratin::ir::dtypeOf(Type type) {
  if (type.isF16())
    return KERATIN_DTYPE_FLOAT16;
  if (type.isBF16())
    return KERATIN_DTYPE_BFLOAT16;
  if (type.isF32())
    return KERATIN_DTYPE_FLOAT32;
  if (type.isF64())
    return KERATIN_DTYPE_FLOAT64;
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32()   ? KERATIN_DTYPE_COMPLEX64
           : complex.getElementType().isF64() ? KERATIN_DTYPE_COMPLEX128
                                              : KERATIN_DTYPE_INVALID;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return KERATIN_DTYPE_INVALID;
  switch (integer.getWidth()) {
  case 1:
    return integer.isSignless() ? KERATIN_DTYPE_BOOL : KERATIN_DTYPE_INVALID;
  case 8:
    return integer.isUnsigned() ? KERATIN_DTYPE_UINT8 : KERATIN_DTYPE_INT8;
  case 16:
    return integer.isUnsigned() ? KERATIN_DTYPE_UINT16 : KERATIN_DTYPE_INT16;
  case 32:
    return integer.isUnsigned() ? KERATIN_DTYPE_UINT32 : KERATIN_DTYPE_INT32;
  case 64:
    return integer.isUnsigned() ? KERATIN_DTYPE_UINT64 : KERATIN_DTYPE_INT64;
  default:
    return KERATIN_DTYPE_INVALID;
  }
}

Type keratin::ir::elementTypeOf(keratin_dtype_t dtype, MLIRContext *context) {
  Builder b(context);
  switch (dtype) {
  case KERATIN_DTYPE_BOOL:
    return b.getI1Type();
  case KERATIN_DTYPE_INT8:
    return b.getI8Type();
  case KERATIN_DTYPE_INT16:
    return b.getI16Type();
  case KERATIN_DTYPE_INT32:
    return b.getI32Type();
  case KERATIN_DTYPE_INT64:
    return b.getI64Type();
  case KERATIN_DTYPE_UINT8:
    return b.getIntegerType(8, false);
  case KERATIN_DTYPE_UINT16:
    return b.getIntegerType(16, false);
  case KERATIN_DTYPE_UINT32:
    return b.getIntegerType(32, false);
  case KERATIN_DTYPE_UINT64:
    return b.getIntegerType(64, false);
  case KERATIN_DTYPE_FLOAT16:
    return b.getF16Type();
  case KERATIN_DTYPE_BFLOAT16:
    return b.getBF16Type();
  case KERATIN_DTYPE_FLOAT32:
    return b.getF32Type();
  case KERATIN_DTYPE_FLOAT64:
    return b.getF64Type();
  case KERATIN_DTYPE_COMPLEX64:
    return ComplexType::get(b.getF32Type());
  case KERATIN_DTYPE_COMPLEX128:
    return ComplexType::get(b.getF64Type());
  case KERATIN_DTYPE_INVALID:
    break;
  }
  return Type();
}

int64_t keratin::ir::dtypeBytes(keratin_dtype_t dtype) {
  static const int64_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return bytes[dtype];
}

const char *keratin::ir::dtypeName(keratin_dtype_t dtype) {
  static const char *const names[] = {
      "invalid", "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",
      "uint32",  "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[dtype];
}
