// What plans of convolutions on a device choose alike.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONCHOICES_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONCHOICES_H

#include "codegen/gpu/convolutions/ConvolutionTile.h"
#include "codegen/lowering/ConvolutionNest.h"

namespace keratin::codegen {

// A dimension of a convolution.
struct ConvolutionDim {
  enum Kind { Batch, Groups, Contracted, Filters, Window } kind;
  size_t window = 0;
};
// Of the result, as they lie in memory, the last innermost; without those of size 1.
llvm::SmallVector<ConvolutionDim> resultDims(const ConvolutionNest &nest);
// Windows and the contracted dimension, as they lie in x; without those of one tap.
llvm::SmallVector<ConvolutionDim> depthDimsOf(const ConvolutionNest &nest);

// As many neighbours as 16 bytes hold, where groups or filters are neighbours in the result and in
// what is read, and are known to be whole lanes.
void chooseLanes(ConvolutionTile &tile, const ConvolutionSpec &spec, bool groupsAreInnermost,
                 bool filtersAreInnermost);
// Whether all taps of all outputs of all tiles are known to meet elements of x.
bool isInside(const ConvolutionWindow &window, const WindowSteps &steps,
              const ConvolutionTile &tile);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONCHOICES_H
