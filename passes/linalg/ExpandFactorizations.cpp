#include "passes/Passes.h"
#include "passes/linalg/Factorizations.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_EXPANDFACTORIZATIONS
#include "passes/Passes.h.inc"

namespace {

// The op on float32 in the place of 16-bit floats, whose steps would round too much.
template <typename Op> Op widened(OpBuilder &builder, Op op) {
  auto isNarrow = [](Type type) {
    auto floats = dyn_cast<FloatType>(cast<RankedTensorType>(type).getElementType());
    return floats && floats.getWidth() < 32;
  };
  if (llvm::none_of(op->getOperandTypes(), isNarrow))
    return op;
  GraphMath g(builder, op.getLoc());
  Operation *wide = builder.clone(*op);
  for (OpOperand &operand : wide->getOpOperands())
    if (isNarrow(operand.get().getType())) {
      builder.setInsertionPoint(wide);
      operand.set(g.cast(operand.get(), builder.getF32Type()));
    }
  builder.setInsertionPointAfter(wide);
  for (auto [result, wideResult] : llvm::zip(op->getResults(), wide->getResults())) {
    const Type narrow = getElementType(result);
    if (isNarrow(result.getType()))
      wideResult.setType(withElementType(getTensorType(wideResult), builder.getF32Type()));
    result.replaceAllUsesWith(g.cast(wideResult, narrow));
  }
  op->erase();
  builder.setInsertionPoint(wide);
  return cast<Op>(wide);
}

struct ExpandFactorizationsPass : impl::ExpandFactorizationsBase<ExpandFactorizationsPass> {
  using ExpandFactorizationsBase::ExpandFactorizationsBase;

  // Ops of this kind, those in loops and branches included.
  template <typename Op> SmallVector<Op> all() {
    SmallVector<Op> ops;
    getOperation().walk([&](Op op) { ops.push_back(op); });
    return ops;
  }

  template <typename Op, typename... Options>
  void expand(SmallVector<Value> (*expansion)(OpBuilder &, Op, Options...), Options... options) {
    for (Op op : all<Op>()) {
      OpBuilder builder(op);
      if (auto results = divideBatch(builder, op, bytesAtOnce)) {
        op->replaceAllUsesWith(*results);
        op->erase();
      }
    }
    for (Op op : all<Op>()) {
      OpBuilder builder(op);
      op = widened(builder, op);
      op->replaceAllUsesWith(expansion(builder, op, options...));
      op->erase();
    }
  }

  // What is expanded into others goes before them.
  void runOnOperation() override {
    expand(expandSvd);
    expand(expandEigh);
    expand(expandQr);
    expand(expandCholesky, int64_t(rowsAtOnce));
    expand(expandLu);
    expand(expandTriangularSolve, int64_t(rowsAtOnce));
  }
};

} // namespace
} // namespace keratin::passes
