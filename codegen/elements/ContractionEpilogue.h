// What follows from the elements of a contraction, where they stand in the result.
#ifndef KERATIN_CODEGEN_ELEMENTS_CONTRACTIONEPILOGUE_H
#define KERATIN_CODEGEN_ELEMENTS_CONTRACTIONEPILOGUE_H

#include "codegen/elements/TileEpilogue.h"
#include "codegen/lowering/ContractionNest.h"

namespace keratin::codegen {

class ContractionEpilogue {
public:
  using Value = mlir::Value;

  // What the kernel yields of `others` is made elsewhere.
  ContractionEpilogue(KernelBuilder &k, const ElementTarget &target, const ContractionNest &nest,
                      llvm::ArrayRef<Value> others = {});

  // Of a sum at (batch, m, n), or of a vector of sums from there on along n; see ContractionStore.
  // m and n are those of the product as the nest describes it, turned or not.
  void emit(mlir::OpBuilder &builder, mlir::Location loc, Value batch, Value m, Value n, Value sums,
            Value mask);
  // Asks for the lines that what follows from so many lanes there, which may lie outside, will be
  // stored to.
  void askForResults(mlir::OpBuilder &builder, mlir::Location loc, Value batch, Value m, Value n,
                     int64_t lanes);

private:
  // The index of the result.
  llvm::SmallVector<LaneIndex> indexOf(ElementEmitter &emitter, mlir::Location loc, Value batch,
                                       Value m, Value n, bool isVector);
  llvm::SmallVector<LaneIndex> spread(ElementEmitter &emitter, llvm::ArrayRef<LaneIndex> starts);

  KernelBuilder &k;
  const ir::IterationSpace &space;
  const bool isTurned;
  llvm::SmallVector<unsigned> runOfDim; // of the squeezed result: 0 batch, 1 m, 2 n
  TileEpilogue epilogue;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_CONTRACTIONEPILOGUE_H
