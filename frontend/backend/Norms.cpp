// K::norm.
#include "frontend/backend/OrthogonalFactors.h"
#include "frontend/backend/Reductions.h"
#include "keratin/linear_algebra.h"

#include <algorithm>
#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// Norms along axes that leave.
class Norm {
public:
  Norm(Call &call, Value x, std::vector<int64_t> axes)
      : call(call), g(call.g), x(x), axes(std::move(axes)) {}

  // The square root of the sum of squares.
  Value euclidean() const {
    std::vector<int64_t> inOrder = axes;
    std::sort(inOrder.begin(), inOrder.end());
    return root(g.reduceSum(g.mul(x, x), inOrder), 2);
  }

  Value ofVector(double order) const {
    Value size = g.abs(x);
    if (std::isinf(order))
      return order > 0 ? g.reduceMax(size, axes) : g.reduceMin(size, axes);
    if (order == 0)
      return g.reduceSum(g.cast(g.notEqual(x, g.zeroLike(x)), ir::getElementType(x)), axes);
    if (order == 1)
      return g.reduceSum(size, axes);
    if (order == 2)
      return euclidean();
    return root(g.reduceSum(g.pow(size, call.like(size, order)), axes), order);
  }

  // By sums of rows or columns: the largest, or the smallest.
  Value ofMatrix(double order) const {
    bool ofColumns = std::abs(order) == 1;
    int64_t summed = ofColumns ? axes[0] : axes[1], left = ofColumns ? axes[1] : axes[0];
    Value sums = g.reduceSum(g.abs(x), {summed});
    int64_t place = left - (summed < left ? 1 : 0);
    return order > 0 ? g.reduceMax(sums, {place}) : g.reduceMin(sums, {place});
  }

  // The largest or smallest of the singular values, or their sum.
  Value ofSingularValues(const NormOrder &order) const {
    Value values = singular();
    const int64_t axis = call.rank(values) - 1;
    if (order.isName())
      return g.reduceSum(values, {axis});
    return order.number() > 0 ? g.reduceMax(values, {axis}) : g.reduceMin(values, {axis});
  }

private:
  // Of the matrices, their rows along the first of the axes.
  Value singular() const {
    std::vector<int64_t> order;
    for (int64_t axis = 0; axis < call.rank(x); ++axis)
      if (axis != axes[0] && axis != axes[1])
        order.push_back(axis);
    order.insert(order.end(), axes.begin(), axes.end());
    return singularFactors(call, g.transpose(x, order)).s;
  }

  // The root of a sum, with gradient 0 where that is 0.
  Value root(Value sum, double order) const {
    Value isZero = g.equal(sum, g.zeroLike(sum));
    Value positive = g.select(isZero, g.oneLike(sum), sum);
    Value y = order == 2 ? g.sqrt(positive) : g.pow(positive, call.like(positive, 1 / order));
    return g.select(isZero, call.like(sum, order > 0 ? 0.0 : INFINITY), y);
  }

  Call &call;
  ir::GraphMath &g;
  Value x;
  std::vector<int64_t> axes;
};

} // namespace

// The axes in the order in which they were given: the first has the rows.
static std::vector<int64_t> axesOf(Call &call, const Axes &axis, int64_t rank) {
  if (axis.isNone())
    return call.axes(axis, rank);
  std::vector<int64_t> result;
  for (int64_t given : axis.axes())
    result.push_back(call.axis(given, rank));
  if (result.empty() || result.size() > 2 || (result.size() == 2 && result[0] == result[1]))
    call.valueError("axis names " + std::to_string(result.size()) +
                    " axes; needed one, of vectors, or two different ones, of matrices");
  return result;
}

static std::string text(const NormOrder &order) {
  return order.isNumber() ? toString(Array(order.number())) : "'" + order.name() + "'";
}

static Value ofVectors(Call &call, const Norm &norm, const NormOrder &order) {
  if (!order.isNumber())
    call.valueError("unknown ord " + text(order) + " of vectors; needed a number, or None");
  return norm.ofVector(order.number());
}

static Value ofMatrices(Call &call, const Norm &norm, const NormOrder &order) {
  if (order.isName() && order.name() == "fro")
    return norm.euclidean();
  double size = order.isNumber() ? std::abs(order.number()) : 0;
  if (size == 1 || std::isinf(size))
    return norm.ofMatrix(order.number());
  if (size == 2 || (order.isName() && order.name() == "nuc"))
    return norm.ofSingularValues(order);
  call.valueError("unknown ord " + text(order) +
                  " of matrices; needed 1, -1, 2, -2, inf, -inf, 'fro', 'nuc' or None");
}

static Value ofOrder(Call &call, const Norm &norm, const NormOrder &order, size_t axes) {
  if (order.isNone())
    return norm.euclidean();
  if (axes == 1)
    return ofVectors(call, norm, order);
  if (axes == 2)
    return ofMatrices(call, norm, order);
  call.valueError("x has rank " + std::to_string(axes) +
                  "; with ord needed rank 1 or 2, or an axis");
}

namespace keratin::backend {

Tensor norm(const Operand &operand, const NormOrder &ord, const Axes &axis, bool keepdims,
            SourceLocation location) {
  Call call("norm", location);
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  std::vector<int64_t> axes = axesOf(call, axis, call.rank(x));
  Value y = ofOrder(call, Norm(call, x, axes), ord, axes.size());
  std::sort(axes.begin(), axes.end());
  return call.tensor(call.cast(restoreDims(call, y, x, axes, keepdims), dtype));
}

} // namespace keratin::backend
