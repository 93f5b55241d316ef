// Products of matrices by the tensor cores of a warp, mma.sync, from stages of shared memory.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONWARPS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONWARPS_H

#include "codegen/gpu/contractions/ContractionStages.h"

namespace keratin::codegen {

// Matrices are multiplied whose depth is two chunks, of 16 rows and 8 columns, with sums of f32.
class WarpsEngine : public StagesEngine {
public:
  using StagesEngine::StagesEngine;

  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) final;

protected:
  // Which of eight lines is the one of this number, as a matrix has them.
  virtual Value lineOf(const Operand &, Value number) { return number; }
  // For ldmatrix if nothing else is said.
  void planReads(Operand &operand) override;
  // This thread's factors of 16 lines, of two chunks of depths: those of the first 8 lines and the
  // first chunk; then of A the next lines come first, of B the next chunk.
  virtual Values factors(const Operand &operand, Value stage, int64_t line, int64_t depth);
  virtual Values multiplyMatrices(mlir::ArrayRef<Value> a, mlir::ArrayRef<Value> b,
                                  mlir::ValueRange sums) = 0;

  // The sums and the products of what a stage has of B and of the factors of 16 lines of A from
  // this one on, two chunks of depths from this one on.
  using FactorsOfA = llvm::function_ref<Values(int64_t line, int64_t depth)>;
  Values addProducts(mlir::ValueRange sums, FactorsOfA ofA, const Operand &b, Value stage);

  // The first line of its warp.
  Value warpLine(const Operand &operand);
  Value addressOf(const Operand &operand, Value stage, int64_t line, int64_t depth);
  // What an intrinsic that returns four has returned.
  Values fourOf(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands);

  mlir::Type elementType;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONWARPS_H
