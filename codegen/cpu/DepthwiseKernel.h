// Convolutions of groups of one channel each, whose channels lie next to each other: lanes are
// groups, and x and the filter are read where they are. Forward, gradient of x and, with few
// outputs and as many taps as dy has places, gradient of the filter.
#ifndef KERATIN_CODEGEN_CPU_DEPTHWISEKERNEL_H
#define KERATIN_CODEGEN_CPU_DEPTHWISEKERNEL_H

#include "codegen/cpu/ConvolutionPlan.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

// See emitConvolutionUnits and emitConvolution; units are i64. Precondition: plan.depthwise.
mlir::Value emitDepthwiseUnits(LoopEmitter &emit, const ConvolutionSpec &spec,
                               const ConvolutionPlan &plan);
SizeCases depthwiseUnits(const ConvolutionSpec &spec, const ConvolutionPlan &plan);
void emitDepthwise(LoopEmitter &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                   mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_DEPTHWISEKERNEL_H
