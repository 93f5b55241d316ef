// What a machine makes of a depthwise convolution whose channels lie next to each other.
#ifndef KERATIN_CODEGEN_CPU_DEPTHWISEPLAN_H
#define KERATIN_CODEGEN_CPU_DEPTHWISEPLAN_H

#include "codegen/cpu/DepthwiseStencil.h"
#include "codegen/cpu/DepthwiseTile.h"

namespace keratin::codegen {

// Tiles of taps that are written out where there are few of them, else of taps in loops.
struct DepthwisePlan {
  std::optional<DepthwiseStencil> stencil;
  DepthwiseTile tile; // with a stencil: of single outputs, where there are too few channels for it
  int64_t rows = 1, columns = 1, channels = 1; // of a tile; channels of a unit, at most
  int64_t tilesOfUnit = 32;                    // along the last window
  int64_t wordLanes = 1;                       // of 32 bits, in which memory is cleared

  int64_t unitColumns() const { return columns * tilesOfUnit; }

  // Where things are in the scratch, in bytes.
  struct Scratch {
    int64_t zeros = 0, table = 0, sums = 0, bytes = 0;
  } scratch;
};

// Whether this generator takes the convolution.
bool isDirectDepthwise(const ConvolutionSpec &spec, const ConvolutionPlan &plan);
DepthwisePlan planDepthwise(const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                            const MachineTarget &target);
void print(llvm::raw_ostream &out, const DepthwisePlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_DEPTHWISEPLAN_H
