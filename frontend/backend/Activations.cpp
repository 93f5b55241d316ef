// K functions: activations and normalisation of values.
#include "keratin/nn.h"

#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Reductions.h"
#include "frontend/values/Elements.h"
#include "keratin/reductions.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend {

Tensor relu(const Operand &operand, double alpha, std::optional<double> max_value, double threshold,
            SourceLocation location) {
  Call call("relu", location);
  ir::GraphMath &g = call.g;
  Value x = call.value(operand);
  DType dtype = call.dtypeOf(x);
  auto isWhole = [](double number) { return number == std::floor(number); };
  if (dtype == DType::Bool || (isInteger(dtype) && !(isWhole(alpha) && isWhole(threshold) &&
                                                     isWhole(max_value.value_or(0)))))
    x = call.floating(operand);
  // No integer is above what its dtype holds.
  if (max_value && fitOf(*max_value, 0, call.dtypeOf(x)) == Fit::Above)
    max_value.reset();
  Value limit = call.like(x, threshold), zero = g.zeroLike(x);
  // Gradients at the kinks: of equal arguments, maximum and minimum follow the first. So it is 0 at
  // x = 0, alpha where there is a slope below, and 1 at x = max_value.
  Value above = threshold == 0 ? g.maximum(zero, x) : g.select(g.greater(x, limit), x, zero);
  if (max_value) {
    if (threshold < 0)
      above = g.maximum(zero, above);
    above = g.minimum(above, call.like(x, *max_value));
  }
  if (alpha == 0)
    return call.tensor(above);
  Value below = g.select(g.greater(x, limit), zero, g.sub(x, limit));
  return call.tensor(g.add(above, g.mul(call.like(x, alpha), below)));
}

Tensor elu(const Operand &operand, double alpha, SourceLocation location) {
  Call call("elu", location);
  ir::GraphMath &g = call.g;
  Value x = call.floating(operand), zero = g.zeroLike(x);
  // expm1 sees no large number, so that the branch not taken cannot overflow.
  Value negative = g.expm1(g.select(g.greater(x, zero), zero, x));
  if (alpha != 1.0)
    negative = g.mul(negative, call.like(x, alpha));
  return call.tensor(g.select(g.greater(x, zero), x, negative));
}

Tensor softmax(const Operand &operand, Axis axis, SourceLocation location) {
  Call call("softmax", location);
  ir::GraphMath &g = call.g;
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  if (call.rank(x) == 0)
    call.valueError("x is a scalar; needed at least one axis");
  std::vector<int64_t> axes = {call.axis(axis, call.rank(x))};
  Value m = call.builder.create<ir::StopGradientOp>(call.g.location(), g.reduceMax(x, axes));
  Value e = g.exp(g.sub(x, spread(call, m, x, axes)));
  return call.tensor(call.cast(g.div(e, spread(call, g.reduceSum(e, axes), x, axes)), dtype));
}

Tensor softsign(const Operand &operand, SourceLocation location) {
  Call call("softsign", location);
  Value x = call.floating(operand);
  return call.tensor(call.g.div(x, call.g.add(call.g.oneLike(x), call.g.abs(x))));
}

Tensor hard_sigmoid(const Operand &operand, SourceLocation location) {
  Call call("hard_sigmoid", location);
  Value x = call.floating(operand);
  // clip(0.2 x + 0.5, 0, 1), cut where x is exact: rounding 0.2 x must not decide on which side of
  // an end x lies.
  Value inside = frontend::clip(call, x, -2.5, 2.5);
  return call.tensor(call.g.scale(call.g.add(inside, call.like(x, 2.5)), 0.2));
}

Tensor l2_normalize(const Operand &operand, const Axes &axis, SourceLocation location) {
  Call call("l2_normalize", location);
  ir::GraphMath &g = call.g;
  Value x = call.floating(operand);
  DType dtype = call.dtypeOf(x);
  x = widened(call, x);
  std::vector<int64_t> axes = call.axes(axis, call.rank(x));
  Value squares = g.reduceSum(g.mul(x, x), axes);
  Value norm = g.sqrt(g.maximum(squares, call.like(squares, 1e-12)));
  return call.tensor(call.cast(g.div(x, spread(call, norm, x, axes)), dtype));
}

} // namespace keratin::backend
