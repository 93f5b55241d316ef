// What ranks do together: the runtime starts it beside the call (docs/distributed.md).
#include "codegen/cpu/SingleOpKernel.h"

#include "ir/interfaces/OpProperties.h"
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
  CollectiveKernel(CpuKernelBuilder &k, Operation *op)
      : SingleOpKernel(k, op, lanesFor(k.target, 32)) {}

  void emit();
};

static keratin_message_kind_t kindOf(Operation *op) {
  if (isa<ir::AllGatherOp>(op))
    return KERATIN_MESSAGE_ALL_GATHER;
  return isa<ir::ReduceScatterOp>(op) ? KERATIN_MESSAGE_REDUCE_SCATTER : KERATIN_MESSAGE_ALL_REDUCE;
}

// Once, whatever the range of units: there is one.
void CollectiveKernel::emit() {
  auto reduction = op->getAttrOfType<ir::RankReductionAttr>("reduction");
  // The fields of keratin_rank_message_t.
  SmallVector<Value> fields = {
      input(0),
      output(),
      i64(kindOf(op)),
      i64(reduction ? int64_t(reduction.getValue()) : 0),
      i64(ir::dtypeOf(getElementType(op->getOperand(0)))),
      size(elementsOf(getShape(op->getOperand(0)))),
      size(elementsOf(getShape(op->getResult(0)))),
      b.create<LLVM::SExtOp>(loc, b.getI64Type(), k.site(op, op->getName().stripDialect())),
  };
  static_assert(sizeof(keratin_rank_message_t) == 8 * 8);
  callHost(offsetof(keratin_runtime_functions_t, start_collective), {record(fields)});
}

} // namespace

CpuPlan keratin::codegen::planCollectiveKernel(ir::KernelOp kernel, const MachineTarget &) {
  Operation *op = onlyOp(kernel);
  if (!op || !ir::isCollective(op))
    return nullptr;
  auto plan = std::make_shared<HostCallPlan>(
      kernel, "once", [op](CpuKernelBuilder &k) { CollectiveKernel(k, op).emit(); });
  plan->work = elementsOf(getShape(op->getOperand(0)));
  return plan;
}
