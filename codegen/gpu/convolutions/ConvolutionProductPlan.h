// Convolutions on a device as products of matrices that are nowhere in memory.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONPRODUCTPLAN_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONPRODUCTPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/contractions/ContractionTile.h"
#include "codegen/gpu/convolutions/ConvolutionChoices.h"
#include "codegen/gpu/moves/SharedRandomBits.h"
#include "codegen/lowering/ConvolutionNest.h"

namespace keratin::codegen {

// One matrix is x: places of the result (batch and outputs) by depth (taps of all windows, and the
// contracted dimension). The other is the filter: depth by filters. Groups are products of their
// own, and so are the phases of windows over zeros. A unit is a tile of the result, or a part of
// its depth: those of a result meet.
class ConvolutionProductPlan final : public FormPlan {
public:
  ConvolutionProductPlan(ir::KernelOp kernel, ConvolutionNest nest, const DeviceTraits &device);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // Of a phase, at most.
  ir::DimExpr outputs(size_t window) const;
  ir::DimExpr taps(size_t window) const;
  ir::DimExpr places() const;
  ir::DimExpr depth() const;
  int64_t phases() const; // of all windows

  ir::DimExpr rows() const { return placesAreRows ? places() : nest.shape.filters; }
  ir::DimExpr columns() const { return placesAreRows ? nest.shape.filters : places(); }
  ir::DimExpr rowTiles() const;
  ir::DimExpr columnTiles() const;
  // Whether tiles are known to leave nothing over: of the depth; of places, or of filters.
  bool isDepthWhole() const;
  bool areLinesWhole(bool ofPlaces) const;
  // Of a window, and how far apart those of one are: so many have the windows behind it.
  int64_t tapBits(size_t window) const;
  int64_t bitsBehind(size_t window) const;
  bool hasParts() const { return mostParts > 1; }
  ir::DimExpr depthParts() const;

  ConvolutionNest nest;
  llvm::SmallVector<WindowSteps, 3> steps;
  ContractionTile tile;
  SharedRandomBits randomBits;
  // Columns are what is innermost in the result.
  bool placesAreRows = true;
  // Batch and windows, in which places are counted; windows and the contracted dimension, in which
  // the depth is. The last is the fastest.
  llvm::SmallVector<ConvolutionDim> placeDims, depthDims;
  int64_t mostParts = 1;
  // There are so few taps that the bits of a word say which of them meet x at a place.
  bool hasTapBits = false;

private:
  bool hasFewTaps() const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONPRODUCTPLAN_H
