#include "passes/shard/Gatherer.h"

#include "ir/builder/GraphMath.h"
#include "ir/interfaces/ComputedSizes.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

void Gatherer::nameSizes() {
  int64_t next = firstUnusedSymbol(function);
  symbols.assign(values.shardedSymbols().begin(), values.shardedSymbols().end());
  llvm::sort(symbols);
  for (int64_t symbol : symbols) {
    allOf[symbol] = next++;
    before[symbol] = next++;
  }
}

// By a message each, in front of all else.
void Gatherer::defineSizes() {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  GraphMath math(builder, function.getLoc());
  Type i64 = builder.getI64Type();
  for (int64_t symbol : symbols) {
    Value own =
        math.count(math.splat(0.0, getTensorType({DimExpr::symbol(symbol)}, i64)), {0}, i64);
    auto define = [&](int64_t defined, RankReduction reduction) {
      builder.create<DefineSizeOp>(function.getLoc(), uint64_t(defined),
                                   math.allReduce(own, reduction, values.meshAxis()), DimsAttr());
    };
    define(allOf[symbol], RankReduction::Sum);
    if (takesParts)
      define(before[symbol], RankReduction::Before);
  }
}

DimExpr Gatherer::renamed(const DimExpr &size,
                          const llvm::DenseMap<int64_t, int64_t> &names) const {
  return *size.substitute([&](int64_t symbol) {
    auto found = names.find(symbol);
    return std::optional(DimExpr::symbol(found == names.end() ? symbol : found->second));
  });
}

// Where dimensions in front have been merged with the sharded one, it is for a moment apart.
Value Gatherer::wholeOf(Value part) {
  Value &whole = wholes[part];
  if (whole)
    return whole;
  OpBuilder builder(part.getContext());
  builder.setInsertionPointAfterValue(part);
  GraphMath math(builder, part.getLoc());
  unsigned axis = *values.dimensionOf(part);
  Shape apart = getShape(part), result = apart;
  result[axis] = renamed(result[axis], allOf);
  DimExpr runs = values.runsOf(part).value_or(DimExpr(1));
  bool isMerged = runs != DimExpr(1);
  if (isMerged) {
    apart[axis] = *floordiv(apart[axis], runs);
    apart.insert(apart.begin() + axis, runs);
  }
  unsigned gathered = axis + isMerged;
  Value all = math.allGather(math.reshape(part, apart), gathered, renamed(apart[gathered], allOf),
                             values.meshAxis());
  return whole = math.reshape(all, result);
}

Value Gatherer::partOf(Value whole, RankedTensorType type) {
  takesParts = true;
  OpBuilder builder(whole.getContext());
  builder.setInsertionPointAfterValue(whole);
  const Shape shape = getShape(type);
  Shape starts(shape.size(), DimExpr(0));
  for (auto [number, size] : llvm::enumerate(shape))
    if (size != getShape(whole)[number])
      starts[number] = renamed(size, before);
  return GraphMath(builder, whole.getLoc())
      .slice(whole, starts, shape, SmallVector<int64_t>(shape.size(), 1));
}

void Gatherer::makeWhole(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (values.dimensionOf(operand.get()))
      operand.set(wholeOf(operand.get()));
  SmallVector<RankedTensorType> types;
  for (Value result : op->getResults())
    types.push_back(getTensorType(result));
  renameSymbols(op, allOf);
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
    SmallVector<OpOperand *> ofPart;
    for (OpOperand &use : result.getUses())
      if (result.getType() != type && !values.isOfWhole(use.getOwner()))
        ofPart.push_back(&use);
    if (ofPart.empty())
      continue;
    Value part = partOf(result, type);
    for (OpOperand *use : ofPart)
      use->set(part);
  }
}

void Gatherer::run() {
  SmallVector<Operation *> ofWhole;
  SmallVector<OpOperand *> unordered;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (values.isOfWhole(op))
      ofWhole.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (values.needsOrder(operand))
        unordered.push_back(&operand);
  });
  if (ofWhole.empty() && unordered.empty())
    return;
  nameSizes();
  for (OpOperand *operand : unordered) {
    Value part = operand->get();
    operand->set(partOf(wholeOf(part), getTensorType(part)));
  }
  for (Operation *op : ofWhole)
    makeWhole(op);
  defineSizes();
}
