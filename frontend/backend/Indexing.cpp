// x[key].
#include "frontend/graph/Call.h"
#include "keratin/arguments.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// A key is worked off axis by axis into one strided slice, a reversal for negative steps, dynamic
// slices and gathers for places computed at the call, and a reshape that drops and inserts axes.
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
    Value index = scalar(tensor, "an index");
    Value size = call.g.count(x, {int64_t(axis)}, call.elementType(DType::Int64));
    index =
        call.g.select(call.g.less(index, call.g.zeroLike(index)), call.g.add(index, size), index);
    dynamicStarts.push_back({axis, index, DimExpr(1)});
    box(DimExpr(0), shape[axis], 1, false);
  }

  void add(const Slice &slice, size_t) {
    std::optional<DimExpr> start = known(slice.start, "the start of a slice"),
                           stop = known(slice.stop, "the stop of a slice");
    if ((!start && !slice.start.isNone()) || (!stop && !slice.stop.isNone()) ||
        slice.step.isTensor())
      addComputed(slice);
    else
      addKnown(start, stop, stepOf(slice));
  }

  int64_t stepOf(const Slice &slice) {
    int64_t step = slice.step.isNone() ? 1 : slice.step.number();
    if (step == 0)
      call.valueError("the step of a slice is 0");
    if (step == std::numeric_limits<int64_t>::min())
      call.valueError("the step of a slice does not fit");
    return step;
  }

  void addKnown(const std::optional<DimExpr> &from, const std::optional<DimExpr> &to,
                int64_t step) {
    const DimExpr &dim = shape[axis];
    const DimExpr zero(0), last = call.check(ir::sub(dim, DimExpr(1)));
    if (step > 0) {
      DimExpr start = from ? clamped(*from, zero, dim) : zero;
      DimExpr stop = to ? clamped(*to, zero, dim) : dim;
      box(start, length(start, stop, step), step, true);
      return;
    }
    // Backwards: the same places from the other end, then reversed.
    DimExpr start = from ? clamped(*from, DimExpr(-1), last) : last;
    DimExpr stop = to ? clamped(*to, DimExpr(-1), last) : DimExpr(-1);
    DimExpr count = length(stop, start, -step);
    DimExpr span = call.check(ir::mul(call.check(ir::sub(count, DimExpr(1))), DimExpr(-step)));
    // An empty slice may stand anywhere.
    DimExpr lowest =
        count == zero ? zero : call.check(ir::max(call.check(ir::sub(start, span)), zero));
    reversed.push_back(int64_t(axis));
    box(lowest, count, -step, true);
  }

  // The bound, if it follows from sizes: others may be negative, which no size is.
  std::optional<DimExpr> known(const Size &bound, const char *name) {
    if (bound.isNone())
      return std::nullopt;
    return bound.isNumber() ? DimExpr(bound.number())
                            : call.sizeFromShapes(scalar(bound.tensor(), name));
  }

  Value scalar(const Tensor &tensor, const char *name) {
    Value value = call.value(tensor);
    if (call.rank(value) != 0 || !isInteger(call.dtypeOf(value)))
      call.valueError(std::string(name) + " must be a number or an integer scalar; found dtype " +
                      dtypeName(call.dtypeOf(value)) + " and shape " + describe(value));
    return call.cast(value, DType::Int64);
  }

  Value integer(int64_t value) {
    return call.g.integerScalar(value, call.elementType(DType::Int64));
  }

  // Python's rule in numbers of the call. How many elements there are is a size of its own.
  void addComputed(const Slice &slice) {
    ir::GraphMath &g = call.g;
    const Value zero = integer(0), one = integer(1);
    const Value dim = call.scalar(shape[axis], DType::Int64), last = g.sub(dim, one);
    Value step, isForward;
    if (slice.step.isTensor()) {
      step = call.nonzero(scalar(slice.step.tensor(), "the step of a slice"),
                          "the step of a slice is 0");
      // Steps beyond any size all do the same.
      const int64_t far = int64_t(1) << 62;
      step = g.maximum(g.minimum(step, integer(far)), integer(-far));
      isForward = g.greater(step, zero);
    } else {
      step = integer(stepOf(slice));
    }
    bool forward = !slice.step.isTensor() && stepOf(slice) > 0;
    auto byDirection = [&](Value ifForward, Value ifBackward) {
      if (isForward)
        return g.select(isForward, ifForward, ifBackward);
      return forward ? ifForward : ifBackward;
    };
    const Value low = byDirection(zero, integer(-1)), high = byDirection(dim, last);
    auto clampedValue = [&](const Size &bound, const char *name, Value missing) {
      if (bound.isNone())
        return missing;
      Value value = bound.isNumber() ? integer(bound.number()) : scalar(bound.tensor(), name);
      value = g.select(g.less(value, zero), g.add(value, dim), value);
      return g.maximum(g.minimum(value, high), low);
    };
    const Value start = clampedValue(slice.start, "the start of a slice", byDirection(low, high));
    const Value stop = clampedValue(slice.stop, "the stop of a slice", byDirection(high, low));
    Value distance = byDirection(g.sub(stop, start), g.sub(start, stop)), width = g.abs(step);
    Value count = g.floorDiv(g.add(distance, g.sub(width, one)), width);
    DimExpr size = call.computedSize(g.maximum(count, zero), shape[axis], "the slice");
    if (forward && stepOf(slice) == 1) {
      dynamicStarts.push_back({axis, start, size});
    } else {
      auto places = [&](Value value) { return g.broadcastScalar(value, {size}); };
      Value number = g.iota(ir::getTensorType({size}, call.elementType(DType::Int64)), 0);
      gathered.push_back({int64_t(axis), g.add(places(start), g.mul(number, places(step)))});
    }
    box(DimExpr(0), shape[axis], 1, false);
    result.push_back(size);
  }

  // Python's rule: a negative bound counts from the end, then everything is cut to [low, high].
  DimExpr clamped(DimExpr value, const DimExpr &low, const DimExpr &high) {
    if (value.lowerBound().value_or(-1) < 0) {
      DimExpr below = call.check(ir::max(call.check(ir::sub(DimExpr(0), value)), DimExpr(0)));
      DimExpr isNegative = call.check(ir::min(below, DimExpr(1)));
      value = call.check(ir::add(value, call.check(ir::mul(isNegative, shape[axis]))));
    }
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
      for (const auto &[i, start, size] : dynamicStarts) {
        places[i] = start;
        boxShape[i] = size;
      }
      y = call.builder.create<ir::DynamicSliceOp>(
          call.g.location(), ir::getTensorType(boxShape, ir::getElementType(y)), y, places);
    }
    for (const auto &[i, places] : gathered)
      y = gatherAlong(y, places, i);
    return call.tensor(call.g.reshape(y, result));
  }

  Value gatherAlong(Value y, Value places, int64_t along) {
    llvm::SmallVector<int64_t> exchanged = llvm::to_vector(llvm::seq<int64_t>(0, call.rank(y)));
    std::swap(exchanged[0], exchanged[size_t(along)]);
    return call.g.transpose(call.g.gather(call.g.transpose(y, exchanged), places), exchanged);
  }

  struct DynamicStart {
    size_t axis;
    Value start;
    DimExpr size;
  };

  Call &call;
  Value x;
  ir::Shape shape;
  size_t axis = 0;
  ir::Shape starts, sizes, result;
  std::vector<int64_t> strides, reversed;
  std::vector<DynamicStart> dynamicStarts;
  std::vector<std::pair<int64_t, Value>> gathered;
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
