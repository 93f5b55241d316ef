// Pooling.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/config.h"
#include "keratin/elementwise.h"
#include "keratin/reductions.h"
#include "keratin/shapes.h"
#include "keratin/windows.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

enum class Pick { Largest, Mean };

// Windows of vectors are those of images one place wide.
template <size_t rank, Pick pick> Tensor pooled(const KerasLayer &layer, const Tensor &x) {
  std::vector<int64_t> window = layer.integers("pool_size"), strides = layer.integers("strides");
  if (window.size() == 1)
    window.resize(rank, window.front());
  if (strides.empty())
    strides = window;
  if (strides.size() == 1)
    strides.resize(rank, strides.front());
  const std::string padding = layer.text("padding", "valid");
  const char *mode = pick == Pick::Largest ? "max" : "avg";
  if constexpr (rank == 3)
    return K::pool3d(x, window, strides, padding, formatOf(layer), mode, layer.place);
  if constexpr (rank == 2)
    return K::pool2d(x, window, strides, padding, formatOf(layer), mode, layer.place);
  const int64_t axis = isChannelsFirst(layer) ? 3 : 2;
  window.push_back(1);
  strides.push_back(1);
  const Tensor wide = K::expand_dims(x, axis, layer.place);
  return K::squeeze(K::pool2d(wide, window, strides, padding, formatOf(layer), mode, layer.place),
                    axis, layer.place);
}

template <int64_t rank, Pick pick> Tensor globallyPooled(const KerasLayer &layer, const Tensor &x) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i)
    axes.push_back(i + (isChannelsFirst(layer) ? 2 : 1));
  const bool keeps = layer.flag("keepdims");
  return pick == Pick::Largest ? K::max(x, axes, keeps, layer.place)
                               : K::mean(x, axes, keeps, layer.place);
}

// The mean of the steps that count.
LayerValues globalMean1D(const KerasLayer &layer, const LayerCall &call) {
  const auto &[x, mask] = onlyInput(layer, call);
  if (!mask)
    return {{globallyPooled<1, Pick::Mean>(layer, x)}};
  const int64_t steps = isChannelsFirst(layer) ? 2 : 1;
  const bool keeps = layer.flag("keepdims");
  const Tensor counts =
      K::expand_dims(K::cast(*mask, x.dtype(), layer.place), 3 - steps, layer.place);
  const Tensor sum = K::sum(layer.at(x) * counts, steps, keeps, layer.place);
  return {{layer.at(sum) / K::sum(counts, steps, keeps, layer.place)}};
}

const LayerRecord poolingRecords[] = {
    {"AveragePooling1D", single<pooled<1, Pick::Mean>>},
    {"AveragePooling2D", single<pooled<2, Pick::Mean>>},
    {"AveragePooling3D", single<pooled<3, Pick::Mean>>},
    {"GlobalAveragePooling1D", globalMean1D},
    {"GlobalAveragePooling2D", single<globallyPooled<2, Pick::Mean>>},
    {"GlobalAveragePooling3D", single<globallyPooled<3, Pick::Mean>>},
    {"GlobalMaxPooling1D", single<globallyPooled<1, Pick::Largest>>},
    {"GlobalMaxPooling2D", single<globallyPooled<2, Pick::Largest>>},
    {"GlobalMaxPooling3D", single<globallyPooled<3, Pick::Largest>>},
    {"MaxPooling1D", single<pooled<1, Pick::Largest>>},
    {"MaxPooling2D", single<pooled<2, Pick::Largest>>},
    {"MaxPooling3D", single<pooled<3, Pick::Largest>>},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::poolingLayers() {
  return poolingRecords;
}
