// Reductions on a device: rows, columns and whole tensors, with what they are made of and what is
// made of them.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_REDUCTIONPLAN_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_REDUCTIONPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/moves/SharedRandomBits.h"
#include "codegen/gpu/threads/ThreadSharing.h"
#include "codegen/lowering/LoopNest.h"

namespace keratin::codegen {

// What a thread reads at a time is a group: neighbouring elements of the innermost loop.
struct ReductionSchedule {
  ReductionSchedule() = default;
  // So many threads of the machine can exchange values: a power of two, 1 of a machine whose
  // threads cannot.
  ReductionSchedule(const LoopNest &nest, mlir::Block &body, unsigned warpThreads);

  unsigned lanes = 1; // of a group
  ThreadSharing threads;
  // Groups that a thread has read before it takes the first.
  unsigned inFlight = 1;
  // Groups of a thread, all of them, which stay in registers from one stage to the next; 0: each
  // stage reads them again.
  unsigned kept = 0;
  // Several passes over what is divided: each is done of all parts before the next.
  bool isInPasses = false;
  // Sums of a thread are long enough to be added with their rounding errors.
  bool isCompensated = false;
};

// A unit is a row: an index of the loops that are kept; of columns, a stretch of neighbours. Its
// threads walk what is reduced side by side, and their results meet in the same order whatever the
// device. Reductions that need the results of others come in later passes, and so does what is made
// of both: a softmax is one kernel, along any axis. Few and long rows are divided over several
// units; of several passes the parts of all rows come in order, those of a pass after those of the
// one before (OrderedUnits), whose last part of a row to come puts it together.
class ReductionPlan final : public FormPlan {
public:
  // Null where the kernel reduces nothing.
  static DevicePlanPtr make(ir::KernelOp kernel, unsigned warpThreads);

  ReductionPlan(ir::KernelOp kernel, LoopNest nest, unsigned warpThreads);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  bool isOfRows() const { return nest.form == LoopNest::Form::Rows; }
  // Groups of an innermost loop that is kept; 1 of one that is reduced.
  ir::DimExpr columnGroups() const;
  // Passes over the parts of all results, one after the other: a pass for each stage.
  unsigned passes() const { return schedule.isInPasses ? nest.stages() : 1; }
  ir::DimExpr unitsOfPass() const;
  // Rows, or stretches of columns.
  ir::DimExpr results() const;
  // Bytes of what a thread has of each reduction of a stage when it meets others (Slot).
  llvm::SmallVector<int64_t> slotBytes(unsigned stage) const;

  LoopNest nest;
  ReductionSchedule schedule;
  SharedRandomBits randomBits;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_REDUCTIONPLAN_H
