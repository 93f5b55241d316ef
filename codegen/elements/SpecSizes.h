// The sizes of contractions and convolutions as numbers of the arithmetic that formulas are in: as
// code, as what is known of them, and as expressions. And strides and places of operands, as code.
#ifndef KERATIN_CODEGEN_ELEMENTS_SPECSIZES_H
#define KERATIN_CODEGEN_ELEMENTS_SPECSIZES_H

#include "codegen/elements/KnownArithmetic.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/elements/SizeArithmetic.h"
#include "codegen/lowering/ContractionSpec.h"

namespace keratin::codegen {

inline mlir::Value numberOf(LoopEmitter &emit, const ContractionSize &size) {
  return size.constant ? emit.constant(*size.constant) : emit.fromIndex(size.value);
}
inline KnownArithmetic::Number numberOf(KnownArithmetic &, const ContractionSize &size) {
  return size.constant;
}
inline SizeCases numberOf(SizeArithmetic &, const ContractionSize &size) {
  return size.size ? SizeCases(*size.size) : SizeCases();
}

inline mlir::Value strideOf(LoopEmitter &emit, mlir::Value value, std::optional<int64_t> constant) {
  return constant ? emit.constant(*constant) : emit.fromIndex(value);
}
// So many elements behind the first of a matrix.
inline mlir::Value entryOf(LoopEmitter &emit, const ContractionOperand &operand, mlir::Value batch,
                           mlir::Value offset) {
  mlir::Value start = emit.mul(batch, emit.fromIndex(operand.batchStride));
  return emit.address(operand.base, operand.elementType, emit.add(start, offset));
}

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_SPECSIZES_H
