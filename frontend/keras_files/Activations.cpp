// Activations that are layers.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/elementwise.h"
#include "keratin/nn.h"
#include "keratin/reductions.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

Tensor leakyRelu(const KerasLayer &layer, const Tensor &x) {
  return K::relu(x, layer.number("alpha", 0.3), None, 0, layer.place);
}

Tensor relu(const KerasLayer &layer, const Tensor &x) {
  std::optional<double> most;
  if (layer.find("max_value"))
    most = layer.number("max_value", 0);
  return K::relu(x, layer.number("negative_slope", 0), most, layer.number("threshold", 0),
                 layer.place);
}

Tensor elu(const KerasLayer &layer, const Tensor &x) {
  return K::elu(x, layer.number("alpha", 1), layer.place);
}

Tensor thresholdedRelu(const KerasLayer &layer, const Tensor &x) {
  const Tensor isAbove = K::greater(x, layer.at(layer.number("theta", 1)), layer.place);
  return layer.at(x) * K::cast(isAbove, x.dtype(), layer.place);
}

Tensor prelu(const KerasLayer &layer, const Tensor &x) {
  const Tensor below = K::relu(-layer.at(x), 0, None, 0, layer.place);
  const Tensor above = K::relu(x, 0, None, 0, layer.place);
  return layer.at(above) - layer.at(layer.weight("alpha")) * below;
}

Tensor softmax(const KerasLayer &layer, const Tensor &x) {
  return K::softmax(x, layer.axis("axis", -1, x), layer.place);
}

const WeightRecord preluWeights[] = {{"alpha"}};

const LayerRecord activationRecords[] = {
    {"ELU", single<elu, Masks::Pass>},
    {"LeakyReLU", single<leakyRelu, Masks::Pass>},
    {"PReLU", single<prelu, Masks::Pass>, preluWeights},
    {"ReLU", single<relu, Masks::Pass>},
    {"Softmax", single<softmax, Masks::Pass>},
    {"ThresholdedReLU", single<thresholdedRelu, Masks::Pass>},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::activationLayers() {
  return activationRecords;
}
