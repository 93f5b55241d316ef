// TimeDistributed and Bidirectional.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/graph.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

void addWrapped(KerasLayer &layer) { layer.addInner("layer"); }

// Steps are samples of the layer.
LayerValues timeDistributed(const KerasLayer &layer, const LayerCall &call) {
  const auto &[x, mask] = onlyInput(layer, call);
  if (x.ndim() < 2)
    layer.fail("has an input of rank " + std::to_string(x.ndim()) + "; needed 2 or more");
  auto behind = [&](std::vector<Size> sizes, const Tensor &from, int64_t axis) {
    for (; axis < from.ndim(); ++axis)
      sizes.push_back(sizeOf(layer, from, axis));
    return Shape(std::move(sizes));
  };
  const Tensor steps = K::reshape(x, behind({-1}, x, 2), layer.place);
  const LayerValues made = layer.inner.front()->call({{{steps}}});
  if (made.size() != 1 || made.front().mask)
    layer.notImplemented("a layer with several outputs or a mask in TimeDistributed");
  const Tensor &y = made.front().tensor;
  const std::vector<Size> before{-1, sizeOf(layer, x, 1)};
  return {{K::reshape(y, behind(before, y, 1), layer.place), mask}};
}

// The layer, and another one that goes the other way.
void addBoth(KerasLayer &layer) {
  const Json *forward = layer.find("layer");
  if (!forward || !forward->is_object() || !forward->contains("config") ||
      !(*forward)["config"].is_object())
    layer.fail("has no layer");
  const Json *given = layer.find("backward_layer");
  Json backward = given ? *given : *forward;
  if (!given) {
    Json &goes = backward["config"]["go_backwards"];
    goes = !(goes.is_boolean() && goes.get<bool>());
  }
  Json both[] = {*forward, std::move(backward)};
  for (size_t way : {0, 1}) {
    Json &description = both[way];
    if (description.is_object() && description["config"].is_object()) {
      Json &config = description["config"];
      // As Keras calls them.
      if (Json &name = config["name"]; name.is_string())
        name = (way ? "backward_" : "forward_") + name.get<std::string>();
      // tf.keras has zeros where no step counts. Keras forgets what stateful ones keep.
      if (!layer.file.isTensorFlow())
        config["stateful"] = false;
      else if (config.contains("return_sequences"))
        config["zero_output_for_mask"] = config["return_sequences"];
    }
    layer.addInnerCopy(std::move(description));
  }
}

LayerValues bidirectional(const KerasLayer &layer, const LayerCall &call) {
  const size_t states = call.inputs.empty() ? 0 : call.inputs.size() - 1;
  if (call.inputs.empty() || states % 2)
    layer.fail("has " + std::to_string(call.inputs.size()) +
               " inputs; needed 1, and as many states for both ways");
  LayerValues made[2];
  for (size_t way : {0, 1}) {
    LayerCall one{{call.inputs.front()}};
    const auto first = call.inputs.begin() + 1 + int64_t(way * states / 2);
    one.inputs.insert(one.inputs.end(), first, first + int64_t(states / 2));
    made[way] = layer.inner[way]->call(one);
  }
  const Tensor forward = made[0][0].tensor;
  const bool isSequence = layer.inner[0]->flag("return_sequences");
  const Tensor backward =
      isSequence ? K::reverse(made[1][0].tensor, 1, layer.place) : made[1][0].tensor;
  const std::optional<Tensor> mask = made[0][0].mask;
  LayerValues results;
  const std::string mode = layer.text("merge_mode", "");
  if (mode == "concat")
    results = {{K::concatenate({forward, backward}, -1, layer.place), mask}};
  else if (mode == "sum")
    results = {{layer.at(forward) + backward, mask}};
  else if (mode == "ave")
    results = {{layer.at(layer.at(forward) + backward) / 2.0, mask}};
  else if (mode == "mul")
    results = {{layer.at(forward) * backward, mask}};
  else if (mode.empty())
    results = {{forward, mask}, {backward, mask}};
  else
    layer.fail("has merge_mode '" + mode + "'; needed sum, mul, ave, concat or nothing");
  for (const LayerValues &way : made)
    results.insert(results.end(), way.begin() + 1, way.end());
  return results;
}

const LayerRecord wrapperRecords[] = {
    {"Bidirectional", bidirectional, {}, addBoth},
    {"TimeDistributed", timeDistributed, {}, addWrapped},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::wrapperLayers() {
  return wrapperRecords;
}
