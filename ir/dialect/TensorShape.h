// Shapes with symbols, as tensor types hold them.
#ifndef KERATIN_IR_DIALECT_TENSORSHAPE_H
#define KERATIN_IR_DIALECT_TENSORSHAPE_H

#include "ir/shapes/DimExpr.h"
#include "runtime/abi/keratin_types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::ir {

using Shape = std::vector<DimExpr>;

// The dimensions of a tensor type. Precondition for dynamic ones: the encoding is a DimsAttr (the
// dialect's verifier sees to it).
Shape getShape(mlir::RankedTensorType type);
Shape getShape(mlir::Value value);
// The tensor type with these dimensions; without encoding if all are constant.
mlir::RankedTensorType getTensorType(const Shape &shape, mlir::Type elementType);
mlir::RankedTensorType getTensorType(mlir::Value value);
// The same shape with another element type.
mlir::RankedTensorType withElementType(mlir::RankedTensorType type, mlir::Type elementType);
mlir::Type getElementType(mlir::Value value);

// Number of elements; nullopt if it cannot fit 64 bits.
std::optional<DimExpr> elementCount(const Shape &shape);
// Bytes of a value, or of elements of its type in another shape; nullopt if they cannot fit 64
// bits.
std::optional<DimExpr> byteCount(mlir::Value value);
std::optional<DimExpr> byteCount(const Shape &shape, mlir::Type elementType);
// "(2, d0, 3)"
std::string toString(const Shape &shape);

keratin_dtype_t dtypeOf(mlir::Type elementType);
mlir::Type elementTypeOf(keratin_dtype_t dtype, mlir::MLIRContext *context);
int64_t dtypeBytes(keratin_dtype_t dtype);
// "float32", as the K functions name it; "invalid" for none.
const char *dtypeName(keratin_dtype_t dtype);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_TENSORSHAPE_H
