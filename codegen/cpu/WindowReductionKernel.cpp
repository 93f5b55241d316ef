// window_sum, window_max and window_pick.
//
// Where the last dimension does not slide (channels last) lanes run along it, and several windows
// that neighbour each other along the last dimension that does are computed together, so that an
// element under many of them is read once. Elsewhere lanes are neighbouring windows. Windows that
// reach outside of x walk the part of them that is inside.
#include "codegen/cpu/Rounding.h"
#include "codegen/cpu/TileEpilogue.h"
#include "codegen/cpu/WindowKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

namespace {

enum class Choice { Sum, Largest, Picked };

// Windows of a unit: enough work for one that is handed to a thread.
constexpr int64_t windowsOfUnit = 256;
// Vectors of the last dimension that are computed together.
constexpr unsigned lastVectors = 2;
// Longest windows along the last sliding dimension that are written out element by element.
constexpr int64_t longestWrittenOut = 8;
constexpr int64_t widestDeinterleaved = 4;

class WindowReductionKernel : WindowKernel {
public:
  WindowReductionKernel(KernelBuilder &k, Operation *op, const ir::IterationSpace &space)
      : WindowKernel(k, op, &space), space(space), epilogue(k, op->getResult(0)),
        choice(isa<ir::WindowSumOp>(op)   ? Choice::Sum
               : isa<ir::WindowMaxOp>(op) ? Choice::Largest
                                          : Choice::Picked),
        resultType(getElementType(op->getResult(0))) {}

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
  struct Tile {
    unsigned windows = 0; // side by side; 0: none fit
    int64_t elements = 0; // under all of them
    SmallVector<bool> used;
  };
  Tile tileOf(unsigned windows) const;
  Tile chooseTile() const;
  void emitAcross(const Fixed &row, Value from, Value to);
  Value emitTiles(const Fixed &row, const Tile &tile, Value from, Value to);
  void emitTile(const Fixed &row, const Tile &tile, Value window);
  Values sumTile(const Fixed &row, const Tile &tile, Value first, ArrayRef<Value> starts,
                 ArrayRef<Value> masks);
  Values pickTile(const Fixed &row, const Tile &tile, Value first, ArrayRef<Value> starts,
                  ArrayRef<Value> masks);
  void emitWindow(const Fixed &row, Value window);

  // Lanes that are windows.
  void emitAlong(const Fixed &row, Value from, Value to);
  bool isWrittenOut() const;
  Value writtenOut(const Fixed &row, Value window, bool isInside);
  Value stepByStep(const Fixed &row, Value window);
  Value onlyWindow(const Fixed &row);
  Value deinterleave(ArrayRef<Value> vectors, int64_t from);

  void finish(Value registers, const Fixed &row, Value window, Value lane, Value mask);

  const ir::IterationSpace &space;
  TileEpilogue epilogue;
  Choice choice;
  Type resultType;
  unsigned column = 0; // the dimension whose windows a unit walks
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

// The windows' elements of x, counted from the first element under the first of them, which lies at
// the very beginning of its window.
WindowReductionKernel::Tile WindowReductionKernel::tileOf(unsigned windows) const {
  const JoinedWindowDim &dim = dims[column];
  Tile tile{windows, 0, {}};
  for (unsigned w = 0; w < windows; ++w) {
    int64_t from = ceilDiv(w * dim.stride, dim.xDilation);
    int64_t to = ceilDiv(w * dim.stride + dim.window, dim.xDilation);
    tile.elements = std::max(tile.elements, to);
    tile.used.resize(std::max<size_t>(tile.used.size(), to));
    for (int64_t i = from; i < to; ++i)
      tile.used[i] = true;
  }
  return tile;
}

WindowReductionKernel::Tile WindowReductionKernel::chooseTile() const {
  const JoinedWindowDim &dim = dims[column];
  // Tiles start where a window begins with an element; with both steps these may be rare.
  if (dim.window > longestWrittenOut || dim.stride > 2 * longestWrittenOut ||
      dim.xDilation > longestWrittenOut || (dim.xDilation > 1 && dim.stride > 1))
    return {};
  unsigned vectors = vectorsOf(lastVectors), registers = k.target.vectorRegisters / 2;
  unsigned most = choice == Choice::Picked ? 2 : 4;
  unsigned step = dim.xDilation;
  for (unsigned windows = std::max(step, most / step * step); windows > 0; windows -= step) {
    Tile tile = tileOf(windows);
    unsigned used = llvm::count(tile.used, true) * vectors;
    if (choice == Choice::Picked ? 2 * windows * vectors <= registers : used <= registers)
      return tile;
  }
  return {};
}

// Each element under the tile has an accumulator of its own while the other dimensions are walked:
// what windows share is added once.
WindowReductionKernel::Values WindowReductionKernel::sumTile(const Fixed &row, const Tile &tile,
                                                             Value first, ArrayRef<Value> starts,
                                                             ArrayRef<Value> masks) {
  const JoinedWindowDim &dim = dims[column];
  Value step = size(dim.xStep);
  Values state(llvm::count(tile.used, true) * starts.size(), identity());
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

WindowReductionKernel::Values WindowReductionKernel::pickTile(const Fixed &row, const Tile &tile,
                                                              Value first, ArrayRef<Value> starts,
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
void WindowReductionKernel::emitTile(const Fixed &row, const Tile &tile, Value window) {
  const JoinedWindowDim &dim = dims[column];
  Value place = e.sub(e.mul(window, dim.stride), size(dim.low));
  Value first = e.mul(e.div(place, i64(dim.xDilation)), size(dim.xStep));
  forEachLaneBlock(lastVectors, [&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
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
  forEachLaneBlock(lastVectors, [&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
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
Value WindowReductionKernel::emitTiles(const Fixed &row, const Tile &tile, Value from, Value to) {
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
  Tile tile = chooseTile();
  Value next = from;
  if (tile.windows)
    next = emitTiles(row, tile, from, to);
  if (tile.windows > 1 && dims[column].xDilation == 1)
    next = emitTiles(row, tileOf(1), next, to);
  e.loop(next, to, 1, [&](Value window) { emitWindow(row, window); });
}

//===-- Lanes that are windows ----------------------------------------------------------------===//

bool WindowReductionKernel::isWrittenOut() const {
  const JoinedWindowDim &dim = dims.back();
  return choice != Choice::Picked && dim.xDilation == 1 && dim.window <= longestWrittenOut &&
         dim.stride <= widestDeinterleaved;
}

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
  if (dim.y == DimExpr(1) && choice != Choice::Picked)
    return finish(onlyWindow(row), row, Value(), i64(0), Value());
  e.loop(from, to, lanes, [&](Value window) {
    Value mask = whole ? Value() : emitter.maskBelow(window, to), result;
    if (isWrittenOut()) {
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
  unsigned last = dims.size() - 1;
  column = last;
  if (!dims[last].slides())
    for (unsigned i = 0; i < last; ++i)
      if (dims[i].slides())
        column = i;
  bool along = column == last;
  SmallVector<unsigned> rowDims;
  DimExpr rows(1);
  for (unsigned i = 0; i < last; ++i)
    if (i != column) {
      rowDims.push_back(i);
      rows = mul(rows, dims[i].y).value_or(DimExpr(0));
    }
  const DimExpr &columns = dims[column].y;
  int64_t block = windowsOfUnit * (along ? 4 : 1);
  bool oneBlock = columns.isConstant() && columns.constantValue() <= block;
  forEachUnit({rows, columns, block}, [&](Value number, Value first) {
    Value from = oneBlock ? i64(0) : first, to = size(columns);
    if (!oneBlock)
      to = e.min(to, e.add(from, block));
    Fixed row = fix(rowDims, number);
    if (along)
      emitAlong(row, from, to);
    else
      emitAcross(row, from, to);
  });
  DimExpr windows = oneBlock ? columns : DimExpr(block);
  DimExpr perUnit = elementsUnder();
  for (const DimExpr &factor : {windows, along ? DimExpr(1) : dims[last].y})
    perUnit = mul(perUnit, factor).value_or(DimExpr(INT64_MAX));
  setWork(k.result.units, perUnit);
}

} // namespace

LogicalResult keratin::codegen::emitWindowReductionKernel(KernelBuilder &k) {
  Operation *windows = nullptr;
  for (Operation &op : k.body())
    if (isa<ir::WindowSumOp, ir::WindowMaxOp, ir::WindowPickOp>(op))
      windows = &op;
  std::string why;
  std::optional<ir::IterationSpace> space = ir::analyzeIterationSpace(k.kernel, &why);
  if (!space)
    return k.kernel.emitError("not implemented: a kernel with ") << why;
  WindowReductionKernel(k, windows, *space).emit();
  return success();
}
