// What the outputs of one phase of a window meet (see WindowSteps), as values.
#ifndef KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONPHASE_H
#define KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONPHASE_H

#include "codegen/elements/SpecSizes.h"
#include "codegen/lowering/ConvolutionSpec.h"

namespace keratin::codegen {

// Output o' and tap i' of the phase meet at position step * (o' * oStep + i' * iStep) - low in x,
// and at filterBase + i' * filterStep in the filter.
struct ConvolutionPhase {
  mlir::Value low;
  mlir::Value outputs, taps; // how many the phase has
  mlir::Value filterBase, filterStep;
};

// filterStride: of the window in the filter.
ConvolutionPhase emitConvolutionPhase(LoopEmitter &emit, const ConvolutionWindow &window,
                                      const WindowSteps &steps, const ConvolutionSize &filterStride,
                                      mlir::Value phase);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONPHASE_H
