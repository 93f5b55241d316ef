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
    if (!wanted.contains(symbol))
      continue;
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
  for (int64_t symbol : result[axis].symbols())
    wanted.insert(symbol);
  result[axis] = renamed(result[axis], allOf);
  auto repeated = part.getDefiningOp<BroadcastOp>();
  if (repeated && repeated.getDims().empty())
    return whole = math.broadcastScalar(repeated.getX(), result);
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

// One rank's behind the other's, whatever order that is in the whole.
Value Gatherer::partsOf(Value part) {
  if (values.runsOf(part).value_or(DimExpr(1)) == DimExpr(1))
    return wholeOf(part);
  Value &all = parts[part];
  if (all)
    return all;
  OpBuilder builder(part.getContext());
  builder.setInsertionPointAfterValue(part);
  const unsigned axis = *values.dimensionOf(part);
  const DimExpr own = getShape(part)[axis];
  for (int64_t symbol : own.symbols())
    wanted.insert(symbol);
  return all = GraphMath(builder, part.getLoc())
                   .allGather(part, axis, renamed(own, allOf), values.meshAxis());
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

// What a call checks before it does anything else are the sizes of the rank's own part. Where these
// do not say as much of the whole, it is checked when the whole is known.
void Gatherer::checkWholes() {
  auto checks = function->getAttrOfType<ArrayAttr>("keratin.checks");
  if (!checks)
    return;
  Builder builder(function.getContext());
  SmallVector<Attribute> all;
  for (auto check : checks.getAsRange<DictionaryAttr>()) {
    NamedAttrList ofWhole(check);
    bool addsUp = true;
    for (StringRef side : {"lhs", "rhs"}) {
      Shape sizes;
      for (const DimExpr &size : check.getAs<DimsAttr>(side).getDims()) {
        addsUp &= isAdditive(size, values.shardedSymbols());
        sizes.push_back(renamed(size, allOf));
      }
      ofWhole.set(side, DimsAttr::get(function.getContext(), sizes));
    }
    all.push_back(addsUp ? check : ofWhole.getDictionary(function.getContext()));
  }
  function->setAttr("keratin.checks", builder.getArrayAttr(all));
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

// Of all ranks' indices, counted from this rank's first row; `own` are those of its part.
Value Gatherer::ownOfAll(Value own) {
  Value &all = ownOfParts[own];
  if (all)
    return all;
  auto counted = own.getDefiningOp<SubOp>(); // as VariableParts has made it
  Value begin = counted.getB().getDefiningOp<BroadcastOp>().getX();
  Value numbers = partsOf(counted.getA());
  OpBuilder builder(own.getContext());
  builder.setInsertionPointAfterValue(own);
  GraphMath math(builder, own.getLoc());
  return all = math.sub(numbers, math.broadcastScalar(begin, getShape(numbers)));
}

// What a rank has found for all, of which others have found the rest, is added up where it is asked
// for; what is to be added to rows comes to all, and each takes it for its own.
void Gatherer::exchange(Operation *op) {
  auto lookup = dyn_cast<GatherOp>(op);
  OpOperand &indices = op->getOpOperand(lookup ? 1 : 0);
  indices.set(ownOfAll(indices.get()));
  if (!lookup) {
    OpOperand &updates = op->getOpOperand(1);
    return updates.set(partsOf(updates.get()));
  }
  Value rows = lookup.getY();
  const unsigned axis = *values.dimensionOf(rows);
  Shape shape = getShape(rows);
  const DimExpr own = shape[axis];
  shape[axis] = renamed(own, allOf);
  rows.setType(getTensorType(shape, getElementType(rows)));
  SmallVector<OpOperand *> uses(llvm::make_pointer_range(rows.getUses()));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value part = GraphMath(builder, op->getLoc())
                   .reduceScatter(rows, RankReduction::Sum, axis, own, values.meshAxis());
  for (OpOperand *use : uses)
    use->set(part);
}

void Gatherer::run() {
  SmallVector<Operation *> ofWhole, exchanged;
  SmallVector<OpOperand *> unordered;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (values.isOfWhole(op))
      ofWhole.push_back(op);
    if (values.isExchanged(op))
      exchanged.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (values.needsOrder(operand))
        unordered.push_back(&operand);
  });
  if (ofWhole.empty() && exchanged.empty() && unordered.empty())
    return;
  nameSizes();
  if (!ofWhole.empty()) { // which may mention any
    wanted = values.shardedSymbols();
    checkWholes();
  }
  for (OpOperand *operand : unordered) {
    Value part = operand->get();
    operand->set(partOf(wholeOf(part), getTensorType(part)));
  }
  for (Operation *op : ofWhole)
    makeWhole(op);
  for (Operation *op : exchanged)
    exchange(op);
  defineSizes();
}
