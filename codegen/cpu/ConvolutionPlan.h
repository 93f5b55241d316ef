// What a convolution decides at compile time: which dimension plays which part in the product of
// matrices that each unit is, the register tile, and how windows with zeros between the elements
// of x fall apart into phases.
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONPLAN_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONPLAN_H

#include "codegen/cpu/ConvolutionKernel.h"

namespace keratin::codegen {

// Outputs o = phases * o' + phase meet the elements i = taps * i' + tap of the filter, for the one
// `tap` (if any) that leads to elements of x and not to zeros between them. These lie at
//   position = step * (o' * oStep + i' * iStep) - low'
// in x, `low'` depending on the phase. Without x dilation: one phase, all taps.
struct WindowSteps {
  int64_t phases = 1, taps = 1;
  int64_t step = 1, oStep = 1, iStep = 1;
  bool hasZeros = false; // x dilation is not 1
};

struct ConvolutionPlan {
  // Rows of the tile, columns, panels and how B is packed; blockK is no limit.
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
  // before runs; or, one row of the depth after the other through all taps, read where they are.
  enum class Filter { PackedOnce, PackedInPasses, InPlace } filter = Filter::PackedOnce;
  // Packed in passes: all columns of a unit meet a stretch of the depth before the next, as the
  // filter lies in memory; else each panel meets all of the depth.
  bool sweepsColumns = false;
  int64_t passColumns = 128; // of a unit that shares nothing

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

ConvolutionPlan planConvolution(const ConvolutionSpec &spec, const MachineTarget &target);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONPLAN_H
