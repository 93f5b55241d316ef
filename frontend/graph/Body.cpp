#include "frontend/graph/Body.h"

#include "frontend/graph/Call.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/interfaces/ComputedSizes.h"

#include "ir/interfaces/OpProperties.h"
#include "mlir/IR/IRMapping.h"

using namespace keratin;
using namespace keratin::frontend;
using mlir::Operation;

Body::Body(Call &call, llvm::ArrayRef<const Trace *> traces, llvm::ArrayRef<Value> results,
           llvm::ArrayRef<Operation *> moved)
    : call(call), traces(traces.begin(), traces.end()), results(results.begin(), results.end()),
      moved(moved.begin(), moved.end()) {
  // Every K::gradients of the body may need more of what is older, and that may hold others.
  do
    select();
  while (addPaths());
  for (Operation *op : ops)
    if (std::optional<int64_t> symbol = ir::symbolDefinedBy(op))
      sizes.insert(*symbol);
  // What is older and copied may have left behind others of its size.
  refuseSizesOf(outside.getArrayRef());
  // Operands before users, and equal callables give equal bodies.
  llvm::SmallVector<Operation *> ordered(ops.begin(), ops.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  ops = llvm::SetVector<Operation *>(ordered.begin(), ordered.end());
}

bool Body::computesSizeOf(Value value) const {
  return llvm::any_of(ir::getShape(value), [&](const DimExpr &dim) {
    return llvm::any_of(dim.symbols(), [&](int64_t id) { return sizes.contains(id); });
  });
}

void Body::refuseSizesOf(llvm::ArrayRef<Value> values) const {
  if (llvm::any_of(values, [&](Value value) { return computesSizeOf(value); }))
    call.notImplemented("a size computed from data that both " + traces.front()->callable() +
                        " and what is around it need");
}

bool Body::isInside(Operation *op) const {
  if (llvm::isa<ir::LiteralOp, ir::VariableOp, ir::PlaceholderOp, ir::UpdateOp>(op))
    return false;
  if (older.contains(op) || moved.contains(op))
    return true;
  for (const Trace *trace : traces)
    if (trace->hasMade(op))
      // A gradient or a size that is the same in every step is computed before the loop.
      return (!ir::isDerivative(op) && !ir::symbolDefinedBy(op)) || !trace->stepNumber() ||
             trace->isPerStep(op);
  return false;
}

// Walks back from the results with its own stack.
void Body::select() {
  ops.clear();
  outside.clear();
  std::vector<Value> stack(results.rbegin(), results.rend());
  while (!stack.empty()) {
    Value value = stack.back();
    stack.pop_back();
    if (llvm::any_of(traces, [&](const Trace *trace) { return trace->isArgument(value); }))
      continue;
    Operation *op = value.getDefiningOp();
    if (!isInside(op)) {
      outside.insert(value);
    } else if (ops.insert(op)) {
      stack.insert(stack.end(), op->getOperands().begin(), op->getOperands().end());
      // And what computes its sizes, which may be no operand.
      call.graph.forEachSymbol(op, [&](int64_t id) {
        Operation *owner = call.graph.symbols[id].owner;
        if (owner && ir::symbolDefinedBy(owner) && isInside(owner))
          stack.push_back(owner->getResult(0));
      });
    }
  }
}

// The ops on the ways from the losses of a derivative to its variables; whether there are new ones.
bool Body::addPaths() {
  size_t before = older.size();
  for (Operation *op : ops) {
    std::optional<ir::Derivative> derivative = ir::derivativeOf(op);
    if (!derivative)
      continue;
    ir::DifferentiablePaths paths(llvm::to_vector(derivative->losses));
    std::vector<Operation *> ordered(paths.ops().begin(), paths.ops().end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    llvm::DenseSet<Value> active(derivative->variables.begin(), derivative->variables.end());
    for (Operation *step : ordered)
      for (mlir::OpOperand &operand : step->getOpOperands())
        if (active.contains(operand.get()) && ir::isDifferentiableOperand(operand)) {
          active.insert(step->getResults().begin(), step->getResults().end());
          if (!isInside(step))
            older.insert(step);
          break;
        }
  }
  return older.size() != before;
}

std::unique_ptr<mlir::Block> Body::build(llvm::ArrayRef<Value> arguments) const {
  auto block = std::make_unique<mlir::Block>();
  mlir::IRMapping copies;
  for (Value value : arguments)
    copies.map(value, block->addArgument(value.getType(), value.getLoc()));
  // Not the call's builder: the graph counts only the ops of its own block.
  mlir::OpBuilder builder(&call.graph.context);
  builder.setInsertionPointToEnd(block.get());
  for (Operation *op : ops) {
    // What is copied along is printed where it stands. What a value is evaluated together with is
    // captured, or is in the body too.
    if (llvm::isa<ir::DependOp>(op) || (llvm::isa<ir::PrintOp>(op) && older.contains(op)))
      copies.map(op->getResult(0), copies.lookup(op->getOperand(0)));
    else
      builder.clone(*op, copies);
  }
  llvm::SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(copies.lookup(result));
  builder.create<ir::YieldOp>(call.g.location(), yielded);
  // The ops that were copied die with their handles, and their symbols with them.
  llvm::DenseMap<int64_t, int64_t> names;
  for (int64_t symbol : sizes)
    names[symbol] = call.graph.addSymbol(SymbolInfo{
        nullptr, std::nullopt, "a size that " + traces.front()->callable() + " computes"});
  if (!names.empty())
    for (Operation &op : *block)
      ir::renameSymbols(&op, names);
  return block;
}
