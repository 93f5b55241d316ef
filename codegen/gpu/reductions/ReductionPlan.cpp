#include "codegen/gpu/reductions/ReductionPlan.h"

#include "codegen/gpu/threads/OrderedUnits.h"
#include "codegen/gpu/threads/UnitMeeting.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::IterationSpace;
using keratin::ir::ReductionOpInterface;

static DimExpr times(const DimExpr &x, const DimExpr &y) {
  return mul(x, y).value_or(DimExpr(INT64_MAX));
}

DevicePlanPtr ReductionPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Loop)
    return nullptr;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || !space->hasReductions() || space->groups.empty())
    return nullptr;
  return std::make_shared<ReductionPlan>(kernel, LoopNest(kernel, std::move(*space)), warpThreads);
}

ReductionPlan::ReductionPlan(ir::KernelOp kernel, LoopNest neutral, unsigned warpThreads)
    : FormPlan(kernel), nest(std::move(neutral)), schedule(nest, body(), warpThreads),
      randomBits(kernel, schedule.lanes,
                 isOfRows() ? schedule.threads.rows : schedule.threads.columns) {
  const ThreadSharing &threads = schedule.threads;
  unitThreads = threads.threads();
  for (unsigned stage = 0; stage < nest.space.stages.size(); ++stage)
    sharedBytes = std::max(
        sharedBytes, ThreadMeeting::sharedBytes(slotBytes(stage), threads.columns, threads.rows));
  if (threads.isDivided())
    for (unsigned stage = 0; stage < nest.space.stages.size(); ++stage)
      partBytes = std::max(partBytes, UnitMeeting::partBytes(slotBytes(stage), threads.columns));
  hasFewBlocks = schedule.isInPasses;
  if (schedule.isInPasses)
    sharedBytes = std::max(sharedBytes, OrderedUnits::sharedBytes);
  int64_t ops = std::distance(body().begin(), body().end());
  DimExpr elements = times(threads.partGroups, DimExpr(int64_t{schedule.lanes}));
  setWork(times(unitsOfPass(), DimExpr(int64_t{passes()})),
          times(elements, DimExpr(ops * int64_t{threads.columns})));
}

DimExpr ReductionPlan::results() const {
  return times(nest.outerRows(), schedule.threads.stretches(columnGroups()));
}

DimExpr ReductionPlan::unitsOfPass() const { return times(results(), schedule.threads.parts); }

DimExpr ReductionPlan::columnGroups() const {
  return isOfRows() ? DimExpr(1)
                    : *ceildiv(nest.innermost().extent, DimExpr(int64_t{schedule.lanes}));
}

SmallVector<int64_t> ReductionPlan::slotBytes(unsigned stage) const {
  SmallVector<int64_t> bytes;
  for (ReductionOpInterface op : nest.reductions(stage))
    bytes.push_back(Slot::bytes(getElementType(op->getResult(0)), isOfRows() ? 1 : schedule.lanes));
  return bytes;
}

void ReductionPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: ";
  schedule.threads.print(out, isOfRows());
  if (schedule.isInPasses)
    out << ", in " << passes() << " passes";
  out << "; " << counted(schedule.lanes, "element") << " at once";
  if (schedule.kept)
    out << ", " << counted(schedule.kept, "time") << ", which stay in registers";
  else if (schedule.inFlight > 1)
    out << ", " << counted(schedule.inFlight, "time") << " before the first is taken";
  if (schedule.isCompensated)
    out << "; sums with their rounding errors";
  randomBits.print(out);
  out << "\n";
}
