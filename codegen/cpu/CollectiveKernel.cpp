// all_reduce: the runtime starts it beside the call (docs/distributed.md).
#include "codegen/cpu/SingleOpKernel.h"

#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::getElementType;
using keratin::ir::getShape;

namespace {

class CollectiveKernel : SingleOpKernel {
public:
  CollectiveKernel(CpuKernelBuilder &k, ir::AllReduceOp reduce)
      : SingleOpKernel(k, reduce, lanesFor(k.target, 32)), reduce(reduce) {}

  void emit();

private:
  ir::AllReduceOp reduce;
};

// Once, whatever the range of units: there is one.
void CollectiveKernel::emit() {
  // The fields of keratin_rank_reduction_t.
  SmallVector<Value> fields = {
      input(0),
      output(),
      size(elementsOf(getShape(reduce.getX()))),
      i64(ir::dtypeOf(getElementType(reduce.getX()))),
      i64(int64_t(reduce.getReduction())),
      b.create<LLVM::SExtOp>(loc, b.getI64Type(), k.site(op, "all_reduce")),
  };
  static_assert(sizeof(keratin_rank_reduction_t) == 6 * 8);
  callHost(offsetof(keratin_runtime_functions_t, start_collective), {record(fields)});
}

} // namespace

CpuPlan keratin::codegen::planCollectiveKernel(ir::KernelOp kernel, const MachineTarget &) {
  auto reduce = dyn_cast_or_null<ir::AllReduceOp>(onlyOp(kernel));
  if (!reduce)
    return nullptr;
  auto plan = std::make_shared<HostCallPlan>(
      kernel, "once", [reduce](CpuKernelBuilder &k) { CollectiveKernel(k, reduce).emit(); });
  plan->work = elementsOf(getShape(reduce.getX()));
  return plan;
}
