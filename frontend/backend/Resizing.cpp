// K functions: images and volumes in other sizes.
#include "frontend/backend/Repetition.h"
#include "frontend/backend/Windows.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;

// Between x[i] and x[i + 1] at steps of 1 / factor, which are a new axis behind the given one; past
// the last element nothing changes. No reshape, so that the whole stays one loop nest.
static Value interpolateAlong(Call &call, Value x, int64_t axis, int64_t factor) {
  ir::Shape shape = ir::getShape(x), wider = shape, starts(shape.size(), 0), none = starts;
  wider[axis] = call.check(ir::add(shape[axis], 1));
  starts[axis] = 1;
  llvm::SmallVector<int64_t> gaps(shape.size(), 0), steps(shape.size(), 1);
  // x[i + 1] without a look beyond the end, also if there are no elements.
  Value next = call.g.slice(call.g.pad(x, none, gaps, wider), starts, shape, steps);
  auto places = ir::getTensorType({shape[axis]}, call.builder.getI64Type());
  Value last = call.g.sub(call.g.count(x, {axis}, places.getElementType()),
                          call.g.integerScalar(1, places.getElementType()));
  Value isLast =
      call.g.equal(call.g.iota(places, 0), call.g.broadcastScalar(last, ir::getShape(places)));
  next = call.g.select(call.g.broadcast(isLast, shape, {axis}), x, next);

  ir::Shape fine = shape;
  fine.insert(fine.begin() + axis + 1, factor);
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    dims.push_back(dim <= axis ? dim : dim + 1);
  Value step = call.g.iota(ir::getTensorType({factor}, ir::getElementType(x)), 0);
  Value weight = call.g.div(step, call.like(step, double(factor)));
  Value from = call.g.broadcast(x, fine, dims), to = call.g.broadcast(next, fine, dims);
  weight = call.g.broadcast(weight, fine, {axis + 1});
  return call.g.add(from, call.g.mul(call.g.sub(to, from), weight));
}

static Tensor resize(const char *function, const Operand &operand,
                     const std::vector<int64_t> &factors, const DataFormat &format,
                     const std::string &interpolation, SourceLocation location) {
  Call call(function, location);
  // No default and no other spelling.
  std::string name = format.value().value_or("None");
  if (name != "channels_last" && name != "channels_first")
    call.valueError("unknown data_format '" + name + "'; needed channels_last or channels_first");
  if (interpolation != "nearest" && interpolation != "bilinear")
    call.valueError("unknown interpolation '" + interpolation + "'; needed nearest or bilinear");
  for (int64_t factor : factors)
    if (factor < 1)
      call.valueError("a factor is " + std::to_string(factor) + "; needed 1 or more");
  bool bilinear = interpolation == "bilinear";
  Value x = bilinear ? call.floating(operand) : call.value(operand);
  requireSpatialRank(call, x, "x", factors.size());
  // As convolutions have it, so that nothing is turned between them.
  bool channelsFirst = name == "channels_first";
  x = toChannelsLast(call, x, channelsFirst);
  std::vector<DimExpr> counts(size_t(call.rank(x)), 1);
  std::copy(factors.begin(), factors.end(), counts.begin() + 1);
  if (bilinear) {
    ir::Shape result = ir::getShape(x);
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = call.check(ir::mul(result[i], counts[i]));
    for (size_t i = factors.size(); i-- > 0;) // from the end, where new axes move no others
      x = interpolateAlong(call, x, int64_t(i) + 1, factors[i]);
    x = call.g.reshape(x, result);
  } else {
    x = repeated(call, x, counts, Place::After);
  }
  return call.tensor(fromChannelsLast(call, x, channelsFirst));
}

namespace keratin::backend {

Tensor resize_images(const Operand &x, int64_t height_factor, int64_t width_factor,
                     const DataFormat &data_format, const std::string &interpolation,
                     SourceLocation location) {
  return resize("resize_images", x, {height_factor, width_factor}, data_format, interpolation,
                location);
}

Tensor resize_volumes(const Operand &x, int64_t depth_factor, int64_t height_factor,
                      int64_t width_factor, const DataFormat &data_format,
                      SourceLocation location) {
  return resize("resize_volumes", x, {depth_factor, height_factor, width_factor}, data_format,
                "nearest", location);
}

} // namespace keratin::backend
