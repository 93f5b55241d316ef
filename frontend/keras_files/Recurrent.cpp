// Recurrent layers, and the cells that RNN runs.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/control.h"
#include "keratin/creation.h"
#include "keratin/elementwise.h"
#include "keratin/graph.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/shapes.h"
#include "keratin/variables.h"
#include "keratin/windows.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

using States = std::vector<Tensor>;

struct Cell {
  size_t states; // how many it has
  // What they are at first, for a layer's input.
  std::function<States(const Tensor &x)> begin;
  std::function<RnnStepResult(const Tensor &x, const States &states)> step;
  int64_t rank = 3; // of a layer's input
};

// The weights of a cell, whose gates lie side by side.
struct Products {
  const KerasLayer &layer;
  // cuDNN's layers have weights of another order, and say nothing of their activations.
  const bool isCudnn;
  Tensor kernel, recurrent;
  const int64_t units, columns;

  Products(const KerasLayer &layer, int64_t gates, int64_t rank = 2)
      : layer(layer), isCudnn(llvm::StringRef(layer.record().name).starts_with("CuDNN")),
        kernel(layer.weight("kernel", rank)), recurrent(layer.weight("recurrent_kernel", rank)),
        units(*recurrent.shape()[size_t(rank) - 2]), columns(gates * units) {
    if (kernel.shape().back() != columns || recurrent.shape().back() != columns)
      layer.fail("has a kernel of shape " + toString(kernel.shape()) +
                 " and a recurrent_kernel of shape " + toString(recurrent.shape()) + "; needed " +
                 std::to_string(columns) + " columns");
    if (isCudnn)
      for (Tensor *weights : {&kernel, &recurrent})
        *weights = transposedGates(*weights, gates);
  }

  // Of weights, and of what is made with them.
  Tensor gate(const Tensor &z, int64_t i) const {
    const Slice part(i * units, (i + 1) * units);
    return z[isChannelsFirst(layer) ? IndexList({All, part}, layer.place)
                                    : IndexList({Ellipsis, part}, layer.place)];
  }
  // Of one row, or of one for the inputs and one for the states; none where there is no bias.
  std::vector<Tensor> biases(int64_t rows) const {
    if (!layer.has("bias"))
      return {};
    Tensor all = layer.weight("bias", isCudnn ? 1 : rows);
    if (isCudnn) { // one row behind the other
      if (all.shape()[0] != 2 * columns)
        layer.fail("has a bias of " + std::to_string(*all.shape()[0]) + " numbers; needed " +
                   std::to_string(2 * columns));
      all = K::reshape(all, {2, columns}, layer.place);
    }
    if (all.ndim() == 1)
      return {all};
    return {all[IndexList(0, layer.place)], all[IndexList(1, layer.place)]};
  }
  Tensor biased(const Tensor &x, const Tensor &bias) const {
    return K::bias_add(x, bias, formatOf(layer), layer.place);
  }
  Tensor active(const Tensor &x) const {
    return activated(layer, x, "activation", isCudnn ? "tanh" : "linear");
  }
  Operand opened(const Tensor &x) const {
    return layer.at(activated(layer, x, "recurrent_activation", isCudnn ? "sigmoid" : "linear"));
  }
  // Vectors, so many.
  std::function<States(const Tensor &)> zeros(size_t count) const {
    return [&layer = layer, units = units, count](const Tensor &x) {
      const Size samples = K::shape(x, layer.place)[IndexList(0, layer.place)];
      return States(count, K::zeros({samples, units}, x.dtype(), "", layer.place));
    };
  }
  Operand times(const Tensor &x, const Tensor &w) const {
    return layer.at(K::dot(x, w, layer.place));
  }

private:
  // Each gate's matrix is turned around, row-major.
  Tensor transposedGates(const Tensor &weights, int64_t gates) const {
    std::vector<Operand> plain;
    for (int64_t i = 0; i < gates; ++i)
      plain.emplace_back(
          K::transpose(K::reshape(gate(weights, i), {units, -1}, layer.place), layer.place));
    return K::concatenate(plain, -1, layer.place);
  }
};

Cell simpleCell(const KerasLayer &layer) {
  const Products w(layer, 1);
  const std::vector<Tensor> biases = w.biases(1);
  return {1, w.zeros(1), [=](const Tensor &x, const States &states) -> RnnStepResult {
            Tensor h = K::dot(x, w.kernel, w.layer.place);
            for (const Tensor &bias : biases)
              h = w.biased(h, bias);
            const Tensor y = w.active(w.times(states[0], w.recurrent) + h);
            return {y, {y}};
          }};
}

// What becomes of the sums of the four gates, and of the carry.
RnnStepResult lstmStep(const Products &w, const Tensor &z, const Tensor &carry) {
  auto open = [&](int64_t i) { return w.opened(w.gate(z, i)); };
  const Tensor c = open(1) * carry + w.layer.at(open(0) * w.active(w.gate(z, 2)));
  const Tensor h = open(3) * w.active(c);
  return {h, {h, c}};
}

Cell lstmCell(const KerasLayer &layer) {
  const Products w(layer, 4);
  const std::vector<Tensor> biases = w.biases(1);
  return {2, w.zeros(2), [=](const Tensor &x, const States &states) -> RnnStepResult {
            Tensor z = w.times(x, w.kernel) + w.times(states[0], w.recurrent);
            for (const Tensor &bias : biases)
              z = w.biased(z, bias);
            return lstmStep(w, z, states[1]);
          }};
}

template <size_t rank, Convolution convolve> Cell convolutionCell(const KerasLayer &layer) {
  const Products w(layer, 4, rank + 2);
  const std::vector<Tensor> biases = w.biases(1);
  const Shape strides = spatial(layer, "strides", rank),
              dilations = spatial(layer, "dilation_rate", rank), ones = std::vector(rank, Size(1));
  auto ofInput = [=](const Tensor &x, const Tensor &kernel) {
    return convolve(x, kernel, strides, w.layer.text("padding", "valid"), formatOf(w.layer),
                    dilations, w.layer.place);
  };
  // As large as the images of a convolution.
  auto zeros = [=](const Tensor &x) {
    const Tensor first = x[IndexList({All, 0}, w.layer.place)];
    const IndexList part({Ellipsis, Slice(0, w.units)}, w.layer.place);
    return States(2, K::zeros_like(ofInput(first, w.kernel[part]), x.dtype(), "", w.layer.place));
  };
  return {2, zeros,
          [=](const Tensor &x, const States &states) -> RnnStepResult {
            Tensor z = ofInput(x, w.kernel);
            for (const Tensor &bias : biases)
              z = w.biased(z, bias);
            z = w.layer.at(z) + convolve(states[0], w.recurrent, ones, "same", formatOf(w.layer),
                                         ones, w.layer.place);
            return lstmStep(w, z, states[1]);
          },
          rank + 3};
}

Cell gruCell(const KerasLayer &layer) {
  const Products w(layer, 3);
  const bool resetsAfter = w.isCudnn || layer.flag("reset_after");
  // With reset_after a second row is for the product with the state.
  const std::vector<Tensor> biases = w.biases(resetsAfter ? 2 : 1);
  return {1, w.zeros(1), [=](const Tensor &x, const States &states) -> RnnStepResult {
            const Operand h = w.layer.at(states[0]);
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
              keep = w.opened(input(0) + w.gate(b, 0));
              const Operand reset = w.opened(input(1) + w.gate(b, 1));
              fresh = input(2) + reset * w.gate(b, 2);
            } else {
              const Tensor b = K::dot(h, w.gate(w.recurrent, 0), w.layer.place),
                           c = K::dot(h, w.gate(w.recurrent, 1), w.layer.place);
              keep = w.opened(input(0) + b);
              const Operand reset = w.opened(input(1) + c);
              fresh = input(2) + w.times(reset * h, w.gate(w.recurrent, 2));
            }
            fresh = w.active(fresh);
            const Tensor y =
                w.layer.at(keep * h) + w.layer.at((w.layer.at(1) - keep) * w.layer.at(fresh));
            return {y, {y}};
          }};
}

Cell cellOf(const KerasLayer &layer);

// Each takes what the one before it gives; their states lie one after the other.
Cell stackedCells(const KerasLayer &layer) {
  std::vector<Cell> cells;
  Cell all{};
  for (const auto &inner : layer.inner) {
    cells.push_back(cellOf(*inner));
    if (cells.back().rank != 3)
      layer.notImplemented("convolutions in StackedRNNCells");
    all.states += cells.back().states;
  }
  all.begin = [cells](const Tensor &x) {
    States zeros;
    for (const Cell &cell : cells)
      llvm::append_range(zeros, cell.begin(x));
    return zeros;
  };
  all.step = [cells](Tensor x, const States &states) -> RnnStepResult {
    States next;
    for (const Cell &cell : cells) {
      const auto first = states.begin() + int64_t(next.size());
      const RnnStepResult result = cell.step(x, {first, first + int64_t(cell.states)});
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
    {"ConvLSTM1D", convolutionCell<1, K::conv1d>},
    {"ConvLSTM2D", convolutionCell<2, K::conv2d>},
    {"ConvLSTM2DCell", convolutionCell<2, K::conv2d>},
    {"ConvLSTM3D", convolutionCell<3, K::conv3d>},
    {"ConvRNN2D", innerCell},
    {"CuDNNGRU", gruCell},
    {"CuDNNLSTM", lstmCell},
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

// Variables for what the layer keeps from one call to the next.
States kept(const KerasLayer &layer, const States &zeros) {
  States variables;
  for (const Tensor &state : zeros) {
    std::vector<int64_t> dims;
    for (const std::optional<int64_t> &size : state.shape())
      if (size)
        dims.push_back(*size);
    if (dims.size() != state.shape().size())
      layer.fail("is stateful, and has a state of shape " + toString(state.shape()) +
                 "; needed known sizes, as of batch_input_shape");
    variables.push_back(K::variable(Array::zeros(state.dtype(), dims), state.dtype(),
                                    layer.name() + "/state_" + std::to_string(variables.size()),
                                    nullptr, layer.place));
    variables.back().setTrainable(false);
  }
  return variables;
}

LayerValues recurrent(const KerasLayer &layer, const LayerCall &call) {
  if (layer.flag("time_major"))
    layer.notImplemented("a layer that is time_major");
  if (layer.integer("num_constants", 0))
    layer.notImplemented("constants of a recurrent layer");
  const Cell cell = cellOf(layer);
  if (call.inputs.empty())
    layer.fail("is called without inputs");
  const auto &[x, mask] = call.inputs.front();
  if (x.ndim() != cell.rank)
    layer.fail("has an input of rank " + std::to_string(x.ndim()) + "; needed " +
               std::to_string(cell.rank));
  States states;
  for (size_t i = 1; i < call.inputs.size(); ++i)
    states.push_back(call.inputs[i].tensor);
  const bool isStateful = layer.flag("stateful");
  const States variables = isStateful ? kept(layer, cell.begin(x)) : States();
  if (states.empty())
    states = isStateful ? variables : cell.begin(x);
  if (states.size() != cell.states)
    layer.fail("has " + std::to_string(states.size()) + " initial states; needed " +
               std::to_string(cell.states));
  const auto [last, all, ends] = K::rnn(
      RnnStep([&](const Tensor &now, const States &before) { return cell.step(now, before); }), x,
      states, layer.flag("go_backwards"), mask ? Operand(*mask) : None, {}, false, None, false,
      layer.flag("zero_output_for_mask"), layer.place);
  if (isStateful)
    layer.keep(variables, ends);
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

constexpr WeightRecord bias = {"bias", "use_bias"};
constexpr WeightRecord cudnnBias = {"bias"};
constexpr WeightRecord kernel(const char *shape, bool isWindow = false) {
  return {.name = "kernel", .isWindow = isWindow, .shape = shape};
}
constexpr WeightRecord recurrentKernel(const char *shape, bool isWindow = false) {
  return {.name = "recurrent_kernel", .isWindow = isWindow, .shape = shape};
}
const WeightRecord simpleWeights[] = {kernel(". units"), recurrentKernel("units units"), bias};
constexpr WeightRecord gruWeights[] = {kernel(". 3*units"), recurrentKernel("units 3*units"), bias};
constexpr WeightRecord lstmWeights[] = {kernel(". 4*units"), recurrentKernel("units 4*units"),
                                        bias};
const WeightRecord cudnnGruWeights[] = {gruWeights[0], gruWeights[1], cudnnBias};
const WeightRecord cudnnLstmWeights[] = {lstmWeights[0], lstmWeights[1], cudnnBias};
const char *const windows = "kernel_size . 4*filters";
const char *const stateWindows = "kernel_size filters 4*filters";
const WeightRecord convolutionWeights[] = {kernel(windows), recurrentKernel(stateWindows), bias};
const WeightRecord turnedWeights[] = {kernel(windows, true), recurrentKernel(stateWindows, true),
                                      bias};

const LayerRecord recurrentRecords[] = {
    {"ConvLSTM1D", recurrent, convolutionWeights},
    {"ConvLSTM2D", recurrent, turnedWeights},
    {"ConvLSTM2DCell", cellAlone, convolutionWeights},
    {"ConvLSTM3D", recurrent, convolutionWeights},
    {"ConvRNN2D", recurrent, {}, addCell},
    {"CuDNNGRU", recurrent, cudnnGruWeights},
    {"CuDNNLSTM", recurrent, cudnnLstmWeights},
    {"GRU", recurrent, gruWeights},
    {"GRUCell", cellAlone, gruWeights},
    {"LSTM", recurrent, lstmWeights},
    {"LSTMCell", cellAlone, lstmWeights},
    {"RNN", recurrent, {}, addCell},
    {"SimpleRNN", recurrent, simpleWeights},
    {"SimpleRNNCell", cellAlone, simpleWeights},
    {"StackedRNNCells", cellAlone, {}, addCells},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::recurrentLayers() {
  return recurrentRecords;
}
