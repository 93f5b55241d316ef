#include "frontend/graph/GraphSlice.h"

#include "ir/dialect/SourceLine.h"
#include "ir/interfaces/ComputedSizes.h"
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
    for (mlir::Value input : request.inputs) {
      fed.insert(input);
      for (const ir::DimExpr &dim : ir::getShape(input))
        if (dim.isSymbol())
          bound.insert(dim.symbolId());
    }
    // Updates first as listed, so that the later of two assignments is the later in the list.
    for (mlir::Value update : request.updates)
      visit(update);
    for (mlir::Value output : request.outputs)
      visit(output);
    bindSymbols();
    return std::move(slice);
  }

private:
  void visit(mlir::Value asked) {
    root = asked;
    if (!fed.contains(root))
      enter(root.getDefiningOp());
    while (!stack.empty()) {
      Step &step = stack.back();
      if (!step.sizes.empty()) {
        enter(step.sizes.pop_back_val());
        continue;
      }
      mlir::Operation *op = step.op;
      if (step.next == op->getNumOperands()) {
        stack.pop_back();
        finish(op);
        continue;
      }
      mlir::Value operand = op->getOperand(step.next++);
      if (!fed.contains(operand))
        enter(operand.getDefiningOp());
    }
  }

  void enter(mlir::Operation *op) {
    if (!seen.insert(op).second)
      return;
    stack.push_back({op, 0, {}});
    // What computes the op's sizes comes before it, too.
    forEachSymbol(op, [&](int64_t id) {
      mlir::Operation *owner = graph.symbols[id].owner;
      if (owner && owner != op && ir::symbolDefinedBy(owner) && !bound.contains(id))
        stack.back().sizes.push_back(owner);
    });
  }

  // Without those that regions of the op define for themselves.
  void forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit) {
    llvm::DenseSet<int64_t> inside;
    for (mlir::Region &region : op->getRegions())
      region.walk([&](mlir::Operation *nested) {
        if (std::optional<int64_t> symbol = ir::symbolDefinedBy(nested))
          inside.insert(*symbol);
      });
    graph.forEachSymbol(op, [&](int64_t id) {
      if (!inside.contains(id))
        visit(id);
    });
  }

  void finish(mlir::Operation *op) {
    if (auto variable = llvm::dyn_cast<ir::VariableOp>(op)) {
      slice.variables.push_back(variable);
      return;
    }
    if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op)) {
      const PlaceholderInfo &info = graph.placeholders[placeholder.getId()];
      // Only what a callable made depends on its arguments: the tensor that was asked for.
      if (info.callable)
        refuse("a tensor of " + *info.callable +
                   " has no value of its own, but one in each step; needed a tensor made outside "
                   "of it",
               root.getDefiningOp());
      if (!info.defaultValue)
        refuse("placeholder '" + info.name +
                   "' is needed but not fed; needed it among the inputs of a K::function",
               op);
      slice.defaulted.push_back(placeholder);
    } else if (auto literal = llvm::dyn_cast<ir::LiteralOp>(op)) {
      slice.literals.push_back(literal);
    } else if (auto update = llvm::dyn_cast<ir::UpdateOp>(op)) {
      slice.updates.push_back(update);
    }
    slice.ops.push_back(op);
  }

  [[noreturn]] void refuse(const std::string &why, mlir::Operation *op) const {
    throw ValueError(ir::withSourceLine(request.function + ": " + why, op->getLoc()));
  }

  // Every symbol must come from a dimension of an input, from the value of an input or variable, or
  // from an op of the slice.
  void bindSymbols() {
    llvm::DenseSet<int64_t> handled;
    auto need = [&](mlir::Operation *op, int64_t id) {
      if (bound.contains(id) || !handled.insert(id).second)
        return;
      const SymbolInfo &symbol = graph.symbols[id];
      if (symbol.owner && ir::symbolDefinedBy(symbol.owner))
        return; // of the slice: see enter()
      auto variable = llvm::dyn_cast_or_null<ir::VariableOp>(symbol.owner);
      if (variable) {
        // A size may need the variable although no op reads it.
        if (seen.insert(variable).second)
          slice.variables.push_back(variable);
      } else if (!symbol.name.empty()) {
        refuse("nothing gives size '" + symbol.name +
                   "' a value; needed an input that has it among its dimensions",
               op);
      } else if (!symbol.owner || !fed.contains(symbol.owner->getResult(0))) {
        refuse("a size depends on " + symbol.description +
                   ", which is not fed; needed the placeholder among the inputs",
               op);
      }
    };
    for (mlir::Operation *op : slice.ops) {
      if (std::optional<int64_t> defined = ir::symbolDefinedBy(op);
          defined && bound.contains(*defined))
        refuse("an input has a size that is also computed; needed the tensor of that size among "
               "the inputs, or none that has the size",
               op);
      forEachSymbol(op, [&](int64_t id) { need(op, id); });
    }
  }

  Graph &graph;
  const SliceRequest &request;
  GraphSlice slice;
  mlir::Value root; // whose ops are being visited
  llvm::DenseSet<mlir::Value> fed;
  llvm::DenseSet<mlir::Operation *> seen;
  llvm::DenseSet<int64_t> bound; // by dimensions of inputs
  struct Step {
    mlir::Operation *op;
    unsigned next; // operand
    llvm::SmallVector<mlir::Operation *, 1> sizes;
  };
  std::vector<Step> stack;
};

} // namespace

GraphSlice frontend::sliceGraph(const SliceRequest &request) { return Slicer(request).run(); }
