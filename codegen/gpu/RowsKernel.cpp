#include "codegen/gpu/RowsKernel.h"

#include "codegen/cpu/ElementEmitter.h"
#include "codegen/gpu/Shuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getTensorType;
using keratin::ir::ReductionOpInterface;
using Index = LaneIndex;

namespace {

class RowsKernel {
public:
  RowsKernel(CpuKernelBuilder &k, const RowsPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan),
        emitter(
            b, loc, k.target, /*lanes=*/1, [&k](const DimExpr &size) { return k.sizeOf(size); },
            k.context),
        warp(b, loc) {}

  void emit();

private:
  // What a thread has of each reduction of a stage: its value so far, and of compensated ones the
  // lost low part.
  using State = SmallVector<Value>;

  void emitRow(Value row);
  void emitStage(unsigned stage);
  State walk(unsigned stage, ArrayRef<unsigned> groups, State state);
  State doElement(unsigned stage, State state);
  void storeElements(unsigned stage);
  void storeRow(unsigned stage);
  void absorb(ReductionOpInterface op, MutableArrayRef<Value> state, Value element);
  Value settle(ArrayRef<Value> state);
  Value together(ReductionOpInterface op, Value own);

  State identities(unsigned stage);
  unsigned stateSize(ReductionOpInterface op) {
    return plan.isCompensated && op.isCompensated() ? 2 : 1;
  }
  SmallVector<Index> indexFor(Value value, bool isOfRow);
  State loop(Value from, Value to, int64_t step, State init,
             llvm::function_ref<State(Value, State)> body);
  Value output(unsigned number) { return k.body().getTerminator()->getOperand(number); }

  CpuKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const RowsPlan &plan;
  ElementEmitter emitter;
  Warp warp;
  Value thread;               // of the row
  SmallVector<Index> current; // index of each group of the space
};

//===-- Loops ---------------------------------------------------------------------------------===//

RowsKernel::State RowsKernel::loop(Value from, Value to, int64_t step, State init,
                                   llvm::function_ref<State(Value, State)> body) {
  return k.forLoop(from, to, k.i64(step), init,
                   [&](Operation *op, Value iv, ArrayRef<Value> carried) {
                     emitter.enter(op);
                     State next = body(iv, State(carried));
                     emitter.leave();
                     return next;
                   });
}

SmallVector<Index> RowsKernel::indexFor(Value value, bool isOfRow) {
  SmallVector<Index> squeezed;
  for (auto [group, index] : llvm::zip(plan.space.groups, current)) {
    if (isOfRow && group.reduced)
      continue;
    // A position inside a group stands at its last dimension.
    for (unsigned dim = group.first; dim < group.last; ++dim)
      squeezed.push_back(emitter.scalarIndex(emitter.i64(0)));
    squeezed.push_back(index);
  }
  return emitter.unsqueeze(getTensorType(value), squeezed);
}

// The loops that are reduced, outermost first; the threads of the row share the last.
RowsKernel::State RowsKernel::walk(unsigned stage, ArrayRef<unsigned> groups, State state) {
  unsigned number = groups.front();
  bool isLast = groups.size() == 1;
  return loop(isLast ? thread : emitter.i64(0), emitter.extent(plan.space.groups[number].extent),
              isLast ? plan.threads : 1, std::move(state), [&](Value position, State carried) {
                current[number] = emitter.scalarIndex(position);
                return isLast ? doElement(stage, std::move(carried))
                              : walk(stage, groups.drop_front(), std::move(carried));
              });
}

//===-- Reductions ----------------------------------------------------------------------------===//

RowsKernel::State RowsKernel::identities(unsigned stage) {
  State state;
  for (ReductionOpInterface op : plan.reductions(stage))
    for (unsigned part = 0; part < stateSize(op); ++part)
      state.push_back(op.buildIdentity(emitter));
  return state;
}

// s = a + b exactly as s + error (Knuth's TwoSum).
void RowsKernel::absorb(ReductionOpInterface op, MutableArrayRef<Value> state, Value element) {
  if (state.size() == 1) {
    state[0] = op.buildCombine(emitter, state[0], element);
    return;
  }
  auto plus = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(loc, x, y); };
  auto minus = [&](Value x, Value y) -> Value { return b.create<arith::SubFOp>(loc, x, y); };
  Value sum = plus(state[0], element);
  Value virtualElement = minus(sum, state[0]);
  Value error = plus(minus(state[0], minus(sum, virtualElement)), minus(element, virtualElement));
  state[0] = sum;
  state[1] = plus(state[1], error);
}

Value RowsKernel::settle(ArrayRef<Value> state) {
  if (state.size() == 1)
    return state[0];
  // After an overflow the error is NaN while the sum is a good infinity.
  Value corrected = b.create<arith::AddFOp>(loc, state[0], state[1]);
  Value usable = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD, state[1], state[1]);
  return b.create<arith::SelectOp>(loc, usable, corrected, state[0]);
}

// What the threads of the row have, combined in pairs, then in pairs of pairs.
Value RowsKernel::together(ReductionOpInterface op, Value own) {
  if (plan.threads == 1)
    return own;
  for (unsigned distance = 1; distance < plan.threads; distance *= 2)
    own = op.buildCombine(emitter, own, warp.fromFurther(own, distance));
  return warp.fromFirst(own);
}

//===-- Stages --------------------------------------------------------------------------------===//

RowsKernel::State RowsKernel::doElement(unsigned stage, State state) {
  size_t at = 0;
  for (ReductionOpInterface op : plan.reductions(stage)) {
    Value operand = op->getOperand(0);
    Value element = emitter.emit(operand, indexFor(operand, false));
    // The largest of some elements hides the others.
    if (cast<ir::DifferentiableOpInterface>(op.getOperation()).choosesElements())
      emitter.watch(operand, element);
    absorb(op, MutableArrayRef<Value>(state).slice(at, stateSize(op)), element);
    at += stateSize(op);
  }
  storeElements(stage);
  return state;
}

void RowsKernel::storeElements(unsigned stage) {
  // All loads before the first store: an output may lie where an operand does.
  SmallVector<unsigned> outputs = plan.elementOutputs(stage);
  SmallVector<Value> elements;
  for (unsigned number : outputs)
    elements.push_back(emitter.emit(output(number), indexFor(output(number), false)));
  for (auto [number, element] : llvm::zip(outputs, elements))
    emitter.watch(output(number), element);
  for (auto [number, element] : llvm::zip(outputs, elements))
    emitter.store(element, k.outputs[number], getTensorType(output(number)),
                  indexFor(output(number), false));
}

// All threads have it; the first writes it.
void RowsKernel::storeRow(unsigned stage) {
  SmallVector<unsigned> outputs = plan.rowOutputs(stage);
  if (outputs.empty())
    return;
  SmallVector<Value> values;
  for (unsigned number : outputs) {
    values.push_back(emitter.emit(output(number), indexFor(output(number), true)));
    emitter.watch(output(number), values.back());
  }
  Value end = emitter.i64(1);
  loop(thread, end, 1, {}, [&](Value, State) -> State {
    for (auto [number, value] : llvm::zip(outputs, values))
      emitter.store(value, k.outputs[number], getTensorType(output(number)),
                    indexFor(output(number), true));
    return {};
  });
}

void RowsKernel::emitStage(unsigned stage) {
  ArrayRef<ReductionOpInterface> reductions = plan.reductions(stage);
  if (reductions.empty() && plan.elementOutputs(stage).empty())
    return;
  State state = walk(stage, plan.reducedGroups, identities(stage));
  size_t at = 0;
  for (ReductionOpInterface op : reductions) {
    Value own = settle(ArrayRef<Value>(state).slice(at, stateSize(op)));
    emitter.bindRegister(op->getResult(0), together(op, own));
    at += stateSize(op);
  }
  storeRow(stage);
}

void RowsKernel::emitRow(Value row) {
  for (size_t i = plan.keptGroups.size(); i-- > 0;) {
    unsigned number = plan.keptGroups[i];
    if (i == 0) {
      current[number] = emitter.scalarIndex(row);
      break;
    }
    Value extent = emitter.extent(plan.space.groups[number].extent);
    current[number] = emitter.scalarIndex(b.create<arith::RemUIOp>(loc, row, extent));
    row = b.create<arith::DivUIOp>(loc, row, extent);
  }
  for (unsigned stage = 0; stage < plan.stages(); ++stage)
    emitStage(stage);
}

void RowsKernel::emit() {
  current.resize(plan.space.groups.size());
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    emitter.bindBuffer(argument, pointer);
  if (k.watchesNumbers)
    emitter.setWatch([this](Type type) { return k.notes(type); });
  emitter.setSites([this](Operation *op, StringRef message) { return k.site(op, message); });
  b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  thread = plan.threads == 1 ? k.i64(0) : warp.lane();
  loop(k.begin, k.end, 1, {}, [&](Value row, State) -> State {
    emitRow(row);
    return {};
  });
}

} // namespace

void keratin::codegen::emitRows(CpuKernelBuilder &k, const RowsPlan &plan) {
  RowsKernel(k, plan).emit();
}
