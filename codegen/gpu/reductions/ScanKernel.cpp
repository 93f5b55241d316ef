// Scans of lines, after a ScanPlan.
#include "codegen/gpu/reductions/ScanPlan.h"

#include "codegen/elements/ElementEmitter.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/gpu/threads/Shuffle.h"
#include "codegen/gpu/threads/ThreadMeeting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

class ScanUnit {
public:
  ScanUnit(DeviceKernelBuilder &k, const ScanPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), nest(plan.nest), lines(nest.lines),
        emitter(k, k.loc, k.target, /*lanes=*/1), warp(b, loc), block(b, loc) {}

  void emitColumns();
  void emitPrefixes();

private:
  using Values = SmallVector<Value>;

  Values elementsAt(Value place);
  void store(Value state, Value place);
  Value prefix(Value element);
  Value prefixTile(Value base, Value state, bool isWhole);
  Value acrossWarps(Value total, Value state, Value *mine);
  Value placeOf(Value number);

  Value i64(int64_t value) { return k.i64(value); }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }
  Value less(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.create<arith::SelectOp>(loc, condition, x, y);
  }
  Value step(Value state, ArrayRef<Value> elements) {
    return nest.buildStep(emitter, state, elements);
  }
  LaneIndex at(Value position) { return emitter.scalarIndex(position); }

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ScanPlan &plan;
  const ScanNest &nest;
  const AxisLines &lines;
  ElementEmitter emitter;
  Warp warp;
  ThreadBlock block;
  Value line, inner, length;
};

// Of the number-th element that is walked.
Value ScanUnit::placeOf(Value number) {
  return nest.reverse ? sub(sub(length, i64(1)), number) : number;
}

ScanUnit::Values ScanUnit::elementsAt(Value place) {
  Values elements;
  for (Value operand : nest.op->getOperands())
    elements.push_back(emitter.load(k.inputs[cast<BlockArgument>(operand).getArgNumber()],
                                    lines.type, {at(line), at(place), at(inner)}));
  return elements;
}

void ScanUnit::store(Value state, Value place) {
  emitter.watchRegisters(state, lines.type.getElementType());
  emitter.store(state, k.outputs[0], lines.type, {at(line), at(place), at(inner)});
}

//===-- A thread a line -----------------------------------------------------------------------===//

void ScanUnit::emitColumns() {
  LoopEmitter counters(b, loc, k.target);
  line = k.begin;
  inner = counters.popCounter(line, k.sizeOf(lines.inner));
  length = k.sizeOf(lines.length);
  Values carried = {nest.buildInitial(emitter), i64(0)};
  auto walkBy = [&](int64_t count) {
    carried = k.forLoop(carried.back(), sub(length, i64(count - 1)), i64(count), carried,
                        [&](Operation *, Value number, ArrayRef<Value> now) -> Values {
                          Values places;
                          SmallVector<Values> elements;
                          for (int64_t i = 0; i < count; ++i) {
                            places.push_back(placeOf(add(number, i64(i))));
                            elements.push_back(elementsAt(places.back()));
                          }
                          Value state = now[0];
                          for (auto [place, taken] : llvm::zip(places, elements)) {
                            Value next = step(state, taken);
                            store(nest.exclusive ? state : next, place);
                            state = next;
                          }
                          return {state, add(number, i64(count))};
                        });
  };
  if (plan.form.atOnce > 1)
    walkBy(plan.form.atOnce);
  walkBy(1);
}

//===-- Threads along a line ------------------------------------------------------------------===//

// Of the warp's elements up to the thread's own.
Value ScanUnit::prefix(Value element) {
  Value lane = warp.lane();
  for (unsigned distance = 1; distance < warpThreads; distance *= 2) {
    Value before = warp.fromBefore(element, distance);
    Value both = step(before, {element});
    element = select(less(lane, i64(distance)), element, both);
  }
  return element;
}

// The state behind the block's tile, whose warps have these totals, and that before the warp's.
Value ScanUnit::acrossWarps(Value total, Value state, Value *mine) {
  unsigned warps = plan.form.threads / warpThreads;
  Value own = b.create<arith::DivUIOp>(loc, block.thread(), i64(warpThreads));
  Value memory = block.memory();
  auto slot = [&](Value number) -> Value {
    Value offset = mul(number, i64(Slot::bytes(total.getType())));
    return b.create<LLVM::GEPOp>(loc, memory.getType(), b.getI8Type(), memory,
                                 ArrayRef<LLVM::GEPArg>{offset});
  };
  // What was there before has been read.
  block.barrier();
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, warp.lane(), i64(0));
  LoopEmitter(b, loc, k.target).branch(isFirst, [&] { Slot::store(b, loc, total, slot(own)); });
  block.barrier();
  *mine = state;
  for (unsigned number = 0; number < warps; ++number) {
    Value other = Slot::load(b, loc, total.getType(), slot(i64(number)));
    state = step(state, {other});
    *mine = select(less(i64(number), own), state, *mine);
  }
  return state;
}

// As many elements of each thread as are at once: a warp's are next to each other. Gives the state
// behind them.
Value ScanUnit::prefixTile(Value base, Value state, bool isWhole) {
  unsigned atOnce = plan.form.atOnce;
  bool isBlock = plan.form.threads > warpThreads;
  Value lane = warp.lane(), first = add(base, lane);
  if (isBlock) {
    Value own = b.create<arith::DivUIOp>(loc, block.thread(), i64(warpThreads));
    first = add(first, mul(own, i64(int64_t{warpThreads} * atOnce)));
  }
  Value initial = nest.buildInitial(emitter), last = i64(warpThreads - 1);
  Values places, reals, prefixes, totals;
  for (unsigned i = 0; i < atOnce; ++i) {
    Value number = add(first, i64(int64_t{warpThreads} * i));
    Value place = placeOf(number);
    places.push_back(place);
    reals.push_back(isWhole ? Value() : less(number, length));
    prefixes.push_back(isWhole ? elementsAt(place)[0] : emitter.where(reals.back(), initial, [&] {
      return elementsAt(place);
    })[0]);
  }
  for (Value &value : prefixes) {
    value = prefix(value);
    totals.push_back(warp.from(value, last));
  }
  Value behind;
  if (isBlock) {
    Value total = totals[0];
    for (Value next : ArrayRef<Value>(totals).drop_front())
      total = step(total, {next});
    behind = acrossWarps(total, state, &state);
  }
  for (unsigned i = 0; i < atOnce; ++i) {
    Value result = step(state, {prefixes[i]});
    if (nest.exclusive) {
      Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, i64(0));
      result = select(isFirst, state, warp.fromBefore(result, 1));
    }
    auto write = [&] {
      store(result, places[i]);
      return Values();
    };
    if (isWhole)
      write();
    else
      emitter.where(reals[i], {}, write);
    state = step(state, {totals[i]});
  }
  return isBlock ? behind : state;
}

void ScanUnit::emitPrefixes() {
  line = k.begin;
  inner = i64(0);
  length = k.sizeOf(lines.length);
  int64_t tile = int64_t{plan.form.threads} * plan.form.atOnce;
  Value whole = mul(b.create<arith::DivUIOp>(loc, length, i64(tile)), i64(tile));
  Values state = {nest.buildInitial(emitter)};
  auto walk = [&](Value from, Value to, bool isWhole) {
    state = k.forLoop(from, to, i64(tile), state,
                      [&](Operation *, Value base, ArrayRef<Value> now) -> Values {
                        return {prefixTile(base, now[0], isWhole)};
                      });
  };
  walk(i64(0), whole, /*isWhole=*/true);
  walk(whole, length, /*isWhole=*/false);
}

} // namespace

void ScanPlan::emit(DeviceKernelBuilder &k) const {
  if (form.kind == ScanForm::Columns)
    return ScanUnit(k, *this).emitColumns();
  if (form.kind == ScanForm::Prefixes)
    return ScanUnit(k, *this).emitPrefixes();
  emitScanTiles(k, *this);
}
