#include "passes/Passes.h"

#include "ir/interfaces/ComputedSizes.h"

#include "llvm/ADT/DenseSet.h"

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

struct DefineSizesPass : impl::DefineSizesBase<DefineSizesPass> {
  void runOnOperation() override {
    // None stands in a loop or branch: their verifiers see to it.
    for (auto op : llvm::make_early_inc_range(getOperation().getOps<TruncateOp>()))
      define(op);
    llvm::DenseSet<int64_t> defined;
    for (auto op : getOperation().getOps<DefineSizeOp>())
      defined.insert(op.getSymbol());
    for (auto op : getOperation().getOps<WhileOp>())
      if (op.getLength() && !defined.contains(op.getSteps().symbolId()))
        define(op);
    // Every definition is found sound here, once.
    if (failed(ComputedSizes::of(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace keratin::passes
