// arg_max and arg_min whose lines threads share, after an ArgReductionPlan.
#include "codegen/gpu/reductions/ArgReductionPlan.h"

#include "codegen/elements/Choice.h"
#include "codegen/elements/ElementEmitter.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/gpu/threads/UnitMeeting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::DimExpr;

namespace {

class ArgReductionUnit {
public:
  ArgReductionUnit(DeviceKernelBuilder &k, const ArgReductionPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), nest(plan.nest), sharing(plan.threads),
        type(nest.lines.type.getElementType()), indexType(b.getIntegerType(nest.indexBits)),
        emitter(k, k.loc, k.target, /*lanes=*/1), bestOf(b, loc, type, nest.largest),
        threads(b, loc, sharing.columns, sharing.rows),
        units(k, plan, threads, plan.slotBytes(), sharing.columns) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  Best elementAt(Value place);
  Best walk(Value from, Value to, Best best);
  Values together(ArrayRef<Value> own);
  void store(Value index);

  Value i64(int64_t value) { return k.i64(value); }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }
  LaneIndex at(Value position) { return emitter.scalarIndex(position); }

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ArgReductionPlan &plan;
  const ArgReductionNest &nest;
  const ThreadSharing &sharing;
  Type type, indexType;
  ElementEmitter emitter;
  BestOf bestOf;
  ThreadMeeting threads;
  UnitMeeting units;
  Value line, inner, isReal; // of the thread; whether there is one, null: in any case
  Value row;
};

Best ArgReductionUnit::elementAt(Value place) {
  Value element = emitter.load(k.inputs[0], nest.lines.type, {at(line), at(place), at(inner)});
  Value index = indexType.isInteger(64)
                    ? place
                    : b.create<arith::TruncIOp>(loc, indexType, place).getResult();
  return {element, index};
}

// The elements of [from, to) that are the thread's, several of them read before the first is
// looked at.
Best ArgReductionUnit::walk(Value from, Value to, Best best) {
  Values carried = {best.value, best.index, from};
  auto walkBy = [&](int64_t count) {
    Value stop = b.create<arith::SubIOp>(loc, to, i64((count - 1) * sharing.rows));
    carried = k.forLoop(carried.back(), stop, i64(count * sharing.rows), carried,
                        [&](Operation *, Value place, ArrayRef<Value> now) -> Values {
                          SmallVector<Best> elements;
                          for (int64_t i = 0; i < count; ++i)
                            elements.push_back(elementAt(add(place, i64(i * sharing.rows))));
                          Best kept = {now[0], now[1]};
                          for (Best element : elements)
                            kept = bestOf.keep(kept, element);
                          return {kept.value, kept.index, add(place, i64(count * sharing.rows))};
                        });
  };
  if (plan.inFlight > 1)
    walkBy(plan.inFlight);
  walkBy(1);
  return {carried[0], carried[1]};
}

ArgReductionUnit::Values ArgReductionUnit::together(ArrayRef<Value> own) {
  return threads.meet(own, [&](ArrayRef<Value> x, ArrayRef<Value> y) -> Values {
    Best best = bestOf.merge({x[0], x[1]}, {y[0], y[1]});
    return {best.value, best.index};
  });
}

// By one of the threads of the line.
void ArgReductionUnit::store(Value index) {
  Value writes = isReal;
  if (sharing.rows > 1) {
    writes = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, row, i64(0));
    if (isReal)
      writes = b.create<arith::AndIOp>(loc, writes, isReal);
  }
  auto write = [&] {
    if (!indexType.isInteger(64))
      index = b.create<arith::ExtUIOp>(loc, b.getI64Type(), index);
    emitter.store(index, k.outputs[0], nest.resultType(), {at(line), at(inner)});
    return Values();
  };
  if (writes)
    emitter.where(writes, {}, write);
  else
    write();
}

void ArgReductionUnit::emit() {
  const AxisLines &lines = nest.lines;
  row = threads.row();
  LoopEmitter counters(b, loc, k.target);
  Value result = k.begin, part = counters.popCounter(result, k.sizeOf(sharing.parts));
  line = result;
  Value stretch = counters.popCounter(line, k.sizeOf(sharing.stretches(lines.inner)));
  inner = add(mul(stretch, i64(sharing.columns)), threads.column());
  if (sharing.hasLooseColumns(lines.inner)) {
    Value count = k.sizeOf(lines.inner);
    isReal = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, inner, count);
    // Behind the last column the last is looked at again.
    inner = b.create<arith::MinSIOp>(loc, inner, b.create<arith::SubIOp>(loc, count, i64(1)));
  }
  Value from = i64(0), to = k.sizeOf(lines.length);
  if (sharing.isDivided()) {
    Value length = k.sizeOf(sharing.partGroups);
    from = mul(part, length);
    to = b.create<arith::MinSIOp>(loc, to, add(from, length));
  }
  // A thread starts with its first element; one that has none with the line's, which is another's.
  Value first = add(from, row);
  Value exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, first, to);
  Best start = elementAt(b.create<arith::SelectOp>(loc, exists, first, i64(0)));
  Best own = walk(add(first, i64(sharing.rows)), to, start);
  Values all = together({own.value, own.index});
  if (!sharing.isDivided())
    return store(all[1]);
  units.leave(k.begin, all);
  Value parts = k.sizeOf(sharing.parts), firstUnit = mul(result, parts);
  emitter.where(units.isLast(result, parts), {}, [&] {
    Values best = k.forLoop(row, parts, i64(sharing.rows), {start.value, start.index},
                            [&](Operation *, Value number, ArrayRef<Value> now) -> Values {
                              Values left = units.left(add(firstUnit, number), all);
                              Best merged = bestOf.merge({now[0], now[1]}, {left[0], left[1]});
                              return {merged.value, merged.index};
                            });
    store(together(best)[1]);
    return Values();
  });
}

} // namespace

void ArgReductionPlan::emit(DeviceKernelBuilder &k) const { ArgReductionUnit(k, *this).emit(); }
