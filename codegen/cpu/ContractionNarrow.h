// A row or two times a matrix of a few vectors' columns: all sums stay in registers.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONNARROW_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONNARROW_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

// Units are the entries of the batch.
void emitNarrow(LoopEmitter &emit, const ContractionSpec &spec, const ContractionNarrow &plan,
                mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONNARROW_H
