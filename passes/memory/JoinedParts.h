// What is several values, one behind the other: they are made there.
#ifndef KERATIN_PASSES_MEMORY_JOINEDPARTS_H
#define KERATIN_PASSES_MEMORY_JOINEDPARTS_H

#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace keratin::passes {

// Kernels that do nothing but put values one behind the other, if the storage of all these values
// can be that of the result: kernels made them, and none is an output. Of what a message sends,
// nobody else reads the parts.
class JoinedParts {
public:
  explicit JoinedParts(const KernelProgram &program);

  struct Part {
    mlir::Value whole;  // the result that is a part of no other
    ir::DimExpr offset; // bytes in it
  };
  // Of a result of a node; null: it has storage of its own. A whole is a part of itself.
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
