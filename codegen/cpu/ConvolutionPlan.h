// What a CPU makes of a convolution: which dimension plays which part in the product of matrices
// that each unit is, the register tile, and the blocks.
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONPLAN_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONPLAN_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/lowering/ConvolutionSpec.h"

#include <memory>

namespace keratin::codegen {

struct DepthwisePlan;

struct ConvolutionPlan {
  // Rows of the tile, columns, panels and how B is packed; blockK is no limit. Where integers are
  // multiplied several at a time they are neighbours in the contracted dimension, of which sizes
  // and places below are those of packed elements.
  ContractionPlan tile;
  // Columns are groups, each with its own A (depthwise); else filters.
  bool alongGroups = false;
  // The batch is part of the rows and the contracted dimension of the depth's outer loops (the
  // filter's gradient); else the batch is a unit's and the contracted dimension the inner depth.
  bool batchInside = false;
  llvm::SmallVector<WindowSteps, 3> steps;
  // Whether the last window and the channel inside are known to be one run of the rows
  // (batchInside) or of the depth, given that the channel is not cut.
  bool joinsChannel = false;

  // How columns of the filter reach the micro-kernel: packed once for several units; or packed for
  // each pass, where units have too few rows to share the work, and brought near while the pass
  // before runs; or, one row of the depth after the other through all taps, read where they are; or
  // so from panels that somebody has packed before, whose base is then the filter's.
  enum class Filter { PackedOnce, PackedInPasses, InPlace, InPanels } filter = Filter::PackedOnce;
  // In panels, of a large filter: tiles bring near what the next pass reads.
  bool bringsPanels = false;
  // Packed in passes: all columns of a unit meet a stretch of the depth before the next, as the
  // filter lies in memory; else each panel meets all of the depth.
  bool sweepsColumns = false;
  int64_t passColumns = 128; // of a unit that shares nothing
  // Set where groups of one channel lie next to each other: x and the filter are read in place, and
  // of what else is here only the lanes and the steps count.
  std::shared_ptr<const DepthwisePlan> depthwise;

  // Limits of the blocks, in elements, rows and columns.
  int64_t regionElements = 128 * 1024; // of x, copied
  int64_t panelElements = 512 * 1024;  // of the filter, packed
  int64_t mostRows = 512;              // of a unit
  int64_t mostColumns = 1024;          // of a unit; with sums set aside, 128
  int64_t mostDepth = 8192;            // of a region
  int64_t mostTaps = 512;              // of a region, each with an offset
  int64_t mostChannel = 512;           // of a region
  int64_t unitRows = 512;              // of a unit, with which it is large enough
  int64_t fewestUnits = 16;            // that units are not made larger for
  int64_t passDepth = 512;             // that the tiles of a unit walk at once
  int64_t spareRows = 0;               // behind a line's sums, which a tile may overwrite

  // Where things are in the scratch, in elements of the accumulator; it ends after `bytes`, which
  // do not depend on sizes known only at run time.
  struct Scratch {
    int64_t region = 0, panels = 0, sums = 0, offsets = 0, bytes = 0;
  } scratch;

  // Whether the rows of the filter follow one another at one distance, through all taps.
  bool isFilterOneRun() const { return filter == Filter::InPlace || filter == Filter::InPanels; }
  const ConvolutionSize &channel(const ConvolutionSpec &spec) const {
    return batchInside ? spec.batch : spec.contracted;
  }
  const ConvolutionSize &outside(const ConvolutionSpec &spec) const {
    return batchInside ? spec.contracted : spec.batch;
  }
  const ConvolutionSize &columns(const ConvolutionSpec &spec) const {
    return alongGroups ? spec.groups : spec.filters;
  }
};

// Reads what is known of the sizes, the strides and the types: values may be null. The filter lies
// in panels of so many columns, too; 0: it does not.
ConvolutionPlan planConvolution(const ConvolutionSpec &spec, const MachineTarget &target,
                                int64_t panelColumns = 0);
// Whether tiles that are made so can read the filter from panels, and take less time then. Of a
// plan without panels.
bool gainsByPanels(const ConvolutionSpec &spec, const ConvolutionPlan &plan);
// "schedule: ...", for people.
void print(llvm::raw_ostream &out, const ConvolutionPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONPLAN_H
