// What a unit of a convolution copies into its scratch: the region of x that it reads, with the
// zeros around it, and panels of the filter.
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/ConvolutionLoops.h"
#include "codegen/cpu/ConvolutionPacking.h"

using namespace mlir;
using namespace keratin::codegen;
using Filter = ConvolutionPlan::Filter;

//===-- x -------------------------------------------------------------------------------------===//

void ConvolutionLoops::copyRegion() {
  const ConvolutionOperand &x = spec.x;
  Value outsideStride = stride(plan.batchInside ? x.contracted : x.batch);
  Value channelStride = stride(plan.batchInside ? x.batch : x.contracted);
  Value groupStride = stride(x.groups);
  Value from =
      emit.add(emit.mul(outside0, outsideStride), emit.mul(numbersOf(channel0), channelStride));
  from = emit.add(from, emit.mul(plan.alongGroups ? column0 : each, groupStride));

  emit.loop(zero, outsideHere, 1, [&](Value outside) {
    Value source = emit.add(from, emit.mul(outside, outsideStride));
    Value target = emit.address(region, type, emit.mul(outside, blocks.outsideStride));
    copyWindows(0, source, target, emit.equal(zero, zero));
  });
}

void ConvolutionLoops::copyWindows(size_t j, Value source, Value target, Value isInside) {
  const Window &w = windows[j];
  int64_t step = plan.steps[j].step;
  Value size = stride(spec.windows[j].x), along = stride(spec.x.windows[j]);
  if (j < last) {
    emit.loop(zero, w.span, 1, [&](Value i) {
      Value position = emit.add(w.start, emit.mul(i, step));
      Value inside =
          emit.logicalAnd(emit.less(emit.constant(-1), position), emit.less(position, size));
      copyWindows(j + 1, emit.add(source, emit.mul(position, along)),
                  emit.address(target, type, emit.mul(i, blocks.windows[j].stride)),
                  emit.logicalAnd(isInside, inside));
    });
    return;
  }
  auto stepsTo = [&](Value position) {
    return emit.ceilDiv(emit.max(emit.sub(position, w.start), zero), emit.constant(step));
  };
  ConvolutionLine line;
  line.span = w.span;
  line.lead = emit.select(isInside, emit.min(stepsTo(zero), w.span), w.span);
  Value end = emit.max(emit.min(stepsTo(size), w.span), line.lead);
  line.body = emit.sub(end, line.lead);
  Value first = emit.add(w.start, emit.mul(line.lead, step));
  Value base = emit.add(source, emit.mul(first, along));
  line.fromPixel = emit.mul(along, step);
  line.pixel = blocks.pixel;
  if (!plan.alongGroups) {
    line.to = target;
    line.run = channelHere;
    line.numbers = numbersHere;
    line.fromRun = stride(plan.batchInside ? spec.x.batch : spec.x.contracted);
    line.from = emit.address(spec.x.base, spec.x.elementType, base);
    emitConvolutionLine(emit, plan.tile, spec.x.elementType, type, line);
    return;
  }
  line.run = line.numbers = columnsHere;
  line.fromRun = stride(spec.x.groups);
  emit.loop(zero, channelHere, 1, [&](Value channel) {
    Value channelStride = stride(plan.batchInside ? spec.x.batch : spec.x.contracted);
    line.to = emit.address(target, type, emit.mul(channel, blocks.width));
    line.from = emit.address(spec.x.base, spec.x.elementType,
                             emit.add(base, emit.mul(channel, channelStride)));
    emitConvolutionLine(emit, plan.tile, spec.x.elementType, type, line);
  });
}

//===-- The filter ----------------------------------------------------------------------------===//

// Rows of a panel follow the order in which tiles walk the depth: all windows, then the channel;
// with the batch inside, the contracted dimension, then all windows.
void ConvolutionLoops::packPanels() {
  const ConvolutionOperand &filter = spec.filter;
  Value contracted = stride(filter.contracted);
  Value columnStride = stride(plan.alongGroups ? filter.groups : filter.filters);
  Value eachStride = stride(plan.alongGroups ? filter.filters : filter.groups);
  Value from = emit.add(emit.mul(column0, columnStride), emit.mul(each, eachStride));
  from = emit.add(from, emit.mul(plan.batchInside ? outside0 : numbersOf(channel0), contracted));
  for (const Window &w : windows)
    from = emit.add(from, emit.add(w.phase.filterBase, emit.mul(w.firstTap, w.phase.filterStep)));

  Value width = emit.constant(plan.tile.tileColumns());
  ConvolutionFilterRows rows;
  rows.columns = columnsHere;
  rows.colStride = columnStride;
  rows.panelStride = emit.mul(blocks.depth, width);
  const Value packedRows = plan.batchInside ? windows[last].tapsHere : channelHere;
  auto pack = [&](Value offset, Value row) {
    rows.from = emit.address(filter.base, filter.elementType, offset);
    rows.to = emit.address(packed, type, emit.mul(emit.mul(row, packedRows), width));
    emitConvolutionFilterRows(emit, plan.tile, filter.elementType, type, rows);
  };
  if (plan.batchInside) {
    rows.rows = windows[last].tapsHere;
    rows.rowStride = windows[last].phase.filterStep;
    emit.loop(zero, outsideHere, 1, [&](Value i) {
      overTaps(0, last, emit.add(from, emit.mul(i, contracted)), i, pack);
    });
  } else {
    rows.rows = numbersHere;
    rows.rowStride = contracted;
    overTaps(0, last + 1, from, zero, pack);
  }
}

// body(offset in the filter, number of the tap) for the taps of the windows [j, end).
void ConvolutionLoops::overTaps(size_t j, size_t end, Value offset, Value number,
                                llvm::function_ref<void(Value, Value)> body) {
  if (j == end)
    return body(offset, number);
  emit.loop(zero, windows[j].tapsHere, 1, [&](Value i) {
    overTaps(j + 1, end, emit.add(offset, emit.mul(i, windows[j].phase.filterStep)),
             emit.add(emit.mul(number, windows[j].tapsHere), i), body);
  });
}

// Row `row` of a tap of the panel.
Value ConvolutionLoops::packedRow(Value panel, Value tap, Value row) {
  Value width = emit.constant(plan.tile.tileColumns());
  Value first = emit.mul(emit.mul(panel, width), blocks.depth);
  Value rows = emit.add(emit.mul(tap, depth), row);
  return emit.address(emit.address(packed, type, first), type, emit.mul(rows, width));
}

// Of rows that follow one another: the run of a tap or of the last window's taps may be longer than
// what is read of it.
Value ConvolutionLoops::rowOfRun(Value tap, Value row) {
  Value run = emit.select(blocks.isJoined, depth, blocks.channel);
  return emit.add(emit.mul(tap, run), row);
}

// The same in panels that were packed before, as the number of an element.
Value ConvolutionLoops::panelElement(Value panel, Value tap, Value row) {
  Value width = emit.constant(plan.tile.tileColumns());
  Value depthOfAll = blocks.channel;
  for (const ConvolutionWindow &window : spec.windows)
    depthOfAll = emit.mul(depthOfAll, numberOf(emit, window.filter));
  Value before = emit.mul(emit.add(emit.div(column0, width), panel), depthOfAll);
  return emit.mul(emit.add(before, emit.add(channel0, rowOfRun(tap, row))), width);
}

// The same where the filter is, as the number of an element.
Value ConvolutionLoops::filterElement(Value panel, Value tap, Value row) {
  const ConvolutionOperand &filter = spec.filter;
  Value column = emit.add(column0, emit.mul(panel, plan.tile.tileColumns()));
  Value at = emit.mul(column, stride(filter.filters));
  if (plan.filter == Filter::InPlace) {
    row = rowOfRun(tap, row);
  } else {
    Value rest = tap;
    for (size_t j = last + 1; j-- > 0;) {
      const Window &w = windows[j];
      Value i = emit.add(w.firstTap, emit.popCounter(rest, emit.max(w.tapsHere, one)));
      at = emit.add(at, emit.add(w.phase.filterBase, emit.mul(i, w.phase.filterStep)));
    }
  }
  return emit.add(at, emit.mul(numbersOf(emit.add(channel0, row)), stride(filter.contracted)));
}

// A panel's columns of a pass, to where the pass before had them.
void ConvolutionLoops::packPass(const Passes &passes, Value pass, Value panel) {
  const ConvolutionOperand &filter = spec.filter;
  Value width = emit.constant(plan.tile.tileColumns());
  auto [firstTap, row] = startOf(passes, pass);
  PackedColumns block;
  block.sourceType = filter.elementType;
  block.type = type;
  block.rowStride = stride(filter.contracted);
  block.colStride = stride(filter.filters);
  const Value packedRows = emit.min(passes.partDepth, emit.sub(depth, row));
  block.depth = emit.min(numbersOf(packedRows), emit.sub(numbersHere, numbersOf(row)));
  block.panelDepth = zero;
  block.columnsHere = emit.min(width, emit.sub(columnsHere, emit.mul(panel, width)));
  block.firstPanel = zero;
  Value first = firstTap, from = row;
  emit.loop(zero, tapsOf(passes, firstTap), 1, [&](Value tap) {
    Value at = filterElement(panel, emit.add(first, tap), from);
    block.source = emit.address(filter.base, filter.elementType, at);
    block.packed = emit.address(packed, type, emit.mul(emit.mul(tap, packedRows), width));
    emitPackColumns(emit, plan.tile, block);
  });
}
