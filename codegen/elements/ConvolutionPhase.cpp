#include "codegen/elements/ConvolutionPhase.h"

using namespace mlir;
using namespace keratin::codegen;

ConvolutionPhase keratin::codegen::emitConvolutionPhase(LoopEmitter &emit,
                                                        const ConvolutionWindow &window,
                                                        const WindowSteps &steps,
                                                        const ConvolutionSize &filterStride,
                                                        Value phase) {
  ConvolutionPhase result;
  Value zero = emit.constant(0), one = emit.constant(1);
  Value y = numberOf(emit, window.y), taps = numberOf(emit, window.filter);
  Value low = numberOf(emit, window.low);
  result.outputs = emit.ceilDiv(emit.sub(y, phase), emit.constant(steps.phases));
  result.taps = taps;
  result.low = low;
  Value firstTap = zero;
  if (steps.hasZeros) {
    Value from = emit.sub(emit.mul(phase, window.stride), low);
    auto position = [&](Value tap) { return emit.add(from, emit.mul(tap, window.dilation)); };
    Value none = emit.constant(-1);
    Value candidates = emit.min(emit.constant(steps.taps), taps);
    Value found = emit.loop(zero, candidates, 1, {none}, [&](Value tap, ValueRange before) {
      Value meets = emit.equal(emit.remSigned(position(tap), window.xDilation), zero);
      return LoopEmitter::Values{emit.select(meets, tap, before[0])};
    })[0];
    firstTap = emit.max(found, zero);
    result.taps = emit.select(emit.equal(found, none), zero,
                              emit.ceilDiv(emit.sub(taps, firstTap), emit.constant(steps.taps)));
    result.low = emit.sub(zero, emit.divSigned(position(firstTap), window.xDilation));
  }
  Value along = numberOf(emit, filterStride);
  result.filterStep = emit.mul(along, steps.taps);
  result.filterBase = emit.mul(firstTap, along);
  if (window.reversed) {
    result.filterBase = emit.mul(emit.sub(emit.sub(taps, one), firstTap), along);
    result.filterStep = emit.sub(zero, result.filterStep);
  }
  return result;
}
