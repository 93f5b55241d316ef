// Which ops of a block are attention, and what its kernels make of masks.
#ifndef KERATIN_PASSES_FUSION_ATTENTIONS_H
#define KERATIN_PASSES_FUSION_ATTENTIONS_H

#include "ir/interfaces/Attention.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace keratin::passes {

class Attentions {
public:
  Attentions() = default;
  // What of attention there are kernels for. Those of tensor cores may round weights.
  enum class Kind { All, Halves, HalvesAndTf32 };
  Attentions(mlir::Block &block, Kind kind);

  // Null if the op is no product with values.
  const ir::Attention *of(mlir::Operation *mix) const;
  // That of the ops of a group.
  const ir::Attention *among(llvm::ArrayRef<mlir::Operation *> ops) const;

  // Whether the op belongs to attention, whose kernel stands at its product with values.
  bool isInside(mlir::Operation *op) const { return inside.contains(op); }
  // Whether nothing but kernels of attention needs the op: part of a mask that would be as large as
  // the scores, of a few cheap ops on what is smaller. Each of them makes it anew.
  bool isRemade(mlir::Operation *op) const { return remade.contains(op); }

private:
  using Ops = llvm::SmallSetVector<mlir::Operation *, 8>;
  bool canRemake(mlir::Value value, size_t dims, Ops &ops) const;
  bool isNeededHereAlone(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Operation *, ir::Attention> byMix;
  llvm::DenseSet<mlir::Operation *> inside, remade;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_ATTENTIONS_H
