// Instructions of AVX-512 that arith and LLVM's generic intrinsics have no ops for.
#ifndef KERATIN_CODEGEN_CPU_AVX512_H
#define KERATIN_CODEGEN_CPU_AVX512_H

#include "codegen/elements/ExponentInstructions.h"

namespace keratin::codegen {

// Of a machine with AVX-512 and all its vector lengths. They take what fills one register of f32 or
// f64, or 2, 4, 8, ...
const ExponentInstructions &avx512Exponents();

// sums + x[2 i + 1] y[2 i + 1], then + x[2 i] y[2 i], each rounded once: of vectors of 32 bits that
// hold two bfloat16 (AVX512-BF16). Denormal factors, sums and results are zeros.
mlir::Value avx512PairsOfBfloat16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sums,
                                  mlir::Value x, mlir::Value y);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_AVX512_H
