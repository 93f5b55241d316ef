// A matrix times a vector where both are contiguous in k: dot products, vectors along k, instead of
// tiles.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONDOTS_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONDOTS_H

#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/LoopEmitter.h"

namespace keratin::codegen {

// Whether one of m and n is known to be one and both operands are known to be contiguous in k.
bool isDotContraction(const ContractionSpec &spec);
int64_t dotScratchElements();
mlir::Value emitDotUnits(LoopEmitter &emit, const ContractionSpec &spec);
void emitDots(LoopEmitter &emit, const ContractionSpec &spec, mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONDOTS_H
