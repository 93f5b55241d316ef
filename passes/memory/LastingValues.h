// What of a function is the same in each call, until somebody writes a variable that the function
// does not.
#ifndef KERATIN_PASSES_MEMORY_LASTINGVALUES_H
#define KERATIN_PASSES_MEMORY_LASTINGVALUES_H

#include "passes/memory/KernelProgram.h"

#include "llvm/ADT/DenseSet.h"

namespace keratin::passes {

// Valid as long as the program.
class LastingValues {
public:
  LastingValues(mlir::func::FuncOp function, const KernelProgram &program);

  // Positions of the nodes that need not be done in each call, in their order.
  const std::vector<int64_t> &nodes() const { return lastingNodes; }
  // Whether the value is a variable that the function does not update, a constant, a result of such
  // a node, or a view of one.
  bool contains(mlir::Value value) const { return isLasting(ir::rootOf(value)); }

private:
  bool isLasting(mlir::Value root) const;
  bool isLasting(const KernelProgram &program, int64_t position) const;

  llvm::DenseSet<mlir::Value> roots; // variables and results
  std::vector<int64_t> lastingNodes;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_LASTINGVALUES_H
