#include "codegen/cpu/LoopTile.h"

#include "codegen/elements/LoopEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ReductionOpInterface;

LoopTile::LoopTile(CpuKernelBuilder &k, const LoopPlan &plan, ElementEmitter &emitter,
                   NestBody &body, LoopPass &pass)
    : k(k), plan(plan), nest(plan.nest), schedule(plan.schedule), tile(*plan.schedule.tile),
      emitter(emitter), body(body), pass(pass), state(k, emitter, schedule.isBlocked()),
      scratch(k.scratch()) {}

//===-- Numbers that wait ---------------------------------------------------------------------===//

unsigned LoopTile::slotOf(unsigned stage, unsigned reduction) const {
  unsigned slot = plan.tileSlots();
  for (; stage > 0; --stage)
    slot += unsigned(nest.reductions(stage - 1).size());
  return slot + reduction;
}

Value LoopTile::address(unsigned slot, Type elementType, Value place) {
  Type pointer = scratch.getType();
  Value base = scratch;
  if (slot)
    base = k.b.create<LLVM::GEPOp>(k.loc, pointer, k.b.getI8Type(), base,
                                   ArrayRef<LLVM::GEPArg>{int32_t(slot * tile.slotBytes)});
  return k.b.create<LLVM::GEPOp>(k.loc, pointer, elementType, base, ArrayRef<LLVM::GEPArg>{place});
}

// Truth values wait as bytes.
static Type typeInMemory(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

Value LoopTile::load(unsigned slot, Type elementType, Value place) {
  Type type = typeInMemory(elementType);
  Value stored =
      k.b.create<LLVM::LoadOp>(k.loc, VectorType::get(schedule.lanes, type),
                               address(slot, type, place), type.getIntOrFloatBitWidth() / 8);
  if (type == elementType)
    return stored;
  Value nothing = k.b.create<arith::ConstantOp>(k.loc, k.b.getZeroAttr(stored.getType()));
  return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ne, stored, nothing);
}

void LoopTile::store(Value registers, unsigned slot, Value place) {
  Value vector = emitter.splat(registers);
  Type elementType = getElementTypeOrSelf(vector), type = typeInMemory(elementType);
  if (type != elementType)
    vector = k.b.create<arith::ExtUIOp>(k.loc, VectorType::get(schedule.lanes, type), vector);
  k.b.create<LLVM::StoreOp>(k.loc, vector, address(slot, type, place),
                            type.getIntOrFloatBitWidth() / 8);
}

LoopTile::Values LoopTile::loadAll(unsigned slot, ArrayRef<Value> like, Value place) {
  Values values;
  for (Value value : like)
    values.push_back(load(slot++, getElementTypeOrSelf(value), place));
  return values;
}

void LoopTile::storeAll(ArrayRef<Value> values, unsigned slot, Value place) {
  for (Value value : values)
    store(value, slot++, place);
}

Value LoopTile::minus(Value x, Value y) { return k.b.create<arith::SubIOp>(k.loc, x, y); }
Value LoopTile::plus(Value x, Value y) { return k.b.create<arith::AddIOp>(k.loc, x, y); }
Value LoopTile::least(Value x, Value y) { return k.b.create<arith::MinSIOp>(k.loc, x, y); }

Value LoopTile::wholePart(Value x, int64_t step) {
  return k.b.create<arith::MulIOp>(k.loc, k.b.create<arith::DivUIOp>(k.loc, x, emitter.i64(step)),
                                   emitter.i64(step));
}

void LoopTile::loop(Value begin, Value end, int64_t step,
                    llvm::function_ref<void(Value position)> body) {
  emitter.loop(begin, end, step, {}, [&](Value position, ArrayRef<Value>) {
    body(position);
    return Values();
  });
}

//===-- Columns -------------------------------------------------------------------------------===//

LoopTile::Values LoopTile::accumulators(unsigned stage) {
  Values values;
  for (ReductionOpInterface op : nest.reductions(stage))
    values.push_back(state.identity(op, true));
  return values;
}

// The vector at the start with what earlier stages have found for it; the last one of a row may not
// be full.
LoopPass::Column LoopTile::columnAt(unsigned stage, Value start, Value place, bool mayEnd) {
  LoopPass::Column column;
  column.start = start;
  if (mayEnd && !pass.areFull(schedule.lanes))
    column.mask = emitter.maskBelow(start, to);
  for (unsigned earlier = 0; earlier < stage; ++earlier)
    for (auto [i, op] : llvm::enumerate(nest.reductions(earlier))) {
      Value result = ReductionOpInterface(op)->getResult(0);
      Type type = emitter.registerType(ir::getElementType(result));
      column.found.push_back({result, load(slotOf(earlier, unsigned(i)), type, place)});
    }
  for (auto [i, value] : llvm::enumerate(tile.kept))
    if (nest.space.stageOf.lookup(value) <= stage) {
      Type type = emitter.registerType(ir::getElementType(value));
      column.found.push_back({value, load(slotOf(nest.stages() - 1, unsigned(i)), type, place)});
    }
  return column;
}

// Some rows of some vectors: the accumulators are loaded and stored once for all rows.
void LoopTile::takeVectors(unsigned stage, ArrayRef<Value> rows, Value start, unsigned vectors,
                           bool mayEnd) {
  const Values like = accumulators(stage);
  SmallVector<LoopPass::Column> columns;
  Values places, taken;
  Value first = minus(start, from);
  for (unsigned v = 0; v < vectors; ++v) {
    Value distance = emitter.i64(int64_t(v) * schedule.lanes);
    places.push_back(v ? plus(first, distance) : first);
    columns.push_back(columnAt(stage, v ? plus(start, distance) : start, places.back(), mayEnd));
    taken.append(loadAll(0, like, places.back()));
  }
  for (Value row : rows) {
    body.index(nest.outerReduced.back()) = emitter.scalarIndex(row);
    for (auto [v, column] : llvm::enumerate(columns)) {
      pass.select(column);
      body.emit(stage, MutableArrayRef<Value>(taken).slice(v * like.size(), like.size()));
      pass.lookAhead(stage, column.start, unsigned(v));
    }
  }
  emitter.setMask(Value());
  if (tile.steps[stage].isLong)
    for (Value row : rows) {
      body.index(nest.outerReduced.back()) =
          emitter.scalarIndex(plus(row, emitter.i64(int64_t(rows.size()))));
      body.innermost() = emitter.laneIndex(start);
      body.prefetchInputs();
    }
  for (auto [v, place] : llvm::enumerate(places))
    storeAll(ArrayRef<Value>(taken).slice(v * like.size(), like.size()), 0, place);
}

// All rows, of all columns.
void LoopTile::takeBlock(unsigned stage, Value first, Value last) {
  const Values fresh = accumulators(stage);
  SmallVector<LoopPass::Column> columns(schedule.columnVectors);
  Values taken;
  for (auto [v, column] : llvm::enumerate(columns)) {
    Value distance = emitter.i64(int64_t(v) * schedule.lanes);
    column = columnAt(stage, plus(from, distance), distance, v + 1 == columns.size());
    taken.append(fresh);
  }
  taken = emitter.loop(first, last, 1, taken, [&](Value row, ArrayRef<Value> carried) {
    Values next(carried);
    body.index(nest.outerReduced.back()) = emitter.scalarIndex(row);
    for (auto [v, column] : llvm::enumerate(columns)) {
      pass.select(column);
      body.emit(stage, MutableArrayRef<Value>(next).slice(v * fresh.size(), fresh.size()));
      pass.lookAhead(stage, column.start, unsigned(v));
    }
    emitter.setMask(Value());
    return next;
  });
  for (auto [v, column] : llvm::enumerate(columns))
    storeAll(ArrayRef<Value>(taken).slice(v * fresh.size(), fresh.size()), 0,
             emitter.i64(int64_t(v) * schedule.lanes));
}

// From the row on so many, so far apart, of all columns.
void LoopTile::takeRows(unsigned stage, Value row, unsigned count, Value apart) {
  Values rows{row};
  while (rows.size() < count)
    rows.push_back(plus(rows.back(), apart));
  const unsigned vectors = count > 1 || tile.steps[stage].rows == 1 ? tile.steps[stage].vectors : 1;
  const int64_t step = int64_t(vectors) * schedule.lanes;
  const bool areWhole = pass.areFull(step);
  Value whole = from;
  if (vectors > 1) {
    whole = areWhole ? to : plus(from, wholePart(minus(to, from), step));
    loop(from, whole, step,
         [&](Value start) { takeVectors(stage, rows, start, vectors, /*mayEnd=*/false); });
  }
  if (vectors == 1 || !areWhole)
    loop(whole, to, schedule.lanes,
         [&](Value start) { takeVectors(stage, rows, start, 1, /*mayEnd=*/true); });
}

// Rows that are taken together lie pages apart, where there are so many: within a page a processor
// fetches by itself what comes next of one of them.
void LoopTile::walkApart(unsigned stage, Value first, Value last) {
  LoopEmitter code(k.b, k.loc, k.target);
  const unsigned rows = tile.steps[stage].rows;
  Value one = code.constant(1), together = code.constant(rows);
  Value steps = code.div(minus(last, first), together);
  Value areNear = code.less(emitter.extent(plan.rowDistance()),
                            code.constant(LoopSchedule::Tile::apartBytes / tile.elementBytes));
  Value apart = code.select(areNear, steps, one), groups = code.select(areNear, one, steps);
  loop(code.constant(0), groups, 1, [&](Value group) {
    Value start = plus(first, code.mul(code.mul(group, together), apart));
    loop(start, plus(start, apart), 1, [&](Value row) { takeRows(stage, row, rows, apart); });
  });
}

void LoopTile::walkRows(unsigned stage, Value first, Value last) {
  const LoopSchedule::Tile::Step &step = tile.steps[stage];
  const ir::DimExpr &extent = nest.space.groups[nest.outerReduced.back()].extent;
  const bool areWhole = extent.content() % step.rows == 0;
  Value one = emitter.i64(1);
  Value whole = areWhole ? last : plus(first, wholePart(minus(last, first), step.rows));
  if (step.mayLieApart)
    walkApart(stage, first, whole);
  else
    loop(first, whole, step.rows, [&](Value row) { takeRows(stage, row, step.rows, one); });
  if (!areWhole)
    loop(whole, last, 1, [&](Value row) { takeRows(stage, row, 1, one); });
}

// What blocks of rows, or rows of one index further out, have come to.
void LoopTile::absorb(unsigned stage) {
  auto ops = nest.reductions(stage);
  loop(from, to, schedule.lanes, [&](Value start) {
    Value place = minus(start, from);
    const Values fresh = accumulators(stage);
    Values parts = loadAll(unsigned(ops.size()), state.begin(ops, true), place);
    state.absorb(ops, parts, loadAll(0, fresh, place));
    storeAll(parts, unsigned(ops.size()), place);
    storeAll(fresh, 0, place);
  });
}

void LoopTile::walkBlocks(unsigned stage) {
  Value n = emitter.extent(nest.space.groups[nest.outerReduced.back()].extent);
  if (nest.reductions(stage).empty() || !plan.hasParts())
    return walkRows(stage, emitter.i64(0), n);
  if (!schedule.isBlocked()) {
    walkRows(stage, emitter.i64(0), n);
    return absorb(stage);
  }
  loop(emitter.i64(0), n, schedule.block, [&](Value start) {
    Value end = least(plus(start, emitter.i64(schedule.block)), n);
    if (tile.areInRegisters)
      takeBlock(stage, start, end);
    else
      walkRows(stage, start, end);
    absorb(stage);
  });
}

void LoopTile::walkOuter(ArrayRef<unsigned> loops, llvm::function_ref<void()> inside) {
  if (loops.empty())
    return inside();
  const unsigned group = loops.front();
  loop(emitter.i64(0), emitter.extent(nest.space.groups[group].extent), 1, [&](Value index) {
    body.index(group) = emitter.scalarIndex(index);
    walkOuter(loops.drop_front(), inside);
  });
}

void LoopTile::begin(unsigned stage) {
  auto ops = nest.reductions(stage);
  loop(from, to, schedule.lanes, [&](Value start) {
    Values fresh = accumulators(stage);
    if (plan.hasParts())
      fresh.append(state.begin(ops, true));
    storeAll(fresh, 0, minus(start, from));
  });
}

// Results, what is stored of them, and what later stages need.
void LoopTile::finish(unsigned stage) {
  auto ops = nest.reductions(stage);
  const bool isLast = stage + 2 == nest.stages() && !nest.isStagePresent(stage + 1);
  loop(from, to, schedule.lanes, [&](Value start) {
    Value place = minus(start, from);
    pass.select(columnAt(stage, start, place, /*mayEnd=*/true));
    const Values results =
        plan.hasParts()
            ? state.settle(ops, loadAll(unsigned(ops.size()), state.begin(ops, true), place),
                           ReductionState::Lanes::Apart)
            : loadAll(0, accumulators(stage), place);
    for (auto [i, op] : llvm::enumerate(ops)) {
      emitter.bindRegister(ReductionOpInterface(op)->getResult(0), results[i]);
      if (!isLast)
        store(results[i], slotOf(stage, unsigned(i)), place);
    }
    body.storeRows(stage);
    for (auto [i, value] : llvm::enumerate(tile.kept))
      if (nest.space.stageOf.lookup(value) == stage + 1)
        store(body.rowValue(value), slotOf(nest.stages() - 1, unsigned(i)), place);
    emitter.setMask(Value());
  });
}

void LoopTile::emitColumns(Value first, Value last) {
  from = first, to = last;
  for (unsigned stage = 0; stage < nest.stages(); ++stage) {
    if (!nest.isStagePresent(stage))
      continue;
    const bool reduces = !nest.reductions(stage).empty();
    if (reduces)
      begin(stage);
    walkOuter(ArrayRef<unsigned>(nest.outerReduced).drop_back(), [&] { walkBlocks(stage); });
    if (reduces)
      finish(stage);
  }
  // Registers of these loops are none of what is emitted behind them.
  for (auto &ops : nest.space.stages)
    for (ReductionOpInterface op : ops)
      emitter.bindRegister(op->getResult(0), Value());
  for (Value value : tile.kept)
    emitter.bindRegister(value, Value());
}

//===-- Rows ----------------------------------------------------------------------------------===//

void LoopTile::emitRows(Value first, Value last) {
  auto ops = nest.reductions(0);
  // Numbers of a unit are vectors, which meet at the end.
  auto eachUnit = [&](llvm::function_ref<void(Value place)> inside) {
    loop(first, last, 1, [&](Value unit) {
      body.setOuterIndex(unit);
      inside(k.b.create<arith::MulIOp>(k.loc, minus(unit, first), emitter.i64(schedule.lanes)));
    });
  };
  eachUnit([&](Value place) { storeAll(state.begin(ops, true), 0, place); });
  walkOuter(nest.outerReduced, [&] {
    eachUnit([&](Value place) {
      storeAll(pass.walkRow(LoopPass::Walk(0), loadAll(0, state.begin(ops, true), place)), 0,
               place);
    });
  });
  eachUnit([&](Value place) {
    Values results = state.settle(ops, loadAll(0, state.begin(ops, true), place),
                                  ReductionState::Lanes::Together);
    for (auto [op, value] : llvm::zip(ops, results))
      emitter.bindRegister(ReductionOpInterface(op)->getResult(0), value);
    body.storeRows(0);
  });
}
