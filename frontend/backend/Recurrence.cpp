// K::rnn.
#include "keratin/control.h"

#include "frontend/backend/TrainingPhase.h"
#include "frontend/graph/Loop.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// What one step makes of its input and states.
struct Step {
  Value output;
  std::vector<Value> states;
};

struct Options {
  bool goBackwards, unroll, timeMajor, zeroOutput;
};

// One call of K::rnn. Time comes first inside.
class Recurrence {
public:
  Recurrence(Call &call, const RnnStep &function, const Operand &inputs,
             const std::vector<Tensor> &initialStates, const std::vector<Tensor> &constants,
             const Options &options)
      : call(call), function(function), constants(constants), options(options) {
    x = timeFirst(call.value(inputs), "inputs", 3);
    for (const Tensor &state : initialStates)
      first.push_back(call.value(state));
    size_t count = first.size() + constants.size();
    if (function.stateCount() && *function.stateCount() != count)
      call.valueError("the step function takes " + std::to_string(*function.stateCount()) +
                      " states and constants; found " + std::to_string(count));
  }

  void setMask(const Operand &operand);
  void setLength(const Operand &operand);
  bool isMasked() const { return mask || lengths; }
  std::tuple<Tensor, Tensor, std::vector<Tensor>> run() {
    Results results = options.unroll ? unrolled() : looped();
    return finish(std::move(results));
  }

private:
  struct Results {
    Value last; // null: that of the outputs
    Value outputs;
    std::vector<Value> states;
  };

  DimExpr time() const { return ir::getShape(x)[0]; }
  DimExpr samples() const { return ir::getShape(x)[1]; }

  Value timeFirst(Value value, const std::string &what, int64_t minimalRank);
  Value exchanged(Value value);
  Value element(Value sequence, int64_t place);
  Step step(Value input, const std::vector<Value> &states);
  Value maskFor(Value keep, Value target);
  void applyMask(Step &step, Value keep, const std::vector<Value> &before, Value previous);
  Results looped();
  Results unrolled();
  std::tuple<Tensor, Tensor, std::vector<Tensor>> finish(Results results);

  Call &call;
  const RnnStep &function;
  const std::vector<Tensor> &constants;
  const Options options;
  Value x;
  std::vector<Value> first;
  Value mask;    // bool, time and samples first
  Value lengths; // int64, one for each sample
};

} // namespace

//===-- Arguments -----------------------------------------------------------------------------===//

// Axes 0 and 1 in each other's place.
Value Recurrence::exchanged(Value value) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, call.rank(value)));
  std::swap(axes[0], axes[1]);
  return call.g.transpose(value, axes);
}

Value Recurrence::timeFirst(Value value, const std::string &what, int64_t minimalRank) {
  if (call.rank(value) < minimalRank)
    call.valueError(what + " has rank " + std::to_string(call.rank(value)) + "; needed " +
                    std::to_string(minimalRank) + " or more, with " +
                    (options.timeMajor ? "time and samples" : "samples and time") + " first");
  return options.timeMajor ? value : exchanged(value);
}

void Recurrence::setMask(const Operand &operand) {
  if (operand.isNone())
    return;
  mask = call.cast(timeFirst(call.value(operand), "mask", 2), DType::Bool);
  ir::Shape shape = ir::getShape(mask);
  shape[0] = time();
  shape[1] = samples();
  mask = call.requireShape(mask, shape, "time and samples of inputs and mask");
}

// Lengths are a mask; a number says something only where the time is not known.
void Recurrence::setLength(const Operand &operand) {
  if (operand.isNone())
    return;
  if (operand.isNumber()) {
    if (options.unroll && !time().isConstant()) {
      ir::Shape shape = ir::getShape(x);
      const double length = operand.number();
      if (!(length >= 0 && length < 0x1p53) || length != std::floor(length))
        call.valueError("input_length is " + toString(operand.array()) +
                        "; needed a whole number, 0 or more");
      shape[0] = DimExpr(int64_t(length));
      x = call.requireShape(x, shape, "the time of inputs and input_length");
    }
    return;
  }
  Value value = call.value(operand);
  if (call.rank(value) == 0)
    return;
  if (call.rank(value) != 1 || !isInteger(call.dtypeOf(value)))
    call.valueError("input_length has shape " + describe(value) + " and dtype " +
                    dtypeName(call.dtypeOf(value)) +
                    "; needed a number or an integer for each sample");
  if (!mask)
    lengths = call.requireShape(call.cast(value, DType::Int64), {samples()},
                                "the samples of inputs and input_length");
}

//===-- Steps ---------------------------------------------------------------------------------===//

Step Recurrence::step(Value input, const std::vector<Value> &states) {
  std::vector<Tensor> arguments;
  for (Value state : states)
    arguments.push_back(tensorOf(state));
  arguments.insert(arguments.end(), constants.begin(), constants.end());
  Tensor element = tensorOf(input);
  RnnStepResult result = call.runUserCode([&] { return function(element, arguments); });
  if (result.states.size() != states.size())
    call.valueError("the step function returned " + std::to_string(result.states.size()) +
                    " states; needed one for each of the initial states, " +
                    std::to_string(states.size()));
  Step made{call.value(result.output), {}};
  if (call.rank(made.output) == 0)
    call.valueError("the output of the step function is a scalar; needed the samples first");
  for (auto [i, state] : llvm::enumerate(result.states))
    made.states.push_back(nextState(call, call.value(state), states[i],
                                    "state " + std::to_string(i) + " of the step function"));
  return made;
}

// `keep` holds a bool for each sample, perhaps with axes of size 1 behind: repeated to the shape of
// what it masks.
Value Recurrence::maskFor(Value keep, Value target) {
  ir::Shape from = ir::getShape(keep), to = ir::getShape(target);
  while (from.size() > to.size() && from.back() == DimExpr(1))
    from.pop_back();
  bool fits = from.size() <= to.size();
  from.resize(to.size(), DimExpr(1));
  for (size_t i = 0; fits && i < to.size(); ++i)
    fits =
        from[i] == DimExpr(1) || !from[i].isConstant() || !to[i].isConstant() || from[i] == to[i];
  if (!fits)
    call.valueError("a mask of shape " + describe(keep) + " in each step cannot mask shape " +
                    describe(target));
  return call.broadcastTo(call.g.reshape(keep, from), to);
}

// `previous` is null where masked outputs are zeros.
void Recurrence::applyMask(Step &step, Value keep, const std::vector<Value> &before,
                           Value previous) {
  ir::GraphMath &g = call.g;
  step.output = g.select(maskFor(keep, step.output), step.output,
                         previous ? previous : g.zeroLike(step.output));
  for (auto [i, state] : llvm::enumerate(step.states))
    state = g.select(maskFor(keep, state), state, before[i]);
}

Recurrence::Results Recurrence::looped() {
  Loop loop(call, "the step function of rnn", time(), options.goBackwards);
  std::vector<Value> before;
  for (Value state : first)
    before.push_back(loop.addState(state.getType()));
  Step made = step(loop.addElement(x), before);
  Value output = made.output, previous;
  if (isMasked()) {
    // Lengths need no sequence: the step's number is the place in the inputs.
    Value keep = mask
                     ? loop.addElement(mask)
                     : call.g.less(call.g.broadcastScalar(loop.stepNumber(), {samples()}), lengths);
    if (!options.zeroOutput)
      previous = loop.addState(output.getType());
    applyMask(made, keep, before, previous);
  }
  loop.end();

  std::vector<Value> next = made.states, init = first;
  if (previous) {
    next.push_back(made.output);
    init.push_back(call.g.zeroLike(output));
  }
  Loop::Results results = loop.finish(init, next, {made.output});
  Results found{{}, results.stacks.front(), {}};
  found.states.assign(results.lastStates.begin(), results.lastStates.begin() + long(first.size()));
  // What is a state anyway is not looked up in the stack, which may then not be needed.
  for (auto [value, last] : llvm::zip(next, results.lastStates))
    if (value == made.output)
      found.last = last;
  if (options.goBackwards)
    found.outputs = call.g.reverse(found.outputs, {0});
  return found;
}

// An element along axis 0.
Value Recurrence::element(Value sequence, int64_t place) {
  ir::Shape shape = ir::getShape(sequence), starts(shape.size(), DimExpr(0));
  starts[0] = DimExpr(place);
  shape[0] = DimExpr(1);
  Value box = call.g.slice(sequence, starts, shape, std::vector<int64_t>(shape.size(), 1));
  shape.erase(shape.begin());
  return call.g.reshape(box, shape);
}

Recurrence::Results Recurrence::unrolled() {
  if (!time().isConstant() || time().constantValue() == 0)
    call.valueError("unroll with time " + describe(ir::Shape{time()}) +
                    "; needed a known number of steps, 1 or more");
  int64_t count = time().constantValue();
  std::vector<Value> states = first, outputs;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = options.goBackwards ? count - 1 - i : i;
    Step made = step(element(x, place), states);
    if (i > 0)
      made.output = nextState(call, made.output, outputs.front(), "the output");
    if (isMasked()) {
      Value keep =
          mask ? element(mask, place) : call.g.less(call.like(lengths, double(place)), lengths);
      Value previous;
      if (!options.zeroOutput)
        previous = outputs.empty() ? call.g.zeroLike(made.output) : outputs.back();
      applyMask(made, keep, states, previous);
    }
    states = std::move(made.states);
    outputs.push_back(made.output);
  }
  Value last = outputs.back();
  ir::Shape row = ir::getShape(last);
  row.insert(row.begin(), DimExpr(1));
  for (Value &output : outputs)
    output = call.g.reshape(output, row);
  return {last, call.g.concatenate(outputs, 0), states};
}

//===-- Results -------------------------------------------------------------------------------===//

std::tuple<Tensor, Tensor, std::vector<Tensor>> Recurrence::finish(Results results) {
  std::vector<Tensor> states;
  for (Value state : results.states)
    states.push_back(call.tensor(state));
  ir::Shape shape = ir::getShape(results.outputs);
  shape[1] = samples();
  Value stacked = call.requireShape(results.outputs, shape, "the samples of inputs and outputs");
  Tensor outputs = call.tensor(options.timeMajor ? stacked : exchanged(stacked));

  ir::Shape row(shape.begin() + 1, shape.end());
  if (results.last) {
    results.last = call.requireShape(results.last, row, "the samples of inputs and outputs");
  } else {
    // The only result that does not exist without steps.
    call.requireAtLeast(time(), DimExpr(1), "the last output needs a step");
    stacked = call.required(stacked);
    ir::Shape starts(shape.size(), DimExpr(0)), box = shape;
    starts[0] = call.check(ir::sub(time(), DimExpr(1)));
    box[0] = DimExpr(1);
    results.last = call.g.reshape(
        call.g.slice(stacked, starts, box, std::vector<int64_t>(shape.size(), 1)), row);
  }
  Tensor last = call.tensor(results.last);
  last.setUsesLearningPhase(dependsOnLearningPhase(results.last));
  return {last, outputs, states};
}

namespace keratin::backend {

std::tuple<Tensor, Tensor, std::vector<Tensor>>
rnn(const RnnStep &step_function, const Operand &inputs, const TensorList &initial_states,
    bool go_backwards, const Operand &mask, const TensorList &constants, bool unroll,
    const Operand &input_length, bool time_major, bool zero_output_for_mask,
    SourceLocation location) {
  Call call("rnn", location);
  Recurrence recurrence(call, step_function, inputs, initial_states.list(), constants.list(),
                        {go_backwards, unroll, time_major, zero_output_for_mask});
  recurrence.setMask(mask);
  recurrence.setLength(input_length);
  if (recurrence.isMasked() && initial_states.list().empty())
    call.valueError("a mask without states; needed an initial state");
  return recurrence.run();
}

} // namespace keratin::backend
