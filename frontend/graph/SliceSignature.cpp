#include "frontend/graph/SliceSignature.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"

#include <functional>

using namespace keratin;
using namespace keratin::frontend;

SliceSignature::SliceSignature(const GraphSlice &slice) {
  Graph &graph = Graph::get();
  llvm::DenseMap<mlir::Value, uint64_t> numbers;
  llvm::DenseMap<int64_t, uint64_t> symbols;
  auto add = [&](const void *pointer) { words.push_back(reinterpret_cast<uintptr_t>(pointer)); };
  auto number = [&](mlir::Value value) { numbers.try_emplace(value, numbers.size()); };
  // A type counts with the ids of its symbols, and these with the order in which they came up. So
  // equal words mean equal structure; that a graph whose symbols got other ids is compiled again is
  // no harm.
  auto addSymbol = [&](int64_t id) {
    words.push_back(symbols.try_emplace(id, symbols.size()).first->second);
  };
  auto addArgument = [&](mlir::Value value) {
    add(value.getType().getAsOpaquePointer());
    for (ir::ValuePart part : ir::kValueParts)
      if (std::optional<int64_t> symbol = graph.existingValueSymbol(value.getDefiningOp(), part)) {
        words.push_back(1);
        addSymbol(*symbol);
        words.push_back(uint64_t(*symbol));
      } else {
        words.push_back(0);
      }
    number(value);
  };

  words.push_back(slice.inputs.size());
  for (mlir::Value input : slice.inputs)
    addArgument(input);
  words.push_back(slice.variables.size());
  for (ir::VariableOp variable : slice.variables) {
    addArgument(variable.getResult());
    words.push_back(graph.variables[variable.getId()].countsDraws);
  }
  std::function<void(mlir::Operation *)> addOp = [&](mlir::Operation *op) {
    add(op->getName().getAsOpaquePointer());
    // The ids of literals and placeholders are names, not structure.
    if (!llvm::isa<ir::LiteralOp, ir::PlaceholderOp>(op))
      add(op->getAttrDictionary().getAsOpaquePointer());
    words.push_back(op->getNumOperands());
    for (mlir::Value operand : op->getOperands())
      words.push_back(numbers.lookup(operand));
    for (mlir::Value result : op->getResults()) {
      add(result.getType().getAsOpaquePointer());
      number(result);
    }
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region) {
        words.push_back(block.getNumArguments());
        for (mlir::BlockArgument argument : block.getArguments()) {
          add(argument.getType().getAsOpaquePointer());
          number(argument);
        }
        for (mlir::Operation &nested : block)
          addOp(&nested);
      }
  };
  for (mlir::Operation *op : slice.ops)
    addOp(op);
  for (mlir::Value output : slice.outputs)
    words.push_back(numbers.lookup(output));
  words.push_back(slice.updates.size());
  for (ir::UpdateOp update : slice.updates)
    words.push_back(numbers.lookup(update.getResult()));
  digest = llvm::hash_combine_range(words.begin(), words.end());
}
