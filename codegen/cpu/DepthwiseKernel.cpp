#include "codegen/cpu/DepthwiseKernel.h"

#include "codegen/cpu/DepthwiseLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace keratin::codegen;

template <typename Arithmetic>
static DepthwiseUnitsOf<typename Arithmetic::Number>
cutUnits(Arithmetic &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan) {
  const DepthwisePlan &depthwise = *plan.depthwise;
  DepthwiseUnitsOf<typename Arithmetic::Number> units;
  auto groups = numberOf(emit, spec.groups);
  units.batch = numberOf(emit, spec.batch);
  units.each = numberOf(emit, spec.filters);
  units.channelBlock = emit.constant(depthwise.channels);
  units.channelBlocks = emit.ceilDiv(groups, units.channelBlock);
  units.count = emit.mul(emit.mul(units.batch, units.each), units.channelBlocks);
  for (auto [j, window] : llvm::enumerate(spec.windows)) {
    size_t outer = spec.windows.size() - 1 - j;
    int64_t block = outer == 0 ? depthwise.unitColumns() : outer == 1 ? depthwise.rows : 1;
    auto y = numberOf(emit, window.y), most = emit.constant(plan.steps[j].phases);
    units.phases.push_back(emit.min(y, most));
    units.outputs.push_back(emit.ceilDiv(emit.ceilDiv(y, most), emit.constant(block)));
    units.count = emit.mul(units.count, emit.mul(units.phases[j], units.outputs[j]));
  }
  return units;
}

DepthwiseLoops::DepthwiseLoops(LoopEmitter &emit, const ConvolutionSpec &spec,
                               const ConvolutionPlan &plan)
    : emit(emit), spec(spec), plan(plan), depthwise(*plan.depthwise), tile(depthwise.tile),
      type(spec.accumulatorType), units(cutUnits(emit, spec, plan)), zero(emit.constant(0)),
      one(emit.constant(1)), yes(emit.equal(zero, zero)), no(emit.less(zero, zero)),
      groups(numberOf(emit, spec.groups)), last(spec.windows.size() - 1),
      scratchSums(emit.address(spec.scratch, emit.builder.getI8Type(), depthwise.scratch.sums)) {}

void DepthwiseLoops::run(Value begin, Value end) {
  if (depthwise.stencil)
    clear(spec.scratch, depthwise.scratch.table);
  emit.loop(begin, end, 1, [&](Value unit) { runUnit(unit); });
}

//===-- Units ---------------------------------------------------------------------------------===//

DepthwiseLoops::Outputs DepthwiseLoops::openUnit(Value rest) {
  SmallVector<Value, 3> blocks(spec.windows.size());
  axes.assign(spec.windows.size(), {});
  for (size_t j = last + 1; j-- > 0;)
    blocks[j] = emit.popCounter(rest, units.outputs[j]);
  batch = emit.popCounter(rest, units.batch);
  for (size_t j = last + 1; j-- > 0;)
    axes[j] =
        openConvolutionAxis(emit, spec, j, plan.steps[j], emit.popCounter(rest, units.phases[j]));
  channel0 = emit.mul(emit.popCounter(rest, units.channelBlocks), units.channelBlock);
  channelEnd = emit.min(emit.add(channel0, units.channelBlock), groups);
  each = rest;
  outer.assign(blocks.begin(), blocks.begin() + std::max<size_t>(last, 1) - 1);
  row = last > 0 ? axes[last - 1] : lonelyAxis(emit);
  column = axes[last];

  Outputs outputs;
  outputs.firstRow = last > 0 ? emit.mul(blocks[last - 1], depthwise.rows) : zero;
  outputs.firstColumn = emit.mul(blocks[last], depthwise.unitColumns());
  outputs.rows = row.phase.outputs;
  outputs.columns = column.phase.outputs;
  outputs.endColumn =
      emit.min(emit.add(outputs.firstColumn, depthwise.unitColumns()), outputs.columns);
  return outputs;
}

void DepthwiseLoops::runUnit(Value number) {
  Outputs outputs = openUnit(number);
  // Phases differ by one output.
  Value exists = emit.less(outputs.firstRow, outputs.rows);
  for (size_t j = 0; j + 1 < last; ++j)
    exists = emit.logicalAnd(exists, emit.less(outer[j], axes[j].phase.outputs));
  Value isLarge = isLargeEnough(outputs);
  emit.branch(exists, [&] {
    emit.branch(
        isLarge,
        [&] {
          if (depthwise.stencil)
            runStencils(outputs);
          else
            runTiles(outputs);
        },
        [&] { runSingles(outputs); });
  });
}

// Whether there are as many outputs and channels as tiles have.
Value DepthwiseLoops::isLargeEnough(const Outputs &outputs) {
  auto atLeast = [&](Value count, int64_t least) {
    return emit.less(emit.constant(least - 1), count);
  };
  if (depthwise.stencil)
    return masksStencil() ? yes : atLeast(groups, tile.lanes);
  Value isLarge =
      emit.logicalAnd(atLeast(outputs.rows, tile.rows), atLeast(outputs.columns, tile.columns));
  return masksTiles() ? isLarge : emit.logicalAnd(isLarge, atLeast(groups, tile.channels()));
}

void DepthwiseLoops::runSingles(const Outputs &outputs) {
  Value endRow = emit.min(emit.add(outputs.firstRow, depthwise.rows), outputs.rows);
  emit.loop(outputs.firstRow, endRow, 1, [&](Value r) {
    emit.loop(outputs.firstColumn, outputs.endColumn, 1, [&](Value c) { runSingle(r, c); });
  });
}

//===-- Tiles of taps that are written out ----------------------------------------------------===//

bool DepthwiseLoops::masksStencil() const {
  return spec.groups.constant && *spec.groups.constant < tile.lanes;
}

void DepthwiseLoops::runStencils(const Outputs &outputs) {
  emit.loop(outputs.firstColumn, outputs.endColumn, depthwise.columns,
            [&](Value at) { runStencil(outputs.firstRow, at); });
}

// Of the unit at the tile of outputs from (top, left) on.
DepthwisePlace DepthwiseLoops::stencilPlace(Value top, Value left) {
  DepthwisePlace at;
  at.row = row;
  at.column = column;
  at.top = top;
  at.left = left;
  at.x = emit.address(spec.x.base, spec.x.elementType, startInX(zero, channel0));
  Value tap = emit.add(row.phase.filterBase, column.phase.filterBase);
  at.filter = emit.address(spec.filter.base, spec.filter.elementType, startInFilter(tap, channel0));
  at.table = emit.address(spec.scratch, emit.builder.getI8Type(), depthwise.scratch.table);
  at.zeros = emit.address(spec.scratch, spec.x.elementType, depthwise.stencil->lanes);
  at.channels = emit.sub(channelEnd, channel0);
  bool isWhole = spec.groups.constant && *spec.groups.constant % depthwise.stencil->lanes == 0;
  at.fit = isWhole          ? DepthwisePlace::Whole
           : masksStencil() ? DepthwisePlace::Masked
                            : DepthwisePlace::Overlapping;
  return at;
}

// All channels of the unit.
void DepthwiseLoops::runStencil(Value top, Value left) {
  DepthwisePlace at = stencilPlace(top, left);
  auto existsAt = [&](const ConvolutionAxis &axis, Value first, int64_t i) {
    return emit.less(emit.add(first, i), axis.phase.outputs);
  };
  auto storeAt = [&](int64_t r, int64_t c, Value channel, Value first, Value sums) {
    Value exists = emit.logicalAnd(existsAt(row, top, r), existsAt(column, left, c));
    emit.branch(exists, [&] {
      Value from = emit.add(channel0, channel), mask;
      if (at.fit != DepthwisePlace::Whole)
        mask = lanesFrom(from, emit.sub(first, channel));
      store(emit.add(top, r), emit.add(left, c), from, sums, mask);
    });
  };
  emitDepthwiseStencil(emit, *depthwise.stencil, spec.x.elementType, spec.filter.elementType, type,
                       at, storeAt);
}

//===-- Results -------------------------------------------------------------------------------===//

// The lanes of channels that exist, without the first `skipped`.
Value DepthwiseLoops::lanesFrom(Value channel, Value skipped) {
  Value exist = emit.firstLanes(tile.lanes, emit.sub(groups, channel));
  Value before = emit.firstLanes(tile.lanes, skipped);
  Value after = emit.builder.create<arith::CmpIOp>(emit.loc, arith::CmpIPredicate::eq, before,
                                                   emit.zero(before.getType()));
  return emit.builder.create<arith::AndIOp>(emit.loc, exist, after);
}

void DepthwiseLoops::store(Value r, Value c, Value channel, Value sums, Value mask) {
  ConvolutionPlace place;
  place.alongGroups = true;
  place.batch = emit.toIndex(batch);
  place.filter = emit.toIndex(each);
  place.group = emit.toIndex(channel);
  auto output = [&](size_t j, Value o) {
    Value y = emit.add(emit.mul(o, plan.steps[j].phases), axes[j].number);
    place.windows.push_back(emit.toIndex(y));
  };
  for (size_t j = 0; j + 1 < last; ++j)
    output(j, outer[j]);
  if (last > 0)
    output(last - 1, r);
  output(last, c);
  spec.store(emit.builder, emit.loc, place, sums, mask);
}

void DepthwiseLoops::finish(Value top, Value left, const Span &rows, const Span &columns,
                            Value channel, Value skippedChannels) {
  SmallVector<Value> masks(tile.vectors);
  bool isWhole = spec.groups.constant && *spec.groups.constant % tile.channels() == 0;
  if (!isWhole)
    for (int64_t v = 0; v < tile.vectors; ++v)
      masks[v] = lanesFrom(emit.add(channel, v * tile.lanes),
                           emit.sub(skippedChannels, emit.constant(v * tile.lanes)));
  emit.loop(rows.begin, rows.end, 1, [&](Value r) {
    emit.loop(columns.begin, columns.end, 1, [&](Value c) {
      Value sums = emit.mul(emit.add(emit.mul(r, tile.columns), c), tile.channels());
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value from = emit.address(scratchSums, type, emit.add(sums, v * tile.lanes));
        store(emit.add(top, r), emit.add(left, c), emit.add(channel, v * tile.lanes),
              emit.load(VectorType::get(tile.lanes, type), from), masks[v]);
      }
    });
  });
}

//===-- The whole -----------------------------------------------------------------------------===//

Value keratin::codegen::emitDepthwiseUnits(LoopEmitter &emit, const ConvolutionSpec &spec,
                                           const ConvolutionPlan &plan) {
  return cutUnits(emit, spec, plan).count;
}

SizeCases keratin::codegen::depthwiseUnits(const ConvolutionSpec &spec,
                                           const ConvolutionPlan &plan) {
  SizeArithmetic arithmetic;
  return cutUnits(arithmetic, spec, plan).count;
}

void keratin::codegen::emitDepthwise(LoopEmitter &emit, const ConvolutionSpec &spec,
                                     const ConvolutionPlan &plan, Value begin, Value end) {
  DepthwiseLoops(emit, spec, plan).run(begin, end);
}
