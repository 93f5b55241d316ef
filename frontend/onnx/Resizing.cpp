// Resize and Upsample of ONNX.
#include "frontend/onnx/Orders.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/shapes.h"

#include <algorithm>
#include <cmath>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// How places of the result lie in x, and what is there between elements.
struct Rule {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, extrapolation = 0;
  bool excludesOutside = false;
};

// One axis: its sizes, what they are scaled by, and the part of x that is looked at.
struct Axis {
  int64_t from = 0, to = 0;
  double scale = 1, start = 0, end = 1;
};

double placeOf(const Rule &rule, const Axis &axis, int64_t i) {
  const double at = double(i), last = double(axis.from - 1), most = double(axis.to - 1);
  if (rule.coordinates == "asymmetric")
    return at / axis.scale;
  if (rule.coordinates == "align_corners")
    return axis.to > 1 ? at * last / most : 0;
  if (rule.coordinates == "tf_half_pixel_for_nn")
    return (at + 0.5) / axis.scale;
  if (rule.coordinates == "tf_crop_and_resize")
    return axis.to > 1 ? axis.start * last + at * (axis.end - axis.start) * last / most
                       : 0.5 * (axis.start + axis.end) * last;
  if (rule.coordinates == "pytorch_half_pixel" && axis.to <= 1)
    return 0;
  double offset = 0;
  if (rule.coordinates == "half_pixel_symmetric")
    offset = double(axis.from) / 2 * (1 - double(axis.to) / (axis.scale * double(axis.from)));
  return offset + (at + 0.5) / axis.scale - 0.5;
}

double nearestOf(const std::string &mode, double place) {
  if (mode == "floor")
    return std::floor(place);
  if (mode == "ceil")
    return std::ceil(place);
  if (mode == "round_prefer_ceil")
    return std::floor(place + 0.5);
  return std::ceil(place - 0.5);
}

// Weights of neighbours from floor(place) - 1, or for two from floor(place), on.
std::vector<double> weightsOf(const Rule &rule, double place) {
  const double t = place - std::floor(place);
  if (rule.mode == "linear")
    return {1 - t, t};
  // Keys (1981), "Cubic convolution interpolation for digital image processing".
  const double a = rule.cubic;
  auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

Tensor resizedAlong(ModelNode &node, Tensor x, int64_t number, const Axis &axis, const Rule &rule) {
  const SourceLocation at = node.place;
  const Numbers order = axisFirst(x.ndim(), number);
  x = K::permute_dimensions(x, order, at);
  const size_t taps = rule.mode == "nearest" ? 1 : rule.mode == "linear" ? 2 : 4;
  std::vector<std::vector<int64_t>> indices(taps);
  std::vector<std::vector<double>> weights(taps);
  std::vector<double> outside;
  bool hasOutside = false;
  for (int64_t i = 0; i < axis.to; ++i) {
    const double place = placeOf(rule, axis, i);
    const bool isOutside =
        rule.coordinates == "tf_crop_and_resize" && (place < 0 || place > double(axis.from - 1));
    outside.push_back(isOutside ? 1 : 0);
    hasOutside = hasOutside || isOutside;
    auto inside = [&](double index) {
      const double last = double(axis.from - 1);
      return int64_t(index > 0 ? std::min(index, last) : 0); // of no number, too
    };
    if (taps == 1) {
      indices[0].push_back(inside(nearestOf(rule.nearest, place)));
      continue;
    }
    const double first = std::floor(place) - (taps == 4 ? 1 : 0);
    std::vector<double> w = weightsOf(rule, place);
    double sum = 0;
    for (size_t t = 0; t < taps; ++t) {
      const double index = first + double(t);
      if (rule.excludesOutside && (index < 0 || index > double(axis.from - 1)))
        w[t] = 0;
      sum += w[t];
      indices[t].push_back(inside(index));
    }
    for (size_t t = 0; t < taps; ++t)
      weights[t].push_back(rule.excludesOutside ? w[t] / sum : w[t]);
  }
  Tensor result;
  for (size_t t = 0; t < taps; ++t) {
    Tensor part = K::gather(x, Array::copyOf(DType::Int64, {axis.to}, indices[t].data()), at);
    if (taps == 1) {
      result = part;
      break;
    }
    Call call("load_onnx", at);
    const Value value = call.value(part);
    const Value weight = call.literal(Array(weights[t]), call.dtypeOf(value));
    const Value product = call.g.mul(value, call.g.broadcast(weight, ir::getShape(value), {0}));
    result = call.tensor(t ? call.g.add(call.value(result), product) : product);
  }
  if (hasOutside) {
    Call call("load_onnx", at);
    const Value value = call.value(result);
    const Value mask = call.cast(call.literal(Array(outside), DType::UInt8), DType::Bool);
    result = call.tensor(call.g.select(call.g.broadcast(mask, ir::getShape(value), {0}),
                                       call.like(value, rule.extrapolation), value));
  }
  return K::permute_dimensions(result, inverseOf(order), at);
}

// Whether each element comes so many times, wherever it is.
bool repeats(const Rule &rule, double scale) {
  if (rule.mode != "nearest" || scale < 1 || scale != std::floor(scale))
    return false;
  if (rule.coordinates == "half_pixel" || rule.coordinates == "pytorch_half_pixel")
    return rule.nearest == "round_prefer_floor" || rule.nearest == "round_prefer_ceil";
  return rule.coordinates == "asymmetric" &&
         (rule.nearest == "floor" || (rule.nearest == "round_prefer_floor" && scale <= 2));
}

// There is a list of where each place of an axis comes from.
constexpr double kMost = 1 << 24;

Tensor resized(ModelNode &node, Tensor x, const std::vector<int64_t> &axes,
               const std::vector<double> &scales, const std::vector<int64_t> &sizes,
               const std::vector<double> &region, const Rule &rule) {
  const DType dtype = x.dtype();
  if (rule.mode != "nearest" && !isFloating(dtype))
    x = K::cast(x, DType::Float32, node.place);
  const std::string words = "half_pixel pytorch_half_pixel align_corners asymmetric "
                            "tf_half_pixel_for_nn tf_crop_and_resize half_pixel_symmetric ";
  if (words.find(rule.coordinates + " ") == std::string::npos)
    node.fail("has the unknown coordinate_transformation_mode '" + rule.coordinates + "'");
  if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic")
    node.fail("has the unknown mode '" + rule.mode + "'");
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t number = axes[i];
    const std::optional<int64_t> from = x.shape()[size_t(number)];
    Axis axis;
    if (!from) {
      if (!sizes.empty() || !repeats(rule, scales[i]))
        node.notImplemented(
            "Resize of sizes that only a call knows, but by whole numbers to the nearest");
      if (scales[i] != 1)
        x = K::repeat_elements(x, int64_t(scales[i]), number, node.place);
      continue;
    }
    axis.from = *from;
    if (sizes.empty()) {
      axis.scale = scales[i];
      if (!(axis.scale > 0) || axis.scale * double(axis.from) > kMost)
        node.fail("has a scale of " + std::to_string(axis.scale));
      axis.to = int64_t(std::floor(double(axis.from) * axis.scale));
    } else {
      axis.to = sizes[i];
      if (axis.to < 0 || axis.to > int64_t(kMost) || axis.from == 0)
        node.fail("has a size of " + std::to_string(axis.to));
      axis.scale = double(axis.to) / double(axis.from);
    }
    const bool crops = rule.coordinates == "tf_crop_and_resize";
    if (crops && region.size() == 2 * axes.size()) {
      axis.start = region[i];
      axis.end = region[i + axes.size()];
    }
    if (axis.to == axis.from && axis.scale == 1 && !(crops && (axis.start != 0 || axis.end != 1)))
      continue;
    x = resizedAlong(node, x, number, axis, rule);
  }
  return K::cast(x, dtype, node.place);
}

std::vector<double> numbersOf(ModelNode &node, size_t input, const char *what) {
  if (!node.has(input))
    return {};
  const Array *known = node.constant(input);
  if (!known)
    node.notImplemented(std::string(what) + " that only a call knows");
  return known->toVector<double>();
}

Values resize(ModelNode &node) {
  Tensor x = node.input(0);
  Rule rule;
  rule.mode = node.text("mode", "nearest");
  const bool isOld = node.opset < 11;
  rule.coordinates =
      isOld ? "asymmetric" : node.text("coordinate_transformation_mode", "half_pixel");
  rule.nearest = isOld ? "floor" : node.text("nearest_mode", "round_prefer_floor");
  rule.cubic = node.number("cubic_coeff_a", -0.75);
  rule.extrapolation = node.number("extrapolation_value", 0);
  rule.excludesOutside = node.integer("exclude_outside", 0);
  if (node.integer("antialias", 0))
    node.notImplemented("Resize with antialias");
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    node.notImplemented("Resize that keeps the aspect ratio");
  std::vector<double> scales = numbersOf(node, isOld ? 1 : 2, "scales"), region;
  std::vector<int64_t> sizes;
  if (!isOld && node.has(3))
    sizes = node.integersOf(3, "sizes");
  if (!isOld && rule.coordinates == "tf_crop_and_resize")
    region = numbersOf(node, 1, "roi");
  std::vector<int64_t> axes = node.integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < x.ndim(); ++i)
      axes.push_back(i);
  for (int64_t &axis : axes)
    axis = node.axis(axis, x.ndim());
  if ((sizes.empty() ? scales.size() : sizes.size()) != axes.size())
    node.fail("needs a scale or a size for each of " + std::to_string(axes.size()) + " axes");
  return one(resized(node, x, axes, scales, sizes, region, rule));
}

Values upsample(ModelNode &node) {
  Tensor x = node.input(0);
  Rule rule;
  rule.mode = node.text("mode", "nearest");
  rule.coordinates = "asymmetric";
  rule.nearest = "floor";
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < x.ndim(); ++i)
    axes.push_back(i);
  const std::vector<double> scales =
      node.opset < 9 ? node.numbers("scales") : numbersOf(node, 1, "scales");
  if (scales.size() != axes.size())
    node.fail("needs a scale for each of " + std::to_string(axes.size()) + " axes");
  return one(resized(node, x, axes, scales, {}, {}, rule));
}

const OpRecord records[] = {{"Resize", resize}, {"Upsample", upsample}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::resizingOps() { return records; }
