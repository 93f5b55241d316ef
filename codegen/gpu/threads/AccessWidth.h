// How many elements one access to memory has.
#ifndef KERATIN_CODEGEN_GPU_THREADS_ACCESSWIDTH_H
#define KERATIN_CODEGEN_GPU_THREADS_ACCESSWIDTH_H

#include "mlir/IR/Block.h"

namespace keratin::codegen {

// Bytes of the widest access, which begins on a multiple of as many.
inline constexpr unsigned accessBytes = 16;

// Of the widest tensor of a kernel that more than one element is read of, or written to: `most` at
// most, which is a power of two.
unsigned elementsOfAccess(mlir::Block &body, unsigned most);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_ACCESSWIDTH_H
