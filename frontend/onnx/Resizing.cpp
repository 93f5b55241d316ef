// Resize and Upsample of ONNX.
#include "frontend/onnx/Interpolation.h"
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
  bool excludesOutside = false, isSmooth = false; // antialias
};

// One axis: its sizes, what they are scaled by, the size that this gives, which need not be whole,
// and the part of x that is looked at.
struct Axis {
  int64_t from = 0, to = 0;
  double scale = 1, scaled = 0, start = 0, end = 1;
};

double placeOf(const Rule &rule, const Axis &axis, int64_t i) {
  const double at = double(i), last = double(axis.from - 1), most = axis.scaled - 1;
  if (rule.coordinates == "asymmetric")
    return at / axis.scale;
  if (rule.coordinates == "align_corners")
    return axis.to > 1 && most != 0 ? at * last / most : 0;
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

// How far behind floor(place) the first neighbour is, and how many there are. To be smooth, what is
// made smaller takes all that is between places.
struct Reach {
  int64_t first = 0, count = 1;
  double scale = 1;
};
Reach reachOf(const Rule &rule, const Axis &axis) {
  if (rule.mode == "nearest" || axis.to == 0)
    return {};
  Reach reach;
  reach.scale = rule.isSmooth ? std::min(axis.scale, 1.0) : 1;
  reach.first = int64_t(std::floor((rule.mode == "linear" ? -1 : -2) / reach.scale)) + 1;
  reach.count = 2 - 2 * reach.first;
  return reach;
}

std::vector<double> weightsOf(const Rule &rule, const Reach &reach, double place) {
  const double t = place - std::floor(place);
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = 0; i < reach.count; ++i) {
    const double distance = (double(reach.first + i) - t) * reach.scale;
    weights.push_back(rule.mode == "linear" ? std::max(0.0, 1 - std::abs(distance))
                                            : cubicAt(distance, rule.cubic));
    sum += weights.back();
  }
  if (reach.scale < 1)
    for (double &weight : weights)
      weight /= sum;
  return weights;
}

// (places of the result, elements) times (elements, …).
Tensor mixed(Call &call, Value x, const std::vector<double> &weights, int64_t to) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(x);
  ir::Shape result = shape;
  result.front() = to;
  const DimExpr rest = call.check(ir::product({shape.begin() + 1, shape.end()}));
  const Value matrix =
      call.literal(Array(weights, {to, shape.front().constantValue()}), call.dtypeOf(x));
  const Value product = g.dotGeneral(matrix, g.reshape(x, {shape.front(), rest}), {}, {}, {1}, {0});
  return call.tensor(g.reshape(product, result));
}

// Elements of x along an axis, by number. They are rows of what lies behind the axis, numbered
// through all that lies before it.
Value picked(Call &call, Value x, int64_t axis, Value indices) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(x);
  if (axis == 0)
    return g.gather(x, indices);
  const auto at = shape.begin() + axis;
  const DimExpr before = call.check(ir::product({shape.begin(), at}));
  const DimExpr to = ir::getShape(indices)[0];
  ir::Shape rows{call.check(ir::mul(before, *at))}, result = shape;
  rows.insert(rows.end(), at + 1, shape.end());
  result[size_t(axis)] = to;
  const ir::Shape places{before, to};
  const Value firsts = g.mul(g.iota(ir::getTensorType(places, call.elementType(DType::Int64)), 0),
                             g.broadcastScalar(call.scalar(*at, DType::Int64), places));
  const Value numbers = g.add(firsts, g.broadcast(indices, places, {1}));
  return g.reshape(g.gather(g.reshape(x, rows), numbers), result);
}

// In which order axes are while x is resized along one: that one first, but where rows that move as
// a whole lie behind it.
Numbers orderFor(const Tensor &x, int64_t number, bool isRows) {
  return axisFirst(x.ndim(), isRows && number + 1 < x.ndim() ? 0 : number);
}

Tensor resizedAlong(ModelNode &node, Tensor x, int64_t number, const Axis &axis, const Rule &rule,
                    bool isRows) {
  const SourceLocation at = node.place;
  const Reach reach = reachOf(rule, axis);
  const size_t taps = size_t(reach.count);
  constexpr size_t mostTaps = 8;
  constexpr int64_t mostWeights = 1 << 22;
  const bool isProduct = taps > mostTaps;
  const Numbers order = orderFor(x, number, isRows && !isProduct);
  const int64_t along = inverseOf(order)[size_t(number)];
  x = K::permute_dimensions(x, order, at);
  if (isProduct && axis.to && axis.from > mostWeights / axis.to)
    node.notImplemented("Resize with antialias by more than " + std::to_string(mostWeights) +
                        " weights");
  std::vector<double> matrix(isProduct ? size_t(axis.from * axis.to) : 0, 0);
  std::vector<std::vector<int64_t>> indices(isProduct ? 0 : taps);
  std::vector<std::vector<double>> weights(isProduct ? 0 : taps);
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
    const double first = std::floor(place) + double(reach.first);
    std::vector<double> w = weightsOf(rule, reach, place);
    double sum = 0;
    for (size_t t = 0; t < taps; ++t) {
      const double index = first + double(t);
      if (rule.excludesOutside && (index < 0 || index > double(axis.from - 1)))
        w[t] = 0;
      sum += w[t];
    }
    for (size_t t = 0; t < taps; ++t) {
      const double weight = rule.excludesOutside ? w[t] / sum : w[t];
      const int64_t index = inside(first + double(t));
      if (isProduct) {
        matrix[size_t(i * axis.from + index)] += weight;
        continue;
      }
      indices[t].push_back(index);
      weights[t].push_back(weight);
    }
  }
  Tensor result;
  if (isProduct) {
    Call call("load_onnx", at);
    result = mixed(call, call.value(x), matrix, axis.to);
  }
  for (size_t t = 0; t < taps && !isProduct; ++t) {
    Call call("load_onnx", at);
    const Array index = Array::copyOf(DType::Int64, {axis.to}, indices[t].data());
    const Value value = picked(call, call.value(x), along, call.literal(index));
    if (taps == 1) {
      result = call.tensor(value);
      break;
    }
    const Value weight = call.literal(Array(weights[t]), call.dtypeOf(value));
    const Value product = call.g.mul(value, call.g.broadcast(weight, ir::getShape(value), {along}));
    result = call.tensor(t ? call.g.add(call.value(result), product) : product);
  }
  if (hasOutside) {
    Call call("load_onnx", at);
    const Value value = call.value(result);
    const Value mask = call.cast(call.literal(Array(outside), DType::UInt8), DType::Bool);
    result = call.tensor(call.g.select(call.g.broadcast(mask, ir::getShape(value), {along}),
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

//===-- Of sizes that only a call knows -------------------------------------------------------===//

// Places of a vector of numbers of places of the result, in float64.
Value openPlaces(ModelNode &node, Call &call, Value at, Value from, Value to, Value scale,
                 Value scaled, const Rule &rule) {
  auto &g = call.g;
  const Value zero = g.zeroLike(at), one = g.oneLike(at), half = call.like(at, 0.5);
  const Value centre = g.div(g.add(at, half), scale);
  if (rule.coordinates == "asymmetric")
    return g.div(at, scale);
  if (rule.coordinates == "tf_half_pixel_for_nn")
    return centre;
  if (rule.coordinates == "align_corners") {
    const Value most = g.sub(scaled, one), isOne = g.equal(most, zero);
    const Value place = g.div(g.mul(at, g.sub(from, one)), g.select(isOne, one, most));
    return g.select(isOne, zero, place);
  }
  const Value place = g.sub(centre, half);
  if (rule.coordinates == "half_pixel")
    return place;
  if (rule.coordinates == "pytorch_half_pixel")
    return g.select(g.greater(to, one), place, zero);
  if (rule.coordinates == "half_pixel_symmetric")
    return g.add(g.mul(g.mul(from, half), g.sub(one, g.div(to, scaled))), place);
  node.notImplemented("Resize of sizes that only a call knows, with " + rule.coordinates);
}

Value openNearest(Call &call, Value place, const std::string &mode) {
  auto &g = call.g;
  if (mode == "floor")
    return g.floor(place);
  if (mode == "ceil")
    return g.ceil(place);
  const Value half = call.like(place, 0.5);
  return mode == "round_prefer_ceil" ? g.floor(g.add(place, half)) : g.ceil(g.sub(place, half));
}

// What resizedAlong does, with sizes and the scale as numbers that a call computes; without a scale
// it is what the sizes say. The axis is `named` in messages.
Tensor resizedOpen(ModelNode &node, Tensor x, int64_t number, int64_t named, const DimExpr &to,
                   std::optional<double> given, const Rule &rule, bool isRows) {
  const SourceLocation at = node.place;
  if (rule.isSmooth && rule.mode != "nearest")
    node.notImplemented("Resize with antialias of sizes that only a call knows");
  const Numbers order = orderFor(x, number, isRows);
  const int64_t along = inverseOf(order)[size_t(number)];
  x = K::permute_dimensions(x, order, at);
  Tensor resized;
  {
    Call call("load_onnx", at);
    auto &g = call.g;
    const Value value = call.value(x);
    ir::Shape shape = ir::getShape(value);
    const DimExpr size = shape[size_t(along)];
    call.requireAtLeast(size, DimExpr(1), "axis " + std::to_string(named) + " of x");
    const Value rows = call.required(value);
    shape[size_t(along)] = to;
    const Value at64 = g.iota(ir::getTensorType({to}, call.elementType(DType::Float64)), 0);
    auto all = [&](const DimExpr &dim, DType dtype) {
      return g.broadcastScalar(call.scalar(dim, dtype), {to});
    };
    const Value from = all(size, DType::Float64), whole = all(to, DType::Float64);
    const Value scale = given ? call.like(at64, *given) : g.div(whole, from);
    const Value scaled = given ? g.mul(from, scale) : whole;
    const Value place = openPlaces(node, call, at64, from, whole, scale, scaled, rule);
    const Value count = all(size, DType::Int64), zero = g.zeroLike(count), one = g.oneLike(count),
                last = g.sub(count, one);
    auto pickedAt = [&](Value index) {
      return picked(call, rows, along, g.minimum(g.maximum(index, zero), last));
    };
    if (rule.mode == "nearest") {
      resized =
          call.tensor(pickedAt(call.cast(openNearest(call, place, rule.nearest), DType::Int64)));
    } else {
      const Value floor = g.floor(place), first = call.cast(floor, DType::Int64);
      const Value t = g.sub(place, floor);
      std::vector<Value> weights = rule.mode == "linear" ? linearWeights(call, t)
                                                         : cubicWeights(call, t, rule.cubic),
                         indices;
      Value total;
      for (size_t i = 0; i < weights.size(); ++i) {
        indices.push_back(
            g.add(first, call.like(first, double(i) - (rule.mode == "cubic" ? 1 : 0))));
        if (!rule.excludesOutside)
          continue;
        const Value isInside = g.and_(g.greaterEqual(indices[i], zero), g.less(indices[i], count));
        weights[i] = g.select(isInside, weights[i], g.zeroLike(weights[i]));
        total = total ? g.add(total, weights[i]) : weights[i];
      }
      Value sum;
      for (size_t i = 0; i < weights.size(); ++i) {
        const Value weight = total ? g.div(weights[i], total) : weights[i];
        const Value part =
            g.mul(pickedAt(indices[i]),
                  g.broadcast(call.cast(weight, call.dtypeOf(rows)), shape, {along}));
        sum = sum ? g.add(sum, part) : part;
      }
      resized = call.tensor(sum);
    }
  }
  return K::permute_dimensions(resized, inverseOf(order), at);
}

// floor(size * scale), where the scale is a float.
DimExpr scaledSize(ModelNode &node, Call &call, const DimExpr &size, double scale) {
  int64_t by = 1;
  while (scale != std::floor(scale) && by < (int64_t(1) << 40)) {
    scale *= 2;
    by *= 2;
  }
  if (!(scale > 0) || scale != std::floor(scale) || scale > double(int64_t(1) << 40))
    node.fail("has a scale of " + std::to_string(scale / double(by)));
  return call.check(ir::floordiv(call.check(ir::mul(size, DimExpr(int64_t(scale)))), DimExpr(by)));
}

//===-- Resize and Upsample -------------------------------------------------------------------===//

// There is a list of where each place of an axis comes from.
constexpr double kMost = 1 << 24;

Tensor resized(ModelNode &node, Tensor x, const std::vector<int64_t> &axes,
               const std::vector<double> &scales, const ir::Shape &sizes,
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
  const bool crops = rule.coordinates == "tf_crop_and_resize";
  // Pixels of many channels move as a whole, as convolutions take them.
  constexpr int64_t fewestChannels = 8;
  const bool isRows = x.ndim() > 2 && x.shape()[1].value_or(fewestChannels) >= fewestChannels;
  Numbers order = axisFirst(x.ndim(), 0);
  if (isRows)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  const Numbers back = inverseOf(order);
  x = K::permute_dimensions(x, order, node.place);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t number = back[size_t(axes[i])];
    const std::optional<int64_t> from = x.shape()[size_t(number)];
    Axis axis;
    if (crops && region.size() == 2 * axes.size()) {
      axis.start = region[i];
      axis.end = region[i + axes.size()];
    }
    const bool isWhole = !crops || (axis.start == 0 && axis.end == 1);
    if (!from || (!sizes.empty() && !sizes[i].isConstant())) {
      DimExpr to(0);
      {
        Call call("load_onnx", node.place);
        const DimExpr size = ir::getShape(call.value(x))[size_t(number)];
        to = sizes.empty() ? scaledSize(node, call, size, scales[i]) : sizes[i];
        if (isWhole && to == size && (!sizes.empty() || scales[i] == 1))
          continue;
      }
      if (sizes.empty() && repeats(rule, scales[i]))
        x = K::repeat_elements(x, int64_t(scales[i]), number, node.place);
      else
        x = resizedOpen(node, x, number, axes[i], to,
                        sizes.empty() ? std::optional(scales[i]) : std::nullopt, rule, isRows);
      continue;
    }
    axis.from = *from;
    if (sizes.empty()) {
      axis.scale = scales[i];
      if (!(axis.scale > 0) || axis.scale * double(axis.from) > kMost)
        node.fail("has a scale of " + std::to_string(axis.scale));
      axis.scaled = double(axis.from) * axis.scale;
      axis.to = int64_t(std::floor(axis.scaled));
    } else {
      axis.to = sizes[i].constantValue();
      if (axis.to < 0 || axis.to > int64_t(kMost) || axis.from == 0)
        node.fail("has a size of " + std::to_string(axis.to));
      axis.scale = scales.empty() ? double(axis.to) / double(axis.from) : scales[i];
      axis.scaled = scales.empty() ? double(axis.to) : double(axis.from) * axis.scale;
    }
    if (axis.to == axis.from && axis.scale == 1 && isWhole)
      continue;
    x = resizedAlong(node, x, number, axis, rule, isRows);
  }
  return K::cast(K::permute_dimensions(x, back, node.place), dtype, node.place);
}

// The scale for all axes with which none is larger than the size that is given, or none smaller.
double commonScale(ModelNode &node, const Tensor &x, const std::vector<int64_t> &axes,
                   const ir::Shape &sizes, bool isLarger) {
  const StaticShape shape = x.shape();
  double scale = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::optional<int64_t> from = shape[size_t(axes[i])];
    if (!from || !sizes[i].isConstant())
      node.notImplemented("Resize of sizes that only a call knows, which keeps their ratio");
    if (*from == 0)
      node.fail("keeps the ratio of an empty axis");
    const double ratio = double(sizes[i].constantValue()) / double(*from);
    scale = i == 0 ? ratio : isLarger ? std::max(scale, ratio) : std::min(scale, ratio);
  }
  return scale;
}

std::vector<double> numbersOf(ModelNode &node, size_t input, const char *what) {
  if (!node.has(input))
    return {};
  const Array *known = node.computedConstant(input);
  if (!known)
    node.notImplemented(std::string(what) + " that only a call knows");
  return known->toVector<double>();
}

Values resize(ModelNode &node) {
  // Sizes that only a call knows last as long as what defines them.
  Call call("load_onnx", node.place);
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
  rule.isSmooth = node.integer("antialias", 0);
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  std::vector<double> scales = numbersOf(node, isOld ? 1 : 2, "scales"), region;
  ir::Shape sizes;
  if (!isOld && node.has(3)) {
    if (const Array *known = node.computedConstant(3)) {
      for (int64_t size : known->toVector<int64_t>())
        sizes.push_back(size);
    } else {
      sizes = call.shape(node.shapeOf(3));
    }
  }
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
  if (!sizes.empty())
    scales.clear();
  if (policy != "stretch" && !sizes.empty()) {
    if (policy != "not_larger" && policy != "not_smaller")
      node.fail("has keep_aspect_ratio_policy '" + policy +
                "'; needed stretch, not_larger or not_smaller");
    const double scale = commonScale(node, x, axes, sizes, policy == "not_smaller");
    scales.assign(axes.size(), scale);
    for (size_t i = 0; i < axes.size(); ++i)
      sizes[i] = int64_t(std::floor(scale * double(*x.shape()[size_t(axes[i])]) + 0.5));
  }
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

const OpRecord resizingRecords[] = {{"Resize", resize}, {"Upsample", upsample}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::resizingOps() { return resizingRecords; }
