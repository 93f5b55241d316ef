#include "frontend/graph/GraphSlice.h"

#include "keratin/error.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// A depth-first walk with its own stack: chains may be a million ops long.
class Slicer {
public:
  Slicer(const SliceRequest &request) : graph(Graph::get()), request(request) {}

  GraphSlice run() {
    slice.inputs = request.inputs;
    slice.outputs = request.outputs;
    for (mlir::Value input : request.inputs)
      fed.insert(input);
    // Updates first as listed, so that the later of two assignments is the later in the list.
    for (mlir::Value update : request.updates)
      visit(update);
    for (mlir::Value output : request.outputs)
      visit(output);
    bindSymbols();
    return std::move(slice);
  }

private:
  void visit(mlir::Value root) {
    if (fed.contains(root) || !seen.insert(root.getDefiningOp()).second)
      return;
    stack.push_back({root.getDefiningOp(), 0});
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (next == op->getNumOperands()) {
        finish(op);
        stack.pop_back();
        continue;
      }
      mlir::Value operand = op->getOperand(next++);
      if (!fed.contains(operand) && seen.insert(operand.getDefiningOp()).second)
        stack.push_back({operand.getDefiningOp(), 0});
    }
  }

  void finish(mlir::Operation *op) {
    if (auto variable = llvm::dyn_cast<ir::VariableOp>(op)) {
      slice.variables.push_back(variable);
      return;
    }
    if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op)) {
      const PlaceholderInfo &info = graph.placeholders[placeholder.getId()];
      if (info.callable)
        throw ValueError(request.function + ": a tensor of " + *info.callable +
                         " has no value of its own, but one in each step; needed a tensor made "
                         "outside of it");
      if (!info.defaultValue)
        throw ValueError(request.function + ": placeholder '" + info.name +
                         "' is needed but not fed; needed it among the inputs");
      slice.defaulted.push_back(placeholder);
    } else if (auto literal = llvm::dyn_cast<ir::LiteralOp>(op)) {
      slice.literals.push_back(literal);
    } else if (auto update = llvm::dyn_cast<ir::UpdateOp>(op)) {
      slice.updates.push_back(update);
    }
    slice.ops.push_back(op);
  }

  // Every symbol must come from a dimension of an input, or from the value of an input or variable.
  void bindSymbols() {
    llvm::DenseSet<int64_t> bound;
    for (mlir::Value input : slice.inputs) {
      for (const ir::DimExpr &dim : ir::getShape(input))
        if (dim.isSymbol())
          bound.insert(dim.symbolId());
    }
    llvm::DenseSet<int64_t> handled;
    auto need = [&](int64_t id) {
      if (bound.contains(id) || !handled.insert(id).second)
        return;
      const SymbolInfo &symbol = graph.symbols[id];
      auto variable = llvm::dyn_cast_or_null<ir::VariableOp>(symbol.owner);
      if (variable) {
        // A size may need the variable although no op reads it.
        if (seen.insert(variable).second)
          slice.variables.push_back(variable);
      } else if (!symbol.owner || !fed.contains(symbol.owner->getResult(0))) {
        throw ValueError(request.function + ": a size depends on " + symbol.description +
                         ", which is not fed; needed the placeholder among the inputs");
      }
    };
    for (mlir::Operation *op : slice.ops)
      graph.forEachSymbol(op, need);
  }

  Graph &graph;
  const SliceRequest &request;
  GraphSlice slice;
  llvm::DenseSet<mlir::Value> fed;
  llvm::DenseSet<mlir::Operation *> seen;
  std::vector<std::pair<mlir::Operation *, unsigned>> stack;
};

} // namespace

GraphSlice frontend::sliceGraph(const SliceRequest &request) { return Slicer(request).run(); }
