// What follows from products of queries and keys, for a query and a key at a time.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTELEMENTS_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTELEMENTS_H

#include "codegen/elements/AttentionPlaces.h"
#include "codegen/elements/ElementEmitter.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/AttentionGradientNest.h"

namespace keratin::codegen {

// Elements of the gradient's tiles, which are rounded where they become factors.
class AttentionGradientElements {
public:
  using Value = mlir::Value;
  using Values = LoopEmitter::Values;

  AttentionGradientElements(DeviceKernelBuilder &k, LoopEmitter &emit,
                            const AttentionGradientNest &nest);

  // Emits what follows from the batch entry alone.
  void enter(Value batch);

  // Elements of some tiles that stand in one block of code: what several of them need of a query or
  // of a key is emitted once.
  class Together {
  public:
    Together(AttentionGradientElements &all, llvm::ArrayRef<unsigned> tiles);

    // One of the products, where the next elements are.
    void bind(ir::DotGeneralOp product, Value registers) {
      emitter.bindRegister(product.getY(), registers);
    }
    // Of all tiles.
    Values emit(Value query, Value key);

  private:
    llvm::SmallVector<LaneIndex> indexOf(Value value, Value query, Value key);
    void bindWeights(Value query, Value key);

    AttentionGradientElements &all;
    ElementEmitter emitter;
    llvm::SmallVector<Value, 2> tiles;
    llvm::SmallVector<ir::DivOp, 1> weights; // that tiles follow from
    llvm::DenseMap<std::pair<size_t, Value>, llvm::SmallVector<Value>> leading;
    llvm::DenseMap<Value, Value> reciprocals;
  };

private:
  // exp(logits) / sum, of which one rounding more or less does not count.
  static bool areWeights(ir::DivOp div);
  // Where its rows stand: tensors of one shape share that.
  size_t placeOf(Value value);

  DeviceKernelBuilder &k;
  LoopEmitter &loops;
  const AttentionGradientNest &nest;
  llvm::SmallVector<ir::Shape, 2> shapes;
  llvm::SmallVector<AttentionPlaces, 2> places;
  llvm::SmallVector<ir::DivOp, 1> weights;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTELEMENTS_H
