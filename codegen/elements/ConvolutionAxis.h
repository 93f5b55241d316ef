// A window of a convolution at the phase at hand: which taps of the filter meet which elements of
// x.
#ifndef KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONAXIS_H
#define KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONAXIS_H

#include "codegen/elements/ConvolutionPhase.h"

namespace keratin::codegen {

struct ConvolutionAxis {
  ConvolutionPhase phase;
  mlir::Value number; // of the phase
  mlir::Value x;      // positions
  // Output o and tap i meet at position step * (o * oStep + i * iStep) - phase.low.
  int64_t step = 1, oStep = 1, iStep = 1;
  mlir::Value xStride; // from position to position
};

ConvolutionAxis openConvolutionAxis(LoopEmitter &emit, const ConvolutionSpec &spec, size_t window,
                                    const WindowSteps &steps, mlir::Value phase);
// One output and one tap, for what has one window only.
ConvolutionAxis lonelyAxis(LoopEmitter &emit);

struct TapRange {
  mlir::Value begin, end;
};

mlir::Value positionOf(LoopEmitter &emit, const ConvolutionAxis &axis, mlir::Value output,
                       mlir::Value tap);
// The place of a tap in the filter, in elements.
mlir::Value elementOf(LoopEmitter &emit, const ConvolutionAxis &axis, mlir::Value tap);
// The taps that meet elements of x at an output. Both ends fall as outputs rise.
TapRange tapsOf(LoopEmitter &emit, const ConvolutionAxis &axis, mlir::Value output);
// Those that meet elements of x at all outputs from `first` on; perhaps none.
TapRange commonTaps(LoopEmitter &emit, const ConvolutionAxis &axis, mlir::Value first,
                    int64_t outputs);
// What is left of an output's taps before and behind the common ones.
TapRange leftOver(LoopEmitter &emit, const TapRange &own, const TapRange &common,
                  mlir::Value isBehind);
// Whether the taps are all that there are at the phase.
mlir::Value isAllTaps(LoopEmitter &emit, const TapRange &taps, const ConvolutionAxis &axis);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONAXIS_H
