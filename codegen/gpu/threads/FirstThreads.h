// Kernels for blocks of so many threads, in larger blocks.
#ifndef KERATIN_CODEGEN_GPU_THREADS_FIRSTTHREADS_H
#define KERATIN_CODEGEN_GPU_THREADS_FIRSTTHREADS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace keratin::codegen {

// Makes all barriers of a block in the function barriers of its first threads, so many whole warps,
// which alone may call it then.
void meetAsFirstThreads(mlir::LLVM::LLVMFuncOp function, unsigned threads);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_FIRSTTHREADS_H
