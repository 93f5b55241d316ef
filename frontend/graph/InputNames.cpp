#include "frontend/graph/InputNames.h"

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// An input, or the vectors and sizes of a sparse one, which follow one another.
struct NamedInput {
  std::string own, asked; // the tensor's name; what the user wanted
  std::vector<std::string> parts;
  std::string name = {};
};

std::string withoutEnd(llvm::StringRef name, llvm::StringRef end) {
  name.consume_back(end);
  return name.str();
}

NamedInput namedInput(Graph &graph, mlir::Value input) {
  if (auto placeholder = input.getDefiningOp<ir::PlaceholderOp>()) {
    const PlaceholderInfo &info = graph.placeholders[placeholder.getId()];
    return {withoutEnd(info.name, info.part),
            withoutEnd(info.askedName.empty() ? info.name : info.askedName, info.part),
            {info.part}};
  }
  Node *node = graph.find(input);
  std::string name = node ? graph.nameOf(node) : "input";
  name = name.substr(0, name.rfind(':'));
  return {name, name, {""}};
}

} // namespace

std::vector<std::string> frontend::inputNames(Graph &graph, llvm::ArrayRef<mlir::Value> inputs) {
  std::vector<NamedInput> all;
  for (mlir::Value input : inputs) {
    NamedInput next = namedInput(graph, input);
    const std::string &part = next.parts.front();
    // Each sparse placeholder begins with its rows.
    bool goesOn = !part.empty() && !all.empty() && all.back().own == next.own &&
                  all.back().parts.front() != part;
    if (goesOn)
      all.back().parts.push_back(part);
    else
      all.push_back(std::move(next));
  }
  llvm::StringSet<> taken;
  auto keep = [&](NamedInput &input) {
    if (input.name.empty() && taken.insert(input.asked).second)
      input.name = input.asked;
  };
  for (NamedInput &input : all)
    if (input.own == input.asked)
      keep(input);
  for (NamedInput &input : all)
    keep(input);
  // No name is made up that another input asked for.
  for (NamedInput &input : all) {
    if (!input.name.empty())
      continue;
    unsigned number = 0;
    do
      input.name = input.asked + "_" + std::to_string(++number);
    while (!taken.insert(input.name).second);
  }
  std::vector<std::string> names;
  for (const NamedInput &input : all)
    for (const std::string &part : input.parts)
      names.push_back(input.name + part);
  return names;
}
