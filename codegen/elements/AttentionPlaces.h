// Where rows of attention stand in tensors of queries and keys.
#ifndef KERATIN_CODEGEN_ELEMENTS_ATTENTIONPLACES_H
#define KERATIN_CODEGEN_ELEMENTS_ATTENTIONPLACES_H

#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/KernelFunction.h"

namespace keratin::codegen {

// Rows are numbered in an entry of the batch; the tensor may have the same elements in other
// dimensions, and has keys in its last.
class AttentionPlaces {
public:
  using Value = mlir::Value;

  // `rows` of an entry.
  AttentionPlaces(KernelBuilder &k, LoopEmitter &emit, ir::Shape whole, const ir::DimExpr &rows);

  // Emits what follows from the entry alone, for the rows of it.
  void enter(Value batch);
  // In all dimensions but the last, i64.
  llvm::SmallVector<Value> ofRow(Value row);

private:
  void spread(Value number, size_t count, llvm::SmallVectorImpl<Value> &positions);

  KernelBuilder &k;
  LoopEmitter &emit;
  ir::Shape shape;  // of rows
  ir::DimExpr rows; // of an entry
  size_t inner;     // dimensions before those of size 1 behind the last
  bool areApart;    // rows are a dimension of their own, as they mostly are
  Value batch;
  llvm::SmallVector<Value> outer;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_ATTENTIONPLACES_H
