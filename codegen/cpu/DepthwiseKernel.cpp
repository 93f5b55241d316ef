#include "codegen/cpu/DepthwiseKernel.h"
#include "codegen/cpu/DepthwiseAxis.h"
#include "codegen/cpu/DepthwisePlan.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

namespace {

// The sizes that units are numbered by.
struct Units {
  SmallVector<Value, 3> phases, outputs; // of each window, outputs in units
  Value batch, each, channelBlock, channelBlocks;
  Value count;

  Units(LoopEmitter &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan,
        const DepthwisePlan &depthwise) {
    Value groups = emitConvolutionSize(emit, spec.groups);
    batch = emitConvolutionSize(emit, spec.batch);
    each = emitConvolutionSize(emit, spec.filters);
    channelBlock = emit.constant(depthwise.channels);
    channelBlocks = emit.ceilDiv(groups, channelBlock);
    count = emit.mul(emit.mul(batch, each), channelBlocks);
    for (auto [j, window] : llvm::enumerate(spec.windows)) {
      size_t outer = spec.windows.size() - 1 - j;
      int64_t block = outer == 0   ? depthwise.columns * depthwise.tilesOfUnit
                      : outer == 1 ? depthwise.rows
                                   : 1;
      Value y = emitConvolutionSize(emit, window.y), most = emit.constant(plan.steps[j].phases);
      phases.push_back(emit.min(y, most));
      outputs.push_back(emit.ceilDiv(emit.ceilDiv(y, most), emit.constant(block)));
      count = emit.mul(count, emit.mul(phases[j], outputs[j]));
    }
  }
};

struct Range {
  Value begin, end;
};

class Nest {
public:
  Nest(LoopEmitter &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan,
       const DepthwisePlan &depthwise)
      : emit(emit), spec(spec), plan(plan), depthwise(depthwise), tile(depthwise.tile),
        type(spec.accumulatorType), units(emit, spec, plan, depthwise), zero(emit.constant(0)),
        one(emit.constant(1)), yes(emit.equal(zero, zero)), no(emit.less(zero, zero)),
        groups(emitConvolutionSize(emit, spec.groups)), last(spec.windows.size() - 1),
        scratchSums(emit.address(spec.scratch, emit.builder.getI8Type(), depthwise.scratch.sums)) {}

  void run(Value begin, Value end) {
    if (depthwise.stencil)
      clear(spec.scratch, depthwise.scratch.table);
    emit.loop(begin, end, 1, [&](Value unit) { runUnit(unit); });
  }

private:
  Value size(const ConvolutionSize &from) { return emitConvolutionSize(emit, from); }

  void runUnit(Value rest) {
    SmallVector<Value, 3> blocks(spec.windows.size());
    axes.assign(spec.windows.size(), {});
    for (size_t j = last + 1; j-- > 0;)
      blocks[j] = emit.popCounter(rest, units.outputs[j]);
    batch = emit.popCounter(rest, units.batch);
    for (size_t j = last + 1; j-- > 0;)
      openAxis(axes[j], j, emit.popCounter(rest, units.phases[j]));
    channel0 = emit.mul(emit.popCounter(rest, units.channelBlocks), units.channelBlock);
    channelEnd = emit.min(emit.add(channel0, units.channelBlock), groups);
    each = rest;

    outer.assign(blocks.begin(), blocks.begin() + std::max<size_t>(last, 1) - 1);
    row = last > 0 ? axes[last - 1] : lonelyRow();
    column = axes[last];
    Value firstRow = last > 0 ? emit.mul(blocks[last - 1], depthwise.rows) : zero;
    Value firstColumn = emit.mul(blocks[last], depthwise.columns * depthwise.tilesOfUnit);
    Value rows = row.phase.outputs, columns = column.phase.outputs;
    Value endColumn =
        emit.min(emit.add(firstColumn, depthwise.columns * depthwise.tilesOfUnit), columns);
    // Phases differ by one output.
    Value exists = emit.less(firstRow, rows);
    for (size_t j = 0; j + 1 < last; ++j)
      exists = emit.logicalAnd(exists, emit.less(outer[j], axes[j].phase.outputs));
    auto runSingles = [&] {
      Value endRow = emit.min(emit.add(firstRow, depthwise.rows), rows);
      emit.loop(firstRow, endRow, 1, [&](Value r) {
        emit.loop(firstColumn, endColumn, 1, [&](Value c) { runSingle(r, c); });
      });
    };
    if (depthwise.stencil) {
      Value isWide = masksStencil() ? yes : emit.less(emit.constant(tile.lanes - 1), groups);
      return emit.branch(exists, [&] {
        emit.branch(
            isWide,
            [&] {
              emit.loop(firstColumn, endColumn, depthwise.columns,
                        [&](Value at) { runStencil(firstRow, at); });
            },
            runSingles);
      });
    }
    Value isLarge = emit.logicalAnd(emit.less(emit.constant(tile.rows - 1), rows),
                                    emit.less(emit.constant(tile.columns - 1), columns));
    if (!masksTiles())
      isLarge = emit.logicalAnd(isLarge, emit.less(emit.constant(tile.channels() - 1), groups));
    emit.branch(exists, [&] {
      emit.branch(
          isLarge,
          [&] {
            Value top = emit.min(firstRow, emit.sub(rows, emit.constant(tile.rows)));
            Value skipped = emit.sub(firstRow, top);
            emit.loop(firstColumn, endColumn, tile.columns, [&](Value at) {
              Value left = emit.min(at, emit.sub(columns, emit.constant(tile.columns)));
              runTile(top, left, skipped, emit.sub(at, left));
            });
          },
          runSingles);
    });
  }

  void openAxis(DepthwiseAxis &axis, size_t j, Value phase) {
    const WindowSteps &steps = plan.steps[j];
    axis.phase = emitConvolutionPhase(emit, spec.windows[j], steps, spec.filter.windows[j], phase);
    axis.number = phase;
    axis.x = size(spec.windows[j].x);
    axis.step = steps.step;
    axis.oStep = steps.oStep;
    axis.iStep = steps.iStep;
    axis.xStride = size(spec.x.windows[j]);
  }

  DepthwiseAxis lonelyRow() { return {{zero, one, one, zero, zero}, zero, one, 1, 1, 1, zero}; }

  // Whether tiles need masks because there are fewer channels than lanes. Else the last tile's
  // channels begin earlier and overlap with the ones before.
  bool masksTiles() const {
    return spec.groups.constant && *spec.groups.constant < tile.channels();
  }

  //===-- Taps --------------------------------------------------------------------------------===//

  Value positionOf(const DepthwiseAxis &axis, Value output, Value tap) {
    Value steps = emit.add(emit.mul(output, axis.oStep), emit.mul(tap, axis.iStep));
    return emit.sub(emit.mul(steps, axis.step), axis.phase.low);
  }

  // The taps that meet elements of x at an output. Both ends fall as outputs rise.
  Range tapsOf(const DepthwiseAxis &axis, Value output) {
    Value need = emit.sub(axis.phase.low, emit.mul(output, axis.step * axis.oStep));
    auto until = [&](Value positions) {
      Value step = emit.constant(axis.step * axis.iStep);
      Value count = emit.ceilDiv(emit.max(positions, zero), step);
      return emit.min(count, axis.phase.taps);
    };
    return {until(need), until(emit.add(axis.x, need))};
  }

  // Those that meet elements of x at all outputs from `first` on; perhaps none.
  Range commonTaps(const DepthwiseAxis &axis, Value first, int64_t outputs) {
    Value begin = tapsOf(axis, first).begin;
    Value end = tapsOf(axis, emit.add(first, outputs - 1)).end;
    return {begin, emit.max(begin, end)};
  }

  // What is left of an output's taps before and behind the common ones.
  Range leftOver(const Range &own, const Range &common, Value isBehind) {
    Value end = emit.min(common.begin, own.end), begin = emit.max(common.end, own.begin);
    return {emit.select(isBehind, begin, own.begin), emit.select(isBehind, own.end, end)};
  }

  // body(elements from the output's place in x, elements from the start of the filter) for every
  // tap of the outer windows and contracted element.
  void overOuterTaps(llvm::function_ref<void(Value, Value)> body) {
    std::function<void(size_t, Value, Value)> walk = [&](size_t j, Value inX, Value inFilter) {
      if (j + 1 >= last)
        return body(inX, inFilter);
      const DepthwiseAxis &axis = axes[j];
      Range taps = tapsOf(axis, outer[j]);
      emit.loop(taps.begin, taps.end, 1, [&](Value i) {
        Value position = positionOf(axis, outer[j], i);
        Value tap = emit.add(axis.phase.filterBase, emit.mul(i, axis.phase.filterStep));
        walk(j + 1, emit.add(inX, emit.mul(position, axis.xStride)), emit.add(inFilter, tap));
      });
    };
    emit.loop(zero, size(spec.contracted), 1, [&](Value c) {
      walk(0, emit.mul(c, size(spec.x.contracted)), emit.mul(c, size(spec.filter.contracted)));
    });
  }

  bool hasOuterTaps() const { return last > 1 || spec.contracted.constant != 1; }

  //===-- Tiles -------------------------------------------------------------------------------===//

  // Adds the products of a rectangle of taps to some of the tile's sums.
  void addTaps(DepthwisePart part, Value firstRow, Value firstColumn, const Range &rowTaps,
               const Range &columnTaps, Value inX, Value inFilter) {
    auto position = [&](const DepthwiseAxis &axis, Value output, Value tap) {
      return emit.mul(positionOf(axis, output, tap), axis.xStride);
    };
    auto element = [&](const DepthwiseAxis &axis, Value tap) {
      return emit.add(axis.phase.filterBase, emit.mul(tap, axis.phase.filterStep));
    };
    inX = emit.add(inX, position(row, firstRow, rowTaps.begin));
    inX = emit.add(inX, position(column, firstColumn, columnTaps.begin));
    inFilter = emit.add(inFilter, element(row, rowTaps.begin));
    inFilter = emit.add(inFilter, element(column, columnTaps.begin));
    part.x = emit.address(spec.x.base, spec.x.elementType, inX);
    part.outputRow = emit.mul(row.xStride, row.step * row.oStep);
    part.outputColumn = emit.mul(column.xStride, column.step * column.oStep);
    part.tapRow = emit.mul(row.xStride, row.step * row.iStep);
    part.tapColumn = emit.mul(column.xStride, column.step * column.iStep);
    part.filter = emit.address(spec.filter.base, spec.filter.elementType, inFilter);
    part.filterRow = row.phase.filterStep;
    part.filterColumn = column.phase.filterStep;
    part.rowTaps = emit.sub(rowTaps.end, rowTaps.begin);
    part.columnTaps = emit.sub(columnTaps.end, columnTaps.begin);
    emitDepthwisePart(emit, tile, spec.x.elementType, spec.filter.elementType, type, part);
  }

  void clear(Value from, int64_t bytes) {
    Type i32 = emit.builder.getI32Type();
    int64_t lanes = depthwise.wordLanes;
    Value nothing = emit.zero(VectorType::get(lanes, i32));
    emit.loop(zero, emit.constant(bytes / 4), lanes,
              [&](Value i) { emit.store(nothing, emit.address(from, i32, i)); });
  }
  void clearSums() { clear(scratchSums, depthwise.scratch.bytes - depthwise.scratch.sums); }

  bool masksStencil() const { return spec.groups.constant && *spec.groups.constant < tile.lanes; }

  // All channels of the unit at the tile of outputs from (top, left) on.
  void runStencil(Value top, Value left) {
    const DepthwiseStencil &stencil = *depthwise.stencil;
    Type byte = emit.builder.getI8Type();
    DepthwisePlace at;
    at.row = row;
    at.column = column;
    at.top = top;
    at.left = left;
    at.x = emit.address(spec.x.base, spec.x.elementType, startInX(zero, channel0));
    Value tap = emit.add(row.phase.filterBase, column.phase.filterBase);
    at.filter =
        emit.address(spec.filter.base, spec.filter.elementType, startInFilter(tap, channel0));
    at.table = emit.address(spec.scratch, byte, depthwise.scratch.table);
    at.zeros = emit.address(spec.scratch, spec.x.elementType, stencil.lanes);
    at.channels = emit.sub(channelEnd, channel0);
    bool isWhole = spec.groups.constant && *spec.groups.constant % stencil.lanes == 0;
    at.fit = isWhole          ? DepthwisePlace::Whole
             : masksStencil() ? DepthwisePlace::Masked
                              : DepthwisePlace::Overlapping;
    auto existsAt = [&](const DepthwiseAxis &axis, Value first, int64_t i) {
      return emit.less(emit.add(first, i), axis.phase.outputs);
    };
    emitDepthwiseStencil(emit, stencil, spec.x.elementType, spec.filter.elementType, type, at,
                         [&](int64_t r, int64_t c, Value channel, Value first, Value sums) {
                           Value exists =
                               emit.logicalAnd(existsAt(row, top, r), existsAt(column, left, c));
                           emit.branch(exists, [&] {
                             Value from = emit.add(channel0, channel);
                             Value mask =
                                 isWhole ? Value() : lanesFrom(from, emit.sub(first, channel));
                             store(emit.add(top, r), emit.add(left, c), from, sums, mask);
                           });
                         });
  }

  // The tile at the outputs (top, left), for all channels of the unit. Of its outputs, the first
  // rows and columns may belong to other tiles.
  void runTile(Value top, Value left, Value skippedRows, Value skippedColumns) {
    Range rowTaps = commonTaps(row, top, tile.rows);
    Range columnTaps = commonTaps(column, left, tile.columns);
    auto isAll = [&](const Range &taps, const DepthwiseAxis &axis) {
      return emit.logicalAnd(emit.equal(taps.begin, zero), emit.equal(taps.end, axis.phase.taps));
    };
    Value isInside = emit.logicalAnd(isAll(rowTaps, row), isAll(columnTaps, column));
    emit.loop(channel0, channelEnd, tile.channels(), [&](Value at) {
      DepthwisePart part;
      Value channel = at;
      if (masksTiles())
        part.channels = emit.sub(groups, at);
      else
        channel = emit.min(at, emit.sub(groups, emit.constant(tile.channels())));
      part.sums = scratchSums;
      part.first = hasOuterTaps() ? no : yes;
      if (hasOuterTaps())
        clearSums();
      overOuterTaps([&](Value outerX, Value outerFilter) {
        Value inX = startInX(outerX, channel), inFilter = startInFilter(outerFilter, channel);
        addTaps(part, top, left, rowTaps, columnTaps, inX, inFilter);
        emit.branch(emit.equal(isInside, no),
                    [&] { addBorder(part, top, left, rowTaps, columnTaps, inX, inFilter); });
      });
      finish(top, left, skippedRows, emit.constant(tile.rows), skippedColumns,
             emit.constant(tile.columns), channel, emit.sub(at, channel));
    });
  }

  // The taps that meet elements of x at some of the tile's outputs only: row by row, column by
  // column, and in the corners output by output.
  void addBorder(DepthwisePart part, Value top, Value left, const Range &rowTaps,
                 const Range &columnTaps, Value inX, Value inFilter) {
    part.first = no;
    auto sumsAt = [&](Value r, Value c) {
      Value output = emit.add(emit.mul(r, tile.columns), c);
      return emit.address(scratchSums, type, emit.mul(output, tile.channels()));
    };
    auto overLeftOver = [&](const DepthwiseAxis &axis, Value first, int64_t outputs,
                            const Range &common,
                            llvm::function_ref<void(Value, const Range &)> body) {
      emit.loop(zero, emit.constant(outputs), 1, [&](Value i) {
        Range own = tapsOf(axis, emit.add(first, i));
        emit.loop(zero, emit.constant(2), 1, [&](Value side) {
          Range taps = leftOver(own, common, emit.equal(side, one));
          emit.branch(emit.less(taps.begin, taps.end), [&] { body(i, taps); });
        });
      });
    };
    overLeftOver(row, top, tile.rows, rowTaps, [&](Value r, const Range &taps) {
      part.allRows = false;
      part.allColumns = true;
      part.sums = sumsAt(r, zero);
      addTaps(part, emit.add(top, r), left, taps, columnTaps, inX, inFilter);
      overLeftOver(column, left, tile.columns, columnTaps, [&](Value c, const Range &corner) {
        part.allColumns = false;
        part.sums = sumsAt(r, c);
        addTaps(part, emit.add(top, r), emit.add(left, c), taps, corner, inX, inFilter);
      });
    });
    overLeftOver(column, left, tile.columns, columnTaps, [&](Value c, const Range &taps) {
      part.allRows = true;
      part.allColumns = false;
      part.sums = sumsAt(zero, c);
      addTaps(part, top, emit.add(left, c), rowTaps, taps, inX, inFilter);
    });
  }

  // One output, where there are too few for a tile or too few channels.
  void runSingle(Value r, Value c) {
    Range rowTaps = tapsOf(row, r), columnTaps = tapsOf(column, c);
    emit.loop(channel0, channelEnd, tile.channels(), [&](Value channel) {
      DepthwisePart part;
      part.allRows = part.allColumns = false;
      part.channels = emit.sub(groups, channel);
      part.sums = scratchSums;
      part.first = hasOuterTaps() ? no : yes;
      if (hasOuterTaps())
        clearSums();
      overOuterTaps([&](Value outerX, Value outerFilter) {
        addTaps(part, r, c, rowTaps, columnTaps, startInX(outerX, channel),
                startInFilter(outerFilter, channel));
      });
      finish(r, c, zero, one, zero, one, channel, zero);
    });
  }

  Value startInX(Value offset, Value channel) {
    return emit.add(emit.add(offset, channel), emit.mul(batch, size(spec.x.batch)));
  }
  Value startInFilter(Value offset, Value channel) {
    return emit.add(emit.add(offset, channel), emit.mul(each, size(spec.filter.filters)));
  }

  //===-- Results -----------------------------------------------------------------------------===//

  // The lanes of channels that exist, without the first `skipped`.
  Value lanesFrom(Value channel, Value skipped) {
    Value exist = emit.firstLanes(tile.lanes, emit.sub(groups, channel));
    Value before = emit.firstLanes(tile.lanes, skipped);
    Value after = emit.builder.create<arith::CmpIOp>(emit.loc, arith::CmpIPredicate::eq, before,
                                                     emit.zero(before.getType()));
    return emit.builder.create<arith::AndIOp>(emit.loc, exist, after);
  }

  void store(Value r, Value c, Value channel, Value sums, Value mask) {
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

  // Stores the sums of the outputs [rows, endRows) x [columns, endColumns) of a tile, without the
  // first channels.
  void finish(Value top, Value left, Value rows, Value endRows, Value columns, Value endColumns,
              Value channel, Value skippedChannels) {
    SmallVector<Value> masks(tile.vectors);
    bool isWhole = spec.groups.constant && *spec.groups.constant % tile.channels() == 0;
    if (!isWhole)
      for (int64_t v = 0; v < tile.vectors; ++v)
        masks[v] = lanesFrom(emit.add(channel, v * tile.lanes),
                             emit.sub(skippedChannels, emit.constant(v * tile.lanes)));
    emit.loop(rows, endRows, 1, [&](Value r) {
      emit.loop(columns, endColumns, 1, [&](Value c) {
        Value sums = emit.mul(emit.add(emit.mul(r, tile.columns), c), tile.channels());
        for (int64_t v = 0; v < tile.vectors; ++v) {
          Value from = emit.address(scratchSums, type, emit.add(sums, v * tile.lanes));
          store(emit.add(top, r), emit.add(left, c), emit.add(channel, v * tile.lanes),
                emit.load(VectorType::get(tile.lanes, type), from), masks[v]);
        }
      });
    });
  }

  LoopEmitter &emit;
  const ConvolutionSpec &spec;
  const ConvolutionPlan &plan;
  const DepthwisePlan &depthwise;
  const DepthwiseTile &tile;
  Type type;
  Units units;
  Value zero, one, yes, no, groups;
  size_t last; // window
  Value scratchSums;
  // Of the unit at hand.
  SmallVector<DepthwiseAxis, 3> axes;
  SmallVector<Value, 3> outer; // outputs of the windows further out than the tile's
  DepthwiseAxis row, column;
  Value batch, each, channel0, channelEnd;
};

} // namespace

Value keratin::codegen::emitDepthwiseUnits(LoopEmitter &emit, const ConvolutionSpec &spec,
                                           const ConvolutionPlan &plan) {
  return Units(emit, spec, plan, *plan.depthwise).count;
}

void keratin::codegen::emitDepthwise(LoopEmitter &emit, const ConvolutionSpec &spec,
                                     const ConvolutionPlan &plan, Value begin, Value end) {
  Nest(emit, spec, plan, *plan.depthwise).run(begin, end);
}
