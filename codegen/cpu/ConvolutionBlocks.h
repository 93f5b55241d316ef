// The blocks that a convolution is cut into, which follow from the sizes alone: as what is known of
// them when it is planned, and as values.
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONBLOCKS_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONBLOCKS_H

#include "codegen/cpu/ConvolutionPlan.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

// Values are i64. A unit computes blocks of outputs; for each it copies regions of x, one after
// the other, each with what a block of the filter meets.
template <typename Number> struct ConvolutionBlocksOf {
  struct Window {
    Number outputs, taps;            // the most that a phase has
    Number outputBlock, outputCount; // size and number of blocks
    Number tapBlock, tapCount;
    Number span;   // positions of x that a block of both reads
    Number phases; // that have outputs
    Number stride; // from one position to the next in the region
  };
  llvm::SmallVector<Window, 3> windows;
  Number columns, columnBlock, columnCount;
  Number channel, channelBlock, channelCount;
  Number outside, outsideBlock, outsideCount; // see ConvolutionPlan::outside
  Number each;     // of the groups and filters, those that are no columns
  Number isJoined; // the channel is not cut, and one run with the last window
  Number pixel;    // elements of the region at one position
  Number width;    // elements of the region for one of the channel
  Number outsideStride;
  Number regionElements;
  Number depth;    // of a region, at most
  Number rows;     // of a line, at most
  Number lines;    // of a unit, at most
  Number lineRows; // apart in the sums
  Number regions;  // of a unit, at least one
  Number isOneRegion;
  // An item is a block of outputs of one batch entry (of one block of the batch, if that is
  // inside). A unit has several if they are small: they share the panels of the filter.
  Number items, unitItems, unitCount; // unitCount: of units with the same panels
  Number panels;                      // blocks of columns, of each group and phase
  Number units;
};

using ConvolutionBlocks = ConvolutionBlocksOf<mlir::Value>;
using KnownConvolutionBlocks = ConvolutionBlocksOf<KnownArithmetic::Number>;

ConvolutionBlocks emitConvolutionBlocks(LoopEmitter &emit, const ConvolutionSpec &spec,
                                        const ConvolutionPlan &plan);
KnownConvolutionBlocks knownConvolutionBlocks(const ConvolutionSpec &spec,
                                              const ConvolutionPlan &plan);
// How many units there are, those of depthwise ones in place too.
SizeCases convolutionUnits(const ConvolutionSpec &spec, const ConvolutionPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONBLOCKS_H
