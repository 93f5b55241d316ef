// Units that begin in order, and wait for what those before them have found.
#ifndef KERATIN_CODEGEN_GPU_THREADS_ORDEREDUNITS_H
#define KERATIN_CODEGEN_GPU_THREADS_ORDEREDUNITS_H

#include "codegen/gpu/threads/Meeting.h"

namespace keratin::codegen {

// Blocks take the numbers of their units one after the other, in the order in which they come. So
// the units before one's own are those of blocks that run or have ended, and leave what they have
// found before they wait themselves: waiting for them ends, in whatever order a device starts
// blocks and however many run at once. What is computed follows from the numbers alone.
//
// All threads of a block call everything but left(), await() and counter().
class OrderedUnits {
public:
  using Value = mlir::Value;

  // Counters of a launch that do not belong to units, and so units at most.
  static constexpr int64_t otherCounters = 2,
                           mostUnits = KERATIN_CUDA_COUNTERS_OF_CALL - otherCounters;
  // Of the beginning of a block's memory, as take() needs them.
  static constexpr int64_t sharedBytes = 16;

  // Of a launch of so many units (i64), which leave DevicePlan::partBytes each.
  OrderedUnits(DeviceKernelBuilder &k, const DevicePlan &plan, Value units)
      : k(k), meeting(k, plan), units(units), threads(plan.unitThreads) {}

  // The number of the block's unit, once for each unit that it does.
  Value take();
  // The first thread leaves what the unit has found (Slot), and says so.
  void leave(Value unit, Value value);
  // The same where it has been left elsewhere (UnitMeeting), by the first thread alone or by
  // several.
  void announce(Value unit, bool bySeveral);
  // Waits until that unit has left it, a value of this type. By each thread that wants it.
  Value left(Value unit, mlir::Type type);
  // The same of what has been announced.
  void await(Value unit);
  // The same by all threads of the block together: one of them looks for it.
  void awaitTogether(Value unit);
  // The number of a counter behind those of the units, for a Meeting.
  Value counter(Value number);
  // The unit has read what it wanted. The last one leaves the counters as they were.
  void end();

private:
  Value flag(Value unit);
  void raiseFlag(Value unit);
  Value isFirstThread();

  DeviceKernelBuilder &k;
  Meeting meeting;
  Value units;
  unsigned threads; // of a block
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_ORDEREDUNITS_H
