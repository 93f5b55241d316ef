#include "ir/builder/BuiltOps.h"

using namespace keratin::ir;
using namespace mlir;

Operation *keratin::ir::lastBuilt(OpBuilder &builder) {
  auto next = builder.getInsertionPoint();
  return next == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(next);
}

SmallVector<Operation *> keratin::ir::builtSince(OpBuilder &builder, Operation *last) {
  SmallVector<Operation *> ops;
  for (Operation *op = lastBuilt(builder); op != last; op = op->getPrevNode())
    ops.push_back(op);
  return llvm::to_vector(llvm::reverse(ops));
}

void keratin::ir::eraseUnused(OpBuilder &builder, Operation *last, ArrayRef<Value> used) {
  Operation *op = lastBuilt(builder);
  while (op != last) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) && llvm::none_of(op->getResults(), [&](Value value) {
          return llvm::is_contained(used, value);
        }))
      op->erase();
    op = previous;
  }
}
