#include "codegen/cpu/KernelLowering.h"

#include "codegen/cpu/MathForm.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
namespace host = keratin::host;

Value CpuKernelBuilder::contextField(size_t offset, Type type) {
  Value slot = b.create<LLVM::GEPOp>(loc, context.getType(), b.getI8Type(), context,
                                     ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return b.create<LLVM::LoadOp>(loc, type, slot);
}

Value CpuKernelBuilder::scratch() {
  return contextField(offsetof(keratin_context_t, scratch), context.getType());
}

Value CpuKernelBuilder::unitsDone() {
  return contextField(offsetof(keratin_context_t, units_done), b.getI64Type());
}

CpuPlan keratin::codegen::planKernel(ir::KernelOp kernel, const MachineTarget &target) {
  switch (kindOf(kernel)) {
  case KernelKind::Loop:
    return planConcatenateKernel(kernel, target);
  case KernelKind::Transpose:
    return planTransposeKernel(kernel, target);
#define KERATIN_KERNEL_KIND(KIND)                                                                  \
  case KernelKind::KIND:                                                                           \
    return plan##KIND##Kernel(kernel, target);
#include "codegen/lowering/OpKernels.inc"
#undef KERATIN_KERNEL_KIND
  }
  llvm_unreachable("all kinds are named");
}

KernelLowering keratin::codegen::loweringFor(const MachineTarget &target, bool callsMath,
                                             EntryDescription &description) {
  MachineTarget code = target;
  code.callsMath = callsMath;
  return [&target, code, &description](ir::KernelOp kernel, OpBuilder &builder,
                                       StringRef name) -> FailureOr<KernelFunction> {
    CpuPlan plan = planKernel(kernel, target);
    if (!plan)
      return failure();
    description.plans[kernel] = plan;
    CpuKernelBuilder k(kernel, builder, name, code);
    plan->emit(k);
    return plan->finish(k);
  };
}

LogicalResult keratin::codegen::lowerFunction(func::FuncOp function, host::ProgramOp program,
                                              ModuleOp into, StringRef name,
                                              const MachineTarget &target,
                                              EntryDescription &description,
                                              const DeviceModule *device) {
  KernelLowering lowering = loweringFor(target, callsMath(function), description);
  return lowerFunction(function, program, into, name, std::move(lowering), description, device);
}
