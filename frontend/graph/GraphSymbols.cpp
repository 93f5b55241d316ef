// The symbols of the graph: where ops mention them, who owns them, what they are called.
#include "frontend/graph/Graph.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin;
using namespace keratin::frontend;
using keratin::ir::DimsAttr;

llvm::ArrayRef<int64_t> Graph::symbolsOf(mlir::Attribute attribute) {
  auto dims = llvm::dyn_cast_or_null<DimsAttr>(attribute);
  if (!dims)
    return {};
  auto [entry, isNew] = dimsSymbols.try_emplace(dims);
  if (isNew)
    for (const ir::DimExpr &dim : dims.getDims())
      for (int64_t id : dim.symbols())
        if (!llvm::is_contained(entry->second, id))
          entry->second.push_back(id);
  return entry->second;
}

void Graph::forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit) {
  auto visitType = [&](mlir::Type type) {
    for (int64_t id : symbolsOf(llvm::cast<mlir::RankedTensorType>(type).getEncoding()))
      visit(id);
  };
  for (mlir::Type type : op->getResultTypes())
    visitType(type);
  ir::forEachDims(op, [&](DimsAttr dims) {
    for (int64_t id : symbolsOf(dims))
      visit(id);
  });
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region) {
      for (mlir::Type type : block.getArgumentTypes())
        visitType(type);
      for (mlir::Operation &nested : block)
        forEachSymbol(&nested, visit);
    }
}

void Graph::own(mlir::Operation *op, llvm::ArrayRef<int64_t> ids) {
  for (int64_t id : ids) {
    symbols[id].owner = op;
    ownedSymbols[op].push_back(id);
  }
}

int64_t Graph::namedSymbol(const std::string &name) {
  auto [known, isNew] = namedSymbols.try_emplace(name, 0);
  if (isNew) {
    SymbolInfo info{nullptr, std::nullopt, "size '" + name + "'"};
    info.name = name;
    known->second = symbols.add(std::move(info));
    newNames.push_back(known->second);
  }
  return known->second;
}

std::optional<int64_t> Graph::existingValueSymbol(mlir::Operation *op, ir::ValuePart part) const {
  auto owned = ownedSymbols.find(op);
  if (owned != ownedSymbols.end())
    for (int64_t id : owned->second)
      if (symbols[id].part == part)
        return id;
  return std::nullopt;
}

std::optional<int64_t> Graph::computedSymbol(mlir::Value value, int64_t element) const {
  auto found = computedSymbols.find({value, element});
  return found == computedSymbols.end() ? std::nullopt : std::optional(found->second);
}

void Graph::addComputedSymbol(mlir::Value value, int64_t element, int64_t id) {
  symbols[id].element = {value, element};
  computedSymbols[{value, element}] = id;
}

int64_t Graph::valueSymbol(mlir::Operation *op, ir::ValuePart part) {
  if (std::optional<int64_t> known = existingValueSymbol(op, part))
    return *known;
  std::string name = part == ir::ValuePart::Positive   ? "the positive part of "
                     : part == ir::ValuePart::Negative ? "the negative part of "
                                                       : "";
  if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op))
    name += "the value of placeholder " + placeholders[placeholder.getId()].name;
  else if (auto variable = llvm::dyn_cast<ir::VariableOp>(op))
    name += "the value of variable " + variables[variable.getId()].name;
  int64_t id = symbols.add(SymbolInfo{op, part, std::move(name)});
  ownedSymbols[op].push_back(id);
  return id;
}

// A call that failed may have brought names, and said things of them that no op relies on.
void Graph::forgetUnusedNames() {
  for (int64_t id : newNames)
    if (symbols.contains(id) && symbols[id].uses == 0 && !symbols[id].name.empty()) {
      namedSymbols.erase(symbols[id].name);
      symbols.remove(id);
    }
  newNames.clear();
}
