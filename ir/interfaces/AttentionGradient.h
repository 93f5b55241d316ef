// The gradients of attention in a graph: products of queries and keys made anew, what follows from
// them element by element, and sums of it over keys and over queries.
#ifndef KERATIN_IR_INTERFACES_ATTENTIONGRADIENT_H
#define KERATIN_IR_INTERFACES_ATTENTIONGRADIENT_H

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/AttentionKinds.h"
#include "ir/interfaces/ContractionShape.h"

namespace keratin::ir {

// made[i][b, m, n] = sum over d of a_i[b, m, d] * b_i[b, n, d]: scores, and the gradient by
// weights. tiles[i] = f(made..., masks, numbers of rows), element by element: weights, and the
// gradient by scores. And of these
//   y[b, m, :] = sum over n of tile[b, m, n] * c[b, n, :]   (by queries)
//   y[b, n, :] = sum over m of tile[b, m, n] * c[b, m, :]   (by keys, by values).
// So a kernel can hold what belongs to some queries and some keys at a time, and nothing that has
// all of both is in memory.
struct AttentionGradient {
  struct Made {
    DotGeneralOp dot;
    ContractionShape shape;
  };
  struct Sum {
    DotGeneralOp dot;
    ContractionShape shape;
    unsigned tile;   // its first factor
    bool isOverKeys; // else over queries
  };
  llvm::SmallVector<Made, 2> made;
  llvm::SmallVector<mlir::Value, 2> tiles;
  llvm::SmallVector<Sum, 3> sums;
  DimExpr batch, queries, keys;

  // Whether those that make gradients of attention of these kinds make this one.
  bool isAmong(AttentionKinds kinds) const;
  // Whether tensor cores do, of which the kinds name the type: widths are few and even enough, and
  // there are about as many blocks of queries as of keys.
  bool isForTensorCores(AttentionKinds kinds) const;
};

// Of these ops, in the order of their block, and all that they need but inputs; nullopt if they are
// no such gradients.
std::optional<AttentionGradient> attentionGradientOf(llvm::ArrayRef<mlir::Operation *> ops);
// Of a kernel that yields the sums.
std::optional<AttentionGradient> attentionGradientOf(KernelOp kernel);

// The same elements in rows of the same length.
bool keepsRows(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_ATTENTIONGRADIENT_H
