// Instructions of AVX-512 that arith and LLVM's generic intrinsics have no ops for.
#ifndef KERATIN_CODEGEN_CPU_AVX512_H
#define KERATIN_CODEGEN_CPU_AVX512_H

#include "codegen/elements/ExponentInstructions.h"

namespace keratin::codegen {

// Of a machine with AVX-512 and all its vector lengths. They take what fills one register of f32 or
// f64, or 2, 4, 8, ...
const ExponentInstructions &avx512Exponents();

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_AVX512_H
