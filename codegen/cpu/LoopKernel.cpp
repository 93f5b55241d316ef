// Units of elementwise chains, moves and reductions, after a LoopSchedule.
#include "codegen/cpu/LoopTile.h"
#include "codegen/cpu/RowsTogether.h"

#include "codegen/elements/LoopEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using Form = LoopNest::Form;

namespace {

class LoopKernel {
public:
  LoopKernel(CpuKernelBuilder &k, const LoopPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), nest(plan.nest),
        emitter(k, k.loc, k.target, plan.schedule.lanes), body(k, nest, emitter),
        pass(k, plan, emitter, body), memory(k.b, k.loc, k.target) {}

  void emit();

private:
  void emitUnits();
  void emitTiles();
  void emitTilesOfColumns();
  Value unitsOfTile();
  Value suitsTiles();
  void emitUnitsIf(Value fits);
  void emitShortRows();
  void emitRowsByBlocks(Value fits);
  void emitUnit(Value unit);
  void emitRows(Value block);
  void emitLastUnit();
  void emitLine();
  void emitRow();
  void emitColumns(Value block);
  SmallVector<LoopPass::Column> columnsOf(Value block);

  CpuKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const LoopPlan &plan;
  const LoopNest &nest;
  ElementEmitter emitter;
  NestBody body;
  LoopPass pass;
  LoopEmitter memory;
  Value lastUnit; // where there is one behind all others: its number
};

void LoopKernel::emitLine() {
  const DimExpr &extent = nest.innermost().extent;
  pass.walkLanes(LoopPass::Walk(0), emitter.i64(0), emitter.extent(extent),
                 extent.isConstant() ? std::optional(extent.constantValue()) : std::nullopt);
}

void LoopKernel::emitRow() {
  for (unsigned stage = 0; stage < nest.stages(); ++stage) {
    if (!nest.isStagePresent(stage))
      continue;
    SmallVector<Value> results = pass.emit(stage, LoopPass::Column());
    for (auto [op, value] : llvm::zip(nest.reductions(stage), results))
      emitter.bindRegister(op->getResult(0), value);
    body.storeRows(stage);
  }
}

// The vectors of a block, under masks where the last may not be full.
SmallVector<LoopPass::Column> LoopKernel::columnsOf(Value block) {
  const LoopSchedule &schedule = plan.schedule;
  const DimExpr &extent = nest.innermost().extent;
  Value n = emitter.extent(extent);
  bool isWhole = extent.content() % schedule.blockColumns() == 0;
  Value first = b.create<arith::MulIOp>(loc, block, emitter.i64(schedule.blockColumns()));
  SmallVector<LoopPass::Column> columns(schedule.columnVectors);
  for (auto [u, column] : llvm::enumerate(columns)) {
    column.number = u;
    column.start = first;
    if (u)
      column.start = b.create<arith::AddIOp>(loc, first, emitter.i64(u * schedule.lanes));
    if (!isWhole)
      column.mask = emitter.maskBelow(column.start, n);
  }
  return columns;
}

void LoopKernel::emitColumns(Value block) {
  SmallVector<LoopPass::Column> columns = columnsOf(block);
  for (unsigned stage = 0; stage < nest.stages(); ++stage) {
    if (!nest.isStagePresent(stage))
      continue;
    auto ops = nest.reductions(stage);
    SmallVector<Value> results = pass.emit(stage, columns);
    for (auto [u, column] : llvm::enumerate(columns)) {
      for (auto [i, op] : llvm::enumerate(ops))
        column.found.push_back({op->getResult(0), results[u * ops.size() + i]});
      pass.select(column);
      body.storeRows(stage);
      emitter.setMask(Value());
    }
  }
}

// A block of rows, and what it has of the columns.
void LoopKernel::emitRows(Value block) {
  Value columns = emitter.extent(nest.space.columns());
  SmallVector<Value> sums;
  for (const LoopNest::Column &column : nest.columns)
    sums.push_back(memory.address(k.outputs[column.workspace], pass.columnType(column),
                                  memory.mul(block, columns)));
  pass.forColumns([&](Value position, Value mask) {
    for (auto [column, pointer] : llvm::zip(nest.columns, sums))
      memory.store(ReductionState(k, emitter, false).identity(column.op, /*isVector=*/true),
                   memory.address(pointer, pass.columnType(column), position), mask);
  });
  pass.setColumnSums(sums);
  Value count = emitter.extent(nest.space.rowsOfBlock());
  Value first = memory.mul(block, count);
  Value stop = memory.min(memory.add(first, count), emitter.extent(nest.space.rows()));
  emitter.loop(first, stop, 1, {}, [&](Value row, ArrayRef<Value>) {
    body.setOuterIndex(row);
    emitRow();
    return SmallVector<Value>();
  });
}

// The blocks' columns become the results, in the order of the blocks.
void LoopKernel::emitLastUnit() {
  Value columns = emitter.extent(nest.space.columns());
  for (const LoopNest::Column &column : nest.columns)
    pass.forColumns([&](Value position, Value mask) {
      Type type = pass.columnType(column);
      ReductionState state(k, emitter, /*keepsErrors=*/true);
      SmallVector<Value> sums = emitter.loop(
          emitter.i64(0), lastUnit, 1, state.begin(column.op, /*isVector=*/true),
          [&](Value block, ArrayRef<Value> carried) {
            SmallVector<Value> next(carried);
            Value place = memory.address(k.outputs[column.workspace], type,
                                         memory.add(memory.mul(block, columns), position));
            state.absorb(column.op, next,
                         memory.load(VectorType::get(plan.schedule.lanes, type), place, mask));
            return next;
          });
      emitter.setMask(mask);
      body.storeColumns(column, state.settle(column.op, sums, ReductionState::Lanes::Apart).front(),
                        position);
      emitter.setMask(Value());
    });
}

void LoopKernel::emitUnit(Value unit) {
  if (!nest.columns.empty())
    return emitRows(unit);
  Value row = unit, block;
  if (nest.form == Form::Columns) {
    Value count = emitter.extent(plan.columnBlocks());
    block = b.create<arith::RemUIOp>(loc, unit, count);
    row = b.create<arith::DivUIOp>(loc, unit, count);
  }
  body.setOuterIndex(row);
  if (nest.form == Form::Columns)
    emitColumns(block);
  else if (nest.form == Form::Rows)
    emitRow();
  else
    emitLine();
}

void LoopKernel::emit() {
  // From here on everything is emitted before the return.
  b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  if (plan.scratchBytes)
    pass.setScratch(k.scratch());
  if (plan.hasLastUnit) {
    lastUnit = emitter.extent(plan.units);
    emitter.where(memory.equal(k.begin, lastUnit), {}, [&] {
      emitLastUnit();
      return SmallVector<Value>();
    });
    k.end = memory.min(k.end, lastUnit);
  }
  if (nest.form == Form::Scalar) {
    body.emit(0, {});
  } else if (nest.form == Form::Flat) {
    pass.walkLanes(LoopPass::Walk(0), k.begin, k.end, std::nullopt);
  } else if (plan.schedule.tile) {
    emitTiles();
  } else if (plan.schedule.knownVectors) {
    const unsigned vectors = plan.schedule.knownVectors;
    pass.setVectors(pass.areFull(plan.schedule.lanes) ? vectors : vectors - 1, vectors);
    emitUnits();
  } else if (plan.schedule.shortVectors) {
    emitShortRows();
  } else if (plan.schedule.isOneBlockApart) {
    emitRowsByBlocks(Value());
  } else {
    emitUnits();
  }
}

void LoopKernel::emitUnits() {
  if (plan.schedule.vectorsTogether && !pass.areRowsShort())
    return RowsTogether(k, plan, emitter, body, pass).emit(k.begin, k.end);
  emitter.loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) {
    emitUnit(unit);
    return SmallVector<Value>();
  });
}

void LoopKernel::emitUnitsIf(Value fits) {
  emitter.where(fits, {}, [&] {
    emitUnits();
    return SmallVector<Value>();
  });
}

// LoopSchedule::Tile::suits of sizes that the call knows.
Value LoopKernel::suitsTiles() {
  using Tile = LoopSchedule::Tile;
  const Tile &tile = *plan.schedule.tile;
  auto isGreater = [&](Value x, int64_t y) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, x, emitter.i64(y));
  };
  Value columns = emitter.extent(nest.innermost().extent);
  Value elements = emitter.extent(nest.elements());
  Value isLarge = isGreater(elements, tile.leastApart / tile.elementBytes);
  if (tile.leastBytes != tile.leastApart) {
    Value rowBytes = b.create<arith::MulIOp>(loc, columns, emitter.i64(tile.elementBytes));
    Value offset = b.create<arith::RemUIOp>(loc, rowBytes, emitter.i64(MemoryTraits::pageBytes));
    Value isApart = isGreater(offset, 0);
    Value isLarger = isGreater(elements, tile.leastBytes / tile.elementBytes);
    isLarge = b.create<arith::SelectOp>(loc, isApart, isLarger, isLarge);
  }
  Value rows = emitter.extent(nest.space.groups[nest.outerReduced.back()].extent);
  Value isWide = isGreater(columns, plan.schedule.blockColumns());
  Value isDeep = isGreater(rows, tile.steps.front().rows - 1);
  return b.create<arith::AndIOp>(loc, isLarge, b.create<arith::AndIOp>(loc, isWide, isDeep));
}

// Of a tile of columns at most. The number of rows may be known to the call only.
Value LoopKernel::unitsOfTile() {
  const LoopSchedule::Tile &tile = *plan.schedule.tile;
  Value most = emitter.i64(tile.units);
  if (tile.isOneStage)
    return most;
  Value rows = emitter.extent(*max(nest.reducedElements(), DimExpr(1)));
  const int64_t elements =
      LoopSchedule::Tile::rereadBytes / (tile.elementBytes * plan.schedule.blockColumns());
  Value cached = b.create<arith::DivUIOp>(loc, emitter.i64(elements), rows);
  Value isNone = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, cached, emitter.i64(0));
  return b.create<arith::SelectOp>(loc, isNone, most, b.create<arith::MinSIOp>(loc, cached, most));
}

// Blocks of columns side by side, which end with the row.
void LoopKernel::emitTilesOfColumns() {
  auto times = [&](Value x, Value y) -> Value { return b.create<arith::MulIOp>(loc, x, y); };
  auto plus = [&](Value x, Value y) -> Value { return b.create<arith::AddIOp>(loc, x, y); };
  auto minus = [&](Value x, Value y) -> Value { return b.create<arith::SubIOp>(loc, x, y); };
  auto least = [&](Value x, Value y) -> Value { return b.create<arith::MinSIOp>(loc, x, y); };
  auto ceilDiv = [&](Value x, Value y) -> Value {
    return b.create<arith::DivUIOp>(loc, plus(x, minus(y, emitter.i64(1))), y);
  };
  LoopTile tiles(k, plan, emitter, body, pass);
  Value columns = emitter.extent(nest.innermost().extent);
  Value wide = emitter.i64(plan.schedule.blockColumns());
  Value units = unitsOfTile();
  auto emitRange = [&](Value begin, Value end) {
    Value count = ceilDiv(minus(end, begin), units);
    emitter.loop(emitter.i64(0), count, 1, {}, [&](Value tile, ArrayRef<Value>) {
      Value first = plus(begin, times(tile, units));
      Value last = least(plus(first, units), end);
      tiles.emitColumns(times(first, wide), least(times(last, wide), columns));
      return SmallVector<Value>();
    });
  };
  if (nest.outerKept.empty())
    return emitRange(k.begin, k.end);
  Value blocks = emitter.extent(*max(plan.columnBlocks(), DimExpr(1)));
  Value firstRow = b.create<arith::DivUIOp>(loc, k.begin, blocks);
  emitter.loop(firstRow, ceilDiv(k.end, blocks), 1, {}, [&](Value row, ArrayRef<Value>) {
    body.setOuterIndex(row);
    Value start = times(row, blocks);
    emitRange(b.create<arith::MaxSIOp>(loc, minus(k.begin, start), emitter.i64(0)),
              least(minus(k.end, start), blocks));
    return SmallVector<Value>();
  });
}

void LoopKernel::emitTiles() {
  if (nest.form == Form::Columns) {
    // Where the number of rows is known to the call only, two codes would take long to compile.
    // What waits in blocks of columns pays for that: rows in a cache take 0.77 of the time.
    if (nest.innermost().extent.isConstant() && !plan.schedule.waiting)
      return emitTilesOfColumns();
    Value suits = suitsTiles();
    emitUnitsIf(b.create<arith::XOrIOp>(loc, suits, b.create<arith::ConstantIntOp>(loc, 1, 1)));
    k.renewSizes();
    emitter.where(suits, {}, [&] {
      emitTilesOfColumns();
      return SmallVector<Value>();
    });
    return;
  }
  LoopTile tiles(k, plan, emitter, body, pass);
  const int64_t units = plan.schedule.tile->units;
  emitter.loop(k.begin, k.end, units, {}, [&](Value first, ArrayRef<Value>) {
    Value end = b.create<arith::AddIOp>(loc, first, emitter.i64(units));
    tiles.emitRows(first, b.create<arith::MinSIOp>(loc, end, k.end));
    return SmallVector<Value>();
  });
}

// Rows of one vector, of two, of up to four, of six, …, and all others. Where vectors are always
// full a number of them is one case, and a row without elements is among the others.
void LoopKernel::emitShortRows() {
  Value n = emitter.extent(nest.innermost().extent);
  const unsigned lanes = plan.schedule.lanes, limit = plan.schedule.shortVectors;
  const bool areFull = pass.areFull(lanes);
  unsigned longest = 0;
  auto compare = [&](arith::CmpIPredicate how, unsigned vectors) -> Value {
    return b.create<arith::CmpIOp>(loc, how, n, emitter.i64(int64_t(vectors) * lanes));
  };
  if (areFull)
    for (unsigned vectors = 1; vectors <= std::min(limit, 4u); longest = vectors++) {
      pass.setVectors(vectors, vectors);
      emitUnitsIf(compare(arith::CmpIPredicate::eq, vectors));
    }
  else
    while (longest < limit) {
      const unsigned next = longest < 2 ? longest + 1 : longest + 2;
      const unsigned most = std::min(next, limit);
      pass.setVectors(longest, most);
      Value fits = compare(arith::CmpIPredicate::sle, most);
      if (longest)
        fits = b.create<arith::AndIOp>(loc, fits, compare(arith::CmpIPredicate::sgt, longest));
      emitUnitsIf(fits);
      longest = most;
    }
  pass.setVectors(0, 0);
  Value isOther = compare(arith::CmpIPredicate::sgt, longest);
  if (areFull)
    isOther = b.create<arith::OrIOp>(loc, isOther, compare(arith::CmpIPredicate::eq, 0));
  if (plan.schedule.isOneBlockApart)
    emitRowsByBlocks(isOther);
  else
    emitUnitsIf(isOther);
}

// Of the rows that fit those of one block, and those of several.
void LoopKernel::emitRowsByBlocks(Value fits) {
  Value n = emitter.extent(nest.innermost().extent);
  auto compare = [&](arith::CmpIPredicate how) -> Value {
    Value is = b.create<arith::CmpIOp>(loc, how, n, emitter.i64(plan.schedule.block));
    return fits ? b.create<arith::AndIOp>(loc, fits, is) : is;
  };
  pass.setOneBlock(true);
  emitUnitsIf(compare(arith::CmpIPredicate::sle));
  pass.setOneBlock(false);
  emitUnitsIf(compare(arith::CmpIPredicate::sgt));
}

} // namespace

void LoopPlan::emit(CpuKernelBuilder &k) const { LoopKernel(k, *this).emit(); }
