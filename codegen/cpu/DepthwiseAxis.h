// A window along which a tile of a depthwise convolution has several outputs, at the phase at hand.
#ifndef KERATIN_CODEGEN_CPU_DEPTHWISEAXIS_H
#define KERATIN_CODEGEN_CPU_DEPTHWISEAXIS_H

#include "codegen/cpu/ConvolutionPhase.h"

namespace keratin::codegen {

struct DepthwiseAxis {
  ConvolutionPhase phase;
  mlir::Value number; // of the phase
  mlir::Value x;      // positions
  // Output o and tap i meet at position step * (o * oStep + i * iStep) - phase.low.
  int64_t step = 1, oStep = 1, iStep = 1;
  mlir::Value xStride; // from position to position
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_DEPTHWISEAXIS_H
