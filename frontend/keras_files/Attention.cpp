// Attention of tf.keras.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/creation.h"
#include "keratin/elementwise.h"
#include "keratin/graph.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

Tensor withAxis(const KerasLayer &layer, const Tensor &x, int64_t axis) {
  return K::expand_dims(x, axis, layer.place);
}

// Both, where there are both.
std::optional<Tensor> both(const KerasLayer &layer, const std::optional<Tensor> &x, Tensor y) {
  return x ? K::cast(layer.at(K::cast(*x, DType::Float32, layer.place)) *
                         K::cast(y, DType::Float32, layer.place),
                     DType::Bool, layer.place)
           : std::move(y);
}

// (1, queries, keys): none looks at a later one.
Tensor causal(const KerasLayer &layer, const Tensor &query, const Tensor &key) {
  auto places = [&](const Tensor &x) {
    return K::arange(0, K::shape(x, layer.place)[IndexList(1, layer.place)], 1, DType::Int32,
                     layer.place);
  };
  return withAxis(layer,
                  K::greater_equal(withAxis(layer, places(query), 1), places(key), layer.place), 0);
}

// Where the mask is false scores are far below all others.
Tensor weighted(const KerasLayer &layer, Tensor scores, const std::optional<Tensor> &mask) {
  if (mask) {
    const double below = scores.dtype() == DType::Float16 ? 65504 : 1e9;
    const Tensor hidden = layer.at(1) - K::cast(*mask, scores.dtype(), layer.place);
    scores = layer.at(scores) - layer.at(below) * hidden;
  }
  return K::softmax(scores, -1, layer.place);
}

// (samples, queries, keys).
using Scores = Tensor (*)(const KerasLayer &, const Tensor &query, const Tensor &key);

template <Scores scoresOf> LayerValues attention(const KerasLayer &layer, const LayerCall &call) {
  if (call.inputs.size() < 2 || call.inputs.size() > 3)
    layer.fail("has " + std::to_string(call.inputs.size()) +
               " inputs; needed queries, values and perhaps keys");
  const auto &[query, queryMask] = call.inputs[0];
  const auto &[value, valueMask] = call.inputs[1];
  const Tensor &key = call.inputs.back().tensor;
  std::optional<Tensor> mask;
  if (valueMask)
    mask = withAxis(layer, *valueMask, -2);
  if (layer.flag("causal") || call.flag("use_causal_mask"))
    mask = both(layer, mask, causal(layer, query, key));
  const Tensor weights = weighted(layer, scoresOf(layer, query, key), mask);
  Tensor y = K::batch_dot(weights, value, {2, 1}, layer.place);
  if (queryMask)
    y = layer.at(y) * withAxis(layer, K::cast(*queryMask, y.dtype(), layer.place), -1);
  LayerValues results{{y, queryMask}};
  if (call.flag("return_attention_scores"))
    results.push_back({weights});
  return results;
}

Tensor products(const KerasLayer &layer, const Tensor &query, const Tensor &key) {
  if (layer.text("score_mode", "dot") != "dot")
    layer.notImplemented("scores of another mode than dot");
  const Tensor scores = K::batch_dot(query, key, {2, 2}, layer.place);
  return layer.has("scale") ? layer.at(scores) * layer.weight("scale", 0) : scores;
}

Tensor sums(const KerasLayer &layer, const Tensor &query, const Tensor &key) {
  Tensor all =
      K::tanh(layer.at(withAxis(layer, query, -2)) + withAxis(layer, key, -3), layer.place);
  if (layer.has("scale"))
    all = layer.at(all) * layer.weight("scale", 1);
  return K::sum(all, -1, false, layer.place);
}

LayerValues multiHead(const KerasLayer &layer, const LayerCall &call) {
  auto argument = [&](const char *name, const LayerValue &otherwise) {
    const auto found = call.tensors.find(name);
    return found == call.tensors.end() ? otherwise : found->second;
  };
  const LayerValue query = argument("query", call.inputs.front());
  const LayerValue value =
                       argument("value", call.inputs[std::min<size_t>(call.inputs.size() - 1, 1)]),
                   key = argument("key", call.inputs.size() > 2 ? call.inputs[2] : value);
  const std::vector<int64_t> axes = layer.integers("attention_axes");
  if (query.tensor.ndim() != 3 || value.tensor.ndim() != 3 ||
      (!axes.empty() && axes != std::vector<int64_t>{1}))
    layer.notImplemented("attention over other axes than the second of three");
  auto headsOf = [&](const Tensor &x, const char *kernel, const char *bias) {
    const Tensor heads = K::einsum("bti,inh->btnh", {x, layer.weight(kernel, 3)}, layer.place);
    return layer.has(bias) ? Tensor(layer.at(heads) + layer.weight(bias, 2)) : heads;
  };
  const Tensor q = headsOf(query.tensor, "query_kernel", "query_bias"),
               k = headsOf(key.tensor, "key_kernel", "key_bias"),
               v = headsOf(value.tensor, "value_kernel", "value_bias");
  const double scale = 1 / std::sqrt(double(*layer.weight("query_kernel").shape()[2]));
  std::optional<Tensor> mask;
  if (const auto given = call.tensors.find("attention_mask"); given != call.tensors.end())
    mask = K::cast(given->second.tensor, DType::Bool, layer.place);
  if (query.mask)
    mask = both(layer, mask, withAxis(layer, *query.mask, -1));
  for (const LayerValue &side : {value, key})
    if (side.mask)
      mask = both(layer, mask, withAxis(layer, *side.mask, -2));
  if (call.flag("use_causal_mask"))
    mask = both(layer, mask, causal(layer, query.tensor, value.tensor));
  // One mask for all heads.
  if (mask && mask->ndim() == 3)
    mask = withAxis(layer, *mask, 1);
  const Tensor scores = K::einsum("bqnh,bknh->bnqk", {Tensor(layer.at(q) * scale), k}, layer.place);
  const Tensor weights = weighted(layer, scores, mask);
  const Tensor heads = K::einsum("bnqk,bknh->bqnh", {weights, v}, layer.place);
  Tensor y = K::einsum("bqnh,nho->bqo", {heads, layer.weight("output_kernel", 3)}, layer.place);
  if (layer.has("output_bias"))
    y = layer.at(y) + layer.weight("output_bias", 1);
  LayerValues results{{y, query.mask}};
  if (call.flag("return_attention_scores"))
    results.push_back({weights});
  return results;
}

const WeightRecord scaleWeights[] = {{"scale", "use_scale"}};
const WeightRecord multiHeadWeights[] = {
    {.name = "query_kernel", .shape = ". num_heads key_dim"},    {"query_bias", "use_bias"},
    {.name = "key_kernel", .shape = ". num_heads key_dim"},      {"key_bias", "use_bias"},
    {.name = "value_kernel", .shape = ". num_heads value_dim"},  {"value_bias", "use_bias"},
    {.name = "output_kernel", .shape = "num_heads value_dim ."}, {"output_bias", "use_bias"}};
const char *const keywords[] = {"use_causal_mask", "return_attention_scores"};
const char *const multiHeadKeywords[] = {
    "query", "value", "key", "attention_mask", "use_causal_mask", "return_attention_scores"};

const LayerRecord attentionRecords[] = {
    {"AdditiveAttention", attention<sums>, scaleWeights, nullptr, keywords},
    {"Attention", attention<products>, scaleWeights, nullptr, keywords},
    {"MultiHeadAttention", multiHead, multiHeadWeights, nullptr, multiHeadKeywords},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::attentionLayers() {
  return attentionRecords;
}
