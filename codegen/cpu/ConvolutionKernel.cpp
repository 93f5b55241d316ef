#include "codegen/cpu/ConvolutionKernel.h"
#include "codegen/cpu/ContractionMicroKernel.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/ConvolutionBlocks.h"
#include "codegen/cpu/ConvolutionPacking.h"
#include "codegen/cpu/ConvolutionPhase.h"
#include "codegen/cpu/DepthwiseKernel.h"
#include "codegen/cpu/Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Filter = ConvolutionPlan::Filter;

// Where things are in the scratch, in elements of the accumulator.
struct ScratchLayout {
  int64_t region = 0, panels = 0, sums = 0, offsets = 0, bytes = 0;

  ScratchLayout(LoopEmitter &emit, const ConvolutionPlan &plan, const ConvolutionBlocks &blocks,
                int64_t elementBytes) {
    // What is known is allotted exactly; else the limits hold.
    auto elements = [&](Value size, int64_t most) {
      return roundUp(std::min(emit.constantOf(size).value_or(most), most), 64);
    };
    int64_t tile = plan.tile.tileColumns();
    panels = elements(blocks.regionElements, plan.regionElements);
    int64_t columns = plan.alongGroups ? std::max(plan.mostColumns, tile) : tile;
    sums = panels;
    if (plan.filter == Filter::PackedInPasses)
      sums += roundUp(plan.passDepth * tile, 64);
    else if (plan.filter == Filter::PackedOnce)
      sums += elements(emit.mul(blocks.depth, blocks.columnBlock),
                       std::max(plan.panelElements, columns * plan.mostDepth));
    Value waiting = blocks.columnBlock;
    if (!plan.sweepsColumns)
      waiting = emit.select(blocks.isOneRegion, emit.constant(tile), waiting);
    offsets = sums + elements(emit.mul(waiting, emit.mul(blocks.lines, blocks.lineRows)),
                              std::max<int64_t>(128, tile) * (plan.mostRows + plan.tile.tailRows));
    bytes = roundUp(offsets * elementBytes, 64) + plan.mostTaps * 8;
  }
};

// The blocks, once it is decided whether the filter is read in place: for this a region meets all
// taps, so that they follow one another.
ConvolutionBlocks emitBlocks(LoopEmitter &emit, const ConvolutionSpec &spec,
                             ConvolutionPlan &plan) {
  ConvolutionBlocks blocks = emitConvolutionBlocks(emit, spec, plan);
  auto isWhole = [&](const ConvolutionBlocks::Window &window) {
    return emit.constantOf(window.tapCount) == 1;
  };
  if (plan.filter != Filter::InPlace || llvm::all_of(blocks.windows, isWhole))
    return blocks;
  plan.filter = Filter::PackedOnce;
  return emitConvolutionBlocks(emit, spec, plan);
}

class Nest {
public:
  Nest(LoopEmitter &emit, const ConvolutionSpec &spec, ConvolutionPlan decided)
      : emit(emit), spec(spec), plan(std::move(decided)), type(spec.accumulatorType),
        blocks(emitBlocks(emit, spec, plan)), zero(emit.constant(0)), one(emit.constant(1)),
        layout(emit, plan, blocks, ceilDiv(type.getIntOrFloatBitWidth(), 8)),
        last(spec.windows.size() - 1) {
    // No code for rows left over by tiles where none ever are.
    if (areTilesWhole())
      plan.tile.tailRows = 0;
    region = emit.address(spec.scratch, type, layout.region);
    packed = emit.address(spec.scratch, type, layout.panels);
    sums = emit.address(spec.scratch, type, layout.sums);
    offsets = emit.address(spec.scratch, type, layout.offsets);
  }

  int64_t scratchBytes() const { return layout.bytes; }

  void run(Value begin, Value end) {
    if (plan.filter != Filter::PackedOnce)
      return runItems(begin, end);
    // Which panels lie packed in the scratch. Units with the same panels come one after the other.
    emit.loop(begin, end, 1, {emit.constant(-1)}, [&](Value unit, ValueRange held) {
      Value panels = emit.div(unit, blocks.unitCount);
      openPanels(panels);
      Value first = emit.mul(emit.sub(unit, emit.mul(panels, blocks.unitCount)), blocks.unitItems);
      Value end = emit.min(emit.add(first, blocks.unitItems), blocks.items);
      emit.loop(first, end, 1, [&](Value item) {
        openItem(item);
        Value isHeld = emit.select(emit.equal(panels, held[0]), emit.equal(zero, zero),
                                   emit.less(first, item));
        isHeld = emit.logicalAnd(blocks.isOneRegion, isHeld);
        emit.loop(zero, blocks.regions, 1,
                  [&](Value region) { runRegion(region, isHeld, emit.less(one, zero)); });
      });
      return LoopEmitter::Values{panels};
    });
  }

  // Units share nothing of the filter. Those with the same region, of an item at a phase, come one
  // after the other.
  void runItems(Value begin, Value end) {
    emit.loop(begin, end, 1, {emit.constant(-1)}, [&](Value unit, ValueRange held) {
      Value item = emit.div(unit, blocks.panels);
      openPanels(emit.sub(unit, emit.mul(item, blocks.panels)));
      openItem(item);
      Value source = emit.div(unit, blocks.columnCount);
      Value isHeld = emit.logicalAnd(blocks.isOneRegion, emit.equal(source, held[0]));
      emit.loop(zero, blocks.regions, 1,
                [&](Value region) { runRegion(region, emit.equal(zero, zero), isHeld); });
      return LoopEmitter::Values{source};
    });
  }

private:
  // Of the unit or region at hand.
  struct Window {
    Value number; // of the phase
    ConvolutionPhase phase;
    Value firstOutput, outputsHere;
    Value firstTap, tapsHere;
    Value start, span; // positions in x, and how many
  };

  // Stretches of the depth: taps, as many at a time, or parts of a tap.
  struct Passes {
    Value taps, parts, partDepth, count;
  };

  bool areTilesWhole() const {
    const ConvolutionBlocks::Window &window = blocks.windows[last];
    auto known = [&](Value value) { return emit.constantOf(value); };
    std::optional<int64_t> outputs = known(window.outputs), block = known(window.outputBlock);
    std::optional<int64_t> y = spec.windows[last].y.constant;
    if (!outputs || !block || !y || *y % plan.steps[last].phases)
      return false;
    if (plan.batchInside) {
      std::optional<int64_t> channel = known(blocks.channel);
      if (*outputs % *block || !channel || known(blocks.channelCount) != 1)
        return false;
      return *block * *channel % plan.tile.tileRows == 0;
    }
    return *outputs % plan.tile.tileRows == 0 && *block % plan.tile.tileRows == 0;
  }

  Value stride(const ConvolutionSize &size) { return emitConvolutionSize(emit, size); }

  Value here(Value size, Value first, Value block) {
    return emit.max(emit.min(block, emit.sub(size, first)), zero);
  }

  // Which part of the filter, and so which columns and phases of the result.
  void openPanels(Value number) {
    Value rest = number;
    windows.assign(spec.windows.size(), {});
    column0 = emit.mul(emit.popCounter(rest, blocks.columnCount), blocks.columnBlock);
    columnsHere = here(blocks.columns, column0, blocks.columnBlock);
    each = emit.popCounter(rest, blocks.each);
    for (size_t j = windows.size(); j-- > 0;) {
      Window &w = windows[j];
      w.number = emit.popCounter(rest, blocks.windows[j].phases);
      w.phase = emitConvolutionPhase(emit, spec.windows[j], plan.steps[j], spec.filter.windows[j],
                                     w.number);
    }
  }

  void openItem(Value number) {
    Value rest = number;
    for (size_t j = windows.size(); j-- > 0;) {
      Window &w = windows[j];
      const ConvolutionBlocks::Window &block = blocks.windows[j];
      w.firstOutput = emit.mul(emit.popCounter(rest, block.outputCount), block.outputBlock);
      w.outputsHere = here(w.phase.outputs, w.firstOutput, block.outputBlock);
    }
    channel0 = outside0 = zero;
    if (plan.batchInside)
      channel0 = emit.mul(rest, blocks.channelBlock);
    else
      outside0 = rest;
  }

  void runRegion(Value number, Value isFilterHeld, Value isRegionHeld) {
    Value rest = number;
    for (size_t j = windows.size(); j-- > 0;) {
      Window &w = windows[j];
      const ConvolutionBlocks::Window &block = blocks.windows[j];
      const WindowSteps &steps = plan.steps[j];
      w.firstTap = emit.mul(emit.popCounter(rest, block.tapCount), block.tapBlock);
      w.tapsHere = here(w.phase.taps, w.firstTap, block.tapBlock);
      Value first =
          emit.add(emit.mul(w.firstOutput, steps.oStep), emit.mul(w.firstTap, steps.iStep));
      w.start = emit.sub(emit.mul(first, steps.step), w.phase.low);
      Value reach = emit.add(emit.mul(emit.sub(w.outputsHere, one), steps.oStep),
                             emit.mul(emit.sub(w.tapsHere, one), steps.iStep));
      Value empty = emit.equal(emit.mul(w.outputsHere, w.tapsHere), zero);
      w.span = emit.select(empty, zero, emit.add(reach, 1));
    }
    if (plan.batchInside)
      outside0 = emit.mul(rest, blocks.outsideBlock);
    else
      channel0 = emit.mul(rest, blocks.channelBlock);
    channelHere = here(blocks.channel, channel0, blocks.channelBlock);
    outsideHere = here(blocks.outside, outside0, blocks.outsideBlock);

    Value no = emit.less(one, zero);
    emit.branch(emit.equal(isRegionHeld, no), [&] { copyRegion(); });
    emit.branch(emit.equal(isFilterHeld, no), [&] { packPanels(); });
    listTaps();

    isFirstRegion = emit.equal(number, zero);
    isLastRegion = emit.equal(number, emit.sub(blocks.regions, one));
    Passes passes = cutDepth();
    Value panels = emit.ceilDiv(columnsHere, emit.constant(plan.tile.tileColumns()));
    auto overPanels = [&](llvm::function_ref<void(Value)> body) {
      emit.loop(zero, panels, 1, [&](Value panel) {
        openPanel(panel);
        body(panel);
      });
    };
    auto overPasses = [&](llvm::function_ref<void(Value)> body) {
      emit.loop(zero, passes.count, 1, body);
    };
    if (plan.sweepsColumns)
      overPasses(
          [&](Value pass) { overPanels([&](Value panel) { runPass(passes, pass, panel); }); });
    else
      overPanels(
          [&](Value panel) { overPasses([&](Value pass) { runPass(passes, pass, panel); }); });
  }

  //===-- x -----------------------------------------------------------------------------------===//

  void copyRegion() {
    const ConvolutionOperand &x = spec.x;
    Value outsideStride = stride(plan.batchInside ? x.contracted : x.batch);
    Value channelStride = stride(plan.batchInside ? x.batch : x.contracted);
    Value groupStride = stride(x.groups);
    Value from = emit.add(emit.mul(outside0, outsideStride), emit.mul(channel0, channelStride));
    from = emit.add(from, emit.mul(plan.alongGroups ? column0 : each, groupStride));

    emit.loop(zero, outsideHere, 1, [&](Value outside) {
      Value source = emit.add(from, emit.mul(outside, outsideStride));
      Value target = emit.address(region, type, emit.mul(outside, blocks.outsideStride));
      copyWindows(0, source, target, emit.equal(zero, zero));
    });
  }

  void copyWindows(size_t j, Value source, Value target, Value isInside) {
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
      line.fromRun = stride(plan.batchInside ? spec.x.batch : spec.x.contracted);
      line.from = emit.address(spec.x.base, spec.x.elementType, base);
      emitConvolutionLine(emit, plan.tile, spec.x.elementType, type, line);
      return;
    }
    line.run = columnsHere;
    line.fromRun = stride(spec.x.groups);
    emit.loop(zero, channelHere, 1, [&](Value channel) {
      Value channelStride = stride(plan.batchInside ? spec.x.batch : spec.x.contracted);
      line.to = emit.address(target, type, emit.mul(channel, blocks.width));
      line.from = emit.address(spec.x.base, spec.x.elementType,
                               emit.add(base, emit.mul(channel, channelStride)));
      emitConvolutionLine(emit, plan.tile, spec.x.elementType, type, line);
    });
  }

  //===-- The filter --------------------------------------------------------------------------===//

  // Rows of a panel follow the order in which tiles walk the depth: all windows, then the channel;
  // with the batch inside, the contracted dimension, then all windows.
  void packPanels() {
    const ConvolutionOperand &filter = spec.filter;
    Value contracted = stride(filter.contracted);
    Value columnStride = stride(plan.alongGroups ? filter.groups : filter.filters);
    Value eachStride = stride(plan.alongGroups ? filter.filters : filter.groups);
    Value from = emit.add(emit.mul(column0, columnStride), emit.mul(each, eachStride));
    from = emit.add(from, emit.mul(plan.batchInside ? outside0 : channel0, contracted));
    for (const Window &w : windows)
      from = emit.add(from, emit.add(w.phase.filterBase, emit.mul(w.firstTap, w.phase.filterStep)));

    Value width = emit.constant(plan.tile.tileColumns());
    ConvolutionFilterRows rows;
    rows.columns = columnsHere;
    rows.colStride = columnStride;
    rows.panelStride = emit.mul(blocks.depth, width);
    auto pack = [&](Value offset, Value row) {
      rows.from = emit.address(filter.base, filter.elementType, offset);
      rows.to = emit.address(packed, type, emit.mul(emit.mul(row, rows.rows), width));
      emitConvolutionFilterRows(emit, plan.tile, filter.elementType, type, rows);
    };
    if (plan.batchInside) {
      rows.rows = windows[last].tapsHere;
      rows.rowStride = windows[last].phase.filterStep;
      emit.loop(zero, outsideHere, 1, [&](Value i) {
        overTaps(0, last, emit.add(from, emit.mul(i, contracted)), i, pack);
      });
    } else {
      rows.rows = channelHere;
      rows.rowStride = contracted;
      overTaps(0, last + 1, from, zero, pack);
    }
  }

  // body(offset in the filter, number of the tap) for the taps of the windows [j, end).
  void overTaps(size_t j, size_t end, Value offset, Value number,
                llvm::function_ref<void(Value, Value)> body) {
    if (j == end)
      return body(offset, number);
    emit.loop(zero, windows[j].tapsHere, 1, [&](Value i) {
      overTaps(j + 1, end, emit.add(offset, emit.mul(i, windows[j].phase.filterStep)),
               emit.add(emit.mul(number, windows[j].tapsHere), i), body);
    });
  }

  // Row `row` of a tap of the panel.
  Value packedRow(Value panel, Value tap, Value row) {
    Value width = emit.constant(plan.tile.tileColumns());
    Value first = emit.mul(emit.mul(panel, width), blocks.depth);
    Value rows = emit.add(emit.mul(tap, depth), row);
    return emit.address(emit.address(packed, type, first), type, emit.mul(rows, width));
  }

  // The same where the filter is, as the number of an element.
  Value filterElement(Value panel, Value tap, Value row) {
    const ConvolutionOperand &filter = spec.filter;
    Value column = emit.add(column0, emit.mul(panel, plan.tile.tileColumns()));
    Value at = emit.mul(column, stride(filter.filters));
    if (plan.filter == Filter::InPlace) {
      // The run of a tap or of the last window's taps, which may be longer than what is read of it.
      Value run = emit.select(blocks.isJoined, depth, blocks.channel);
      row = emit.add(emit.mul(tap, run), row);
    } else {
      Value rest = tap;
      for (size_t j = last + 1; j-- > 0;) {
        const Window &w = windows[j];
        Value i = emit.add(w.firstTap, emit.popCounter(rest, emit.max(w.tapsHere, one)));
        at = emit.add(at, emit.add(w.phase.filterBase, emit.mul(i, w.phase.filterStep)));
      }
    }
    return emit.add(at, emit.mul(emit.add(channel0, row), stride(filter.contracted)));
  }

  // A panel's columns of a pass, to where the pass before had them.
  void packPass(const Passes &passes, Value pass, Value panel) {
    const ConvolutionOperand &filter = spec.filter;
    Value width = emit.constant(plan.tile.tileColumns());
    auto [firstTap, row] = startOf(passes, pass);
    PackedColumns block;
    block.sourceType = filter.elementType;
    block.type = type;
    block.rowStride = stride(filter.contracted);
    block.colStride = stride(filter.filters);
    block.depth = emit.min(passes.partDepth, emit.sub(depth, row));
    block.columns = width;
    block.columnsHere = emit.min(width, emit.sub(columnsHere, emit.mul(panel, width)));
    block.firstPanel = zero;
    Value first = firstTap, from = row;
    emit.loop(zero, tapsOf(passes, firstTap), 1, [&](Value tap) {
      Value at = filterElement(panel, emit.add(first, tap), from);
      block.source = emit.address(filter.base, filter.elementType, at);
      block.packed = emit.address(packed, type, emit.mul(emit.mul(tap, block.depth), width));
      emitPackColumns(emit, plan.tile, block);
    });
  }

  //===-- Tiles -------------------------------------------------------------------------------===//

  // Where the taps of the region lie, seen from an output.
  void listTaps() {
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
    depth =
        emit.select(blocks.isJoined, emit.mul(windows[last].tapsHere, channelHere), channelHere);
    // One channel: the run is the window itself.
    depthStride = plan.channel(spec).constant == 1 ? lastStep : blocks.width;
  }

  Passes cutDepth() {
    Passes passes;
    Value most = emit.constant(plan.passDepth);
    passes.parts = one;
    if (plan.filter == Filter::PackedInPasses)
      passes.parts = emit.max(emit.ceilDiv(depth, most), one);
    passes.partDepth = emit.ceilDiv(depth, passes.parts);
    passes.taps = emit.max(emit.div(most, emit.max(depth, one)), one);
    // Rows of a filter in place follow one another only if channels are not cut.
    if (plan.filter == Filter::InPlace)
      passes.taps = emit.select(emit.equal(blocks.channelCount, one), passes.taps, one);
    Value count = emit.mul(emit.ceilDiv(tapCount, passes.taps), passes.parts);
    passes.count = emit.max(count, one);
    return passes;
  }

  Value tapsOf(const Passes &passes, Value firstTap) {
    return emit.min(passes.taps, emit.sub(tapCount, firstTap));
  }

  // Where a pass begins: a tap, and a row of the depth in it.
  std::pair<Value, Value> startOf(const Passes &passes, Value pass) {
    Value number = emit.div(pass, passes.parts);
    Value part = emit.sub(pass, emit.mul(number, passes.parts));
    return {emit.mul(number, passes.taps), emit.mul(part, passes.partDepth)};
  }

  // All rows of the unit against one panel, in a stretch of the depth that stays near meanwhile.
  // The last stretch's sums are finished line by line, while they are still there.
  void runPass(const Passes &passes, Value pass, Value panel) {
    auto [tap, row] = startOf(passes, pass);
    ContractionPanel job;
    job.depth = emit.min(passes.partDepth, emit.sub(depth, row));
    job.depthStride = depthStride;
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
    if (plan.filter == Filter::PackedInPasses && spec.filter.elementType == type)
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

  // What the next pass reads of the filter: runs of whole panels' widths. All lines of a pass bring
  // some of it near, one after the other.
  struct NextPass {
    Value from; // element of the filter
    Value runLength, apart;
    Value firstLine, ofLine; // widths
    Value every;
  };

  NextPass nextPass(const Passes &passes, Value pass, Value panel, const ContractionPanel &job) {
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
    if (plan.sweepsColumns) {
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

  ContractionPanel::Ahead aheadOf(const NextPass &next, Value line) {
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
  Value lineCount() {
    Value lines = one;
    for (size_t j = 0; j < last; ++j)
      lines = emit.mul(lines, windows[j].outputsHere);
    return lines;
  }

  // body(line, its start in the region)
  void overLines(llvm::function_ref<void(Value, Value)> body) {
    if (last == 0)
      return body(zero, zero);
    Value step = emit.mul(blocks.windows[last - 1].stride, plan.steps[last - 1].oStep);
    emit.loop(zero, lineCount(), 1, [&](Value line) { body(line, emit.mul(line, step)); });
  }

  //===-- Results -----------------------------------------------------------------------------===//

  void openPanel(Value panel) {
    Value n = emit.add(column0, emit.mul(panel, plan.tile.tileColumns()));
    firstColumn = n;
    masks.clear();
    for (int64_t v = 0; v < plan.tile.tileVectors; ++v)
      masks.push_back(
          plan.tile.wholePanels
              ? Value()
              : emit.firstLanes(plan.tile.lanes,
                                emit.sub(blocks.columns, emit.add(n, v * plan.tile.lanes))));
  }

  void finishLine(Value line, Value lineSums) {
    Value n = firstColumn;
    ConvolutionPlace place;
    place.alongGroups = plan.alongGroups;
    (plan.alongGroups ? place.filter : place.group) = emit.toIndex(each);
    for (size_t j = 0; j <= last; ++j)
      place.windows.push_back(output(j, zero));
    auto finishRow = [&](Value row) {
      for (int64_t v = 0; v < plan.tile.tileVectors; ++v) {
        Value offset = emit.add(emit.mul(row, plan.tile.tileColumns()), v * plan.tile.lanes);
        Value finished =
            emit.load(VectorType::get(plan.tile.lanes, type), emit.address(lineSums, type, offset));
        (plan.alongGroups ? place.group : place.filter) =
            emit.toIndex(emit.add(n, v * plan.tile.lanes));
        spec.store(emit.builder, emit.loc, place, finished, masks[v]);
      }
    };
    if (last > 0)
      place.windows[last - 1] = output(last - 1, line);
    emit.loop(zero, windows[last].outputsHere, 1, [&](Value o) {
      place.windows[last] = output(last, o);
      if (!plan.batchInside) {
        place.batch = emit.toIndex(outside0);
        return finishRow(o);
      }
      emit.loop(zero, channelHere, 1, [&](Value c) {
        place.batch = emit.toIndex(emit.add(channel0, c));
        finishRow(emit.add(emit.mul(o, channelHere), c));
      });
    });
  }

  // The index of a unit's output in the result.
  Value output(size_t j, Value o) {
    Value inPhase = emit.add(windows[j].firstOutput, o);
    return emit.toIndex(emit.add(emit.mul(inPhase, plan.steps[j].phases), windows[j].number));
  }

  LoopEmitter &emit;
  const ConvolutionSpec &spec;
  ConvolutionPlan plan;
  Type type;
  ConvolutionBlocks blocks;
  Value zero, one;
  ScratchLayout layout;
  size_t last; // window
  Value region, packed, sums, offsets;
  // Of the unit at hand.
  SmallVector<Window, 3> windows;
  Value each, column0, columnsHere;
  // Of the region at hand.
  Value channel0, channelHere, outside0, outsideHere;
  Value isFirstRegion, isLastRegion;
  Value tapCount, depth, depthStride;
  // Of the panel at hand.
  Value firstColumn;
  SmallVector<Value> masks;
};

} // namespace

Value keratin::codegen::emitConvolutionUnits(OpBuilder &builder, Location loc,
                                             const ConvolutionSpec &spec,
                                             const MachineTarget &target) {
  LoopEmitter emit(builder, loc, target);
  ConvolutionPlan plan = planConvolution(spec, target);
  if (isDirectDepthwise(spec, plan))
    return emit.toIndex(emitDepthwiseUnits(emit, spec, plan));
  return emit.toIndex(emitBlocks(emit, spec, plan).units);
}

int64_t keratin::codegen::emitConvolution(OpBuilder &builder, Location loc,
                                          const ConvolutionSpec &spec, const MachineTarget &target,
                                          Value begin, Value end) {
  LoopEmitter emit(builder, loc, target);
  ConvolutionPlan plan = planConvolution(spec, target);
  if (isDirectDepthwise(spec, plan))
    return emitDepthwise(emit, spec, plan, emit.fromIndex(begin), emit.fromIndex(end));
  Nest nest(emit, spec, std::move(plan));
  nest.run(emit.fromIndex(begin), emit.fromIndex(end));
  return nest.scratchBytes();
}
