// A product of attention by the tensor cores of a warp, as a part of its kernel.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONPRODUCT_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONPRODUCT_H

#include "codegen/gpu/contractions/ContractionMatrices.h"

namespace keratin::codegen {

// Its kernel says when what is copied to where, and has A in registers. The tile is one of all
// columns for each warp, and has the whole depth.
class AttentionProduct final : public HalvesEngine {
public:
  AttentionProduct(LoopEmitter &emit, const ContractionTile &tile, Value shared, Value thread,
                   mlir::Type elementType);

  using StagesEngine::await;
  using StagesEngine::copy;
  using StagesEngine::Operand;
  using StagesEngine::operandOf;

  // This thread's factors of all lines of its warp: of 16 lines and two chunks of depths one after
  // the other, the depths of the first lines first.
  using Factors = llvm::SmallVector<Values>;
  Factors readAll(const Operand &a, Value stage);
  Values add(mlir::ValueRange sums, const Factors &a, const Operand &b, Value stage);
  // What is of A behind a copy is in flight until then.
  void commit();
  // The factors that sums of a product with as many columns are for the next: two neighbours
  // rounded to a word.
  Factors factorsOf(mlir::ValueRange numbers, int64_t rows, int64_t columns);

private:
  int64_t baseOf(bool) const override { return 0; }
  Value pack(Value first, Value second);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONPRODUCT_H
