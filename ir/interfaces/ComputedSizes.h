// The sizes that a function computes during its call (keratin.define_size).
//
// Memory is asked for before the call computes anything, so it is planned for the most that each
// size can be. A symbol has its value behind the op that defines it; whoever orders kernels keeps
// what mentions the symbol behind that.
#ifndef KERATIN_IR_INTERFACES_COMPUTEDSIZES_H
#define KERATIN_IR_INTERFACES_COMPUTEDSIZES_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

namespace keratin::ir {

class ComputedSizes {
public:
  // Fails with a diagnostic if a symbol is defined twice, is an argument's, or has a bound that is
  // not one of the call's own symbols' in the end.
  static mlir::FailureOr<ComputedSizes> of(mlir::func::FuncOp function);

  bool empty() const { return definitions.empty(); }
  // In the order in which they stand.
  llvm::ArrayRef<DefineSizeOp> ops() const { return definitions; }
  bool isComputed(int64_t symbol) const { return bounds.contains(symbol); }
  bool mentions(const DimExpr &size) const;
  // What the size is at most, over the symbols known before the call; itself where it mentions no
  // computed one. nullopt if no such expression is known.
  std::optional<DimExpr> atMost(const DimExpr &size) const;
  // The computed symbols in the types and attributes of an op and of what is inside it, each once.
  llvm::SmallVector<int64_t> mentionedBy(mlir::Operation *op) const;

private:
  llvm::SmallVector<DefineSizeOp> definitions;
  llvm::DenseMap<int64_t, DimExpr> bounds; // over symbols known before the call
};

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_COMPUTEDSIZES_H
