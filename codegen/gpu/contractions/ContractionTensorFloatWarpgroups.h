// Products of f32 in tf32 by the tensor cores of a warpgroup, where that was asked for.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTENSORFLOATWARPGROUPS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTENSORFLOATWARPGROUPS_H

#include "codegen/gpu/contractions/ContractionWarpgroups.h"

namespace keratin::codegen {

// wgmma m64nNk8. It reads both factors along the depth alone, and cuts off what tf32 has no room
// for. So they go through registers, where they are rounded to the nearest, ties away from zero, as
// TensorFloatEngine rounds them, and turned where neighbours are lines: a thread has four lines of
// four depths. A stage is in registers while the products of the one before are summed. Where
// groups cannot be read at once, words are copied past registers and rounded in their places.
class TensorFloatWarpgroupsEngine final : public WarpgroupsEngine {
public:
  using WarpgroupsEngine::WarpgroupsEngine;

  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) override;

private:
  // What a thread reads of an operand, four neighbours at a time, and where it writes them: as they
  // are, or the first of four reads to the first of four places.
  struct Turned {
    Operand operand;
    struct Read {
      Values line;
      Value depth;
    };
    llvm::SmallVector<Read> reads;
    llvm::SmallVector<Value>
        places;    // bytes of the stage before it; after the last again the first,
    int64_t lines; // so many lines further
    bool isTurned;
  };
  Turned planTurned(ContractionSource &source, bool isA);
  Values read(Turned &operand, Value depth);
  void write(const Turned &operand, mlir::ValueRange values, Value stage);
  Values multiplyGroups(ContractionSource &a, ContractionSource &b, Value begin, Value end);

  // Along the depth, however it lies in memory.
  Operand operandOf(ContractionSource &source, bool isA) override;
  void prepare(Operand &operand, Value stage) override;
  Value rounded(Value number);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTENSORFLOATWARPGROUPS_H
