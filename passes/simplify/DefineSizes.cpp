#include "passes/Passes.h"

#include "ir/dialect/GraphError.h"
#include "ir/interfaces/ComputedSizes.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_DEFINESIZES
#include "passes/Passes.h.inc"

namespace {

void define(TruncateOp op) {
  OpBuilder builder(op);
  Shape from = getShape(op.getX()), to = getShape(op.getY());
  size_t axis = op.getAxis();
  builder.create<DefineSizeOp>(op.getLoc(), uint64_t(to[axis].symbolId()), op.getSize(),
                               DimsAttr::get(op.getContext(), {from[axis]}));
  Value first =
      builder.create<SliceOp>(op.getLoc(), op.getType(), op.getX(),
                              DimsAttr::get(op.getContext(), Shape(from.size(), DimExpr(0))),
                              builder.getDenseI64ArrayAttr(SmallVector<int64_t>(from.size(), 1)));
  op.replaceAllUsesWith(first);
  op.erase();
}

// The steps of a loop, right behind it; nothing there yet has the symbol.
void define(WhileOp op) {
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  std::optional<DimExpr> bound = op.getBound();
  // A negative bound stands for no step.
  if (bound)
    bound = max(*bound, DimExpr(0));
  builder.create<DefineSizeOp>(op.getLoc(), uint64_t(op.getSteps().symbolId()), op.getStepCount(),
                               bound ? DimsAttr::get(op.getContext(), {*bound}) : DimsAttr());
}

// Copies of a body define the same symbols: all but the first get others.
void nameApart(func::FuncOp function) {
  llvm::DenseSet<int64_t> taken;
  for (BlockArgument argument : function.getArguments()) {
    for (const DimExpr &dim : getShape(argument))
      for (int64_t id : dim.symbols())
        taken.insert(id);
    if (auto symbol =
            function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "keratin.symbol"))
      taken.insert(symbol.getInt());
  }
  std::optional<int64_t> last; // of all symbols
  auto newName = [&] {
    if (!last) {
      last = -1;
      auto note = [&](int64_t id) { last = std::max(*last, id); };
      llvm::for_each(taken, note);
      forEachSymbol(function, note);
    }
    return ++*last;
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

// Nothing outside of a block has a size that the block computes.
LogicalResult checkScopes(func::FuncOp function) {
  llvm::DenseMap<int64_t, Block *> home;
  function.walk([&](DefineSizeOp op) {
    if (op->getParentOp() != function)
      home[op.getSymbol()] = op->getBlock();
  });
  if (home.empty())
    return success();
  WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Of an op with regions, what it mentions itself: the ops inside are looked at by themselves.
    if (op->getNumRegions() != 0)
      return WalkResult::advance();
    std::optional<int64_t> lost;
    forEachSymbol(op, [&](int64_t id) {
      if (Block *block = home.lookup(id); block && !block->findAncestorOpInBlock(*op))
        lost = id;
    });
    if (!lost)
      return WalkResult::advance();
    emitGraphError(op) << "d" << *lost
                       << " is a size that only a loop or branch elsewhere computes";
    return WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}

struct DefineSizesPass : impl::DefineSizesBase<DefineSizesPass> {
  void runOnOperation() override {
    nameApart(getOperation());
    getOperation().walk([](TruncateOp op) { define(op); });
    llvm::DenseSet<int64_t> defined;
    getOperation().walk([&](DefineSizeOp op) { defined.insert(op.getSymbol()); });
    getOperation().walk([&](WhileOp op) {
      if (op.getLength() && !defined.contains(op.getSteps().symbolId()))
        define(op);
    });
    // Every definition is found sound here, once.
    if (failed(checkScopes(getOperation())) || failed(ComputedSizes::of(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace keratin::passes
