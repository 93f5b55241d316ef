#ifndef KERATIN_CODEGEN_GPU_ELEMENTSKERNEL_H
#define KERATIN_CODEGEN_GPU_ELEMENTSKERNEL_H

#include "codegen/gpu/ElementsPlan.h"

namespace keratin::codegen {

void emitElements(CpuKernelBuilder &k, const ElementsPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ELEMENTSKERNEL_H
