// Tiles of a depthwise convolution whose taps are walked in loops.
#include "codegen/cpu/DepthwiseLoops.h"

using namespace mlir;
using namespace keratin::codegen;

// Else the last tile's channels begin earlier and overlap with the ones before.
bool DepthwiseLoops::masksTiles() const {
  return spec.groups.constant && *spec.groups.constant < tile.channels();
}

Value DepthwiseLoops::startInX(Value offset, Value channel) {
  return emit.add(emit.add(offset, channel), emit.mul(batch, size(spec.x.batch)));
}
Value DepthwiseLoops::startInFilter(Value offset, Value channel) {
  return emit.add(emit.add(offset, channel), emit.mul(each, size(spec.filter.filters)));
}

void DepthwiseLoops::clear(Value from, int64_t bytes) {
  Type i32 = emit.builder.getI32Type();
  int64_t lanes = depthwise.wordLanes;
  Value nothing = emit.zero(VectorType::get(lanes, i32));
  emit.loop(zero, emit.constant(bytes / 4), lanes,
            [&](Value i) { emit.store(nothing, emit.address(from, i32, i)); });
}

//===-- Taps ----------------------------------------------------------------------------------===//

void DepthwiseLoops::overOuterTaps(llvm::function_ref<void(Value, Value)> body) {
  std::function<void(size_t, Value, Value)> walk = [&](size_t j, Value inX, Value inFilter) {
    if (j + 1 >= last)
      return body(inX, inFilter);
    const ConvolutionAxis &axis = axes[j];
    TapRange taps = tapsOf(emit, axis, outer[j]);
    emit.loop(taps.begin, taps.end, 1, [&](Value i) {
      Value position = positionOf(emit, axis, outer[j], i);
      Value tap = elementOf(emit, axis, i);
      walk(j + 1, emit.add(inX, emit.mul(position, axis.xStride)), emit.add(inFilter, tap));
    });
  };
  emit.loop(zero, size(spec.contracted), 1, [&](Value c) {
    walk(0, emit.mul(c, size(spec.x.contracted)), emit.mul(c, size(spec.filter.contracted)));
  });
}

// Adds the products of a rectangle of taps to some of the tile's sums.
void DepthwiseLoops::addTaps(DepthwisePart part, Value firstRow, Value firstColumn,
                             const TapRange &rowTaps, const TapRange &columnTaps, Value inX,
                             Value inFilter) {
  auto position = [&](const ConvolutionAxis &axis, Value output, Value tap) {
    return emit.mul(positionOf(emit, axis, output, tap), axis.xStride);
  };
  inX = emit.add(inX, position(row, firstRow, rowTaps.begin));
  inX = emit.add(inX, position(column, firstColumn, columnTaps.begin));
  inFilter = emit.add(inFilter, elementOf(emit, row, rowTaps.begin));
  inFilter = emit.add(inFilter, elementOf(emit, column, columnTaps.begin));
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

// The taps of single outputs beside the common ones.
void DepthwiseLoops::overLeftOver(const ConvolutionAxis &axis, Value first, int64_t outputs,
                                  const TapRange &common,
                                  llvm::function_ref<void(Value, const TapRange &)> body) {
  emit.loop(zero, emit.constant(outputs), 1, [&](Value i) {
    TapRange own = tapsOf(emit, axis, emit.add(first, i));
    emit.loop(zero, emit.constant(2), 1, [&](Value side) {
      TapRange taps = leftOver(emit, own, common, emit.equal(side, one));
      emit.branch(emit.less(taps.begin, taps.end), [&] { body(i, taps); });
    });
  });
}

// The taps that meet elements of x at some of the tile's outputs only: row by row, column by
// column, and in the corners output by output.
void DepthwiseLoops::addBorder(DepthwisePart part, Value top, Value left, const TapRange &rowTaps,
                               const TapRange &columnTaps, Value inX, Value inFilter) {
  part.first = no;
  auto sumsAt = [&](Value r, Value c) {
    Value output = emit.add(emit.mul(r, tile.columns), c);
    return emit.address(scratchSums, type, emit.mul(output, tile.channels()));
  };
  overLeftOver(row, top, tile.rows, rowTaps, [&](Value r, const TapRange &taps) {
    part.allRows = false;
    part.allColumns = true;
    part.sums = sumsAt(r, zero);
    addTaps(part, emit.add(top, r), left, taps, columnTaps, inX, inFilter);
    overLeftOver(column, left, tile.columns, columnTaps, [&](Value c, const TapRange &corner) {
      part.allColumns = false;
      part.sums = sumsAt(r, c);
      addTaps(part, emit.add(top, r), emit.add(left, c), taps, corner, inX, inFilter);
    });
  });
  overLeftOver(column, left, tile.columns, columnTaps, [&](Value c, const TapRange &taps) {
    part.allRows = true;
    part.allColumns = false;
    part.sums = sumsAt(zero, c);
    addTaps(part, top, emit.add(left, c), rowTaps, taps, inX, inFilter);
  });
}

//===-- Tiles ---------------------------------------------------------------------------------===//

// Where several parts are added, sums are zero before the first of them.
void DepthwiseLoops::beginSums(DepthwisePart &part) {
  part.sums = scratchSums;
  part.first = hasOuterTaps() ? no : yes;
  if (hasOuterTaps())
    clear(scratchSums, depthwise.scratch.bytes - depthwise.scratch.sums);
}

// Tiles side by side; at the ends they begin earlier, and leave out what others have done.
void DepthwiseLoops::runTiles(const Outputs &outputs) {
  Value top = emit.min(outputs.firstRow, emit.sub(outputs.rows, emit.constant(tile.rows)));
  Value skipped = emit.sub(outputs.firstRow, top);
  emit.loop(outputs.firstColumn, outputs.endColumn, tile.columns, [&](Value at) {
    Value left = emit.min(at, emit.sub(outputs.columns, emit.constant(tile.columns)));
    runTile(top, left, skipped, emit.sub(at, left));
  });
}

// The tile at the outputs (top, left), for all channels of the unit. Of its outputs, the first
// rows and columns may belong to other tiles.
void DepthwiseLoops::runTile(Value top, Value left, Value skippedRows, Value skippedColumns) {
  TapRange rowTaps = commonTaps(emit, row, top, tile.rows);
  TapRange columnTaps = commonTaps(emit, column, left, tile.columns);
  Value isInside =
      emit.logicalAnd(isAllTaps(emit, rowTaps, row), isAllTaps(emit, columnTaps, column));
  emit.loop(channel0, channelEnd, tile.channels(), [&](Value at) {
    DepthwisePart part;
    Value channel = at;
    if (masksTiles())
      part.channels = emit.sub(groups, at);
    else
      channel = emit.min(at, emit.sub(groups, emit.constant(tile.channels())));
    beginSums(part);
    overOuterTaps([&](Value outerX, Value outerFilter) {
      Value inX = startInX(outerX, channel), inFilter = startInFilter(outerFilter, channel);
      addTaps(part, top, left, rowTaps, columnTaps, inX, inFilter);
      emit.branch(emit.equal(isInside, no),
                  [&] { addBorder(part, top, left, rowTaps, columnTaps, inX, inFilter); });
    });
    finish(top, left, {skippedRows, emit.constant(tile.rows)},
           {skippedColumns, emit.constant(tile.columns)}, channel, emit.sub(at, channel));
  });
}

// One output, where there are too few for a tile or too few channels.
void DepthwiseLoops::runSingle(Value r, Value c) {
  TapRange rowTaps = tapsOf(emit, row, r), columnTaps = tapsOf(emit, column, c);
  emit.loop(channel0, channelEnd, tile.channels(), [&](Value channel) {
    DepthwisePart part;
    part.allRows = part.allColumns = false;
    part.channels = emit.sub(groups, channel);
    beginSums(part);
    overOuterTaps([&](Value outerX, Value outerFilter) {
      addTaps(part, r, c, rowTaps, columnTaps, startInX(outerX, channel),
              startInFilter(outerFilter, channel));
    });
    finish(r, c, {zero, one}, {zero, one}, channel, zero);
  });
}
