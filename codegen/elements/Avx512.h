// Instructions of AVX-512 that arith and LLVM's generic intrinsics have no ops for.
#ifndef KERATIN_CODEGEN_ELEMENTS_AVX512_H
#define KERATIN_CODEGEN_ELEMENTS_AVX512_H

#include "codegen/elements/VectorExpr.h"

namespace keratin::codegen::avx512 {

// Whether x fills one register of f32 or f64, or 2, 4, 8, ..., on a machine with AVX-512; the
// functions below take no others.
bool fillsRegisters(const VectorExpr &x);

// x * 2^floor(exponent) with one rounding; any exponent, also infinite ones.
VectorExpr scale(const VectorExpr &x, const VectorExpr &exponent);
// floor(log2 |x|) as a float, denormals included: -inf of 0, +inf of infinities, NaN of NaN.
VectorExpr exponentOf(const VectorExpr &x);
// x scaled by a power of two into [0.75, 1.5): 1 of both zeros and of +inf, NaN of negative numbers
// and of NaN.
VectorExpr mantissaOf(const VectorExpr &x);

} // namespace keratin::codegen::avx512

#endif // KERATIN_CODEGEN_ELEMENTS_AVX512_H
