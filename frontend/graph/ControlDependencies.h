// What K::control_dependencies has in force in the thread.
#ifndef KERATIN_FRONTEND_GRAPH_CONTROLDEPENDENCIES_H
#define KERATIN_FRONTEND_GRAPH_CONTROLDEPENDENCIES_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

namespace keratin::frontend {

class Graph;

// Under the graph's mutex.
class ControlDependencies {
public:
  // The active updates of the variable that the value is, each once, in their order; none for any
  // other value.
  static llvm::SmallVector<mlir::Value> updatesOf(const Graph &graph, mlir::Value value);
  // All values that must be evaluated together with what is made now. In a callable those of its
  // own: the loop or branch that it is for is evaluated together with the others.
  static llvm::SmallVector<mlir::Value> active(const Graph &graph);
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_CONTROLDEPENDENCIES_H
