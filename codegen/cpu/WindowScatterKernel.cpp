// window_scatter: zeros, then one number for each window added to where its largest element is.
//
// Windows that overlap add to the same element, so those of one slice (an index of all dimensions
// that do not slide) are walked in order by one unit; slices never meet. Lanes are slices where the
// last dimension does not slide: the elements under a window are walked twice, to find the place in
// each lane and to add where it is. Elsewhere lanes are neighbouring windows that find their places
// together and add one after the other.
#include "codegen/cpu/WindowKernel.h"
#include "codegen/cpu/WindowSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

namespace {

class WindowScatterKernel : WindowKernel {
public:
  WindowScatterKernel(CpuKernelBuilder &k, const WindowScatterPlan &plan)
      : WindowKernel(k, plan.nest.op, plan.nest.dims, plan.schedule.lanes), plan(plan),
        resultType(getElementType(op->getResult(0))), sliding(plan.nest.sliding) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  void forEachWindow(ArrayRef<unsigned> which, const Fixed &fixed,
                     llvm::function_ref<void(const Fixed &)> body);
  void clear(const Fixed &slice, llvm::function_ref<void(Value offset)> body);

  // Lanes along a dimension that does not slide.
  void emitAcross(const Fixed &slice, ArrayRef<Value> starts, ArrayRef<Value> masks);
  void addWindow(const Fixed &window, Value start, Value mask);
  void addWrittenOut(const Fixed &window, Value start, Value mask);

  // Lanes that are windows.
  void emitAlong(const Fixed &slice);
  void addLanes(const Fixed &row, Value window, Value behind);

  // The best element so far and where it is.
  Values keep(ArrayRef<Value> best, Value element, Value place, Value mask);
  void put(Value offset, Value addend, Value mask);

  const WindowScatterPlan &plan;
  Type resultType;
  ArrayRef<unsigned> sliding;
};

WindowScatterKernel::Values WindowScatterKernel::keep(ArrayRef<Value> best, Value element,
                                                      Value place, Value mask) {
  Value better = bothMasks(beats(b, loc, type, element, best[0], /*largest=*/true), mask);
  return {select(better, element, best[0]), select(better, place, best[1])};
}

void WindowScatterKernel::forEachWindow(ArrayRef<unsigned> which, const Fixed &fixed,
                                        llvm::function_ref<void(const Fixed &)> body) {
  if (which.empty())
    return body(fixed);
  e.loop(i64(0), size(dims[which[0]].y), 1, [&](Value window) {
    Fixed next = fixed;
    ranges.fixWindow(next, which[0], window);
    forEachWindow(which.drop_front(), next, body);
  });
}

// Walks the elements of the slice without the last dimension.
void WindowScatterKernel::clear(const Fixed &slice, llvm::function_ref<void(Value)> body) {
  SmallVector<Range> all;
  SmallVector<Value> steps;
  for (unsigned dim : sliding) {
    all.push_back({i64(0), size(dims[dim].x)});
    steps.push_back(size(dims[dim].xStep));
  }
  ranges.forEachElement(all, steps, slice.x, {}, [&](Value offset, ArrayRef<Value>) -> Values {
    body(offset);
    return {};
  });
}

//===-- Lanes along a dimension that does not slide -------------------------------------------===//

void WindowScatterKernel::addWrittenOut(const Fixed &window, Value start, Value mask) {
  SmallVector<Value> offsets{e.add(ranges.firstOffset(window), start)};
  for (auto [count, step] : llvm::zip(plan.schedule.writtenOut, window.steps)) {
    SmallVector<Value> next;
    for (Value offset : offsets)
      for (int64_t i = 0; i < count; ++i)
        next.push_back(e.add(offset, e.mul(step, i)));
    offsets = next;
  }
  // Places are counted with the bits of an element, so that a comparison of them is a mask for it.
  auto place = [&](size_t i) {
    Type number = b.getIntegerType(std::max(32u, resultType.getIntOrFloatBitWidth()));
    return emitter.splat(b.create<arith::ConstantOp>(loc, b.getIntegerAttr(number, i)));
  };
  Values best{load(input(0), type, emitter.laneIndex(offsets[0]), mask), place(0)};
  for (size_t i = 1; i < offsets.size(); ++i)
    best = keep(best, load(input(0), type, emitter.laneIndex(offsets[i]), mask), place(i), Value());
  Value addend = load(input(1), resultType, emitter.laneIndex(e.add(window.y, start)), mask);
  Value nothing = zeros(resultType);
  for (size_t i = 0; i < offsets.size(); ++i) {
    Value here = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, best[1], place(i));
    Value part = select(here, addend, nothing);
    put(offsets[i], part, mask);
  }
}

// What no other window adds to is written over.
void WindowScatterKernel::put(Value offset, Value addend, Value mask) {
  Index at = emitter.laneIndex(offset);
  if (!plan.nest.overlap())
    return store(addend, output(), resultType, at, mask);
  Value sum = load(output(), resultType, at, mask);
  emitter.setElementType(resultType);
  store(emitter.add(sum, addend), output(), resultType, at, mask);
}

// A window that may reach outside, but not altogether.
void WindowScatterKernel::addWindow(const Fixed &window, Value start, Value mask) {
  Value first = ranges.firstOffset(window);
  Values best{load(input(0), type, emitter.laneIndex(e.add(first, start)), mask),
              emitter.splat(first)};
  best = ranges.forEachElement(
      window.ranges, window.steps, window.x, best, [&](Value offset, ArrayRef<Value> carried) {
        Index at = emitter.laneIndex(e.add(offset, start));
        return keep(carried, load(input(0), type, at, mask), emitter.splat(offset), Value());
      });
  Value addend = load(input(1), resultType, emitter.laneIndex(e.add(window.y, start)), mask);
  Value nothing = zeros(resultType);
  ranges.forEachElement(
      window.ranges, window.steps, window.x, {}, [&](Value offset, ArrayRef<Value>) -> Values {
        Value here =
            b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, best[1], emitter.splat(offset));
        put(e.add(offset, start), select(here, addend, nothing), mask);
        return {};
      });
}

void WindowScatterKernel::emitAcross(const Fixed &slice, ArrayRef<Value> starts,
                                     ArrayRef<Value> masks) {
  Value nothing = zeros(resultType);
  if (!plan.nest.cover())
    clear(slice, [&](Value offset) {
      for (auto [start, mask] : llvm::zip(starts, masks))
        store(nothing, output(), resultType, emitter.laneIndex(e.add(offset, start)), mask);
    });
  bool isSmall = !plan.schedule.writtenOut.empty();
  forEachWindow(sliding, slice, [&](const Fixed &window) {
    auto each = [&](auto add) {
      for (auto [start, mask] : llvm::zip(starts, masks))
        (this->*add)(window, start, mask);
    };
    auto partly = [&] {
      e.branch(ranges.anyInside(window.ranges), [&] { each(&WindowScatterKernel::addWindow); });
    };
    if (!isSmall)
      return partly();
    Value whole;
    for (auto [dim, range] : llvm::zip(sliding, window.ranges))
      whole = bothMasks(whole, e.equal(e.sub(range.to, range.from), i64(dims[dim].window)));
    e.branch(whole, [&] { each(&WindowScatterKernel::addWrittenOut); }, partly);
  });
}

//===-- Lanes that are windows ----------------------------------------------------------------===//

// The windows from the given one on, as far as they are before `behind`.
void WindowScatterKernel::addLanes(const Fixed &row, Value window, Value behind) {
  LaneWindows windows = laneWindows(window);
  Lanes first = firstUnderLanes(windows, ranges.firstOffset(row));
  Values best{load(input(0), type, first.offset, first.mask), first.offset.lanes};
  best = ranges.forEachElement(
      row.ranges, row.steps, row.x, best, [&](Value offset, ArrayRef<Value> carried) {
        return e.loop(windows.from, windows.to, 1, carried, [&](Value step, ValueRange inner) {
          Lanes at = atStep(windows, step, offset);
          Value place = plus(plus(windows.element, emitter.splat(step)), emitter.splat(offset));
          return keep(Values(inner), load(input(0), type, at.offset, at.mask), place, at.mask);
        });
      });
  Value exists = emitter.maskBelow(window, behind);
  Value addends = load(input(1), resultType, emitter.laneIndex(e.add(row.y, window)), exists);
  Value adds = bothMasks(first.mask, exists);
  auto ofLane = [&](Value vector, int64_t lane) -> Value {
    return b.create<vector::ExtractOp>(loc, vector, ArrayRef<int64_t>{lane});
  };
  for (unsigned lane = 0; lane < lanes; ++lane)
    e.branch(ofLane(adds, lane), [&] {
      Index at = emitter.scalarIndex(ofLane(best[1], lane));
      Value sum = load(output(), resultType, at, Value());
      emitter.setElementType(resultType);
      store(emitter.add(sum, ofLane(addends, lane)), output(), resultType, at, Value());
    });
}

void WindowScatterKernel::emitAlong(const Fixed &slice) {
  const JoinedWindowDim &dim = dims.back();
  Value nothing = zeros(resultType);
  clear(slice, [&](Value offset) {
    Value n = size(dim.x);
    e.loop(i64(0), n, lanes, [&](Value start) {
      store(nothing, output(), resultType, emitter.laneIndex(e.add(offset, start)),
            isWhole(dim.x, 1) ? Value() : emitter.maskBelow(start, n));
    });
  });
  Value behind = size(dim.y);
  forEachWindow(sliding, slice, [&](const Fixed &row) {
    auto rowOfWindows = [&] {
      e.loop(i64(0), behind, lanes, [&](Value window) { addLanes(row, window, behind); });
    };
    if (Value inside = ranges.anyInside(row.ranges))
      e.branch(inside, rowOfWindows);
    else
      rowOfWindows();
  });
}

//===-- Units ---------------------------------------------------------------------------------===//

void WindowScatterKernel::emit() {
  forEachUnit(plan.blocks, [&](Value number, Value column) {
    Fixed slice = ranges.fix(plan.nest.still, number);
    if (plan.nest.isAlong())
      return emitAlong(slice);
    auto [starts, masks] = columnsFrom(column, dims.back().x, plan.schedule.vectors);
    emitAcross(slice, starts, masks);
  });
}

} // namespace

void WindowScatterPlan::emit(CpuKernelBuilder &k) const { WindowScatterKernel(k, *this).emit(); }
