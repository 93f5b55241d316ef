#include "ir/interfaces/ComputedSizes.h"

#include "ir/dialect/GraphError.h"
#include "ir/dialect/Signature.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

std::optional<int64_t> keratin::ir::symbolDefinedBy(Operation *op) {
  if (auto truncate = dyn_cast<TruncateOp>(op))
    return getShape(truncate.getY())[truncate.getAxis()].symbolId();
  if (auto define = dyn_cast<DefineSizeOp>(op))
    return int64_t(define.getSymbol());
  auto loop = dyn_cast<WhileOp>(op);
  return loop && loop.getLength() ? std::optional(loop.getSteps().symbolId()) : std::nullopt;
}

static void forEachSymbol(TypeRange types, llvm::function_ref<void(int64_t)> visit) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
        for (const DimExpr &dim : dims.getDims())
          llvm::for_each(dim.symbols(), visit);
}

void keratin::ir::forEachSymbol(Operation *op, llvm::function_ref<void(int64_t)> visit) {
  op->walk([&](Operation *inner) {
    ::forEachSymbol(inner->getOperandTypes(), visit);
    ::forEachSymbol(inner->getResultTypes(), visit);
    for (NamedAttribute attribute : inner->getAttrs())
      if (auto dims = dyn_cast<DimsAttr>(attribute.getValue()))
        for (const DimExpr &dim : dims.getDims())
          llvm::for_each(dim.symbols(), visit);
    if (auto define = dyn_cast<DefineSizeOp>(inner))
      visit(int64_t(define.getSymbol()));
  });
}

void keratin::ir::renameSymbols(Operation *op, const llvm::DenseMap<int64_t, int64_t> &names) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DimsAttr dims) -> std::optional<Attribute> {
    Shape renamed;
    for (const DimExpr &dim : dims.getDims())
      // Renaming symbols keeps what is representable representable.
      renamed.push_back(*dim.substitute([&](int64_t id) -> std::optional<DimExpr> {
        auto name = names.find(id);
        return DimExpr::symbol(name == names.end() ? id : name->second);
      }));
    return DimsAttr::get(op->getContext(), renamed);
  });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  op->walk([&](DefineSizeOp define) {
    if (auto name = names.find(int64_t(define.getSymbol())); name != names.end())
      define.setSymbol(uint64_t(name->second));
  });
}

llvm::DenseSet<int64_t> keratin::ir::givenSymbols(FunctionOpInterface function) {
  llvm::DenseSet<int64_t> given;
  Signature signature(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (isa<RankedTensorType>(function.getArgumentTypes()[i]))
      for (const DimExpr &dim : signature.statedShape(i))
        for (int64_t id : dim.symbols())
          given.insert(id);
    for (const ArgumentSymbol &symbol : signature.symbols(i))
      given.insert(symbol.id);
  }
  return given;
}

int64_t keratin::ir::firstUnusedSymbol(FunctionOpInterface function) {
  int64_t last = -1;
  auto note = [&](int64_t id) { last = std::max(last, id); };
  forEachSymbol(function, note);
  llvm::for_each(givenSymbols(function), note);
  return last + 1;
}

void keratin::ir::nameSizesApart(func::FuncOp function) {
  llvm::DenseSet<int64_t> taken = givenSymbols(function);
  std::optional<int64_t> unused;
  auto newName = [&] {
    if (!unused)
      unused = firstUnusedSymbol(function);
    return (*unused)++;
  };
  // Blocks before those inside them, so that a name reaches all that can mention it.
  function.walk<WalkOrder::PreOrder>([&](Block *block) {
    llvm::SmallSetVector<int64_t, 4> defined;
    for (Operation &op : *block)
      if (std::optional<int64_t> symbol = symbolDefinedBy(&op))
        defined.insert(*symbol);
    llvm::DenseMap<int64_t, int64_t> names;
    for (int64_t symbol : defined)
      if (!taken.insert(symbol).second && block->getParentOp() != function)
        taken.insert(names[symbol] = newName());
    if (!names.empty())
      for (Operation &op : *block)
        renameSymbols(&op, names);
  });
}

LocalSizes::LocalSizes(Block &block) {
  for (Operation &op : block)
    if (std::optional<int64_t> symbol = symbolDefinedBy(&op))
      definitions[*symbol].push_back(&op);
}

bool LocalSizes::mentionedIn(const DimExpr &size) const {
  return !empty() && llvm::any_of(size.symbols(), [&](int64_t id) { return contains(id); });
}

bool LocalSizes::mentionedIn(Type type) const {
  if (empty())
    return false;
  bool found = false;
  ::forEachSymbol(type, [&](int64_t id) { found |= contains(id); });
  return found;
}

bool LocalSizes::mentionedBy(Operation *op) const { return !empty() && !symbolsIn(op).empty(); }

llvm::DenseSet<int64_t> LocalSizes::symbolsIn(Operation *op) const {
  llvm::DenseSet<int64_t> found;
  if (!empty())
    keratin::ir::forEachSymbol(op, [&](int64_t id) {
      if (contains(id))
        found.insert(id);
    });
  return found;
}

FailureOr<ComputedSizes> ComputedSizes::of(func::FuncOp function) {
  ComputedSizes result;
  if (!function.getBody().hasOneBlock())
    return result;
  function.walk([&](DefineSizeOp op) { result.definitions.push_back(op); });
  if (result.definitions.empty())
    return result;
  const llvm::DenseSet<int64_t> given = givenSymbols(function);
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

ComputedSizes ComputedSizes::in(Block &block) const {
  ComputedSizes result;
  for (DefineSizeOp op : definitions)
    if (op->getBlock() == &block) {
      result.definitions.push_back(op);
      result.numbers[op.getSymbol()] = numberOf(op.getSymbol());
      if (auto bound = bounds.find(op.getSymbol()); bound != bounds.end())
        result.bounds.insert(*bound);
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
  forEachSymbol(op, [&](int64_t id) {
    if (isComputed(id))
      found.insert(id);
  });
  return found.takeVector();
}
