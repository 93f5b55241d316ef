// Gives every contraction operands that can be walked as matrices.
#include "ir/builder/GraphMath.h"
#include "ir/interfaces/ContractionShape.h"
#include "passes/Passes.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_NORMALIZECONTRACTIONS
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {

struct NormalizeContractionsPass
    : keratin::passes::impl::NormalizeContractionsBase<NormalizeContractionsPass> {
  void runOnOperation() override {
    SmallVector<DotGeneralOp> dots;
    getOperation().walk([&](DotGeneralOp op) {
      if (!getContractionShape(op))
        dots.push_back(op);
    });
    for (DotGeneralOp op : dots)
      normalize(op);
  }

  static void append(SmallVectorImpl<int64_t> &order, ArrayRef<int64_t> dims) {
    order.append(dims.begin(), dims.end());
  }

  // Batch first, then free and contracted dimensions; a contracts last, b contracts before its
  // columns.
  static void normalize(DotGeneralOp op) {
    OpBuilder builder(op);
    GraphMath g(builder, op.getLoc());
    auto order = [](Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract,
                    bool contractLast) {
      SmallVector<int64_t> free, result(batch);
      for (int64_t i = 0, e = getTensorType(value).getRank(); i < e; ++i)
        if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
          free.push_back(i);
      append(result, contractLast ? ArrayRef<int64_t>(free) : contract);
      append(result, contractLast ? contract : ArrayRef<int64_t>(free));
      return result;
    };
    int64_t batch = op.getABatch().size(), depth = op.getAContract().size();
    int64_t aRank = getTensorType(op.getA()).getRank();
    Value a = g.transpose(op.getA(), order(op.getA(), op.getABatch(), op.getAContract(), true));
    Value b = g.transpose(op.getB(), order(op.getB(), op.getBBatch(), op.getBContract(), false));
    auto range = [](int64_t from, int64_t count) {
      SmallVector<int64_t> dims;
      for (int64_t i = 0; i < count; ++i)
        dims.push_back(from + i);
      return dims;
    };
    op.replaceAllUsesWith(g.dotGeneral(a, b, range(0, batch), range(0, batch),
                                       range(aRank - depth, depth), range(batch, depth)));
    op.erase();
  }
};

} // namespace
