// Makes trees of concatenations of many operands, and gives each operand a place of its own.
#include "ir/builder/GraphMath.h"
#include "passes/Passes.h"
#include "passes/fusion/FusionPolicy.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SPLITCONCATENATIONS
#include "passes/Passes.h.inc"

namespace {

struct SplitConcatenationsPass : impl::SplitConcatenationsBase<SplitConcatenationsPass> {
  using SplitConcatenationsBase::SplitConcatenationsBase;

  void runOnOperation() override {
    SmallVector<ConcatenateOp> all;
    getOperation().walk([&](ConcatenateOp op) { all.push_back(op); });
    for (ConcatenateOp op : all) {
      if (isCopied(op))
        repeatFills(op);
      if (int64_t(op.getXs().size()) > mostOperands(op))
        split(op);
    }
  }

private:
  // Where runs are copied there is nothing to compare, but a loop for each.
  int64_t mostOperands(ConcatenateOp op) const {
    return std::max<int64_t>(2, isCopied(op) ? 4 * maxOperands : maxOperands);
  }

  // Parts are made where the whole is, if each is in one place (passes/memory/JoinedParts): one
  // number everywhere is written twice sooner than all parts are copied.
  static void repeatFills(ConcatenateOp op) {
    llvm::SmallDenseSet<Value> seen;
    for (OpOperand &operand : op.getXsMutable())
      if (auto fill = operand.get().getDefiningOp<BroadcastOp>();
          !seen.insert(operand.get()).second && fill && squeezed(getShape(fill.getX())).empty()) {
        OpBuilder builder(op);
        operand.set(builder.clone(*fill)->getResult(0));
      }
  }

  void split(ConcatenateOp op) const {
    OpBuilder builder(op);
    GraphMath g(builder, op.getLoc());
    SmallVector<Value> parts(op.getXs());
    const int64_t most = mostOperands(op);
    while (int64_t(parts.size()) > most) {
      SmallVector<Value> joined;
      for (ArrayRef<Value> rest = parts; !rest.empty();) {
        ArrayRef<Value> some = rest.take_front(std::min<size_t>(most, rest.size()));
        joined.push_back(some.size() == 1 ? some[0] : g.concatenate(some, op.getAxis()));
        rest = rest.drop_front(some.size());
      }
      parts = std::move(joined);
    }
    // As the op itself has it: sizes may be written in another way there.
    op.getXsMutable().assign(parts);
  }
};

} // namespace
} // namespace keratin::passes
