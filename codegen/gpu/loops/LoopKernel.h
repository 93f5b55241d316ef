// The function of a resident loop, after a LoopPlan.
#ifndef KERATIN_CODEGEN_GPU_LOOPS_LOOPKERNEL_H
#define KERATIN_CODEGEN_GPU_LOOPS_LOOPKERNEL_H

#include "codegen/gpu/loops/LoopPlan.h"
#include "codegen/gpu/loops/LoopValues.h"
#include "codegen/gpu/threads/ThreadGrid.h"
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
  void writeArguments(host::LaunchOp op, const KernelFunction &kernel, Value slots);
  Value placeAnew(Value place, llvm::DenseMap<Value, Value> &beginnings);
  void byThreads(Value from, Value to, Value first, Value step,
                 llvm::function_ref<void(Value)> body);

  // The same number, or place, but one of which LLVM knows nothing, save that a place is in the
  // device's memory. Of what it knows it would keep a register from step to step for each address
  // that some kernel forms, and for each product with the number of a step or of a unit.
  Value readAnew(Value value);
  Value i64(int64_t value) { return values.i64(value); }

  const LoopPlan &plan;
  const KernelLibrary &library;
  llvm::ArrayRef<ir::KernelOp> kernels;
  host::LoopOp loop;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  LoopValues values;
  LoopFunction result;
  ThreadGrid grid;
  Value context;
  llvm::DenseMap<Value, Value> numbers; // in registers, by the places that the program has for them
  // Since all have met, none has done anything that others see.
  bool haveMet = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_LOOPS_LOOPKERNEL_H
