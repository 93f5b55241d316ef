// Recurrent layers, and the cells that RNN runs.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/control.h"
#include "keratin/creation.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"

#include <functional>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

using States = std::vector<Tensor>;

struct Cell {
  std::vector<int64_t> sizes; // of its states
  std::function<RnnStepResult(const Tensor &x, const States &states)> step;
};

// The weights of a cell, whose gates lie side by side.
struct Products {
  const KerasLayer &layer;
  const Tensor kernel, recurrent;
  const int64_t units;

  Products(const KerasLayer &layer, int64_t gates)
      : layer(layer), kernel(layer.weight("kernel", 2)),
        recurrent(layer.weight("recurrent_kernel", 2)), units(*recurrent.shape()[0]) {
    if (kernel.shape()[1] != gates * units || recurrent.shape()[1] != gates * units)
      layer.fail("has a kernel of shape " + toString(kernel.shape()) +
                 " and a recurrent_kernel of shape " + toString(recurrent.shape()) + "; needed " +
                 std::to_string(gates * units) + " columns");
  }

  Tensor gate(const Tensor &z, int64_t i) const {
    return z[IndexList({Ellipsis, Slice(i * units, (i + 1) * units)}, layer.place)];
  }
  Tensor biased(const Tensor &x, const Tensor &bias) const {
    return K::bias_add(x, bias, "channels_last", layer.place);
  }
  Operand times(const Tensor &x, const Tensor &w) const {
    return layer.at(K::dot(x, w, layer.place));
  }
};

Cell simpleCell(const KerasLayer &layer) {
  const Products w(layer, 1);
  return {{w.units}, [w](const Tensor &x, const States &states) -> RnnStepResult {
            Tensor h = K::dot(x, w.kernel, w.layer.place);
            if (w.layer.has("bias"))
              h = w.biased(h, w.layer.weight("bias", 1));
            const Tensor y = activated(w.layer, w.times(states[0], w.recurrent) + h);
            return {y, {y}};
          }};
}

Cell lstmCell(const KerasLayer &layer) {
  const Products w(layer, 4);
  return {{w.units, w.units}, [w](const Tensor &x, const States &states) -> RnnStepResult {
            Tensor z = w.times(x, w.kernel) + w.times(states[0], w.recurrent);
            if (w.layer.has("bias"))
              z = w.biased(z, w.layer.weight("bias", 1));
            auto open = [&](int64_t i) {
              return w.layer.at(activated(w.layer, w.gate(z, i), "recurrent_activation"));
            };
            const Tensor c =
                open(1) * states[1] + w.layer.at(open(0) * activated(w.layer, w.gate(z, 2)));
            const Tensor h = open(3) * activated(w.layer, c);
            return {h, {h, c}};
          }};
}

Cell gruCell(const KerasLayer &layer) {
  const Products w(layer, 3);
  const bool resetsAfter = layer.flag("reset_after");
  // With reset_after a second row is for the product with the state.
  std::vector<Tensor> biases;
  if (layer.has("bias")) {
    const Tensor all = layer.weight("bias", resetsAfter ? 2 : 1);
    if (resetsAfter)
      for (const int64_t row : {0, 1})
        biases.push_back(all[IndexList(row, layer.place)]);
    else
      biases.push_back(all);
  }
  return {{w.units}, [=](const Tensor &x, const States &states) -> RnnStepResult {
            const Operand h = w.layer.at(states[0]);
            auto opened = [&](const Tensor &z) {
              return w.layer.at(activated(w.layer, z, "recurrent_activation"));
            };
            Tensor a = K::dot(x, w.kernel, w.layer.place);
            if (!biases.empty())
              a = w.biased(a, biases[0]);
            auto input = [&](int64_t i) { return w.layer.at(w.gate(a, i)); };
            Tensor fresh;
            Operand keep = None;
            if (resetsAfter) {
              Tensor b = K::dot(h, w.recurrent, w.layer.place);
              if (!biases.empty())
                b = w.biased(b, biases[1]);
              keep = opened(input(0) + w.gate(b, 0));
              const Operand reset = opened(input(1) + w.gate(b, 1));
              fresh = input(2) + reset * w.gate(b, 2);
            } else {
              const Tensor b = K::dot(h, w.gate(w.recurrent, 0), w.layer.place),
                           c = K::dot(h, w.gate(w.recurrent, 1), w.layer.place);
              keep = opened(input(0) + b);
              const Operand reset = opened(input(1) + c);
              fresh = input(2) + w.times(reset * h, w.gate(w.recurrent, 2));
            }
            fresh = activated(w.layer, fresh);
            const Tensor y =
                w.layer.at(keep * h) + w.layer.at((w.layer.at(1) - keep) * w.layer.at(fresh));
            return {y, {y}};
          }};
}

Cell cellOf(const KerasLayer &layer);

// Each takes what the one before it gives; their states lie one after the other.
Cell stackedCells(const KerasLayer &layer) {
  std::vector<Cell> cells;
  Cell all;
  for (const auto &inner : layer.inner) {
    cells.push_back(cellOf(*inner));
    all.sizes.insert(all.sizes.end(), cells.back().sizes.begin(), cells.back().sizes.end());
  }
  all.step = [cells](Tensor x, const States &states) -> RnnStepResult {
    States next;
    for (const Cell &cell : cells) {
      const auto first = states.begin() + int64_t(next.size());
      const RnnStepResult result = cell.step(x, {first, first + int64_t(cell.sizes.size())});
      x = result.output;
      next.insert(next.end(), result.states.begin(), result.states.end());
    }
    return {x, next};
  };
  return all;
}

Cell innerCell(const KerasLayer &layer) { return cellOf(*layer.inner.front()); }

struct CellRecord {
  const char *layer;
  Cell (*make)(const KerasLayer &layer);
};
const CellRecord cells[] = {
    {"GRU", gruCell},
    {"GRUCell", gruCell},
    {"LSTM", lstmCell},
    {"LSTMCell", lstmCell},
    {"RNN", innerCell},
    {"SimpleRNN", simpleCell},
    {"SimpleRNNCell", simpleCell},
    {"StackedRNNCells", stackedCells},
};

Cell cellOf(const KerasLayer &layer) {
  for (const CellRecord &cell : cells)
    if (cell.layer == std::string(layer.record().name))
      return cell.make(layer);
  layer.fail("is no cell of a recurrent layer");
}

LayerValues recurrent(const KerasLayer &layer, const LayerCall &call) {
  for (const char *refused : {"stateful", "time_major"})
    if (layer.flag(refused))
      layer.notImplemented(std::string("a layer that is ") + refused);
  if (layer.integer("num_constants", 0))
    layer.notImplemented("constants of a recurrent layer");
  const Cell cell = cellOf(layer);
  if (call.inputs.empty())
    layer.fail("is called without inputs");
  const auto &[x, mask] = call.inputs.front();
  if (x.ndim() != 3)
    layer.fail("has an input of rank " + std::to_string(x.ndim()) + "; needed 3");
  States states;
  for (size_t i = 1; i < call.inputs.size(); ++i)
    states.push_back(call.inputs[i].tensor);
  if (states.empty())
    for (const int64_t size : cell.sizes)
      states.push_back(K::zeros({sizeOf(layer, x, 0), size}, x.dtype(), "", layer.place));
  if (states.size() != cell.sizes.size())
    layer.fail("has " + std::to_string(states.size()) + " initial states; needed " +
               std::to_string(cell.sizes.size()));
  const auto [last, all, ends] = K::rnn(
      RnnStep([&](const Tensor &now, const States &before) { return cell.step(now, before); }), x,
      states, layer.flag("go_backwards"), mask ? Operand(*mask) : None, {}, false, None, false,
      layer.flag("zero_output_for_mask"), layer.place);
  const bool isSequence = layer.flag("return_sequences");
  LayerValues results{{isSequence ? all : last, isSequence ? mask : std::nullopt}};
  if (layer.flag("return_state"))
    for (const Tensor &state : ends)
      results.push_back({state});
  return results;
}

LayerValues cellAlone(const KerasLayer &layer, const LayerCall &) {
  layer.notImplemented("a cell outside of a recurrent layer");
}

void addCell(KerasLayer &layer) { layer.addInner("cell"); }

void addCells(KerasLayer &layer) {
  const Json *cells = layer.find("cells");
  if (!cells || !cells->is_array() || cells->empty())
    layer.fail("has no cells");
  for (const Json &cell : *cells)
    layer.addInner(cell);
}

const WeightRecord weights[] = {{"kernel"}, {"recurrent_kernel"}, {"bias", "use_bias"}};

const LayerRecord records[] = {
    {"GRU", recurrent, weights},           {"GRUCell", cellAlone, weights},
    {"LSTM", recurrent, weights},          {"LSTMCell", cellAlone, weights},
    {"RNN", recurrent, {}, addCell},       {"SimpleRNN", recurrent, weights},
    {"SimpleRNNCell", cellAlone, weights}, {"StackedRNNCells", cellAlone, {}, addCells},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::recurrentLayers() { return records; }
