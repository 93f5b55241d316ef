#include "frontend/graph/ControlDependencies.h"

#include "ir/dialect/Keratin.h"

#include <vector>

using namespace keratin;
using namespace keratin::frontend;

// The scopes in force, innermost last.
static std::vector<llvm::SmallVector<mlir::Value>> &scopes() {
  static auto *stack = new std::vector<llvm::SmallVector<mlir::Value>>;
  return *stack;
}

void ControlDependencies::push(llvm::SmallVector<mlir::Value> ops) {
  scopes().push_back(std::move(ops));
}

void ControlDependencies::pop() { scopes().pop_back(); }

mlir::Value ControlDependencies::read(mlir::Value value) {
  if (scopes().empty() || !value.getDefiningOp<ir::VariableOp>())
    return value;
  for (auto scope = scopes().rbegin(); scope != scopes().rend(); ++scope)
    for (mlir::Value op : llvm::reverse(*scope))
      if (auto update = op.getDefiningOp<ir::UpdateOp>(); update && update.getVariable() == value)
        return op;
  return value;
}

llvm::SmallVector<mlir::Value> ControlDependencies::active() {
  llvm::SmallVector<mlir::Value> all;
  for (auto &scope : scopes())
    all.append(scope.begin(), scope.end());
  return all;
}
