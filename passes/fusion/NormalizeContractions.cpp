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

// Whether the factor is the same at every step of the loop around it.
static bool isInvariant(Value factor) {
  auto argument = dyn_cast<BlockArgument>(factor);
  auto scan = argument ? dyn_cast<ScanOp>(argument.getOwner()->getParentOp()) : ScanOp();
  return scan && llvm::is_contained(scan.getCaptureArguments(), factor);
}

// Whether the kernel would transpose b for itself, which it does not for a single row or column.
static bool isTransposed(const ContractionShape &shape) {
  const DimExpr one(1);
  return shape.b.row == one && shape.b.column != one && shape.m != one && shape.n != one;
}

struct NormalizeContractionsPass
    : keratin::passes::impl::NormalizeContractionsBase<NormalizeContractionsPass> {
  void runOnOperation() override {
    SmallVector<DotGeneralOp> dots, inLoops;
    getOperation().walk([&](DotGeneralOp op) {
      std::optional<ContractionShape> shape = getContractionShape(op);
      if (!shape)
        dots.push_back(op);
      else if (isInvariant(op.getB()) && isTransposed(*shape))
        inLoops.push_back(op);
    });
    for (DotGeneralOp op : dots)
      normalize(op, /*transposesA=*/true);
    for (DotGeneralOp op : inLoops)
      normalize(op, /*transposesA=*/false);
  }

  static void append(SmallVectorImpl<int64_t> &order, ArrayRef<int64_t> dims) {
    order.append(dims.begin(), dims.end());
  }

  // Batch first, then free and contracted dimensions; a contracts last, b contracts before its
  // columns.
  static void normalize(DotGeneralOp op, bool transposesA) {
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
    auto range = [](int64_t from, int64_t count) {
      SmallVector<int64_t> dims;
      for (int64_t i = 0; i < count; ++i)
        dims.push_back(from + i);
      return dims;
    };
    int64_t batch = op.getABatch().size(), depth = op.getAContract().size();
    Value a = op.getA();
    SmallVector<int64_t> aBatch(op.getABatch()), aContract(op.getAContract());
    if (transposesA) {
      a = g.transpose(a, order(a, aBatch, aContract, /*contractLast=*/true));
      aBatch = range(0, batch);
      aContract = range(getTensorType(a).getRank() - depth, depth);
    }
    Value b = g.transpose(op.getB(), order(op.getB(), op.getBBatch(), op.getBContract(),
                                           /*contractLast=*/false));
    op.replaceAllUsesWith(
        g.dotGeneral(a, b, aBatch, range(0, batch), aContract, range(batch, depth)));
    op.erase();
  }
};

} // namespace
