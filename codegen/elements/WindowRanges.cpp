#include "codegen/elements/WindowRanges.h"

using namespace keratin::codegen;
using namespace mlir;

WindowRanges::Range WindowRanges::under(const JoinedWindowDim &dim, Value window) {
  Value start = e.sub(e.mul(window, dim.stride), k.sizeOf(dim.low));
  Value zero = e.constant(0), by = e.constant(dim.xDilation);
  Value from = e.ceilDiv(e.max(start, zero), by);
  Value to = e.ceilDiv(e.max(e.add(start, dim.window), zero), by);
  return {from, e.min(to, k.sizeOf(dim.x))};
}

// o is above place p if o * stride - low is one of the last `window` places up to p.
WindowRanges::Range WindowRanges::above(const JoinedWindowDim &dim, Value index) {
  Value zero = e.constant(0), stride = e.constant(dim.stride);
  Value behind = e.add(e.add(e.mul(index, dim.xDilation), k.sizeOf(dim.low)), 1);
  Value from = e.ceilDiv(e.max(e.sub(behind, e.constant(dim.window)), zero), stride);
  Value to = e.ceilDiv(e.max(behind, zero), stride);
  return {from, e.min(to, k.sizeOf(dim.y))};
}

Value WindowRanges::anyInside(ArrayRef<Range> ranges) {
  Value all;
  for (const Range &range : ranges) {
    Value here = e.less(range.from, range.to);
    all = all ? e.logicalAnd(all, here) : here;
  }
  return all;
}

void WindowRanges::fixWindow(Fixed &fixed, unsigned dim, Value window) {
  fixed.index[dim] = window;
  fixed.y = e.add(fixed.y, e.mul(window, k.sizeOf(dims[dim].yStep)));
  fixed.ranges.push_back(under(dims[dim], window));
  fixed.steps.push_back(k.sizeOf(dims[dim].xStep));
}

WindowRanges::Fixed WindowRanges::fix(ArrayRef<unsigned> which, Value number) {
  Fixed fixed{e.constant(0), e.constant(0), {}, {}, Values(dims.size())};
  Values index(which.size());
  for (size_t i = which.size(); i-- > 0;) {
    Value extent = k.sizeOf(dims[which[i]].y);
    index[i] = i ? e.rem(number, extent) : number;
    if (i)
      number = e.div(number, extent);
  }
  for (auto [dim, position] : llvm::zip(which, index)) {
    if (dims[dim].slides()) {
      fixWindow(fixed, dim, position);
      continue;
    }
    fixed.index[dim] = position;
    fixed.x = e.add(fixed.x, e.mul(position, k.sizeOf(dims[dim].xStep)));
    fixed.y = e.add(fixed.y, e.mul(position, k.sizeOf(dims[dim].yStep)));
  }
  return fixed;
}

Value WindowRanges::firstOffset(const Fixed &fixed) {
  Value offset = fixed.x;
  for (auto [range, step] : llvm::zip(fixed.ranges, fixed.steps))
    offset = e.add(offset, e.mul(range.from, step));
  return offset;
}

WindowRanges::Values WindowRanges::forEachElement(ArrayRef<Range> ranges, ArrayRef<Value> steps,
                                                  Value offset, ArrayRef<Value> state,
                                                  ElementBody body) {
  if (ranges.empty())
    return body(offset, state);
  return e.loop(ranges[0].from, ranges[0].to, 1, state, [&](Value i, ValueRange carried) {
    return forEachElement(ranges.drop_front(), steps.drop_front(),
                          e.add(offset, e.mul(i, steps[0])), Values(carried), body);
  });
}
