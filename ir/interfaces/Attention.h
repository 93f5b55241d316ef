// Attention in a graph: products of queries and keys, softmax of what follows from them, and the
// mean of values that it weighs.
#ifndef KERATIN_IR_INTERFACES_ATTENTION_H
#define KERATIN_IR_INTERFACES_ATTENTION_H

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/AttentionKinds.h"
#include "ir/interfaces/ContractionShape.h"

namespace keratin::ir {

// mix[b, m, :] = sum over n of softmax(f(scores[b, m, n])) * values[b, n, :], softmax along n and f
// element by element. One row after the other needs nothing but itself, so that a kernel can hold a
// few scores of a few rows at a time.
struct Attention {
  DotGeneralOp scores, mix;
  mlir::Value logits; // f(scores): what softmax is of
  ReduceMaxOp max;
  ExpOp exp; // of logits - max
  ReduceSumOp sum;
  ContractionShape scoresShape, mixShape;
  // Weights are float32's, and rounded to float16 or bfloat16 for the product with the values.
  bool roundsWeights = false;
  // What only this product needs, in the order of the block: scores and all that lies between them
  // and what the product reads. Others may read nothing of it but numbers of rows.
  llvm::SmallVector<mlir::Operation *> inside;

  // Whether those that make attention of these kinds make this one.
  bool isAmong(AttentionKinds kinds) const;
  // Whether tensor cores do, of which the kinds name the type: widths are few and even enough, and
  // there are about as many blocks of queries as each walks over blocks of keys.
  bool isForTensorCores(AttentionKinds kinds) const;

  bool isInside(mlir::Operation *op) const { return llvm::is_contained(inside, op); }
  // Whether the value has a number for each row: the largest logit, or the sum of exponentials. Its
  // elements lie as the rows of the product do.
  bool isOfRows(mlir::Value value) const {
    return value == ReduceMaxOp(max).getY() || value == ReduceSumOp(sum).getY();
  }
  // Of ops that follow from attention those that make the values, mix among them, in their order.
  llvm::SmallVector<mlir::Operation *> opsBehind(llvm::ArrayRef<mlir::Operation *> ops,
                                                 llvm::ArrayRef<mlir::Value> values) const;
};

// Of the product that has the values as its second factor; nullopt if it is none. Whoever takes it
// where it rounds weights, rounds them before their sum is known, or not at all. Rows of `mix`,
// and depths of both products, are known: they fit a processor's cache. With `mayShare` others may
// read anything inside.
std::optional<Attention> attentionOf(DotGeneralOp mix, bool mayShare = false);
// That of a kernel, or of its ops.
std::optional<Attention> attentionOf(llvm::ArrayRef<mlir::Operation *> ops);
std::optional<Attention> attentionOf(KernelOp kernel);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_ATTENTION_H
