// Convolutions on a device without a product of matrices: a thread makes a few outputs from the
// elements of x and of the filter that they need, as they lie in memory.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONDIRECTPLAN_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONDIRECTPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/convolutions/ConvolutionChoices.h"
#include "codegen/lowering/ConvolutionNest.h"

namespace keratin::codegen {

// Any convolution can be made so; what it is good for are those whose outputs share little, as
// depthwise ones. A unit is a tile. Units are numbered as the result lies in memory, so that
// neighbouring threads write neighbours, and in most cases read neighbours.
class ConvolutionDirectPlan final : public FormPlan {
public:
  ConvolutionDirectPlan(ir::KernelOp kernel, ConvolutionNest nest);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // How many parts a dimension of the result has; of a window, blocks of outputs of a phase times
  // phases, which are the fastest.
  ir::DimExpr parts(const ConvolutionDim &dim) const;

  ConvolutionNest nest;
  llvm::SmallVector<WindowSteps, 3> steps;
  llvm::SmallVector<ConvolutionDim>
      dims; // of the result, as they lie in memory, the last innermost
  ConvolutionTile tile;
  size_t along = 0;           // the window of the tile
  bool isOutputWhole = false; // there is an output for each place of each tile
  bool hasShortUnits = false; // their number fits 32 bits
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONDIRECTPLAN_H
