// K functions: convolutions.
#include "frontend/backend/Windows.h"
#include "frontend/values/DTypeRules.h"
#include "keratin/windows.h"

using namespace keratin;
using namespace keratin::frontend;

using Windows = ir::GraphMath::ConvolutionWindows;

// bool has no products.
static std::pair<Value, Value> numbers(Call &call, const Operand &x, const Operand &kernel) {
  auto [a, b] = call.promoted(x, kernel);
  if (call.dtypeOf(a) == DType::Bool)
    return {call.cast(a, DType::Int32), call.cast(b, DType::Int32)};
  return {a, b};
}

// "01": the letters of the spatial axes.
static std::string digits(size_t spatial) { return std::string("012").substr(0, spatial); }

// The channels of x, its last axis, and what the kernel has in their place.
static void agreeOnChannels(Call &call, Value &x, Value &kernel, int64_t kernelAxis) {
  int64_t axis = call.rank(x) - 1;
  const DimExpr given = ir::getShape(x)[axis], needed = ir::getShape(kernel)[kernelAxis];
  if (given.isConstant() && needed.isConstant() && given != needed)
    call.valueError("x has " + given.str() + " channels; needed the " + needed.str() +
                    " of the kernel, whose shape is " + describe(kernel));
  DimExpr channels = call.unify(given, needed, "the channels of x and kernel");
  x = call.withSize(x, axis, channels, "the channels of x and kernel");
  kernel = call.withSize(kernel, kernelAxis, channels, "the channels of x and kernel");
}

namespace {

struct Steps {
  std::vector<int64_t> strides, dilation;
  PaddingRule rule = PaddingRule::Valid;
};

// What a convolution works on, of x's and the kernel's ranks for the spatial axes.
struct Convolved {
  Value x; // with its channels last
  Value kernel;
  Steps steps;
  bool channelsFirst; // as the caller has them

  Tensor result(Call &call, Value y) const {
    return call.tensor(fromChannelsLast(call, y, channelsFirst));
  }
};

// As its caller gives it.
struct GivenConvolution {
  const Operand &x, &kernel;
  const char *kernelName;
  const Shape &strides;
  const std::string &padding;
  const DataFormat &format;
  const Shape &dilation;
  bool mayBeCausal = false;
};

} // namespace

static Convolved check(Call &call, size_t spatial, const GivenConvolution &given) {
  auto [x, kernel] = numbers(call, given.x, given.kernel);
  bool channelsFirst = isChannelsFirst(call, given.format);
  Steps steps = {stepsOf(call, given.strides, spatial, "strides"),
                 stepsOf(call, given.dilation, spatial, "dilation_rate"),
                 paddingRule(call, given.padding, given.mayBeCausal)};
  if (steps.rule == PaddingRule::Causal && channelsFirst)
    call.valueError("causal padding with data_format channels_first; needed channels_last");
  requireSpatialRank(call, x, "x", spatial);
  requireSpatialRank(call, kernel, given.kernelName, spatial);
  return {toChannelsLast(call, x, channelsFirst), kernel, std::move(steps), channelsFirst};
}

static std::string axisOf(const char *name, size_t axis, bool channelsFirst) {
  return "axis " + std::to_string(axis + (channelsFirst ? 2 : 1)) + " of " + name;
}

// The windows of a forward convolution over spatial sizes, and how many there are along each axis.
static Windows windowsOver(Call &call, const std::vector<DimExpr> &sizes, Value kernel,
                           const Steps &steps, const char *name, bool channelsFirst,
                           std::vector<DimExpr> &counts) {
  Windows windows;
  for (size_t i = 0; i < sizes.size(); ++i) {
    WindowExtent extent =
        windowExtent(call, sizes[i], ir::getShape(kernel)[i], steps.strides[i], steps.dilation[i],
                     steps.rule, axisOf(name, i, channelsFirst));
    windows.strides.push_back(steps.strides[i]);
    windows.dilation.push_back(steps.dilation[i]);
    windows.xDilation.push_back(1);
    windows.low.push_back(extent.low);
    windows.reversed.push_back(false);
    counts.push_back(extent.count);
  }
  return windows;
}

static std::vector<DimExpr> spatialSizes(Value x) {
  ir::Shape shape = ir::getShape(x);
  return {shape.begin() + 1, shape.end() - 1};
}

//===-- Forward -------------------------------------------------------------------------------===//

// Of x with its channels last, and a kernel (spatial…, in, out).
static Value convolve(Call &call, Value x, Value kernel, const Steps &steps, bool channelsFirst) {
  size_t spatial = size_t(call.rank(x)) - 2;
  agreeOnChannels(call, x, kernel, int64_t(spatial));
  ir::Shape result = {ir::getShape(x)[0]};
  Windows windows = windowsOver(call, spatialSizes(x), kernel, steps, "x", channelsFirst, result);
  result.push_back(ir::getShape(kernel).back());
  std::string image = digits(spatial);
  windows.dims = "b" + image + "c," + image + "cf->b" + image + "f";
  return call.g.convolution(x, kernel, windows, result);
}

// Each channel by itself, with a kernel (spatial…, channels, m).
static Value convolveDepthwise(Call &call, Value x, Value kernel, const Steps &steps,
                               bool channelsFirst) {
  size_t spatial = size_t(call.rank(x)) - 2;
  agreeOnChannels(call, x, kernel, int64_t(spatial));
  ir::Shape result = {ir::getShape(x)[0]};
  Windows windows = windowsOver(call, spatialSizes(x), kernel, steps, "x", channelsFirst, result);
  ir::Shape joined = result;
  const DimExpr channels = ir::getShape(x).back(), each = ir::getShape(kernel).back();
  result.push_back(channels);
  result.push_back(each);
  joined.push_back(call.check(ir::mul(channels, each)));
  std::string image = digits(spatial);
  windows.dims = "b" + image + "g," + image + "gf->b" + image + "gf";
  return call.g.reshape(call.g.convolution(x, kernel, windows, result), joined);
}

static Tensor convolution(const char *function, size_t spatial, const Operand &operand,
                          const Operand &kernel, const Shape &strides, const std::string &padding,
                          const DataFormat &format, const Shape &dilation,
                          SourceLocation location) {
  Call call(function, location);
  Convolved given = check(
      call, spatial, {operand, kernel, "kernel", strides, padding, format, dilation, spatial == 1});
  return given.result(call,
                      convolve(call, given.x, given.kernel, given.steps, given.channelsFirst));
}

static Tensor separable(const char *function, size_t spatial, const Operand &operand,
                        const Operand &depthwiseKernel, const Operand &pointwiseKernel,
                        const Shape &strides, const std::string &padding, const DataFormat &format,
                        const Shape &dilation, SourceLocation location) {
  Call call(function, location);
  Convolved given =
      check(call, spatial,
            {operand, depthwiseKernel, "depthwise_kernel", strides, padding, format, dilation});
  Value y = convolveDepthwise(call, given.x, given.kernel, given.steps, given.channelsFirst);
  Value pointwise = call.value(pointwiseKernel);
  DType dtype = promote(call.dtypeOf(y), call.dtypeOf(pointwise));
  pointwise = call.cast(pointwise, dtype);
  requireSpatialRank(call, pointwise, "pointwise_kernel", spatial);
  for (size_t i = 0; i < spatial; ++i)
    pointwise =
        call.withSize(pointwise, int64_t(i), 1, "the spatial axes of pointwise_kernel and 1");
  Steps points = {std::vector<int64_t>(spatial, 1), std::vector<int64_t>(spatial, 1),
                  PaddingRule::Valid};
  return given.result(call,
                      convolve(call, call.cast(y, dtype), pointwise, points, given.channelsFirst));
}

//===-- Transposed ----------------------------------------------------------------------------===//

// The sizes of the result with its channels last.
static ir::Shape resultShape(Call &call, const Shape &given, Value x, Value kernel, size_t spatial,
                             bool channelsFirst) {
  ir::Shape shape;
  for (const std::optional<DimExpr> &entry : call.entries(given, "output_shape")) {
    if (!entry && !shape.empty())
      call.valueError("entry " + std::to_string(shape.size()) +
                      " of output_shape is None; only the batch may be");
    shape.push_back(entry ? *entry : ir::getShape(x)[0]);
  }
  if (shape.size() != spatial + 2)
    call.valueError("output_shape has " + std::to_string(shape.size()) + " entries; needed " +
                    std::to_string(spatial + 2));
  for (const DimExpr &size : shape)
    call.requireAtLeast(size, 0, "an entry of output_shape must not be negative");
  if (channelsFirst)
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  const DimExpr channels = ir::getShape(kernel)[spatial];
  if (shape.back().isConstant() && channels.isConstant() && shape.back() != channels)
    call.valueError("output_shape has " + shape.back().str() + " channels; needed the " +
                    channels.str() + " of the kernel, whose shape is " + describe(kernel));
  return shape;
}

static Tensor transposed(const char *function, size_t spatial, const Operand &operand,
                         const Operand &kernelOperand, const Shape &outputShape,
                         const Shape &strides, const std::string &padding, const DataFormat &format,
                         const Shape &dilation, SourceLocation location) {
  Call call(function, location);
  auto [x, kernel, steps, channelsFirst] =
      check(call, spatial, {operand, kernelOperand, "kernel", strides, padding, format, dilation});
  agreeOnChannels(call, x, kernel, int64_t(spatial) + 1);
  ir::Shape result = resultShape(call, outputShape, x, kernel, spatial, channelsFirst);

  // The convolution that gives x's sizes from those of the result.
  std::vector<DimExpr> counts, sizes(result.begin() + 1, result.end() - 1);
  Windows windows = windowsOver(call, sizes, kernel, steps, "output_shape", channelsFirst, counts);
  for (size_t i = 0; i < spatial; ++i) {
    const DimExpr given = spatialSizes(x)[i];
    std::string axis = axisOf("x", i, channelsFirst);
    if (given.isConstant() && counts[i].isConstant() && given != counts[i])
      call.valueError(axis + " has size " + given.str() + ", but output_shape " + describe(result) +
                      " (channels last) would come from " + counts[i].str());
    call.requireEqual(given, counts[i], axis + " and what output_shape would come from");
  }
  // Its gradient: the same windows from the side of x.
  for (size_t i = 0; i < spatial; ++i) {
    DimExpr last = call.check(ir::sub(ir::getShape(kernel)[i], 1));
    last = call.check(ir::mul(last, windows.dilation[i]));
    windows.low[i] = call.check(ir::sub(last, windows.low[i]));
    std::swap(windows.strides[i], windows.xDilation[i]);
    windows.reversed[i] = true;
  }
  std::string image = digits(spatial);
  windows.dims = "b" + image + "c," + image + "fc->b" + image + "f";
  std::string batches = "the batch sizes of output_shape and x";
  std::string channels = "the channels of output_shape and kernel";
  result.front() = call.unify(result.front(), ir::getShape(x)[0], batches);
  result.back() = call.unify(result.back(), ir::getShape(kernel)[spatial], channels);
  x = call.withSize(x, 0, result.front(), batches);
  kernel = call.withSize(kernel, int64_t(spatial), result.back(), channels);
  return call.tensor(
      fromChannelsLast(call, call.g.convolution(x, kernel, windows, result), channelsFirst));
}

//===-- Unshared ------------------------------------------------------------------------------===//

// The windows of x (batch, spatial…, channels) as rows: (batch, places…, elements). Elements are
// (spatial…, channels), or (channels, spatial…).
static Value patches(Call &call, Value x, const std::vector<int64_t> &window,
                     const std::vector<int64_t> &strides, const std::vector<DimExpr> &places,
                     bool channelsFirst) {
  ir::Shape shape = ir::getShape(x), sizes = {shape.front()};
  sizes.insert(sizes.end(), places.begin(), places.end());
  sizes.push_back(shape.back());
  for (size_t i = 0; i < window.size(); ++i) {
    DimExpr last = call.check(ir::mul(call.check(ir::sub(places[i], 1)), strides[i]));
    call.requireAtLeast(shape[i + 1], call.check(ir::add(last, window[i])),
                        axisOf("inputs", i, false) + " must have the size that the windows cover");
  }
  std::vector<int64_t> steps(shape.size(), 1), offset(window.size(), 0);
  std::copy(strides.begin(), strides.end(), steps.begin() + 1);
  ir::Shape column = sizes;
  column.push_back(1);
  std::vector<Value> elements;
  for (bool more = true; more;) {
    ir::Shape starts(shape.size(), 0);
    std::copy(offset.begin(), offset.end(), starts.begin() + 1);
    Value element = call.g.slice(x, starts, sizes, steps);
    elements.push_back(channelsFirst ? call.g.reshape(element, column) : element);
    size_t i = window.size();
    while (i > 0 && ++offset[i - 1] == window[i - 1])
      offset[--i] = 0;
    more = i > 0;
  }
  Value joined = call.g.concatenate(elements, int64_t(column.size()) - (channelsFirst ? 1 : 2));
  ir::Shape rows(sizes.begin(), sizes.end() - 1);
  rows.push_back(call.check(ir::mul(shape.back(), int64_t(elements.size()))));
  return call.g.reshape(joined, rows);
}

// inputs with their channels last; places along each axis.
static Value convolveUnshared(Call &call, Value x, Value kernel, const std::vector<int64_t> &window,
                              const std::vector<int64_t> &strides,
                              const std::vector<DimExpr> &places, bool channelsFirst) {
  const DimExpr batch = ir::getShape(x).front();
  DimExpr count = call.check(ir::product(places));
  Value rows = patches(call, x, window, strides, places, channelsFirst);
  const DimExpr features = ir::getShape(rows).back();
  ir::Shape needed = {count, features, ir::getShape(kernel).back()};
  for (size_t i = 0; i < 2; ++i)
    if (const DimExpr given = ir::getShape(kernel)[i];
        given.isConstant() && needed[i].isConstant() && given != needed[i])
      call.valueError("kernel has shape " + describe(kernel) + "; needed " + needed[0].str() +
                      " places and " + needed[1].str() + " elements a window");
  kernel = call.requireShape(kernel, needed, "kernel and the windows");
  rows = call.g.reshape(rows, {batch, count, features});
  Value y = call.g.transpose(call.g.dotGeneral(rows, kernel, {1}, {0}, {2}, {1}), {1, 0, 2});
  ir::Shape result = {batch};
  result.insert(result.end(), places.begin(), places.end());
  result.push_back(ir::getShape(kernel).back());
  return call.g.reshape(y, result);
}

static void requireLocalKernel(const Call &call, Value kernel) {
  if (call.rank(kernel) != 3)
    call.valueError("kernel has shape " + describe(kernel) + "; needed rank 3");
}

namespace keratin::backend {

Tensor conv1d(const Operand &x, const Operand &kernel, const Shape &strides,
              const std::string &padding, const DataFormat &data_format, const Shape &dilation_rate,
              SourceLocation location) {
  return convolution("conv1d", 1, x, kernel, strides, padding, data_format, dilation_rate,
                     location);
}

Tensor conv2d(const Operand &x, const Operand &kernel, const Shape &strides,
              const std::string &padding, const DataFormat &data_format, const Shape &dilation_rate,
              SourceLocation location) {
  return convolution("conv2d", 2, x, kernel, strides, padding, data_format, dilation_rate,
                     location);
}

Tensor conv3d(const Operand &x, const Operand &kernel, const Shape &strides,
              const std::string &padding, const DataFormat &data_format, const Shape &dilation_rate,
              SourceLocation location) {
  return convolution("conv3d", 3, x, kernel, strides, padding, data_format, dilation_rate,
                     location);
}

Tensor conv2d_transpose(const Operand &x, const Operand &kernel, const Shape &output_shape,
                        const Shape &strides, const std::string &padding,
                        const DataFormat &data_format, const Shape &dilation_rate,
                        SourceLocation location) {
  return transposed("conv2d_transpose", 2, x, kernel, output_shape, strides, padding, data_format,
                    dilation_rate, location);
}

Tensor conv3d_transpose(const Operand &x, const Operand &kernel, const Shape &output_shape,
                        const Shape &strides, const std::string &padding,
                        const DataFormat &data_format, SourceLocation location) {
  return transposed("conv3d_transpose", 3, x, kernel, output_shape, strides, padding, data_format,
                    1, location);
}

Tensor depthwise_conv2d(const Operand &operand, const Operand &depthwise_kernel,
                        const Shape &strides, const std::string &padding,
                        const DataFormat &data_format, const Shape &dilation_rate,
                        SourceLocation location) {
  Call call("depthwise_conv2d", location);
  Convolved given = check(call, 2,
                          {operand, depthwise_kernel, "depthwise_kernel", strides, padding,
                           data_format, dilation_rate});
  return given.result(
      call, convolveDepthwise(call, given.x, given.kernel, given.steps, given.channelsFirst));
}

Tensor separable_conv1d(const Operand &x, const Operand &depthwise_kernel,
                        const Operand &pointwise_kernel, const Shape &strides,
                        const std::string &padding, const DataFormat &data_format,
                        const Shape &dilation_rate, SourceLocation location) {
  return separable("separable_conv1d", 1, x, depthwise_kernel, pointwise_kernel, strides, padding,
                   data_format, dilation_rate, location);
}

Tensor separable_conv2d(const Operand &x, const Operand &depthwise_kernel,
                        const Operand &pointwise_kernel, const Shape &strides,
                        const std::string &padding, const DataFormat &data_format,
                        const Shape &dilation_rate, SourceLocation location) {
  return separable("separable_conv2d", 2, x, depthwise_kernel, pointwise_kernel, strides, padding,
                   data_format, dilation_rate, location);
}

Tensor local_conv1d(const Operand &inputs, const Operand &kernelOperand, const Shape &kernel_size,
                    const Shape &strides, const DataFormat &data_format, SourceLocation location) {
  Call call("local_conv1d", location);
  auto [x, kernel] = numbers(call, inputs, kernelOperand);
  isChannelsFirst(call, data_format); // validated, but inputs are (batch, steps, channels)
  std::vector<int64_t> window = stepsOf(call, kernel_size, 1, "kernel_size");
  std::vector<int64_t> steps = stepsOf(call, strides, 1, "strides");
  requireSpatialRank(call, x, "inputs", 1);
  requireLocalKernel(call, kernel);
  return call.tensor(
      convolveUnshared(call, x, kernel, window, steps, {ir::getShape(kernel)[0]}, false));
}

Tensor local_conv2d(const Operand &inputs, const Operand &kernelOperand, const Shape &kernel_size,
                    const Shape &strides, const Shape &output_shape, const DataFormat &data_format,
                    SourceLocation location) {
  Call call("local_conv2d", location);
  auto [x, kernel] = numbers(call, inputs, kernelOperand);
  bool channelsFirst = isChannelsFirst(call, data_format);
  std::vector<int64_t> window = stepsOf(call, kernel_size, 2, "kernel_size");
  std::vector<int64_t> steps = stepsOf(call, strides, 2, "strides");
  requireSpatialRank(call, x, "inputs", 2);
  requireLocalKernel(call, kernel);
  ir::Shape places = call.shape(output_shape, "output_shape");
  if (places.size() != 2)
    call.valueError("output_shape has " + std::to_string(places.size()) +
                    " entries; needed rows and columns");
  Value y = convolveUnshared(call, toChannelsLast(call, x, channelsFirst), kernel, window, steps,
                             places, channelsFirst);
  return call.tensor(fromChannelsLast(call, y, channelsFirst));
}

} // namespace keratin::backend
