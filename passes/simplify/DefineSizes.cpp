#include "passes/Passes.h"

#include "ir/dialect/GraphError.h"
#include "ir/interfaces/ComputedSizes.h"

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
    nameSizesApart(getOperation());
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
