// Which elements of the values of a block somebody uses.
#ifndef KERATIN_PASSES_VERIFY_NUMBERUSE_H
#define KERATIN_PASSES_VERIFY_NUMBERUSE_H

#include "ir/dialect/Keratin.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace keratin::passes {

// A select leaves elements of its operands aside. What is computed for it alone, directly or
// through other ops, counts where the select takes it. Who asks whether a number is finite, or
// equal to itself, does not use it.
class NumberUse {
public:
  // Emits the ops that compute it before the block's terminator. What is handed on counts as a
  // whole, as what the terminator reads does.
  NumberUse(mlir::Block &block, mlir::ValueRange handedOn);

  // A bool for each element of the value, which is defined in the block; null: all count.
  mlir::Value countsOf(mlir::Value value) const { return masks.lookup(value); }
  // Erases those of the emitted ops that nobody has come to read.
  void eraseUnread();

private:
  void readBy(mlir::Operation *op);
  void addUse(mlir::Value value, mlir::Value mask);

  mlir::OpBuilder builder;
  mlir::Operation *last; // of the block as it was given, before the terminator
  // Of values that have been used: where. Null: everywhere.
  llvm::DenseMap<mlir::Value, mlir::Value> masks;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_VERIFY_NUMBERUSE_H
