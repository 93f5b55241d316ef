// Rows that threads share, after a RowsPlan.
#include "codegen/gpu/RowsPlan.h"

#include "codegen/elements/NestBody.h"
#include "codegen/elements/ReductionState.h"
#include "codegen/gpu/Shuffle.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::ReductionOpInterface;

namespace {

class RowsKernel {
public:
  RowsKernel(DeviceKernelBuilder &k, const RowsPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), nest(plan.nest),
        emitter(k, k.loc, k.target, /*lanes=*/1), body(k, nest, emitter),
        reductions(k, emitter, plan.isCompensated), warp(b, loc) {}

  void emit();

private:
  // What a thread has of the reductions of a stage.
  using State = SmallVector<Value>;

  void emitRow(Value row);
  void emitStage(unsigned stage);
  State walk(unsigned stage, ArrayRef<unsigned> groups, ArrayRef<Value> state);
  State doElement(unsigned stage, ArrayRef<Value> state);
  Value together(ReductionOpInterface op, Value own);
  void storeRow(unsigned stage);

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const RowsPlan &plan;
  const LoopNest &nest;
  ElementEmitter emitter;
  NestBody body;
  ReductionState reductions;
  Warp warp;
  Value thread; // of the row
};

// The loops that are reduced, outermost first; the threads of the row share the last.
RowsKernel::State RowsKernel::walk(unsigned stage, ArrayRef<unsigned> groups,
                                   ArrayRef<Value> state) {
  unsigned number = groups.front();
  bool isLast = groups.size() == 1;
  return emitter.loop(
      isLast ? thread : emitter.i64(0), emitter.extent(nest.space.groups[number].extent),
      isLast ? plan.unitThreads : 1, state, [&](Value position, ArrayRef<Value> carried) {
        body.index(number) = emitter.scalarIndex(position);
        return isLast ? doElement(stage, carried) : walk(stage, groups.drop_front(), carried);
      });
}

RowsKernel::State RowsKernel::doElement(unsigned stage, ArrayRef<Value> state) {
  ArrayRef<ReductionOpInterface> ops = nest.reductions(stage);
  State next(state), elements;
  for (ReductionOpInterface op : ops)
    elements.push_back(body.operand(op, /*isVector=*/false));
  reductions.absorb(ops, next, elements);
  body.storeElements(stage);
  return next;
}

// What the threads of the row have, combined in pairs, then in pairs of pairs.
Value RowsKernel::together(ReductionOpInterface op, Value own) {
  if (plan.unitThreads == 1)
    return own;
  for (unsigned distance = 1; distance < plan.unitThreads; distance *= 2)
    own = op.buildCombine(emitter, own, warp.fromFurther(own, distance));
  return warp.fromFirst(own);
}

// All threads have it; the first writes it.
void RowsKernel::storeRow(unsigned stage) {
  if (nest.rowOutputs(stage).empty())
    return;
  emitter.loop(thread, emitter.i64(1), 1, {}, [&](Value, ArrayRef<Value>) -> State {
    body.storeRows(stage);
    return {};
  });
}

void RowsKernel::emitStage(unsigned stage) {
  if (!nest.isStagePresent(stage))
    return;
  SmallVector<unsigned> reduced = nest.outerReduced;
  reduced.push_back(nest.space.groups.size() - 1);
  ArrayRef<ReductionOpInterface> ops = nest.reductions(stage);
  State state = walk(stage, reduced, reductions.begin(ops, /*isVector=*/false));
  State own = reductions.settle(ops, state, ReductionState::Lanes::Apart);
  for (auto [op, value] : llvm::zip(ops, own))
    emitter.bindRegister(op->getResult(0), together(op, value));
  storeRow(stage);
}

void RowsKernel::emitRow(Value row) {
  body.setOuterIndex(row);
  for (unsigned stage = 0; stage < nest.stages(); ++stage)
    emitStage(stage);
}

void RowsKernel::emit() {
  thread = plan.unitThreads == 1 ? k.i64(0) : warp.lane();
  emitter.loop(k.begin, k.end, 1, {}, [&](Value row, ArrayRef<Value>) -> State {
    emitRow(row);
    return {};
  });
}

} // namespace

void RowsPlan::emit(DeviceKernelBuilder &k) const { RowsKernel(k, *this).emit(); }
