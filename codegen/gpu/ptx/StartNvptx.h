// LLVM's code generator for PTX.
#ifndef KERATIN_CODEGEN_GPU_PTX_STARTNVPTX_H
#define KERATIN_CODEGEN_GPU_PTX_STARTNVPTX_H

namespace keratin::codegen {

// Before PTX is made; see Beginning.h. Whoever compiles for CPUs only never calls it.
void startNvptx();

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_STARTNVPTX_H
