// A resident loop (host.loop) as a function that a device launches once.
#ifndef KERATIN_CODEGEN_LOWERING_LOOPFUNCTION_H
#define KERATIN_CODEGEN_LOWERING_LOOPFUNCTION_H

#include "codegen/lowering/KernelFunction.h"
#include "ir/host/Host.h"

namespace keratin::codegen {

// One of the eight-byte slots of its argv: a value of the host program that was made outside of the
// loop, or a size, a site or a number that a kernel of the loop is given.
struct LoopArgument {
  mlir::Value value;
  std::optional<KernelArgument> ofKernel;
};

// What the entry function needs to know to launch it. All threads begin at the function's first
// instruction; there are no units, but as many blocks as the units of the largest kernel want.
struct LoopFunction {
  mlir::LLVM::LLVMFuncOp
      function; // of keratin_kernel_fn_t's type; null: the host launches the steps
  std::vector<LoopArgument> arguments;
  // Emits the number of blocks, 1 or more, as i64.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, SizeOf)> countBlocks;
};

// How resident loops become functions; `kernels` are those of the planned function by their
// numbers. Fails with a diagnostic.
using LoopLowering = std::function<mlir::FailureOr<LoopFunction>(
    host::LoopOp loop, llvm::ArrayRef<ir::KernelOp> kernels, llvm::StringRef name)>;

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_LOOPFUNCTION_H
