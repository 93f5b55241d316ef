// High words of products, in a way that ptxas computes right.
#ifndef KERATIN_CODEGEN_GPU_PTX_HIGHWORDS_H
#define KERATIN_CODEGEN_GPU_PTX_HIGHWORDS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace keratin::codegen {

// The module with each mul.hi.u32, which divisions by constants become, as a product of 64 bits
// that is shifted.
//
// ptxas (12.9 to 13.4, sm_80 to sm_100) makes one instruction of the low words where a number of 64
// bits, y, is subtracted from the high word of a product of 32:
//
//   mul.hi.u32 h, a, b;   cvt.u64.u32 x, h;   sub.s64 d, x, y;
//   IMAD.HI.U32 low, carry = a * b + {0, -y.low};   IADD3.X high = ~y.high + carry
//
// The carry of a sum with -y.low is that of x - y unless y.low is 0: then d is 2^32 too small, and
// a loop that runs d times does not end. The instruction of both words of a product is not fused
// so, costs the same, and takes three registers more in 172 kernels.
std::string takeHighWordsByShifts(llvm::StringRef ptx);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_HIGHWORDS_H
