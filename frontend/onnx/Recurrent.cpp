// RNN, LSTM and GRU of ONNX.
#include "frontend/onnx/ModelNode.h"
#include "keratin/control.h"
#include "keratin/creation.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/shapes.h"

#include <functional>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

using Function = std::function<Tensor(const Tensor &)>;

Function activation(ModelNode &node, const std::string &name, double alpha, double beta) {
  const SourceLocation at = node.place;
  const std::string word = llvm::StringRef(name).lower();
  auto number = [at](double value) { return Operand(value, at); };
  if (word == "sigmoid")
    return [at](const Tensor &x) { return K::sigmoid(x, at); };
  if (word == "tanh")
    return [at](const Tensor &x) { return K::tanh(x, at); };
  if (word == "relu")
    return [at](const Tensor &x) { return K::relu(x, 0, None, 0, at); };
  if (word == "leakyrelu")
    return [at, alpha](const Tensor &x) { return K::relu(x, alpha, None, 0, at); };
  if (word == "thresholdedrelu")
    return [at, alpha](const Tensor &x) { return K::relu(x, 0, None, alpha, at); };
  if (word == "affine")
    return [=](const Tensor &x) { return x * number(alpha) + number(beta); };
  if (word == "scaledtanh")
    return [=](const Tensor &x) { return K::tanh(x * number(beta), at) * number(alpha); };
  if (word == "hardsigmoid")
    return [=](const Tensor &x) { return K::clip(x * number(alpha) + number(beta), 0, 1, at); };
  if (word == "elu")
    return [=](const Tensor &x) { return K::elu(x, alpha, at); };
  if (word == "softsign")
    return [at](const Tensor &x) { return K::softsign(x, at); };
  if (word == "softplus")
    return [at](const Tensor &x) { return K::softplus(x, at); };
  node.notImplemented("the activation " + name);
}

// What the three have in common.
struct Cell {
  ModelNode &node;
  const SourceLocation at;
  size_t gates;
  Tensor x; // (time, batch, input)
  int64_t hidden = 0;
  Operand lengths = None;
  bool batchFirst = false, isReverse = false;
  size_t count = 1, each = 1; // directions, and functions of one
  std::vector<std::string> names;
  std::vector<double> alphas, betas;

  Cell(ModelNode &node, size_t gates, std::vector<std::string> defaults)
      : node(node), at(node.place), gates(gates), x(node.input(0)) {
    batchFirst = node.integer("layout", 0);
    if (x.ndim() != 3)
      node.fail("has x of rank " + std::to_string(x.ndim()) + "; needed 3");
    if (batchFirst)
      x = K::permute_dimensions(x, {1, 0, 2}, at);
    const std::optional<int64_t> size = node.input(2).ndim() == 3 ? node.input(2).shape()[2] : None;
    if (!size)
      node.notImplemented("recurrent weights whose sizes only a call knows");
    hidden = *size;
    if (node.has(4))
      lengths = node.input(4);
    const std::string direction = node.text("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      node.fail("has direction '" + direction + "'");
    count = direction == "bidirectional" ? 2 : 1;
    isReverse = direction == "reverse";
    names = node.texts("activations");
    if (names.empty())
      for (size_t i = 0; i < count; ++i)
        names.insert(names.end(), defaults.begin(), defaults.end());
    if (names.size() != count * defaults.size())
      node.fail("has " + std::to_string(names.size()) + " activations; needed " +
                std::to_string(count * defaults.size()));
    each = defaults.size();
    alphas = node.numbers("activation_alpha");
    betas = node.numbers("activation_beta");
  }

  // The weights of a direction, its leading axis gone.
  Tensor part(size_t input, size_t direction) const {
    return node.input(input)[IndexList(int64_t(direction), at)];
  }

  // The functions of a direction.
  std::vector<Function> functions(size_t direction) const {
    std::vector<Function> result;
    size_t alpha = 0, beta = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string word = llvm::StringRef(names[i]).lower();
      // Only those that have them take numbers from the lists.
      struct Defaults {
        const char *name;
        std::optional<double> alpha, beta;
      };
      static const Defaults table[] = {{"leakyrelu", 0.01, None}, {"thresholdedrelu", 1.0, None},
                                       {"scaledtanh", 1.0, 1.0},  {"hardsigmoid", 0.2, 0.5},
                                       {"elu", 1.0, None},        {"affine", 1.0, 0.0}};
      double a = 0, b = 0;
      for (const Defaults &entry : table)
        if (word == entry.name) {
          if (entry.alpha)
            a = alpha < alphas.size() ? alphas[alpha++] : *entry.alpha;
          if (entry.beta)
            b = beta < betas.size() ? betas[beta++] : *entry.beta;
        }
      if (i / each == direction)
        result.push_back(activation(node, names[i], a, b));
    }
    return result;
  }

  Tensor clipped(const Tensor &x) const {
    if (!node.hasAttribute("clip"))
      return x;
    const double most = node.number("clip", 0);
    return K::clip(x, -most, most, at);
  }

  Tensor gate(const Tensor &all, size_t number) const {
    const int64_t from = int64_t(number) * hidden;
    std::vector<IndexList::Item> items{Ellipsis, Slice(from, from + hidden)};
    return all[IndexList(std::move(items), at)];
  }

  // x W' + Wb of all steps at once.
  Tensor projected(size_t direction) const {
    Tensor y = K::dot(x, K::transpose(part(1, direction), at), at);
    if (node.has(3))
      y = y + halfOf(part(3, direction), 0);
    return y;
  }
  // The first or the second half of the biases.
  Tensor halfOf(const Tensor &biases, size_t half) const {
    const int64_t size = int64_t(gates) * hidden, from = int64_t(half) * size;
    return biases[IndexList({Slice(from, from + size)}, at)];
  }
  std::optional<Tensor> recurrentBias(size_t direction) const {
    if (!node.has(3))
      return None;
    return halfOf(part(3, direction), 1);
  }

  Tensor initial(size_t input, size_t direction) const {
    if (node.has(input)) {
      Tensor all = node.input(input);
      if (batchFirst)
        all = K::permute_dimensions(all, {1, 0, 2}, at);
      return all[IndexList(int64_t(direction), at)];
    }
    Call call("load_onnx", at);
    const Value value = call.value(x);
    return call.tensor(call.g.splat(
        0, ir::getTensorType({ir::getShape(value)[1], hidden}, ir::getElementType(value))));
  }

  using Step = std::function<RnnStepResult(size_t, const Tensor &, const std::vector<Tensor> &)>;
  // Y (time, directions, batch, hidden), and the last states of all directions.
  Values run(size_t states, const Step &step) const {
    std::vector<Operand> all;
    std::vector<std::vector<Operand>> last(states);
    for (size_t direction = 0; direction < count; ++direction) {
      std::vector<Tensor> first;
      for (size_t i = 0; i < states; ++i)
        first.push_back(initial(5 + i, direction));
      const bool backwards = isReverse || direction == 1;
      auto [ignored, outputs, ends] =
          K::rnn(RnnStep([&](const Tensor &input, const std::vector<Tensor> &before) {
                   return step(direction, input, before);
                 }),
                 projected(direction), first, backwards, None, {}, false, lengths, true, true, at);
      // Backwards they are stacked in the order of the steps.
      if (backwards)
        outputs = K::reverse(outputs, 0, at);
      all.push_back(outputs);
      for (size_t i = 0; i < states; ++i)
        last[i].push_back(ends[i]);
    }
    Tensor y = K::stack(all, 1, at);
    if (batchFirst)
      y = K::permute_dimensions(y, {2, 0, 1, 3}, at);
    Values values = one(y);
    for (const std::vector<Operand> &states : last) {
      Tensor stacked = K::stack(states, batchFirst ? 1 : 0, at);
      values.emplace_back(stacked);
    }
    return values;
  }
};

Values rnn(ModelNode &node) {
  const Cell cell(node, 1, {"Tanh"});
  return cell.run(1, [&](size_t direction, const Tensor &input, const std::vector<Tensor> &states) {
    const std::vector<Function> f = cell.functions(direction);
    Tensor sum = input + K::dot(states[0], K::transpose(cell.part(2, direction), cell.at), cell.at);
    if (auto bias = cell.recurrentBias(direction))
      sum = sum + *bias;
    Tensor h = f[0](cell.clipped(sum));
    return RnnStepResult(h, {h});
  });
}

// Gates: input, output, forget, cell.
Values lstm(ModelNode &node) {
  const Cell cell(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  const bool isCoupled = node.integer("input_forget", 0);
  return cell.run(2, [&](size_t direction, const Tensor &input, const std::vector<Tensor> &states) {
    const std::vector<Function> f = cell.functions(direction);
    const Tensor &h = states[0], &c = states[1];
    Tensor sums = input + K::dot(h, K::transpose(cell.part(2, direction), cell.at), cell.at);
    if (auto bias = cell.recurrentBias(direction))
      sums = sums + *bias;
    // Peepholes: of input, output, forget.
    auto peep = [&](const Tensor &sum, size_t number, const Tensor &state) {
      if (!node.has(7))
        return sum;
      return sum + cell.gate(cell.part(7, direction), number) * state;
    };
    const Tensor i = f[0](cell.clipped(peep(cell.gate(sums, 0), 0, c)));
    const Tensor forget =
        isCoupled ? Operand(1.0, cell.at) - i : f[0](cell.clipped(peep(cell.gate(sums, 2), 2, c)));
    const Tensor next = forget * c + i * f[1](cell.clipped(cell.gate(sums, 3)));
    const Tensor o = f[0](cell.clipped(peep(cell.gate(sums, 1), 1, next)));
    const Tensor output = o * f[2](next);
    return RnnStepResult(output, {output, next});
  });
}

// Gates: update, reset, hidden.
Values gru(ModelNode &node) {
  const Cell cell(node, 3, {"Sigmoid", "Tanh"});
  const bool resetsAfter = node.integer("linear_before_reset", 0);
  return cell.run(1, [&](size_t direction, const Tensor &input, const std::vector<Tensor> &states) {
    const std::vector<Function> f = cell.functions(direction);
    const Tensor &h = states[0];
    const Tensor weights = K::transpose(cell.part(2, direction), cell.at);
    const std::optional<Tensor> bias = cell.recurrentBias(direction);
    auto recurrent = [&](const Tensor &state, size_t gate) {
      Tensor sum = K::dot(state, cell.gate(weights, gate), cell.at);
      return bias ? sum + cell.gate(*bias, gate) : sum;
    };
    const Tensor z = f[0](cell.clipped(cell.gate(input, 0) + recurrent(h, 0)));
    const Tensor r = f[0](cell.clipped(cell.gate(input, 1) + recurrent(h, 1)));
    const Tensor inner = resetsAfter ? r * recurrent(h, 2) : recurrent(r * h, 2);
    const Tensor candidate = f[1](cell.clipped(cell.gate(input, 2) + inner));
    const Tensor next = (Operand(1.0, cell.at) - z) * candidate + z * h;
    return RnnStepResult(next, {next});
  });
}

const OpRecord recurrentRecords[] = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::recurrentOps() { return recurrentRecords; }
