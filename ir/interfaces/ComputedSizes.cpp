#include "ir/interfaces/ComputedSizes.h"

#include "ir/dialect/GraphError.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

std::optional<int64_t> keratin::ir::symbolDefinedBy(Operation *op) {
  if (auto truncate = dyn_cast<TruncateOp>(op))
    return getShape(truncate.getY())[truncate.getAxis()].symbolId();
  auto loop = dyn_cast<WhileOp>(op);
  return loop && loop.getLength() ? std::optional(loop.getSteps().symbolId()) : std::nullopt;
}

FailureOr<ComputedSizes> ComputedSizes::of(func::FuncOp function) {
  ComputedSizes result;
  if (!function.getBody().hasOneBlock())
    return result;
  llvm::append_range(result.definitions, function.getBody().front().getOps<DefineSizeOp>());
  if (result.definitions.empty())
    return result;
  llvm::DenseSet<int64_t> given;
  for (BlockArgument argument : function.getArguments()) {
    for (const DimExpr &dim : getShape(argument))
      for (int64_t id : dim.symbols())
        given.insert(id);
    if (auto symbol =
            function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "keratin.symbol"))
      given.insert(symbol.getInt());
  }
  llvm::DenseMap<int64_t, DefineSizeOp> pending;
  for (DefineSizeOp op : result.definitions)
    if (given.contains(op.getSymbol()) || !pending.try_emplace(op.getSymbol(), op).second)
      return emitGraphError(op) << "d" << op.getSymbol() << " is defined twice", failure();
  for (auto [number, op] : llvm::enumerate(result.definitions))
    result.numbers[op.getSymbol()] = number;
  for (DefineSizeOp op : result.definitions)
    if (!op.getBound())
      pending.erase(op.getSymbol());
  // A bound may have symbols that are computed too, in any order once kernels have been moved.
  while (!pending.empty()) {
    size_t before = pending.size();
    for (DefineSizeOp op : result.definitions) {
      if (!pending.contains(op.getSymbol()))
        continue;
      DimExpr bound = op.getBound()->getDims()[0];
      if (llvm::any_of(bound.symbols(), [&](int64_t id) { return pending.contains(id); }))
        continue;
      std::optional<DimExpr> most = result.atMost(bound);
      if (!most)
        return emitGraphError(op) << "no bound is known of the size " << bound.str(), failure();
      // Of what depends on a size without bound there is none before that is defined.
      if (result.lastUnbounded(*most) < 0)
        result.bounds.try_emplace(op.getSymbol(), *most);
      pending.erase(op.getSymbol());
    }
    if (pending.size() == before)
      return emitGraphError(pending.begin()->second) << "bounds of sizes depend on each other",
             failure();
  }
  return result;
}

bool ComputedSizes::mentions(const DimExpr &size) const {
  return !empty() && llvm::any_of(size.symbols(), [&](int64_t id) { return isComputed(id); });
}

std::optional<DimExpr> ComputedSizes::atMost(const DimExpr &size) const {
  if (!mentions(size))
    return size;
  return size.atMost([&](int64_t id) {
    auto found = bounds.find(id);
    return found == bounds.end() ? std::nullopt : std::optional(found->second);
  });
}

int64_t ComputedSizes::lastUnbounded(const DimExpr &size) const {
  int64_t last = -1;
  for (int64_t id : size.symbols())
    if (isComputed(id) && !bounds.contains(id))
      last = std::max(last, numberOf(id));
  return last;
}

SmallVector<int64_t> ComputedSizes::mentionedBy(Operation *op) const {
  llvm::SetVector<int64_t, SmallVector<int64_t>> found;
  if (empty())
    return {};
  auto add = [&](ArrayRef<DimExpr> dims) {
    for (const DimExpr &dim : dims)
      for (int64_t id : dim.symbols())
        if (isComputed(id))
          found.insert(id);
  };
  auto addTypes = [&](TypeRange types) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
          add(dims.getDims());
  };
  op->walk([&](Operation *inner) {
    addTypes(inner->getOperandTypes());
    addTypes(inner->getResultTypes());
    for (NamedAttribute attribute : inner->getAttrs())
      if (auto dims = dyn_cast<DimsAttr>(attribute.getValue()))
        add(dims.getDims());
  });
  return found.takeVector();
}
