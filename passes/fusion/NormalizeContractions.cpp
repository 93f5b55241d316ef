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
      normalize(op, copied(op.getA(), op.getABatch(), op.getAContract()),
                copied(op.getB(), op.getBBatch(), op.getBContract()));
    for (DotGeneralOp op : inLoops)
      normalize(op, {op.getA(), op.getABatch(), op.getAContract()},
                ordered(op.getB(), op.getBBatch(), op.getBContract(), /*contractLast=*/false));
  }

private:
  struct Factor {
    Factor(Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract)
        : value(value), batch(batch), contract(contract) {}
    Value value;
    SmallVector<int64_t> batch, contract;
  };

  // Batch first, then contracted and free dimensions, or free and contracted ones.
  static Factor ordered(Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract,
                        bool contractLast) {
    SmallVector<int64_t> free, order(batch);
    int64_t rank = getTensorType(value).getRank();
    for (int64_t i = 0; i < rank; ++i)
      if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
        free.push_back(i);
    int64_t contractAt = batch.size() + (contractLast ? free.size() : 0);
    order.append(contractLast ? free : SmallVector<int64_t>(contract));
    order.append(contractLast ? SmallVector<int64_t>(contract) : free);
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Factor result(GraphMath(builder, value.getLoc()).transpose(value, order), {}, {});
    for (size_t i = 0; i < batch.size(); ++i)
      result.batch.push_back(i);
    for (size_t i = 0; i < contract.size(); ++i)
      result.contract.push_back(contractAt + i);
    return result;
  }

  // The innermost dimension stays so, if it is no batch: whole rows are copied then.
  static Factor copied(Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    return ordered(value, batch, contract,
                   llvm::is_contained(contract, getTensorType(value).getRank() - 1));
  }

  static void normalize(DotGeneralOp op, const Factor &a, const Factor &b) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        GraphMath(builder, op.getLoc())
            .dotGeneral(a.value, b.value, a.batch, b.batch, a.contract, b.contract));
    op.erase();
  }
};

} // namespace
