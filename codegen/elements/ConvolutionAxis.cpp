#include "codegen/elements/ConvolutionAxis.h"

using namespace mlir;
using namespace keratin::codegen;

ConvolutionAxis keratin::codegen::openConvolutionAxis(LoopEmitter &emit,
                                                      const ConvolutionSpec &spec, size_t window,
                                                      const WindowSteps &steps, Value phase) {
  ConvolutionAxis axis;
  axis.phase =
      emitConvolutionPhase(emit, spec.windows[window], steps, spec.filter.windows[window], phase);
  axis.number = phase;
  axis.x = numberOf(emit, spec.windows[window].x);
  axis.step = steps.step;
  axis.oStep = steps.oStep;
  axis.iStep = steps.iStep;
  axis.xStride = numberOf(emit, spec.x.windows[window]);
  return axis;
}

ConvolutionAxis keratin::codegen::lonelyAxis(LoopEmitter &emit) {
  Value zero = emit.constant(0), one = emit.constant(1);
  return {{zero, one, one, zero, zero}, zero, one, 1, 1, 1, zero};
}

Value keratin::codegen::positionOf(LoopEmitter &emit, const ConvolutionAxis &axis, Value output,
                                   Value tap) {
  Value steps = emit.add(emit.mul(output, axis.oStep), emit.mul(tap, axis.iStep));
  return emit.sub(emit.mul(steps, axis.step), axis.phase.low);
}

Value keratin::codegen::elementOf(LoopEmitter &emit, const ConvolutionAxis &axis, Value tap) {
  return emit.add(axis.phase.filterBase, emit.mul(tap, axis.phase.filterStep));
}

TapRange keratin::codegen::tapsOf(LoopEmitter &emit, const ConvolutionAxis &axis, Value output) {
  Value need = emit.sub(axis.phase.low, emit.mul(output, axis.step * axis.oStep));
  auto until = [&](Value positions) {
    Value step = emit.constant(axis.step * axis.iStep);
    Value count = emit.ceilDiv(emit.max(positions, emit.constant(0)), step);
    return emit.min(count, axis.phase.taps);
  };
  return {until(need), until(emit.add(axis.x, need))};
}

TapRange keratin::codegen::commonTaps(LoopEmitter &emit, const ConvolutionAxis &axis, Value first,
                                      int64_t outputs) {
  Value begin = tapsOf(emit, axis, first).begin;
  Value end = tapsOf(emit, axis, emit.add(first, outputs - 1)).end;
  return {begin, emit.max(begin, end)};
}

TapRange keratin::codegen::leftOver(LoopEmitter &emit, const TapRange &own, const TapRange &common,
                                    Value isBehind) {
  Value end = emit.min(common.begin, own.end), begin = emit.max(common.end, own.begin);
  return {emit.select(isBehind, begin, own.begin), emit.select(isBehind, own.end, end)};
}

Value keratin::codegen::isAllTaps(LoopEmitter &emit, const TapRange &taps,
                                  const ConvolutionAxis &axis) {
  return emit.logicalAnd(emit.equal(taps.begin, emit.constant(0)),
                         emit.equal(taps.end, axis.phase.taps));
}
