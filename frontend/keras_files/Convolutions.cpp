// Convolutions, depthwise, separable, transposed and locally connected ones.
#include "frontend/keras_files/KerasLayer.h"
#include "keratin/elementwise.h"
#include "keratin/shapes.h"
#include "keratin/windows.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::keras_files;
namespace K = keratin::backend;

namespace {

template <size_t rank, Convolution convolve>
Tensor convolution(const KerasLayer &layer, const Tensor &x) {
  const Tensor kernel = layer.weight("kernel", rank + 2);
  const Shape strides = spatial(layer, "strides", rank),
              dilations = spatial(layer, "dilation_rate", rank);
  auto product = [&](const Tensor &part, const Tensor &filter) {
    return convolve(part, filter, strides, layer.text("padding", "valid"), formatOf(layer),
                    dilations, layer.place);
  };
  const int64_t groups = layer.integer("groups", 1);
  if (groups == 1)
    return biasedAndActivated(layer, product(x, kernel), formatOf(layer));
  const int64_t channels = isChannelsFirst(layer) ? 1 : -1;
  const std::vector<Tensor> filters = K::split(kernel, groups, -1, layer.place),
                            parts = K::split(x, groups, channels, layer.place);
  std::vector<Operand> products;
  for (size_t i = 0; i < parts.size(); ++i)
    products.emplace_back(product(parts[i], filters[i]));
  return biasedAndActivated(layer, K::concatenate(products, channels, layer.place),
                            formatOf(layer));
}

Tensor depthwise2D(const KerasLayer &layer, const Tensor &x) {
  const Tensor y =
      K::depthwise_conv2d(x, layer.weight("depthwise_kernel", 4), spatial(layer, "strides", 2),
                          layer.text("padding", "valid"), formatOf(layer),
                          spatial(layer, "dilation_rate", 2), layer.place);
  return biasedAndActivated(layer, y, formatOf(layer));
}

using Separable = Tensor (*)(const Operand &, const Operand &, const Operand &, const Shape &,
                             const std::string &, const DataFormat &, const Shape &,
                             SourceLocation);

template <size_t rank, Separable convolve>
Tensor separable(const KerasLayer &layer, const Tensor &x) {
  const Tensor y = convolve(x, layer.weight("depthwise_kernel", rank + 2),
                            layer.weight("pointwise_kernel", rank + 2),
                            spatial(layer, "strides", rank), layer.text("padding", "valid"),
                            formatOf(layer), spatial(layer, "dilation_rate", rank), layer.place);
  return biasedAndActivated(layer, y, formatOf(layer));
}

// The shape of what a transposed convolution makes of x.
Shape transposedShape(const KerasLayer &layer, const Tensor &x, const Tensor &kernel) {
  const size_t rank = size_t(kernel.ndim()) - 2;
  if (x.ndim() != kernel.ndim())
    layer.fail("has an input of rank " + std::to_string(x.ndim()) + "; needed " +
               std::to_string(kernel.ndim()));
  const std::vector<int64_t> strides = spatial(layer, "strides", rank),
                             dilations = spatial(layer, "dilation_rate", rank),
                             more = layer.find("output_padding")
                                        ? spatial(layer, "output_padding", rank)
                                        : std::vector<int64_t>();
  const bool isSame = layer.text("padding", "valid") == "same";
  const StaticShape window = kernel.shape();
  std::vector<Size> sizes{None};
  for (size_t i = 0; i < rank; ++i) {
    const int64_t axis = int64_t(i) + (isChannelsFirst(layer) ? 2 : 1), stride = strides[i];
    const int64_t width = (*window[i] - 1) * dilations[i] + 1;
    // stride * size and so much more.
    const int64_t rest = !more.empty() ? width - stride + more[i] - (isSame ? width / 2 * 2 : 0)
                         : isSame      ? 0
                                       : std::max<int64_t>(width - stride, 0);
    if (stride < 1 || stride > (1 << 20) || dilations[i] < 1 || dilations[i] > (1 << 20))
      layer.fail("has strides or dilations outside [1, 1048576]");
    const Size size = sizeOf(layer, x, axis);
    if (size.isNumber() && size.number() > int64_t(1) << 40)
      layer.fail("has an input of size " + std::to_string(size.number()));
    if (size.isNumber())
      sizes.emplace_back(size.number() * stride + rest);
    else
      sizes.emplace_back(Operand(size.tensor(), layer.place) * stride + rest);
  }
  const Size channels = *window[rank];
  sizes.insert(isChannelsFirst(layer) ? sizes.begin() + 1 : sizes.end(), channels);
  return sizes;
}

Tensor transposed2D(const KerasLayer &layer, const Tensor &x) {
  const Tensor kernel = layer.weight("kernel", 4);
  const Tensor y =
      K::conv2d_transpose(x, kernel, transposedShape(layer, x, kernel),
                          spatial(layer, "strides", 2), layer.text("padding", "valid"),
                          formatOf(layer), spatial(layer, "dilation_rate", 2), layer.place);
  return biasedAndActivated(layer, y, formatOf(layer));
}

Tensor transposed3D(const KerasLayer &layer, const Tensor &x) {
  const Tensor kernel = layer.weight("kernel", 5);
  const Tensor y = K::conv3d_transpose(x, kernel, transposedShape(layer, x, kernel),
                                       spatial(layer, "strides", 3), layer.text("padding", "valid"),
                                       formatOf(layer), layer.place);
  return biasedAndActivated(layer, y, formatOf(layer));
}

Tensor local1D(const KerasLayer &layer, const Tensor &x) {
  const Tensor y = K::local_conv1d(x, layer.weight("kernel", 3), spatial(layer, "kernel_size", 1),
                                   spatial(layer, "strides", 1), formatOf(layer), layer.place);
  return biasedAndActivated(layer, y, formatOf(layer));
}

Tensor local2D(const KerasLayer &layer, const Tensor &x) {
  const std::vector<int64_t> window = spatial(layer, "kernel_size", 2),
                             strides = spatial(layer, "strides", 2);
  const StaticShape sizes = x.shape();
  std::vector<int64_t> places;
  for (size_t i = 0; i < 2; ++i) {
    const size_t axis = i + (isChannelsFirst(layer) ? 2 : 1);
    if (axis >= sizes.size() || !sizes[axis] || strides[i] < 1 || window[i] < 1)
      layer.fail("has an input of shape " + toString(sizes) + "; needed known sizes of images");
    places.push_back((*sizes[axis] - window[i]) / strides[i] + 1);
  }
  const Tensor y = K::local_conv2d(x, layer.weight("kernel", 3), window, strides, places,
                                   formatOf(layer), layer.place);
  return biasedAndActivated(layer, y, formatOf(layer));
}

const char *const window = "kernel_size . filters";
const char *const transposedWindow = "kernel_size filters .";
constexpr WeightRecord bias = {"bias", "use_bias"};
constexpr WeightRecord depthwise = {.name = "depthwise_kernel",
                                    .shape = "kernel_size . depth_multiplier"};

// Those of which Keras knows that Theano's are turned around.
const WeightRecord windowWeights[] = {{.name = "kernel", .isWindow = true, .shape = window}, bias};
const WeightRecord transposed2DWeights[] = {
    {.name = "kernel", .isWindow = true, .shape = transposedWindow}, bias};

const WeightRecord transposed3DWeights[] = {{.name = "kernel", .shape = transposedWindow}, bias};
const WeightRecord localWeights[] = {{.name = "kernel", .shape = ". . filters"}, bias};
const WeightRecord depthwiseWeights[] = {depthwise, bias};
const WeightRecord separable1DWeights[] = {
    depthwise, {.name = "pointwise_kernel", .shape = ". . filters"}, bias};
const WeightRecord separable2DWeights[] = {
    depthwise, {.name = "pointwise_kernel", .shape = ". . . filters"}, bias};

const LayerRecord convolutionRecords[] = {
    {"Conv1D", single<convolution<1, K::conv1d>>, windowWeights},
    {"Conv2D", single<convolution<2, K::conv2d>>, windowWeights},
    {"Conv2DTranspose", single<transposed2D>, transposed2DWeights},
    {"Conv3D", single<convolution<3, K::conv3d>>, windowWeights},
    {"Conv3DTranspose", single<transposed3D>, transposed3DWeights},
    {"DepthwiseConv2D", single<depthwise2D>, depthwiseWeights},
    {"LocallyConnected1D", single<local1D>, localWeights},
    {"LocallyConnected2D", single<local2D>, localWeights},
    {"SeparableConv1D", single<separable<1, K::separable_conv1d>>, separable1DWeights},
    {"SeparableConv2D", single<separable<2, K::separable_conv2d>>, separable2DWeights},
};

} // namespace

llvm::ArrayRef<LayerRecord> keratin::frontend::keras_files::convolutionLayers() {
  return convolutionRecords;
}
