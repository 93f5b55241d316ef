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

mlir::Value ControlDependencies::read(mlir::Value value) {
  if (scopes().empty() || !value.getDefiningOp<ir::VariableOp>())
    return value;
  for (auto scope = scopes().rbegin(); scope != scopes().rend(); ++scope)
    for (mlir::Value op : llvm::reverse(scope->ops))
      if (auto update = op.getDefiningOp<ir::UpdateOp>(); update && update.getVariable() == value)
        return op;
  return value;
}

llvm::SmallVector<mlir::Value> ControlDependencies::active(const Graph &graph) {
  llvm::SmallVector<mlir::Value> all;
  for (const Scope &scope : scopes())
    if (scope.traces == graph.traces.size())
      all.append(scope.ops.begin(), scope.ops.end());
  return all;
}
