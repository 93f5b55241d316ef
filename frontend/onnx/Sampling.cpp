// Ops of ONNX that read images between their elements, at places that data say.
#include "frontend/backend/Reductions.h"
#include "frontend/graph/Loop.h"
#include "frontend/onnx/Interpolation.h"
#include "frontend/onnx/Windows.h"

#include <limits>
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

using Join = Value (ir::GraphMath::*)(Value, Value);

// All ways to take a tap of each axis, added up or joined otherwise. `number` is that of each
// place's image.
Value mixed(Call &call, const Image &image, Value number, DimExpr batch,
            const std::vector<std::vector<Tap>> &axes, Join join = &ir::GraphMath::add) {
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
    sum = sum ? (g.*join)(sum, part) : part;
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
  const Value floor = g.floor(place), t = g.sub(place, floor);
  const bool isLinear = rule.mode == "linear";
  const std::vector<Value> weights =
      isLinear ? linearWeights(call, t) : cubicWeights(call, t, -0.75);
  std::vector<Tap> taps;
  for (auto [i, weight] : llvm::enumerate(weights))
    taps.push_back(at(floor, int64_t(i) - (isLinear ? 0 : 1), weight));
  return taps;
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

// Places from -1 to 1 of a grid of so many, moved by matrices (batch, axes, axes + 1).
Values affineGrid(ModelNode &node) {
  const bool alignsCorners = node.integer("align_corners", 0);
  const Shape given = node.shapeOf(1);
  Call call("load_onnx", node.place);
  auto &g = call.g;
  const ir::Shape shape = call.shape(given);
  const size_t spatial = shape.size() < 3 ? 0 : shape.size() - 2;
  Value theta = call.value(node.input(0));
  if (!spatial || call.rank(theta) != 3 || !isFloating(call.dtypeOf(theta)))
    node.fail("needs a shape of three sizes at least, and matrices of floats");
  theta = call.withSize(theta, 0, shape[0], "the matrices and the batch");
  theta = call.withSize(theta, 1, int64_t(spatial), "the rows of matrices and the axes");
  theta = call.withSize(theta, 2, int64_t(spatial) + 1, "the columns of matrices and the axes");
  const DType dtype = call.dtypeOf(theta);
  theta = widened(call, call.required(theta));
  ir::Shape places = shape;
  places.erase(places.begin() + 1);
  const auto type = ir::getTensorType(places, ir::getElementType(theta));
  // The last axis first.
  std::vector<Value> coordinates;
  for (size_t axis = spatial; axis > 0; --axis) {
    const Value count =
        g.broadcastScalar(call.scalar(shape[axis + 1], call.dtypeOf(theta)), places);
    const Value number = g.iota(type, int64_t(axis)), one = g.splat(1, type);
    const Value twice = g.add(number, number), last = g.sub(count, one);
    coordinates.push_back(alignsCorners ? g.div(g.sub(twice, last), g.maximum(last, one))
                                        : g.div(g.sub(twice, last), count));
  }
  ir::Shape column = places;
  column.push_back(1);
  std::vector<Value> moved;
  for (size_t row = 0; row < spatial; ++row) {
    Value sum;
    for (size_t i = 0; i <= spatial; ++i) {
      const Value entry = g.broadcast(
          g.reshape(g.slice(theta, {0, int64_t(row), int64_t(i)}, {shape[0], 1, 1}, {1, 1, 1}),
                    {shape[0]}),
          places, {0});
      const Value part = i < spatial ? g.mul(entry, coordinates[i]) : entry;
      sum = sum ? g.add(sum, part) : part;
    }
    moved.push_back(g.reshape(sum, column));
  }
  return one(call.tensor(call.cast(g.concatenate(moved, int64_t(spatial) + 1), dtype)));
}

//===-- RoiAlign ------------------------------------------------------------------------------===//

// Samples of bins of regions of images, at even distances.
class RegionSampler {
public:
  RegionSampler(ModelNode &node, Call &call, Value x, Value regions, Value numbers);

  // The result, (regions, height, width, channels).
  Value pooled();

private:
  // Along an axis of the image, for each region.
  struct Side {
    DimExpr size;
    int64_t bins;
    Value start, bin; // the first place, and the length of a bin
    Value samples;    // in each bin, int64
  };

  Side sideOf(Value regions, int64_t axis, const DimExpr &size, int64_t bins);
  std::vector<Tap> tapsOf(const Side &side, Value sample, int64_t axis);
  Value sampled(Value row, Value column);
  Value joined(Value all, Value part) { return isMax ? g.maximum(all, part) : g.add(all, part); }
  Value all(double number, Value like) { return call.like(like, number); }
  // Of each region its number, for all places of the result.
  Value everywhere(Value perRegion) { return g.broadcast(perRegion, result, {0}); }

  Call &call;
  ir::GraphMath &g;
  Image image;
  DimExpr batch;
  bool isMax, isHalfPixel;
  int64_t ratio;
  double scale;
  ir::Shape regions, places, result;
  Value number;
  Side down, across;
};

RegionSampler::RegionSampler(ModelNode &node, Call &call, Value x, Value boxes, Value numbers)
    : call(call), g(call.g), image(imageOf(call, x)), batch(ir::getShape(x).front()),
      ratio(node.integer("sampling_ratio", 0)), scale(node.number("spatial_scale", 1)) {
  const std::string mode = node.text("mode", "avg");
  isMax = mode == "max";
  if (mode != "avg" && mode != "max")
    node.fail("has mode '" + mode + "'; needed avg or max");
  const std::string way = node.text("coordinate_transformation_mode",
                                    node.opset < 16 ? "output_half_pixel" : "half_pixel");
  isHalfPixel = way == "half_pixel";
  if (way != "half_pixel" && way != "output_half_pixel")
    node.fail("has coordinate_transformation_mode '" + way +
              "'; needed half_pixel or output_half_pixel");
  const int64_t height = node.integer("output_height", 1), width = node.integer("output_width", 1);
  constexpr int64_t most = 1 << 16;
  if (height < 1 || width < 1 || height > most || width > most || ratio < 0 || ratio > most)
    node.fail("has " + std::to_string(height) + " by " + std::to_string(width) +
              " bins with a sampling ratio of " + std::to_string(ratio));
  regions = {ir::getShape(boxes).front()};
  places = {regions[0], height, width};
  result = {regions[0], height, width, ir::getShape(image.rows).back()};
  number = g.broadcast(numbers, places, {0});
  down = sideOf(boxes, 1, image.sizes[0], height);
  across = sideOf(boxes, 0, image.sizes[1], width);
}

RegionSampler::Side RegionSampler::sideOf(Value boxes, int64_t axis, const DimExpr &size,
                                          int64_t bins) {
  auto column = [&](int64_t i) {
    const Value numbers = g.reshape(g.slice(boxes, {0, i}, {regions[0], 1}, {1, 1}), regions);
    const Value scaled = g.mul(numbers, all(scale, numbers));
    return isHalfPixel ? g.sub(scaled, all(0.5, scaled)) : scaled;
  };
  Side side{size, bins, column(axis), Value(), Value()};
  Value length = g.sub(column(axis + 2), side.start);
  if (!isHalfPixel)
    length = g.maximum(length, all(1, length));
  side.bin = g.div(length, all(double(bins), length));
  const Value zero = g.splat(0, ir::getTensorType(regions, call.elementType(DType::Int64)));
  constexpr int64_t most = 4096;
  side.samples = ratio ? all(double(ratio), zero)
                       : call.inRange(g.maximum(call.cast(g.ceil(side.bin), DType::Int64), zero), 0,
                                      most + 1, "a bin has more than 4096 samples along an axis");
  return side;
}

// What the sample of this number, a scalar, reads in each bin.
std::vector<Tap> RegionSampler::tapsOf(const Side &side, Value sample, int64_t axis) {
  const ir::Shape bins{regions[0], side.bins};
  const DType dtype = call.dtypeOf(side.bin);
  auto per = [&](Value region) { return g.broadcast(region, bins, {0}); };
  const Value part = g.add(call.cast(sample, dtype), g.scalar(0.5, ir::getElementType(side.bin)));
  const Value samples = g.maximum(call.cast(side.samples, dtype), all(1, side.bin));
  const Value within = g.div(g.mul(g.broadcastScalar(part, regions), side.bin), samples);
  const Value bin = g.iota(ir::getTensorType(bins, ir::getElementType(side.bin)), 1);
  const Value at = g.add(g.add(per(side.start), g.mul(bin, per(side.bin))), per(within));
  const Value size = g.broadcastScalar(call.scalar(side.size, dtype), bins);
  const Value isInside = g.and_(g.greaterEqual(at, all(-1, at)), g.greaterEqual(size, at));
  const Value last = g.sub(size, g.oneLike(size));
  const Value inside = g.select(isInside, g.maximum(at, g.zeroLike(at)), g.zeroLike(at));
  const Value low = g.minimum(g.floor(inside), last);
  const Value t = g.sub(g.minimum(inside, last), low);
  auto spread = [&](Value x) { return g.broadcast(x, places, {0, axis}); };
  auto tap = [&](Value index, Value weight) {
    return Tap{spread(call.cast(index, DType::Int64)), spread(weight), spread(isInside)};
  };
  return {tap(low, g.sub(g.oneLike(t), t)), tap(g.minimum(g.add(low, g.oneLike(low)), last), t)};
}

// One sample of each bin.
Value RegionSampler::sampled(Value row, Value column) {
  return mixed(call, image, number, batch, {tapsOf(down, row, 1), tapsOf(across, column, 2)},
               isMax ? &ir::GraphMath::maximum : &ir::GraphMath::add);
}

Value RegionSampler::pooled() {
  const mlir::Type i64 = call.elementType(DType::Int64);
  constexpr int64_t mostUnrolled = 4;
  Value sum;
  if (ratio && ratio <= mostUnrolled) {
    for (int64_t i = 0; i < ratio * ratio; ++i) {
      const Value part = sampled(g.integerScalar(i / ratio, i64), g.integerScalar(i % ratio, i64));
      sum = sum ? joined(sum, part) : part;
    }
    return isMax ? sum : g.div(sum, all(double(ratio * ratio), sum));
  }
  // As many as the region with the most has; each takes its own.
  auto most = [&](const Side &side) {
    const Value one = g.splat(1, ir::getTensorType({1}, i64));
    return g.reduceMax(g.concatenate({side.samples, one}, 0), {0});
  };
  const Value rows = most(down), columns = most(across), samples = g.mul(rows, columns);
  const Value zero = g.zeroLike(samples), yes = g.less(zero, samples);
  const auto type = ir::getTensorType(result, ir::getElementType(image.rows));
  const Value none = g.splat(isMax ? -std::numeric_limits<double>::infinity() : 0, type);
  Loop loop(call, "the samples of RoiAlign");
  loop.addState(yes.getType());
  const Value sample = loop.addState(zero.getType()), state = loop.addState(type);
  const Value row = g.floorDiv(sample, columns), column = g.mod(sample, columns);
  const Value isThere = g.and_(g.less(g.broadcastScalar(row, regions), down.samples),
                               g.less(g.broadcastScalar(column, regions), across.samples));
  const Value all = joined(state, sampled(row, column));
  const Value next = g.select(everywhere(isThere), all, state);
  const Value following = g.add(sample, g.oneLike(sample)), goesOn = g.less(following, samples);
  loop.end();
  sum = loop.finishWhile({yes, zero, none}, {goesOn, following, next}, std::nullopt)[2];
  const Value count = g.mul(down.samples, across.samples);
  if (isMax) // 0 where there was no sample
    return g.select(everywhere(g.greater(count, g.zeroLike(count))), sum, g.zeroLike(sum));
  return g.div(sum, everywhere(call.cast(g.maximum(count, g.oneLike(count)), call.dtypeOf(sum))));
}

Values roiAlign(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  Value boxes = call.value(node.input(1)), numbers = call.value(node.input(2));
  if (call.rank(x) != 4 || call.rank(boxes) != 2 || call.rank(numbers) != 1)
    node.fail("has x, regions and numbers of images of rank " + std::to_string(call.rank(x)) +
              ", " + std::to_string(call.rank(boxes)) + " and " +
              std::to_string(call.rank(numbers)) + "; needed 4, 2 and 1");
  const ir::Shape shape = ir::getShape(x);
  for (int64_t i = 2; i < 4; ++i)
    call.requireAtLeast(shape[size_t(i)], DimExpr(1), "axis " + std::to_string(i) + " of x");
  boxes = widened(call, call.withSize(boxes, 1, 4, "a region has four edges"));
  const DimExpr count = call.unify(ir::getShape(boxes).front(), ir::getShape(numbers).front(),
                                   "the regions and their images");
  boxes = call.withSize(boxes, 0, count, "the regions and their images");
  numbers = call.withSize(numbers, 0, count, "the regions and their images");
  numbers = call.inRange(call.cast(numbers, DType::Int64), 0, shape.front(),
                         "a number of an image is outside the batch");
  const Value result =
      RegionSampler(node, call, widened(call, call.required(x)), boxes, numbers).pooled();
  return one(channelsFirst(call, call.cast(result, call.dtypeOf(x))));
}

const OpRecord samplingRecords[] = {
    {"AffineGrid", affineGrid},
    {"GridSample", gridSample},
    {"RoiAlign", roiAlign},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::samplingOps() { return samplingRecords; }
