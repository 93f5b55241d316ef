// x[key].
#include "frontend/graph/Call.h"
#include "keratin/arguments.h"

#include "llvm/ADT/SmallVector.h"

#include <limits>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// A key is worked off axis by axis into one strided slice, a reversal for negative steps, dynamic
// slices for places computed at the call, and a reshape that drops and inserts axes.
class Indexer {
public:
  Indexer(Call &call, Value x) : call(call), x(x), shape(ir::getShape(x)) {}

  Tensor run(const std::vector<IndexList::Item> &items) {
    size_t named = 0, ellipses = 0;
    for (const IndexList::Item &item : items) {
      named += !std::holds_alternative<std::nullopt_t>(item) &&
               !std::holds_alternative<EllipsisType>(item);
      ellipses += std::holds_alternative<EllipsisType>(item);
    }
    if (ellipses > 1)
      call.valueError("the key has more than one Ellipsis");
    if (named > shape.size())
      call.valueError("the key has " + std::to_string(named) + " items; needed at most " +
                      std::to_string(shape.size()) + " for shape " + describe(x));
    for (const IndexList::Item &item : items)
      std::visit([&](const auto &entry) { add(entry, shape.size() - named); }, item);
    fill(shape.size() - axis);
    return finish();
  }

private:
  void add(std::nullopt_t, size_t) { result.push_back(DimExpr(1)); }
  void add(EllipsisType, size_t missing) { fill(missing); }

  void fill(size_t count) {
    for (size_t i = 0; i < count; ++i)
      box(DimExpr(0), shape[axis], 1, true);
  }

  void add(int64_t index, size_t) {
    const DimExpr &dim = shape[axis];
    if (dim.isConstant() && (index >= dim.constantValue() || index < -dim.constantValue()))
      call.valueError("index " + std::to_string(index) + " is outside axis " +
                      std::to_string(axis) + " of size " + dim.str());
    call.requireAtLeast(dim, DimExpr(index < 0 ? -index : index + 1),
                        "index " + std::to_string(index) + " is outside the axis");
    box(index < 0 ? call.check(ir::add(dim, DimExpr(index))) : DimExpr(index), DimExpr(1), 1,
        false);
  }

  // A place computed at the call; outside the axis it is an error of the call.
  void add(const Tensor &tensor, size_t) {
    Value index = call.value(tensor);
    if (call.rank(index) != 0 || !isInteger(call.dtypeOf(index)))
      call.valueError("an index must be a number or a scalar integer tensor; found shape " +
                      describe(index));
    index = call.cast(index, DType::Int64);
    Value size = call.g.count(x, {int64_t(axis)}, call.elementType(DType::Int64));
    index =
        call.g.select(call.g.less(index, call.g.zeroLike(index)), call.g.add(index, size), index);
    dynamicStarts.push_back({axis, index});
    box(DimExpr(0), shape[axis], 1, false);
  }

  void add(const Slice &slice, size_t) {
    if (slice.step.isTensor())
      call.notImplemented("a slice whose step is a tensor");
    int64_t step = slice.step.isNone() ? 1 : slice.step.number();
    if (step == 0)
      call.valueError("the step of a slice is 0");
    if (step == std::numeric_limits<int64_t>::min())
      call.valueError("the step of a slice does not fit");
    const DimExpr &dim = shape[axis];
    const DimExpr zero(0), last = call.check(ir::sub(dim, DimExpr(1)));
    if (step > 0) {
      DimExpr start = slice.start.isNone() ? zero : clamped(slice.start, zero, dim);
      DimExpr stop = slice.stop.isNone() ? dim : clamped(slice.stop, zero, dim);
      box(start, length(start, stop, step), step, true);
      return;
    }
    // Backwards: the same places from the other end, then reversed.
    DimExpr start = slice.start.isNone() ? last : clamped(slice.start, DimExpr(-1), last);
    DimExpr stop = slice.stop.isNone() ? DimExpr(-1) : clamped(slice.stop, DimExpr(-1), last);
    DimExpr count = length(stop, start, -step);
    DimExpr span = call.check(ir::mul(call.check(ir::sub(count, DimExpr(1))), DimExpr(-step)));
    // An empty slice may stand anywhere.
    DimExpr lowest =
        count == zero ? zero : call.check(ir::max(call.check(ir::sub(start, span)), zero));
    reversed.push_back(int64_t(axis));
    box(lowest, count, -step, true);
  }

  // Python's rule: a negative bound counts from the end, then everything is cut to [low, high].
  DimExpr clamped(const Size &bound, const DimExpr &low, const DimExpr &high) {
    DimExpr value = call.size(bound);
    std::optional<int64_t> least = value.lowerBound();
    if (value.isConstant() && value.constantValue() < 0)
      value = call.check(ir::add(shape[axis], value));
    else if (!least || *least < 0)
      call.requireAtLeast(value, DimExpr(0),
                          "a slice bound computed at the call must not be negative");
    return call.check(ir::max(call.check(ir::min(value, high)), low));
  }

  // ceil((stop - start) / step), at least 0.
  DimExpr length(const DimExpr &start, const DimExpr &stop, int64_t step) {
    DimExpr distance = call.check(ir::sub(stop, start));
    return call.check(ir::max(call.check(ir::ceildiv(distance, DimExpr(step))), DimExpr(0)));
  }

  void box(const DimExpr &start, const DimExpr &size, int64_t stride, bool keep) {
    starts.push_back(start);
    sizes.push_back(size);
    strides.push_back(stride);
    if (keep)
      result.push_back(size);
    ++axis;
  }

  Tensor finish() {
    Value y = call.g.slice(x, starts, sizes, strides);
    y = call.g.reverse(y, reversed);
    if (!dynamicStarts.empty()) {
      ir::Shape boxShape = ir::getShape(y);
      Value zero = call.g.integerScalar(0, call.elementType(DType::Int64));
      llvm::SmallVector<Value> places(boxShape.size(), zero);
      for (auto [i, index] : dynamicStarts) {
        places[i] = index;
        boxShape[i] = DimExpr(1);
      }
      y = call.builder.create<ir::DynamicSliceOp>(
          call.g.location(), ir::getTensorType(boxShape, ir::getElementType(y)), y, places);
    }
    return call.tensor(call.g.reshape(y, result));
  }

  Call &call;
  Value x;
  ir::Shape shape;
  size_t axis = 0;
  ir::Shape starts, sizes, result;
  std::vector<int64_t> strides, reversed;
  std::vector<std::pair<size_t, Value>> dynamicStarts;
};

} // namespace

Tensor Tensor::operator[](const IndexList &key) const {
  Call call("getitem", key.location);
  Value x = call.value(*this);
  if (key.items.size() == 1)
    if (const auto *tensor = std::get_if<Tensor>(&key.items.front());
        tensor && tensor->ndim() > 0) {
      Value places = call.value(*tensor);
      if (!isInteger(call.dtypeOf(places)) || call.rank(x) == 0)
        call.typeError("needed an integer tensor as the key, and at least one axis");
      return call.tensor(call.g.gather(x, places));
    }
  return Indexer(call, x).run(key.items);
}
