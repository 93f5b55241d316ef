// K function: the loss of connectionist temporal classification, for batches.
#include "keratin/ctc.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Reductions.h"
#include "frontend/graph/Loop.h"

#include <limits>

using namespace keratin;
using namespace keratin::frontend;

// The logarithm of 0. Finite, so that no difference of two is NaN; adding to it changes nothing
// that counts.
static constexpr double kLogZero = -1e30;

// A length for each sample, not above `most`.
static Value lengthsOf(Call &call, const Operand &operand, const DimExpr &samples,
                       const DimExpr &most, const std::string &name, const std::string &limit) {
  Value x = call.cast(call.value(operand), DType::Int64);
  if (call.rank(x) == 2)
    x = call.g.reshape(call.requireShape(x, {samples, DimExpr(1)}, name + " and y_pred"),
                       {samples});
  else if (call.rank(x) != 1)
    call.valueError(name + " has shape " + describe(x) + "; needed (samples, 1)");
  x = call.requireShape(x, {samples}, name + " and y_pred");
  return call.inRange(x, DimExpr(0), call.check(ir::add(most, DimExpr(1))),
                      "an entry of " + name + " is outside [0, " + limit + "]");
}

namespace {

// The values that all steps share. Shapes are (samples, states): a state for each label and for the
// blanks between and around them.
class Alignment {
public:
  // `classCount` is `classes` as a scalar.
  Alignment(Call &call, Value labels, Value labelLengths, const DimExpr &classes, Value classCount)
      : call(call), g(call.g), lengths(labelLengths), classCount(classCount) {
    ir::Shape shape = ir::getShape(labels);
    DimExpr count = shape[1];
    shape[1] = call.check(ir::add(call.check(ir::mul(count, 2)), DimExpr(1)));
    states = ir::getTensorType(shape, call.elementType(DType::Int64));
    place = g.iota(states, 1);
    isLabel = g.equal(g.mod(place, number(2)), number(1));

    // Entries behind the length may be anything. Shifted by one, so that they can be 0 and what is
    // no label the number of classes.
    Value position = g.iota(ir::getTensorType(labels), 1), zero = g.zeroLike(labels);
    Value one = g.oneLike(labels);
    Value isGiven = g.less(position, g.broadcast(lengths, ir::getShape(labels), {0}));
    Value most = g.broadcastScalar(classCount, ir::getShape(labels));
    Value next = g.select(g.less(labels, zero), most, g.add(labels, one));
    next = call.inRange(g.select(isGiven, next, zero), DimExpr(0), classes,
                        "a label of y_true is outside [0, classes - 2]");
    Value label = g.maximum(g.sub(next, one), zero);

    Value spread = g.pad(label, {DimExpr(0), DimExpr(1)}, {0, 1}, shape);
    Value blank = g.sub(g.broadcastScalar(classCount, shape), number(1));
    classOf = g.select(isLabel, spread, blank);
    // A blank between two labels may be left out if they differ.
    canSkip = g.and_(isLabel, g.notEqual(classOf, shifted(classOf, 2)));
  }

  // Rows of `table`, (samples * classes, time), for each state: (time, samples, states).
  Value emissions(Value table) const {
    Value first = g.mul(g.iota(states, 0), g.broadcastScalar(classCount, shape()));
    return g.transpose(g.gather(table, g.add(first, classOf)), {2, 0, 1});
  }

  // Log probabilities before the first frame: at the blank in front of all labels.
  Value start(Value like) const {
    return g.select(g.equal(place, number(0)), g.broadcastScalar(zeroOf(like), shape()),
                    logZero(like));
  }

  // One frame on: a state is reached from itself, from the one before, or over a blank.
  Value step(Value logP, Value emission) const {
    Value none = logZero(logP);
    Value before = g.select(g.less(place, number(1)), none, shifted(logP, 1));
    Value skipping =
        g.select(canSkip, g.select(g.less(place, number(2)), none, shifted(logP, 2)), none);
    Value most = g.maximum(g.maximum(logP, before), skipping);
    most = call.builder.create<ir::StopGradientOp>(g.location(), most);
    Value sum = g.add(g.add(g.exp(g.sub(logP, most)), g.exp(g.sub(before, most))),
                      g.exp(g.sub(skipping, most)));
    return g.add(emission, g.add(most, g.log(sum)));
  }

  // Of each sample, the log probability of being behind the last label or the blank after it.
  Value finish(Value logP) const {
    Value last = g.mul(g.broadcast(lengths, shape(), {0}), number(2));
    Value isLast = g.or_(g.equal(place, last), g.equal(place, g.sub(last, number(1))));
    return logSumExp(call, g.select(isLast, logP, logZero(logP)), {1});
  }

  ir::Shape shape() const { return ir::getShape(states); }

private:
  Value number(int64_t value) const {
    return g.broadcastScalar(g.integerScalar(value, states.getElementType()), shape());
  }
  Value zeroOf(Value like) const { return g.scalar(0.0, ir::getElementType(like)); }
  Value logZero(Value like) const {
    return g.broadcastScalar(g.scalar(kLogZero, ir::getElementType(like)), shape());
  }
  // Element i - by at i, 0 where there is none.
  Value shifted(Value x, int64_t by) const {
    ir::Shape longer = shape();
    longer[1] = call.check(ir::add(longer[1], DimExpr(by)));
    Value padded = g.pad(x, {DimExpr(0), DimExpr(by)}, {0, 0}, longer);
    return g.slice(padded, {DimExpr(0), DimExpr(0)}, shape(), {1, 1});
  }

  Call &call;
  ir::GraphMath &g;
  Value lengths, classCount;
  mlir::RankedTensorType states;
  Value place, isLabel, classOf, canSkip;
};

} // namespace

namespace keratin::backend {

Tensor ctc_batch_cost(const Operand &y_true, const Operand &y_pred, const Operand &input_length,
                      const Operand &label_length, SourceLocation location) {
  Call call("ctc_batch_cost", location);
  ir::GraphMath &g = call.g;
  Value y = call.floating(y_pred);
  DType dtype = call.dtypeOf(y);
  y = widened(call, y);
  Value labels = call.cast(call.value(y_true), DType::Int64);
  if (call.rank(y) != 3)
    call.valueError("y_pred has shape " + describe(y) + "; needed (samples, time, classes)");
  if (call.rank(labels) != 2)
    call.valueError("y_true has shape " + describe(labels) + "; needed (samples, labels)");
  ir::Shape shape = ir::getShape(y);
  DimExpr samples = shape[0], time = shape[1], classes = shape[2];
  call.requireAtLeast(classes, DimExpr(1), "needed a class, the blank");
  labels = call.requireShape(labels, {samples, ir::getShape(labels)[1]}, "y_true and y_pred");
  Value frames = lengthsOf(call, input_length, samples, time, "input_length", "time");
  Value labelLengths =
      lengthsOf(call, label_length, samples, ir::getShape(labels)[1], "label_length", "labels");

  // log(y + epsilon), normalised, as a row over time for each sample and class.
  Value p = g.add(y, call.like(y, Configuration::epsilon()));
  Value logP = g.sub(g.log(p), spread(call, g.log(g.reduceSum(p, {2})), p, {2}));
  Value table =
      g.reshape(g.transpose(logP, {0, 2, 1}), {call.check(ir::mul(samples, classes)), time});

  Alignment alignment(call, labels, labelLengths, classes,
                      g.count(y, {2}, call.elementType(DType::Int64)));
  Value emissions = alignment.emissions(table);
  Loop loop(call, "ctc_batch_cost", time, /*reverse=*/false);
  Value state = loop.addState(ir::getTensorType(alignment.shape(), ir::getElementType(y)));
  Value emission = loop.addElement(emissions);
  Value isFrame = g.less(g.broadcastScalar(loop.stepNumber(), {samples}), frames);
  Value next = g.select(g.broadcast(isFrame, alignment.shape(), {0}),
                        alignment.step(state, emission), state);
  loop.end();
  Value last = loop.finish({alignment.start(y)}, {next}, {}).lastStates.front();

  Value likelihood = alignment.finish(last);
  Value impossible = g.less(likelihood, call.like(likelihood, kLogZero / 2));
  Value infinity = call.like(likelihood, std::numeric_limits<double>::infinity());
  Value cost = g.select(impossible, infinity, g.neg(likelihood));
  return call.tensor(g.reshape(call.cast(cost, dtype), {samples, DimExpr(1)}));
}

} // namespace keratin::backend
