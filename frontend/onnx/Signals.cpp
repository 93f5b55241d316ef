// Ops of ONNX for signals: windows and Fourier transforms.
#include "frontend/onnx/Orders.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/shapes.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

constexpr int64_t kLongest = 1 << 16; // of a transform that is a product with a matrix

int64_t known(ModelNode &node, size_t input, const char *what) {
  const std::vector<int64_t> numbers = node.integersOf(input, what);
  if (numbers.size() != 1)
    node.fail("has " + std::to_string(numbers.size()) + " numbers for " + what + "; needed one");
  return numbers.front();
}

// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n).
Values window(ModelNode &node, double a0, double a1, double a2) {
  const int64_t size = known(node, 0, "the size");
  if (size < 0 || size > (int64_t(1) << 24))
    node.fail("has a window of size " + std::to_string(size));
  const DType dtype = node.dtype("output_datatype", DType::Float32);
  const double n = double(node.integer("periodic", 1) ? size : size - 1);
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const double angle = n > 0 ? 2 * M_PI * double(i) / n : 0;
    values.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  return one(Array(values).astype(dtype));
}
Values hann(ModelNode &node) { return window(node, 0.5, 0.5, 0); }
Values hamming(ModelNode &node) { return window(node, 25.0 / 46, 1 - 25.0 / 46, 0); }
Values blackman(ModelNode &node) { return window(node, 0.42, 0.5, 0.08); }

// x (…, length of signal, 1 or 2 parts) along the second-to-last axis to (…, length of the
// transform, 2): products with the matrices of cosines and sines.
Tensor transformed(ModelNode &node, const Tensor &x, int64_t length, int64_t from, bool isInverse,
                   bool isOnesided) {
  const SourceLocation at = node.place;
  const std::optional<int64_t> parts = x.shape().back();
  if (!parts || (*parts != 1 && *parts != 2))
    node.fail("has a signal whose last size is not 1 or 2");
  if (length < 1 || length > kLongest)
    node.notImplemented("transforms of more than " + std::to_string(kLongest) + " numbers");
  const int64_t count = isOnesided ? length / 2 + 1 : length;
  // What is longer than the transform is cut off, what is shorter has zeros behind.
  const int64_t used = std::min(from, length);
  std::vector<double> cosines, sines;
  for (int64_t i = 0; i < used; ++i)
    for (int64_t k = 0; k < count; ++k) {
      const double angle = 2 * M_PI * double((i * k) % length) / double(length);
      const double scale = isInverse ? 1.0 / double(length) : 1;
      cosines.push_back(scale * std::cos(angle));
      sines.push_back((isInverse ? scale : -scale) * std::sin(angle));
    }
  auto part = [&](int64_t number) {
    std::vector<IndexList::Item> items{Ellipsis, Slice(0, used), number};
    return x[IndexList(std::move(items), at)];
  };
  const DType dtype = x.dtype();
  auto matrix = [&](const std::vector<double> &numbers) {
    return Array(numbers).reshape({used, count}).astype(dtype);
  };
  const Array c = matrix(cosines), s = matrix(sines);
  const Tensor real = part(0);
  Tensor re = K::dot(real, c, at), im = K::dot(real, s, at);
  if (*parts == 2) {
    const Tensor imaginary = part(1);
    re = re - K::dot(imaginary, s, at);
    im = im + K::dot(imaginary, c, at);
  }
  return K::stack({re, im}, -1, at);
}

Values fourier(ModelNode &node) {
  Tensor x = node.input(0);
  const SourceLocation at = node.place;
  const bool isOnesided = node.integer("onesided", 0), isInverse = node.integer("inverse", 0);
  if (isOnesided && isInverse)
    node.notImplemented("inverse transforms of one side");
  const int64_t axis =
      node.axis(node.opset < 20 || !node.has(2) ? node.integer("axis", node.opset < 20 ? 1 : -2)
                                                : known(node, 2, "the axis"),
                x.ndim());
  const std::optional<int64_t> from = x.shape()[size_t(axis)];
  if (!from)
    node.notImplemented("transforms of sizes that only a call knows");
  const int64_t length = node.has(1) ? known(node, 1, "the length") : *from;
  // The axis beside the parts.
  Numbers order;
  for (int64_t i = 0; i + 1 < x.ndim(); ++i)
    if (i != axis)
      order.push_back(i);
  order.push_back(axis);
  order.push_back(x.ndim() - 1);
  x = K::permute_dimensions(x, order, at);
  return one(K::permute_dimensions(transformed(node, x, length, *from, isInverse, isOnesided),
                                   inverseOf(order), at));
}

// (batch, signal, parts) to (batch, frames, frequencies, 2).
Values shortTime(ModelNode &node) {
  Tensor x = node.input(0);
  const SourceLocation at = node.place;
  const int64_t step = known(node, 1, "frame_step");
  const std::optional<int64_t> size = x.ndim() == 3 ? x.shape()[1] : None;
  if (!size)
    node.notImplemented("transforms of sizes that only a call knows");
  int64_t length = *size;
  if (node.has(3))
    length = known(node, 3, "frame_length");
  else if (node.has(2) && node.input(2).ndim() == 1 && node.input(2).shape()[0])
    length = *node.input(2).shape()[0];
  if (step < 1 || length < 1 || length > *size)
    node.fail("has frames of " + std::to_string(length) + " each " + std::to_string(step));
  const int64_t frames = (*size - length) / step + 1;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < frames; ++i)
    for (int64_t k = 0; k < length; ++k)
      places.push_back(i * step + k);
  // (signal, batch, parts) to (frames, length, batch, parts) to (batch, frames, length, parts).
  Tensor y = K::gather(K::permute_dimensions(x, {1, 0, 2}, at),
                       Array::copyOf(DType::Int64, {frames, length}, places.data()), at);
  y = K::permute_dimensions(y, {2, 0, 1, 3}, at);
  if (node.has(2)) {
    Call call("load_onnx", at);
    const Value value = call.value(y);
    const Value weights = call.cast(call.value(node.input(2)), call.dtypeOf(value));
    y = call.tensor(call.g.mul(
        value, call.g.broadcast(call.withSize(weights, 0, length, "the window and the frames"),
                                ir::getShape(value), {2})));
  }
  return one(transformed(node, y, length, length, false, node.integer("onesided", 1)));
}

double knownNumber(ModelNode &node, size_t input, const char *what) {
  const Array *array = node.constant(input);
  if (!array)
    node.notImplemented(std::string(what) + " that only a call knows");
  if (array->size() != 1)
    node.fail("has " + std::to_string(array->size()) + " numbers for " + what + "; needed one");
  return array->toVector<double>().front();
}

// Triangles over the places of a spectrum, evenly spaced on the mel scale, a column each.
Values melWeights(ModelNode &node) {
  const int64_t bins = known(node, 0, "the number of bins"), length = known(node, 1, "the length"),
                rate = known(node, 2, "the sample rate");
  const double low = knownNumber(node, 3, "the lower edge"),
               high = knownNumber(node, 4, "the upper edge");
  const DType dtype = node.dtype("output_datatype", DType::Float32);
  constexpr int64_t most = 1 << 24;
  if (bins < 0 || length < 0 || rate < 1 || bins > most || length > most)
    node.fail("has " + std::to_string(bins) + " bins over " + std::to_string(length) +
              " samples at a rate of " + std::to_string(rate));
  const int64_t places = length / 2 + 1;
  if (bins && places > most / bins)
    node.notImplemented("weights of more than " + std::to_string(most) + " numbers");
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(high) - mel(low)) / double(bins + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (mel(low) + double(i) * step) / 2595) - 1);
    const double place = std::floor(double(length + 1) * hertz / double(rate));
    if (!(place >= 0) || place > double(places - 1))
      node.fail("has edges of bands at " + std::to_string(low) + " and " + std::to_string(high) +
                "; needed some from 0 to half the sample rate");
    edges.push_back(int64_t(place));
  }
  std::vector<double> weights(size_t(places * bins), 0);
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t left = edges[size_t(i)], centre = edges[size_t(i) + 1],
                  right = edges[size_t(i) + 2];
    auto at = [&](int64_t place) -> double & { return weights[size_t(place * bins + i)]; };
    for (int64_t place = left; place < centre; ++place)
      at(place) = double(place - left) / double(centre - left);
    at(centre) = 1;
    for (int64_t place = centre + 1; place < right; ++place)
      at(place) = double(right - place) / double(right - centre);
  }
  return one(Array(weights, {places, bins}).astype(dtype));
}

const OpRecord signalRecords[] = {
    {"BlackmanWindow", blackman},    {"DFT", fourier},
    {"HammingWindow", hamming},      {"HannWindow", hann},
    {"MelWeightMatrix", melWeights}, {"STFT", shortTime},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::signalOps() { return signalRecords; }
