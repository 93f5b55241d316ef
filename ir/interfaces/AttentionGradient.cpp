#include "ir/interfaces/AttentionGradient.h"

#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/interfaces/TensorCoreAttention.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace mlir;

// Widths at most, and products: what they hold of a block of keys has room in the cache.
static constexpr int64_t kMostWidth = 256;
static constexpr size_t kMostMade = 2, kMostSums = 3;
// So few queries are better left to other kernels.
static constexpr int64_t kFewQueries = 8;

bool keratin::ir::keepsRows(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape)
    return false;
  Shape from = getShape(reshape.getX()), to = getShape(reshape.getY());
  return !from.empty() && !to.empty() && from.back() == to.back();
}

namespace {

class GradientMatcher {
public:
  explicit GradientMatcher(ArrayRef<Operation *> ops) : ops(ops), inside(ops.begin(), ops.end()) {}

  std::optional<AttentionGradient> run() {
    for (Operation *op : ops) {
      auto dot = dyn_cast<DotGeneralOp>(op);
      if (dot ? !take(dot) : !follows(op))
        return std::nullopt;
    }
    if (found.made.empty() || found.sums.empty())
      return std::nullopt;
    return std::move(found);
  }

private:
  bool isMade(Value value) const { return varying.contains(value); }
  bool isInside(Value value) const { return inside.contains(value.getDefiningOp()); }

  bool take(DotGeneralOp dot) {
    std::optional<ContractionShape> shape = getContractionShape(dot);
    Type type = getElementType(dot.getY());
    if (!shape || isInside(dot.getB()) || !isa<FloatType>(type) ||
        getElementType(dot.getA()) != type || getElementType(dot.getB()) != type)
      return false;
    // All sums are made in the same type.
    if (!found.made.empty() && getElementType(DotGeneralOp(found.made.front().dot).getY()) != type)
      return false;
    return isMade(dot.getA()) ? takeSum(dot, *shape) : takeMade(dot, *shape);
  }

  static bool fits(const DimExpr &width) {
    return width.isConstant() && width.constantValue() >= 1 && width.constantValue() <= kMostWidth;
  }
  static bool isMany(const DimExpr &size, int64_t least) {
    return !size.isConstant() || size.constantValue() > least;
  }

  bool takeMade(DotGeneralOp dot, const ContractionShape &shape) {
    if (isInside(dot.getA()) || shape.nDims != 1 || !fits(shape.k) ||
        found.made.size() == kMostMade)
      return false;
    if (found.made.empty()) {
      found.batch = shape.batch;
      found.queries = shape.m;
      found.keys = shape.n;
      if (!isMany(shape.m, kFewQueries) || !isMany(shape.n, 1))
        return false;
    } else if (shape.batch != found.batch || shape.m != found.queries || shape.n != found.keys) {
      return false;
    }
    found.made.push_back({dot, shape});
    varying.insert(dot.getY());
    return true;
  }

  // The first factor is a matrix of queries and keys, or its transpose, as it would lie in memory.
  bool takeSum(DotGeneralOp dot, const ContractionShape &shape) {
    const bool isOverKeys = shape.a.column == DimExpr(1);
    const DimExpr &rows = isOverKeys ? shape.m : shape.k;
    const DimExpr &columns = isOverKeys ? shape.k : shape.m;
    const ContractionShape::Strides &a = shape.a;
    if (shape.batch != found.batch || rows != found.queries || columns != found.keys ||
        (isOverKeys ? a.row : a.column) != found.keys ||
        (isOverKeys ? a.column : a.row) != DimExpr(1) || !fits(shape.n) ||
        (found.batch != DimExpr(1) && std::optional(a.batch) != mul(found.queries, found.keys)) ||
        found.sums.size() == kMostSums)
      return false;
    results.insert(dot.getY());
    auto *tile = llvm::find(found.tiles, dot.getA());
    found.sums.push_back({dot, shape, unsigned(tile - found.tiles.begin()), isOverKeys});
    if (tile == found.tiles.end())
      found.tiles.push_back(dot.getA());
    return true;
  }

  // What follows from products does so element by element.
  bool follows(Operation *op) {
    if (op->getNumResults() != 1 || canFail(op) || op->getNumRegions() != 0 ||
        llvm::any_of(op->getOperands(), [&](Value operand) { return results.contains(operand); }))
      return false;
    const bool isElementwise = isa<ElementwiseOpInterface>(op);
    if (llvm::any_of(op->getOperands(), [&](Value operand) { return isMade(operand); })) {
      if (!isElementwise && !keepsRows(op))
        return false;
      varying.insert(op->getResult(0));
      return true;
    }
    return isElementwise || isFreeToRepeat(op) ||
           isa<ReshapeOp, ConstantOp, DimOp, IotaOp, BroadcastOp>(op);
  }

  ArrayRef<Operation *> ops;
  llvm::DenseSet<Operation *> inside;
  llvm::DenseSet<Value> varying; // of queries and keys, and follow from products
  llvm::DenseSet<Value> results; // of sums
  AttentionGradient found;
};

} // namespace

bool AttentionGradient::isForTensorCores(AttentionKinds kinds) const {
  // Rows of both factors of two products, and of two sums, have room in shared memory.
  constexpr int64_t mostBits = 2048;
  SmallVector<DotGeneralOp> products;
  SmallVector<DimExpr> widths;
  for (const Made &product : made) {
    products.push_back(product.dot);
    widths.push_back(product.shape.k);
  }
  for (const Sum &sum : sums) {
    products.push_back(sum.dot);
    widths.push_back(sum.shape.n);
  }
  Type type = getElementType(products.front().getB());
  return areOfTensorCores(products, kinds) &&
         areWidthsOfTensorCores(widths, type, mostBits / int64_t(type.getIntOrFloatBitWidth())) &&
         areWalksShort(batch, queries, keys) && areWalksShort(batch, keys, queries);
}

bool AttentionGradient::isAmong(AttentionKinds kinds) const {
  Type type = getElementType(DotGeneralOp(made.front().dot).getY());
  const bool isExact = has(kinds, AttentionKinds::Exact) && (type.isF32() || type.isF64());
  return has(kinds, AttentionKinds::Gradients) && (isExact || isForTensorCores(kinds));
}

std::optional<AttentionGradient> keratin::ir::attentionGradientOf(ArrayRef<Operation *> ops) {
  return GradientMatcher(ops).run();
}

std::optional<AttentionGradient> keratin::ir::attentionGradientOf(KernelOp kernel) {
  SmallVector<Operation *> ops;
  Block &body = kernel.getBody().front();
  if (llvm::range_size(body.getOps<DotGeneralOp>()) < 2)
    return std::nullopt;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  std::optional<AttentionGradient> gradient = attentionGradientOf(ops);
  for (Value output : body.getTerminator()->getOperands())
    if (gradient && llvm::none_of(gradient->sums, [&](AttentionGradient::Sum &sum) {
          return sum.dot.getY() == output;
        }))
      return std::nullopt;
  return gradient;
}
