// Few outputs of many taps, after a ConvolutionSumsPlan.
#include "codegen/gpu/convolutions/ConvolutionSumsPlan.h"

#include "codegen/elements/ConvolutionEpilogue.h"
#include "codegen/gpu/threads/Alignment.h"
#include "codegen/gpu/threads/Meeting.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Parts of a result that are read before they are added.
static constexpr int64_t partsAtOnce = 8;

namespace {

class SumsKernel {
public:
  SumsKernel(DeviceKernelBuilder &k, const ConvolutionSumsPlan &plan)
      : k(k), plan(plan), emit(k.b, k.loc, k.target), block(k.b, k.loc),
        epilogue(k, k.target, plan.nest),
        spec(plan.nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); })),
        one(plan.tile) {
    spec.x.base = k.inputs[cast<BlockArgument>(plan.nest.x()).getArgNumber()];
    spec.filter.base = k.inputs[cast<BlockArgument>(plan.nest.filter()).getArgNumber()];
    one.taps = 1;
  }

  void run();

private:
  using Values = LoopEmitter::Values;

  void openThread();
  void openResult(Value number);
  Values ownSums(Value part);
  Values addLine(Value line, ValueRange sums);
  Values together(Values sums);
  void leave(ArrayRef<Value> sums, Value memory);
  void finish(Value memory);
  void store(Value item, Value sum);

  Value stride(const ConvolutionSize &size) { return numberOf(emit, size); }
  Value size(const DimExpr &value) { return k.sizeOf(value); }
  Type type() const { return spec.accumulatorType; }

  DeviceKernelBuilder &k;
  const ConvolutionSumsPlan &plan;
  LoopEmitter emit;
  ThreadBlock block;
  ConvolutionEpilogue epilogue;
  ConvolutionSpec spec;
  ConvolutionTile one; // the tile with a single tap, for the end of a line
  Value shared;
  // Of the thread: its number, and its places beside others, along a line, and among lines.
  Value thread, lanePlace, columnPlace, linePlace;
  // Of the result at hand: the first of each.
  Value batch, group, filter;
  SmallVector<ConvolutionAxis, 3> axes;
  SmallVector<Value, 3> outputs;
};

//===-- Places --------------------------------------------------------------------------------===//

void SumsKernel::openThread() {
  thread = block.thread();
  Value rest = thread;
  lanePlace = emit.popCounter(rest, emit.constant(plan.laneThreads));
  columnPlace = emit.popCounter(rest, emit.constant(plan.columnThreads));
  linePlace = rest;
}

void SumsKernel::openResult(Value rest) {
  Value zero = emit.constant(0);
  outputs.assign(spec.windows.size(), zero);
  axes.assign(spec.windows.size(), {});
  group = emit.popCounter(rest, size(plan.groupBlocks()));
  filter = emit.popCounter(rest, size(plan.filterBlocks()));
  Value &alongLanes = plan.tile.alongGroups ? group : filter;
  alongLanes = emit.mul(alongLanes, plan.laneElements());
  for (size_t j = spec.windows.size(); j-- > 0;) {
    int64_t outputsHere = plan.outputsOf(j);
    DimExpr blocks = *ceildiv(plan.nest.shape.windows[j].ySize, DimExpr(outputsHere));
    outputs[j] = emit.mul(emit.popCounter(rest, size(blocks)), outputsHere);
    axes[j] = openConvolutionAxis(emit, spec, j, plan.steps[j], zero);
  }
  batch = rest;
}

//===-- Sums ----------------------------------------------------------------------------------===//

// The line is a number: of the contracted dimension, of taps of windows, of the stretch.
SumsKernel::Values SumsKernel::addLine(Value line, ValueRange before) {
  const ConvolutionTile &tile = plan.tile;
  Value from = emit.mul(emit.popCounter(line, size(plan.stretches())), plan.stretch);
  Value ownGroup = group, ownFilter = filter;
  Value &alongLanes = tile.alongGroups ? ownGroup : ownFilter;
  alongLanes = emit.add(alongLanes, emit.mul(lanePlace, tile.lanes));
  Value x =
      emit.add(emit.mul(batch, stride(spec.x.batch)), emit.mul(ownGroup, stride(spec.x.groups)));
  Value weights = emit.add(emit.mul(ownGroup, stride(spec.filter.groups)),
                           emit.mul(ownFilter, stride(spec.filter.filters)));
  Value exists;
  ConvolutionTileEmitter::Place at;
  at.rows.assign(tile.rows, Value());
  at.rowExist.assign(tile.rows, Value());
  auto inside = [&](const ConvolutionAxis &axis, Value position) -> Value {
    return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ult, position, axis.x);
  };
  SmallVector<Value> rowOffsets(tile.rows, emit.constant(0));
  for (size_t j = spec.windows.size(); j-- > 0;) {
    const ConvolutionAxis &axis = axes[j];
    weights = emit.add(weights, axis.phase.filterBase);
    if (j == plan.along)
      continue;
    Value tap = emit.popCounter(line, axis.phase.taps);
    weights = emit.add(weights, emit.mul(tap, axis.phase.filterStep));
    for (int64_t row = 0; row < plan.outputsOf(j); ++row) {
      Value position = positionOf(emit, axis, emit.add(outputs[j], row), tap);
      Value offset = emit.mul(position, axis.xStride);
      if (j == plan.across) {
        rowOffsets[row] = offset;
        at.rowExist[row] = inside(axis, position);
      } else {
        x = emit.add(x, offset);
        Value here = inside(axis, position);
        exists = exists ? emit.logicalAnd(exists, here) : here;
      }
    }
  }
  x = emit.add(x, emit.mul(line, stride(spec.x.contracted)));
  weights = emit.add(weights, emit.mul(line, stride(spec.filter.contracted)));
  if (exists)
    for (Value &row : at.rowExist)
      row = row ? emit.logicalAnd(row, exists) : exists;

  const ConvolutionAxis &axis = axes[plan.along];
  at.positions = axis.x;
  at.xStep = axis.xStride;
  at.filterStep = axis.phase.filterStep;
  auto addTap = [&](const ConvolutionTile &part, Value tap, ValueRange sums) {
    at.position = positionOf(emit, axis, outputs[plan.along], tap);
    Value start = emit.add(x, emit.mul(at.position, axis.xStride));
    for (unsigned row = 0; row < tile.rows; ++row)
      at.rows[row] = emit.add(start, rowOffsets[row]);
    at.filter = emit.add(weights, emit.mul(tap, axis.phase.filterStep));
    return ConvolutionTileEmitter(emit, spec, part, /*hasLanes=*/true).add(at, sums);
  };
  Value end = emit.min(emit.add(from, plan.stretch), axis.phase.taps);
  int64_t stepTaps = int64_t(tile.taps) * plan.columnThreads;
  Value first = emit.add(from, columnPlace);
  if (tile.taps == 1)
    return emit.loop(first, end, stepTaps, before,
                     [&](Value tap, ValueRange sums) { return addTap(tile, tap, sums); });
  // Threads along a line take one tap at a time.
  Value whole = emit.sub(end, emit.rem(emit.sub(end, from), emit.constant(tile.taps)));
  Values sums = emit.loop(from, whole, tile.taps, before,
                          [&](Value tap, ValueRange sums) { return addTap(tile, tap, sums); });
  return emit.loop(whole, end, 1, sums,
                   [&](Value tap, ValueRange sums) { return addTap(one, tap, sums); });
}

// Of the thread, over the lines of the part of the result.
SumsKernel::Values SumsKernel::ownSums(Value part) {
  Value zero = emit.constant(0), lines = size(plan.lines());
  Value linesOfPart = emit.ceilDiv(lines, emit.constant(plan.parts));
  Value from = emit.mul(part, linesOfPart);
  Value to = emit.min(emit.add(from, linesOfPart), lines);
  // Groups or filters may end before the threads side by side do.
  const ConvolutionSize &lanes = plan.tile.alongGroups ? spec.groups : spec.filters;
  Value own =
      emit.add(plan.tile.alongGroups ? group : filter, emit.mul(lanePlace, plan.tile.lanes));
  to = emit.select(emit.less(own, stride(lanes)), to, zero);
  ConvolutionTileEmitter tile(emit, spec, plan.tile, /*hasLanes=*/true);
  return emit.loop(emit.add(from, linePlace), to, plan.lineThreads, tile.zeros(),
                   [&](Value line, ValueRange sums) { return addLine(line, sums); });
}

// What threads with the same lanes have, added in pairs, then in pairs of pairs; the first have it.
SumsKernel::Values SumsKernel::together(Values sums) {
  Type sumType = sums.front().getType();
  int64_t lanes = plan.tile.lanes;
  for (int64_t distance = plan.depthThreads() / 2; distance > 0; distance /= 2) {
    int64_t threads = distance * plan.laneThreads;
    auto place = [&](size_t sum, Value who) {
      return emit.address(shared, type(),
                          emit.mul(emit.add(who, emit.constant(int64_t(sum) * threads)), lanes));
    };
    Value isGiver = emit.logicalAnd(emit.less(emit.constant(threads - 1), thread),
                                    emit.less(thread, emit.constant(2 * threads)));
    emit.branch(isGiver, [&] {
      for (auto [i, sum] : llvm::enumerate(sums))
        emit.store(sum, place(i, emit.sub(thread, emit.constant(threads))));
    });
    block.barrier();
    Value isTaker = emit.less(thread, emit.constant(threads));
    SmallVector<Type> types(sums.size(), sumType);
    sums = emit.choose(
        isTaker, types,
        [&] {
          Values added;
          for (auto [i, sum] : llvm::enumerate(sums)) {
            Value other = emit.load(sumType, place(i, thread));
            if (isa<FloatType>(getElementTypeOrSelf(sumType)))
              added.push_back(k.b.create<arith::AddFOp>(k.loc, sum, other));
            else
              added.push_back(k.b.create<arith::AddIOp>(k.loc, sum, other));
          }
          return added;
        },
        [&] { return sums; });
    block.barrier();
  }
  return sums;
}

//===-- Results -------------------------------------------------------------------------------===//

// All sums of the block, by those that have them; those of a thread begin on multiples of their
// size, or of 16 bytes.
void SumsKernel::leave(ArrayRef<Value> sums, Value memory) {
  unsigned bytes = std::max(1u, type().getIntOrFloatBitWidth() / 8) * plan.tile.lanes;
  emit.branch(emit.less(thread, emit.constant(plan.laneThreads)), [&] {
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value at = emit.add(emit.mul(thread, plan.tile.lanes),
                          emit.constant(int64_t(i) * plan.laneElements()));
      k.b.create<LLVM::StoreOp>(k.loc, sum, emit.address(memory, type(), at), std::min(16u, bytes));
    }
  });
}

// Of the item of a result: a sum of one lane.
void SumsKernel::store(Value item, Value sum) {
  Value rest = item;
  Value lane = emit.popCounter(rest, emit.constant(plan.laneElements()));
  SmallVector<Value, 3> here(outputs);
  Value output = emit.popCounter(rest, emit.constant(plan.tile.outputs));
  here[plan.along] = emit.add(here[plan.along], output);
  if (plan.across)
    here[*plan.across] = emit.add(here[*plan.across], rest);
  const ConvolutionSize &lanes = plan.tile.alongGroups ? spec.groups : spec.filters;
  Value own = emit.add(plan.tile.alongGroups ? group : filter, lane);
  Value exists = emit.less(own, stride(lanes));
  for (size_t j = 0; j < axes.size(); ++j)
    exists = emit.logicalAnd(exists, emit.less(here[j], axes[j].phase.outputs));
  emit.branch(exists, [&] {
    ConvolutionPlace place;
    place.alongGroups = plan.tile.alongGroups;
    place.batch = emit.toIndex(batch);
    place.group = emit.toIndex(plan.tile.alongGroups ? own : group);
    place.filter = emit.toIndex(plan.tile.alongGroups ? filter : own);
    for (Value o : here)
      place.windows.push_back(emit.toIndex(o));
    epilogue.emit(k.b, k.loc, place, sum, Value());
  });
}

// Threads share the items of the result, which are in parts from `memory` on.
void SumsKernel::finish(Value memory) {
  int64_t bytes = std::max<int64_t>(1, type().getIntOrFloatBitWidth() / 8);
  int64_t apart = plan.partBytes / bytes;
  emit.loop(thread, emit.constant(plan.elements()), plan.unitThreads, [&](Value item) {
    auto load = [&](Value part, int64_t ahead) {
      Value offset = emit.add(emit.mul(emit.add(part, ahead), apart), item);
      return emit.load(type(), emit.address(memory, type(), offset));
    };
    auto add = [&](Value x, Value y) -> Value {
      if (isa<FloatType>(type()))
        return k.b.create<arith::AddFOp>(k.loc, x, y);
      return k.b.create<arith::AddIOp>(k.loc, x, y);
    };
    auto walk = [&](int64_t from, int64_t to, int64_t step, Value sum) {
      return emit.loop(emit.constant(from), emit.constant(to), step, {sum},
                       [&](Value part, ValueRange carried) {
                         Values read;
                         for (int64_t ahead = 0; ahead < step; ++ahead)
                           read.push_back(load(part, ahead));
                         Value total = carried[0];
                         for (Value one : read)
                           total = add(total, one);
                         return Values{total};
                       })[0];
    };
    Value sum = load(emit.constant(0), 0);
    int64_t whole = 1 + (plan.parts - 1) / partsAtOnce * partsAtOnce;
    sum = walk(1, whole, partsAtOnce, sum);
    sum = walk(whole, plan.parts, 1, sum);
    store(item, sum);
  });
}

void SumsKernel::run() {
  const ConvolutionTile &tile = plan.tile;
  std::optional<Alignment> alignment;
  Value aligned;
  if (tile.lanes > 1) {
    alignment.emplace(k);
    aligned = alignment->holds();
  }
  openThread();
  shared = block.memory();
  emit.loop(k.begin, k.end, 1, [&](Value unit) {
    Value result = unit;
    Value part = emit.popCounter(result, emit.constant(plan.parts));
    openResult(result);
    Values sums;
    if (alignment) {
      Type sumType = ConvolutionTileEmitter(emit, spec, tile, true).sumType();
      SmallVector<Type> types(tile.sums(), sumType);
      sums = emit.choose(
          aligned, types,
          [&] {
            alignment->assume();
            return ownSums(part);
          },
          [&] { return ownSums(part); });
    } else {
      sums = ownSums(part);
    }
    sums = together(std::move(sums));
    if (plan.parts == 1) {
      leave(sums, shared);
      block.barrier();
      finish(shared);
    } else {
      Meeting meeting(k, plan);
      leave(sums, meeting.part(unit));
      Value isLast = meeting.isLast(result, emit.constant(plan.parts));
      emit.branch(isLast, [&] { finish(meeting.part(emit.mul(result, plan.parts))); });
    }
    block.barrier();
  });
}

} // namespace

void ConvolutionSumsPlan::emit(DeviceKernelBuilder &k) const { SumsKernel(k, *this).run(); }
