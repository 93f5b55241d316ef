// LSTM and GRU.
#include "keratin/layers/recurrence.h"

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

Recurrent::Recurrent(const char *kind, size_t states, int64_t inputs, int64_t units,
                     const RecurrentOptions &options, SourceLocation location)
    : Layer(kind, options.name), options(options), stateCount(states), inputs(inputs),
      units(units) {
  checkSize("inputs", inputs, location);
  checkSize("units", units, location);
}

void Recurrent::addProducts(int64_t gates, SourceLocation location) {
  std::optional<int64_t> next = options.seed;
  if (next)
    ++*next;
  // A gate is a layer of its own: that is what the initial values are scaled for.
  kernel = add("kernel", {inputs, gates * units}, options.kernel_initializer,
               {.inputs = inputs, .outputs = units, .seed = options.seed}, location);
  recurrent = add("recurrent_kernel", {units, gates * units}, options.recurrent_initializer,
                  {.inputs = units, .outputs = units, .seed = next}, location);
}

Tensor Recurrent::gate(const Tensor &z, int64_t i) const {
  return z[{K::All, K::Slice(i * units, (i + 1) * units)}];
}

RecurrentResult Recurrent::run(const Tensor &x, const RecurrentCall &call,
                               SourceLocation location) const {
  checkRank("x", x, 3, /*isExact=*/true, location);
  checkAxis("x", x, -1, inputs, location);
  const K::name_scope inside(scope());
  std::vector<Tensor> states = call.initial_state.list();
  if (states.empty())
    states.assign(stateCount, K::zeros({K::shape(x, location)[0], units}, x.dtype(), "", location));
  if (states.size() != stateCount)
    valueError("initial_state has " + std::to_string(states.size()) + " tensors; needed " +
                   std::to_string(stateCount),
               location);
  auto steps = [&](const Tensor &now, const std::vector<Tensor> &all) { return step(now, all); };
  RecurrentResult result;
  std::tie(result.last, result.all, result.states) = K::rnn(
      steps, x, states, options.go_backwards, call.mask, {}, false, None, false, false, location);
  return result;
}

Tensor Recurrent::operator()(const Tensor &x, const RecurrentCall &call,
                             SourceLocation location) const {
  RecurrentResult result = run(x, call, location);
  return options.return_sequences ? result.all : result.last;
}

LSTM::LSTM(int64_t inputs, int64_t units, const RecurrentOptions &options, SourceLocation location)
    : Recurrent("LSTM", 2, inputs, units, options, location) {
  addProducts(4, location);
  Array start = Array::zeros(DType::Float64, {4 * units});
  if (options.unit_forget_bias)
    std::fill_n(start.data<double>() + units, units, 1.0);
  bias = add("bias", {4 * units}, start, {}, location);
}

RnnStepResult LSTM::step(const Tensor &x, const std::vector<Tensor> &states) const {
  Tensor z = K::bias_add(K::dot(x, kernel) + K::dot(states[0], recurrent), bias);
  auto open = [&](int64_t i) { return options.recurrent_activation(gate(z, i)); };
  Tensor cell = open(1) * states[1] + open(0) * options.activation(gate(z, 2));
  Tensor output = open(3) * options.activation(cell);
  return {output, {output, cell}};
}

GRU::GRU(int64_t inputs, int64_t units, const RecurrentOptions &options, SourceLocation location)
    : Recurrent("GRU", 1, inputs, units, options, location) {
  addProducts(3, location);
  bias = add("bias", {3 * units}, 0.0, {}, location);
  recurrentBias = add("recurrent_bias", {3 * units}, 0.0, {}, location);
}

RnnStepResult GRU::step(const Tensor &x, const std::vector<Tensor> &states) const {
  const Tensor &h = states[0];
  Tensor a = K::bias_add(K::dot(x, kernel), bias);
  Tensor b = K::bias_add(K::dot(h, recurrent), recurrentBias);
  Tensor keep = options.recurrent_activation(gate(a, 0) + gate(b, 0));
  Tensor reset = options.recurrent_activation(gate(a, 1) + gate(b, 1));
  Tensor fresh = options.activation(gate(a, 2) + reset * gate(b, 2));
  Tensor output = keep * h + (1.0 - keep) * fresh;
  return {output, {output}};
}
