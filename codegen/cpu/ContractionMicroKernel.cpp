#include "codegen/cpu/ContractionMicroKernel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

// A tile: sums of some rows, times the vectors of a panel, over the whole depth.
struct Tile {
  // The address of each row is a base, which moves with k, and an offset, which does not. Few bases
  // and offsets serve many rows, so that addresses stay in registers although the stride is known
  // at run time only.
  LoopEmitter::Values bases;
  SmallVector<std::pair<int64_t, Value>> rows; // base, offset
  Value depthStride, b, bDepthStride, depth, sums, first;
  Value taps, offsets;
  bool wideRows = false;
};

// Each vector of B is loaded once and each element of A broadcast once per step in k. The step is
// not unrolled: the tile has enough independent sums to hide the latency of the multiplier, and a
// short loop compiles fast.
void emitTile(LoopEmitter &emit, const ContractionPlan &plan, Type elementType, const Tile &tile) {
  int64_t vectors = plan.tileVectors, count = tile.rows.size() * vectors;
  auto vectorType = VectorType::get(plan.lanes, elementType);
  auto place = [&](int64_t i) { return emit.address(tile.sums, elementType, i * plan.lanes); };

  SmallVector<Type> types(count, vectorType);
  LoopEmitter::Values carried = emit.choose(
      tile.first, types, [&] { return LoopEmitter::Values(count, emit.zero(vectorType)); },
      [&] {
        LoopEmitter::Values partial;
        for (int64_t i = 0; i < count; ++i)
          partial.push_back(emit.load(vectorType, place(i)));
        return partial;
      });
  carried.push_back(tile.b);
  Value zero = emit.constant(0);
  // Passes over the depth from the bases on; sums and B are carried along.
  auto pass = [&](ValueRange before, ValueRange from) {
    LoopEmitter::Values carried(before.take_front(count));
    carried.append(from.begin(), from.end());
    carried.push_back(before.back());
    carried = emit.loop(zero, tile.depth, 1, carried, [&](Value, ValueRange state) {
      LoopEmitter::Values next(state.take_front(count));
      ValueRange bases = state.slice(count, from.size());
      Value b = state.back();
      LoopEmitter::Values columns;
      for (int64_t v = 0; v < vectors; ++v)
        columns.push_back(emit.load(vectorType, emit.address(b, elementType, v * plan.lanes)));
      for (auto [r, row] : llvm::enumerate(tile.rows)) {
        Value element = emit.address(bases[row.first], elementType, row.second);
        Value broadcast;
        if (!tile.wideRows)
          broadcast = emit.splat(emit.load(elementType, element), plan.lanes);
        for (int64_t v = 0; v < vectors; ++v) {
          Value factor = broadcast;
          if (!factor)
            factor = emit.load(vectorType, emit.address(element, elementType, v * plan.lanes));
          Value &sum = next[r * vectors + v];
          sum = emit.multiplyAdd(factor, columns[v], sum);
        }
      }
      for (Value base : bases)
        next.push_back(emit.address(base, elementType, tile.depthStride));
      next.push_back(emit.address(b, elementType, tile.bDepthStride));
      return next;
    });
    LoopEmitter::Values after(ValueRange(carried).take_front(count));
    after.push_back(carried.back());
    return after;
  };
  if (tile.taps) {
    carried = emit.loop(zero, tile.taps, 1, carried, [&](Value tap, ValueRange state) {
      Type i64 = emit.builder.getI64Type();
      Value offset = emit.load(i64, emit.address(tile.offsets, i64, tap));
      LoopEmitter::Values from;
      for (Value base : tile.bases)
        from.push_back(emit.address(base, elementType, offset));
      return pass(state, from);
    });
  } else {
    carried = pass(carried, tile.bases);
  }
  for (int64_t i = 0; i < count; ++i)
    emit.store(carried[i], place(i));
}

void emitPanelBody(LoopEmitter &emit, const ContractionPlan &plan, Type elementType,
                   const ContractionPanel &panel) {
  Value zero = emit.constant(0), one = emit.constant(1);
  int64_t width = plan.tileColumns();
  Tile tile;
  tile.depthStride = panel.depthStride;
  tile.b = panel.b;
  tile.bDepthStride = panel.bDepthStride;
  tile.depth = panel.depth;
  tile.first = panel.first;
  tile.taps = panel.taps;
  tile.offsets = panel.offsets;
  tile.wideRows = panel.wideRows;
  auto whole = [&](Value a, Value sums) {
    tile.sums = sums;
    int64_t perBase = plan.tileRows > 7 ? (plan.tileRows + 1) / 2 : plan.tileRows;
    LoopEmitter::Values offsets;
    for (int64_t i = 0; i < perBase; ++i)
      offsets.push_back(emit.mul(panel.rowStride, i));
    tile.bases = {a};
    if (perBase < plan.tileRows)
      tile.bases.push_back(emit.address(a, elementType, emit.mul(panel.rowStride, perBase)));
    tile.rows.clear();
    for (int64_t row = 0; row < plan.tileRows; ++row)
      tile.rows.push_back({row / perBase, offsets[row % perBase]});
    emitTile(emit, plan, elementType, tile);
  };
  // Fewer rows: small tiles, the last of which reads the last row again in place of those that do
  // not exist.
  auto rest = [&](Value a, Value sums, Value rows) {
    emit.loop(zero, rows, plan.tailRows, [&](Value row) {
      tile.bases = {emit.address(a, elementType, emit.mul(row, panel.rowStride))};
      tile.sums = emit.address(sums, elementType, emit.mul(row, width));
      Value last = emit.sub(emit.sub(rows, row), one);
      tile.rows.clear();
      for (int64_t r = 0; r < plan.tailRows; ++r)
        tile.rows.push_back({0, emit.mul(emit.min(emit.constant(r), last), panel.rowStride)});
      emitTile(emit, plan, elementType, tile);
    });
  };
  Value tiles = emit.div(panel.rows, emit.constant(plan.tileRows));
  LoopEmitter::Values end =
      emit.loop(zero, tiles, 1, {panel.a, panel.sums}, [&](Value, ValueRange state) {
        whole(state[0], state[1]);
        return LoopEmitter::Values{emit.address(state[0], elementType, panel.tileStride),
                                   emit.address(state[1], elementType, plan.tileRows * width)};
      });
  if (plan.tailRows)
    rest(end[0], end[1], emit.sub(panel.rows, emit.mul(tiles, plan.tileRows)));
}

} // namespace

void keratin::codegen::emitContractionPanel(LoopEmitter &emit, const ContractionPlan &plan,
                                            Type elementType, const ContractionPanel &panel) {
  std::string name =
      llvm::formatv("keratin_panel{0}{1}_{2}_{3}x{4}x{5}_{6}", panel.taps ? "_taps" : "",
                    panel.wideRows ? "_wide" : "", elementType, plan.tileRows, plan.tileVectors,
                    plan.lanes, plan.tailRows);
  SmallVector<Value> arguments{panel.a,    panel.tileStride,   panel.rowStride, panel.depthStride,
                               panel.b,    panel.bDepthStride, panel.depth,     panel.rows,
                               panel.sums, panel.first};
  if (panel.taps)
    arguments.append({panel.taps, panel.offsets});
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    Value taps, offsets;
    if (panel.taps) {
      taps = p[10];
      offsets = p[11];
    }
    emitPanelBody(inner, plan, elementType,
                  {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], taps, offsets,
                   panel.wideRows});
  });
}
