#include "frontend/keras_files/KerasFile.h"

#include "frontend/graph/Printable.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/values/FileArray.h"

#include <cstdlib>
#include <filesystem>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;

// Lists in lists take stack where they are read.
static constexpr int kDeepestJson = 200;

// Null for what is no JSON.
static Json parse(const std::string &text) {
  bool isTooDeep = false;
  Json parsed = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json &) {
        isTooDeep |= depth > kDeepestJson;
        return !isTooDeep;
      },
      /*allow_exceptions=*/false);
  return isTooDeep || parsed.is_discarded() ? Json() : parsed;
}

// Keras itself has no version behind 2.3; tf.keras has "2.2.4-tf", or TensorFlow's.
static bool isVersionOfTensorFlow(const std::string &version) {
  if (version.find("-tf") != std::string::npos)
    return true;
  const size_t dot = version.find('.');
  return dot != std::string::npos &&
         (std::atoi(version.c_str()) > 2 || std::atoi(version.c_str() + dot + 1) > 3);
}

template <typename T> T KerasFile::checked(absl::StatusOr<T> value) const {
  if (!value.ok())
    throwStatus(value.status().code(),
                withPlace("load_keras: " +
                              printable("'" + path + "': " + std::string(value.status().message())),
                          location));
  return *std::move(value);
}

KerasFile::KerasFile(const std::string &path, SourceLocation location)
    : location(location), path(path), fileName(std::filesystem::path(path).filename().string()) {
  file = checked(compiler::Hdf5File::open(path));
  auto text = [&](const char *attribute) {
    auto texts = checked(file->texts("", attribute));
    return texts && texts->size() == 1 ? texts->front() : std::string();
  };
  const std::string config = text("model_config");
  if (config.empty())
    fail("has no model_config, as Model.save writes it; Model.save_weights writes none");
  theModel = parse(config);
  if (!theModel.is_object())
    fail("has a model_config that is no JSON object, or too deep");
  compiler::KerasWeights all = checked(compiler::kerasWeights(*file));
  // Keras 2 takes all weights without a version for such.
  if (std::atoi(all.version.c_str()) < 2)
    notImplemented("weights of Keras 1, which have a keras_version of 1 or none");
  fromTensorFlow = isVersionOfTensorFlow(all.version);
  fromTheano = all.areOfTheano();
  for (compiler::KerasLayerWeights &layer : all.layers)
    layerWeights[layer.layer] = std::move(layer.weights);
}

const std::vector<compiler::KerasWeight> &KerasFile::weights(const std::string &layer) const {
  static const std::vector<compiler::KerasWeight> none;
  const auto found = layerWeights.find(layer);
  return found == layerWeights.end() ? none : found->second;
}

Array KerasFile::array(const compiler::KerasWeight &weight) const {
  return ownedBy(checked(file->array(weight.dataset)));
}

int64_t KerasFile::counted(int64_t &count) const {
  constexpr int64_t most = 100000;
  if (++count > most)
    fail("has more than " + std::to_string(most) +
         " layers, those of models in it counted in each call");
  return count;
}

void KerasFile::fail(const std::string &what) const {
  throw ValueError(withPlace("load_keras: " + printable("'" + path + "' " + what), location));
}

void KerasFile::notImplemented(const std::string &what) const {
  throw NotImplementedError(
      withPlace("load_keras: " + printable("'" + path + "': not implemented: " + what), location));
}
