// K functions: crossentropies.
#include "keratin/nn.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Reductions.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

// x in the shape that targets and predictions share: unknown sizes must be equal; a known size of 1
// beside another is repeated.
static Value agreed(Call &call, Value x, const ir::Shape &shape) {
  ir::Shape from = ir::getShape(x);
  bool same = from.size() == shape.size();
  for (size_t i = 0; same && i < shape.size(); ++i)
    same = from[i] == shape[i] || !from[i].isConstant() || !shape[i].isConstant();
  return same ? call.requireShape(x, shape, "target and output") : call.broadcastTo(x, shape);
}

// Both floating, of output's dtype and shape.
static std::pair<Value, Value> pair(Call &call, const Operand &target, const Operand &output) {
  Value y = call.floating(output);
  Value t = call.value(target, call.dtypeOf(y));
  ir::Shape shape = ir::getShape(y), other = ir::getShape(t);
  // A known size wins over an unknown one.
  if (shape.size() == other.size())
    for (size_t i = 0; i < shape.size(); ++i)
      if (!shape[i].isConstant() && other[i].isConstant() && other[i] != DimExpr(1))
        shape[i] = other[i];
  if (call.broadcastShape(shape, other).size() != shape.size())
    call.valueError("target and output have shapes " + describe(t) + " and " + describe(y) +
                    "; needed equal ones");
  return {agreed(call, t, shape), agreed(call, y, shape)};
}

// "-1 or in range(n)": other negatives are refused.
static int64_t classAxis(const Call &call, int64_t axis, int64_t rank) {
  if (rank == 0 || axis < -1 || axis >= rank)
    call.valueError("axis is " + std::to_string(axis) + "; needed -1 or 0 to " +
                    std::to_string(rank - 1));
  return axis == -1 ? rank - 1 : axis;
}

static Value clipped(Call &call, Value p) {
  double epsilon = Configuration::epsilon();
  return frontend::clip(call, p, epsilon, 1.0 - epsilon);
}

namespace keratin::backend {

Tensor categorical_crossentropy(const Operand &target, const Operand &output, bool from_logits,
                                Axis axis, SourceLocation location) {
  Call call("categorical_crossentropy", location);
  ir::GraphMath &g = call.g;
  auto [t, y] = pair(call, target, output);
  DType dtype = call.dtypeOf(y);
  t = widened(call, t);
  y = widened(call, y);
  std::vector<int64_t> axes = {classAxis(call, axis, call.rank(y))};
  Value logP;
  if (from_logits)
    logP = g.sub(y, spread(call, logSumExp(call, y, axes), y, axes));
  else
    logP = g.log(clipped(call, g.div(y, spread(call, g.reduceSum(y, axes), y, axes))));
  return call.tensor(call.cast(g.neg(g.reduceSum(g.mul(t, logP), axes)), dtype));
}

Tensor sparse_categorical_crossentropy(const Operand &target, const Operand &output,
                                       bool from_logits, Axis axis, SourceLocation location) {
  Call call("sparse_categorical_crossentropy", location);
  ir::GraphMath &g = call.g;
  Value y = call.floating(output);
  DType dtype = call.dtypeOf(y);
  y = widened(call, y);
  int64_t rank = call.rank(y);
  axis = classAxis(call, axis, rank);
  // The classes last.
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + axis);
  order.push_back(axis);
  y = g.transpose(y, order);
  ir::Shape rows = ir::getShape(y);
  DimExpr classes = rows.back();
  rows.pop_back();

  Value t = call.value(target);
  if (isFloating(call.dtypeOf(t)) || isInteger(call.dtypeOf(t)))
    t = call.cast(t, DType::Int64);
  else
    call.typeError("target is bool; needed class numbers");
  DimExpr wanted = call.check(ir::elementCount(rows));
  DimExpr found = call.check(ir::elementCount(ir::getShape(t)));
  call.requireEqual(found, wanted, "target and output must have as many rows");
  t = g.reshape(t, rows);

  // A row's class by comparison with all of them: a sum of one term and zeros, without an indexed
  // load, whatever number the target holds.
  std::vector<int64_t> last = {rank - 1};
  Value hit =
      g.equal(spread(call, t, y, last),
              g.iota(ir::getTensorType(ir::getShape(y), call.elementType(DType::Int64)), rank - 1));
  auto pick = [&](Value x) { return g.reduceSum(g.select(hit, x, g.zeroLike(x)), last); };
  Value loss;
  if (from_logits) {
    loss = g.sub(logSumExp(call, y, last), pick(y));
  } else {
    Value p = clipped(call, y);
    loss = g.neg(g.log(g.div(pick(p), g.reduceSum(p, last))));
  }
  // A number that is no class makes NaN.
  Value valid = g.reduceAny(hit, last);
  loss = g.select(valid, loss, call.like(loss, std::numeric_limits<double>::quiet_NaN()));
  return call.tensor(call.cast(loss, dtype));
}

Tensor binary_crossentropy(const Operand &target, const Operand &output, bool from_logits,
                           SourceLocation location) {
  Call call("binary_crossentropy", location);
  ir::GraphMath &g = call.g;
  auto [t, y] = pair(call, target, output);
  if (from_logits) {
    // max(l, 0) - l * t + log1p(exp(-|l|))
    Value linear = g.sub(g.maximum(y, g.zeroLike(y)), g.mul(y, t));
    return call.tensor(g.add(linear, g.log1p(g.exp(g.neg(g.abs(y))))));
  }
  Value epsilon = call.like(y, Configuration::epsilon()), one = g.oneLike(y);
  Value p = clipped(call, y);
  Value ifOne = g.mul(t, g.log(g.add(p, epsilon)));
  Value ifZero = g.mul(g.sub(one, t), g.log(g.add(g.sub(one, p), epsilon)));
  return call.tensor(g.neg(g.add(ifOne, ifZero)));
}

} // namespace keratin::backend
