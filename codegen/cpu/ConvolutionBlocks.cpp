#include "codegen/cpu/ConvolutionBlocks.h"

#include "codegen/cpu/DepthwiseKernel.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

template <typename Arithmetic> class Cutter {
public:
  using Number = typename Arithmetic::Number;
  using Blocks = ConvolutionBlocksOf<Number>;
  using Window = typename Blocks::Window;

  Cutter(Arithmetic &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan)
      : emit(emit), spec(spec), plan(plan), zero(emit.constant(0)), one(emit.constant(1)) {}

  Blocks cut() {
    sizes();
    columnsOfRegion();
    if (plan.batchInside)
      windowsOfRows();
    else
      windowsOfDepth();
    layOut();
    return std::move(blocks);
  }

private:
  Number size(const ConvolutionSize &from) { return numberOf(emit, from); }
  Number atLeastOne(Number x) { return emit.max(x, one); }
  Number blocksOf(Number size, Number block) { return emit.ceilDiv(size, block); }
  // Blocks of about the same size, as many as of the largest size, multiples of `unit` if several.
  Number even(Number size, Number most, int64_t unit = 1) {
    Number count = atLeastOne(emit.ceilDiv(size, most));
    Number equal = emit.min(emit.roundUp(emit.ceilDiv(size, count), unit), most);
    return atLeastOne(emit.select(emit.equal(count, one), size, equal));
  }
  // How many steps of a length end within `space` positions, the first included.
  Number within(Number space, int64_t step) {
    return emit.add(emit.div(emit.sub(atLeastOne(space), one), emit.constant(step)), 1);
  }
  Number reach(Number count, int64_t step) { return emit.mul(emit.sub(count, one), step); }

  void sizes() {
    for (auto [window, steps] : llvm::zip(spec.windows, plan.steps)) {
      Window &w = blocks.windows.emplace_back();
      Number y = size(window.y), taps = size(window.filter);
      w.outputs = emit.ceilDiv(y, emit.constant(steps.phases));
      w.taps = emit.ceilDiv(taps, emit.constant(steps.taps));
      w.phases = emit.min(y, emit.constant(steps.phases));
      w.outputBlock = w.tapBlock = one;
    }
    blocks.columns = size(plan.columns(spec));
    blocks.channel = emit.ceilDiv(size(plan.channel(spec)), emit.constant(plan.tile.depthStep));
    blocks.outside = size(plan.outside(spec));
    blocks.each = size(plan.alongGroups ? spec.filters : spec.groups);
    blocks.outsideBlock = one;
  }

  // The columns of a vector of A are part of the region, so that their number comes first.
  void columnsOfRegion() {
    blocks.channelBlock = even(blocks.channel, emit.constant(plan.mostChannel));
    blocks.width = one;
    if (plan.alongGroups) {
      int64_t tile = plan.tile.tileColumns();
      Number padded = emit.roundUp(blocks.columns, tile);
      Number most = emit.constant(std::max(plan.mostColumns / tile * tile, tile));
      Number count = atLeastOne(emit.ceilDiv(padded, most));
      blocks.columnBlock = atLeastOne(emit.roundUp(emit.ceilDiv(padded, count), tile));
      blocks.width = blocks.columnBlock;
      // A channel that long is unusual where filters are few: cut it rather than the columns.
      blocks.channelBlock =
          even(blocks.channel, emit.constant(std::min<int64_t>(plan.mostChannel, 64)));
    }
    blocks.pixel = emit.mul(blocks.channelBlock, blocks.width);
    space = emit.div(emit.constant(plan.regionElements), blocks.pixel);
  }

  // Forward: all of the filter if it fits with one output, then as many outputs as fit.
  void windowsOfDepth() {
    Number tapsLeft = emit.min(emit.constant(plan.mostTaps),
                               emit.div(emit.constant(plan.mostDepth), blocks.channelBlock));
    Number forTaps = emit.div(space, emit.constant(2));
    SmallVector<Number> reaches(blocks.windows.size());
    for (size_t j = blocks.windows.size(); j-- > 0;) {
      Window &w = blocks.windows[j];
      int64_t step = plan.steps[j].iStep;
      w.tapBlock =
          atLeastOne(emit.min(emit.min(w.taps, atLeastOne(tapsLeft)), within(forTaps, step)));
      tapsLeft = emit.div(tapsLeft, w.tapBlock);
      reaches[j] = reach(w.tapBlock, step);
      forTaps = emit.div(forTaps, emit.add(reaches[j], 1));
    }
    Number rowsLeft = emit.constant(plan.mostRows);
    for (size_t j = blocks.windows.size(); j-- > 0;) {
      Window &w = blocks.windows[j];
      int64_t step = plan.steps[j].oStep;
      bool last = j + 1 == blocks.windows.size();
      if (last || j + 2 == blocks.windows.size()) {
        // What the outer windows' taps need is set apart.
        Number here = space;
        for (size_t outer = 0; outer < j; ++outer)
          here = emit.div(here, emit.add(reaches[outer], 1));
        Number most = within(emit.sub(here, reaches[j]), step);
        most = emit.min(most, atLeastOne(rowsLeft));
        w.outputBlock = even(w.outputs, most, last ? plan.tile.tileRows : 1);
        w.outputBlock = emit.min(w.outputBlock, most);
        if (last)
          rowsLeft = emit.div(rowsLeft, emit.add(w.outputBlock, plan.spareRows));
      }
      w.span = emit.add(emit.add(reach(w.outputBlock, step), reaches[j]), 1);
      space = emit.div(space, w.span);
    }
    blocks.rows = blocks.windows.back().outputBlock;
    blocks.lines = one;
    if (blocks.windows.size() > 1)
      blocks.lines = blocks.windows[blocks.windows.size() - 2].outputBlock;
    blocks.isJoined = joined();
  }

  // The filter's gradient: outputs first, then as much depth as fits.
  void windowsOfRows() {
    blocks.isJoined = joined();
    Number depthLeft = emit.constant(plan.mostDepth);
    Number rowsLeft = emit.div(emit.constant(plan.mostRows), blocks.channelBlock);
    Number tapsLeft = emit.constant(plan.mostTaps);
    for (size_t j = blocks.windows.size(); j-- > 0;) {
      Window &w = blocks.windows[j];
      const WindowSteps &steps = plan.steps[j];
      bool last = j + 1 == blocks.windows.size();
      if (last || j + 2 == blocks.windows.size()) {
        Number most = within(emit.div(space, emit.constant(2)), steps.oStep);
        // Lines of few rows are many a unit, which share the copies.
        most =
            emit.min(most, atLeastOne(last ? rowsLeft : emit.div(emit.constant(64), blocks.rows)));
        if (last)
          most = emit.select(blocks.isJoined, most, one);
        w.outputBlock = even(w.outputs, most);
        if (last)
          blocks.rows = emit.mul(w.outputBlock, blocks.channelBlock);
      }
      Number outputs = reach(w.outputBlock, steps.oStep);
      Number most = emit.min(within(emit.sub(space, outputs), steps.iStep), atLeastOne(depthLeft));
      if (!last)
        most = emit.min(most, atLeastOne(tapsLeft));
      w.tapBlock = even(w.taps, most);
      depthLeft = emit.div(depthLeft, w.tapBlock);
      if (!last)
        tapsLeft = emit.div(tapsLeft, w.tapBlock);
      w.span = emit.add(emit.add(outputs, reach(w.tapBlock, steps.iStep)), 1);
      space = emit.div(space, w.span);
    }
    blocks.lines = one;
    if (blocks.windows.size() > 1)
      blocks.lines = blocks.windows[blocks.windows.size() - 2].outputBlock;
    Number most = emit.min(emit.min(depthLeft, tapsLeft), space);
    blocks.outsideBlock = even(blocks.outside, atLeastOne(most));
  }

  Number joined() {
    return plan.joinsChannel ? emit.equal(blocks.channelBlock, atLeastOne(blocks.channel))
                             : emit.less(one, zero);
  }

  void layOut() {
    blocks.columnCount = zero;
    Number elements = blocks.pixel;
    blocks.depth = plan.batchInside ? blocks.outsideBlock : blocks.channelBlock;
    blocks.regions = one;
    for (Window &w : llvm::reverse(blocks.windows)) {
      w.stride = elements;
      elements = emit.mul(elements, w.span);
      blocks.depth = emit.mul(blocks.depth, w.tapBlock);
      w.outputCount = blocksOf(w.outputs, w.outputBlock);
      w.tapCount = atLeastOne(blocksOf(w.taps, w.tapBlock));
      blocks.regions = emit.mul(blocks.regions, w.tapCount);
    }
    blocks.outsideStride = elements;
    blocks.regionElements = emit.mul(elements, blocks.outsideBlock);
    blocks.channelCount = blocksOf(blocks.channel, blocks.channelBlock);
    blocks.outsideCount = blocksOf(blocks.outside, blocks.outsideBlock);
    Number &inDepth = plan.batchInside ? blocks.outsideCount : blocks.channelCount;
    inDepth = atLeastOne(inDepth);
    blocks.regions = emit.mul(blocks.regions, inDepth);
    blocks.isOneRegion = emit.equal(blocks.regions, one);
    blocks.lineRows = emit.add(blocks.rows, plan.spareRows);

    if (!plan.alongGroups) {
      int64_t tile = plan.tile.tileColumns();
      Number held = emit.div(emit.constant(plan.panelElements), atLeastOne(blocks.depth));
      Number limit =
          emit.select(blocks.isOneRegion, emit.constant(plan.mostColumns), emit.constant(128));
      // Nothing is shared by columns that would be packed: fewer leave threads more to share.
      if (plan.filter != ConvolutionPlan::Filter::PackedOnce)
        held = limit = emit.constant(plan.passColumns);
      Number most =
          emit.mul(atLeastOne(emit.div(emit.min(held, limit), emit.constant(tile))), tile);
      Number padded = emit.roundUp(blocks.columns, tile);
      Number count = atLeastOne(emit.ceilDiv(padded, most));
      blocks.columnBlock = atLeastOne(emit.roundUp(emit.ceilDiv(padded, count), tile));
    }
    blocks.columnCount = blocksOf(blocks.columns, blocks.columnBlock);

    Number panels = emit.mul(blocks.each, blocks.columnCount);
    blocks.items = plan.batchInside ? blocks.channelCount : blocks.outsideCount;
    for (Window &w : blocks.windows) {
      panels = emit.mul(panels, w.phases);
      blocks.items = emit.mul(blocks.items, w.outputCount);
    }
    // Enough rows to pay for the panels, unless threads would have too little to share.
    Number enough = emit.ceilDiv(emit.constant(plan.unitRows), emit.mul(blocks.rows, blocks.lines));
    Number fair = emit.ceilDiv(emit.mul(blocks.items, panels), emit.constant(plan.fewestUnits));
    blocks.unitItems = atLeastOne(emit.min(blocks.items, emit.min(enough, fair)));
    if (plan.filter != ConvolutionPlan::Filter::PackedOnce)
      blocks.unitItems = one;
    blocks.panels = panels;
    blocks.unitCount = emit.ceilDiv(blocks.items, blocks.unitItems);
    blocks.units = emit.mul(panels, blocks.unitCount);
  }

  Arithmetic &emit;
  const ConvolutionSpec &spec;
  const ConvolutionPlan &plan;
  Blocks blocks;
  Number zero, one;
  Number space; // positions that the region has room for
};

} // namespace

ConvolutionBlocks keratin::codegen::emitConvolutionBlocks(LoopEmitter &emit,
                                                          const ConvolutionSpec &spec,
                                                          const ConvolutionPlan &plan) {
  return Cutter(emit, spec, plan).cut();
}

KnownConvolutionBlocks keratin::codegen::knownConvolutionBlocks(const ConvolutionSpec &spec,
                                                                const ConvolutionPlan &plan) {
  KnownArithmetic arithmetic;
  return Cutter(arithmetic, spec, plan).cut();
}

SizeCases keratin::codegen::convolutionUnits(const ConvolutionSpec &spec,
                                             const ConvolutionPlan &plan) {
  if (plan.depthwise)
    return depthwiseUnits(spec, plan);
  SizeArithmetic arithmetic;
  return Cutter(arithmetic, spec, plan).cut().units;
}
