// Pooling of ONNX.
#include "frontend/backend/Reductions.h"
#include "frontend/onnx/Indexing.h"
#include "frontend/onnx/Windows.h"
#include "keratin/shapes.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// Windows over an image with its channels last; entries for all of its axes.
struct Pool {
  Geometry geometry;
  Numbers window{1}, strides{1};
  ir::Shape low{0}, result;
};

Value imageOf(ModelNode &node, Call &call) {
  const Value x = call.value(node.input(0));
  if (call.rank(x) < 3)
    node.fail("has x of rank " + std::to_string(call.rank(x)) + "; needed 3 at least");
  return channelsLast(call, x);
}

Pool poolOver(ModelNode &node, Call &call, Value x) {
  Pool pool;
  const ir::Shape sizes = ir::getShape(x);
  pool.geometry = geometryOf(node, node.integers("kernel_shape"));
  const size_t spatial = pool.geometry.window.size();
  if (sizes.size() != spatial + 2)
    node.fail("has x of rank " + std::to_string(sizes.size()) + "; needed " +
              std::to_string(spatial + 2));
  pool.result = {sizes.front()};
  for (size_t i = 0; i < spatial; ++i) {
    const Extent extent = extentOf(call, pool.geometry, i, sizes[i + 1]);
    pool.window.push_back(pool.geometry.window[i]);
    pool.strides.push_back(pool.geometry.strides[i]);
    pool.low.push_back(extent.low);
    pool.result.push_back(extent.count);
  }
  pool.window.push_back(1);
  pool.strides.push_back(1);
  pool.low.push_back(0);
  pool.result.push_back(sizes.back());
  return pool;
}

void refuseDilation(ModelNode &node, const Geometry &geometry) {
  for (int64_t dilation : geometry.dilations)
    if (dilation != 1)
      node.notImplemented(node.type() + " with dilations");
}

// Where a place of each window lies in x, along each axis, and whether that is inside; what is not
// lies at the nearest end.
struct Place {
  std::vector<Value> along;
  Value isInside;
};

Place placeOf(Call &call, const Pool &pool, const Numbers &offset, const ir::Shape &sizes,
              const ir::Shape &windows) {
  auto &g = call.g;
  auto all = [&](const DimExpr &size) {
    return g.broadcastScalar(call.scalar(size, DType::Int64), windows);
  };
  Place place;
  for (size_t i = 0; i < offset.size(); ++i) {
    const Value number = g.iota(ir::getTensorType(windows, call.builder.getI64Type()), int64_t(i));
    const DimExpr first =
        call.check(ir::sub(DimExpr(offset[i] * pool.geometry.dilations[i]), pool.low[i + 1]));
    const Value at = g.add(g.mul(number, all(pool.geometry.strides[i])), all(first));
    const Value zero = all(0), size = all(sizes[i + 1]);
    const Value isInside = g.and_(g.greaterEqual(at, zero), g.less(at, size));
    place.isInside = place.isInside ? g.and_(place.isInside, isInside) : isInside;
    place.along.push_back(g.minimum(g.maximum(at, zero), g.sub(size, all(1))));
  }
  return place;
}

// The largest of each window, and its place in x as one number, place by place of the windows:
// what is outside x is left out.
Values maxPoolByPlaces(ModelNode &node, Call &call, Value x, const Pool &pool) {
  auto &g = call.g;
  const Numbers &window = pool.geometry.window;
  const size_t spatial = window.size();
  const ir::Shape sizes = ir::getShape(x), image(sizes.begin() + 1, sizes.end() - 1);
  constexpr int64_t mostPlaces = 4096;
  int64_t places = 1;
  for (int64_t size : window)
    places = places > mostPlaces ? places : places * size;
  if (places > mostPlaces)
    node.notImplemented("MaxPool with indices over more than " + std::to_string(mostPlaces) +
                        " places");
  // The places of an image as rows: (places, batch, channels).
  Numbers order(spatial);
  std::iota(order.begin(), order.end(), 1);
  order.push_back(0);
  order.push_back(int64_t(spatial) + 1);
  const DimExpr count = call.check(ir::product(image));
  const Value rows = g.reshape(g.transpose(x, order), {count, sizes.front(), sizes.back()});
  Numbers back{int64_t(spatial)}, axes(spatial);
  std::iota(axes.begin(), axes.end(), 1);
  for (size_t i = 0; i < spatial; ++i)
    back.push_back(int64_t(i));
  back.push_back(int64_t(spatial) + 1);
  // Of all channels and images before.
  const mlir::Type i64 = call.builder.getI64Type();
  auto numbers = [&](const DimExpr &size) {
    return g.broadcastScalar(call.scalar(size, DType::Int64), pool.result);
  };
  auto along = [&](size_t axis) {
    return g.iota(ir::getTensorType(pool.result, i64), int64_t(axis));
  };
  const Value before =
      g.mul(g.add(g.mul(along(0), numbers(sizes.back())), along(spatial + 1)), numbers(count));
  const ir::Shape windows(pool.result.begin() + 1, pool.result.end() - 1);
  const bool isColumnMajor = node.integer("storage_order", 0);
  Value best, bestPlace, found;
  Numbers offset(spatial, 0);
  for (bool more = true; more;) {
    Place place = placeOf(call, pool, offset, sizes, windows);
    const Value values = g.transpose(g.gather(rows, flatIndex(call, place.along, image)), back);
    ir::Shape extents = image;
    if (isColumnMajor) {
      std::reverse(place.along.begin(), place.along.end());
      std::reverse(extents.begin(), extents.end());
    }
    const Value number =
        g.add(before, g.broadcast(flatIndex(call, place.along, extents), pool.result, axes));
    const Value isThere = g.broadcast(place.isInside, pool.result, axes);
    if (!best) {
      best = values;
      bestPlace = number;
      found = isThere;
    } else {
      const Value isBetter = g.and_(isThere, g.or_(g.not_(found), g.greater(values, best)));
      best = g.select(isBetter, values, best);
      bestPlace = g.select(isBetter, number, bestPlace);
      found = g.or_(found, isThere);
    }
    size_t i = spatial;
    while (i > 0 && ++offset[i - 1] == window[i - 1])
      offset[--i] = 0;
    more = i > 0;
  }
  Values values = one(channelsFirst(call, best));
  values.emplace_back(channelsFirst(call, bestPlace));
  return values;
}

// The least number of x's element type.
Value leastLike(Call &call, Value x) {
  const mlir::Type type = ir::getElementType(x);
  const DType dtype = call.dtypeOf(x);
  if (isFloating(dtype))
    return call.like(x, -std::numeric_limits<double>::infinity());
  const bool isSigned = dtype == DType::Int8 || dtype == DType::Int16 || dtype == DType::Int32 ||
                        dtype == DType::Int64;
  const int64_t least = isSigned ? int64_t(~uint64_t(0) << (type.getIntOrFloatBitWidth() - 1)) : 0;
  return call.g.broadcastScalar(call.g.integerScalar(least, type), ir::getShape(x));
}

// The same without places, axis by axis: the first of the largest of what lies apart by dilations.
Value maxPoolByAxes(Call &call, Value x, const Pool &pool) {
  auto &g = call.g;
  for (size_t i = 0; i < pool.geometry.window.size(); ++i) {
    const int64_t window = pool.geometry.window[i], dilation = pool.geometry.dilations[i],
                  stride = pool.geometry.strides[i], axis = int64_t(i) + 1;
    ir::Shape shape = ir::getShape(x);
    const DimExpr count = pool.result[i + 1], low = pool.low[i + 1];
    const DimExpr behind = call.check(ir::add(low, shape[i + 1]));
    // With what is smaller than all around it.
    const DimExpr needed =
        call.check(ir::add(call.check(ir::mul(call.check(ir::sub(count, 1)), DimExpr(stride))),
                           (window - 1) * dilation + 1));
    shape[i + 1] = call.check(ir::max(behind, needed));
    ir::Shape starts(shape.size(), 0), part = shape;
    starts[i + 1] = low;
    const Value number = g.iota(ir::getTensorType(shape, call.builder.getI64Type()), axis);
    auto all = [&](const DimExpr &size) {
      return g.broadcastScalar(call.scalar(size, DType::Int64), shape);
    };
    const Value isInside = g.and_(g.greaterEqual(number, all(low)), g.less(number, all(behind)));
    const Value padded = g.pad(x, starts, Numbers(shape.size(), 0), shape);
    const Value wide = g.select(isInside, padded, leastLike(call, padded));
    part[i + 1] = count;
    Numbers strides(shape.size(), 1);
    strides[i + 1] = stride;
    Value best;
    for (int64_t place = 0; place < window; ++place) {
      starts[i + 1] = place * dilation;
      const Value values = g.slice(wide, starts, part, strides);
      best = best ? g.select(g.greater(values, best), values, best) : values;
    }
    x = best;
  }
  return x;
}

Values maxPool(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = imageOf(node, call);
  const Pool pool = poolOver(node, call, x);
  bool isDilated = false;
  for (int64_t dilation : pool.geometry.dilations)
    isDilated = isDilated || dilation != 1;
  if (node.wants(1))
    return maxPoolByPlaces(node, call, call.required(x), pool);
  constexpr int64_t mostPlaces = 4096;
  if (isDilated) {
    for (int64_t size : pool.geometry.window)
      if (size > mostPlaces)
        node.notImplemented("MaxPool with dilations over more than " + std::to_string(mostPlaces) +
                            " places of an axis");
    return one(channelsFirst(call, maxPoolByAxes(call, call.required(x), pool)));
  }
  return one(channelsFirst(
      call, call.g.windowMax(call.required(x), pool.window, pool.strides, pool.low, pool.result)));
}

// Elements of x at their places in a tensor of zeros, which are those of all elements in a row.
Values maxUnpool(ModelNode &node) {
  const Tensor x = node.input(0), indices = node.input(1);
  if (x.ndim() < 3)
    node.fail("has x of rank " + std::to_string(x.ndim()) + "; needed 3 at least");
  const Geometry geometry = geometryOf(node, node.integers("kernel_shape"));
  if (int64_t(geometry.window.size()) != x.ndim() - 2)
    node.fail("has x of rank " + std::to_string(x.ndim()) + "; needed " +
              std::to_string(geometry.window.size() + 2));
  Tensor zeros, elements, places;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    shape = ir::getShape(value);
    for (size_t i = 0; i < geometry.window.size(); ++i) {
      const DimExpr strides =
          call.check(ir::mul(call.check(ir::sub(shape[i + 2], 1)), DimExpr(geometry.strides[i])));
      shape[i + 2] =
          call.check(ir::add(strides, geometry.window[i] - geometry.before[i] - geometry.after[i]));
      call.requireAtLeast(shape[i + 2], DimExpr(0), "axis " + std::to_string(i + 2) + " of x");
    }
    const DimExpr all = call.check(ir::product(shape));
    zeros = call.tensor(call.g.splat(0, ir::getTensorType({all}, ir::getElementType(value))));
    elements = call.tensor(flat(call, value));
    places = call.tensor(flat(
        call, call.requireShape(call.value(indices), ir::getShape(value), "x and the indices")));
  }
  const Tensor written = K::scatter(zeros, places, elements, "write", node.place);
  Call call("load_onnx", node.place);
  auto &g = call.g;
  Value y = g.reshape(call.value(written), shape);
  if (!node.has(2))
    return one(call.tensor(y));
  // In the corner of a larger one.
  const ir::Shape whole = call.shape(node.shapeOf(2));
  if (whole.size() != shape.size())
    node.fail("has " + std::to_string(whole.size()) + " sizes of its output; needed " +
              std::to_string(shape.size()));
  for (size_t i = 0; i < shape.size(); ++i)
    call.requireAtLeast(whole[i], shape[i], "the output's axis " + std::to_string(i));
  return one(call.tensor(
      g.pad(call.required(y), ir::Shape(shape.size(), 0), Numbers(shape.size(), 0), whole)));
}

Value windowSum(Call &call, Value x, const Pool &pool) {
  const Numbers together(pool.window.size(), 1);
  return call.g.windowSum(x, pool.window, pool.strides, pool.low, together, pool.result);
}

// How many places each window has, of x's alone, or with its padding.
Value countOf(Call &call, Value x, Pool pool, bool withPadding) {
  ir::Shape sizes(ir::getShape(x).size(), 1);
  for (size_t i = 0; i + 2 < sizes.size(); ++i) {
    sizes[i + 1] = ir::getShape(x)[i + 1];
    if (withPadding) {
      sizes[i + 1] =
          call.check(ir::add(sizes[i + 1], pool.geometry.before[i] + pool.geometry.after[i]));
      pool.low[i + 1] = 0;
    }
  }
  const mlir::Type type = ir::getElementType(x);
  ir::Shape result = pool.result;
  pool.result.front() = pool.result.back() = 1;
  const Value counts = windowSum(call, call.g.splat(1, ir::getTensorType(sizes, type)), pool);
  return call.broadcastTo(counts, result);
}

Values averagePool(ModelNode &node) {
  Call call("load_onnx", node.place);
  Value x = imageOf(node, call);
  const Pool pool = poolOver(node, call, x);
  refuseDilation(node, pool.geometry);
  const DType dtype = call.dtypeOf(x);
  x = widened(call, call.required(x));
  const Value sums = windowSum(call, x, pool);
  const Geometry &g = pool.geometry;
  const bool isSame = g.rule == "SAME_UPPER" || g.rule == "SAME_LOWER";
  bool isPadded = isSame;
  for (size_t i = 0; i < g.window.size() && g.rule == "NOTSET"; ++i)
    isPadded = isPadded || g.before[i] || g.after[i];
  const bool counts = node.integer("count_include_pad", 0);
  double whole = 1;
  for (int64_t size : g.window)
    whole *= double(size);
  Value by;
  if (g.roundsUp && !isSame)
    by = countOf(call, x, pool, counts);
  else if (isPadded && !counts)
    by = countOf(call, x, pool, false);
  else
    by = call.like(sums, whole);
  return one(channelsFirst(call, call.cast(call.g.div(sums, by), dtype)));
}

// (sum |x|^p)^(1 / p).
Values lpPool(ModelNode &node) {
  Call call("load_onnx", node.place);
  const Value x = imageOf(node, call);
  const Pool pool = poolOver(node, call, x);
  refuseDilation(node, pool.geometry);
  const double p = double(node.integer("p", 2));
  const Value powers = call.g.pow(call.g.abs(call.required(x)), call.like(x, p));
  const Value sums = windowSum(call, powers, pool);
  return one(channelsFirst(call, call.g.pow(sums, call.like(sums, 1 / p))));
}

// Over all spatial axes, which stay with size 1.
template <typename Reduce> Values global(ModelNode &node, Reduce reduce) {
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  if (call.rank(x) < 3)
    node.fail("has x of rank " + std::to_string(call.rank(x)) + "; needed 3 at least");
  Numbers axes(size_t(call.rank(x)) - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return one(call.tensor(restoreDims(call, reduce(call, x, axes), x, axes, true)));
}

Values globalAverage(ModelNode &node) {
  return global(node, [](Call &call, Value x, AxisList axes) { return mean(call, x, axes); });
}
Values globalMax(ModelNode &node) {
  return global(node, [](Call &call, Value x, AxisList axes) { return call.g.reduceMax(x, axes); });
}
Values globalLp(ModelNode &node) {
  const double p = double(node.integer("p", 2));
  return global(node, [&](Call &call, Value x, AxisList axes) {
    const Value sums = call.g.reduceSum(call.g.pow(call.g.abs(x), call.like(x, p)), axes);
    return call.g.pow(sums, call.like(sums, 1 / p));
  });
}

const OpRecord poolingRecords[] = {
    {"AveragePool", averagePool}, {"GlobalAveragePool", globalAverage},
    {"GlobalLpPool", globalLp},   {"GlobalMaxPool", globalMax},
    {"LpPool", lpPool},           {"MaxPool", maxPool},
    {"MaxUnpool", maxUnpool},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::poolingOps() { return poolingRecords; }
