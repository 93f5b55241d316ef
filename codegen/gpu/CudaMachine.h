// The machine that kernels for the device "cuda" are written for.
#ifndef KERATIN_CODEGEN_GPU_CUDAMACHINE_H
#define KERATIN_CODEGEN_GPU_CUDAMACHINE_H

#include "codegen/cpu/MachineTarget.h"

namespace keratin::codegen {

// sm_80, the oldest that PTX is made for, without vectors. Math functions are those of x86-64-v3:
// fused products and sums, rounding and conversions of halves by instructions, none of AVX-512, so
// that both devices compute the same bits.
MachineTarget cudaMachine();

// Threads that run in step and can exchange values.
inline constexpr unsigned warpThreads = 32;

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CUDAMACHINE_H
