// Products of f16 and bf16 by the tensor cores of a warpgroup, with sums of
// f32.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONWARPGROUPS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONWARPGROUPS_H

#include "codegen/gpu/contractions/ContractionStages.h"

namespace keratin::codegen {

// wgmma m64nNk16, whose factors stay in three stages of shared memory, in rows
// of 128 bytes whose chunks change places as hardware expects it. The products
// of a stage go on while the block waits for the next one and starts them
// behind it.
class WarpgroupsEngine : public StagesEngine {
public:
  using StagesEngine::StagesEngine;

  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) final;

protected:
  int64_t mostOfRow() const final;
  // Between lines that are so many apart, a multiple of 64.
  int64_t bytesOfLines(const Operand &operand, int64_t lines) const;
  // What a matrix descriptor says of the operand's lines from there on, and of
  // 16 depths.
  Value descriptor(const Operand &operand, Value stage, int64_t line, int64_t depth);
  // The sums and the products of a stage of B and of A: of 16 depths after the other its
  // descriptor, and whether it lies along its lines, or the four words of each thread, as of
  // mma.sync. Words are made anew for each stage: `ptxas` 13.0 gives registers of those that a loop
  // comes back to to other numbers. No sums: products alone. All are done then.
  Values addProducts(mlir::ValueRange sums, llvm::ArrayRef<Values> a, bool isATurned,
                     const Operand &b, Value stage);
  // What this thread has written to shared memory, tensor cores see behind the
  // next barrier.
  void fenceMemory();

private:
  // Assembly that makes so many sums, which those go through that there are
  // already: `text`, with what else it reads behind them.
  Values through(llvm::StringRef text, size_t count, mlir::ValueRange sums,
                 mlir::ValueRange others);
  // Adds the products of a stage; those of the stage before are done then.
  Values addStage(mlir::ValueRange sums, const Operand &a, const Operand &b, Value stage);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONWARPGROUPS_H
