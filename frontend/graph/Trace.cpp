#include "frontend/graph/Trace.h"

#include "frontend/graph/Call.h"

using namespace keratin;
using namespace keratin::frontend;

Trace::Trace(Call &call, std::string callable)
    : call(call), name(std::make_shared<const std::string>(std::move(callable))) {
  call.graph.beginTrace(this);
}

mlir::Value Trace::argument(mlir::RankedTensorType type, const std::string &label) {
  PlaceholderInfo info{call.graph.uniqueName(label), std::nullopt, name};
  int64_t id = call.graph.placeholders.add(std::move(info));
  mlir::Value value = call.builder.create<ir::PlaceholderOp>(call.g.location(), type, id,
                                                             call.builder.getStringAttr(""));
  arguments.insert(value);
  return value;
}

void Trace::end() {
  if (!isOpen)
    return;
  isOpen = false;
  Graph &graph = call.graph;
  graph.endTrace();
  for (mlir::Operation *op : made) {
    auto differs = [&](mlir::Value operand) { return perStep.contains(operand.getDefiningOp()); };
    if (op->getNumResults() != 1 || !arguments.contains(op->getResult(0)))
      if (llvm::none_of(op->getOperands(), differs))
        continue;
    perStep.insert(op);
    for (mlir::Value result : op->getResults())
      if (Node *node = graph.find(result))
        node->madeIn = name;
  }
  // What was made here was made in the callable around this one too.
  if (!graph.traces().empty())
    for (mlir::Operation *op : made)
      graph.traces().back()->add(op);
}

const std::string *frontend::tracedCallable(const Graph &graph) {
  return graph.traces().empty() ? nullptr : &graph.traces().back()->callable();
}

bool frontend::isStepArgument(const Graph &graph, mlir::Operation *op) {
  auto placeholder = llvm::dyn_cast_or_null<ir::PlaceholderOp>(op);
  return placeholder && graph.placeholders[placeholder.getId()].callable;
}
