// Sums and choices over windows with lanes along a last dimension that does not slide.
//
// Several windows that neighbour each other along the last dimension that does are computed
// together, so that an element under many of them is read once.
#include "codegen/cpu/WindowReductionKernel.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

class WindowsAcross final : public WindowReductionKernel {
public:
  using WindowReductionKernel::WindowReductionKernel;

private:
  void emitWindows(const Fixed &row, Value from, Value to) override;
  Value emitTiles(const Fixed &row, const WindowTile &tile, Value from, Value to);
  std::pair<Value, Value> placesOfTiles(const WindowTile &tile, Value from);

  // Results are vectors: window by window, and column by column.
  void emitTile(const Fixed &row, const WindowTile &tile, Value window);
  Values sumTile(const Fixed &row, const WindowTile &tile, Value first, const Columns &columns);
  Values sumsOfWindows(const WindowTile &tile, ArrayRef<Value> sums, size_t vectors);
  Values pickTile(const Fixed &row, const WindowTile &tile, Value first, const Columns &columns);
  void emitWindow(const Fixed &row, Value window);
  Values walkWindow(const Fixed &fixed, const Columns &columns);
  Values resultsIn(ArrayRef<Value> state);
  // Of windows that have no element under them nothing is picked.
  Values pickedIf(Value inside, size_t vectors, llvm::function_ref<Values()> pick);
};

WindowsAcross::Values WindowsAcross::resultsIn(ArrayRef<Value> state) {
  Values results;
  for (size_t i = stateSize() - 1; i < state.size(); i += stateSize())
    results.push_back(state[i]);
  return results;
}

WindowsAcross::Values WindowsAcross::pickedIf(Value inside, size_t vectors,
                                              llvm::function_ref<Values()> pick) {
  if (!inside)
    return pick();
  return e.choose(inside, types(vectors), pick, [&] { return Values(vectors, zeros(resultType)); });
}

//===-- Tiles of windows that are inside ------------------------------------------------------===//

// Each element under the tile has an accumulator of its own while the other dimensions are walked:
// what windows share is added once.
WindowsAcross::Values WindowsAcross::sumTile(const Fixed &row, const WindowTile &tile, Value first,
                                             const Columns &columns) {
  Value step = size(nest.columnDim().xStep);
  Values state(tile.usedElements() * columns.starts.size(), identity());
  auto takeElements = [&](Value offset, ArrayRef<Value> carried) {
    Values next;
    for (auto [i, used] : llvm::enumerate(tile.used)) {
      if (!used)
        continue;
      Value element = e.add(offset, e.mul(step, int64_t(i)));
      for (auto [start, mask] : llvm::zip(columns.starts, columns.masks))
        next.push_back(
            take(carried[next.size()], emitter.laneIndex(e.add(element, start)), mask)[0]);
    }
    return next;
  };
  state = ranges.forEachElement(row.ranges, row.steps, e.add(row.x, first), state, takeElements);
  return sumsOfWindows(tile, state, columns.starts.size());
}

// From what was found for each element under the tile.
WindowsAcross::Values WindowsAcross::sumsOfWindows(const WindowTile &tile, ArrayRef<Value> sums,
                                                   size_t vectors) {
  const JoinedWindowDim &dim = nest.columnDim();
  SmallVector<size_t> place(tile.used.size());
  for (size_t i = 0, count = 0; i < place.size(); ++i)
    place[i] = tile.used[i] ? count++ : 0;
  Values results;
  for (unsigned w = 0; w < tile.windows; ++w)
    for (size_t v = 0; v < vectors; ++v) {
      Value result;
      for (int64_t i = ceilDiv(w * dim.stride, dim.xDilation);
           i < ceilDiv(w * dim.stride + dim.window, dim.xDilation); ++i) {
        Value part = sums[place[i] * vectors + v];
        result = result ? combine(result, part) : part;
      }
      results.push_back(result ? result : identity());
    }
  return results;
}

WindowsAcross::Values WindowsAcross::pickTile(const Fixed &row, const WindowTile &tile, Value first,
                                              const Columns &columns) {
  const JoinedWindowDim &dim = nest.columnDim();
  Value step = size(dim.xStep);
  auto at = [&](Value offset, unsigned window, int64_t i, Value start) {
    return emitter.laneIndex(e.add(e.add(offset, e.mul(step, window * dim.stride + i)), start));
  };
  Values state;
  Value corner = e.add(ranges.firstOffset(row), first);
  for (unsigned w = 0; w < tile.windows; ++w)
    for (auto [start, mask] : llvm::zip(columns.starts, columns.masks))
      state.append(begin(at(corner, w, 0, start), mask));
  auto takeElements = [&](Value offset, ArrayRef<Value> carried) {
    Values next;
    for (unsigned w = 0; w < tile.windows; ++w)
      for (auto [start, mask] : llvm::zip(columns.starts, columns.masks)) {
        Values best(carried.slice(next.size(), stateSize()));
        for (int64_t i = 0; i < dim.window; ++i)
          best = take(best, at(offset, w, i, start), mask);
        next.append(best);
      }
    return next;
  };
  return resultsIn(
      ranges.forEachElement(row.ranges, row.steps, e.add(row.x, first), state, takeElements));
}

// The windows from the given one on, all inside along the column.
void WindowsAcross::emitTile(const Fixed &row, const WindowTile &tile, Value window) {
  const JoinedWindowDim &dim = nest.columnDim();
  Value place = e.sub(e.mul(window, dim.stride), size(dim.low));
  Value first = e.mul(e.div(place, i64(dim.xDilation)), size(dim.xStep));
  forEachLaneBlock(schedule.lastVectors, [&](const Columns &columns) {
    size_t vectors = columns.starts.size();
    Values results;
    if (choice == Choice::Picked)
      results = pickedIf(ranges.anyInside(row.ranges), tile.windows * vectors,
                         [&] { return pickTile(row, tile, first, columns); });
    else
      results = sumTile(row, tile, first, columns);
    for (unsigned w = 0; w < tile.windows; ++w)
      for (size_t v = 0; v < vectors; ++v)
        finish(results[w * vectors + v], row, e.add(window, w), columns.starts[v],
               columns.masks[v]);
  });
}

//===-- Windows that may reach outside --------------------------------------------------------===//

WindowsAcross::Values WindowsAcross::walkWindow(const Fixed &fixed, const Columns &columns) {
  Values state;
  for (auto [start, mask] : llvm::zip(columns.starts, columns.masks))
    state.append(begin(emitter.laneIndex(e.add(ranges.firstOffset(fixed), start)), mask));
  auto takeElement = [&](Value offset, ArrayRef<Value> carried) {
    Values next;
    for (auto [start, mask] : llvm::zip(columns.starts, columns.masks))
      next.append(take(carried.slice(next.size(), stateSize()),
                       emitter.laneIndex(e.add(offset, start)), mask));
    return next;
  };
  return resultsIn(ranges.forEachElement(fixed.ranges, fixed.steps, fixed.x, state, takeElement));
}

void WindowsAcross::emitWindow(const Fixed &row, Value window) {
  Fixed fixed = row;
  ranges.fixWindow(fixed, nest.column, window);
  Value inside = ranges.anyInside(fixed.ranges);
  forEachLaneBlock(schedule.lastVectors, [&](const Columns &columns) {
    auto walk = [&] { return walkWindow(fixed, columns); };
    Values results =
        choice == Choice::Picked ? pickedIf(inside, columns.starts.size(), walk) : walk();
    for (auto [result, start, mask] : llvm::zip(results, columns.starts, columns.masks))
      finish(result, row, window, start, mask);
  });
}

//===-- The windows of a row ------------------------------------------------------------------===//

// Windows where tiles may start: the first, from `from` on, and the first behind.
std::pair<Value, Value> WindowsAcross::placesOfTiles(const WindowTile &tile, Value from) {
  const JoinedWindowDim &dim = nest.columnDim();
  Value zero = i64(0), low = size(dim.low);
  Value spare = e.sub(size(dim.x), i64(tile.elements));
  if (dim.xDilation == 1) {
    Value first = e.max(from, e.ceilDiv(e.max(low, zero), i64(dim.stride)));
    Value room = e.add(spare, low), none = e.less(room, zero);
    Value last = e.div(e.max(room, zero), i64(dim.stride));
    return {first, e.select(none, zero, e.add(last, 1))};
  }
  Value by = i64(dim.xDilation);
  Value start = e.add(low, e.mul(e.ceilDiv(e.max(e.sub(zero, low), zero), by), dim.xDilation));
  Value first = e.add(start, e.mul(e.ceilDiv(e.max(e.sub(from, start), zero), by), dim.xDilation));
  return {first, e.add(e.add(low, e.mul(spare, dim.xDilation)), 1)};
}

// The tiles among the windows [from, to) that are inside along the column, and what comes before
// them; gives the first window behind.
Value WindowsAcross::emitTiles(const Fixed &row, const WindowTile &tile, Value from, Value to) {
  auto [first, behind] = placesOfTiles(tile, from);
  first = e.min(first, to);
  behind = e.max(first, e.min(behind, e.add(to, 1 - int64_t(tile.windows))));
  e.loop(from, first, 1, [&](Value window) { emitWindow(row, window); });
  e.loop(first, behind, tile.windows, [&](Value window) { emitTile(row, tile, window); });
  Value tiles = e.ceilDiv(e.sub(behind, first), i64(tile.windows));
  return e.add(first, e.mul(tiles, tile.windows));
}

void WindowsAcross::emitWindows(const Fixed &row, Value from, Value to) {
  Value next = from;
  for (const WindowTile *tile : {&schedule.tile, &schedule.narrowTile})
    if (tile->windows)
      next = emitTiles(row, *tile, next, to);
  e.loop(next, to, 1, [&](Value window) { emitWindow(row, window); });
}

} // namespace

void keratin::codegen::emitWindowsAcross(CpuKernelBuilder &k, const WindowReductionPlan &plan) {
  WindowsAcross(k, plan).emit();
}
