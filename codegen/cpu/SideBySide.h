// Parts of a block that do nothing to each other and are to run at once. A processor looks some
// hundred instructions ahead: of two long computations that stand one behind the other it waits for
// the first, of two that take turns it works on both.
#ifndef KERATIN_CODEGEN_CPU_SIDEBYSIDE_H
#define KERATIN_CODEGEN_CPU_SIDEBYSIDE_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

class SideBySide {
public:
  explicit SideBySide(mlir::OpBuilder &b) : b(b), block(b.getInsertionBlock()) {}

  // What is built from here on is the next part.
  void next() { begins.push_back(lastOp()); }
  // The ops take turns, each behind those that it needs. Where one changes memory, the ops that
  // name it by the same value keep their order; that of other names is taken to be elsewhere.
  void takeTurns();

private:
  mlir::Operation *lastOp() const;

  mlir::OpBuilder &b;
  mlir::Block *block;
  llvm::SmallVector<mlir::Operation *> begins; // the op before each part, or null
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_SIDEBYSIDE_H
