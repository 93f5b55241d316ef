#include "frontend/graph/ControlDependencies.h"

#include "frontend/graph/Graph.h"
#include "ir/dialect/Keratin.h"

#include <vector>

using namespace keratin;
using namespace keratin::frontend;

namespace {

struct Scope {
  llvm::SmallVector<mlir::Value> ops;
  size_t traces; // how many callables were running
};

} // namespace

// The scopes in force, innermost last.
static std::vector<Scope> &scopes() {
  static auto *stack = new std::vector<Scope>;
  return *stack;
}

void ControlDependencies::push(const Graph &graph, llvm::SmallVector<mlir::Value> ops) {
  scopes().push_back({std::move(ops), graph.traces.size()});
}

void ControlDependencies::pop() { scopes().pop_back(); }

llvm::SmallVector<mlir::Value> ControlDependencies::updatesOf(mlir::Value value) {
  llvm::SmallVector<mlir::Value> updates;
  if (!scopes().empty() && value.getDefiningOp<ir::VariableOp>())
    for (const Scope &scope : scopes())
      for (mlir::Value op : scope.ops)
        if (auto update = op.getDefiningOp<ir::UpdateOp>();
            update && update.getVariable() == value && !llvm::is_contained(updates, op))
          updates.push_back(op);
  return updates;
}

llvm::SmallVector<mlir::Value> ControlDependencies::active(const Graph &graph) {
  llvm::SmallVector<mlir::Value> all;
  for (const Scope &scope : scopes())
    if (scope.traces == graph.traces.size())
      all.append(scope.ops.begin(), scope.ops.end());
  return all;
}
