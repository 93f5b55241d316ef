// Layers that move elements: reshaping, padding, cropping, repetition.
#include "keratin/shapes.h"

#include "frontend/keras_files/KerasLayer.h"
#include "keratin/graph.h"
#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

Tensor flatten(const KerasLayer &layer, Tensor const &x) {
  if (!isChannelsFirst(layer) || x.ndim() < 3)
    return K::batch_flatten(x, layer.place);
  std::vector<int64_t> order{0};
  for (int64_t i = 2; i < x.ndim(); ++i)
    order.push_back(i);
  order.push_back(1);
  return K::batch_flatten(K::permute_dimensions(x, order, layer.place), layer.place);
}

Tensor reshape(const KerasLayer &layer, const Tensor &x) {
  std::vector<Size> sizes{sizeOf(layer, x, 0)};
  for (const int64_t size : layer.integers("target_shape"))
    sizes.emplace_back(size);
  return K::reshape(x, sizes, layer.place);
}

Tensor permute(const KerasLayer &layer, const Tensor &x) {
  std::vector<int64_t> order = layer.integers("dims");
  order.insert(order.begin(), 0);
  return K::permute_dimensions(x, order, layer.place);
}

Tensor repeat(const KerasLayer &layer, const Tensor &x) {
  return K::repeat(x, layer.integer("n"), layer.place);
}

// [[1, 1], [2, 2]], of one axis [1, 1]; or one number for all.
K::Paddings paddingsOf(const KerasLayer &layer, const char *key, size_t rank) {
  constexpr int64_t most = int64_t(1) << 40;
  const Json *found = layer.find(key);
  K::Paddings paddings;
  if (found && found->is_array() && !found->empty() && found->front().is_array()) {
    for (const Json &pair : *found) {
      K::Padding &padding = paddings.emplace_back();
      for (const Json &number : pair)
        padding.push_back(number.is_number_unsigned() && number <= most ? number.get<int64_t>()
                                                                        : -1);
    }
  } else {
    const std::vector<int64_t> numbers = layer.integers(key);
    if (rank == 1 && numbers.size() == 2)
      paddings.push_back(numbers);
    else if (numbers.size() == 1)
      paddings.assign(rank, {numbers[0], numbers[0]});
    else
      for (const int64_t number : numbers)
        paddings.push_back({number, number});
  }
  if (paddings.size() != rank)
    layer.fail(std::string("has a ") + key + " of " + std::to_string(paddings.size()) +
               " axes; needed " + std::to_string(rank));
  for (const K::Padding &padding : paddings)
    if (padding.size() != 2 || std::min(padding[0], padding[1]) < 0 ||
        std::max(padding[0], padding[1]) > most)
      layer.fail(std::string("has a ") + key + " of another form");
  return paddings;
}

template <size_t rank> Tensor pad(const KerasLayer &layer, const Tensor &x) {
  const K::Paddings paddings = paddingsOf(layer, "padding", rank);
  if constexpr (rank == 1)
    return K::temporal_padding(x, paddings.front(), layer.place);
  if constexpr (rank == 2)
    return K::spatial_2d_padding(x, paddings, formatOf(layer), layer.place);
  return K::spatial_3d_padding(x, paddings, formatOf(layer), layer.place);
}

template <size_t rank> Tensor crop(const KerasLayer &layer, const Tensor &x) {
  std::vector<IndexList::Item> items{All};
  if (rank > 1 && isChannelsFirst(layer))
    items.emplace_back(All);
  for (const K::Padding &cropped : paddingsOf(layer, "cropping", rank))
    items.emplace_back(Slice(cropped[0], cropped[1] ? Size(-cropped[1]) : Size(None)));
  return x[IndexList(items, layer.place)];
}

std::vector<int64_t> factorsOf(const KerasLayer &layer, size_t rank) {
  std::vector<int64_t> factors = layer.integers("size");
  if (factors.size() == 1)
    factors.resize(rank, factors.front());
  if (factors.size() != rank)
    layer.fail("has " + std::to_string(factors.size()) + " numbers for size; needed " +
               std::to_string(rank));
  return factors;
}

Tensor enlarge1D(const KerasLayer &layer, const Tensor &x) {
  return K::repeat_elements(x, factorsOf(layer, 1)[0], 1, layer.place);
}

Tensor enlarge2D(const KerasLayer &layer, const Tensor &x) {
  const std::vector<int64_t> factors = factorsOf(layer, 2);
  const std::string interpolation = layer.text("interpolation", "nearest");
  if (interpolation != "nearest" && layer.file.isTensorFlow())
    layer.notImplemented("the interpolation " + interpolation + " of tf.keras");
  return K::resize_images(x, factors[0], factors[1], formatOf(layer), interpolation, layer.place);
}

Tensor enlarge3D(const KerasLayer &layer, const Tensor &x) {
  const std::vector<int64_t> factors = factorsOf(layer, 3);
  return K::resize_volumes(x, factors[0], factors[1], factors[2], formatOf(layer), layer.place);
}

const LayerRecord shapeRecords[] = {
    {"Cropping1D", single<crop<1>>},     {"Cropping2D", single<crop<2>>},
    {"Cropping3D", single<crop<3>>},     {"Flatten", single<flatten>},
    {"Permute", single<permute>},        {"RepeatVector", single<repeat>},
    {"Reshape", single<reshape>},        {"UpSampling1D", single<enlarge1D>},
    {"UpSampling2D", single<enlarge2D>}, {"UpSampling3D", single<enlarge3D>},
    {"ZeroPadding1D", single<pad<1>>},   {"ZeroPadding2D", single<pad<2>>},
    {"ZeroPadding3D", single<pad<3>>},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::shapeLayers() { return shapeRecords; }
