#include "codegen/gpu/reductions/ArgReductionPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/threads/UnitMeeting.h"
#include "codegen/lowering/KernelKind.h"

#include "llvm/ADT/bit.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

DevicePlanPtr ArgReductionPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::ArgReduction)
    return nullptr;
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<ArgReductionPlan>(kernel, op, warpThreads) : nullptr;
}

ArgReductionPlan::ArgReductionPlan(ir::KernelOp kernel, Operation *op, unsigned warpThreads)
    : FormPlan(kernel), nest(op) {
  const AxisLines &lines = nest.lines;
  threads = lines.isInnermost()
                ? ThreadSharing::ofRows(lines.length, lines.outer, mostOfThread,
                                        ThreadSharing::blockThreads, warpThreads)
                : ThreadSharing::ofColumns(lines.length, lines.inner, lines.outer,
                                           /*leastColumns=*/warpThreads, warpThreads);
  DimExpr stretches = mul(lines.outer, threads.stretches(lines.inner)).value_or(DimExpr(INT64_MAX));
  threads.divide(stretches);
  inFlight = unsigned(
      llvm::bit_floor(uint64_t(std::clamp<int64_t>(threads.groupsOfThread(), 1, mostInFlight))));
  unitThreads = threads.threads();
  sharedBytes = ThreadMeeting::sharedBytes(slotBytes(), threads.columns, threads.rows);
  if (threads.isDivided())
    partBytes = UnitMeeting::partBytes(slotBytes(), threads.columns);
  setWork(mul(stretches, threads.parts).value_or(DimExpr(INT64_MAX)),
          mul(threads.partGroups, DimExpr(int64_t{threads.columns})).value_or(DimExpr(INT64_MAX)));
}

SmallVector<int64_t> ArgReductionPlan::slotBytes() const {
  return {Slot::bytes(nest.lines.type.getElementType(), 1), nest.indexBits / 8};
}

void ArgReductionPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: ";
  threads.print(out, nest.lines.isInnermost());
  out << "; " << counted(inFlight, "element") << " before the first is looked at; places of "
      << nest.indexBits << " bits\n";
}
