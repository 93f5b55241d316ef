#include "passes/fusion/KernelWriter.h"

#include "ir/dialect/MemoryPlan.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/interfaces/Workspace.h"
#include "passes/loops/CheapValues.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// Ops with programs of their own inside: they stand between kernels.
static bool isControlFlow(Operation *op) { return isa<LoopOpInterface, IfOp>(op); }

LogicalResult KernelWriter::run() {
  // Storage ops move along: they are cloned when first read.
  defineSizes();
  for (int id : schedule()) {
    if (isControlFlow(groups.group(id).front()))
      moveControlFlow(groups.group(id).front());
    else
      makeKernel(groups.group(id));
    made.insert(id);
    defineSizes();
  }
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    operand.set(outside(operand.get()));
  for (Operation *op : llvm::reverse(groups.ops())) {
    if (isControlFlow(op))
      continue;
    if (!op->use_empty())
      return op->emitError("not implemented: a cycle between kernels");
    op->erase();
  }
  return success();
}

// An order in which every group comes after those it reads from. First in the block, first in the
// schedule: later passes may change it for memory's sake.
SmallVector<int> KernelWriter::schedule() const {
  const GroupGraph &graph = groups.groupGraph();
  SmallVector<int> order;
  SmallVector<unsigned> waiting;
  for (int id = 0; id < int(groups.count()); ++id) {
    waiting.push_back(graph.producers(id).size());
    if (graph.isAlive(id) && waiting[id] == 0)
      order.push_back(id);
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (int reader : graph.readers(order[i]))
      if (--waiting[reader] == 0)
        order.push_back(reader);
  return order;
}

// Defines the sizes whose values are there and were not before.
void KernelWriter::defineSizes() {
  for (DefineSizeOp op : groups.definedSizes().ops()) {
    KernelGroups::Ids producers;
    groups.collectProducers(op.getSize(), producers);
    if (defined.contains(op.getSymbol()) ||
        llvm::any_of(producers, [&](int id) { return !made.contains(id); }))
      continue;
    auto copy = cast<DefineSizeOp>(op->clone());
    copy.getSizeMutable().assign(outside(op.getSize()));
    builder.insert(copy);
    defined.insert(op.getSymbol());
  }
}

// The value as code outside kernels sees it.
Value KernelWriter::outside(Value value) {
  if (Value known = replaced.lookup(value))
    return known;
  if (!value.getDefiningOp())
    return value;
  // A chain of views, outermost last.
  SmallVector<Operation *> chain;
  Value base = value;
  while (Operation *definition = base.getDefiningOp()) {
    if (replaced.count(base))
      break;
    chain.push_back(definition);
    if (!isa<ReshapeOp, DelayOp, AsPartsOp, FromPartsOp>(definition) &&
        !groups.areStoredRows(definition))
      break;
    // What it waits for has been made: it counts as read by whoever reads the delayed value.
    if (auto delay = dyn_cast<DelayOp>(definition))
      outside(delay.getAfter());
    base = definition->getOperand(0);
  }
  for (Operation *definition : llvm::reverse(chain)) {
    Operation *copy = definition->clone();
    for (OpOperand &operand : copy->getOpOperands())
      if (Value known = replaced.lookup(operand.get()))
        operand.set(known);
    builder.insert(copy);
    replaced[definition->getResult(0)] = copy->getResult(0);
  }
  return replaced.lookup(value);
}

void KernelWriter::moveControlFlow(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(outside(operand));
  op->setOperands(operands);
  op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  for (Value result : op->getResults())
    replaced[result] = result;
}

void KernelWriter::makeKernel(const KernelGroups::Group &group) {
  llvm::DenseSet<Operation *> inside(group.begin(), group.end());
  SmallVector<Value> inputs, outputs = groups.outputsOf(group);
  // What ranks do together stays (passes may see less to do than on another rank), and has a place.
  for (Operation *op : group)
    if (isCollective(op) && op->use_empty())
      outputs.push_back(op->getResult(0));
  for (Operation *op : group)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && !llvm::is_contained(inputs, operand))
        inputs.push_back(operand);
  SmallVector<Value> arguments;
  for (Value input : inputs)
    arguments.push_back(outside(input));
  SmallVector<Location> sources;
  for (Operation *op : group)
    if (groups.isOwned(op))
      sources.push_back(op->getLoc());
  Location loc = FusedLoc::get(builder.getContext(), sources);
  SmallVector<Type> types(ValueRange(outputs).getTypes());
  for (Operation *op : group)
    if (auto workspace = workspaceOf(op))
      types.push_back(*workspace);
  SmallVector<RankedTensorType> workspaces = columnWorkspaces(group, outputs);
  if (auto chains = indexChainsOf(group))
    workspaces.push_back(*chains);
  llvm::append_range(types, workspaces);
  auto kernel = builder.create<KernelOp>(loc, types, arguments);
  Block *body = builder.createBlock(&kernel.getBody());
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Operation *op : group)
    builder.clone(*op, mapping);
  SmallVector<Value> yields;
  for (Value output : outputs)
    yields.push_back(mapping.lookup(output));
  for (Type workspace : ArrayRef<Type>(types).drop_front(outputs.size()))
    yields.push_back(builder.create<IotaOp>(loc, workspace, uint64_t(0)));
  builder.create<YieldOp>(loc, yields);
  builder.setInsertionPointAfter(kernel);
  if (!workspaces.empty())
    kernel->setAttr(kWorkspacesAttr, builder.getI64IntegerAttr(int64_t(workspaces.size())));
  // The indices of a row update have been checked by another kernel.
  auto canFailHere = [&](Operation *op) {
    return canFailInside(op) && !(isa<ScatterAddOp>(op) && group.size() > 1);
  };
  if (llvm::any_of(group, canFailHere))
    kernel->setAttr(kFallibleAttr, builder.getI64IntegerAttr(0));
  if (llvm::any_of(group, [](Operation *op) { return !isMemoryEffectFree(op); }))
    kernel->setAttr(kEffectAttr, builder.getUnitAttr());
  for (auto [output, result] : llvm::zip(outputs, kernel.getOutputs()))
    replaced[output] = result;
}
