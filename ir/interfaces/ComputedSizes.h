// The sizes that a function computes during its call (keratin.define_size).
//
// Memory is asked for before the call computes anything, so it is planned for the most that each
// size can be. Of some sizes, the steps of a loop that ends when it likes, nobody knows that: what
// depends on them has memory that is asked for when the symbol is defined. A symbol has its value
// behind the op that defines it; whoever orders kernels keeps what mentions the symbol behind that.
#ifndef KERATIN_IR_INTERFACES_COMPUTEDSIZES_H
#define KERATIN_IR_INTERFACES_COMPUTEDSIZES_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace keratin::ir {

// The symbol that an op defines by itself, before the compiler makes keratin.define_size of it: of
// keratin.truncate and of keratin.while with a length.
std::optional<int64_t> symbolDefinedBy(mlir::Operation *op);

class ComputedSizes {
public:
  // Fails with a diagnostic if a symbol is defined twice, is an argument's, or has a bound that is
  // not one of the call's own symbols' in the end.
  static mlir::FailureOr<ComputedSizes> of(mlir::func::FuncOp function);

  bool empty() const { return definitions.empty(); }
  // In the order in which they stand.
  llvm::ArrayRef<DefineSizeOp> ops() const { return definitions; }
  bool isComputed(int64_t symbol) const { return numbers.contains(symbol); }
  // The number among ops() of the op that defines a computed symbol.
  int64_t numberOf(int64_t symbol) const { return numbers.lookup(symbol); }
  bool mentions(const DimExpr &size) const;
  // The last of ops() without a bound whose symbol the size mentions, or -1.
  int64_t lastUnbounded(const DimExpr &size) const;
  // What the size is at most, over the symbols known before the call and those without a bound;
  // itself where it mentions no computed one. nullopt if no such expression is known.
  std::optional<DimExpr> atMost(const DimExpr &size) const;
  // The computed symbols in the types and attributes of an op and of what is inside it, each once.
  llvm::SmallVector<int64_t> mentionedBy(mlir::Operation *op) const;

private:
  llvm::SmallVector<DefineSizeOp> definitions;
  llvm::DenseMap<int64_t, int64_t> numbers; // of the definitions, by symbol
  llvm::DenseMap<int64_t, DimExpr> bounds;  // as atMost() says; unbounded ones are not there
};

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_COMPUTEDSIZES_H
