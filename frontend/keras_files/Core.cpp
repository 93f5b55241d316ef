// Dense layers, embeddings, masks, and what does nothing but in training.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/reductions.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

Tensor dense(const KerasLayer &layer, const Tensor &x) {
  const Tensor product = K::dot(x, layer.weight("kernel", 2), layer.place);
  return biasedAndActivated(layer, product, "channels_last");
}

LayerValues embedding(const KerasLayer &layer, const LayerCall &call) {
  const Tensor &words = onlyInput(layer, call).tensor;
  LayerValue value{
      K::gather(layer.weight("embeddings", 2),
                words.dtype() == DType::Int32 ? words : K::cast(words, DType::Int32, layer.place),
                layer.place)};
  if (layer.flag("mask_zero"))
    value.mask = K::not_equal(words, layer.at(0), layer.place);
  return {value};
}

LayerValues masking(const KerasLayer &layer, const LayerCall &call) {
  const Tensor &x = onlyInput(layer, call).tensor;
  const Tensor differs = K::not_equal(x, layer.at(layer.number("mask_value", 0)), layer.place);
  const Tensor counts = K::any(differs, -1, /*keepdims=*/true, layer.place);
  return {{layer.at(x) * K::cast(counts, x.dtype(), layer.place),
           K::any(differs, -1, /*keepdims=*/false, layer.place)}};
}

Tensor same(const KerasLayer &, const Tensor &x) { return x; }

Tensor activation(const KerasLayer &layer, const Tensor &x) { return activated(layer, x); }

const WeightRecord denseWeights[] = {{.name = "kernel", .shape = ". units"}, {"bias", "use_bias"}};
const WeightRecord embeddingWeights[] = {{.name = "embeddings", .shape = "input_dim output_dim"}};

const LayerRecord coreRecords[] = {
    {"Activation", single<activation, Masks::Pass>},
    {"ActivityRegularization", single<same, Masks::Pass>},
    {"AlphaDropout", single<same, Masks::Pass>},
    {"Dense", single<dense, Masks::Pass>, denseWeights},
    {"Dropout", single<same, Masks::Pass>},
    {"Embedding", embedding, embeddingWeights},
    {"GaussianDropout", single<same, Masks::Pass>},
    {"GaussianNoise", single<same, Masks::Pass>},
    {"Masking", masking},
    {"SpatialDropout1D", single<same, Masks::Pass>},
    {"SpatialDropout2D", single<same, Masks::Pass>},
    {"SpatialDropout3D", single<same, Masks::Pass>},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::coreLayers() { return coreRecords; }
