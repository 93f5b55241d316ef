#include "codegen/cpu/ContractionMicroKernel.h"

#include "codegen/cpu/ContractionAmx.h"
#include "codegen/cpu/ContractionPairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Pairs = ContractionPanel::Pairs;

// A tile of that many products a step has room for loads that nobody waits for: rows of B, which a
// panel has more of than a first-level cache, are brought there so many steps ahead, where
// the processor does not do so by itself in time (Processors.h).
constexpr int64_t kProductsBesidePrefetch = 12, kLineBytes = 64;

// A tile: sums of some rows, times the vectors of a panel, over the whole depth.
struct MicroTile {
  // The address of each row is a base, which moves with k, and an offset, which does not. Few bases
  // and offsets serve many rows, so that addresses stay in registers although the stride is known
  // at run time only.
  LoopEmitter::Values bases;
  SmallVector<std::pair<int64_t, Value>> rows; // base, offset
  Value depthStride, b, bDepthStride, depth, sums, first;
  Type bType;
  Value taps, offsets;
  ContractionPanel::Ahead ahead;
  Pairs pairs = Pairs::None;
  bool wideRows = false;
  LoopEmitter::Values masks; // of the vectors of B; none for all elements
};

// Each vector of B is loaded once and each element of A broadcast once per step in k. The step is
// not unrolled: the tile has enough independent sums to hide the latency of the multiplier, and a
// short loop compiles fast.
class TileLoops {
public:
  TileLoops(LoopEmitter &emit, const ContractionPlan &plan, Type elementType, const MicroTile &tile)
      : emit(emit), plan(plan), type(elementType), tile(tile), vectors(plan.tileVectors),
        count(tile.rows.size() * vectors), vectorType(VectorType::get(plan.lanes, elementType)) {}

  // Returns where what is ahead goes on, and what is left of its run.
  std::pair<Value, Value> run();

private:
  using Values = LoopEmitter::Values;

  Value place(int64_t i) { return emit.address(tile.sums, type, i * plan.lanes); }
  Values firstSums();
  // Sums, `bases` addresses in A, and one in B are carried along.
  Values step(ValueRange state, size_t bases);
  // Of a half of pairs that are multiplied apart, else of all of the elements.
  void addProducts(MutableArrayRef<Value> sums, ValueRange bases, Value b, Value half);
  Values steps(Value begin, Value end, Values carried, size_t bases);
  // The same, with the two numbers of `ahead` behind.
  Values stepsAhead(Values carried, size_t bases);
  // Over the depth from the bases on; sums, B and `ahead` are carried along.
  Values pass(ValueRange before, ValueRange from);
  Values overTaps(Values carried);

  LoopEmitter &emit;
  const ContractionPlan &plan;
  Type type;
  const MicroTile &tile;
  int64_t vectors, count;
  VectorType vectorType;
};

TileLoops::Values TileLoops::firstSums() {
  SmallVector<Type> types(count, vectorType);
  return emit.choose(
      tile.first, types, [&] { return Values(count, emit.zero(vectorType)); },
      [&] {
        Values partial;
        for (int64_t i = 0; i < count; ++i)
          partial.push_back(emit.load(vectorType, place(i)));
        return partial;
      });
}

TileLoops::Values TileLoops::step(ValueRange state, size_t baseCount) {
  Values next(state.take_front(count));
  ValueRange bases = state.slice(count, baseCount);
  Value b = state.back();
  if (tile.pairs == Pairs::Apart) {
    // As the instruction for both does: the second numbers first. In a loop, since there are no
    // registers to keep what is loaded for both.
    next = emit.loop(emit.constant(0), emit.constant(2), 1, next, [&](Value half, ValueRange sums) {
      Values sumsOfHalf(sums);
      addProducts(sumsOfHalf, bases, b, half);
      return sumsOfHalf;
    });
  } else {
    addProducts(next, bases, b, Value());
  }
  for (Value base : bases)
    next.push_back(emit.address(base, type, tile.depthStride));
  // In bytes, so that both addresses have the stride in one register.
  Type byte = emit.builder.getI8Type();
  const int64_t bits = tile.bType.getIntOrFloatBitWidth(),
                rowBytes = vectors * plan.lanes * bits / 8;
  Value stride = emit.mul(tile.bDepthStride, bits / 8);
  if (plan.rowsAhead > 0 && count >= kProductsBesidePrefetch)
    for (int64_t at = 0; at < rowBytes; at += kLineBytes)
      emit.bringNear(
          emit.address(emit.address(b, byte, emit.mul(stride, plan.rowsAhead)), byte, at), 1);
  next.push_back(emit.address(b, byte, stride));
  return next;
}

void TileLoops::addProducts(MutableArrayRef<Value> sums, ValueRange bases, Value b, Value half) {
  const bool isPair = tile.pairs == Pairs::AtOnce;
  Type factorType = isPair ? emit.builder.getI32Type() : type;
  VectorType rowType = vectorType.clone(factorType);
  auto row = [&](Value from, Type fromType, int64_t v, Value mask = {}) {
    Value at = emit.address(from, fromType, v * plan.lanes);
    if (half)
      return emitLanesOfPairs(emit, plan.lanes, at, half);
    return fromType == type ? emit.load(rowType, at, mask)
                            : emit.loadAs(type, fromType, plan.lanes, at, mask);
  };
  Values columns;
  for (int64_t v = 0; v < vectors; ++v)
    columns.push_back(row(b, tile.bType, v, tile.masks.empty() ? Value() : tile.masks[v]));
  for (auto [r, place] : llvm::enumerate(tile.rows)) {
    Value element = emit.address(bases[place.first], type, place.second);
    Value broadcast;
    if (half)
      broadcast = emitSplatOfPairs(emit, plan.lanes, element, half);
    else if (!tile.wideRows)
      broadcast = emit.splat(emit.load(factorType, element), plan.lanes);
    for (int64_t v = 0; v < vectors; ++v) {
      Value factor = broadcast ? broadcast : row(element, type, v);
      Value &sum = sums[r * vectors + v];
      sum = isPair ? emitAddPairs(emit, plan, sum, factor, columns[v])
                   : emit.multiplyAdd(factor, columns[v], sum);
    }
  }
}

TileLoops::Values TileLoops::steps(Value begin, Value end, Values carried, size_t bases) {
  return emit.loop(begin, end, 1, carried,
                   [&](Value, ValueRange state) { return step(state, bases); });
}

TileLoops::Values TileLoops::stepsAhead(Values carried, size_t bases) {
  Value strips = emit.ceilDiv(tile.depth, tile.ahead.every);
  return emit.loop(emit.constant(0), strips, 1, carried, [&](Value strip, ValueRange state) {
    Value ahead = state[state.size() - 2], left = state.back();
    const int64_t line = std::max<int64_t>(plan.lanes, 64 * 8 / tile.bType.getIntOrFloatBitWidth());
    for (int64_t at = 0; at < kPanelsAhead * plan.tileColumns(); at += line)
      emit.bringNear(emit.address(ahead, tile.bType, at), 2);
    Value begin = emit.mul(strip, tile.ahead.every);
    Value end = emit.min(emit.add(begin, tile.ahead.every), tile.depth);
    Values next = steps(begin, end, Values(state.drop_back(2)), bases);
    Value isLast = emit.less(left, emit.constant(kPanelsAhead + 1));
    Value step = emit.select(isLast, tile.ahead.betweenRuns, emit.constant(0));
    Value more = emit.select(isLast, tile.ahead.runLength, emit.constant(0));
    next.push_back(
        emit.address(ahead, tile.bType, emit.add(step, kPanelsAhead * plan.tileColumns())));
    next.push_back(emit.add(emit.sub(left, emit.constant(kPanelsAhead)), more));
    return next;
  });
}

TileLoops::Values TileLoops::pass(ValueRange before, ValueRange from) {
  Values carried(before.take_front(count));
  carried.append(from.begin(), from.end());
  carried.push_back(before[count]);
  if (tile.ahead.from) {
    carried.append({before[count + 1], before[count + 2]});
    carried = stepsAhead(std::move(carried), from.size());
  } else {
    carried = steps(emit.constant(0), tile.depth, std::move(carried), from.size());
  }
  Values after(ValueRange(carried).take_front(count));
  after.append(carried.begin() + count + from.size(), carried.end());
  return after;
}

TileLoops::Values TileLoops::overTaps(Values carried) {
  return emit.loop(emit.constant(0), tile.taps, 1, carried, [&](Value tap, ValueRange state) {
    Type i64 = emit.builder.getI64Type();
    Value offset = emit.load(i64, emit.address(tile.offsets, i64, tap));
    Values from;
    for (Value base : tile.bases)
      from.push_back(emit.address(base, type, offset));
    return pass(state, from);
  });
}

std::pair<Value, Value> TileLoops::run() {
  Values carried = firstSums();
  carried.push_back(tile.b);
  if (tile.ahead.from)
    carried.append({tile.ahead.from, tile.ahead.left});
  carried = tile.taps ? overTaps(std::move(carried)) : pass(carried, tile.bases);
  for (int64_t i = 0; i < count; ++i)
    emit.store(carried[i], place(i));
  if (!tile.ahead.from)
    return {};
  return {carried[count + 1], carried[count + 2]};
}

void emitPanelBody(LoopEmitter &emit, const ContractionPlan &plan, Type elementType,
                   const ContractionPanel &panel) {
  Value zero = emit.constant(0), one = emit.constant(1);
  int64_t width = plan.tileColumns();
  MicroTile tile;
  tile.depthStride = panel.depthStride;
  tile.b = panel.b;
  tile.bDepthStride = panel.bDepthStride;
  tile.bType = panel.bType ? panel.bType : elementType;
  tile.depth = panel.depth;
  tile.first = panel.first;
  tile.taps = panel.taps;
  tile.offsets = panel.offsets;
  tile.pairs = panel.pairs;
  tile.wideRows = panel.wideRows;
  for (int64_t v = 0; panel.columns && v < plan.tileVectors; ++v)
    tile.masks.push_back(
        emit.firstLanes(plan.lanes, emit.sub(panel.columns, emit.constant(v * plan.lanes))));
  auto whole = [&](Value a, Value sums, Value rows, int64_t count) {
    tile.sums = sums;
    int64_t perBase = count > 7 ? (count + 1) / 2 : count;
    LoopEmitter::Values offsets;
    for (int64_t i = 0; i < perBase; ++i)
      offsets.push_back(emit.mul(panel.rowStride, i));
    tile.bases = {a};
    if (perBase < count)
      tile.bases.push_back(emit.address(a, elementType, emit.mul(panel.rowStride, perBase)));
    tile.rows.clear();
    const int64_t surely = count - plan.repeatedRows;
    for (int64_t row = 0; row < count; ++row) {
      const int64_t base = row / perBase;
      Value offset = offsets[row % perBase];
      if (row >= surely) {
        Value there = emit.min(emit.constant(row), emit.sub(rows, one));
        offset = emit.mul(emit.sub(there, emit.constant(base * perBase)), panel.rowStride);
      }
      tile.rows.push_back({base, offset});
    }
    return TileLoops(emit, plan, elementType, tile).run();
  };
  // Fewer rows: small tiles, the last of which reads the last row again in place of those that do
  // not exist.
  Value everyOfRest;
  auto small = [&](Value a, Value sums, Value rows, Value begin, Value end, int64_t count) {
    emit.loop(begin, end, count, [&](Value row) {
      if (tile.ahead.from)
        tile.ahead.every =
            emit.select(emit.equal(row, zero), everyOfRest, emit.max(tile.depth, one));
      tile.bases = {emit.address(a, elementType, emit.mul(row, panel.rowStride))};
      tile.sums = emit.address(sums, elementType, emit.mul(row, width));
      Value last = emit.sub(emit.sub(rows, row), one);
      tile.rows.clear();
      for (int64_t r = 0; r < count; ++r)
        tile.rows.push_back({0, emit.mul(emit.min(emit.constant(r), last), panel.rowStride)});
      TileLoops(emit, plan, elementType, tile).run();
    });
  };
  // Of those that are known to be whole but the last, with the repeated rows.
  Value tiles = emit.div(emit.add(panel.rows, plan.tailRows ? 0 : plan.repeatedRows),
                         emit.constant(plan.tileRows));
  // How many there are of a tile for the rest.
  auto countOfRest = [&](size_t tile, Value rest) {
    Value bits = emit.builder.createOrFold<arith::ShRUIOp>(
        emit.loc, emit.constant(static_cast<int64_t>(plan.tilesOfRest[tile])), emit.mul(rest, 2));
    return emit.rem(bits, emit.constant(4));
  };
  Value rest, all;
  if (plan.evensRows) {
    all = emit.ceilDiv(panel.rows, emit.constant(plan.tileRows));
    tiles = emit.sub(panel.rows, emit.mul(all, plan.tailRows));
  }
  if (!plan.tilesOfRest.empty()) {
    tiles = emit.max(emit.sub(tiles, one), zero);
    rest = emit.sub(panel.rows, emit.mul(tiles, plan.tileRows));
    tiles = emit.add(tiles, countOfRest(0, rest));
  }
  LoopEmitter::Values end{panel.a, panel.sums};
  bool hasAhead = bool(panel.ahead.from);
  if (hasAhead)
    end.append({panel.ahead.from, panel.ahead.left});
  auto several = [&](Value tiles, int64_t count, Value stride) {
    end = emit.loop(zero, tiles, 1, end, [&](Value number, ValueRange state) {
      tile.ahead = panel.ahead;
      if (hasAhead) {
        tile.ahead.from = state[2];
        tile.ahead.left = state[3];
      }
      Value rows = emit.sub(panel.rows, emit.mul(number, count));
      auto [ahead, left] = whole(state[0], state[1], rows, count);
      LoopEmitter::Values next{emit.address(state[0], elementType, stride),
                               emit.address(state[1], elementType, count * width)};
      if (hasAhead)
        next.append({ahead, left});
      return next;
    });
  };
  several(tiles, plan.tileRows, panel.tileStride);
  if (plan.evensRows)
    return several(emit.sub(all, tiles), plan.tailRows, emit.mul(panel.rowStride, plan.tailRows));
  tile.ahead = {};
  if (!plan.tailRows)
    return;
  Value rows = emit.sub(panel.rows, emit.mul(tiles, plan.tileRows)), tail = zero;
  if (hasAhead && !plan.middleRows.empty()) {
    tile.ahead = panel.ahead;
    tile.ahead.from = end[2];
    tile.ahead.left = end[3];
    everyOfRest =
        emit.select(emit.equal(tiles, zero), panel.ahead.every, emit.max(tile.depth, one));
  }
  for (auto [i, count] : llvm::enumerate(plan.middleRows)) {
    Value next = emit.add(tail, emit.mul(countOfRest(i + 1, rest), count));
    small(end[0], end[1], rows, tail, next, count);
    tail = next;
  }
  small(end[0], end[1], rows, tail, rows, plan.tailRows);
}

} // namespace

void keratin::codegen::emitContractionPanel(LoopEmitter &emit, const ContractionPlan &plan,
                                            Type elementType, const ContractionPanel &panel) {
  if (plan.usesAmx)
    return emitAmxPanel(emit, plan, panel);
  std::string middle;
  for (int64_t rows : plan.middleRows)
    middle += "_" + std::to_string(rows);
  if (plan.repeatedRows)
    middle += llvm::formatv("_again_{0}", plan.repeatedRows);
  if (plan.evensRows)
    middle += "_even";
  for (uint64_t counts : plan.tilesOfRest)
    middle += llvm::formatv("_{0:x-}", counts);
  std::string pairs = panel.pairs == Pairs::AtOnce  ? "_pairs"
                      : panel.pairs == Pairs::Apart ? "_pairs_apart"
                                                    : "";
  if (plan.depthStep == 4)
    pairs = plan.isSignedA ? "_fours_signed" : "_fours";
  std::string name = llvm::formatv("keratin_panel{0}{1}{2}{3}{4}_{5}_{6}x{7}x{8}_{9}{10}",
                                   panel.taps ? "_taps" : "", panel.ahead.from ? "_ahead" : "",
                                   panel.wideRows ? "_wide" : "", panel.columns ? "_masked" : "",
                                   pairs, elementType, plan.tileRows, plan.tileVectors, plan.lanes,
                                   plan.tailRows, middle);
  if (plan.rowsAhead)
    name += llvm::formatv("_near_{0}", plan.rowsAhead);
  if (panel.bType && panel.bType != elementType)
    name += llvm::formatv("_{0}", panel.bType);
  SmallVector<Value> arguments{panel.a,    panel.tileStride,   panel.rowStride, panel.depthStride,
                               panel.b,    panel.bDepthStride, panel.depth,     panel.rows,
                               panel.sums, panel.first};
  if (panel.taps)
    arguments.append({panel.taps, panel.offsets});
  const ContractionPanel::Ahead &ahead = panel.ahead;
  if (ahead.from)
    arguments.append({ahead.from, ahead.left, ahead.runLength, ahead.betweenRuns, ahead.every});
  if (panel.columns)
    arguments.push_back(panel.columns);
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    SmallVector<Value> rest(p.drop_front(10));
    Value columns;
    if (panel.columns)
      columns = rest.pop_back_val();
    if (!panel.taps)
      rest.insert(rest.begin(), 2, Value());
    rest.resize(7);
    emitPanelBody(inner, plan, elementType,
                  {p[0],
                   p[1],
                   p[2],
                   p[3],
                   p[4],
                   p[5],
                   panel.bType,
                   p[6],
                   p[7],
                   p[8],
                   p[9],
                   rest[0],
                   rest[1],
                   {rest[2], rest[3], rest[4], rest[5], rest[6]},
                   panel.pairs,
                   panel.wideRows,
                   columns});
  });
}
