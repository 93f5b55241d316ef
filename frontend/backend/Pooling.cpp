// K functions: pooling.
#include "frontend/backend/Windows.h"
#include "keratin/windows.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {
// Windows over an image with its channels last; entries for all of its axes.
struct Pool {
  std::vector<int64_t> window, strides;
  ir::Shape low, result;
};
} // namespace

static Pool poolOver(Call &call, Value x, const std::vector<int64_t> &window,
                     const std::vector<int64_t> &strides, PaddingRule rule, bool channelsFirst) {
  ir::Shape shape = ir::getShape(x);
  Pool pool = {{1}, {1}, {0}, {shape.front()}};
  for (size_t i = 0; i < window.size(); ++i) {
    WindowExtent extent =
        windowExtent(call, shape[i + 1], window[i], strides[i], 1, rule,
                     "axis " + std::to_string(i + (channelsFirst ? 2 : 1)) + " of x");
    pool.window.push_back(window[i]);
    pool.strides.push_back(strides[i]);
    pool.low.push_back(extent.low);
    pool.result.push_back(extent.count);
  }
  pool.window.push_back(1);
  pool.strides.push_back(1);
  pool.low.push_back(0);
  pool.result.push_back(shape.back());
  return pool;
}

// How many elements of x each window along the axis covers, as a tensor of y's shape in which
// nothing varies but that axis: arithmetic on indices, which costs nothing where it is used.
static Value countsAlong(Call &call, Value x, Value y, const Pool &pool, int64_t axis) {
  auto type = ir::getTensorType({ir::getShape(y)[axis]}, call.builder.getI64Type());
  auto number = [&](int64_t value) {
    return call.g.broadcastScalar(call.g.integerScalar(value, type.getElementType()),
                                  ir::getShape(type));
  };
  auto sizeOf = [&](Value tensor) {
    return call.g.broadcastScalar(call.g.count(tensor, {axis}, type.getElementType()),
                                  ir::getShape(type));
  };
  Value size = sizeOf(x), zero = number(0);
  int64_t window = pool.window[axis], stride = pool.strides[axis];
  // Half of what the windows reach beyond x, as windowExtent has it.
  Value low;
  if (pool.low[axis].isConstant()) {
    low = number(pool.low[axis].constantValue());
  } else {
    Value reach = call.g.mul(call.g.sub(sizeOf(y), number(1)), number(stride));
    Value total = call.g.sub(call.g.add(reach, number(window)), size);
    low = call.g.floorDiv(call.g.maximum(total, zero), number(2));
  }
  Value start = call.g.sub(call.g.mul(call.g.iota(type, 0), number(stride)), low);
  Value end = call.g.minimum(call.g.add(start, number(window)), size);
  Value counts = call.g.sub(end, call.g.maximum(start, zero));
  return call.g.broadcast(call.g.cast(counts, ir::getElementType(y)), ir::getShape(y), {axis});
}

static Value average(Call &call, Value x, const Pool &pool, PaddingRule rule) {
  // Sums of 16-bit floats are kept in 32 bits until they are divided.
  DType dtype = call.dtypeOf(x);
  bool isHalf = dtype == DType::Float16 || dtype == DType::BFloat16;
  if (isHalf)
    x = call.cast(x, DType::Float32);
  std::vector<int64_t> together(pool.window.size(), 1);
  Value y = call.g.windowSum(x, pool.window, pool.strides, pool.low, together, pool.result);
  // Axes whose windows are all inside count alike.
  double inside = 1;
  Value counts;
  for (int64_t axis = 1; axis + 1 < call.rank(x); ++axis) {
    if (rule == PaddingRule::Valid || pool.window[axis] == 1) {
      inside *= double(pool.window[axis]);
      continue;
    }
    Value along = countsAlong(call, x, y, pool, axis);
    counts = counts ? call.g.mul(counts, along) : along;
  }
  Value factor = call.like(y, inside);
  y = call.g.div(y, !counts ? factor : inside == 1 ? counts : call.g.mul(counts, factor));
  return isHalf ? call.cast(y, dtype) : y;
}

// bool has no window_max; 0 and 1 have the same order.
static Value largest(Call &call, Value x, const Pool &pool) {
  bool isBool = call.dtypeOf(x) == DType::Bool;
  if (isBool)
    x = call.cast(x, DType::UInt8);
  Value y = call.g.windowMax(x, pool.window, pool.strides, pool.low, pool.result);
  return isBool ? call.cast(y, DType::Bool) : y;
}

static Tensor pooling(const char *function, size_t spatial, const Operand &operand,
                      const Shape &poolSize, const Shape &strides, const std::string &padding,
                      const DataFormat &format, const std::string &mode, SourceLocation location) {
  Call call(function, location);
  bool channelsFirst = isChannelsFirst(call, format);
  std::vector<int64_t> window = stepsOf(call, poolSize, spatial, "pool_size");
  std::vector<int64_t> steps = stepsOf(call, strides, spatial, "strides");
  PaddingRule rule = paddingRule(call, padding);
  if (mode != "max" && mode != "avg")
    call.valueError("unknown pool_mode '" + mode + "'; needed max or avg");
  Value x = mode == "avg" ? call.floating(operand) : call.value(operand);
  requireSpatialRank(call, x, "x", spatial);
  x = toChannelsLast(call, x, channelsFirst);
  Pool pool = poolOver(call, x, window, steps, rule, channelsFirst);
  Value y = mode == "avg" ? average(call, x, pool, rule) : largest(call, x, pool);
  return call.tensor(fromChannelsLast(call, y, channelsFirst));
}

namespace keratin::backend {

Tensor pool2d(const Operand &x, const Shape &pool_size, const Shape &strides,
              const std::string &padding, const DataFormat &data_format,
              const std::string &pool_mode, SourceLocation location) {
  return pooling("pool2d", 2, x, pool_size, strides, padding, data_format, pool_mode, location);
}

Tensor pool3d(const Operand &x, const Shape &pool_size, const Shape &strides,
              const std::string &padding, const DataFormat &data_format,
              const std::string &pool_mode, SourceLocation location) {
  return pooling("pool3d", 3, x, pool_size, strides, padding, data_format, pool_mode, location);
}

} // namespace keratin::backend
