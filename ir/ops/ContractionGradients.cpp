// Gradient of dot_general: contractions of the cotangent with the other operand.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

// The dimensions below `rank` that are in neither list, ascending.
static SmallVector<int64_t> freeDims(int64_t rank, ArrayRef<int64_t> batch,
                                     ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
      dims.push_back(i);
  return dims;
}

static SmallVector<int64_t> range(int64_t start, size_t size) {
  return llvm::to_vector(llvm::seq<int64_t>(start, start + int64_t(size)));
}

// `theirs` ascending, each replaced by its partner in `ours`: the order in which a contraction
// leaves what was contracted before.
static SmallVector<int64_t> partners(ArrayRef<int64_t> theirs, ArrayRef<int64_t> ours) {
  SmallVector<int64_t> order = range(0, theirs.size());
  llvm::sort(order, [&](int64_t i, int64_t j) { return theirs[i] < theirs[j]; });
  SmallVector<int64_t> dims;
  for (int64_t i : order)
    dims.push_back(ours[i]);
  return dims;
}

// Transposes x, whose dimension i is dimension `order[i]` of what is wanted.
static Value transposeInto(GraphMath &g, Value x, ArrayRef<int64_t> order) {
  SmallVector<int64_t> permutation(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    permutation[dim] = i;
  return g.transpose(x, permutation);
}

LogicalResult DotGeneralOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  gradients.assign(2, Value());
  Value dy = cotangents[0];
  if (!dy)
    return success();
  GraphMath g(builder, gradientLocation(*this));
  ArrayRef<int64_t> aBatch = getABatch(), bBatch = getBBatch();
  ArrayRef<int64_t> aContract = getAContract(), bContract = getBContract();
  SmallVector<int64_t> aFree = freeDims(getTensorType(getA()).getRank(), aBatch, aContract);
  SmallVector<int64_t> bFree = freeDims(getTensorType(getB()).getRank(), bBatch, bContract);
  // y has the batch dimensions, then aFree, then bFree.
  SmallVector<int64_t> yBatch = range(0, aBatch.size());
  SmallVector<int64_t> yA = range(yBatch.size(), aFree.size());
  SmallVector<int64_t> yB = range(yBatch.size() + yA.size(), bFree.size());

  // The order of the operands is the one that needs no transpose for a matrix product a b:
  // da = dy b^T, db = a^T dy.
  SmallVector<int64_t> order(aBatch);
  order.append(aFree);
  order.append(partners(bContract, aContract));
  gradients[0] = transposeInto(g, g.dotGeneral(dy, getB(), yBatch, bBatch, yB, bFree), order);

  order.assign(bBatch.begin(), bBatch.end());
  order.append(partners(aContract, bContract));
  order.append(bFree);
  gradients[1] = transposeInto(g, g.dotGeneral(getA(), dy, aBatch, yBatch, aFree, yA), order);
  return success();
}
