// Scans of lines, after a ScanPlan.
#include "codegen/gpu/reductions/ScanPlan.h"

#include "codegen/elements/ElementEmitter.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/gpu/threads/OrderedUnits.h"
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
  void emitPart();

private:
  using Values = SmallVector<Value>;

  Values elementsAt(Value place);
  void store(Value state, Value place);
  // What each thread has of the block's or the warp's elements at a time.
  struct Tile {
    Values places, reals, elements; // no reals: all of them are
  };
  Tile readTile(Value base, bool isWhole);
  Value prefix(Value element);
  Value walkTile(const Tile &tile, Value state);
  Value walkTiles(Value from, Value to, Value state);
  Value sumOfTile(const Tile &tile, Value sum);
  Value together(Value own);
  Value before(OrderedUnits &order, Value first, Value unit);
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
  bool isOfBlock() const { return plan.form.threads > warpThreads; }
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

// As many elements of each thread as are at once: a warp's are next to each other. Those that are
// not there are as if they were not.
ScanUnit::Tile ScanUnit::readTile(Value base, bool isWhole) {
  Value first = add(base, warp.lane());
  if (isOfBlock()) {
    Value own = b.create<arith::DivUIOp>(loc, block.thread(), i64(warpThreads));
    first = add(first, mul(own, i64(int64_t{warpThreads} * plan.form.atOnce)));
  }
  Value initial = nest.buildInitial(emitter);
  Tile tile;
  for (unsigned i = 0; i < plan.form.atOnce; ++i) {
    Value number = add(first, i64(int64_t{warpThreads} * i));
    Value place = placeOf(number);
    tile.places.push_back(place);
    if (isWhole) {
      tile.elements.push_back(elementsAt(place)[0]);
      continue;
    }
    tile.reals.push_back(less(number, length));
    tile.elements.push_back(
        emitter.where(tile.reals.back(), initial, [&] { return elementsAt(place); })[0]);
  }
  return tile;
}

// Writes the states, of which the given one is before the tile. Gives the one behind it.
Value ScanUnit::walkTile(const Tile &tile, Value state) {
  Value lane = warp.lane(), last = i64(warpThreads - 1);
  Values prefixes, totals;
  for (Value element : tile.elements) {
    prefixes.push_back(prefix(element));
    totals.push_back(warp.from(prefixes.back(), last));
  }
  Value behind;
  if (isOfBlock()) {
    Value total = totals[0];
    for (Value next : ArrayRef<Value>(totals).drop_front())
      total = step(total, {next});
    behind = acrossWarps(total, state, &state);
  }
  for (auto [i, place] : llvm::enumerate(tile.places)) {
    Value result = step(state, {prefixes[i]});
    if (nest.exclusive) {
      Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, i64(0));
      result = select(isFirst, state, warp.fromBefore(result, 1));
    }
    auto write = [&, place = place] {
      store(result, place);
      return Values();
    };
    if (tile.reals.empty())
      write();
    else
      emitter.where(tile.reals[i], {}, write);
    state = step(state, {totals[i]});
  }
  return isOfBlock() ? behind : state;
}

// Elements from one to the other, which is a multiple of tiles away or the end of the line.
Value ScanUnit::walkTiles(Value from, Value to, Value state) {
  int64_t tile = plan.form.tileElements();
  Value whole = sub(to, from);
  whole = add(from, mul(b.create<arith::DivUIOp>(loc, whole, i64(tile)), i64(tile)));
  auto walk = [&](Value from, Value to, bool isWhole) {
    state = k.forLoop(from, to, i64(tile), {state},
                      [&](Operation *, Value base, ArrayRef<Value> now) -> Values {
                        return {walkTile(readTile(base, isWhole), now[0])};
                      })[0];
  };
  walk(from, whole, /*isWhole=*/true);
  walk(whole, to, /*isWhole=*/false);
  return state;
}

void ScanUnit::emitPrefixes() {
  line = k.begin;
  inner = i64(0);
  length = k.sizeOf(lines.length);
  (void)walkTiles(i64(0), length, nest.buildInitial(emitter));
}

//===-- Units along a line --------------------------------------------------------------------===//

Value ScanUnit::sumOfTile(const Tile &tile, Value sum) {
  for (Value element : tile.elements)
    sum = step(sum, {element});
  return sum;
}

// What all threads of the block have, in pairs and pairs of pairs.
Value ScanUnit::together(Value own) {
  return ThreadMeeting(b, loc, 1, plan.form.threads)
      .meet({own}, [&](ArrayRef<Value> x, ArrayRef<Value> y) -> Values {
        return {step(x[0], {y[0]})};
      })[0];
}

// The state behind the units from the first on and before this one.
Value ScanUnit::before(OrderedUnits &order, Value first, Value unit) {
  Value initial = nest.buildInitial(emitter);
  Value own = k.forLoop(add(first, block.thread()), unit, i64(plan.form.threads), {initial},
                        [&](Operation *, Value number, ArrayRef<Value> now) -> Values {
                          Value found = order.left(number, initial.getType());
                          return {step(now[0], {found})};
                        })[0];
  return together(own);
}

void ScanUnit::emitPart() {
  const ScanForm &form = plan.form;
  OrderedUnits order(k, plan, k.sizeOf(plan.units));
  Value unit = order.take(), parts = k.sizeOf(form.parts);
  line = b.create<arith::DivUIOp>(loc, unit, parts);
  inner = i64(0);
  length = k.sizeOf(lines.length);
  Value first = mul(line, parts),
        elements = mul(k.sizeOf(form.partTiles), i64(form.tileElements()));
  Value from = b.create<arith::MinSIOp>(loc, mul(sub(unit, first), elements), length);
  Value to = b.create<arith::MinSIOp>(loc, add(from, elements), length);
  Value initial = nest.buildInitial(emitter);
  Tile tile;
  Value sum;
  if (form.staysInRegisters()) {
    bool isWhole =
        lines.length.isConstant() && lines.length.constantValue() % form.tileElements() == 0;
    tile = readTile(from, isWhole);
    sum = sumOfTile(tile, initial);
  } else {
    sum = k.forLoop(from, to, i64(form.tileElements()), {initial},
                    [&](Operation *, Value base, ArrayRef<Value> now) -> Values {
                      return {sumOfTile(readTile(base, /*isWhole=*/false), now[0])};
                    })[0];
  }
  order.leave(unit, together(sum));
  Value state = before(order, first, unit);
  order.end();
  if (form.staysInRegisters())
    walkTile(tile, state);
  else
    walkTiles(from, to, state);
}

} // namespace

void ScanPlan::emit(DeviceKernelBuilder &k) const {
  if (form.kind == ScanForm::Columns)
    return ScanUnit(k, *this).emitColumns();
  if (form.kind == ScanForm::Prefixes)
    return form.isDivided() ? ScanUnit(k, *this).emitPart() : ScanUnit(k, *this).emitPrefixes();
  emitScanTiles(k, *this);
}
