// Which ops of a block are attention, and what its kernels make of masks.
#ifndef KERATIN_PASSES_FUSION_ATTENTIONS_H
#define KERATIN_PASSES_FUSION_ATTENTIONS_H

#include "passes/fusion/AttentionGradients.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace keratin::passes {

class Attentions {
public:
  Attentions() = default;
  // Of these kinds, with the gradients of attention that the block has.
  Attentions(mlir::Block &block, ir::AttentionKinds kinds,
             std::vector<AttentionGradientOps> gradients);

  // Null if the op is no product with values.
  const ir::Attention *of(mlir::Operation *mix) const;
  // That of the ops of a group.
  const ir::Attention *among(llvm::ArrayRef<mlir::Operation *> ops) const;

  // Whether the op belongs to attention, whose kernel stands at its product with values, or to
  // gradients, whose kernel stands at their last op.
  bool isInside(mlir::Operation *op) const { return inside.contains(op); }
  // The gradients whose last op it is; null if it is none.
  const AttentionGradientOps *gradientsEndingAt(mlir::Operation *op) const;
  bool hasGradients() const { return !byLast.empty(); }
  // Whether nothing but kernels of attention needs the op: part of a mask that would be as large as
  // the scores, of a few cheap ops on what is smaller. Each of them makes it anew.
  bool isRemade(mlir::Operation *op) const { return remade.contains(op); }

private:
  using Ops = llvm::SmallSetVector<mlir::Operation *, 8>;
  bool canRemake(mlir::Value value, size_t dims, Ops &ops) const;
  bool isNeededHereAlone(mlir::Operation *op) const;
  void findRemade(llvm::ArrayRef<mlir::Operation *> ops, Ops &candidates) const;

  llvm::DenseMap<mlir::Operation *, ir::Attention> byMix;
  llvm::DenseMap<mlir::Operation *, AttentionGradientOps> byLast;
  llvm::DenseSet<mlir::Operation *> inside, remade;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_ATTENTIONS_H
