// What a message sends is several values, one behind the other: they are made there.
#ifndef KERATIN_PASSES_MEMORY_JOINEDPARTS_H
#define KERATIN_PASSES_MEMORY_JOINEDPARTS_H

#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace keratin::passes {

// Kernels that do nothing but put values one behind the other for a message, or for another such
// kernel, if the storage of all these values can be that of the result: kernels made them for
// nothing else, and nobody reads them later.
class JoinedParts {
public:
  explicit JoinedParts(const KernelProgram &program);

  struct Part {
    mlir::Value whole;  // what the message sends
    ir::DimExpr offset; // bytes in it
  };
  // Of a result of a node; null: it has storage of its own. What is sent is a part of itself.
  const Part *find(mlir::Value result) const {
    auto found = parts.find(result);
    return found == parts.end() ? nullptr : &found->second;
  }
  bool isJoined(mlir::Operation *node) const { return joined.contains(node); }

private:
  void add(const KernelProgram &program, ir::KernelOp kernel);

  llvm::DenseMap<mlir::Value, Part> parts;
  llvm::DenseSet<mlir::Operation *> joined;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_JOINEDPARTS_H
