// Rows that turn out at run time to be few enough to read B where it is, tile by tile, with no
// blocks nor panels in other memory: ContractionNarrow for sizes that only the call knows.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONFEW_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONFEW_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

// Whether the sizes are such.
mlir::Value isFew(LoopEmitter &emit, const ContractionSpec &spec, const ContractionFew &plan);
SizeCases isFew(SizeArithmetic &arithmetic, const ContractionSpec &spec,
                const ContractionFew &plan);

mlir::Value emitFewUnits(LoopEmitter &emit, const ContractionSpec &spec,
                         const ContractionFew &plan);
SizeCases fewUnits(const ContractionSpec &spec, const ContractionFew &plan);
void emitFew(LoopEmitter &emit, const ContractionSpec &spec, const ContractionFew &plan,
             mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONFEW_H
