// Products of f16 and bf16 by tensor cores, with sums of f32.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONMATRICES_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONMATRICES_H

#include "codegen/gpu/contractions/ContractionWarps.h"

namespace keratin::codegen {

// m16n8k16, whose factors come by ldmatrix, turned where neighbours are lines.
class HalvesEngine : public WarpsEngine {
public:
  using WarpsEngine::WarpsEngine;

protected:
  Values multiplyMatrices(mlir::ArrayRef<Value> a, mlir::ArrayRef<Value> b,
                          mlir::ValueRange sums) final;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONMATRICES_H
