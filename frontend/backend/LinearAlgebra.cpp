// K functions: products of tensors.
#include "keratin/linear_algebra.h"

#include "frontend/backend/Elementwise.h"
#include "frontend/backend/LabelledProduct.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/values/DTypeRules.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

// The dimensions i of a and j of b, which must agree, made one.
static void agree(Call &call, Value &a, int64_t i, Value &b, int64_t j, const std::string &what) {
  DimExpr size = call.unify(ir::getShape(a)[i], ir::getShape(b)[j], what);
  a = call.withSize(a, i, size, what);
  b = call.withSize(b, j, size, what);
}

static const char *const innerSizes = "the last size of x and the second-to-last of y";

// The dimensions that a product of matrices sums over, the only ones of vectors, made one.
static std::pair<int64_t, int64_t> agreeAsMatrices(Call &call, Value &a, Value &b) {
  int64_t contractA = call.rank(a) - 1, contractB = std::max<int64_t>(0, call.rank(b) - 2);
  if (const DimExpr i = ir::getShape(a)[contractA], j = ir::getShape(b)[contractB];
      i.isConstant() && j.isConstant() && i != j)
    call.valueError(std::string(innerSizes) + " differ; found shapes " + describe(a) + " and " +
                    describe(b) + "; needed " + i.str() + " = " + j.str());
  agree(call, a, contractA, b, contractB, innerSizes);
  return {contractA, contractB};
}

namespace keratin::backend {

static Tensor sparseDot(Call &call, SparseParts a, const Operand &y) {
  Value b = call.value(y);
  DType dtype = promote(call.dtypeOf(a.values), call.dtypeOf(b));
  a.values = call.cast(a.values, dtype);
  b = call.cast(b, dtype);
  if (call.rank(b) != 2)
    call.valueError("y has shape " + describe(b) + "; needed rank 2 beside a sparse x");
  requireSizes(call, a);
  b = call.withSize(b, 0, call.unify(a.shape[1], ir::getShape(b)[0], innerSizes), innerSizes);
  return call.tensor(asSummands(call, a.values, b, [&](Value values, Value dense) -> Value {
    auto type = ir::getTensorType({a.shape[0], ir::getShape(dense)[1]}, ir::getElementType(dense));
    return call.builder.create<ir::SparseDotOp>(call.g.location(), type, a.rows, a.columns, values,
                                                dense);
  }));
}

static Value product(Call &call, Value a, Value b) {
  int64_t rankA = call.rank(a), rankB = call.rank(b);
  if (rankA == 0 || rankB == 0) {
    ir::Shape shape = call.broadcastShape(ir::getShape(a), ir::getShape(b));
    return call.g.mul(call.broadcastTo(a, shape), call.broadcastTo(b, shape));
  }
  auto [contractA, contractB] = agreeAsMatrices(call, a, b);
  return call.g.dotGeneral(a, b, {}, {}, {contractA}, {contractB});
}

Tensor dot(const Operand &x, const Operand &y, SourceLocation location) {
  Call call("dot", location);
  if (std::optional<SparseParts> parts = sparseParts(x))
    return sparseDot(call, *parts, y);
  auto [a, b] = call.promoted(x, y);
  return call.tensor(
      asSummands(call, a, b, [&](Value left, Value right) { return product(call, left, right); }));
}

Tensor matmul(const Operand &x, const Operand &y, SourceLocation location) {
  Call call("matmul", location);
  auto [a, b] = call.promoted(x, y);
  for (auto [name, value] : {std::pair("x", a), std::pair("y", b)})
    if (call.rank(value) == 0)
      call.valueError(std::string(name) + " is a scalar; needed at least one axis");
  agreeAsMatrices(call, a, b);
  // …ij,…jk->…ik; a vector has neither i nor k, and nor has the result then. Dimensions before
  // these are numbered from the last.
  constexpr Label i = -1, j = -2, k = -3;
  auto labelsOf = [](int64_t rank, std::vector<Label> own) {
    std::vector<Label> labels;
    for (int64_t batch = rank - int64_t(own.size()); batch-- > 0;)
      labels.push_back(Label(batch));
    labels.insert(labels.end(), own.begin(), own.end());
    return labels;
  };
  std::vector<Label> own;
  int64_t rankA = call.rank(a), rankB = call.rank(b);
  if (rankA > 1)
    own.push_back(i);
  if (rankB > 1)
    own.push_back(k);
  int64_t batch = std::max<int64_t>({rankA - 2, rankB - 2, 0});
  std::vector<Label> left = labelsOf(rankA, rankA > 1 ? std::vector{i, j} : std::vector{j}),
                     right = labelsOf(rankB, rankB > 1 ? std::vector{j, k} : std::vector{j}),
                     result = labelsOf(batch + int64_t(own.size()), own);
  LabelRules rules{[](Label label) { return label >= 0; },
                   [](Label) { return std::string(innerSizes); }};
  return call.tensor(asSummands(call, a, b, [&](Value p, Value q) {
    return labelledProduct(call, {{p, left}, {q, right}}, result, rules);
  }));
}

static Value batchProduct(Call &call, Value a, Value b, const Axes &axes) {
  int64_t rankA = call.rank(a), rankB = call.rank(b);
  if (rankA < 2 || rankB < 2)
    call.valueError("x and y have ranks " + std::to_string(rankA) + " and " +
                    std::to_string(rankB) + "; needed 2 or more");
  agree(call, a, 0, b, 0, "the batch sizes of x and y");
  int64_t axisA = rankA - 1, axisB = rankB == 2 ? rankB - 1 : rankB - 2;
  if (!axes.isNone()) {
    if (axes.axes().empty() || axes.axes().size() > 2)
      call.valueError("axes has " + std::to_string(axes.axes().size()) +
                      " entries; needed one axis or a pair");
    axisA = call.axis(axes.axes().front(), rankA);
    axisB = call.axis(axes.axes().back(), rankB);
  }
  if (axisA == 0 || axisB == 0)
    call.valueError("axis 0 is the batch and cannot be summed over; found axes (" +
                    std::to_string(axisA) + ", " + std::to_string(axisB) + ")");
  const DimExpr i = ir::getShape(a)[axisA], j = ir::getShape(b)[axisB];
  if (i.isConstant() && j.isConstant() && i != j)
    call.valueError("axes (" + std::to_string(axisA) + ", " + std::to_string(axisB) +
                    ") pick sizes " + i.str() + " and " + j.str() + "; they must be equal");
  agree(call, a, axisA, b, axisB, "the sizes picked by axes");
  Value result = call.g.dotGeneral(a, b, {0}, {0}, {axisA}, {axisB});
  if (call.rank(result) == 1)
    result = call.g.reshape(result, {ir::getShape(result)[0], DimExpr(1)});
  return result;
}

Tensor batch_dot(const Operand &x, const Operand &y, const Axes &axes, SourceLocation location) {
  Call call("batch_dot", location);
  auto [a, b] = call.promoted(x, y);
  return call.tensor(asSummands(
      call, a, b, [&](Value left, Value right) { return batchProduct(call, left, right, axes); }));
}

Tensor transpose(const Operand &operand, SourceLocation location) {
  Call call("transpose", location);
  Value x = call.value(operand);
  std::vector<int64_t> permutation(size_t(call.rank(x)));
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  return call.tensor(call.g.transpose(x, permutation));
}

Tensor gather(const Operand &reference, const Operand &indices, SourceLocation location) {
  Call call("gather", location);
  Value x = call.value(reference), places = call.value(indices);
  if (call.rank(x) == 0)
    call.valueError("reference is a scalar; needed at least one axis");
  if (!isInteger(call.dtypeOf(places)))
    call.typeError(std::string("indices have dtype ") + dtypeName(call.dtypeOf(places)) +
                   "; needed integers");
  return call.tensor(call.g.gather(x, places));
}

} // namespace keratin::backend
