// window_sum, window_max and window_pick.
//
// Where the last dimension does not slide (channels last) lanes run along it, and several windows
// that neighbour each other along the last dimension that does are computed together, so that an
// element under many of them is read once. Elsewhere lanes are neighbouring windows. Windows that
// reach outside of x walk the part of them that is inside.
#include "codegen/cpu/TileEpilogue.h"
#include "codegen/cpu/WindowKernel.h"
#include "codegen/cpu/WindowSchedule.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

namespace {

using Choice = WindowReductionPlan::Choice;
using Form = WindowReductionSchedule::Form;

class WindowReductionKernel : WindowKernel {
public:
  WindowReductionKernel(CpuKernelBuilder &k, const WindowReductionPlan &plan)
      : WindowKernel(k, plan.op, plan.dims, plan.schedule.lanes), plan(plan),
        schedule(plan.schedule), space(plan.space), epilogue(k, op->getResult(0)),
        choice(plan.choice), resultType(getElementType(op->getResult(0))), column(plan.column) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  // What is known of one vector of windows: a sum; the largest so far; the largest so far, and the
  // element of the other tensor in its place.
  Values begin(const Index &first, Value mask);
  Values take(ArrayRef<Value> state, const Index &offset, Value mask);
  Value combine(Value x, Value y);
  Value identity() { return choice == Choice::Sum ? zeros(type) : leasts(type); }
  unsigned stateSize() const { return choice == Choice::Picked ? 2 : 1; }
  SmallVector<Type> types(size_t vectors);

  // Lanes along a dimension that does not slide.
  void emitAcross(const Fixed &row, Value from, Value to);
  Value emitTiles(const Fixed &row, const WindowTile &tile, Value from, Value to);
  void emitTile(const Fixed &row, const WindowTile &tile, Value window);
  Values sumTile(const Fixed &row, const WindowTile &tile, Value first, ArrayRef<Value> starts,
                 ArrayRef<Value> masks);
  Values pickTile(const Fixed &row, const WindowTile &tile, Value first, ArrayRef<Value> starts,
                  ArrayRef<Value> masks);
  void emitWindow(const Fixed &row, Value window);

  // Lanes that are windows.
  void emitAlong(const Fixed &row, Value from, Value to);
  Value writtenOut(const Fixed &row, Value window, bool isInside);
  Value stepByStep(const Fixed &row, Value window);
  Value onlyWindow(const Fixed &row);
  Value deinterleave(ArrayRef<Value> vectors, int64_t from);

  void finish(Value registers, const Fixed &row, Value window, Value lane, Value mask);

  const WindowReductionPlan &plan;
  const WindowReductionSchedule &schedule;
  const ir::IterationSpace &space;
  TileEpilogue epilogue;
  Choice choice;
  Type resultType;
  unsigned column; // the dimension whose windows a unit walks
};

//===-- Elements ------------------------------------------------------------------------------===//

SmallVector<Type> WindowReductionKernel::types(size_t vectors) {
  SmallVector<Type> result(
      vectors,
      VectorType::get(lanes, emitter.registerType(choice == Choice::Picked ? resultType : type)));
  return result;
}

Value WindowReductionKernel::combine(Value x, Value y) {
  emitter.setElementType(type);
  return choice == Choice::Sum ? emitter.add(x, y) : emitter.maximum(x, y);
}

WindowReductionKernel::Values WindowReductionKernel::begin(const Index &first, Value mask) {
  if (choice != Choice::Picked)
    return {identity()};
  return {load(input(0), type, first, mask), load(input(1), resultType, first, mask)};
}

WindowReductionKernel::Values WindowReductionKernel::take(ArrayRef<Value> state,
                                                          const Index &offset, Value mask) {
  Value element = load(input(0), type, offset, mask);
  if (choice == Choice::Sum)
    return {combine(state[0], element)};
  if (choice == Choice::Largest)
    return {combine(state[0], mask ? select(mask, element, identity()) : element)};
  Value better = bothMasks(beats(type, element, state[0], /*largest=*/true), mask);
  Value other = load(input(1), resultType, offset, mask);
  return {select(better, element, state[0]), select(better, other, state[1])};
}

//===-- Lanes along a dimension that does not slide -------------------------------------------===//

// Each element under the tile has an accumulator of its own while the other dimensions are walked:
// what windows share is added once.
WindowReductionKernel::Values WindowReductionKernel::sumTile(const Fixed &row,
                                                             const WindowTile &tile, Value first,
                                                             ArrayRef<Value> starts,
                                                             ArrayRef<Value> masks) {
  const JoinedWindowDim &dim = dims[column];
  Value step = size(dim.xStep);
  Values state(tile.usedElements() * starts.size(), identity());
  state =
      forEachElement(row.ranges, row.steps, e.add(row.x, first), state,
                     [&](Value offset, ArrayRef<Value> carried) {
                       Values next;
                       for (auto [i, used] : llvm::enumerate(tile.used)) {
                         if (!used)
                           continue;
                         Value element = e.add(offset, e.mul(step, int64_t(i)));
                         for (auto [start, mask] : llvm::zip(starts, masks))
                           next.push_back(take(carried[next.size()],
                                               emitter.laneIndex(e.add(element, start)), mask)[0]);
                       }
                       return next;
                     });
  SmallVector<size_t> place(tile.used.size());
  for (size_t i = 0, count = 0; i < place.size(); ++i)
    place[i] = tile.used[i] ? count++ : 0;
  Values results;
  for (unsigned w = 0; w < tile.windows; ++w)
    for (size_t v = 0; v < starts.size(); ++v) {
      Value result;
      for (int64_t i = ceilDiv(w * dim.stride, dim.xDilation);
           i < ceilDiv(w * dim.stride + dim.window, dim.xDilation); ++i) {
        Value part = state[place[i] * starts.size() + v];
        result = result ? combine(result, part) : part;
      }
      results.push_back(result ? result : identity());
    }
  return results;
}

WindowReductionKernel::Values WindowReductionKernel::pickTile(const Fixed &row,
                                                              const WindowTile &tile, Value first,
                                                              ArrayRef<Value> starts,
                                                              ArrayRef<Value> masks) {
  const JoinedWindowDim &dim = dims[column];
  Value step = size(dim.xStep);
  auto at = [&](Value offset, unsigned window, int64_t i, Value start) {
    return emitter.laneIndex(e.add(e.add(offset, e.mul(step, window * dim.stride + i)), start));
  };
  Values state;
  Value corner = e.add(firstOffset(row), first);
  for (unsigned w = 0; w < tile.windows; ++w)
    for (auto [start, mask] : llvm::zip(starts, masks))
      state.append(begin(at(corner, w, 0, start), mask));
  state = forEachElement(row.ranges, row.steps, e.add(row.x, first), state,
                         [&](Value offset, ArrayRef<Value> carried) {
                           Values next(carried);
                           size_t place = 0;
                           for (unsigned w = 0; w < tile.windows; ++w)
                             for (auto [start, mask] : llvm::zip(starts, masks)) {
                               for (int64_t i = 0; i < dim.window; ++i) {
                                 Values taken = take(ArrayRef<Value>(next).slice(place, 2),
                                                     at(offset, w, i, start), mask);
                                 llvm::copy(taken, next.begin() + place);
                               }
                               place += 2;
                             }
                           return next;
                         });
  Values results;
  for (size_t i = 1; i < state.size(); i += 2)
    results.push_back(state[i]);
  return results;
}

// The windows from the given one on, all inside along the column.
void WindowReductionKernel::emitTile(const Fixed &row, const WindowTile &tile, Value window) {
  const JoinedWindowDim &dim = dims[column];
  Value place = e.sub(e.mul(window, dim.stride), size(dim.low));
  Value first = e.mul(e.div(place, i64(dim.xDilation)), size(dim.xStep));
  forEachLaneBlock(schedule.lastVectors, [&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
    Values results;
    if (choice != Choice::Picked) {
      results = sumTile(row, tile, first, starts, masks);
    } else {
      SmallVector<Type> resultTypes = types(tile.windows * starts.size());
      auto picked = [&] { return pickTile(row, tile, first, starts, masks); };
      Value inside = anyInside(row.ranges);
      results = !inside ? picked() : e.choose(inside, resultTypes, picked, [&] {
        return Values(resultTypes.size(), zeros(resultType));
      });
    }
    for (unsigned w = 0; w < tile.windows; ++w)
      for (size_t v = 0; v < starts.size(); ++v)
        finish(results[w * starts.size() + v], row, e.add(window, w), starts[v], masks[v]);
  });
}

// A window that may reach outside.
void WindowReductionKernel::emitWindow(const Fixed &row, Value window) {
  Fixed fixed = row;
  fixWindow(fixed, column, window);
  Value inside = anyInside(fixed.ranges);
  forEachLaneBlock(schedule.lastVectors, [&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
    auto walk = [&] {
      Values state;
      for (auto [start, mask] : llvm::zip(starts, masks))
        state.append(begin(emitter.laneIndex(e.add(firstOffset(fixed), start)), mask));
      state = forEachElement(fixed.ranges, fixed.steps, fixed.x, state,
                             [&](Value offset, ArrayRef<Value> carried) {
                               Values next;
                               for (auto [start, mask] : llvm::zip(starts, masks))
                                 next.append(take(carried.slice(next.size(), stateSize()),
                                                  emitter.laneIndex(e.add(offset, start)), mask));
                               return next;
                             });
      Values results;
      for (size_t i = stateSize() - 1; i < state.size(); i += stateSize())
        results.push_back(state[i]);
      return results;
    };
    Values results;
    if (choice == Choice::Picked)
      results = e.choose(inside, types(starts.size()), walk,
                         [&] { return Values(starts.size(), zeros(resultType)); });
    else
      results = walk();
    for (auto [result, start, mask] : llvm::zip(results, starts, masks))
      finish(result, row, window, start, mask);
  });
}

// The tiles among the windows [from, to) that are inside along the column, and what comes before
// them; gives the first window behind.
Value WindowReductionKernel::emitTiles(const Fixed &row, const WindowTile &tile, Value from,
                                       Value to) {
  const JoinedWindowDim &dim = dims[column];
  Value zero = i64(0), low = size(dim.low);
  Value first, behind; // windows where tiles may start
  Value spare = e.sub(size(dim.x), i64(tile.elements));
  if (dim.xDilation == 1) {
    first = e.max(from, e.ceilDiv(e.max(low, zero), i64(dim.stride)));
    Value room = e.add(spare, low);
    behind =
        e.select(e.less(room, zero), zero, e.add(e.div(e.max(room, zero), i64(dim.stride)), 1));
  } else {
    Value by = i64(dim.xDilation);
    Value start = e.add(low, e.mul(e.ceilDiv(e.max(e.sub(zero, low), zero), by), dim.xDilation));
    first = e.add(start, e.mul(e.ceilDiv(e.max(e.sub(from, start), zero), by), dim.xDilation));
    behind = e.add(e.add(low, e.mul(spare, dim.xDilation)), 1);
  }
  first = e.min(first, to);
  behind = e.max(first, e.min(behind, e.add(to, 1 - int64_t(tile.windows))));
  e.loop(from, first, 1, [&](Value window) { emitWindow(row, window); });
  e.loop(first, behind, tile.windows, [&](Value window) { emitTile(row, tile, window); });
  Value tiles = e.ceilDiv(e.sub(behind, first), i64(tile.windows));
  return e.add(first, e.mul(tiles, tile.windows));
}

void WindowReductionKernel::emitAcross(const Fixed &row, Value from, Value to) {
  Value next = from;
  for (const WindowTile *tile : {&schedule.tile, &schedule.narrowTile})
    if (tile->windows)
      next = emitTiles(row, *tile, next, to);
  e.loop(next, to, 1, [&](Value window) { emitWindow(row, window); });
}

//===-- Lanes that are windows ----------------------------------------------------------------===//

// The elements from, from + n, … of n vectors laid end to end.
Value WindowReductionKernel::deinterleave(ArrayRef<Value> vectors, int64_t from) {
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

// Whole vectors of elements are added row by row; at the end each lane finds its own among them.
Value WindowReductionKernel::writtenOut(const Fixed &row, Value window, bool isInside) {
  const JoinedWindowDim &dim = dims.back();
  Value start = e.sub(e.mul(window, dim.stride), size(dim.low));
  int64_t groups = ceilDiv(dim.window, dim.stride);
  SmallVector<Value> places, masks;
  SmallVector<int64_t> numbers(lanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t v = 0; v < dim.stride; ++v) {
      places.push_back(e.add(start, g * dim.stride + v * lanes));
      Value mask;
      if (!isInside) {
        Value all = plus(emitter.splat(places.back()),
                         b.create<arith::ConstantOp>(loc, b.getI64VectorAttr(numbers)));
        mask = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, all,
                                       emitter.splat(size(dim.x)));
      }
      masks.push_back(mask);
    }
  Values state(places.size(), identity());
  state = forEachElement(row.ranges, row.steps, row.x, state,
                         [&](Value offset, ArrayRef<Value> carried) {
                           Values next;
                           for (auto [place, mask] : llvm::zip(places, masks))
                             next.push_back(take(carried[next.size()],
                                                 emitter.laneIndex(e.add(offset, place)), mask)[0]);
                           return next;
                         });
  Value result;
  for (int64_t i = 0; i < dim.window; ++i) {
    ArrayRef<Value> group = ArrayRef<Value>(state).slice(i / dim.stride * dim.stride, dim.stride);
    Value part = deinterleave(group, i % dim.stride);
    result = result ? combine(result, part) : part;
  }
  return result;
}

Value WindowReductionKernel::stepByStep(const Fixed &row, Value window) {
  LaneWindows windows = laneWindows(window);
  auto walk = [&](ArrayRef<Value> state) {
    return forEachElement(
        row.ranges, row.steps, row.x, state, [&](Value offset, ArrayRef<Value> carried) {
          return e.loop(windows.from, windows.to, 1, carried, [&](Value step, ValueRange inner) {
            Lanes at = atStep(windows, step, offset);
            return take(Values(inner), at.offset, at.mask);
          });
        });
  };
  if (choice != Choice::Picked)
    return walk(identity())[0];
  Value nothing = zeros(resultType);
  auto picked = [&]() -> Values {
    Lanes first = firstUnderLanes(windows, firstOffset(row));
    return {select(first.mask, walk(begin(first.offset, first.mask))[1], nothing)};
  };
  Value inside = anyInside(row.ranges);
  if (!inside)
    return picked()[0];
  return e.choose(inside, types(1), picked, [&]() -> Values { return {nothing}; })[0];
}

// Where there is one window, lanes are the elements under it; the first has the result.
Value WindowReductionKernel::onlyWindow(const Fixed &row) {
  Range range = under(dims.back(), i64(0));
  SmallVector<Value> state = forEachElement(
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

void WindowReductionKernel::emitAlong(const Fixed &row, Value from, Value to) {
  const JoinedWindowDim &dim = dims.back();
  bool whole = isWhole(dim.y, 1);
  if (schedule.form == Form::OneWindow)
    return finish(onlyWindow(row), row, Value(), i64(0), Value());
  e.loop(from, to, lanes, [&](Value window) {
    Value mask = whole ? Value() : emitter.maskBelow(window, to), result;
    if (schedule.form == Form::WrittenOut) {
      Value start = e.sub(e.mul(window, dim.stride), size(dim.low));
      int64_t reach = (ceilDiv(dim.window, dim.stride) - 1 + lanes) * dim.stride;
      Value before = e.less(start, i64(0)), behind = e.less(size(dim.x), e.add(start, reach));
      Value outside = b.createOrFold<arith::OrIOp>(loc, before, behind);
      result = e.choose(
          outside, types(1), [&]() -> Values { return {writtenOut(row, window, false)}; },
          [&]() -> Values { return {writtenOut(row, window, true)}; })[0];
    } else {
      result = stepByStep(row, window);
    }
    finish(result, row, Value(), window, mask);
  });
}

//===-- Results -------------------------------------------------------------------------------===//

// The lanes of a window along the column, or without one of the windows from the lane on.
void WindowReductionKernel::finish(Value registers, const Fixed &row, Value window, Value lane,
                                   Value mask) {
  epilogue.emit(b, loc, registers, mask, [&](ElementEmitter &emitter) {
    SmallVector<Index> index(space.shape.size(), emitter.scalarIndex(i64(0)));
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (dim.group < 0)
        continue;
      // The position in joined dimensions stands at the last of them.
      Index &place = index[space.groups[dim.group].last];
      if (i + 1 == dims.size())
        place = emitter.laneIndex(lane);
      else
        place = emitter.scalarIndex(i == column ? window : row.index[i]);
    }
    return index;
  });
}

//===-- Units ---------------------------------------------------------------------------------===//

void WindowReductionKernel::emit() {
  bool oneBlock = plan.isOneBlock();
  forEachUnit(plan.blocks, [&](Value number, Value first) {
    Value from = oneBlock ? i64(0) : first, to = size(dims[column].y);
    if (!oneBlock)
      to = e.min(to, e.add(from, plan.blocks.blockColumns));
    Fixed row = fix(plan.rowDims, number);
    if (plan.isAlong())
      emitAlong(row, from, to);
    else
      emitAcross(row, from, to);
  });
}

} // namespace

void WindowReductionPlan::emit(CpuKernelBuilder &k) const {
  WindowReductionKernel(k, *this).emit();
}
