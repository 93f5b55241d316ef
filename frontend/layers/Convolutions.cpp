// Convolutions of one to three axes, depthwise and separable ones.
#include "keratin/layers/convolutions.h"

using namespace keratin;
using namespace keratin::layers;
namespace K = keratin::backend;

// One number for all axes, or one each; empty if the shape is neither.
static std::vector<int64_t> windowOf(const Shape &shape, size_t axes) {
  std::vector<int64_t> window;
  for (const Size &size : shape.entries())
    if (size.isNumber() && size.number() > 0)
      window.push_back(size.number());
  if (shape.isTensor() || window.size() != shape.entries().size())
    return {};
  if (window.size() == 1)
    window.resize(axes, window.front());
  return window.size() == axes ? window : std::vector<int64_t>();
}

static int64_t product(const std::vector<int64_t> &sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

std::vector<int64_t> ConvBase::window(const Shape &kernelSize, SourceLocation location) const {
  std::vector<int64_t> sizes = windowOf(kernelSize, axes);
  if (sizes.empty())
    valueError("kernel_size is no window; needed one number above 0, or " + std::to_string(axes),
               location);
  return sizes;
}

ConvBase::ConvBase(const char *kind, size_t axes, int64_t inputs, const ConvOptions &options,
                   SourceLocation location)
    : Layer(kind, options.name), axes(axes), inputs(inputs), options(options) {
  checkSize("inputs", inputs, location);
}

void ConvBase::addBias(int64_t filters, SourceLocation location) {
  if (options.use_bias)
    bias = add("bias", {filters}, options.bias_initializer, {}, location);
}

Tensor ConvBase::operator()(const Tensor &x, SourceLocation location) const {
  checkRank("x", x, int64_t(axes) + 2, /*isExact=*/true, location);
  const bool isLast = K::normalize_data_format(options.data_format) == "channels_last";
  checkAxis("x", x, isLast ? -1 : 1, inputs, location);
  const K::name_scope inside(scope());
  Tensor y = convolve(x, location);
  if (!bias.isEmpty())
    y = K::bias_add(y, bias, options.data_format, location);
  return options.activation(y, location);
}

Conv::Conv(const char *kind, size_t axes, int64_t inputs, int64_t filters, const Shape &kernelSize,
           const ConvOptions &options, SourceLocation location)
    : ConvBase(kind, axes, inputs, options, location) {
  checkSize("filters", filters, location);
  std::vector<int64_t> shape = window(kernelSize, location);
  const int64_t count = product(shape);
  shape.insert(shape.end(), {inputs, filters});
  kernel =
      add("kernel", shape, options.kernel_initializer,
          {.inputs = count * inputs, .outputs = count * filters, .seed = options.seed}, location);
  addBias(filters, location);
}

Tensor Conv::convolve(const Tensor &x, SourceLocation location) const {
  // One of the overloads each.
  using Convolution =
      Tensor (*)(const Operand &, const Operand &, const Shape &, const std::string &,
                 const DataFormat &, const Shape &, SourceLocation);
  static const Convolution convolutions[] = {K::conv1d, K::conv2d, K::conv3d};
  return convolutions[axes - 1](x, kernel, options.strides, options.padding, options.data_format,
                                options.dilation_rate, location);
}

Conv1D::Conv1D(int64_t inputs, int64_t filters, const Shape &kernelSize, const ConvOptions &options,
               SourceLocation location)
    : Conv("Conv1D", 1, inputs, filters, kernelSize, options, location) {}

Conv2D::Conv2D(int64_t inputs, int64_t filters, const Shape &kernelSize, const ConvOptions &options,
               SourceLocation location)
    : Conv("Conv2D", 2, inputs, filters, kernelSize, options, location) {}

Conv3D::Conv3D(int64_t inputs, int64_t filters, const Shape &kernelSize, const ConvOptions &options,
               SourceLocation location)
    : Conv("Conv3D", 3, inputs, filters, kernelSize, options, location) {}

DepthwiseConv2D::DepthwiseConv2D(int64_t inputs, int64_t multiplier, const Shape &kernelSize,
                                 const ConvOptions &options, SourceLocation location)
    : ConvBase("DepthwiseConv2D", 2, inputs, options, location) {
  checkSize("multiplier", multiplier, location);
  std::vector<int64_t> shape = window(kernelSize, location);
  const int64_t count = product(shape);
  shape.insert(shape.end(), {inputs, multiplier});
  kernel = add("kernel", shape, options.kernel_initializer,
               {.inputs = count, .outputs = count * multiplier, .seed = options.seed}, location);
  addBias(inputs * multiplier, location);
}

Tensor DepthwiseConv2D::convolve(const Tensor &x, SourceLocation location) const {
  return K::depthwise_conv2d(x, kernel, options.strides, options.padding, options.data_format,
                             options.dilation_rate, location);
}

SeparableConv2D::SeparableConv2D(int64_t inputs, int64_t filters, const Shape &kernelSize,
                                 const ConvOptions &options, SourceLocation location)
    : ConvBase("SeparableConv2D", 2, inputs, options, location) {
  checkSize("filters", filters, location);
  std::vector<int64_t> shape = window(kernelSize, location);
  const int64_t count = product(shape);
  shape.insert(shape.end(), {inputs, 1});
  std::optional<int64_t> next = options.seed;
  if (next)
    ++*next;
  depthwiseKernel = add("depthwise_kernel", shape, options.kernel_initializer,
                        {.inputs = count, .outputs = count, .seed = options.seed}, location);
  pointwiseKernel = add("pointwise_kernel", {1, 1, inputs, filters}, options.kernel_initializer,
                        {.inputs = inputs, .outputs = filters, .seed = next}, location);
  addBias(filters, location);
}

Tensor SeparableConv2D::convolve(const Tensor &x, SourceLocation location) const {
  return K::separable_conv2d(x, depthwiseKernel, pointwiseKernel, options.strides, options.padding,
                             options.data_format, options.dilation_rate, location);
}
