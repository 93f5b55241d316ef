// Sums and choices over windows with lanes that are neighbouring windows.
#include "codegen/cpu/WindowReductionKernel.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;
using Form = WindowReductionSchedule::Form;

namespace {

class WindowsAlong final : public WindowReductionKernel {
public:
  using WindowReductionKernel::WindowReductionKernel;

private:
  void emitWindows(const Fixed &row, Value from, Value to) override;

  // Windows from the given one on, one a lane.
  Value writtenOut(const Fixed &row, Value window);
  Value sumWrittenOut(const Fixed &row, Value start, bool isInside);
  Columns vectorsFrom(Value start, bool isInside);
  Value deinterleave(ArrayRef<Value> vectors, int64_t from);
  Value stepByStep(const Fixed &row, Value window);
  Values walk(const Fixed &row, const LaneWindows &windows, ArrayRef<Value> state);

  Value onlyWindow(const Fixed &row);
};

//===-- Written out ---------------------------------------------------------------------------===//

// The elements from, from + n, … of n vectors laid end to end.
Value WindowsAlong::deinterleave(ArrayRef<Value> vectors, int64_t from) {
  Value result = vectors[0];
  int64_t stride = vectors.size();
  for (size_t v = 1; v < vectors.size(); ++v) {
    SmallVector<int64_t> picks(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t at = from + lane * stride;
      // The vectors before this one have been brought together in the lanes where they are wanted.
      if (at / lanes < int64_t(v))
        picks[lane] = v == 1 ? at : lane;
      else
        picks[lane] = at / lanes == int64_t(v) ? lanes + at % lanes : lane;
    }
    result = b.create<vector::ShuffleOp>(loc, result, vectors[v], picks);
  }
  return result;
}

// The vectors of elements under lanes of windows, of which the first begins at the position.
WindowsAlong::Columns WindowsAlong::vectorsFrom(Value start, bool isInside) {
  const JoinedWindowDim &dim = dims.back();
  SmallVector<int64_t> numbers(lanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  Columns vectors;
  for (int64_t g = 0; g < ceilDiv(dim.window, dim.stride); ++g)
    for (int64_t v = 0; v < dim.stride; ++v) {
      Value from = e.add(start, g * dim.stride + v * lanes), mask;
      if (!isInside) {
        Value all = plus(emitter.splat(from),
                         b.create<arith::ConstantOp>(loc, b.getI64VectorAttr(numbers)));
        mask = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, all,
                                       emitter.splat(size(dim.x)));
      }
      vectors.starts.push_back(from);
      vectors.masks.push_back(mask);
    }
  return vectors;
}

// Whole vectors of elements are added row by row; at the end each lane finds its own among them.
Value WindowsAlong::sumWrittenOut(const Fixed &row, Value start, bool isInside) {
  const JoinedWindowDim &dim = dims.back();
  Columns vectors = vectorsFrom(start, isInside);
  Values state(vectors.starts.size(), identity());
  auto takeElements = [&](Value offset, ArrayRef<Value> carried) {
    Values next;
    for (auto [place, mask] : llvm::zip(vectors.starts, vectors.masks))
      next.push_back(take(carried[next.size()], emitter.laneIndex(e.add(offset, place)), mask)[0]);
    return next;
  };
  state = ranges.forEachElement(row.ranges, row.steps, row.x, state, takeElements);
  Value result;
  for (int64_t i = 0; i < dim.window; ++i) {
    ArrayRef<Value> group = ArrayRef<Value>(state).slice(i / dim.stride * dim.stride, dim.stride);
    Value part = deinterleave(group, i % dim.stride);
    result = result ? combine(result, part) : part;
  }
  return result;
}

Value WindowsAlong::writtenOut(const Fixed &row, Value window) {
  const JoinedWindowDim &dim = dims.back();
  Value start = e.sub(e.mul(window, dim.stride), size(dim.low));
  int64_t reach = (ceilDiv(dim.window, dim.stride) - 1 + lanes) * dim.stride;
  Value before = e.less(start, i64(0)), behind = e.less(size(dim.x), e.add(start, reach));
  Value outside = b.createOrFold<arith::OrIOp>(loc, before, behind);
  auto sums = [&](bool isInside) -> Values { return {sumWrittenOut(row, start, isInside)}; };
  return e.choose(outside, types(1), [&] { return sums(false); }, [&] { return sums(true); })[0];
}

//===-- Step by step --------------------------------------------------------------------------===//

WindowsAlong::Values WindowsAlong::walk(const Fixed &row, const LaneWindows &windows,
                                        ArrayRef<Value> state) {
  return ranges.forEachElement(
      row.ranges, row.steps, row.x, state, [&](Value offset, ArrayRef<Value> carried) {
        return e.loop(windows.from, windows.to, 1, carried, [&](Value step, ValueRange inner) {
          Lanes at = atStep(windows, step, offset);
          return take(Values(inner), at.offset, at.mask);
        });
      });
}

Value WindowsAlong::stepByStep(const Fixed &row, Value window) {
  LaneWindows windows = laneWindows(window);
  if (choice != Choice::Picked)
    return walk(row, windows, identity())[0];
  Value nothing = zeros(resultType);
  auto picked = [&]() -> Values {
    Lanes first = firstUnderLanes(windows, ranges.firstOffset(row));
    Values best = walk(row, windows, begin(first.offset, first.mask));
    return {select(first.mask, best[1], nothing)};
  };
  Value inside = ranges.anyInside(row.ranges);
  if (!inside)
    return picked()[0];
  return e.choose(inside, types(1), picked, [&]() -> Values { return {nothing}; })[0];
}

//===-- One window ----------------------------------------------------------------------------===//

// Where there is one window, lanes are the elements under it; the first has the result.
Value WindowsAlong::onlyWindow(const Fixed &row) {
  Range range = ranges.under(dims.back(), i64(0));
  SmallVector<Value> state = ranges.forEachElement(
      row.ranges, row.steps, row.x, identity(), [&](Value offset, ArrayRef<Value> carried) {
        return e.loop(range.from, range.to, lanes, carried, [&](Value element, ValueRange inner) {
          Value mask = emitter.maskBelow(element, range.to);
          return take(Values(inner), emitter.laneIndex(e.add(offset, element)), mask);
        });
      });
  Value result = state[0];
  for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> from(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      from[lane] = (lane + distance) % lanes;
    result = combine(result, b.create<vector::ShuffleOp>(loc, result, result, from));
  }
  return result;
}

//===-- The windows of a row ------------------------------------------------------------------===//

void WindowsAlong::emitWindows(const Fixed &row, Value from, Value to) {
  if (schedule.form == Form::OneWindow)
    return finish(onlyWindow(row), row, Value(), i64(0), Value());
  bool isFull = isWhole(dims.back().y, 1);
  e.loop(from, to, lanes, [&](Value window) {
    Value mask = isFull ? Value() : emitter.maskBelow(window, to);
    Value result =
        schedule.form == Form::WrittenOut ? writtenOut(row, window) : stepByStep(row, window);
    finish(result, row, Value(), window, mask);
  });
}

} // namespace

void keratin::codegen::emitWindowsAlong(CpuKernelBuilder &k, const WindowReductionPlan &plan) {
  WindowsAlong(k, plan).emit();
}
