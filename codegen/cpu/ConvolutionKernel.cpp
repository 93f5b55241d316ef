#include "codegen/cpu/ConvolutionKernel.h"

#include "codegen/cpu/ConvolutionLoops.h"
#include "codegen/cpu/DepthwiseKernel.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace keratin::codegen;
using Filter = ConvolutionPlan::Filter;

void ConvolutionLoops::run(Value begin, Value end) {
  if (plan.filter != Filter::PackedOnce)
    return runItems(begin, end);
  // Which panels lie packed in the scratch. Units with the same panels come one after the other.
  emit.loop(begin, end, 1, {heldBefore(blocks.unitCount)}, [&](Value unit, ValueRange held) {
    Value panels = emit.div(unit, blocks.unitCount);
    openPanels(panels);
    Value first = emit.mul(emit.sub(unit, emit.mul(panels, blocks.unitCount)), blocks.unitItems);
    Value end = emit.min(emit.add(first, blocks.unitItems), blocks.items);
    emit.loop(first, end, 1, [&](Value item) {
      openItem(item);
      Value isHeld =
          emit.select(emit.equal(panels, held[0]), emit.equal(zero, zero), emit.less(first, item));
      isHeld = emit.logicalAnd(blocks.isOneRegion, isHeld);
      emit.loop(zero, blocks.regions, 1,
                [&](Value region) { runRegion(region, isHeld, emit.less(one, zero)); });
    });
    return LoopEmitter::Values{panels};
  });
}

// What the scratch holds when units begin, if so many one after the other share it. There may be
// none.
Value ConvolutionLoops::heldBefore(Value units) {
  Value none = emit.constant(-1);
  if (!spec.unitsDone)
    return none;
  Value last = emit.sub(spec.unitsDone, one);
  return emit.select(emit.less(last, zero), none, emit.div(last, emit.max(units, one)));
}

// Units share nothing of the filter. Those with the same region, of an item at a phase, come one
// after the other.
void ConvolutionLoops::runItems(Value begin, Value end) {
  emit.loop(begin, end, 1, {heldBefore(blocks.columnCount)}, [&](Value unit, ValueRange held) {
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

Value ConvolutionLoops::here(Value size, Value first, Value block) {
  return emit.max(emit.min(block, emit.sub(size, first)), zero);
}

// Which part of the filter, and so which columns and phases of the result.
void ConvolutionLoops::openPanels(Value number) {
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

void ConvolutionLoops::openItem(Value number) {
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

void ConvolutionLoops::runRegion(Value number, Value isFilterHeld, Value isRegionHeld) {
  Value rest = number;
  for (size_t j = windows.size(); j-- > 0;) {
    Window &w = windows[j];
    const ConvolutionBlocks::Window &block = blocks.windows[j];
    const WindowSteps &steps = plan.steps[j];
    w.firstTap = emit.mul(emit.popCounter(rest, block.tapCount), block.tapBlock);
    w.tapsHere = here(w.phase.taps, w.firstTap, block.tapBlock);
    Value first = emit.add(emit.mul(w.firstOutput, steps.oStep), emit.mul(w.firstTap, steps.iStep));
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
  numbersHere = plan.tile.isOfPairs() ? here(stride(plan.channel(spec)), numbersOf(channel0),
                                             numbersOf(blocks.channelBlock))
                                      : channelHere;
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
    overPasses([&](Value pass) { overPanels([&](Value panel) { runPass(passes, pass, panel); }); });
  else
    overPanels([&](Value panel) { overPasses([&](Value pass) { runPass(passes, pass, panel); }); });
}

//===-- Results -------------------------------------------------------------------------------===//

void ConvolutionLoops::openPanel(Value panel) {
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

void ConvolutionLoops::finishLine(Value line, Value lineSums) {
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
Value ConvolutionLoops::output(size_t j, Value o) {
  Value inPhase = emit.add(windows[j].firstOutput, o);
  return emit.toIndex(emit.add(emit.mul(inPhase, plan.steps[j].phases), windows[j].number));
}

//===-- The whole -----------------------------------------------------------------------------===//

Value keratin::codegen::emitConvolutionUnits(OpBuilder &builder, Location loc,
                                             const ConvolutionSpec &spec,
                                             const ConvolutionPlan &plan,
                                             const MachineTarget &target) {
  LoopEmitter emit(builder, loc, target);
  if (plan.depthwise)
    return emit.toIndex(emitDepthwiseUnits(emit, spec, plan));
  return emit.toIndex(emitConvolutionBlocks(emit, spec, plan).units);
}

void keratin::codegen::emitConvolution(OpBuilder &builder, Location loc,
                                       const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                                       const MachineTarget &target, Value begin, Value end) {
  LoopEmitter emit(builder, loc, target);
  if (plan.depthwise)
    return emitDepthwise(emit, spec, plan, emit.fromIndex(begin), emit.fromIndex(end));
  ConvolutionLoops(emit, spec, plan).run(emit.fromIndex(begin), emit.fromIndex(end));
}
