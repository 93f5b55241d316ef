#include "tests/limits/Growth.h"

#include "keratin/backend.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <unistd.h>

namespace K = keratin::backend;
using keratin::Array;
using keratin::DType;
using keratin::None;
using keratin::Tensor;
using namespace keratin::tests;

namespace {

Array filled(float value, std::vector<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return Array(std::vector<float>(size_t(count), value), std::move(dims));
}

const keratin::Shape eight{8};
const Array ones = filled(1.0f, {8});

// Compiles and calls a function of x, all ones; the first element of its last output.
double result(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
              const std::vector<Array> &values, const std::vector<keratin::Update> &updates = {}) {
  keratin::Function f = K::function(inputs, outputs, updates);
  std::vector<Array> results = f(values);
  return results.back().item<double>(0);
}

Tensor derivative(const Tensor &y, const Tensor &x, int64_t order) {
  Tensor d = y;
  for (int64_t i = 0; i < order; ++i)
    d = K::gradients(K::sum(d), {x})[0].value();
  return d;
}

//===-- Many of one thing ---------------------------------------------------------------------===//

void outputsOfChain(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < n; ++i)
    outputs.push_back(y = K::tanh(y));
  result({x}, outputs, {ones});
}

void outputsApart(int64_t n) {
  Tensor x = K::placeholder(eight);
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < n; ++i)
    outputs.push_back(K::tanh(x * double(i + 1)));
  result({x}, outputs, {ones});
}

void sums(int64_t n) {
  Tensor x = K::placeholder(eight);
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < n; ++i)
    outputs.push_back(K::sum(x * double(i + 1)));
  result({x}, outputs, {ones});
}

void inputs(int64_t n) {
  std::vector<Tensor> xs;
  for (int64_t i = 0; i < n; ++i)
    xs.push_back(K::placeholder(eight));
  Tensor y = xs[0];
  for (int64_t i = 1; i < n; ++i)
    y = y + xs[size_t(i)];
  result(xs, {y}, std::vector<Array>(size_t(n), ones));
}

void variables(int64_t n) {
  Tensor x = K::placeholder(eight);
  std::vector<keratin::Update> updates;
  Tensor y = x;
  std::vector<Tensor> held;
  for (int64_t i = 0; i < n; ++i) {
    Tensor w = K::variable(ones);
    y = y + w;
    updates.push_back(K::update_add(w, x * double(i)));
    held.push_back(w);
  }
  result({x}, {K::sum(y)}, {ones}, updates);
}

// As an optimiser writes it.
void trainedVariables(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  std::vector<Tensor> weights;
  for (int64_t i = 0; i < n; ++i) {
    weights.push_back(K::variable(ones));
    y = K::tanh(y * weights.back());
  }
  std::vector<keratin::Update> updates;
  auto gradients = K::gradients(K::sum(y), weights);
  for (int64_t i = 0; i < n; ++i)
    updates.push_back(K::update_sub(weights[size_t(i)], 0.1 * *gradients[size_t(i)]));
  result({x}, {K::sum(y)}, {ones}, updates);
}

void operands(int64_t n) {
  Tensor x = K::placeholder(eight);
  std::vector<keratin::Operand> parts;
  for (int64_t i = 0; i < n; ++i)
    parts.push_back(x * double(i));
  result({x}, {K::concatenate(parts)}, {ones});
}

void operandsOfGradient(int64_t n) {
  Tensor x = K::placeholder(eight);
  std::vector<keratin::Operand> parts;
  for (int64_t i = 0; i < n; ++i)
    parts.push_back(x * double(i));
  Tensor y = K::sum(K::square(K::concatenate(parts)));
  result({x}, {y, *K::gradients(y, {x})[0]}, {ones});
}

void stacked(int64_t n) {
  Tensor x = K::placeholder(eight);
  std::vector<keratin::Operand> parts;
  for (int64_t i = 0; i < n; ++i)
    parts.push_back(K::tanh(x + double(i)));
  result({x}, {K::stack(parts, 1)}, {ones});
}

void unknownSizes(int64_t n) {
  std::vector<Tensor> xs;
  std::vector<keratin::Operand> parts;
  for (int64_t i = 0; i < n; ++i) {
    xs.push_back(K::placeholder({None}));
    parts.push_back(xs.back());
  }
  result(xs, {K::concatenate(parts)}, std::vector<Array>(size_t(n), ones));
}

void unknownSizesOfGradient(int64_t n) {
  std::vector<Tensor> xs;
  std::vector<keratin::Operand> parts;
  for (int64_t i = 0; i < n; ++i) {
    xs.push_back(K::placeholder({None}));
    parts.push_back(xs.back());
  }
  Tensor y = K::sum(K::square(K::concatenate(parts)));
  std::vector<Tensor> outputs{y};
  for (auto &gradient : K::gradients(y, xs))
    outputs.push_back(*gradient);
  result(xs, outputs, std::vector<Array>(size_t(n), ones));
}

// Each of its own unknown size, with work on each.
void unknownSizesApart(int64_t n) {
  std::vector<Tensor> xs, outputs;
  for (int64_t i = 0; i < n; ++i) {
    xs.push_back(K::placeholder({None}));
    outputs.push_back(K::sum(K::tanh(xs.back())));
  }
  result(xs, outputs, std::vector<Array>(size_t(n), ones));
}

void functions(int64_t n) {
  std::vector<keratin::Function> kept;
  for (int64_t i = 0; i < n; ++i) {
    Tensor x = K::placeholder(eight);
    kept.push_back(K::function({x}, {x * double(i)}));
    if (kept.back()({ones})[0].item<double>(0) != double(i))
      throw keratin::RuntimeError("a wrong value");
  }
}

void values(int64_t n) {
  Tensor x = K::variable(ones);
  for (int64_t i = 0; i < n; ++i)
    (x * double(i)).eval();
}

//===-- Long chains ---------------------------------------------------------------------------===//

using Step = Tensor (*)(const Tensor &y, const Tensor &x, int64_t i);

Tensor elementwise(const Tensor &y, const Tensor &x, int64_t i) {
  return i % 2 ? K::tanh(y) : y + x;
}
Tensor transcendental(const Tensor &y, const Tensor &, int64_t i) {
  switch (i % 5) {
  case 0:
    return K::sin(y);
  case 1:
    return K::sigmoid(y);
  case 2:
    return K::exp(0.1 * y);
  case 3:
    return K::softplus(y);
  default:
    return K::pow(K::abs(y) + 0.1, 1.5);
  }
}
Tensor broadcasts(const Tensor &y, const Tensor &x, int64_t i) {
  return i % 2 ? K::tanh(y + K::mean(y)) : y * x;
}
Tensor concatenations(const Tensor &y, const Tensor &, int64_t) {
  return K::tanh(K::concatenate(
      {keratin::Operand(K::slice(y, {4}, {4})), keratin::Operand(K::slice(y, {0}, {4}))}));
}
Tensor slices(const Tensor &y, const Tensor &x, int64_t i) {
  Tensor part = K::slice(y, {2}, {4});
  return i % 2 ? K::concatenate({keratin::Operand(part), keratin::Operand(part)}) : y + x;
}
Tensor reshapes(const Tensor &y, const Tensor &, int64_t) {
  return K::tanh(K::reshape(K::transpose(K::reshape(y, {2, 4})), {8}));
}
Tensor reductions(const Tensor &y, const Tensor &x, int64_t) { return x * K::sum(K::tanh(y)); }
Tensor softmaxes(const Tensor &y, const Tensor &, int64_t) {
  return K::flatten(K::softmax(K::reshape(y, {1, 8})));
}
Tensor products(const Tensor &y, const Tensor &x, int64_t) {
  return K::tanh(K::flatten(K::dot(K::reshape(y, {1, 8}), K::reshape(K::tile(x, {8}), {8, 8}))));
}
Tensor selections(const Tensor &y, const Tensor &x, int64_t i) {
  return K::switch_(K::greater(y, 0.5), y * 0.9, x + double(i));
}
Tensor maxima(const Tensor &y, const Tensor &x, int64_t i) {
  return K::maximum(K::clip(y, -1.0, 1.0), x * (0.001 * double(i)));
}
Tensor branches(const Tensor &y, const Tensor &x, int64_t) {
  return K::switch_(K::greater(K::sum(y), 0.5), [&] { return K::tanh(y); }, [&] { return y + x; });
}
Tensor cumulative(const Tensor &y, const Tensor &, int64_t i) {
  return i % 2 ? K::cumsum(y * 0.1) : K::tanh(y);
}

template <Step step, bool gradient> void chain(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  for (int64_t i = 0; i < n; ++i)
    y = step(y, x, i);
  std::vector<Tensor> outputs{y};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(y), {x})[0]);
  result({x}, outputs, {ones});
}

// The size is not known.
template <Step step, bool gradient> void unknownChain(int64_t n) {
  Tensor x = K::placeholder({None}), y = x;
  for (int64_t i = 0; i < n; ++i)
    y = step(y, x, i);
  std::vector<Tensor> outputs{y};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(y), {x})[0]);
  result({x}, outputs, {ones});
}

void layers(int64_t n) {
  Tensor x = K::placeholder({None, 8}), y = x;
  std::vector<Tensor> weights;
  for (int64_t i = 0; i < n; ++i) {
    weights.push_back(K::variable(filled(0.1f, {8, 8})));
    weights.push_back(K::variable(filled(0.1f, {8})));
    y = K::relu(K::bias_add(K::dot(y, weights[weights.size() - 2]), weights.back()));
  }
  Tensor loss = K::mean(K::square(y));
  std::vector<keratin::Update> updates;
  auto gradients = K::gradients(loss, weights);
  for (size_t i = 0; i < weights.size(); ++i)
    updates.push_back(K::update_sub(weights[i], 0.1 * *gradients[i]));
  result({x}, {loss}, {filled(1.0f, {2, 8})}, updates);
}

// All that is computed is needed again at the end: as many buffers live at once as there are ops.
void buffers(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  std::vector<Tensor> kept;
  for (int64_t i = 0; i < n; ++i)
    kept.push_back(y = K::cumsum(y * 0.1));
  for (int64_t i = n; i-- > 0;)
    y = K::cumsum(y * kept[size_t(i)]);
  result({x}, {y}, {ones});
}

// The same, of many different sizes.
void differentBuffers(int64_t n) {
  Tensor x = K::placeholder(keratin::Shape{n + 8});
  Tensor s = K::sum(x);
  std::vector<Tensor> kept;
  for (int64_t i = 0; i < n; ++i) {
    kept.push_back(K::cumsum(K::slice(x, {0}, {i + 1}) * s));
    s = K::sum(kept.back());
  }
  for (int64_t i = n; i-- > 0;)
    s = K::sum(K::cumsum(kept[size_t(i)] * s));
  result({x}, {s}, {filled(1e-3f, {n + 8})});
}

//===-- Higher orders -------------------------------------------------------------------------===//

template <Step step> void order(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  for (int64_t i = 0; i < 10; ++i)
    y = step(y, x, i);
  result({x}, {derivative(y, x, n)}, {filled(0.3f, {8})});
}
Tensor tanhOnly(const Tensor &y, const Tensor &, int64_t) { return K::tanh(y); }
Tensor sigmoidOnly(const Tensor &y, const Tensor &, int64_t) { return K::sigmoid(y); }
Tensor expOnly(const Tensor &y, const Tensor &, int64_t) { return K::exp(0.1 * y); }
Tensor powOnly(const Tensor &y, const Tensor &, int64_t) { return K::pow(y, 1.1); }

void orderOfSoftmax(int64_t n) {
  Tensor x = K::placeholder({2, 8});
  Tensor y = K::softmax(x);
  result({x}, {derivative(K::square(y), x, n)}, {filled(0.3f, {2, 8})});
}

//===-- Loops and branches --------------------------------------------------------------------===//

void simpleRnn(int64_t n) {
  Tensor x = K::placeholder({2, n, 4}), w = K::variable(filled(0.1f, {4, 4})),
         u = K::variable(filled(0.1f, {4, 4}));
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor next = K::tanh(K::dot(input, w) + K::dot(h, u));
    return std::pair<Tensor, Tensor>(next, next);
  };
  auto [last, all, states] = K::rnn(step, x, {K::zeros({2, 4})}, false, None, {}, /*unroll=*/true);
  result({x}, {last}, {filled(0.1f, {2, n, 4})});
}

template <bool gradient> void lstm(int64_t n) {
  Tensor x = K::placeholder({2, n, 4}), w = K::variable(filled(0.1f, {4, 16})),
         u = K::variable(filled(0.1f, {4, 16}));
  auto step = [&](const Tensor &input, const Tensor &h, const Tensor &c) {
    Tensor z = K::dot(input, w) + K::dot(h, u);
    auto part = [&](int64_t i) { return K::slice(z, {0, 4 * i}, {-1, 4}); };
    Tensor next = K::sigmoid(part(0)) * c + K::sigmoid(part(1)) * K::tanh(part(2));
    Tensor out = K::sigmoid(part(3)) * K::tanh(next);
    return keratin::RnnStepResult(out, {out, next});
  };
  auto [last, all, states] =
      K::rnn(step, x, {K::zeros({2, 4}), K::zeros({2, 4})}, false, None, {}, /*unroll=*/true);
  std::vector<Tensor> outputs{last};
  if (gradient)
    for (auto &g : K::gradients(K::sum(last), {w, u}))
      outputs.push_back(*g);
  result({x}, outputs, {filled(0.1f, {2, n, 4})});
}

void maskedRnn(int64_t n) {
  Tensor x = K::placeholder({2, n, 4}), mask = K::placeholder({2, n}),
         u = K::variable(filled(0.1f, {4, 4}));
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor next = K::tanh(input + K::dot(h, u));
    return std::pair<Tensor, Tensor>(next, next);
  };
  auto [last, all, states] = K::rnn(step, x, {K::zeros({2, 4})}, false, mask, {}, /*unroll=*/true);
  result({x, mask}, {last, *K::gradients(K::sum(last), {u})[0]},
         {filled(0.1f, {2, n, 4}), filled(1.0f, {2, n})});
}

// Loops one after the other.
template <bool gradient> void loops(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  for (int64_t i = 0; i < n; ++i)
    y = x *
        K::foldl([&](const Tensor &a, const Tensor &e) { return K::tanh(a + e); }, y, K::sum(y));
  for (int64_t i = 0; i < n; ++i)
    y = K::map_fn([&](const Tensor &e) { return K::tanh(e + double(i)); }, y + x);
  std::vector<Tensor> outputs{y};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(y), {x})[0]);
  result({x}, outputs, {ones});
}

Tensor nestedFold(const Tensor &x, int64_t depth) {
  if (depth == 0)
    return K::tanh(K::sum(x));
  return K::foldl(
      [&](const Tensor &a, const Tensor &e) { return a + nestedFold(x * e, depth - 1); },
      K::slice(x, {0}, {2}), K::sum(x));
}
template <bool gradient> void nestedLoops(int64_t n) {
  Tensor x = K::placeholder(eight);
  Tensor y = nestedFold(x, n);
  std::vector<Tensor> outputs{y};
  if (gradient)
    outputs.push_back(*K::gradients(y, {x})[0]);
  K::function({x}, outputs);
}

Tensor nestedSwitch(const Tensor &x, int64_t depth) {
  if (depth == 0)
    return K::tanh(x);
  return K::switch_(
      K::greater(K::sum(x), double(depth)), [&] { return nestedSwitch(K::sin(x), depth - 1); },
      [&] { return x * double(depth); });
}
template <bool gradient> void nestedBranches(int64_t n) {
  Tensor x = K::placeholder(eight);
  Tensor y = nestedSwitch(x, n);
  std::vector<Tensor> outputs{y};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(y), {x})[0]);
  result({x}, outputs, {ones});
}

// A step of many ops, states and captures.
template <bool gradient> void longStep(int64_t n) {
  Tensor x = K::placeholder({5, 8});
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor y = h + input;
    for (int64_t i = 0; i < n; ++i)
      y = i % 2 ? K::tanh(y) : K::cumsum(y) + input;
    return std::pair<Tensor, Tensor>(y, y);
  };
  auto [last, all, states] = K::rnn(step, K::reshape(x, {1, 5, 8}), {K::zeros({1, 8})});
  std::vector<Tensor> outputs{last};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(last), {x})[0]);
  result({x}, outputs, {filled(0.1f, {5, 8})});
}

template <bool gradient> void manyStates(int64_t n) {
  Tensor x = K::placeholder({1, 5, 8});
  std::vector<Tensor> init;
  for (int64_t i = 0; i < n; ++i)
    init.push_back(K::reshape(K::slice(x, {0, 0, 0}, {1, 1, -1}), {1, 8}) * double(i));
  auto step = [&](const Tensor &input, const std::vector<Tensor> &states) {
    std::vector<Tensor> next;
    Tensor sum = input;
    for (const Tensor &state : states) {
      next.push_back(K::tanh(state + sum));
      sum = sum + next.back();
    }
    return keratin::RnnStepResult(sum, next);
  };
  auto [last, all, states] = K::rnn(step, x, init);
  std::vector<Tensor> outputs{last};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(last), {x})[0]);
  result({x}, outputs, {filled(0.1f, {1, 5, 8})});
}

//===-- Files ---------------------------------------------------------------------------------===//

template <Step step, bool gradient> void saved(int64_t n) {
  Tensor x = K::placeholder(eight), y = x;
  for (int64_t i = 0; i < n; ++i)
    y = step(y, x, i);
  std::vector<Tensor> outputs{y};
  if (gradient)
    outputs.push_back(*K::gradients(K::sum(y), {x})[0]);
  std::string path = "growth." + std::to_string(getpid()) + ".ktg";
  K::save_function(K::function({x}, outputs, {}, "f"), path);
  K::load_function(path)({ones});
  std::remove(path.c_str());
}

} // namespace

const std::vector<GrowingGraph> &keratin::tests::growingGraphs() {
  static const std::vector<GrowingGraph> all = {
      {"outputs-of-chain", 10'000, outputsOfChain},
      {"outputs-apart", 10'000, outputsApart},
      {"sums", 4'000, sums},
      {"inputs", 10'000, inputs},
      {"variables", 10'000, variables},
      {"trained-variables", 3'000, trainedVariables},
      {"operands", 6'000, operands},
      {"operands-gradient", 3'000, operandsOfGradient},
      {"stacked", 5'000, stacked},
      {"unknown-sizes", 1'000, unknownSizes},
      {"unknown-sizes-gradient", 500, unknownSizesOfGradient},
      {"unknown-sizes-apart", 2'000, unknownSizesApart},
      {"functions", 500, functions},
      {"values", 2'000, values},
      {"chain-elementwise", 50'000, chain<elementwise, false>},
      {"chain-elementwise-gradient", 50'000, chain<elementwise, true>},
      {"chain-transcendental-gradient", 1'500, chain<transcendental, true>},
      {"chain-broadcasts-gradient", 2'500, chain<broadcasts, true>},
      {"chain-concatenations-gradient", 2'000, chain<concatenations, true>},
      {"chain-slices-gradient", 5'000, chain<slices, true>},
      {"chain-reshapes-gradient", 2'000, chain<reshapes, true>},
      {"chain-reductions-gradient", 2'500, chain<reductions, true>},
      {"chain-softmaxes-gradient", 1'000, chain<softmaxes, true>},
      {"chain-products-gradient", 1'000, chain<products, true>},
      {"chain-selections-gradient", 2'500, chain<selections, true>},
      {"chain-maxima-gradient", 1'000, chain<maxima, true>},
      {"chain-branches", 2'000, chain<branches, false>},
      {"chain-branches-gradient", 1'000, chain<branches, true>},
      {"chain-cumulative-gradient", 2'500, chain<cumulative, true>},
      {"unknown-chain-elementwise-gradient", 50'000, unknownChain<elementwise, true>},
      {"unknown-chain-broadcasts-gradient", 2'500, unknownChain<broadcasts, true>},
      {"unknown-chain-cumulative-gradient", 1'000, unknownChain<cumulative, true>},
      {"unknown-chain-reductions-gradient", 2'000, unknownChain<reductions, true>},
      {"layers", 300, layers},
      {"buffers", 6'000, buffers},
      {"buffers-different", 500, differentBuffers},
      {"order-tanh", 12, order<tanhOnly>},
      {"order-sigmoid", 12, order<sigmoidOnly>},
      {"order-exp", 12, order<expOnly>},
      {"order-pow", 5, order<powOnly>},
      {"order-softmax", 7, orderOfSoftmax},
      {"rnn", 2'000, simpleRnn},
      {"lstm", 1'000, lstm<false>},
      {"lstm-gradient", 300, lstm<true>},
      {"rnn-masked-gradient", 400, maskedRnn},
      {"loops", 100, loops<false>},
      {"loops-gradient", 50, loops<true>},
      {"nested-loops", 10, nestedLoops<false>},
      {"nested-loops-gradient", 4, nestedLoops<true>},
      {"nested-branches", 20, nestedBranches<false>},
      {"nested-branches-gradient", 12, nestedBranches<true>},
      {"long-step", 1'000, longStep<false>},
      {"long-step-gradient", 300, longStep<true>},
      {"many-states", 200, manyStates<false>},
      {"many-states-gradient", 50, manyStates<true>},
      {"saved-chain", 20'000, saved<elementwise, false>},
      {"saved-gradient", 4'000, saved<elementwise, true>},
  };
  return all;
}
