// Tiles of a product whose depth several blocks share.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONPARTS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONPARTS_H

#include "codegen/gpu/contractions/ContractionEngine.h"
#include "codegen/gpu/threads/Meeting.h"

namespace keratin::codegen {

// Each block leaves the sums over its part of the depth; the last to come adds them, in the order
// of the parts.
class ContractionParts {
public:
  using Value = mlir::Value;

  ContractionParts(DeviceKernelBuilder &k, const DevicePlan &plan, LoopEmitter &emit,
                   const ContractionTile &tile, mlir::Type sumType)
      : k(k), meeting(k, plan), emit(emit), tile(tile), sumType(sumType) {}

  // By all blocks of a tile: leaves what this one has. Units of a tile are `parts` neighbours, the
  // first of which is number * parts; the last block to come hands on the sums of all.
  void meet(ContractionEngine &engine, mlir::ValueRange sums, Value unit, Value number, Value parts,
            const ContractionEngine::Result &result, ContractionEngine::Store store);

private:
  Value place(Value unit, Value row, Value column);
  ContractionEngine::Values sum(Value firstUnit, Value parts,
                                llvm::ArrayRef<ContractionEngine::Place> places, int64_t group);

  DeviceKernelBuilder &k;
  Meeting meeting;
  LoopEmitter &emit;
  const ContractionTile &tile;
  mlir::Type sumType;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONPARTS_H
