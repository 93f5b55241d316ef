#include "passes/shard/VariableParts.h"

#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

//===-- Sizes ---------------------------------------------------------------------------------===//

void VariableParts::takeParts() {
  for (BlockArgument argument : function.getArguments()) {
    const unsigned number = argument.getArgNumber();
    std::optional<OwnPart> part = signature.ownPart(number);
    if (!part)
      continue;
    Shape shape = getShape(argument);
    DimExpr &size = shape[part->dimension];
    const int64_t symbol = part->size.symbolId();
    sizes.insert(symbol);
    parts.insert_or_assign(symbol, *part);
    wholes[symbol] = size.constantValue();
    names[symbol] = signature.argumentName(number);
    size = part->size;
    setShape(argument, shape);
    signature.removeOwnPart(number);
  }
}

llvm::DenseMap<int64_t, DimExpr> VariableParts::begins() const {
  llvm::DenseMap<int64_t, DimExpr> begins;
  for (const auto &[symbol, part] : parts)
    begins[symbol] = part.begin;
  return begins;
}

void VariableParts::setShape(Value value, const Shape &shape) {
  value.setType(getTensorType(shape, getElementType(value)));
}

std::optional<VariableParts::Along> VariableParts::alongOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return std::nullopt;
  for (auto [number, size] : llvm::enumerate(getShape(type)))
    for (int64_t symbol : size.symbols())
      if (auto found = parts.find(symbol); found != parts.end())
        return Along{unsigned(number), found->second};
  return std::nullopt;
}

LogicalResult VariableParts::refuse(Operation *op) {
  for (Value operand : op->getOperands())
    if (std::optional<Along> along = alongOf(operand)) {
      StringAttr name = names.lookup(along->part.size.symbolId());
      return emitGraphError(op) << "not implemented: " << op->getName().stripDialect()
                                << " of what has a part of variable '"
                                << (name ? name.getValue() : "") << "'",
             failure();
    }
  llvm_unreachable("an op that has no part");
}

// What repeats elements repeats fewer.
FailureOr<Value> VariableParts::partOf(Value whole, const Along &along) {
  Shape shape = getShape(whole);
  const int64_t symbol = along.part.size.symbolId();
  if (along.dimension >= shape.size() || shape[along.dimension] != DimExpr(wholes.lookup(symbol)))
    return failure();
  Value &part = cuts[{whole, along.dimension}];
  if (part)
    return part;
  OpBuilder builder(whole.getContext());
  builder.setInsertionPointAfterValue(whole);
  GraphMath math(builder, whole.getLoc());
  Shape starts(shape.size(), DimExpr(0));
  starts[along.dimension] = along.part.begin;
  shape[along.dimension] = along.part.size;
  auto repeated = whole.getDefiningOp<BroadcastOp>();
  if (!repeated)
    return part = math.slice(whole, starts, shape, SmallVector<int64_t>(shape.size(), 1));
  Value source = repeated.getX();
  const auto *place = llvm::find(repeated.getDims(), int64_t(along.dimension));
  const auto number = unsigned(place - repeated.getDims().begin());
  if (place != repeated.getDims().end() && getShape(source)[number] != DimExpr(1)) {
    FailureOr<Value> cutSource = partOf(source, {number, along.part});
    if (failed(cutSource))
      return failure();
    source = *cutSource;
  }
  return cuts[{whole, along.dimension}] = math.broadcast(source, shape, repeated.getDims());
}

LogicalResult VariableParts::cut(OpOperand &operand, const Along &along) {
  FailureOr<Value> part = partOf(operand.get(), along);
  if (failed(part))
    return refuse(operand.getOwner());
  operand.set(*part);
  return success();
}

//===-- Ops -----------------------------------------------------------------------------------===//

LogicalResult VariableParts::followElementwise(Operation *op) {
  for (OpOperand &part : op->getOpOperands()) {
    std::optional<Along> along = alongOf(part.get());
    if (!along)
      continue;
    const Shape shape = getShape(part.get());
    for (OpOperand &operand : op->getOpOperands())
      if (getShape(operand.get()) != shape && failed(cut(operand, *along)))
        return failure();
    for (OpOperand &operand : op->getOpOperands())
      if (getShape(operand.get()) != shape)
        return refuse(op);
    for (Value result : op->getResults())
      setShape(result, shape);
    return success();
  }
  return success();
}

// Dimensions of two operands that are one.
LogicalResult VariableParts::alignPairs(Operation *op, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  for (auto [i, j] : llvm::zip_equal(a, b)) {
    std::optional<Along> first = alongOf(op->getOperand(0)), second = alongOf(op->getOperand(1));
    const bool hasFirst = first && first->dimension == i,
               hasSecond = second && second->dimension == j;
    if (hasFirst && !hasSecond && failed(cut(op->getOpOperand(1), {unsigned(j), first->part})))
      return failure();
    if (hasSecond && !hasFirst && failed(cut(op->getOpOperand(0), {unsigned(i), second->part})))
      return failure();
    if (getShape(op->getOperand(0))[size_t(i)] != getShape(op->getOperand(1))[size_t(j)])
      return refuse(op);
  }
  return success();
}

LogicalResult VariableParts::followConcatenate(ConcatenateOp op) {
  for (OpOperand &part : op->getOpOperands()) {
    std::optional<Along> along = alongOf(part.get());
    if (!along)
      continue;
    if (along->dimension == unsigned(op.getAxis()))
      return refuse(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!alongOf(operand.get()) && failed(cut(operand, *along)))
        return failure();
  }
  return inferResults(op);
}

// The part's dimension is left alone, or has others behind it merged with it.
LogicalResult VariableParts::followReshape(ReshapeOp op) {
  Along along = *alongOf(op.getX());
  Shape from = getShape(op.getX()), to = getShape(op.getY());
  const DimExpr whole = wholes.lookup(along.part.size.symbolId());
  auto inFrontOf = [](const Shape &shape, size_t dimension) {
    return elementCount(Shape(shape.begin(), shape.begin() + dimension));
  };
  for (size_t i = 0; i < to.size(); ++i) {
    std::optional<DimExpr> each = floordiv(to[i], whole);
    if (inFrontOf(to, i) != inFrontOf(from, along.dimension) || !each || mul(*each, whole) != to[i])
      continue;
    to[i] = *mul(*each, along.part.size);
    if (elementCount(to) != elementCount(from))
      return refuse(op);
    return setShape(op.getY(), to), success();
  }
  return refuse(op);
}

LogicalResult VariableParts::followReturn(func::ReturnOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> number = signature.updatedVariable(operand.getOperandNumber());
    if (!number)
      continue;
    Value variable = body.getArgument(signature.firstVariable() + unsigned(*number));
    std::optional<Along> along = alongOf(variable);
    if (along && !alongOf(operand.get()) && failed(cut(operand, *along)))
      return failure();
    if (operand.get().getType() == variable.getType())
      continue;
    Operation *maker = operand.get().getDefiningOp();
    StringAttr name = signature.argumentName(signature.firstVariable() + unsigned(*number));
    return emitGraphError(maker ? maker : op)
               << "not implemented: a part for the new value of variable '"
               << (name ? name.getValue() : "") << "', which is whole on each rank",
           failure();
  }
  return success();
}

LogicalResult VariableParts::inferResults(Operation *op) {
  SmallVector<Type> inferred;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(), op->getAttrDictionary(),
          op->getPropertiesStorage(), op->getRegions(), inferred)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), inferred))
    result.setType(type);
  return success();
}

LogicalResult VariableParts::follow(Operation *op) {
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return followReturn(end);
  if (llvm::none_of(op->getOperands(), [&](Value value) { return alongOf(value).has_value(); }))
    return success();
  if (isa<ElementwiseOpInterface>(op))
    return followElementwise(op);
  if (auto contraction = dyn_cast<DotGeneralOp>(op)) {
    if (failed(alignPairs(op, contraction.getABatch(), contraction.getBBatch())) ||
        failed(alignPairs(op, contraction.getAContract(), contraction.getBContract())))
      return failure();
    return inferResults(op);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Shape shape = getShape(broadcast.getY());
    for (auto [from, to] : llvm::zip_equal(getShape(broadcast.getX()), broadcast.getDims()))
      if (from != DimExpr(1))
        shape[size_t(to)] = from;
    return setShape(broadcast.getY(), shape), success();
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return followReshape(reshape);
  if (auto join = dyn_cast<ConcatenateOp>(op))
    return followConcatenate(join);
  if (auto scatter = dyn_cast<ScatterAddOp>(op)) {
    Shape shape = getShape(scatter.getY()), updates = getShape(scatter.getUpdates());
    const size_t counts = getShape(scatter.getIndices()).size();
    if (alongOf(scatter.getIndices()) || alongOf(scatter.getUpdates())->dimension < counts)
      return refuse(op);
    for (size_t i = 1; i < shape.size(); ++i)
      shape[i] = updates[counts + i - 1];
    return setShape(scatter.getY(), shape), success();
  }
  if (isa<ReductionOpInterface, TransposeOp, GatherOp, ReverseOp>(op))
    return inferResults(op);
  return refuse(op);
}

LogicalResult VariableParts::run() {
  takeParts();
  if (sizes.empty())
    return success();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (failed(follow(&op)))
      return failure();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}
