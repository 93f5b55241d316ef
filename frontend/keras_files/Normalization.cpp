// Normalization of batches, by moving statistics, and of layers.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/nn.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

// tf.keras writes a list.
std::vector<int64_t> axesOf(const KerasLayer &layer, const Tensor &x) {
  std::vector<int64_t> axes = layer.integers("axis");
  if (axes.empty())
    axes.push_back(-1);
  for (int64_t &axis : axes) {
    if (axis < -x.ndim() || axis >= x.ndim())
      layer.fail("has axis " + std::to_string(axis) + " of " + std::to_string(x.ndim()));
    axis += axis < 0 ? x.ndim() : 0;
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

// A weight with sizes along these axes of x, as one of x's rank; it is left as it is where it fits.
Operand spread(const KerasLayer &layer, const char *name, const Tensor &x,
               const std::vector<int64_t> &axes) {
  if (!layer.has(name))
    return None;
  const Tensor weight = layer.weight(name, int64_t(axes.size()));
  if (axes.front() + int64_t(axes.size()) == x.ndim())
    return weight;
  std::vector<int64_t> sizes(size_t(x.ndim()), 1);
  for (size_t i = 0; i < axes.size(); ++i)
    sizes[size_t(axes[i])] = *weight.shape()[i];
  return K::reshape(weight, sizes, layer.place);
}

Tensor batchNormalization(const KerasLayer &layer, const Tensor &x) {
  const std::vector<int64_t> axes = axesOf(layer, x);
  if (axes.size() != 1)
    layer.notImplemented("several axes");
  auto weight = [&](const char *name) { return spread(layer, name, x, axes); };
  return K::batch_normalization(x, weight("moving_mean"), weight("moving_variance"), weight("beta"),
                                weight("gamma"), axes.front(), layer.number("epsilon", 1e-3),
                                layer.place);
}

Tensor layerNormalization(const KerasLayer &layer, const Tensor &x) {
  const std::vector<int64_t> axes = axesOf(layer, x);
  auto weight = [&](const char *name) { return spread(layer, name, x, axes); };
  const Tensor mean = K::mean(x, axes, /*keepdims=*/true, layer.place),
               variance = K::var(x, axes, /*keepdims=*/true, layer.place);
  return K::batch_normalization(x, mean, variance, weight("beta"), weight("gamma"), axes.back(),
                                layer.number("epsilon", 1e-3), layer.place);
}

const WeightRecord batchWeights[] = {{"gamma", "scale"},
                                     {"beta", "center"},
                                     {"moving_mean", nullptr, false},
                                     {"moving_variance", nullptr, false}};
const WeightRecord layerWeights[] = {{"gamma", "scale"}, {"beta", "center"}};

const LayerRecord normalizationRecords[] = {
    {"BatchNormalization", single<batchNormalization, Masks::Pass>, batchWeights},
    {"BatchNormalizationV1", single<batchNormalization, Masks::Pass>, batchWeights},
    {"LayerNormalization", single<layerNormalization, Masks::Pass>, layerWeights},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::normalizationLayers() {
  return normalizationRecords;
}
