// K functions: the forward and backward recursions of connectionist temporal classification for one
// sample, as Theano's examples spell them.
#include "keratin/ctc.h"

#include "frontend/backend/Reductions.h"
#include "frontend/graph/Loop.h"

#include <limits>

using namespace keratin;
using namespace keratin::frontend;

// -1 at even places, Y[i] at 2 i + 1.
static Value interleaved(Call &call, Value y) {
  ir::GraphMath &g = call.g;
  DimExpr size =
      call.check(ir::add(call.check(ir::mul(ir::getShape(y)[0], DimExpr(2))), DimExpr(1)));
  Value shifted = g.add(y, call.like(y, 1.0));
  Value spread = g.pad(shifted, {DimExpr(1)}, {1}, {size});
  return g.sub(spread, call.like(spread, 1.0));
}

namespace {

// Places of the states of one sample as int64, and what is computed along them.
class States {
public:
  States(Call &call, const DimExpr &count)
      : shape({count}),
        place(call.g.iota(ir::getTensorType(shape, call.elementType(DType::Int64)), 0)), call(call),
        g(call.g) {}

  const ir::Shape shape;
  const Value place;

  Value integer(int64_t value) const {
    return g.integerScalar(value, call.elementType(DType::Int64));
  }
  Value all(Value scalar) const { return g.broadcastScalar(scalar, shape); }
  Value below(Value limit) const { return g.less(place, all(limit)); }
  // Element i - by at i, 0 where there is none.
  Value shifted(Value x, int64_t by) const {
    ir::Shape longer{call.check(ir::add(shape[0], DimExpr(by)))};
    return g.slice(g.pad(x, {DimExpr(by)}, {0}, longer), {DimExpr(0)}, shape, {1});
  }
  // From which states s the blank behind may be left out: labels that differ from the next, s = 1,
  // 3, … of an interleaved y, the last label excepted.
  Value canSkip(Value y) const {
    Value next = g.reverse(shifted(g.reverse(y, {0}), 2), {0});
    Value isLabel = g.equal(g.mod(place, all(integer(2))), all(integer(1)));
    Value last = g.sub(g.count(y, {0}, call.elementType(DType::Int64)), integer(2));
    return g.and_(g.and_(isLabel, below(last)), g.notEqual(y, next));
  }

  // (reachable states, log probabilities) one frame on; see K::ctc_update_log_p.
  std::pair<Value, Value> step(Value skip, Value zeros, Value active, Value logP,
                               Value previous) const {
    Value nothing = call.like(previous, 0.0);
    Value isActive = below(active);
    Value skips = g.and_(skip, isActive);
    // One more than before, or two behind the last state that is skipped from.
    Value furthest = g.reduceMax(g.select(skips, place, all(integer(-1))), {0});
    Value count = g.count(place, {0}, call.elementType(DType::Int64));
    Value reached =
        g.minimum(g.maximum(g.add(active, integer(1)), g.add(furthest, integer(3))), count);

    Value lowest = call.like(previous, -std::numeric_limits<double>::infinity());
    Value most = g.reduceMax(g.select(isActive, previous, lowest), {0});
    most = call.builder.create<ir::StopGradientOp>(g.location(), most);
    Value scaled = g.select(isActive, g.sub(previous, all(most)), lowest);
    Value p = g.exp(scaled);
    Value q = g.add(p, shifted(p, 1));
    q = g.add(q, shifted(g.select(skips, p, nothing), 2));
    Value isReached = below(reached);
    Value safe = g.select(isReached, q, g.oneLike(q));
    Value next = g.select(isReached, g.add(g.add(logP, g.log(safe)), all(most)), zeros);
    return {reached, next};
  }

private:
  Call &call;
  ir::GraphMath &g;
};

struct Paths {
  Value logP, active; // (time, states), (time,)
};

// All steps, from log probabilities 0 with one reachable state.
Paths walk(Call &call, const States &states, Value emissions, Value skip) {
  Value zeros = call.g.splat(0.0, ir::getTensorType(states.shape, ir::getElementType(emissions)));
  Loop loop(call, call.function, ir::getShape(emissions)[0], /*reverse=*/false);
  Value active = loop.addState(ir::getTensorType({}, call.elementType(DType::Int64)));
  Value logP = loop.addState(zeros.getType());
  Value emission = loop.addElement(emissions);
  auto [reached, next] = states.step(skip, zeros, active, emission, logP);
  loop.end();
  Loop::Results results = loop.finish({states.integer(1), zeros}, {reached, next}, {next, reached});
  return {results.stacks[0], results.stacks[1]};
}

// log_probs and mask of an interleaved y.
std::pair<Value, Value> pathProbabilities(Call &call, Value predict, Value y, double alpha) {
  ir::GraphMath &g = call.g;
  ir::Shape shape = ir::getShape(predict);
  mlir::Type integer = call.elementType(DType::Int64), type = ir::getElementType(predict);
  States states(call, ir::getShape(y)[0]);
  // -1 is the last class.
  Value classes = g.count(predict, {1}, integer);
  Value last = states.all(g.sub(classes, states.integer(1)));
  Value minusOne = call.like(y, -1.0);
  Value index = g.select(g.equal(y, minusOne), last, y);
  Value picked = g.transpose(g.gather(g.transpose(predict, {1, 0}), index), {1, 0});
  Value share = g.div(g.scalar(alpha, type), g.count(y, {0}, type));
  Value smoothed =
      g.add(g.scale(picked, 1.0 - alpha), g.broadcastScalar(share, ir::getShape(picked)));
  Value emissions = g.log(smoothed);

  // Back to front in both axes, the backward recursion is the forward one.
  Paths forward = walk(call, states, emissions, states.canSkip(y));
  Paths backward =
      walk(call, states, g.reverse(emissions, {0, 1}), states.canSkip(g.reverse(y, {0})));
  ir::Shape both = ir::getShape(emissions);
  Value place = g.broadcast(states.place, both, {1});
  auto isActive = [&](const Paths &paths) {
    return g.less(place, g.broadcast(paths.active, both, {0}));
  };
  Value mask = g.and_(isActive(forward), g.reverse(isActive(backward), {0, 1}));
  Value logP = g.sub(g.add(forward.logP, g.reverse(backward.logP, {0, 1})), emissions);
  return {logP, mask};
}

} // namespace

// A vector of integers as int64.
static Value integers(Call &call, const Operand &operand, const std::string &name) {
  Value x = call.value(operand);
  if (call.rank(x) != 1 || ir::dtypeOf(ir::getElementType(x)) == KERATIN_DTYPE_BOOL ||
      llvm::isa<mlir::FloatType>(ir::getElementType(x)))
    call.valueError(name + " is " + dtypeName(call.dtypeOf(x)) + " of shape " + describe(x) +
                    "; needed a vector of integers");
  return call.cast(x, DType::Int64);
}

static Value probabilities(Call &call, const Operand &operand) {
  Value x = call.floating(operand);
  if (call.rank(x) != 2)
    call.valueError("predict has shape " + describe(x) + "; needed (time, classes)");
  return widened(call, x);
}

namespace keratin::backend {

Tensor ctc_interleave_blanks(const Operand &Y, SourceLocation location) {
  Call call("ctc_interleave_blanks", location);
  DType dtype = call.dtypeOf(call.value(Y));
  return call.tensor(call.cast(interleaved(call, integers(call, Y, "Y")), dtype));
}

std::pair<Tensor, Tensor> ctc_update_log_p(const Operand &skip_idxs, const Operand &zeros,
                                           const Operand &active, const Operand &log_p_curr,
                                           const Operand &log_p_prev, SourceLocation location) {
  Call call("ctc_update_log_p", location);
  ir::GraphMath &g = call.g;
  Value previous = call.floating(log_p_prev);
  if (call.rank(previous) != 1)
    call.valueError("log_p_prev has shape " + describe(previous) + "; needed a vector");
  auto alike = [&](const Operand &operand, const std::string &name) {
    Value x = call.value(operand, call.dtypeOf(previous));
    return call.requireShape(x, ir::getShape(previous), name + " and log_p_prev");
  };
  Value none = alike(zeros, "zeros"), current = alike(log_p_curr, "log_p_curr");
  Value reachable = call.cast(call.value(active), DType::Int64);
  if (call.rank(reachable) != 0)
    call.valueError("active has shape " + describe(reachable) + "; needed a scalar");
  // The places as marks; a place outside the states is an error of the call.
  Value places = integers(call, skip_idxs, "skip_idxs");
  States states(call, ir::getShape(previous)[0]);
  Value marks = g.scatterAdd(places, g.oneLike(places), states.shape);
  Value skip = g.greater(marks, g.zeroLike(marks));
  auto [reached, next] = states.step(skip, none, reachable, current, previous);
  return {call.tensor(call.cast(reached, DType::Int32)), call.tensor(next)};
}

std::pair<Tensor, Tensor> ctc_path_probs(const Operand &predict, const Operand &Y, double alpha,
                                         SourceLocation location) {
  Call call("ctc_path_probs", location);
  Value p = probabilities(call, predict);
  auto [logP, mask] = pathProbabilities(call, p, integers(call, Y, "Y"), alpha);
  return {call.tensor(logP), call.tensor(mask)};
}

Tensor ctc_cost(const Operand &predict, const Operand &Y, SourceLocation location) {
  Call call("ctc_cost", location);
  ir::GraphMath &g = call.g;
  Value p = probabilities(call, predict);
  auto [logP, mask] = pathProbabilities(call, p, interleaved(call, integers(call, Y, "Y")), 1e-4);
  Value lowest = call.like(logP, -std::numeric_limits<double>::infinity());
  return call.tensor(g.neg(logSumExp(call, g.select(mask, logP, lowest), {0, 1})));
}

} // namespace keratin::backend
