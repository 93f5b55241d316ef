#include "compiler/arrays/KerasWeights.h"

#include <set>

using namespace keratin;
using namespace keratin::compiler;

bool compiler::isKerasPath(const std::string &path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

// A long list is in pieces: "weight_names0", "weight_names1", ….
static absl::StatusOr<std::optional<std::vector<std::string>>>
list(const Hdf5File &file, const std::string &object, const std::string &name) {
  auto whole = file.texts(object, name);
  if (!whole.ok() || *whole)
    return whole;
  std::optional<std::vector<std::string>> all;
  for (int i = 0;; ++i) {
    auto piece = file.texts(object, name + std::to_string(i));
    if (!piece.ok())
      return piece.status();
    if (!*piece)
      return all;
    if (!all)
      all.emplace();
    all->insert(all->end(), (*piece)->begin(), (*piece)->end());
  }
}

static std::string variableName(const std::string &weight) {
  const size_t end = weight.rfind(":0");
  return end != std::string::npos && end + 2 == weight.size() ? weight.substr(0, end) : weight;
}

absl::StatusOr<KerasWeights> compiler::kerasWeights(const Hdf5File &file) {
  auto isModel = file.has("model_weights");
  if (!isModel.ok())
    return isModel.status();
  const std::string root = *isModel ? "model_weights" : "", before = *isModel ? root + "/" : "";
  auto names = list(file, root, "layer_names");
  if (!names.ok())
    return names.status();
  if (!*names)
    return absl::InvalidArgumentError("it has no layer_names, as weights of Keras 2 have");
  KerasWeights all;
  for (auto [attribute, text] :
       {std::pair("keras_version", &all.version), std::pair("backend", &all.backend)}) {
    auto found = file.texts(root, attribute);
    if (!found.ok())
      return found.status();
    if (*found && (*found)->size() == 1)
      *text = (*found)->front();
  }
  std::set<std::string> seen;
  for (const std::string &name : **names) {
    if (!seen.insert(name).second)
      return absl::InvalidArgumentError("two layers are named '" + name + "'");
    auto weights = list(file, before + name, "weight_names");
    if (!weights.ok())
      return weights.status();
    KerasLayerWeights layer{name, {}};
    if (*weights)
      for (const std::string &weight : **weights)
        layer.weights.push_back({variableName(weight), before + name + "/" + weight});
    all.layers.push_back(std::move(layer));
  }
  return all;
}

absl::StatusOr<std::vector<NamedArray>>
compiler::readKerasWeights(const std::string &path,
                           const std::function<bool(const std::string &)> &isWanted) {
  auto file = Hdf5File::open(path);
  if (!file.ok())
    return file.status();
  auto weights = kerasWeights(*file);
  if (!weights.ok())
    return weights.status();
  std::vector<NamedArray> arrays;
  std::set<std::string> seen;
  for (const KerasLayerWeights &layer : weights->layers)
    for (const KerasWeight &weight : layer.weights) {
      const std::string longer = layer.layer + "/" + weight.name;
      const std::string &name = isWanted(longer) ? longer : weight.name;
      if (!isWanted(name))
        continue;
      if (!seen.insert(name).second)
        return absl::InvalidArgumentError("two weights are named '" + name +
                                          "'; needed the layer's name before it, '" + longer + "'");
      auto array = file->array(weight.dataset);
      if (!array.ok())
        return array.status();
      if (weights->areOfTheano() && array->dims.size() > 2)
        return absl::InvalidArgumentError(
            "Theano wrote '" + name + "', which has " + std::to_string(array->dims.size()) +
            " axes: were it a convolution's, it would be turned around; needed a file of another "
            "backend, or a model's for load_keras");
      arrays.push_back({name, *std::move(array)});
    }
  return arrays;
}
