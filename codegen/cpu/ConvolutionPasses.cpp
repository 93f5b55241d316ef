// The passes of tiles over the region of a unit of a convolution.
#include "codegen/cpu/ConvolutionLoops.h"

using namespace mlir;
using namespace keratin::codegen;
using Filter = ConvolutionPlan::Filter;

// Where the taps of the region lie, seen from an output.
void ConvolutionLoops::listTaps() {
  Value position = zero, count = one;
  // The last window's taps are among them unless they are part of the run that tiles walk.
  auto listed = [&](size_t j) {
    Value taps = windows[j].tapsHere;
    if (j < last)
      return taps;
    return plan.batchInside ? one : emit.select(blocks.isJoined, emit.min(taps, one), taps);
  };
  std::function<void(size_t, Value, Value)> walk = [&](size_t j, Value offset, Value number) {
    if (j > last) {
      Type i64 = emit.builder.getI64Type();
      emit.store(offset, emit.address(offsets, i64, number));
      return;
    }
    Value taps = listed(j);
    Value step = emit.mul(blocks.windows[j].stride, plan.steps[j].iStep);
    emit.loop(zero, taps, 1, [&](Value i) {
      walk(j + 1, emit.add(offset, emit.mul(i, step)), emit.add(emit.mul(number, taps), i));
    });
  };
  if (plan.batchInside)
    emit.loop(zero, outsideHere, 1,
              [&](Value i) { walk(0, emit.mul(i, blocks.outsideStride), i); });
  else
    walk(0, position, zero);
  for (size_t j = 0; j <= last; ++j)
    count = emit.mul(count, listed(j));
  tapCount = plan.batchInside ? emit.mul(count, outsideHere) : count;

  Value lastStep = emit.mul(blocks.pixel, plan.steps[last].iStep);
  if (plan.batchInside) {
    depth = windows[last].tapsHere;
    depthStride = lastStep;
    return;
  }
  depth = emit.select(blocks.isJoined, emit.mul(windows[last].tapsHere, channelHere), channelHere);
  // One channel: the run is the window itself.
  depthStride = plan.channel(spec).constant == 1 ? lastStep : blocks.width;
}

ConvolutionLoops::Passes ConvolutionLoops::cutDepth() {
  Passes passes;
  Value most = emit.constant(plan.passDepth);
  passes.parts = one;
  if (plan.filter == Filter::PackedInPasses)
    passes.parts = emit.max(emit.ceilDiv(depth, most), one);
  passes.partDepth = emit.ceilDiv(depth, passes.parts);
  passes.taps = emit.max(emit.div(most, emit.max(depth, one)), one);
  // Rows of a filter in place follow one another only if channels are not cut.
  if (plan.isFilterOneRun())
    passes.taps = emit.select(emit.equal(blocks.channelCount, one), passes.taps, one);
  Value count = emit.mul(emit.ceilDiv(tapCount, passes.taps), passes.parts);
  passes.count = emit.max(count, one);
  return passes;
}

Value ConvolutionLoops::tapsOf(const Passes &passes, Value firstTap) {
  return emit.min(passes.taps, emit.sub(tapCount, firstTap));
}

// Where a pass begins: a tap, and a row of the depth in it.
std::pair<Value, Value> ConvolutionLoops::startOf(const Passes &passes, Value pass) {
  Value number = emit.div(pass, passes.parts);
  Value part = emit.sub(pass, emit.mul(number, passes.parts));
  return {emit.mul(number, passes.taps), emit.mul(part, passes.partDepth)};
}

// All rows of the unit against one panel, in a stretch of the depth that stays near meanwhile.
// The last stretch's sums are finished line by line, while they are still there.
void ConvolutionLoops::runPass(const Passes &passes, Value pass, Value panel) {
  auto [tap, row] = startOf(passes, pass);
  ContractionPanel job;
  job.depth = emit.min(passes.partDepth, emit.sub(depth, row));
  job.depthStride = depthStride;
  if (plan.tile.isOfPairs())
    job.pairs = ContractionPanel::Pairs::AtOnce;
  Value lastStep = emit.mul(blocks.pixel, plan.steps[last].oStep);
  if (plan.batchInside) {
    job.rows = emit.mul(windows[last].outputsHere, channelHere);
    job.rowStride = plan.channel(spec).constant == 1 ? lastStep : blocks.width;
  } else {
    job.rows = windows[last].outputsHere;
    job.rowStride = lastStep;
  }
  job.tileStride = emit.mul(job.rowStride, plan.tile.tileRows);
  job.wideRows = plan.alongGroups;
  job.taps = tapsOf(passes, tap);
  job.offsets = emit.address(offsets, emit.builder.getI64Type(), tap);
  job.bDepthStride = emit.constant(plan.tile.tileColumns());
  switch (plan.filter) {
  case Filter::PackedOnce:
    job.b = packedRow(panel, tap, row);
    break;
  case Filter::PackedInPasses:
    job.b = packed;
    packPass(passes, pass, panel);
    break;
  case Filter::InPlace:
    job.b = emit.address(spec.filter.base, type, filterElement(panel, tap, row));
    job.bDepthStride = stride(spec.filter.contracted);
    break;
  case Filter::InPanels:
    job.b = emit.address(spec.filter.base, type, panelElement(panel, tap, row));
    break;
  }
  job.first = emit.logicalAnd(isFirstRegion, emit.equal(pass, zero));
  Value isLastPass = emit.equal(pass, emit.sub(passes.count, one));
  Value isLast = emit.logicalAnd(isLastRegion, isLastPass);

  Value start = emit.address(region, type, emit.mul(row, depthStride));
  if (plan.alongGroups)
    start = emit.address(start, type, emit.mul(panel, plan.tile.tileColumns()));
  // One panel's and one line's sums make room for the next one's if none has to wait.
  Value apart = emit.mul(emit.mul(blocks.lines, blocks.lineRows), plan.tile.tileColumns());
  Value panelSums = emit.mul(panel, apart);
  if (!plan.sweepsColumns)
    panelSums = emit.select(blocks.isOneRegion, zero, panelSums);
  panelSums = emit.address(sums, type, panelSums);
  Value isOnePass = emit.logicalAnd(blocks.isOneRegion, emit.equal(passes.count, one));
  Value linesApart = emit.select(isOnePass, zero, blocks.lineRows);

  NextPass next;
  if (plan.bringsPanels ||
      (plan.filter == Filter::PackedInPasses && spec.filter.elementType == type))
    next = nextPass(passes, pass, panel, job);
  overLines([&](Value line, Value lineStart) {
    job.a = emit.address(start, type, lineStart);
    if (next.from)
      job.ahead = aheadOf(next, line);
    Value before = emit.mul(emit.mul(line, linesApart), plan.tile.tileColumns());
    job.sums = emit.address(panelSums, type, before);
    emitContractionPanel(emit, plan.tile, type, job);
    emit.branch(isLast, [&] { finishLine(line, job.sums); });
  });
}

ConvolutionLoops::NextPass ConvolutionLoops::nextPass(const Passes &passes, Value pass, Value panel,
                                                      const ContractionPanel &job) {
  Value width = emit.constant(plan.tile.tileColumns());
  auto [tap, row] = startOf(passes, emit.add(pass, 1));
  // Behind the last pass come the next columns.
  Value isLast = emit.equal(emit.add(pass, 1), passes.count);
  tap = emit.select(isLast, zero, tap);
  row = emit.select(isLast, zero, row);
  NextPass next;
  Value tiles = emit.max(emit.div(job.rows, emit.constant(plan.tile.tileRows)), one);
  next.every = emit.max(emit.mul(tiles, lineCount()), emit.constant(4));
  next.ofLine = emit.mul(emit.mul(tiles, job.taps), emit.ceilDiv(job.depth, next.every));
  if (plan.filter == Filter::InPanels) {
    next.from = panelElement(emit.select(isLast, emit.add(panel, 1), panel), tap, row);
    next.runLength = emit.max(emit.mul(job.taps, job.depth), one);
    next.apart = emit.mul(next.runLength, width);
    next.firstLine = zero;
  } else if (plan.sweepsColumns) {
    Value skipped = emit.select(isLast, emit.ceilDiv(columnsHere, width), zero);
    next.from = filterElement(skipped, tap, row);
    next.runLength = emit.ceilDiv(columnsHere, width);
    next.apart = stride(spec.filter.contracted);
    next.firstLine = emit.mul(emit.mul(panel, lineCount()), next.ofLine);
  } else {
    next.from = filterElement(emit.select(isLast, emit.add(panel, 1), panel), tap, row);
    next.runLength = emit.max(emit.ceilDiv(job.depth, width), one);
    next.apart = stride(spec.filter.filters);
    next.firstLine = zero;
  }
  return next;
}

ContractionPanel::Ahead ConvolutionLoops::aheadOf(const NextPass &next, Value line) {
  Value width = emit.constant(plan.tile.tileColumns());
  Value first = emit.add(next.firstLine, emit.mul(line, next.ofLine));
  Value run = emit.div(first, next.runLength);
  Value inRun = emit.sub(first, emit.mul(run, next.runLength));
  Value at = emit.add(emit.mul(run, next.apart), emit.mul(inRun, width));
  ContractionPanel::Ahead ahead;
  ahead.from = emit.address(spec.filter.base, spec.filter.elementType, emit.add(next.from, at));
  ahead.left = emit.sub(next.runLength, inRun);
  ahead.runLength = next.runLength;
  ahead.betweenRuns = emit.sub(next.apart, emit.mul(next.runLength, width));
  ahead.every = next.every;
  return ahead;
}

// A unit has one output of the windows further out, or none where its phase has fewer.
Value ConvolutionLoops::lineCount() {
  Value lines = one;
  for (size_t j = 0; j < last; ++j)
    lines = emit.mul(lines, windows[j].outputsHere);
  return lines;
}

// body(line, its start in the region)
void ConvolutionLoops::overLines(llvm::function_ref<void(Value, Value)> body) {
  if (last == 0)
    return body(zero, zero);
  Value step = emit.mul(blocks.windows[last - 1].stride, plan.steps[last - 1].oStep);
  emit.loop(zero, lineCount(), 1, [&](Value line) { body(line, emit.mul(line, step)); });
}
