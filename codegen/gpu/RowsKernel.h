#ifndef KERATIN_CODEGEN_GPU_ROWSKERNEL_H
#define KERATIN_CODEGEN_GPU_ROWSKERNEL_H

#include "codegen/gpu/RowsPlan.h"

namespace keratin::codegen {

void emitRows(CpuKernelBuilder &k, const RowsPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ROWSKERNEL_H
