// Convolutions of few outputs that each meet many taps, as the gradients of depthwise filters, on a
// device: blocks share the depth.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONSUMSPLAN_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONSUMSPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/convolutions/ConvolutionTile.h"
#include "codegen/lowering/ConvolutionNest.h"

namespace keratin::codegen {

// A result of a block is a tile of outputs for each of some threads side by side. The others walk
// the depth at other places: lines, which are the contracted dimension, all windows' taps but the
// tile's, and stretches of those. What they have meets in shared memory, in pairs, then in pairs of
// pairs; what blocks have, where there are too few results to fill a device, in a Meeting. So the
// order of sums follows from the shapes alone.
class ConvolutionSumsPlan final : public FormPlan {
public:
  // Null where outputs are not few, or of x with zeros between its elements.
  static DevicePlanPtr make(ir::KernelOp kernel, const ConvolutionNest &nest, unsigned warpThreads);

  ConvolutionSumsPlan(ir::KernelOp kernel, ConvolutionNest nest);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Of the outputs along a window, those of a tile.
  int64_t outputsOf(size_t window) const {
    return window == along ? tile.outputs : window == across ? tile.rows : 1;
  }
  // Threads that walk the depth; of a result, sums.
  unsigned depthThreads() const { return columnThreads * lineThreads; }
  int64_t elements() const { return int64_t(tile.sums()) * tile.lanes * laneThreads; }
  // Of a result: groups or filters side by side.
  int64_t laneElements() const { return int64_t(tile.lanes) * laneThreads; }
  // Places of a result.
  ir::DimExpr groupBlocks() const;
  ir::DimExpr filterBlocks() const;
  ir::DimExpr results() const;
  ir::DimExpr stretches() const; // of a line's taps
  ir::DimExpr lines() const;

  ConvolutionNest nest;
  llvm::SmallVector<WindowSteps, 3> steps;
  ConvolutionTile tile;
  size_t along = 0;
  std::optional<size_t> across; // the window of the tile's rows
  // Of a block: side by side along the lanes' dimension, along a line, and on other lines.
  unsigned laneThreads = 1, columnThreads = 1, lineThreads = 1;
  int64_t stretch = 1; // taps of a line that a thread, or neighbours along the line, walk
  int64_t parts = 1;   // blocks of a result

private:
  void chooseTile(const ConvolutionSpec &spec);
  void chooseThreads(const ConvolutionSpec &spec);
  void chooseParts();
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONSUMSPLAN_H
