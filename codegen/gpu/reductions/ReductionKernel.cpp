// Reductions that threads share, after a ReductionPlan.
#include "codegen/gpu/reductions/ReductionPlan.h"

#include "codegen/elements/LoopEmitter.h"
#include "codegen/elements/NestBody.h"
#include "codegen/elements/ReductionState.h"
#include "codegen/gpu/reductions/ReducedWalk.h"
#include "codegen/gpu/threads/Alignment.h"
#include "codegen/gpu/threads/OrderedUnits.h"
#include "codegen/gpu/threads/UnitMeeting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/bit.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::ReductionOpInterface;

namespace {

// A unit, by the code that the builder stands in.
class ReductionUnit {
public:
  // Of a pass the number of the unit is that among those of the pass.
  ReductionUnit(DeviceKernelBuilder &k, const ReductionPlan &plan, Value unit)
      : k(k), b(k.b), loc(k.loc), plan(plan), schedule(plan.schedule), sharing(schedule.threads),
        nest(plan.nest), emitter(k, k.loc, k.target, schedule.lanes), body(k, nest, emitter),
        reductions(k, emitter, schedule.isCompensated), walk(k, nest, schedule.lanes),
        threads(b, loc, sharing.columns, sharing.rows), unit(unit) {}

  void emit();
  void emitPass(OrderedUnits &order, unsigned pass);

private:
  using Values = SmallVector<Value>;
  using Ops = ArrayRef<ReductionOpInterface>;
  // Of the groups that stay in registers.
  struct Place {
    SmallVector<LaneIndex> indices;
    Value isReal; // null: in any case. Else the thread's first group stands for one that is not
  };

  void locate();
  void emitStage(unsigned stage);
  Values walkStage(unsigned stage);
  Values identities(unsigned stage);
  Values walkGroups(unsigned stage, Values state);
  Values walkKept(unsigned stage, Values state);
  Values takeGroups(unsigned stage, ArrayRef<Values> positions, Values state);
  void takeGroup(unsigned stage, MutableArrayRef<Value> state);
  Values together(Ops ops, ArrayRef<Value> own);
  void bind(unsigned stage, ArrayRef<Value> results);
  void storeRows(unsigned stage);
  Values takeParts(UnitMeeting &units, unsigned stage, Value firstUnit);
  void meetUnits(unsigned stage, ArrayRef<Value> own);
  Value isWriter();
  UnitMeeting unitsOf(unsigned stage) {
    return UnitMeeting(k, plan, threads, plan.slotBytes(stage), sharing.columns);
  }

  bool hasVectors() const { return schedule.lanes > 1; }
  // Results of rows are one number, those of columns one a lane.
  bool hasVectorResults() const { return hasVectors() && !plan.isOfRows(); }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }
  Value less(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  }

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ReductionPlan &plan;
  const ReductionSchedule &schedule;
  const ThreadSharing &sharing;
  const LoopNest &nest;
  ElementEmitter emitter;
  NestBody body;
  ReductionState reductions;
  ReducedWalk walk;
  ThreadMeeting threads;
  Value unit;
  Value column, row;  // of the thread
  Value result, part; // of the unit: the row or stretch of columns, and which part of it
  Value active;       // whether the thread has columns; null: in any case
  Value first, end;   // of the groups that are reduced
  SmallVector<Place> kept;
};

//===-- Where a thread stands -----------------------------------------------------------------===//

void ReductionUnit::locate() {
  column = threads.column();
  row = threads.row();
  LoopEmitter counters(b, loc, k.target);
  result = unit;
  part = counters.popCounter(result, k.sizeOf(sharing.parts));
  Value outer = result;
  Value stretch = counters.popCounter(outer, k.sizeOf(sharing.stretches(plan.columnGroups())));
  body.setOuterIndex(outer);
  if (!plan.isOfRows()) {
    Value group = add(mul(stretch, k.i64(sharing.columns)), column);
    if (sharing.hasLooseColumns(plan.columnGroups()))
      active = less(group, k.sizeOf(plan.columnGroups()));
    Value position = mul(group, k.i64(schedule.lanes));
    body.innermost() = hasVectors() ? emitter.laneIndex(position) : emitter.scalarIndex(position);
  }
  first = row;
  end = walk.count();
  if (sharing.isDivided()) {
    Value length = k.sizeOf(sharing.partGroups);
    Value begin = mul(part, length);
    first = add(begin, row);
    end = b.create<arith::MinSIOp>(loc, end, add(begin, length));
  }
  for (unsigned i = 0; i < schedule.kept; ++i) {
    Place place;
    Value number = add(first, k.i64(int64_t(i) * sharing.rows));
    if (sharing.partGroups.constantValue() < int64_t(i + 1) * sharing.rows) {
      place.isReal = less(number, end);
      number = b.create<arith::SelectOp>(loc, place.isReal, number, first);
    }
    place.indices = walk.indices(emitter, walk.positions(number));
    kept.push_back(std::move(place));
  }
}

//===-- What a thread walks -------------------------------------------------------------------===//

// At the index of the body.
void ReductionUnit::takeGroup(unsigned stage, MutableArrayRef<Value> state) {
  Values elements;
  for (ReductionOpInterface op : nest.reductions(stage))
    elements.push_back(body.operand(op, hasVectors()));
  reductions.absorb(nest.reductions(stage), state, elements);
  body.storeElements(stage);
}

// Groups side by side: all are read before the first is taken. Stages that store have one.
ReductionUnit::Values ReductionUnit::takeGroups(unsigned stage, ArrayRef<Values> positions,
                                                Values state) {
  SmallVector<SmallVector<LaneIndex>> places;
  for (const Values &group : positions) {
    places.push_back(walk.indices(emitter, group));
    walk.select(body, places.back());
    for (ReductionOpInterface op : nest.reductions(stage))
      body.operand(op, hasVectors());
  }
  for (ArrayRef<LaneIndex> place : places) {
    walk.select(body, place);
    takeGroup(stage, state);
  }
  return state;
}

// Carried are the state, the positions of the next group, and its number.
ReductionUnit::Values ReductionUnit::walkGroups(unsigned stage, Values state) {
  size_t states = state.size();
  unsigned atOnce = nest.fullOutputs(stage).empty() ? schedule.inFlight : 1;
  Values step = walk.positions(k.i64(sharing.rows));
  Values carried = std::move(state);
  carried.append(walk.positions(first));
  carried.push_back(first);
  auto walkBy = [&](unsigned count) {
    Value stop = count == 1 ? end : sub(end, k.i64(int64_t(count - 1) * sharing.rows));
    carried =
        emitter.loop(carried.back(), stop, int64_t(count) * sharing.rows, carried,
                     [&](Value number, ArrayRef<Value> now) {
                       SmallVector<Values> positions = {Values(now.drop_front(states).drop_back())};
                       for (unsigned i = 1; i < count; ++i)
                         positions.push_back(walk.add(positions.back(), step));
                       Values next = takeGroups(stage, positions, Values(now.take_front(states)));
                       next.append(walk.add(positions.back(), step));
                       next.push_back(add(number, k.i64(int64_t(count) * sharing.rows)));
                       return next;
                     });
  };
  if (atOnce > 1)
    walkBy(atOnce);
  walkBy(1);
  carried.truncate(states);
  return carried;
}

// What one stage has read the next finds in registers: the index is the same.
ReductionUnit::Values ReductionUnit::walkKept(unsigned stage, Values state) {
  bool stores = !nest.fullOutputs(stage).empty();
  for (const Place &place : kept) {
    walk.select(body, place.indices);
    auto take = [&] {
      Values next = state;
      takeGroup(stage, next);
      return next;
    };
    if (place.isReal && stores) {
      state = emitter.where(place.isReal, state, take);
      continue;
    }
    Values next = take();
    for (auto [before, after] : llvm::zip(state, next))
      before = place.isReal
                   ? b.create<arith::SelectOp>(loc, place.isReal, after, before).getResult()
                   : after;
  }
  return state;
}

// What the thread has of the reductions of the stage.
ReductionUnit::Values ReductionUnit::walkStage(unsigned stage) {
  Ops ops = nest.reductions(stage);
  using Lanes = ReductionState::Lanes;
  Lanes lanes = hasVectors() && plan.isOfRows() ? Lanes::Together : Lanes::Apart;
  auto walkAll = [&] {
    Values state = reductions.begin(ops, hasVectors());
    state = schedule.kept ? walkKept(stage, std::move(state)) : walkGroups(stage, std::move(state));
    return reductions.settle(ops, state, lanes);
  };
  if (!active)
    return walkAll();
  return emitter.where(active, identities(stage), walkAll);
}

// Of the results' types.
ReductionUnit::Values ReductionUnit::identities(unsigned stage) {
  Values values;
  for (ReductionOpInterface op : nest.reductions(stage))
    values.push_back(reductions.identity(op, hasVectorResults()));
  return values;
}

//===-- What threads have together ------------------------------------------------------------===//

ReductionUnit::Values ReductionUnit::together(Ops ops, ArrayRef<Value> own) {
  return threads.meet(own, [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    Values combined;
    for (auto [op, a, c] : llvm::zip(ops, x, y))
      combined.push_back(ReductionOpInterface(op).buildCombine(emitter, a, c));
    return combined;
  });
}

// One thread of a column writes what all of them have, of the first part. Null: this one.
Value ReductionUnit::isWriter() {
  Value result = active;
  auto isFirst = [&](Value number) {
    Value first = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, number, k.i64(0));
    result = result ? b.create<arith::AndIOp>(loc, first, result).getResult() : first;
  };
  if (sharing.rows > 1)
    isFirst(row);
  if (schedule.isInPasses)
    isFirst(part);
  return result;
}

void ReductionUnit::bind(unsigned stage, ArrayRef<Value> results) {
  for (auto [op, value] : llvm::zip(nest.reductions(stage), results))
    emitter.bindRegister(op->getResult(0), value);
}

void ReductionUnit::storeRows(unsigned stage) {
  if (nest.rowOutputs(stage).empty())
    return;
  auto store = [&] {
    body.storeRows(stage);
    return Values();
  };
  if (Value writer = isWriter())
    emitter.where(writer, {}, store);
  else
    store();
}

//===-- What units have together --------------------------------------------------------------===//

// What all parts of the result have left, in their order.
ReductionUnit::Values ReductionUnit::takeParts(UnitMeeting &units, unsigned stage,
                                               Value firstUnit) {
  Ops ops = nest.reductions(stage);
  Values like = identities(stage);
  Value parts = k.sizeOf(sharing.parts);
  // Carried are the state and the next part. Of those taken at once all are read before the first
  // is added: the block is one of few that still run, and waits for memory.
  Values carried = reductions.begin(ops, hasVectorResults());
  const size_t states = carried.size();
  carried.push_back(row);
  auto takeBy = [&](unsigned count) {
    Value stop = count == 1 ? parts : sub(parts, k.i64(int64_t(count - 1) * sharing.rows));
    carried = emitter.loop(carried.back(), stop, int64_t(count) * sharing.rows, carried,
                           [&](Value number, ArrayRef<Value> before) {
                             SmallVector<Values> read;
                             for (unsigned i = 0; i < count; ++i) {
                               Value part = add(number, k.i64(int64_t(i) * sharing.rows));
                               read.push_back(units.left(add(firstUnit, part), like));
                             }
                             Values next(before.take_front(states));
                             for (const Values &one : read)
                               reductions.absorb(ops, next, one);
                             next.push_back(add(number, k.i64(int64_t(count) * sharing.rows)));
                             return next;
                           });
  };
  constexpr int64_t bytesAtOnce = 64;
  int64_t bytes = 0;
  for (int64_t slot : plan.slotBytes(stage))
    bytes += slot;
  int64_t fit = std::clamp<int64_t>(bytesAtOnce / bytes, 1, 4);
  if (sharing.parts.isConstant())
    fit = std::min(fit, sharing.parts.constantValue() / sharing.rows);
  if (unsigned atOnce = unsigned(llvm::bit_floor(uint64_t(fit))); atOnce > 1)
    takeBy(atOnce);
  takeBy(1);
  Values state(ArrayRef<Value>(carried).take_front(states));
  return together(ops, reductions.settle(ops, state, ReductionState::Lanes::Apart));
}

void ReductionUnit::meetUnits(unsigned stage, ArrayRef<Value> own) {
  UnitMeeting units = unitsOf(stage);
  units.leave(unit, own);
  Value parts = k.sizeOf(sharing.parts);
  emitter.where(units.isLast(result, parts), {}, [&] {
    bind(stage, takeParts(units, stage, mul(result, parts)));
    storeRows(stage);
    return Values();
  });
}

// The last unit to leave a part of a result puts it together, in the place of the first part, and
// says so by that unit's flag. So units of later passes wait for one word, and read one result,
// however many parts there are. A pass begins where the one before has ended: what that has read
// last may still be near.
void ReductionUnit::emitPass(OrderedUnits &order, unsigned pass) {
  Value parts = k.sizeOf(sharing.parts), ofPass = k.sizeOf(plan.unitsOfPass());
  if (pass % 2 != 0)
    unit = sub(sub(ofPass, k.i64(1)), unit);
  locate();
  auto inPass = [&](Value number, unsigned stage) {
    return add(mul(ofPass, k.i64(stage)), number);
  };
  Value firstUnit = mul(result, parts);
  // What is there of the pass before is made of those before that.
  if (pass > 0)
    order.awaitTogether(inPass(firstUnit, pass - 1));
  for (unsigned stage = 0; stage < pass; ++stage) {
    bind(stage, unitsOf(stage).left(inPass(firstUnit, stage), identities(stage)));
    if (stage + 1 == pass)
      storeRows(stage);
  }
  if (!nest.isStagePresent(pass))
    return;
  Values own = walkStage(pass);
  if (own.empty())
    return;
  UnitMeeting units = unitsOf(pass);
  Value first = inPass(firstUnit, pass);
  units.leave(inPass(unit, pass), together(nest.reductions(pass), own));
  Value number = add(mul(k.sizeOf(plan.results()), k.i64(pass)), result);
  emitter.where(units.isLast(order.counter(number), parts), {}, [&] {
    units.leave(first, takeParts(units, pass, first));
    order.announce(first, /*bySeveral=*/sharing.columns > 1);
    return Values();
  });
}

void ReductionUnit::emitStage(unsigned stage) {
  if (!nest.isStagePresent(stage))
    return;
  Values own = walkStage(stage);
  if (own.empty())
    return;
  Values all = together(nest.reductions(stage), own);
  if (sharing.isDivided())
    return meetUnits(stage, all);
  bind(stage, all);
  storeRows(stage);
}

void ReductionUnit::emit() {
  locate();
  for (unsigned stage = 0; stage < nest.stages(); ++stage)
    emitStage(stage);
}

} // namespace

// A unit by code for tensors that begin where accesses may, and once for others: the same in the
// same order.
static void emitUnit(DeviceKernelBuilder &k, const ReductionPlan &plan,
                     llvm::function_ref<void()> emit) {
  if (plan.schedule.lanes == 1)
    return emit();
  Alignment tensors(k);
  LoopEmitter(k.b, k.loc, k.target)
      .branch(
          tensors.holds(),
          [&] {
            tensors.assume();
            emit();
          },
          [&] { emit(); });
}

static void emitPasses(DeviceKernelBuilder &k, const ReductionPlan &plan) {
  LoopEmitter e(k.b, k.loc, k.target);
  OrderedUnits order(k, plan, k.sizeOf(plan.units));
  Value pass = order.take();
  Value unit = e.popCounter(pass, k.sizeOf(plan.unitsOfPass()));
  emitUnit(k, plan, [&] {
    for (unsigned number = 0; number < plan.passes(); ++number)
      e.branch(e.equal(pass, e.constant(number)),
               [&] { ReductionUnit(k, plan, unit).emitPass(order, number); });
  });
  order.end();
}

void ReductionPlan::emit(DeviceKernelBuilder &k) const {
  randomBits.use(k);
  if (schedule.isInPasses)
    return emitPasses(k, *this);
  emitUnit(k, *this, [&] { ReductionUnit(k, *this, k.begin).emit(); });
}
