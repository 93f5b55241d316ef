#include "codegen/cpu/LoopPass.h"

#include "codegen/cpu/SideBySide.h"
#include "codegen/elements/LoopEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::DimExpr;
using keratin::ir::ReductionOpInterface;
namespace ir = keratin::ir;

static std::optional<int64_t> known(const DimExpr &size) {
  return size.isConstant() ? std::optional(size.constantValue()) : std::nullopt;
}

Value LoopPass::add(Value x, Value y) { return k.b.create<arith::AddIOp>(k.loc, x, y); }

//===-- The innermost loop, in vectors --------------------------------------------------------===//

// How many elements of all loops, or of the reduced ones, come before the current one.
Value LoopPass::position(bool ofReduced) {
  LoopEmitter code(k.b, k.loc, k.target);
  Value position = code.constant(0);
  for (auto [i, group] : llvm::enumerate(nest.space.groups))
    if (group.reduced || !ofReduced)
      position = code.add(code.mul(position, emitter.extent(group.extent)), body.index(i).base);
  return position;
}

// A vector for each vector of a row; for each row of a block of columns, and each of its vectors.
Value LoopPass::waitingPlace(unsigned column) {
  LoopEmitter code(k.b, k.loc, k.target);
  Value position = this->position(/*ofReduced=*/true);
  if (nest.form == LoopNest::Form::Columns)
    position = code.add(code.mul(position, schedule.blockColumns()), column * schedule.lanes);
  const Value what =
      schedule.waiting ? schedule.waiting->value : k.body().getArgument(*schedule.copied);
  return code.address(scratch, ir::getElementType(what), position);
}

void LoopPass::emitElement(unsigned stage, MutableArrayRef<Value> accumulators, unsigned column) {
  // The few vectors of a short row stay in registers.
  const LoopNest::Waiting *waiting =
      mostVectors == 0 && schedule.waiting ? &*schedule.waiting : nullptr;
  LoopEmitter memory(k.b, k.loc, k.target);
  auto load = [&](Value value) -> Value {
    return memory.load(VectorType::get(schedule.lanes, ir::getElementType(value)),
                       waitingPlace(column));
  };
  auto store = [&](Value value) {
    memory.store(emitter.splat(body.element(value)), waitingPlace(column));
  };
  // Copied, and not overwritten yet.
  const Value copied = schedule.copied ? k.body().getArgument(*schedule.copied) : Value();
  const bool isCopyThere = copied && stage > 0 && !(waiting && stage > waiting->stage);
  const bool isThere = waiting && stage > waiting->stage;
  if (isCopyThere)
    emitter.bindRegister(copied, load(copied));
  if (isThere)
    emitter.bindRegister(waiting->value, waiting->output ? body.elementInPlaceOf(*waiting->output)
                                                         : load(waiting->value));
  body.emit(stage, accumulators);
  addToColumns(stage);
  if (copied && stage == 0)
    store(copied);
  if (waiting && stage == waiting->stage) {
    if (waiting->output)
      body.storeInPlaceOf(*waiting->output, waiting->value);
    else
      store(waiting->value);
  }
  if (isCopyThere)
    emitter.bindRegister(copied, Value());
  if (isThere)
    emitter.bindRegister(waiting->value, Value());
}

void LoopPass::emitLanes(unsigned stage, Value position, MutableArrayRef<Value> accumulators) {
  body.innermost() = emitter.laneIndex(position);
  emitElement(stage, accumulators);
}

// A line of a cache at a time.
void LoopPass::lookAhead(unsigned stage, Value start, unsigned vector) {
  LoopEmitter code(k.b, k.loc, k.target);
  for (const LoopSchedule::Ahead &ahead : schedule.ahead) {
    if (ahead.stage != stage ||
        vector * schedule.lanes * ahead.elementBytes % BlockAhead::lineBytes != 0)
      continue;
    body.innermost() = emitter.laneIndex(start);
    Value distance =
        schedule.aheadBlock
            ? schedule.aheadBlock->distance(code, position(/*ofReduced=*/false), ahead.elementBytes)
            : emitter.extent(schedule.aheadElements);
    body.prefetch(ahead.isOutput, ahead.number, distance);
  }
}

Type LoopPass::columnType(const LoopNest::Column &column) {
  return emitter.registerType(nest.space.workspaceOf(column.op).getElementType());
}

// The sums so far are in memory, so that rows come one after the other.
void LoopPass::addToColumns(unsigned stage) {
  LoopEmitter memory(k.b, k.loc, k.target);
  for (auto [column, sums] : llvm::zip(nest.columns, columnSums)) {
    if (column.stage != stage)
      continue;
    Type type = columnType(column);
    Value place = memory.address(sums, type, position(/*ofReduced=*/true));
    Value sum = memory.load(VectorType::get(schedule.lanes, type), place, emitter.mask());
    memory.store(body.combined(column.op, sum), place, emitter.mask());
  }
}

void LoopPass::forColumns(llvm::function_ref<void(Value position, Value mask)> body) {
  const DimExpr columns = nest.space.columns();
  Value n = emitter.extent(columns);
  bool isMasked = columns.content() % schedule.lanes != 0;
  emitter.loop(emitter.i64(0), n, schedule.lanes, {}, [&](Value position, ArrayRef<Value>) {
    body(position, isMasked ? emitter.maskBelow(position, n) : Value());
    return Values();
  });
}

// Whether what is walked `count` elements at a time never ends with fewer: rows, and their blocks
// and chunks, which are multiples of any number of vectors.
bool LoopPass::areFull(int64_t count) const {
  return nest.innermost().extent.content() % uint64_t(count) == 0;
}

SmallVector<ReductionOpInterface> LoopPass::ops(Walks walks) const {
  SmallVector<ReductionOpInterface> all;
  for (const Walk &walk : walks)
    llvm::append_range(all, ops(walk.stage));
  return all;
}

unsigned LoopPass::vectorsOf(Walks walks) const {
  return walks.size() == 1 ? schedule.unroll[walks.front().stage] : schedule.vectorsTogether;
}

void LoopPass::select(const Walk &walk) {
  for (auto [group, index] : llvm::zip(nest.outerKept, walk.row))
    body.index(group) = index;
  for (auto [value, registers] : walk.found)
    emitter.bindRegister(value, registers);
}

// What each of the stages does with its part of the numbers, which has so many sets. The last
// stage comes first: what waits of its row lies where a stage before puts that of the next row.
void LoopPass::along(Walks walks, MutableArrayRef<Value> numbers, unsigned sets,
                     llvm::function_ref<void(unsigned stage, MutableArrayRef<Value> own)> inside) {
  for (const Walk &walk : llvm::reverse(walks)) {
    const size_t count = sets * ops(walk.stage).size();
    MutableArrayRef<Value> own = numbers.take_back(count);
    numbers = numbers.drop_back(count);
    if (!walk.isThere) {
      inside(walk.stage, own);
      continue;
    }
    select(walk);
    llvm::copy(emitter.where(walk.isThere, own,
                             [&] {
                               Values next(own);
                               inside(walk.stage, next);
                               return next;
                             }),
               own.begin());
  }
}

LoopPass::Values LoopPass::walkLanes(Walks walks, Value from, Value to,
                                     std::optional<int64_t> extent) {
  const unsigned unroll = vectorsOf(walks);
  Values sets;
  for (const Walk &walk : walks)
    for (unsigned u = 0; u < unroll; ++u)
      for (ReductionOpInterface op : ops(walk.stage))
        sets.push_back(state.identity(op, true));
  // Those of the first vectors, which take what is left.
  auto forFirst = [&](llvm::function_ref<void(MutableArrayRef<Value> first)> body) {
    MutableArrayRef<Value> rest(sets);
    for (const Walk &walk : walks) {
      const size_t count = ops(walk.stage).size();
      body(rest.take_front(count));
      rest = rest.drop_front(count * unroll);
    }
  };
  int64_t step = int64_t(schedule.lanes) * unroll;
  Value tail = from;
  if (!extent || *extent >= step) {
    Value length = k.b.create<arith::SubIOp>(k.loc, to, from);
    Value steps = k.b.create<arith::DivUIOp>(k.loc, length, emitter.i64(step));
    Value whole = k.b.create<arith::MulIOp>(k.loc, steps, emitter.i64(step));
    tail = extent ? add(from, emitter.i64(*extent / step * step)) : add(from, whole);
    sets = wholeVectors(walks, from, tail, std::move(sets));
  }
  if (!areFull(step) && !(extent && *extent % step == 0)) {
    Values first;
    forFirst([&](ArrayRef<Value> part) { llvm::append_range(first, part); });
    first = lastVectors(walks, tail, to, extent, first);
    ArrayRef<Value> left(first);
    forFirst([&](MutableArrayRef<Value> part) {
      llvm::copy(left.take_front(part.size()), part.begin());
      left = left.drop_front(part.size());
    });
  }
  Values merged;
  ArrayRef<Value> rest(sets);
  for (const Walk &walk : walks) {
    const size_t count = ops(walk.stage).size() * unroll;
    merged.append(merge(walk.stage, rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  return merged;
}

// The unrolled accumulators become one, in a fixed order.
LoopPass::Values LoopPass::merge(unsigned stage, ArrayRef<Value> sets) {
  size_t count = ops(stage).size();
  Values merged(sets.take_front(count));
  for (sets = sets.drop_front(count); !sets.empty(); sets = sets.drop_front(count))
    for (auto [i, op] : llvm::enumerate(ops(stage)))
      merged[i] = ReductionOpInterface(op).buildCombine(emitter, merged[i], sets[i]);
  return merged;
}

// As many vectors side by side as the schedule says, each with accumulators of its own.
LoopPass::Values LoopPass::wholeVectors(Walks walks, Value from, Value to, Values sets) {
  const unsigned lanes = schedule.lanes, unroll = vectorsOf(walks);
  return emitter.loop(from, to, int64_t(lanes) * unroll, sets,
                      [&](Value iv, ArrayRef<Value> carried) {
                        Values next(carried);
                        along(walks, next, unroll, [&](unsigned stage, MutableArrayRef<Value> own) {
                          const size_t count = ops(stage).size();
                          SideBySide vectors(k.b);
                          for (unsigned u = 0; u < unroll; ++u) {
                            vectors.next();
                            Value position = u ? add(iv, emitter.i64(u * lanes)) : iv;
                            emitLanes(stage, position, own.slice(u * count, count));
                            lookAhead(stage, position, u);
                          }
                          vectors.takeTurns();
                        });
                        return next;
                      });
}

// What is left, one vector after the other, the last under a mask.
LoopPass::Values LoopPass::lastVectors(Walks walks, Value from, Value to,
                                       std::optional<int64_t> extent,
                                       ArrayRef<Value> accumulators) {
  unsigned lanes = schedule.lanes;
  bool isMasked = !areFull(lanes);
  auto vector = [&](Value iv, ArrayRef<Value> carried) {
    Values next(carried);
    Value mask = isMasked ? emitter.maskBelow(iv, to) : Value();
    along(walks, next, 1, [&](unsigned stage, MutableArrayRef<Value> own) {
      emitter.setMask(mask);
      emitLanes(stage, iv, own);
      emitter.setMask(Value());
    });
    return next;
  };
  if (extent && *extent <= lanes)
    return vector(from, accumulators);
  return emitter.loop(from, to, lanes, accumulators, vector);
}

//===-- Reduced loops -------------------------------------------------------------------------===//

// Long sums block by block.
LoopPass::Values LoopPass::absorbBlocks(ArrayRef<ReductionOpInterface> ops, Value first,
                                        Value extent, Values sums,
                                        llvm::function_ref<Values(Value from, Value to)> block) {
  return emitter.loop(
      first, extent, schedule.block, sums, [&](Value start, ArrayRef<Value> carried) {
        Values next(carried);
        Value stop =
            k.b.create<arith::MinSIOp>(k.loc, add(start, emitter.i64(schedule.block)), extent);
        // Most rows are one block. Whether rows came before is not asked.
        Value isFirst;
        if (nest.form == LoopNest::Form::Rows && nest.outerReduced.empty())
          isFirst =
              k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, start, emitter.i64(0));
        state.absorb(ops, next, block(start, stop), isFirst);
        return next;
      });
}

// Without a loop: those vectors that may not be full, or not be there, under masks.
LoopPass::Values LoopPass::shortRow(unsigned stage, Value extent) {
  const size_t count = ops(stage).size();
  const unsigned apart = std::min(mostVectors, schedule.unroll[stage]);
  Values sets;
  for (unsigned u = 0; u < apart; ++u)
    for (ReductionOpInterface op : ops(stage))
      sets.push_back(state.identity(op, true));
  SideBySide vectors(k.b);
  for (unsigned u = 0; u < mostVectors; ++u) {
    vectors.next();
    Value position = emitter.i64(int64_t(u) * schedule.lanes);
    if (u >= fewestVectors)
      emitter.setMask(emitter.maskBelow(position, extent));
    emitLanes(stage, position, MutableArrayRef<Value>(sets).slice(u % apart * count, count));
    emitter.setMask(Value());
  }
  vectors.takeTurns();
  return merge(stage, sets);
}

LoopPass::Values LoopPass::walkRow(Walks walks, Values sums) {
  const DimExpr &extent = nest.innermost().extent;
  Value n = emitter.extent(extent);
  Value first = emitter.i64(0);
  const SmallVector<ReductionOpInterface> ops = this->ops(walks);
  if (areRowsOneBlock() || !schedule.isBlocked()) {
    stateOfRows().absorb(ops, sums,
                         mostVectors ? shortRow(walks.front().stage, n)
                                     : walkLanes(walks, first, n, known(extent)));
    return sums;
  }
  if (std::optional<int64_t> length = known(extent); length && *length <= schedule.block) {
    state.absorb(ops, sums, walkLanes(walks, first, n, length));
    return sums;
  }
  if (schedule.areWholeBlocksApart) {
    // Blocks but the last one end with whole vectors.
    Value block = emitter.i64(schedule.block);
    Value whole =
        k.b.create<arith::MulIOp>(k.loc, k.b.create<arith::DivUIOp>(k.loc, n, block), block);
    sums = absorbBlocks(ops, first, whole, std::move(sums), [&](Value from, Value to) {
      return walkLanes(walks, from, to, schedule.block);
    });
    first = whole;
  }
  return absorbBlocks(ops, first, n, std::move(sums), [&](Value from, Value to) {
    return walkLanes(walks, from, to, std::nullopt);
  });
}

void LoopPass::select(const Column &column) {
  body.innermost() = emitter.laneIndex(column.start);
  emitter.setMask(column.mask);
  for (auto [value, registers] : column.found)
    emitter.bindRegister(value, registers);
}

// The last of the reduced loops, row by row with an accumulator for each lane of the columns.
LoopPass::Values LoopPass::rowsOfColumns(unsigned stage, Value from, Value to,
                                         ArrayRef<Column> columns) {
  size_t count = ops(stage).size();
  Values init;
  for (size_t c = 0; c < columns.size(); ++c)
    for (ReductionOpInterface op : ops(stage))
      init.push_back(state.identity(op, true));
  return emitter.loop(from, to, 1, init, [&](Value iv, ArrayRef<Value> carried) {
    Values next(carried);
    body.index(nest.outerReduced.back()) = emitter.scalarIndex(iv);
    SideBySide vectors(k.b);
    for (auto [c, column] : llvm::enumerate(columns)) {
      vectors.next();
      select(column);
      emitElement(stage, MutableArrayRef<Value>(next).slice(c * count, count), column.number);
      lookAhead(stage, column.start, column.number);
    }
    emitter.setMask(Value());
    vectors.takeTurns();
    return next;
  });
}

LoopPass::Values LoopPass::walkColumns(unsigned stage, Values sums, ArrayRef<Column> columns) {
  Value n = emitter.extent(nest.space.groups[nest.outerReduced.back()].extent);
  auto rows = [&](Value from, Value to) { return rowsOfColumns(stage, from, to, columns); };
  if (schedule.isBlocked())
    return absorbBlocks(ops(stage), emitter.i64(0), n, std::move(sums), rows);
  state.absorb(ops(stage), sums, rows(emitter.i64(0), n));
  return sums;
}

LoopPass::Values LoopPass::walkOuter(unsigned stage, ArrayRef<unsigned> loops, Values sums,
                                     ArrayRef<Column> columns) {
  if (loops.empty())
    return nest.form == LoopNest::Form::Columns ? walkColumns(stage, std::move(sums), columns)
                                                : walkRow(Walk(stage), std::move(sums));
  unsigned group = loops.front();
  return emitter.loop(emitter.i64(0), emitter.extent(nest.space.groups[group].extent), 1, sums,
                      [&](Value iv, ArrayRef<Value> carried) {
                        body.index(group) = emitter.scalarIndex(iv);
                        return walkOuter(stage, loops.drop_front(), Values(carried), columns);
                      });
}

LoopPass::Values LoopPass::emit(unsigned stage, ArrayRef<Column> columns) {
  ReductionState &state = stateOfRows();
  Values sums;
  for (size_t c = 0; c < columns.size(); ++c)
    sums.append(state.begin(ops(stage), /*isVector=*/true));
  ArrayRef<unsigned> outer = nest.outerReduced;
  bool isRow = nest.form == LoopNest::Form::Rows;
  if (!isRow)
    outer = outer.drop_back();
  sums = walkOuter(stage, outer, std::move(sums), columns);
  using Lanes = ReductionState::Lanes;
  return state.settle(ops(stage), sums, isRow ? Lanes::Together : Lanes::Apart);
}

LoopPass::Values LoopPass::emit(Walks walks) {
  ReductionState &state = stateOfRows();
  const SmallVector<ReductionOpInterface> ops = this->ops(walks);
  Values sums = walkRow(walks, state.begin(ops, /*isVector=*/true));
  return state.settle(ops, sums, ReductionState::Lanes::Together);
}
