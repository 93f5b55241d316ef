// Whether tensors begin where several elements can be accessed at once.
#ifndef KERATIN_CODEGEN_GPU_THREADS_ALIGNMENT_H
#define KERATIN_CODEGEN_GPU_THREADS_ALIGNMENT_H

#include "codegen/lowering/KernelFunction.h"

namespace keratin::codegen {

// All tensors of a kernel that have more than one element. Memory of the device's begins on
// multiples of more than 16 bytes; a tensor may be a part of some.
class Alignment {
public:
  explicit Alignment(KernelBuilder &k);

  // Whether (i1) all begin on multiples of 16 bytes.
  mlir::Value holds();
  // Tells LLVM so where the builder stands.
  void assume();

private:
  mlir::Value isAligned(mlir::Value address);

  KernelBuilder &k;
  llvm::SmallVector<mlir::Value> addresses; // i64
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_ALIGNMENT_H
