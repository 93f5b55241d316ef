#include "passes/shard/StateParts.h"

#include "ir/builder/GraphMath.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

StateParts::StateParts(func::FuncOp function, const RankValues &values)
    : function(function), body(function.getBody().front()), signature(function), values(values) {
  for (BlockArgument argument : function.getArguments())
    if (std::optional<EvenParts> wanted = signature.inParts(argument.getArgNumber());
        wanted && signature.meshAxis(argument.getArgNumber()) == values.meshAxis()) {
      parts = *wanted;
      states.push_back(argument);
    }
  if (!states.empty())
    findOps();
}

//===-- What is done on parts -----------------------------------------------------------------===//

bool StateParts::isByElement(Operation *op) const {
  return isa<ElementwiseOpInterface>(op) && isMemoryEffectFree(op);
}

// All that needs an element of a state, and what is needed for that alone: a square of a gradient.
void StateParts::findOps() {
  auto isInParts = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return maker ? ops.contains(maker) : llvm::is_contained(states, value);
  };
  auto isOfPart = [&](Operation *user) { return ops.contains(user); };
  auto isSame = [&](Value value) { return values.kindOf(value) == RankKind::Same; };
  for (Operation &op : body)
    if (isByElement(&op) && llvm::any_of(op.getOperands(), isInParts))
      ops.insert(&op);
  for (Operation &op : llvm::reverse(body))
    if (isByElement(&op) && !op.use_empty() && llvm::all_of(op.getUsers(), isOfPart) &&
        llvm::all_of(op.getResults(), isSame))
      ops.insert(&op);
}

bool StateParts::needsPart(OpOperand &operand) const {
  if (ops.contains(operand.getOwner()))
    return true;
  if (states.empty() || operand.getOwner() != body.getTerminator())
    return false;
  std::optional<int64_t> variable = signature.updatedVariable(operand.getOperandNumber());
  return variable && llvm::is_contained(
                         states, body.getArgument(signature.firstVariable() + unsigned(*variable)));
}

//===-- Parts ---------------------------------------------------------------------------------===//

DimExpr StateParts::partLength(Value whole) const {
  return *parts.length(*elementCount(getShape(whole)));
}

RankedTensorType StateParts::partType(Value whole) const {
  return getTensorType({partLength(whole)}, getElementType(whole));
}

// The elements in one line, and zeros behind them.
static Value padded(GraphMath &math, Value whole, const EvenParts &parts) {
  DimExpr count = *elementCount(getShape(whole));
  return math.pad(math.reshape(whole, {count}), {DimExpr(0)}, {0}, {*parts.padded(count)});
}

Value StateParts::partOf(Value whole) {
  Value &part = slices[whole];
  if (part)
    return part;
  OpBuilder builder(whole.getContext());
  builder.setInsertionPointAfterValue(whole);
  GraphMath math(builder, whole.getLoc());
  DimExpr length = partLength(whole);
  auto repeated = whole.getDefiningOp<BroadcastOp>();
  if (repeated && repeated.getDims().empty())
    return part = math.broadcastScalar(repeated.getX(), {length});
  return part = math.slice(padded(math, whole, parts),
                           {*parts.begin(*elementCount(getShape(whole)))}, {length}, {1});
}

void StateParts::takePart(OpOperand &operand) {
  Value value = operand.get();
  if (!scattered.contains(value) && !wholeTypes.contains(value))
    operand.set(partOf(value));
}

// A row for each rank, in which the tensors' parts stand side by side.
void StateParts::scatter(ArrayRef<Need> bucket) {
  OpBuilder builder(bucket.back().share.getContext());
  builder.setInsertionPointAfterValue(bucket.back().share);
  SmallVector<Value> rows;
  for (const Need &need : bucket) {
    GraphMath math(builder, need.share.getLoc());
    rows.push_back(
        math.reshape(padded(math, need.share, parts), {parts.ranks, partLength(need.share)}));
  }
  GraphMath together(builder, bucket.front().share.getLoc());
  Value own = together.reduceScatter(together.concatenate(rows, 1), RankReduction::Sum, 0, 1,
                                     values.meshAxis());
  DimExpr begin(0);
  for (const Need &need : bucket) {
    GraphMath math(builder, need.share.getLoc());
    DimExpr length = partLength(need.share);
    Value part = math.reshape(math.slice(own, {0, begin}, {1, length}, {1, 1}), {length});
    begin = *add(begin, length);
    scattered.insert(part);
    for (OpOperand *use : need.uses)
      use->set(part);
  }
}

void StateParts::gather(ArrayRef<Need> bucket) {
  OpBuilder builder(bucket.back().share.getContext());
  builder.setInsertionPointAfterValue(bucket.back().share);
  SmallVector<Value> columns;
  for (const Need &need : bucket) {
    GraphMath math(builder, need.share.getLoc());
    columns.push_back(math.reshape(need.share, {1, getShape(need.share)[0]}));
  }
  GraphMath together(builder, bucket.front().share.getLoc());
  Value all =
      together.allGather(together.concatenate(columns, 1), 0, parts.ranks, values.meshAxis());
  DimExpr begin(0);
  for (const Need &need : bucket) {
    GraphMath math(builder, need.share.getLoc());
    DimExpr length = getShape(need.share)[0];
    const Shape shape = getShape(wholeTypes.lookup(need.share));
    DimExpr count = *elementCount(shape);
    Value line = math.reshape(math.slice(all, {0, begin}, {parts.ranks, length}, {1, 1}),
                              {*parts.padded(count)});
    Value whole = math.reshape(math.slice(line, {0}, {count}, {1}), shape);
    begin = *add(begin, length);
    for (OpOperand *use : need.uses)
      use->set(whole);
  }
}

void StateParts::run(BucketLimits limits) {
  if (states.empty())
    return;
  SmallVector<Value> inParts(states.begin(), states.end());
  for (Operation &op : body)
    if (ops.contains(&op))
      llvm::append_range(inParts, op.getResults());
  std::vector<Need> needs;
  for (Value value : inParts) {
    Need need{value, {}, bytesOf(value)};
    for (OpOperand &use : value.getUses())
      if (!needsPart(use))
        need.uses.push_back(&use);
    if (!need.uses.empty())
      needs.push_back(std::move(need));
    wholeTypes[value] = getTensorType(value);
  }
  SmallVector<OpOperand *> ofParts;
  for (Operation &op : body)
    for (OpOperand &operand : op.getOpOperands())
      if (needsPart(operand))
        ofParts.push_back(&operand);
  for (OpOperand *operand : ofParts)
    takePart(*operand);
  for (Value value : inParts)
    value.setType(partType(value));
  for (BlockArgument state : states)
    signature.removeInParts(state.getArgNumber());
  sendInBuckets(body, needs, limits, [&](ArrayRef<Need> bucket) { gather(bucket); });
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}
