// Names of nodes and scopes.
#include "frontend/graph/Graph.h"

using namespace keratin;
using namespace keratin::frontend;

std::string Graph::uniqueName(const std::string &base) {
  int64_t count = nameCounters[base]++;
  return count == 0 ? base : base + "_" + std::to_string(count);
}

static bool isFullName(const std::string &name) { return name.size() >= 2 && name.back() == '/'; }

std::string Graph::askedName(const std::string &name) const {
  if (isFullName(name))
    return name.substr(0, name.size() - 1);
  return (scope() ? *scope() : std::string()) + name;
}

std::string Graph::nodeName(const std::string &name) {
  std::string asked = askedName(name);
  return isFullName(name) && scopeNames.erase(asked) ? asked : uniqueName(asked);
}

std::string Graph::scopeName(const std::string &name) {
  if (name.back() == '/')
    return name;
  std::string unique = uniqueName((scope() ? *scope() : std::string()) + name);
  scopeNames.insert(unique);
  return unique + "/";
}

void Graph::forgetNames() {
  nameCounters.clear();
  scopeNames.clear();
}

std::string Graph::nameOf(Node *node) {
  if (!node->name.empty())
    return node->name;
  mlir::Operation *op = node->value.getDefiningOp();
  if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op))
    return placeholders[placeholder.getId()].name + ":0";
  if (auto variable = llvm::dyn_cast<ir::VariableOp>(op))
    return variables[variable.getId()].name + ":0";
  std::string base =
      (node->scope ? *node->scope : std::string()) + op->getName().stripDialect().str();
  return node->name = uniqueName(base) + ":0";
}
