// Products of f32 by tensor cores in tf32, where that was asked for.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTENSORFLOATS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTENSORFLOATS_H

#include "codegen/gpu/contractions/ContractionWarps.h"

namespace keratin::codegen {

// m16n8k8. Factors lie in shared memory as f32 and are rounded to tf32 as threads read them, to the
// nearest, ties away from zero: the cores by themselves would cut them off. Where neighbours are
// depths ldmatrix reads them, whose rows of 16 bytes are four factors as well as eight halves;
// where they are lines it cannot turn them, and a thread reads each by itself.
class TensorFloatEngine : public WarpsEngine {
public:
  using WarpsEngine::WarpsEngine;

protected:
  Value turnOf(const Operand &operand, Value row) final;
  void planReads(Operand &operand) final;
  Values factors(const Operand &operand, Value stage, int64_t line, int64_t depth) final;
  Values multiplyMatrices(mlir::ArrayRef<Value> a, mlir::ArrayRef<Value> b,
                          mlir::ValueRange sums) final;
  Value rounded(Value factor);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTENSORFLOATS_H
