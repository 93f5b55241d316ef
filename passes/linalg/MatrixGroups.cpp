// A factorization walks its matrices once for each of their rows. So of a batch that caches do not
// hold, some matrices are done at a time: a loop over groups of them, and what is left over.
#include "passes/linalg/Factorizations.h"

#include "ir/builder/LoopBuilder.h"

#include <algorithm>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

namespace {

struct Groups {
  int64_t size, number, left;
};

} // namespace

// Of matrices that need so many bytes each; nullopt if they stay together. The largest size that
// leaves nothing over is taken if it is at least half of what may be.
static std::optional<Groups> groupsOf(int64_t matrices, int64_t bytes, int64_t bytesAtOnce) {
  const int64_t most = std::max<int64_t>(bytesAtOnce / bytes, 1);
  if (matrices < 2 * most)
    return std::nullopt;
  for (int64_t size = most; 2 * size > most; --size)
    if (matrices % size == 0)
      return Groups{size, matrices / size, 0};
  return Groups{most, matrices / most, matrices % most};
}

// The product of known sizes; nullopt if one is not known, or it is no number of bytes.
static std::optional<int64_t> productOf(ArrayRef<DimExpr> sizes) {
  std::optional<DimExpr> product = DimExpr(1);
  for (const DimExpr &size : sizes)
    product = product ? mul(*product, size) : product;
  return product && product->isConstant() ? std::optional(product->constantValue()) : std::nullopt;
}

// The type with these dimensions in the place of its first ones, which are the batch.
static RankedTensorType withBatch(Type type, size_t batchRank, ArrayRef<DimExpr> batch) {
  auto tensor = cast<RankedTensorType>(type);
  Shape shape(batch.begin(), batch.end());
  llvm::append_range(shape, ArrayRef(getShape(tensor)).drop_front(batchRank));
  return getTensorType(shape, tensor.getElementType());
}

static Value reshaped(GraphMath &g, Value x, size_t batchRank, ArrayRef<DimExpr> batch) {
  return g.reshape(x, getShape(withBatch(x.getType(), batchRank, batch)));
}

// The op on operands with one dimension of batches.
static SmallVector<Value> onGroup(GraphMath &g, Operation *op, ValueRange operands,
                                  size_t batchRank, const DimExpr &size) {
  OperationState state(g.location(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  for (Type type : op->getResultTypes())
    state.addTypes(withBatch(type, batchRank, {size}));
  return SmallVector<Value>(g.builder().create(state)->getResults());
}

std::optional<SmallVector<Value>> divideBatch(OpBuilder &builder, Operation *op,
                                              int64_t bytesAtOnce) {
  const Shape batch = ArrayRef(getShape(op->getOperand(0))).drop_back(2).vec();
  const size_t rank = batch.size();
  const std::optional<int64_t> matrices = productOf(batch);
  if (rank == 0 || !matrices || bytesAtOnce == 0)
    return std::nullopt;
  int64_t bytes = 0;
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults()))) {
    const std::optional<int64_t> elements = productOf(ArrayRef(getShape(value)).drop_front(rank));
    if (!elements)
      return std::nullopt;
    bytes += *elements * (getElementType(value).getIntOrFloatBitWidth() / 8);
  }
  const std::optional<Groups> groups =
      groupsOf(*matrices, std::max<int64_t>(bytes, 1), bytesAtOnce);
  if (!groups)
    return std::nullopt;

  GraphMath math(builder, op->getLoc());
  const int64_t grouped = groups->size * groups->number;
  SmallVector<Value> sequences, left;
  for (Value operand : op->getOperands()) {
    Value flat = reshaped(math, operand, rank, {DimExpr(*matrices)});
    auto some = [&](int64_t first, int64_t size) {
      Shape starts(getShape(flat).size(), DimExpr(0)), sizes = getShape(flat);
      starts[0] = first;
      sizes[0] = size;
      return sizes == getShape(flat)
                 ? flat
                 : math.slice(flat, starts, sizes, SmallVector<int64_t>(sizes.size(), 1));
    };
    sequences.push_back(
        reshaped(math, some(0, grouped), 1, {DimExpr(groups->number), DimExpr(groups->size)}));
    if (groups->left > 0)
      left.push_back(some(grouped, groups->left));
  }
  ScanOp loop =
      buildScan(math, groups->number, {{}, sequences, {}}, [&](GraphMath &g, LoopStep &step) {
        step.stacked = onGroup(g, op, step.elements, rank, groups->size);
      });
  SmallVector<Value> results;
  for (Value stack : loop.getStacks())
    results.push_back(reshaped(math, stack, 2, {DimExpr(grouped)}));
  if (groups->left > 0)
    for (auto [result, rest] : llvm::zip(results, onGroup(math, op, left, rank, groups->left)))
      result = math.concatenate({result, rest}, 0);
  for (Value &result : results)
    result = reshaped(math, result, 1, batch);
  return results;
}

} // namespace keratin::passes
