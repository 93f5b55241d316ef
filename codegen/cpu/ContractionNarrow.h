// Rows that are few enough for one tile: it reads each number of B once, where it is, and needs
// neither blocks nor panels in other memory.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONNARROW_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONNARROW_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

mlir::Value emitNarrowUnits(LoopEmitter &emit, const ContractionSpec &spec,
                            const ContractionNarrow &plan);
SizeCases narrowUnits(const ContractionSpec &spec, const ContractionNarrow &plan);
// With B in panels of so many columns (ContractionPlan), if not 0.
void emitNarrow(LoopEmitter &emit, const ContractionSpec &spec, const ContractionNarrow &plan,
                int64_t panelColumns, mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONNARROW_H
