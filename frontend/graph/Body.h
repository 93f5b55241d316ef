// From the ops that callables made to the regions of loops and branches.
#ifndef KERATIN_FRONTEND_GRAPH_BODY_H
#define KERATIN_FRONTEND_GRAPH_BODY_H

#include "frontend/graph/Trace.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace mlir {
class Block;
} // namespace mlir

namespace keratin::frontend {

class Call;

// The ops of one body: those that its results need and that were made in its traces. Everything
// older, and literals, variables and placeholders whenever made, stays outside and is captured;
// with the exception of what lies between the loss and the values of a K::gradients of the body,
// which must see the whole way.
class Body {
public:
  // The traces have ended. `moved` are older ops that the body has too.
  Body(Call &call, llvm::ArrayRef<const Trace *> traces, llvm::ArrayRef<mlir::Value> results,
       llvm::ArrayRef<mlir::Operation *> moved = {});

  // What comes from outside: values that the ops use, and results that no op of the body makes.
  // Step arguments of the traces are not among them.
  llvm::ArrayRef<mlir::Value> captures() const { return outside.getArrayRef(); }

  // Whether each run of the body has a size of its own for the value.
  bool computesSizeOf(mlir::Value value) const;
  // NotImplementedError if one of them does: what is around the body has them.
  void refuseSizesOf(llvm::ArrayRef<mlir::Value> values) const;

  // A block of copies, ended by keratin.yield of the results, with arguments that stand for these
  // values: step arguments, and all captures.
  std::unique_ptr<mlir::Block> build(llvm::ArrayRef<mlir::Value> arguments) const;

private:
  bool isInside(mlir::Operation *op) const;
  void select();
  bool addPaths();

  Call &call;
  llvm::SmallVector<const Trace *, 2> traces;
  llvm::SmallVector<mlir::Value> results;
  // Copied although made before the traces: with what they print, and without it.
  llvm::DenseSet<mlir::Operation *> moved, older;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::Value> outside;
  llvm::DenseSet<int64_t> sizes; // symbols that the ops define
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_BODY_H
