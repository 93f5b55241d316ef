// K functions: repeating, reversing, padding and cutting.
#include "frontend/backend/Repetition.h"
#include "keratin/shapes.h"

#include "keratin/config.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Windows.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/SmallSizes.h"

#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

Value keratin::frontend::repeated(Call &call, Value x, const std::vector<DimExpr> &counts,
                                  Place place) {
  ir::Shape from = ir::getShape(x), wide, to;
  llvm::SmallVector<int64_t> dims;
  for (size_t i = 0; i < from.size(); ++i) {
    to.push_back(call.check(ir::mul(from[i], counts[i])));
    if (counts[i] != one && place == Place::Before)
      wide.push_back(counts[i]);
    dims.push_back(int64_t(wide.size()));
    wide.push_back(from[i]);
    if (counts[i] != one && place == Place::After)
      wide.push_back(counts[i]);
  }
  return call.g.reshape(call.g.broadcast(x, wide, dims), to);
}

// Zeros around axes; low and high sizes for each axis of x.
static Value padded(Call &call, Value x, const std::vector<int64_t> &low,
                    const std::vector<int64_t> &high) {
  ir::Shape shape = ir::getShape(x), before;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (low[i] < 0 || high[i] < 0)
      call.valueError("padding must not be negative");
    before.push_back(DimExpr(low[i]));
    shape[i] = call.check(ir::add(call.check(ir::add(shape[i], before[i])), DimExpr(high[i])));
  }
  std::vector<int64_t> interior(shape.size(), 0);
  return call.g.pad(x, before, interior, shape);
}

static Tensor spatialPadding(const char *function, const Operand &operand,
                             const backend::Paddings &padding, size_t spatial,
                             const DataFormat &format, SourceLocation location) {
  Call call(function, location);
  const bool channelsFirst = isChannelsFirst(call, format);
  Value x = call.value(operand);
  if (padding.size() != spatial)
    call.assertionError("padding has " + std::to_string(padding.size()) +
                        " entries; needed a pair for each of " + std::to_string(spatial) + " axes");
  for (const backend::Padding &pair : padding)
    if (pair.size() != 2)
      call.assertionError("an entry of padding has " + std::to_string(pair.size()) +
                          " numbers; needed 2");
  if (call.rank(x) != int64_t(spatial) + 2)
    call.valueError("x has rank " + std::to_string(call.rank(x)) + "; needed " +
                    std::to_string(spatial + 2));
  std::vector<int64_t> low(spatial + 2, 0), high(spatial + 2, 0);
  for (size_t i = 0; i < spatial; ++i) {
    low[i + (channelsFirst ? 2 : 1)] = padding[i][0];
    high[i + (channelsFirst ? 2 : 1)] = padding[i][1];
  }
  return call.tensor(padded(call, x, low, high));
}

namespace {

// K::slice. A start that depends on data is a place of a dynamic slice.
class Slicer {
public:
  Slicer(Call &call, Value x, const Shape &start) : call(call), x(x), shape(ir::getShape(x)) {
    for (const Call::SizeOrData &entry : call.sizesOrData(start, "start")) {
      starts.push_back(entry.size ? *entry.size : DimExpr(0));
      places.push_back(entry.data);
      if (entry.size)
        call.requireAtLeast(*entry.size, DimExpr(0), "a start must not be negative");
    }
  }

  Value cut(const Shape &size) {
    std::vector<Call::SizeOrData> entries = call.sizesOrData(size, "size");
    if (starts.size() != shape.size() || entries.size() != shape.size())
      call.valueError("start and size have " + std::to_string(starts.size()) + " and " +
                      std::to_string(entries.size()) + " entries; needed the rank of x, " +
                      std::to_string(shape.size()));
    ir::Shape sizes;
    bool isDynamic = false;
    for (size_t i = 0; i < shape.size(); ++i) {
      sizes.push_back(sizeOf(entries[i], i));
      if (places[i])
        isDynamic = true;
      else
        call.requireAtLeast(shape[i], call.check(ir::add(starts[i], sizes[i])),
                            "the slice leaves axis " + std::to_string(i));
    }
    if (!isDynamic)
      return call.g.slice(x, starts, sizes, std::vector<int64_t>(shape.size(), 1));
    for (size_t i = 0; i < shape.size(); ++i)
      if (!places[i])
        places[i] = call.scalar(starts[i], DType::Int64);
    return call.builder.create<ir::DynamicSliceOp>(
        call.g.location(), ir::getTensorType(sizes, ir::getElementType(x)), x, places);
  }

private:
  // -1 goes to the end.
  DimExpr sizeOf(const Call::SizeOrData &entry, size_t axis) {
    const DimExpr &dim = shape[axis];
    std::string name = "entry " + std::to_string(axis) + " of size";
    bool toEnd = entry.size == DimExpr(-1);
    if (entry.size && !(toEnd && places[axis])) {
      DimExpr size = toEnd ? call.check(ir::sub(dim, starts[axis])) : *entry.size;
      call.requireAtLeast(size, DimExpr(0), "a size must not be negative");
      return size;
    }
    ir::GraphMath &g = call.g;
    Value start = places[axis] ? places[axis] : call.scalar(starts[axis], DType::Int64);
    Value rest = g.sub(call.scalar(dim, DType::Int64), start);
    if (toEnd)
      return call.computedSize(rest, dim, name);
    Value open = g.equal(entry.data, g.neg(g.oneLike(entry.data)));
    return call.computedSize(g.select(open, rest, entry.data), dim, name);
  }

  Call &call;
  Value x;
  const ir::Shape shape;
  ir::Shape starts;
  std::vector<Value> places; // null where the start is known
};

} // namespace

// A number that follows from sizes, or an int64 scalar of the call; either may be negative.
static Call::SizeOrData shiftOf(Call &call, const Size &entry) {
  if (entry.isNumber())
    return {DimExpr(entry.number()), {}};
  if (!entry.isTensor())
    call.valueError("an entry of shift is None or a name; needed integers");
  Value x = call.value(entry.tensor());
  if (call.rank(x) != 0 || !isInteger(call.dtypeOf(x)))
    call.valueError("a shift has dtype " + std::string(dtypeName(call.dtypeOf(x))) + " and shape " +
                    describe(x) + "; needed integer scalars");
  return {std::nullopt, call.cast(x, DType::Int64)};
}

static std::vector<Call::SizeOrData> shiftsOf(Call &call, const Shape &shift) {
  if (shift.isNone())
    call.valueError("shift is None; needed integers");
  if (shift.isTensor())
    return {shiftOf(call, shift.tensor())};
  std::vector<Call::SizeOrData> shifts;
  for (const Size &entry : shift.entries())
    shifts.push_back(shiftOf(call, entry));
  return shifts;
}

Value frontend::rolled(Call &call, Value x, int64_t axis, const DimExpr &shift) {
  ir::GraphMath &g = call.g;
  const ir::Shape shape = ir::getShape(x);
  const DimExpr &length = shape[size_t(axis)];
  const ir::Shape origin(shape.size(), DimExpr(0));
  const std::vector<int64_t> strides(shape.size(), 1);
  ir::Shape starts = origin, front = shape, back = shape;
  DimExpr first = call.check(ir::mod(shift, call.check(ir::max(length, one))));
  starts[size_t(axis)] = back[size_t(axis)] = call.check(ir::sub(length, first));
  front[size_t(axis)] = first;
  return g.concatenate({g.slice(x, starts, front, strides), g.slice(x, origin, back, strides)},
                       axis);
}

static Value rolled(Call &call, Value x, int64_t axis, const Call::SizeOrData &shift) {
  if (shift.size)
    return frontend::rolled(call, x, axis, *shift.size);
  // Anywhere in two of them, one behind the other.
  ir::GraphMath &g = call.g;
  Value size = call.scalar(ir::getShape(x)[size_t(axis)], DType::Int64);
  Value first = g.mod(g.neg(shift.data), g.maximum(size, g.oneLike(size)));
  std::vector<Value> places(size_t(call.rank(x)), g.zeroLike(first));
  places[size_t(axis)] = first;
  return call.builder.create<ir::DynamicSliceOp>(g.location(), ir::getTensorType(x),
                                                 g.concatenate({x, x}, axis), places);
}

namespace keratin::backend {

Tensor roll(const Operand &operand, const Shape &shift, const Axes &axis, SourceLocation location) {
  Call call("roll", location);
  Value x = call.value(operand);
  std::vector<Call::SizeOrData> shifts = shiftsOf(call, shift);
  if (axis.isNone()) {
    if (shifts.size() != 1)
      call.valueError("shift has " + std::to_string(shifts.size()) +
                      " entries; without axis needed one");
    const ir::Shape shape = ir::getShape(x);
    Value flat = call.g.reshape(x, {call.check(ir::elementCount(shape))});
    return call.tensor(call.g.reshape(rolled(call, flat, 0, shifts.front()), shape));
  }
  const std::vector<int64_t> &axes = axis.axes();
  if (shifts.size() != axes.size() && shifts.size() != 1)
    call.valueError("shift has " + std::to_string(shifts.size()) + " entries, axis has " +
                    std::to_string(axes.size()) + "; needed as many, or one shift");
  for (size_t i = 0; i < axes.size(); ++i)
    x = rolled(call, x, call.axis(axes[i], call.rank(x)), shifts[shifts.size() == 1 ? 0 : i]);
  return call.tensor(x);
}

Tensor repeat_elements(const Operand &operand, int64_t rep, Axis axis, SourceLocation location) {
  Call call("repeat_elements", location);
  Value x = call.value(operand);
  if (rep < 0)
    call.valueError("rep is " + std::to_string(rep) + "; needed 0 or more");
  std::vector<DimExpr> counts(size_t(call.rank(x)), one);
  counts[call.axis(axis, call.rank(x))] = DimExpr(rep);
  return call.tensor(repeated(call, x, counts, Place::After));
}

Tensor repeat(const Operand &operand, const Size &n, SourceLocation location) {
  Call call("repeat", location);
  Value x = call.value(operand);
  if (call.rank(x) != 2)
    call.assertionError("x has rank " + std::to_string(call.rank(x)) + "; needed 2");
  DimExpr count = call.size(n, "n");
  call.requireAtLeast(count, DimExpr(0), "n must not be negative");
  ir::Shape shape = ir::getShape(x);
  return call.tensor(call.g.broadcast(x, {shape[0], count, shape[1]}, {0, 2}));
}

Tensor tile(const Operand &operand, const Shape &n, SourceLocation location) {
  Call call("tile", location);
  Value x = call.value(operand);
  std::vector<DimExpr> counts = call.shape(n, "n");
  if (int64_t(counts.size()) > call.rank(x))
    call.notImplemented("tile with more entries than the rank; found " +
                        std::to_string(counts.size()) + " for rank " +
                        std::to_string(call.rank(x)));
  counts.insert(counts.begin(), size_t(call.rank(x)) - counts.size(), one);
  return call.tensor(repeated(call, x, counts, Place::Before));
}

Tensor reverse(const Operand &operand, const Axes &axes, SourceLocation location) {
  Call call("reverse", location);
  Value x = call.value(operand);
  return call.tensor(call.g.reverse(x, call.axes(axes, call.rank(x))));
}

Tensor slice(const Operand &operand, const Shape &start, const Shape &size,
             SourceLocation location) {
  Call call("slice", location);
  Value x = call.value(operand);
  return call.tensor(Slicer(call, x, start).cut(size));
}

Tensor temporal_padding(const Operand &operand, const Padding &padding, SourceLocation location) {
  Call call("temporal_padding", location);
  Value x = call.value(operand);
  if (padding.size() != 2)
    call.assertionError("padding has " + std::to_string(padding.size()) + " numbers; needed 2");
  if (call.rank(x) != 3)
    call.valueError("x has rank " + std::to_string(call.rank(x)) + "; needed 3");
  return call.tensor(padded(call, x, {0, padding[0], 0}, {0, padding[1], 0}));
}

Tensor spatial_2d_padding(const Operand &x, const Paddings &padding, const DataFormat &data_format,
                          SourceLocation location) {
  return spatialPadding("spatial_2d_padding", x, padding, 2, data_format, location);
}

Tensor spatial_3d_padding(const Operand &x, const Paddings &padding, const DataFormat &data_format,
                          SourceLocation location) {
  return spatialPadding("spatial_3d_padding", x, padding, 3, data_format, location);
}

Tensor one_hot(const Operand &indices, int64_t num_classes, SourceLocation location) {
  Call call("one_hot", location);
  Value x = call.value(indices);
  if (!isInteger(call.dtypeOf(x)))
    call.typeError(std::string("indices have dtype ") + dtypeName(call.dtypeOf(x)) +
                   "; needed integers");
  if (num_classes < 0)
    call.valueError("num_classes is " + std::to_string(num_classes) + "; needed 0 or more");
  // Compared in 64 bits, where no class number wraps. An unsigned index beyond them is no class.
  x = call.cast(x, DType::Int64);
  ir::Shape shape = ir::getShape(x);
  std::vector<int64_t> dims(shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  shape.push_back(DimExpr(num_classes));
  Value classes =
      call.g.iota(ir::getTensorType(shape, ir::getElementType(x)), int64_t(shape.size()) - 1);
  return call.tensor(
      call.cast(call.g.equal(call.g.broadcast(x, shape, dims), classes), Configuration::floatx()));
}

} // namespace keratin::backend
