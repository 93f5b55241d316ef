// What follows from the elements of a convolution, where they stand in the result.
#ifndef KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONEPILOGUE_H
#define KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONEPILOGUE_H

#include "codegen/elements/TileEpilogue.h"
#include "codegen/lowering/ConvolutionNest.h"

namespace keratin::codegen {

class ConvolutionEpilogue {
public:
  ConvolutionEpilogue(KernelBuilder &k, const ElementTarget &target, const ConvolutionNest &nest)
      : k(k), nest(nest), epilogue(k, target, ir::ConvolutionOp(nest.op).getY()) {}

  // Of a sum at the place, or of a vector of sums from there on; see ConvolutionStore.
  void emit(mlir::OpBuilder &builder, mlir::Location loc, const ConvolutionPlace &place,
            mlir::Value sums, mlir::Value mask);
  // Of lanes from the place on; see TileEpilogue.
  void askForResults(mlir::OpBuilder &builder, mlir::Location loc, const ConvolutionPlace &place,
                     unsigned lanes, int64_t bytes);

private:
  llvm::SmallVector<LaneIndex> positionOf(ElementEmitter &emitter, mlir::Location loc,
                                          const ConvolutionPlace &place, bool hasLanes);

  KernelBuilder &k;
  const ConvolutionNest &nest;
  TileEpilogue epilogue;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_CONVOLUTIONEPILOGUE_H
