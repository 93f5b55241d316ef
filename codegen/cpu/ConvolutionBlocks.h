// The blocks that a convolution is cut into, as values that follow from the sizes alone.
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONBLOCKS_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONBLOCKS_H

#include "codegen/cpu/ConvolutionPlan.h"
#include "codegen/cpu/LoopEmitter.h"

namespace keratin::codegen {

// All values are i64. A unit computes blocks of outputs; for each it copies regions of x, one after
// the other, each with what a block of the filter meets.
struct ConvolutionBlocks {
  struct Window {
    mlir::Value outputs, taps;            // the most that a phase has
    mlir::Value outputBlock, outputCount; // size and number of blocks
    mlir::Value tapBlock, tapCount;
    mlir::Value span;   // positions of x that a block of both reads
    mlir::Value phases; // that have outputs
    mlir::Value stride; // from one position to the next in the region
  };
  llvm::SmallVector<Window, 3> windows;
  mlir::Value columns, columnBlock, columnCount;
  mlir::Value channel, channelBlock, channelCount;
  mlir::Value outside, outsideBlock, outsideCount; // see ConvolutionPlan::outside
  mlir::Value each;     // of the groups and filters, those that are no columns
  mlir::Value isJoined; // the channel is not cut, and one run with the last window
  mlir::Value pixel;    // elements of the region at one position
  mlir::Value width;    // elements of the region for one of the channel
  mlir::Value outsideStride;
  mlir::Value regionElements;
  mlir::Value depth;    // of a region, at most
  mlir::Value rows;     // of a line, at most
  mlir::Value lines;    // of a unit, at most
  mlir::Value lineRows; // apart in the sums
  mlir::Value regions;  // of a unit, at least one
  mlir::Value isOneRegion;
  // An item is a block of outputs of one batch entry (of one block of the batch, if that is
  // inside). A unit has several if they are small: they share the panels of the filter.
  mlir::Value items, unitItems, unitCount; // unitCount: of units with the same panels
  mlir::Value panels;                      // blocks of columns, of each group and phase
  mlir::Value units;
};

ConvolutionBlocks emitConvolutionBlocks(LoopEmitter &emit, const ConvolutionSpec &spec,
                                        const ConvolutionPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONBLOCKS_H
