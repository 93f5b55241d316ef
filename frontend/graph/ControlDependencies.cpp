#include "frontend/graph/ControlDependencies.h"

#include "frontend/graph/Graph.h"
#include "ir/dialect/Keratin.h"

using namespace keratin;
using namespace keratin::frontend;

llvm::SmallVector<mlir::Value> ControlDependencies::updatesOf(const Graph &graph,
                                                              mlir::Value value) {
  llvm::SmallVector<mlir::Value> updates;
  if (!graph.controlScopes().empty() && value.getDefiningOp<ir::VariableOp>())
    for (const ThreadState::ControlScope &scope : graph.controlScopes())
      for (mlir::Value op : scope.ops)
        if (auto update = op.getDefiningOp<ir::UpdateOp>();
            update && update.getVariable() == value && !llvm::is_contained(updates, op))
          updates.push_back(op);
  return updates;
}

llvm::SmallVector<mlir::Value> ControlDependencies::active(const Graph &graph) {
  llvm::SmallVector<mlir::Value> all;
  for (const ThreadState::ControlScope &scope : graph.controlScopes())
    if (scope.traces == graph.traces().size())
      all.append(scope.ops.begin(), scope.ops.end());
  return all;
}
