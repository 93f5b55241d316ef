// Shallow sums of many rows: a tile of rows goes through all columns, over the whole depth, and
// finishes its sums out of registers, so that the result is stored about in the order of memory.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONSTRIPS_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONSTRIPS_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

mlir::Value emitStripUnits(LoopEmitter &emit, const ContractionSpec &spec,
                           const ContractionStrips &plan);
SizeCases stripUnits(const ContractionSpec &spec, const ContractionStrips &plan);
void emitStrips(LoopEmitter &emit, const ContractionSpec &spec, const ContractionStrips &plan,
                mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONSTRIPS_H
