// The function of a resident loop, after a LoopPlan.
#ifndef KERATIN_CODEGEN_GPU_LOOPS_LOOPKERNEL_H
#define KERATIN_CODEGEN_GPU_LOOPS_LOOPKERNEL_H

#include "codegen/gpu/loops/LoopPlan.h"
#include "codegen/gpu/loops/LoopValues.h"
#include "codegen/lowering/KernelLibrary.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace keratin::codegen {

// Walks over the host's program of the loop. All threads do all of it, and meet where one needs
// what others have done.
class LoopKernel {
public:
  using Value = mlir::Value;

  LoopKernel(const LoopPlan &plan, const KernelLibrary &library,
             llvm::ArrayRef<ir::KernelOp> kernels, mlir::ModuleOp into);

  // Without countBlocks.
  LoopFunction emit(llvm::StringRef name);

private:
  // Makes all wait for each other, unless nobody has done anything since they did.
  void meet();
  Value ask(llvm::function_ref<Value()> question);
  Value readFailure();

  void lower(mlir::Operation *op);
  void lowerBlock(mlir::Block &block);

  // LoopSteps.cpp
  void lower(mlir::scf::ForOp op);
  void lower(mlir::scf::WhileOp op);
  void lower(mlir::scf::IfOp op);

  // LoopWork.cpp
  void lower(host::LaunchOp op);
  void lower(host::CopyOp op);
  void lower(host::WriteOp op);
  bool isInRegister(host::WriteOp op);
  void byThreads(Value from, Value to, Value first, Value step,
                 llvm::function_ref<void(Value)> body);

  Value i64(int64_t value) { return values.i64(value); }
  Value special(const char *name);

  const LoopPlan &plan;
  const KernelLibrary &library;
  llvm::ArrayRef<ir::KernelOp> kernels;
  host::LoopOp loop;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  LoopValues values;
  LoopFunction result;
  Value context;
  Value thread, threads; // of the grid
  Value ownThread;       // in its block
  Value block, blocks;
  // Since all have met, none has done anything that others see.
  bool haveMet = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_LOOPS_LOOPKERNEL_H
