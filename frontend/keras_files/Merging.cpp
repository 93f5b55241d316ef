// Layers that make one tensor of several.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/creation.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

const LayerValues &several(const KerasLayer &layer, const LayerCall &call, size_t most = SIZE_MAX) {
  if (call.inputs.size() < 2 || call.inputs.size() > most)
    layer.fail("has " + std::to_string(call.inputs.size()) + " inputs; needed " +
               (most == 2 ? "2" : "2 or more"));
  return call.inputs;
}

// The steps that count in all of them.
std::optional<Tensor> commonMask(const KerasLayer &layer, const LayerValues &inputs) {
  std::vector<Operand> masks;
  for (const LayerValue &input : inputs)
    if (input.mask)
      masks.emplace_back(K::expand_dims(*input.mask, 0, layer.place));
  if (masks.empty())
    return None;
  return K::all(K::concatenate(masks, 0, layer.place), 0, false, layer.place);
}

using Merge = Tensor (*)(const KerasLayer &, const Tensor &, const Tensor &);

template <Merge merge, size_t most = SIZE_MAX>
LayerValues merged(const KerasLayer &layer, const LayerCall &call) {
  const LayerValues &inputs = several(layer, call, most);
  int64_t rank = 0;
  for (const LayerValue &input : inputs)
    rank = std::max(rank, input.tensor.ndim());
  // What has fewer axes has none behind the samples.
  auto widened = [&](Tensor x) {
    while (x.ndim() < rank)
      x = K::expand_dims(x, 1, layer.place);
    return x;
  };
  Tensor all = widened(inputs[0].tensor);
  for (size_t i = 1; i < inputs.size(); ++i)
    all = merge(layer, all, widened(inputs[i].tensor));
  return {{all, commonMask(layer, inputs)}};
}

Tensor sum(const KerasLayer &layer, const Tensor &x, const Tensor &y) { return layer.at(x) + y; }
Tensor difference(const KerasLayer &layer, const Tensor &x, const Tensor &y) {
  return layer.at(x) - y;
}
Tensor product(const KerasLayer &layer, const Tensor &x, const Tensor &y) {
  return layer.at(x) * y;
}
Tensor larger(const KerasLayer &layer, const Tensor &x, const Tensor &y) {
  return K::maximum(x, y, layer.place);
}
Tensor smaller(const KerasLayer &layer, const Tensor &x, const Tensor &y) {
  return K::minimum(x, y, layer.place);
}

LayerValues average(const KerasLayer &layer, const LayerCall &call) {
  LayerValues all = merged<sum>(layer, call);
  all[0].tensor = layer.at(all[0].tensor) / double(call.inputs.size());
  return all;
}

LayerValues concatenate(const KerasLayer &layer, const LayerCall &call) {
  const LayerValues &inputs = several(layer, call);
  const int64_t axis = layer.axis("axis", -1, inputs[0].tensor);
  std::vector<Operand> tensors, masks;
  bool isMasked = false;
  for (const LayerValue &input : inputs)
    isMasked |= input.mask.has_value();
  for (const auto &[tensor, mask] : inputs) {
    tensors.emplace_back(tensor);
    if (!isMasked)
      continue;
    if (!mask)
      masks.emplace_back(K::ones_like(tensor, DType::Bool, "", layer.place));
    else if (mask->ndim() < tensor.ndim())
      masks.emplace_back(K::expand_dims(*mask, -1, layer.place));
    else
      masks.emplace_back(*mask);
  }
  LayerValue all{K::concatenate(tensors, axis, layer.place)};
  if (isMasked)
    all.mask = K::all(K::concatenate(masks, axis, layer.place), -1, false, layer.place);
  return {all};
}

LayerValues dot(const KerasLayer &layer, const LayerCall &call) {
  const LayerValues &inputs = several(layer, call, 2);
  std::vector<int64_t> axes = layer.integers("axes");
  if (axes.size() == 1)
    axes.push_back(axes.front());
  if (axes.size() != 2)
    layer.fail("has " + std::to_string(axes.size()) + " axes; needed 2");
  std::vector<Tensor> factors;
  for (size_t i = 0; i < 2; ++i) {
    const Tensor &x = inputs[i].tensor;
    axes[i] += axes[i] < 0 ? x.ndim() : 0;
    factors.push_back(layer.flag("normalize") ? K::l2_normalize(x, axes[i], layer.place) : x);
  }
  return {{K::batch_dot(factors[0], factors[1], axes, layer.place)}};
}

const LayerRecord mergeRecords[] = {
    {"Add", merged<sum>},          {"Average", average},
    {"Concatenate", concatenate},  {"Dot", dot},
    {"Maximum", merged<larger>},   {"Minimum", merged<smaller>},
    {"Multiply", merged<product>}, {"Subtract", merged<difference, 2>},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::mergeLayers() { return mergeRecords; }
