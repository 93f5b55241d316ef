#include "passes/shard/VariableParts.h"

#include "ir/dialect/GraphError.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

//===-- Sizes ---------------------------------------------------------------------------------===//

// Equal parts of k elements are k times one size, which counts 1 on each rank: so they are the same
// parts where a dimension of theirs is reshaped to others.
void VariableParts::takeParts() {
  std::map<std::pair<int64_t, int64_t>, int64_t>
      equal; // by the symbol of the rank, and of how many
  int64_t unused = firstUnusedSymbol(function);
  for (BlockArgument argument : function.getArguments()) {
    const unsigned number = argument.getArgNumber();
    std::optional<OwnPart> part = signature.ownPart(number);
    if (!part)
      continue;
    Shape shape = getShape(argument);
    DimExpr &size = shape[part->dimension];
    const bool isEqual = part->size.isConstant();
    const DimExpr count = isEqual ? part->size : DimExpr(1), begin = *floordiv(part->begin, count);
    const int64_t whole = size.constantValue() / count.constantValue();
    int64_t symbol = isEqual ? unused : part->size.symbolId();
    if (isEqual) {
      auto [known, isNew] = equal.try_emplace({begin.symbolId(), whole}, symbol);
      unused += isNew;
      symbol = known->second;
    }
    sizes[signature.meshAxis(number)].insert(symbol);
    units.insert_or_assign(symbol, Units{begin, whole, isEqual});
    size = *mul(count, DimExpr::symbol(symbol));
    setShape(argument, shape);
    signature.removeOwnPart(number);
  }
}

llvm::DenseMap<int64_t, DimExpr> VariableParts::begins() const {
  llvm::DenseMap<int64_t, DimExpr> begins;
  for (const auto &[symbol, counted] : units)
    begins[symbol] = counted.begin;
  return begins;
}

DimExpr VariableParts::wholeOf(const DimExpr &part) const {
  return *part.substitute([&](int64_t symbol) {
    auto found = units.find(symbol);
    return std::optional(found == units.end() ? DimExpr::symbol(symbol)
                                              : DimExpr(found->second.whole));
  });
}

DimExpr VariableParts::beginOf(const DimExpr &part) const {
  return *part.substitute([&](int64_t symbol) {
    auto found = units.find(symbol);
    return std::optional(found == units.end() ? DimExpr::symbol(symbol) : found->second.begin);
  });
}

void VariableParts::setShape(Value value, const Shape &shape) {
  value.setType(getTensorType(shape, getElementType(value)));
}

std::optional<VariableParts::Along> VariableParts::alongOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getEncoding())
    return std::nullopt;
  for (auto [number, size] : llvm::enumerate(getShape(type)))
    for (int64_t symbol : size.symbols())
      if (units.contains(symbol))
        return Along{unsigned(number), size, symbol};
  return std::nullopt;
}

// With a variable that the op's part comes from.
LogicalResult VariableParts::refuse(Operation *op) {
  auto partOf = [&](ValueRange values) {
    const auto found = llvm::find_if(values, [&](Value value) { return alongOf(value); });
    return found == values.end() ? Value() : *found;
  };
  Value part = partOf(op->getOperands());
  while (Value from = part.getDefiningOp() ? partOf(part.getDefiningOp()->getOperands()) : Value())
    part = from;
  if (part.getDefiningOp()) // cut for a variable with the same parts
    part = *llvm::find_if(body.getArguments(), [&](Value value) {
      std::optional<Along> along = alongOf(value);
      return along && along->symbol == alongOf(part)->symbol;
    });
  StringAttr name = signature.argumentName(cast<BlockArgument>(part).getArgNumber());
  const bool areEqual = units.lookup(alongOf(part)->symbol).isOne;
  return emitGraphError(op) << "not implemented: " << op->getName().stripDialect()
                            << " of what has a part of variable '" << (name ? name.getValue() : "")
                            << "'" << (areEqual ? "" : ", whose parts are not known to be equal"),
         failure();
}

// What repeats elements repeats fewer.
FailureOr<Value> VariableParts::partOf(Value whole, const Along &along) {
  Shape shape = getShape(whole);
  if (along.dimension >= shape.size() || shape[along.dimension] != wholeOf(along.size))
    return failure();
  Value &part = cuts[along.size][{whole, along.dimension}];
  if (part)
    return part;
  OpBuilder builder(whole.getContext());
  builder.setInsertionPointAfterValue(whole);
  GraphMath math(builder, whole.getLoc());
  Shape starts(shape.size(), DimExpr(0));
  starts[along.dimension] = beginOf(along.size);
  shape[along.dimension] = along.size;
  auto repeated = whole.getDefiningOp<BroadcastOp>();
  if (!repeated)
    return part = math.slice(whole, starts, shape, SmallVector<int64_t>(shape.size(), 1));
  Value source = repeated.getX();
  const auto *place = llvm::find(repeated.getDims(), int64_t(along.dimension));
  const auto number = unsigned(place - repeated.getDims().begin());
  if (place != repeated.getDims().end() && getShape(source)[number] != DimExpr(1)) {
    FailureOr<Value> cutSource = partOf(source, {number, along.size, along.symbol});
    if (failed(cutSource))
      return failure();
    source = *cutSource;
  }
  return cuts[along.size][{whole, along.dimension}] =
             math.broadcast(source, shape, repeated.getDims());
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
    if (hasFirst && !hasSecond &&
        failed(cut(op->getOpOperand(1), {unsigned(j), first->size, first->symbol})))
      return failure();
    if (hasSecond && !hasFirst &&
        failed(cut(op->getOpOperand(0), {unsigned(i), second->size, second->symbol})))
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

// The part's dimension is left alone, has others behind it merged with it, or is parted in front of
// whole units.
LogicalResult VariableParts::followReshape(ReshapeOp op) {
  const Along along = *alongOf(op.getX());
  Shape from = getShape(op.getX()), to = getShape(op.getY());
  const DimExpr whole = wholeOf(DimExpr::symbol(along.symbol));
  auto inFrontOf = [](const Shape &shape, size_t dimension) {
    return elementCount(Shape(shape.begin(), shape.begin() + dimension));
  };
  for (size_t i = 0; i < to.size(); ++i) {
    std::optional<DimExpr> each = floordiv(to[i], whole);
    if (inFrontOf(to, i) != inFrontOf(from, along.dimension) || !each || mul(*each, whole) != to[i])
      continue;
    to[i] = *mul(*each, DimExpr::symbol(along.symbol));
    if (elementCount(to) != elementCount(from))
      return refuse(op);
    return setShape(op.getY(), to), success();
  }
  return refuse(op);
}

// A slice or a pad of other dimensions.
LogicalResult VariableParts::followElsewhere(Operation *op, ArrayRef<DimExpr> starts,
                                             ArrayRef<int64_t> steps, int64_t step) {
  const Along along = *alongOf(op->getOperand(0));
  Shape shape = getShape(op->getResult(0));
  DimExpr &size = shape[along.dimension];
  if (starts[along.dimension] != DimExpr(0) || steps[along.dimension] != step ||
      size != wholeOf(along.size))
    return refuse(op);
  size = along.size;
  return setShape(op->getResult(0), shape), success();
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
  if (llvm::none_of(op->getOperands(), [&](Value value) { return alongOf(value).has_value(); })) {
    auto scatter = dyn_cast<ScatterAddOp>(op);
    return scatter ? followRows(scatter) : success();
  }
  if (isa<ElementwiseOpInterface, EnterRankOp, LeaveRankOp>(op))
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
  if (isa<DimOp>(op)) // of the part's dimension a share, as of any that is sharded
    return success();
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return followReshape(reshape);
  if (auto join = dyn_cast<ConcatenateOp>(op))
    return followConcatenate(join);
  if (auto slice = dyn_cast<SliceOp>(op))
    return followElsewhere(op, slice.getStarts().getDims(), slice.getStrides(), 1);
  if (auto pad = dyn_cast<PadOp>(op))
    return followElsewhere(op, pad.getLow().getDims(), pad.getInterior(), 0);
  if (auto scatter = dyn_cast<ScatterAddOp>(op))
    return followColumns(scatter);
  if (auto gather = dyn_cast<GatherOp>(op))
    return followLookup(gather);
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return followConvolution(convolution);
  if (auto sum = dyn_cast<WindowSumOp>(op))
    return followWindows(op, sum.getWindow(), sum.getStrides(), sum.getLow());
  if (auto largest = dyn_cast<WindowMaxOp>(op))
    return followWindows(op, largest.getWindow(), largest.getStrides(), largest.getLow());
  if (auto pick = dyn_cast<WindowPickOp>(op))
    return followWindows(op, pick.getWindow(), pick.getStrides(), pick.getLow());
  if (auto scatter = dyn_cast<WindowScatterOp>(op))
    return followWindows(op, scatter.getWindow(), scatter.getStrides(), scatter.getLow());
  if (isa<ReductionOpInterface, TransposeOp, ReverseOp>(op))
    return inferResults(op);
  return refuse(op);
}

LogicalResult VariableParts::run() {
  takeParts();
  if (units.empty())
    return success();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (failed(follow(&op)))
      return failure();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}

void VariableParts::finish() {
  auto settled = [&](ArrayRef<DimExpr> dims) {
    Shape known;
    for (const DimExpr &dim : dims)
      known.push_back(*dim.substitute([&](int64_t symbol) {
        auto found = units.find(symbol);
        const bool isOne = found != units.end() && found->second.isOne;
        return std::optional(isOne ? DimExpr(1) : DimExpr::symbol(symbol));
      }));
    return known;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DimsAttr dims) -> std::optional<Attribute> {
    return DimsAttr::get(dims.getContext(), settled(dims.getDims()));
  });
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    if (!type.getEncoding())
      return std::nullopt;
    return getTensorType(settled(getShape(type)), type.getElementType());
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
