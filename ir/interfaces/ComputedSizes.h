// The sizes that a function computes during its call (keratin.define_size).
//
// A symbol belongs to the block in which it is defined: it has its value from there to the end of
// the block, another one each time the block is run, and nothing outside has it for a size. Copies
// of a body define the same symbols, until keratin-define-sizes gives each its own.
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
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace keratin::ir {

// The symbol that an op defines: keratin.define_size, and what the compiler makes it of,
// keratin.truncate and keratin.while with a length.
std::optional<int64_t> symbolDefinedBy(mlir::Operation *op);

// Every mention of a symbol in the types and attributes of an op and of what is inside it.
void forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit);

// The symbols that have their values before the call, by the function's arguments.
llvm::DenseSet<int64_t> givenSymbols(mlir::FunctionOpInterface function);

// Neither this symbol nor a greater one is mentioned by the function.
int64_t firstUnusedSymbol(mlir::FunctionOpInterface function);

// Gives symbols other names in the op, in what is inside it, and in what it defines.
void renameSymbols(mlir::Operation *op, const llvm::DenseMap<int64_t, int64_t> &names);

// All but the first of several bodies that define the same symbol, as copies do, get one of their
// own.
void nameSizesApart(mlir::func::FuncOp function);

// The symbols that the ops of one block define; those of regions inside it are not among them.
class LocalSizes {
public:
  explicit LocalSizes(mlir::Block &block);

  bool empty() const { return definitions.empty(); }
  bool contains(int64_t symbol) const { return definitions.contains(symbol); }
  bool mentionedIn(const DimExpr &size) const;
  bool mentionedIn(mlir::Type type) const;
  bool mentionedBy(mlir::Operation *op) const;
  // The symbols that the op mentions, those that it defines included.
  llvm::DenseSet<int64_t> symbolsIn(mlir::Operation *op) const;
  // The ops that define one of them: a loop with a length and its keratin.define_size are two.
  llvm::ArrayRef<mlir::Operation *> definitionsOf(int64_t symbol) const {
    return definitions.find(symbol)->second;
  }

private:
  llvm::DenseMap<int64_t, llvm::SmallVector<mlir::Operation *, 2>> definitions;
};

class ComputedSizes {
public:
  // Fails with a diagnostic if a symbol is defined twice, is an argument's, or has a bound that is
  // not one of the call's own symbols' in the end.
  static mlir::FailureOr<ComputedSizes> of(mlir::func::FuncOp function);

  // The part of them that a block defines, with the numbers that they have here.
  ComputedSizes in(mlir::Block &block) const;

  bool empty() const { return definitions.empty(); }
  // In the order in which they stand, those in the regions of an op where the op stands.
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
