// The sizes of contractions and convolutions as numbers of the arithmetic that formulas are in: as
// code, as what is known of them, and as expressions.
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

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_SPECSIZES_H
