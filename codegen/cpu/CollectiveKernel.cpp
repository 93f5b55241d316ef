// What ranks do together: the runtime starts it beside the call (docs/distributed.md).
#include "codegen/cpu/SingleOpKernel.h"

#include "ir/interfaces/OpProperties.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/TypeSwitch.h"

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
  return llvm::TypeSwitch<Operation *, keratin_message_kind_t>(op)
      .Case([](ir::AllReduceOp) { return KERATIN_MESSAGE_ALL_REDUCE; })
      .Case([](ir::AllGatherOp) { return KERATIN_MESSAGE_ALL_GATHER; })
      .Case([](ir::ReduceScatterOp) { return KERATIN_MESSAGE_REDUCE_SCATTER; })
      .Case([](ir::BroadcastFromOp) { return KERATIN_MESSAGE_BROADCAST; })
      .Case([](ir::AllToAllOp) { return KERATIN_MESSAGE_ALL_TO_ALL; })
      .Case([](ir::PermuteOp) { return KERATIN_MESSAGE_PERMUTE; });
}

static SmallVector<int64_t> ranksOf(Operation *op) {
  if (auto broadcast = dyn_cast<ir::BroadcastFromOp>(op))
    return {int64_t(broadcast.getRoot())};
  if (auto permute = dyn_cast<ir::PermuteOp>(op))
    return SmallVector<int64_t>(permute.getPairs());
  return {};
}

// 0: among all ranks.
static int64_t axisNumber(Operation *op) {
  const StringAttr axis = ir::meshAxisOf(op);
  if (!axis)
    return 0;
  const auto axes = ir::meshAxesIn(op->getParentOfType<func::FuncOp>());
  return 1 + (llvm::find(axes, axis) - axes.begin());
}

// Once, whatever the range of units: there is one.
void CollectiveKernel::emit() {
  auto reduction = op->getAttrOfType<ir::RankReductionAttr>("reduction");
  SmallVector<Value> ranks;
  for (int64_t rank : ranksOf(op))
    ranks.push_back(i64(rank));
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
      record(ranks),
      i64(int64_t(ranks.size())),
      i64(axisNumber(op)),
  };
  static_assert(sizeof(keratin_rank_message_t) == 8 * 11);
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
