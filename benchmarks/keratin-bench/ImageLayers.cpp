#include "benchmarks/keratin-bench/ImageLayers.h"

#include "benchmarks/keratin-bench/DoubleMath.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

static constexpr double kEpsilon = 1e-3; // of normalisations

//===-- The graph --------------------------------------------------------------------------------//

Tensor GraphLayers::make(std::vector<int64_t> dims, double low, double high) {
  parameters.push_back(
      K::variable(randomArray(std::move(dims), low, high, uint64_t(100 + parameters.size()))));
  return parameters.back();
}

static int64_t channelsOf(const Tensor &x) { return x.shape().back().value(); }
static const char *keyOf(Padding padding) { return padding == Padding::Same ? "same" : "valid"; }

// Glorot and Bengio, AISTATS 2010.
static double limitOf(int64_t inputs, int64_t outputs) {
  return std::sqrt(6.0 / double(inputs + outputs));
}

Tensor GraphLayers::convolution(const Tensor &x, int64_t size, int64_t filters, int64_t stride,
                                Padding padding) {
  int64_t channels = channelsOf(x);
  double limit = limitOf(size * size * channels, size * size * filters);
  return K::conv2d(x, make({size, size, channels, filters}, -limit, limit), {stride, stride},
                   keyOf(padding));
}

Tensor GraphLayers::depthwise(const Tensor &x, int64_t size) {
  double limit = limitOf(size * size, size * size);
  return K::depthwise_conv2d(x, make({size, size, channelsOf(x), 1}, -limit, limit), {1, 1},
                             "same");
}

Tensor GraphLayers::bias(const Tensor &x) {
  return K::bias_add(x, make({channelsOf(x)}, -0.1, 0.1));
}

Tensor GraphLayers::normalize(const Tensor &x, double scale) {
  Tensor gamma = make({channelsOf(x)}, 0.5 * scale, 1.5 * scale),
         beta = make({channelsOf(x)}, -0.1, 0.1);
  return std::get<0>(K::normalize_batch_in_training(x, gamma, beta, {0, 1, 2}, kEpsilon));
}

Tensor GraphLayers::maxPool(const Tensor &x, int64_t size, int64_t stride, Padding padding) {
  return K::pool2d(x, {size, size}, {stride, stride}, keyOf(padding));
}
Tensor GraphLayers::meanPool(const Tensor &x) { return K::mean(x, {1, 2}); }

Tensor GraphLayers::dense(const Tensor &x, int64_t units) {
  int64_t inputs = channelsOf(x);
  double limit = limitOf(inputs, units);
  return K::dot(x, make({inputs, units}, -limit, limit));
}

//===-- The reference ----------------------------------------------------------------------------//

// How many windows, and how many zeros before the first element.
static std::pair<int64_t, int64_t> windowsOf(int64_t size, int64_t window, int64_t stride,
                                             Padding padding) {
  if (padding == Padding::Valid)
    return {(size - window) / stride + 1, 0};
  int64_t count = (size + stride - 1) / stride;
  return {count, std::max<int64_t>((count - 1) * stride + window - size, 0) / 2};
}

DoubleImage DoubleLayers::convolution(const DoubleImage &x, int64_t size, int64_t filters,
                                      int64_t stride, Padding padding) {
  auto [height, top] = windowsOf(x.height, size, stride, padding);
  auto [width, left] = windowsOf(x.width, size, stride, padding);
  DoubleImage y{x.batch, height, width, filters, Doubles(x.batch * height * width * filters)};
  const Doubles &filter = next();
  for (int64_t n = 0; n < x.batch; ++n)
    for (int64_t row = 0; row < height; ++row)
      for (int64_t column = 0; column < width; ++column)
        for (int64_t i = 0; i < size; ++i)
          for (int64_t j = 0; j < size; ++j) {
            int64_t from = row * stride + i - top, at = column * stride + j - left;
            if (from < 0 || from >= x.height || at < 0 || at >= x.width)
              continue;
            double *sums = &y.at(n, row, column, 0);
            for (int64_t c = 0; c < x.channels; ++c) {
              const double *weights = &filter[((i * size + j) * x.channels + c) * filters];
              double element = x.at(n, from, at, c);
              for (int64_t f = 0; f < filters; ++f)
                sums[f] += element * weights[f];
            }
          }
  count(double(y.data.size()) * double(size * size * x.channels));
  return y;
}

DoubleImage DoubleLayers::depthwise(const DoubleImage &x, int64_t size) {
  DoubleImage y{x.batch, x.height, x.width, x.channels, Doubles(x.data.size())};
  const Doubles &filter = next();
  for (int64_t n = 0; n < x.batch; ++n)
    for (int64_t row = 0; row < x.height; ++row)
      for (int64_t column = 0; column < x.width; ++column)
        for (int64_t i = 0; i < size; ++i)
          for (int64_t j = 0; j < size; ++j) {
            int64_t from = row + i - size / 2, at = column + j - size / 2;
            if (from < 0 || from >= x.height || at < 0 || at >= x.width)
              continue;
            for (int64_t c = 0; c < x.channels; ++c)
              y.at(n, row, column, c) +=
                  x.at(n, from, at, c) * filter[(i * size + j) * x.channels + c];
          }
  count(double(y.data.size()) * double(size * size));
  return y;
}

DoubleImage DoubleLayers::bias(DoubleImage x) {
  const Doubles &biases = next();
  for (size_t i = 0; i < x.data.size(); ++i)
    x.data[i] += biases[i % biases.size()];
  return x;
}

DoubleImage DoubleLayers::normalize(DoubleImage x, double) {
  const Doubles &gamma = next(), &beta = next();
  size_t channels = gamma.size();
  double rows = double(x.data.size() / channels);
  Doubles mean(channels), variance(channels);
  for (size_t i = 0; i < x.data.size(); ++i)
    mean[i % channels] += x.data[i] / rows;
  for (size_t i = 0; i < x.data.size(); ++i)
    variance[i % channels] += std::pow(x.data[i] - mean[i % channels], 2) / rows;
  for (size_t i = 0; i < x.data.size(); ++i) {
    size_t c = i % channels;
    x.data[i] = (x.data[i] - mean[c]) / std::sqrt(variance[c] + kEpsilon) * gamma[c] + beta[c];
  }
  return x;
}

DoubleImage DoubleLayers::clip(DoubleImage x, double most) {
  for (double &element : x.data)
    element = std::clamp(element, 0.0, most);
  return x;
}

DoubleImage DoubleLayers::add(DoubleImage x, const DoubleImage &y) {
  for (size_t i = 0; i < x.data.size(); ++i)
    x.data[i] += y.data[i];
  return x;
}

DoubleImage DoubleLayers::maxPool(const DoubleImage &x, int64_t size, int64_t stride,
                                  Padding padding) {
  auto [height, top] = windowsOf(x.height, size, stride, padding);
  auto [width, left] = windowsOf(x.width, size, stride, padding);
  DoubleImage y{x.batch, height, width, x.channels,
                Doubles(x.batch * height * width * x.channels, -HUGE_VAL)};
  for (int64_t n = 0; n < x.batch; ++n)
    for (int64_t row = 0; row < height; ++row)
      for (int64_t column = 0; column < width; ++column)
        for (int64_t i = 0; i < size; ++i)
          for (int64_t j = 0; j < size; ++j) {
            int64_t from = row * stride + i - top, at = column * stride + j - left;
            if (from < 0 || from >= x.height || at < 0 || at >= x.width)
              continue;
            for (int64_t c = 0; c < x.channels; ++c)
              y.at(n, row, column, c) = std::max(y.at(n, row, column, c), x.at(n, from, at, c));
          }
  return y;
}

DoubleImage DoubleLayers::meanPool(const DoubleImage &x) {
  DoubleImage y{x.batch, 1, 1, x.channels, Doubles(x.batch * x.channels)};
  for (int64_t n = 0; n < x.batch; ++n)
    for (int64_t row = 0; row < x.height; ++row)
      for (int64_t column = 0; column < x.width; ++column)
        for (int64_t c = 0; c < x.channels; ++c)
          y.at(n, 0, 0, c) += x.at(n, row, column, c) / double(x.height * x.width);
  return y;
}

DoubleImage DoubleLayers::flatten(DoubleImage x) {
  x.channels *= x.height * x.width;
  x.height = x.width = 1;
  return x;
}

DoubleImage DoubleLayers::dense(const DoubleImage &x, int64_t units) {
  count(double(x.data.size()) * double(units));
  return {x.batch, 1, 1, units, multiply(x.data, next(), x.batch, units, x.channels)};
}
