// Ops of ONNX that read images between their elements, at places that data say.
#include "frontend/backend/Reductions.h"
#include "frontend/onnx/Windows.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// An image (batch, channels, spatial…) as rows of channels, and places in it, numbers of one shape.
struct Image {
  ir::Shape sizes; // of the spatial axes
  Value rows;      // (batch * spatial, channels)
};

Image imageOf(Call &call, Value x) {
  Image image;
  const ir::Shape shape = ir::getShape(x);
  image.sizes.assign(shape.begin() + 2, shape.end());
  ir::Shape places = shape;
  places.erase(places.begin() + 1);
  image.rows =
      call.g.reshape(toChannelsLast(call, x, true), {call.check(ir::product(places)), shape[1]});
  return image;
}

// What a place of an axis reads: an element, its weight, and whether it is inside; null weights
// are 1, null bools true.
struct Tap {
  Value index, weight, isInside;
};

// The sum over all ways to take a tap of each axis. `number` is that of each place's image.
Value mixed(Call &call, const Image &image, Value number, DimExpr batch,
            const std::vector<std::vector<Tap>> &axes) {
  auto &g = call.g;
  ir::Shape extents{batch};
  extents.insert(extents.end(), image.sizes.begin(), image.sizes.end());
  ir::Shape result = ir::getShape(number);
  Numbers places(result.size());
  std::iota(places.begin(), places.end(), 0);
  result.push_back(ir::getShape(image.rows).back());
  Value sum;
  Numbers chosen(axes.size(), 0);
  for (bool more = true; more;) {
    std::vector<Value> indices{number};
    Value weight, isInside;
    for (size_t i = 0; i < axes.size(); ++i) {
      const Tap &tap = axes[i][size_t(chosen[i])];
      indices.push_back(tap.index);
      if (tap.weight)
        weight = weight ? g.mul(weight, tap.weight) : tap.weight;
      if (tap.isInside)
        isInside = isInside ? g.and_(isInside, tap.isInside) : tap.isInside;
    }
    Value part = g.gather(image.rows, flatIndex(call, indices, extents));
    if (isInside)
      part = g.select(g.broadcast(isInside, result, places), part, g.zeroLike(part));
    if (weight)
      part = g.mul(part, g.broadcast(call.cast(weight, call.dtypeOf(part)), result, places));
    sum = sum ? g.add(sum, part) : part;
    size_t i = axes.size();
    while (i > 0 && ++chosen[i - 1] == int64_t(axes[i - 1].size()))
      chosen[--i] = 0;
    more = i > 0;
  }
  return sum;
}

// Numbers of a batch's images, where each has places of this shape.
Value imageNumbers(Call &call, const ir::Shape &places) {
  return call.g.iota(ir::getTensorType(places, call.builder.getI64Type()), 0);
}

//===-- GridSample ----------------------------------------------------------------------------===//

enum class Outside { Zeros, Border, Reflection };

struct GridRule {
  std::string mode;
  Outside outside = Outside::Zeros;
  bool alignsCorners = false;
};

// Numbers that run from 0 to `last` and back.
Value reflected(Call &call, Value x, Value last) {
  auto &g = call.g;
  const Value period = g.add(last, last), phase = g.mod(x, period);
  return g.select(g.greater(phase, last), g.sub(period, phase), phase);
}

// Where numbers from -1 to 1 lie along an axis of so many, near it at least.
Value placeAlong(Call &call, Value number, const DimExpr &size, const GridRule &rule) {
  auto &g = call.g;
  const ir::Shape shape = ir::getShape(number);
  const Value count = g.broadcastScalar(call.scalar(size, call.dtypeOf(number)), shape);
  const Value one = g.oneLike(number), half = call.like(number, 0.5), last = g.sub(count, one);
  const Value up = g.add(number, one);
  Value place =
      rule.alignsCorners ? g.mul(g.mul(up, half), last) : g.mul(g.sub(g.mul(up, count), one), half);
  if (rule.mode == "nearest")
    place = g.round(place);
  const Value low = rule.alignsCorners ? g.zeroLike(number) : call.like(number, -0.5);
  const Value high = g.sub(last, low);
  if (rule.outside == Outside::Border) {
    const Value isBefore = g.less(place, low), isBehind = g.greater(place, high);
    place = g.select(isBefore, g.zeroLike(place), g.select(isBehind, last, place));
  } else if (rule.outside == Outside::Reflection) {
    // An axis of one element has no room.
    const Value room = rule.alignsCorners ? g.maximum(last, one) : count;
    place = g.add(reflected(call, g.sub(place, low), room), low);
  }
  // No further than what reads nothing; so does what is no number.
  const Value least = call.like(number, -4), most = g.add(count, call.like(number, 4));
  place = g.select(g.greater(place, least), place, least);
  return g.select(g.less(place, most), place, most);
}

// The element `index` of an axis, or what stands for it.
Tap tapAt(Call &call, Value index, Value weight, const DimExpr &size, const GridRule &rule) {
  auto &g = call.g;
  Tap tap;
  tap.weight = weight;
  const Value count = g.broadcastScalar(call.scalar(size, DType::Int64), ir::getShape(index));
  const Value zero = g.zeroLike(index), one = g.oneLike(index), last = g.sub(count, one);
  if (rule.outside == Outside::Zeros) {
    tap.isInside = g.and_(g.greaterEqual(index, zero), g.less(index, count));
  } else if (rule.outside == Outside::Reflection && rule.alignsCorners) {
    index = reflected(call, index, last); // an integer modulo 0 is 0
  } else if (rule.outside == Outside::Reflection) {
    const Value period = g.add(count, count), phase = g.mod(index, period);
    index = g.select(g.less(phase, count), phase, g.sub(g.sub(period, one), phase));
  }
  tap.index = g.maximum(g.minimum(index, last), zero);
  return tap;
}

// Those of the places: one, two for lines between neighbours, four for cubics.
std::vector<Tap> tapsOf(Call &call, Value place, const DimExpr &size, const GridRule &rule) {
  auto &g = call.g;
  auto at = [&](Value floor, int64_t offset, Value weight) {
    const Value index = call.cast(floor, DType::Int64);
    return tapAt(call, offset ? g.add(index, call.like(index, double(offset))) : index, weight,
                 size, rule);
  };
  if (rule.mode == "nearest")
    return {at(g.round(place), 0, Value())};
  const Value floor = g.floor(place), t = g.sub(place, floor), one = g.oneLike(t);
  if (rule.mode == "linear")
    return {at(floor, 0, g.sub(one, t)), at(floor, 1, t)};
  // Keys (1981), "Cubic convolution interpolation for digital image processing".
  const double a = -0.75;
  auto horner = [&](Value d, std::initializer_list<double> coefficients) {
    Value y;
    for (double c : coefficients)
      y = y ? g.add(g.mul(y, d), call.like(d, c)) : call.like(d, c);
    return y;
  };
  auto near = [&](Value d) { return horner(d, {a + 2, -(a + 3), 0, 1}); };
  auto far = [&](Value d) { return horner(d, {a, -5 * a, 8 * a, -4 * a}); };
  const Value rest = g.sub(one, t);
  return {at(floor, -1, far(g.add(t, one))), at(floor, 0, near(t)), at(floor, 1, near(rest)),
          at(floor, 2, far(g.add(rest, one)))};
}

GridRule gridRuleOf(ModelNode &node) {
  GridRule rule;
  rule.mode = node.text("mode", "linear");
  if (rule.mode == "bilinear")
    rule.mode = "linear";
  else if (rule.mode == "bicubic")
    rule.mode = "cubic";
  if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic")
    node.fail("has mode '" + rule.mode + "'; needed nearest, linear or cubic");
  const std::string padding = node.text("padding_mode", "zeros");
  if (padding == "border")
    rule.outside = Outside::Border;
  else if (padding == "reflection")
    rule.outside = Outside::Reflection;
  else if (padding != "zeros")
    node.fail("has padding_mode '" + padding + "'; needed zeros, border or reflection");
  rule.alignsCorners = node.integer("align_corners", 0);
  return rule;
}

// The places of the grid, whose last axis has the image's last axis first.
Values gridSample(ModelNode &node) {
  const GridRule rule = gridRuleOf(node);
  Call call("load_onnx", node.place);
  auto &g = call.g;
  Value x = call.value(node.input(0)), grid = call.value(node.input(1));
  const DType dtype = call.dtypeOf(x);
  const ir::Shape shape = ir::getShape(x);
  const int64_t rank = call.rank(x), spatial = rank - 2;
  if (rank < 3 || call.rank(grid) != rank || ir::getShape(grid).back() != DimExpr(spatial))
    node.fail("needs x of rank 3 at least, and a grid of this rank with a coordinate for each "
              "spatial axis in its last");
  constexpr int64_t mostTaps = 64;
  int64_t taps = 1;
  for (int64_t i = 0; i < spatial && rule.mode != "nearest"; ++i)
    taps = taps > mostTaps ? taps : taps * (rule.mode == "linear" ? 2 : 4);
  if (taps > mostTaps)
    node.notImplemented("GridSample of more than " + std::to_string(mostTaps) +
                        " elements for each place");
  if (!isFloating(dtype) && rule.mode != "nearest")
    x = call.cast(x, DType::Float32);
  for (int64_t i = 2; i < rank; ++i)
    call.requireAtLeast(shape[size_t(i)], DimExpr(1), "axis " + std::to_string(i) + " of x");
  grid = widened(call, call.withSize(grid, 0, shape.front(), "the batches of x and the grid"));
  if (!isFloating(call.dtypeOf(grid)))
    node.fail("has a grid of dtype " + std::string(dtypeName(call.dtypeOf(grid))) +
              "; needed floats");
  ir::Shape places = ir::getShape(grid), column = places;
  places.pop_back();
  column.back() = 1;
  const Image image = imageOf(call, call.required(x));
  std::vector<std::vector<Tap>> axes;
  for (int64_t i = 0; i < spatial; ++i) {
    ir::Shape starts(column.size(), 0);
    starts.back() = spatial - 1 - i;
    const Value numbers =
        g.reshape(g.slice(grid, starts, column, Numbers(column.size(), 1)), places);
    const DimExpr &size = image.sizes[size_t(i)];
    axes.push_back(tapsOf(call, placeAlong(call, numbers, size, rule), size, rule));
  }
  const Value result = mixed(call, image, imageNumbers(call, places), shape.front(), axes);
  return one(channelsFirst(call, call.cast(result, dtype)));
}

const OpRecord records[] = {{"GridSample", gridSample}};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::samplingOps() { return records; }
