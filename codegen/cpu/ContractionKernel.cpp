#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ContractionMicroKernel.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/LoopEmitter.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Access = ContractionPlan::Access;

int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
int64_t roundUp(int64_t x, int64_t y) { return ceilDiv(x, y) * y; }

// Sizes and the blocks they are cut into. Everything here is a function of the sizes alone.
struct Blocks {
  Value batch, m, n, k;
  Value superDepth;  // depth that is packed at once
  Value superBlocks; // at least one, so that an empty sum is still stored
  Value rows, rowBlocks;
  Value columns, columnBlocks;
};

Blocks emitBlocks(LoopEmitter &emit, const ContractionSpec &spec, const ContractionPlan &plan) {
  Blocks blocks;
  auto size = [&](const ContractionSize &from) {
    return from.constant ? emit.constant(*from.constant) : emit.fromIndex(from.value);
  };
  blocks.batch = size(spec.batch);
  blocks.m = size(spec.m);
  blocks.n = size(spec.n);
  blocks.k = size(spec.k);
  Value one = emit.constant(1);
  Value depthBlocks = emit.min(emit.max(emit.ceilDiv(blocks.k, emit.constant(plan.blockK)), one),
                               emit.constant(plan.maxDepthBlocks));
  blocks.superDepth = emit.mul(depthBlocks, plan.blockK);
  blocks.superBlocks = emit.max(emit.ceilDiv(blocks.k, blocks.superDepth), one);

  // Blocks of equal size, whole tiles each, not larger than `most` and what the scratch holds.
  auto cut = [&](Value size, Value most, int64_t held, int64_t tile, Value &block, Value &count) {
    Value fits = emit.div(emit.div(emit.constant(held), depthBlocks), emit.constant(tile));
    most = emit.max(emit.min(most, emit.mul(fits, tile)), emit.constant(tile));
    Value pieces = emit.max(emit.ceilDiv(size, most), one);
    block = emit.max(emit.roundUp(emit.ceilDiv(size, pieces), tile), emit.constant(tile));
    count = emit.ceilDiv(size, block);
  };
  cut(blocks.m, emit.constant(plan.maxRows), plan.rowBlocks, plan.tileRows, blocks.rows,
      blocks.rowBlocks);
  // With few rows, the columns are what threads can share.
  Value few = emit.less(blocks.m, emit.constant(2 * plan.maxRows));
  Value mostColumns =
      emit.select(few, emit.constant(roundUp(plan.maxColumns / 4, plan.tileColumns())),
                  emit.constant(plan.maxColumns));
  cut(blocks.n, mostColumns, plan.columnBlocks, plan.tileColumns(), blocks.columns,
      blocks.columnBlocks);
  return blocks;
}

// Where things are in the scratch, in elements of the accumulator.
struct ScratchLayout {
  int64_t a = 0, b = 0, sums = 0, end = 0;

  ScratchLayout(const ContractionSpec &spec, const ContractionPlan &plan) {
    int64_t leastDepth = 1, mostDepth = plan.maxDepthBlocks;
    if (spec.k.constant)
      leastDepth = mostDepth =
          std::clamp<int64_t>(ceilDiv(*spec.k.constant, plan.blockK), 1, plan.maxDepthBlocks);
    // The largest product of block and depth that emitBlocks arrives at.
    auto most = [&](const ContractionSize &size, int64_t limit, int64_t held, int64_t tile) {
      int64_t largest = 0;
      for (int64_t depth = leastDepth; depth <= mostDepth; ++depth) {
        int64_t block = std::max(std::min(limit, held / depth / tile * tile), tile);
        if (size.constant)
          block = std::min(block, std::max(roundUp(*size.constant, tile), tile));
        largest = std::max(largest, block * depth);
      }
      return largest;
    };
    // Every part begins on a cache line.
    auto align = [](int64_t elements) { return roundUp(elements, 64); };
    int64_t rows = most(spec.m, plan.maxRows, plan.rowBlocks, plan.tileRows);
    int64_t columns = most(spec.n, plan.maxColumns, plan.columnBlocks, plan.tileColumns());
    b = a;
    if (plan.a != Access::Direct)
      b += align(rows / plan.tileRows * packedRowElements(plan, plan.aColumnsContiguous));
    sums = b;
    if (plan.packsB)
      sums += align(columns * plan.blockK);
    // The tail tile writes whole, so the last rows need a little room behind them.
    int64_t panels = 1;
    if (!spec.k.constant || *spec.k.constant > plan.blockK * plan.maxDepthBlocks)
      panels = std::max<int64_t>(1, plan.columnBlocks / plan.maxDepthBlocks / plan.tileColumns());
    end = sums + align(panels * (plan.maxRows + plan.tailRows) * plan.tileColumns());
  }
};

// The loops of one contraction.
class Nest {
public:
  Nest(LoopEmitter &emit, const ContractionSpec &spec, const ContractionPlan &plan)
      : emit(emit), spec(spec), plan(plan), type(spec.accumulatorType),
        blocks(emitBlocks(emit, spec, plan)), zero(emit.constant(0)), one(emit.constant(1)) {
    ScratchLayout layout(spec, plan);
    Value scratch = spec.scratch;
    rowsOfA = {spec.a.elementType,     type, {}, {}, {}, {}, {}, blocks.rows, {},
               plan.aColumnsContiguous};
    rowsOfA.packed = emit.address(scratch, type, layout.a);
    columnsOfB.sourceType = spec.b.elementType;
    columnsOfB.type = type;
    columnsOfB.packed = emit.address(scratch, type, layout.b);
    columnsOfB.columns = blocks.columns;
    sums = emit.address(scratch, type, layout.sums);
    auto stride = [&](Value value, std::optional<int64_t> constant) {
      return constant ? emit.constant(*constant) : emit.fromIndex(value);
    };
    rowsOfA.rowStride = stride(spec.a.rowStride, spec.a.constantRowStride);
    rowsOfA.colStride = stride(spec.a.colStride, spec.a.constantColStride);
    columnsOfB.rowStride = stride(spec.b.rowStride, spec.b.constantRowStride);
    columnsOfB.colStride = stride(spec.b.colStride, spec.b.constantColStride);
    severalDepths = emit.less(emit.constant(plan.blockK), blocks.k);
    severalSupers = emit.less(one, blocks.superBlocks);
  }

  void run(Value begin, Value end) {
    // Which block of A and of B lies packed in the scratch. Units come with the rows of one block
    // of columns in a row, so a chunk packs each block of B once.
    Value none = emit.constant(-1);
    emit.loop(begin, end, 1, {none, none}, [&](Value unit, ValueRange packed) {
      Value rowBlock = emit.rem(unit, emit.max(blocks.rowBlocks, one));
      Value rest = emit.div(unit, emit.max(blocks.rowBlocks, one));
      Value columnBlock = emit.rem(rest, emit.max(blocks.columnBlocks, one));
      batch = emit.div(rest, emit.max(blocks.columnBlocks, one));
      m0 = emit.mul(rowBlock, blocks.rows);
      n0 = emit.mul(columnBlock, blocks.columns);
      rowsOfA.rowsHere = emit.min(blocks.rows, emit.sub(blocks.m, m0));
      columnsOfB.columnsHere = emit.min(blocks.columns, emit.sub(blocks.n, n0));
      Value aBlock = emit.add(emit.mul(batch, blocks.rowBlocks), rowBlock);
      Value bBlock = emit.add(emit.mul(batch, blocks.columnBlocks), columnBlock);
      Value width = emit.constant(plan.tileColumns());
      panels = emit.ceilDiv(columnsOfB.columnsHere, width);
      Value packAll = emit.less(emit.constant(plan.packedRowsThreshold), blocks.m);
      columnsOfB.firstPanel = emit.select(packAll, zero, emit.div(columnsOfB.columnsHere, width));
      Value aIsStale = stale(aBlock, packed[0]), bIsStale = stale(bBlock, packed[1]);
      emit.loop(zero, blocks.superBlocks, 1,
                [&](Value super) { runSuperBlock(super, aIsStale, bIsStale); });
      return LoopEmitter::Values{aBlock, bBlock};
    });
  }

private:
  Value stale(Value wanted, Value packed) {
    Value same = emit.select(severalSupers, emit.constant(-2), packed);
    return emit.select(emit.equal(wanted, same), emit.less(zero, zero), emit.less(zero, one));
  }

  // A range of k for which panels of A and B fit the scratch.
  void runSuperBlock(Value super, Value aIsStale, Value bIsStale) {
    Value k0 = emit.mul(super, blocks.superDepth);
    Value depth = emit.min(blocks.superDepth, emit.sub(blocks.k, k0));
    rowsOfA.depth = columnsOfB.depth = depth;
    rowsOfA.source = source(spec.a, rowsOfA.rowStride, m0, rowsOfA.colStride, k0);
    columnsOfB.source = source(spec.b, columnsOfB.rowStride, k0, columnsOfB.colStride, n0);
    if (plan.packsB)
      emit.branch(bIsStale, [&] { emitPackColumns(emit, plan, columnsOfB); });
    if (plan.a != Access::Direct)
      emit.branch(aIsStale, [&] { emitPackRows(emit, plan, rowsOfA); });

    Value blockK = emit.constant(plan.blockK);
    Value depthBlocks = emit.max(emit.ceilDiv(depth, blockK), one);
    emit.loop(zero, panels, 1, [&](Value panel) {
      emit.loop(zero, depthBlocks, 1, [&](Value depthBlock) {
        Value k = emit.mul(depthBlock, plan.blockK);
        Position position;
        position.depth = emit.min(blockK, emit.sub(depth, k));
        position.first = emit.logicalAnd(emit.equal(super, zero), emit.equal(depthBlock, zero));
        position.last = emit.logicalAnd(emit.equal(super, emit.sub(blocks.superBlocks, one)),
                                        emit.equal(depthBlock, emit.sub(depthBlocks, one)));
        position.panel = panel;
        position.depthBlock = depthBlock;
        position.k = k;
        runPanel(position);
      });
    });
  }

  struct Position {
    Value panel, depthBlock, k, depth, first, last;
  };

  // All rows of the unit against one panel of B.
  void runPanel(const Position &at) {
    ContractionTile tile;
    tile.elementType = type;
    tile.lanes = plan.lanes;
    tile.vectors = plan.tileVectors;
    tile.depth = at.depth;
    tile.first = at.first;
    int64_t width = plan.tileColumns();
    Value n = emit.mul(at.panel, width);

    Value packed = packedPanel(emit, plan, columnsOfB, at.depthBlock, at.panel);
    tile.b = packed;
    tile.bDepthStride = emit.constant(width);
    if (plan.b == Access::Direct) {
      Value isPacked = emit.less(columnsOfB.firstPanel, emit.add(at.panel, one));
      Value offset = emit.add(emit.mul(at.k, columnsOfB.rowStride), n);
      tile.b = emit.select(isPacked, packed,
                           emit.address(columnsOfB.source, spec.b.elementType, offset));
      tile.bDepthStride = emit.select(isPacked, tile.bDepthStride, columnsOfB.rowStride);
    }
    Value rowStride = rowsOfA.rowStride;
    tile.aDepthStride = rowsOfA.colStride;
    if (plan.a != Access::Direct) {
      rowStride = emit.constant(packedRowStride(plan, plan.aColumnsContiguous));
      tile.aDepthStride = emit.constant(packedDepthStride(plan, plan.aColumnsContiguous));
    }
    // Sums of several depths wait in the scratch, those of one depth pass through the same few
    // lines of it.
    Value apart = emit.select(severalDepths, emit.constant(width), zero);
    Value panelSums = emit.address(
        sums, type,
        emit.select(severalSupers,
                    emit.mul(emit.mul(at.panel, emit.add(blocks.rows, plan.tailRows)), width),
                    zero));
    Value firstColumn = emit.add(n0, n);
    SmallVector<Value> masks = columnMasks(firstColumn);
    Value isWhole = emit.less(emit.add(firstColumn, width - 1), blocks.n);

    emit.loop(zero, rowsOfA.rowsHere, plan.tileRows, [&](Value m) {
      Value rowsHere = emit.min(emit.sub(rowsOfA.rowsHere, m), emit.constant(plan.tileRows));
      Value a;
      if (plan.a == Access::Direct)
        a = emit.address(rowsOfA.source, spec.a.elementType,
                         emit.add(emit.mul(m, rowStride), emit.mul(at.k, rowsOfA.colStride)));
      else
        a = packedTile(emit, plan, rowsOfA, at.depthBlock, m);
      Value tileSums = emit.address(panelSums, type, emit.mul(m, apart));

      auto whole = [&] {
        tile.a = a;
        tile.sums = tileSums;
        tile.rowOffsets.clear();
        for (int64_t row = 0; row < plan.tileRows; ++row)
          tile.rowOffsets.push_back(emit.mul(emit.constant(row), rowStride));
        emitContractionTile(emit, tile);
      };
      // Fewer rows: small tiles, the last of which reads the last row again in place of those that
      // do not exist.
      auto rest = [&] {
        emit.loop(zero, rowsHere, plan.tailRows, [&](Value row) {
          tile.a = emit.address(a, type, emit.mul(row, rowStride));
          tile.sums = emit.address(tileSums, type, emit.mul(row, width));
          Value last = emit.sub(emit.sub(rowsHere, row), one);
          tile.rowOffsets.clear();
          for (int64_t r = 0; r < plan.tailRows; ++r)
            tile.rowOffsets.push_back(emit.mul(emit.min(emit.constant(r), last), rowStride));
          emitContractionTile(emit, tile);
        });
      };
      if (plan.tailRows)
        emit.branch(emit.equal(rowsHere, emit.constant(plan.tileRows)), whole, rest);
      else
        whole();
      emit.branch(at.last, [&] {
        Value row = emit.add(m0, m);
        if (masks.empty())
          return finish(row, rowsHere, firstColumn, tileSums, {});
        // Where masks cost nothing, one loop does for all panels.
        if (emit.target.vectorBits >= 512)
          return finish(row, rowsHere, firstColumn, tileSums, masks);
        emit.branch(
            isWhole, [&] { finish(row, rowsHere, firstColumn, tileSums, {}); },
            [&] { finish(row, rowsHere, firstColumn, tileSums, masks); });
      });
    });
  }

  // None if the columns are known to fill all panels.
  SmallVector<Value> columnMasks(Value firstColumn) {
    if (plan.wholePanels)
      return {};
    SmallVector<Value> masks;
    for (int64_t v = 0; v < plan.tileVectors; ++v)
      masks.push_back(
          emit.firstLanes(plan.lanes, emit.sub(blocks.n, emit.add(firstColumn, v * plan.lanes))));
    return masks;
  }

  void finish(Value m, Value rows, Value n, Value tileSums, ArrayRef<Value> masks) {
    auto vectorType = VectorType::get(plan.lanes, type);
    emit.loop(zero, rows, 1, [&](Value row) {
      for (int64_t v = 0; v < plan.tileVectors; ++v) {
        Value offset = emit.add(emit.mul(row, plan.tileColumns()), v * plan.lanes);
        Value finished = emit.load(vectorType, emit.address(tileSums, type, offset));
        spec.store(emit.builder, emit.loc, emit.toIndex(batch), emit.toIndex(emit.add(m, row)),
                   emit.toIndex(emit.add(n, v * plan.lanes)), finished,
                   masks.empty() ? Value() : masks[v]);
      }
    });
  }

  Value source(const ContractionOperand &operand, Value rowStride, Value row, Value colStride,
               Value col) {
    Value offset = emit.add(emit.mul(row, rowStride), emit.mul(col, colStride));
    offset = emit.add(offset, emit.mul(batch, emit.fromIndex(operand.batchStride)));
    return emit.address(operand.base, operand.elementType, offset);
  }

  LoopEmitter &emit;
  const ContractionSpec &spec;
  const ContractionPlan &plan;
  Type type;
  Blocks blocks;
  Value zero, one;
  PackedRows rowsOfA;
  PackedColumns columnsOfB;
  Value sums, severalDepths, severalSupers;
  // Of the unit at hand.
  Value batch, m0, n0, panels;
};

} // namespace

int64_t keratin::codegen::contractionScratchBytes(const ContractionSpec &spec,
                                                  const MachineTarget &target) {
  ContractionPlan plan = planContraction(spec, target);
  int64_t bytes = ceilDiv(spec.accumulatorType.getIntOrFloatBitWidth(), 8);
  return roundUp(ScratchLayout(spec, plan).end * bytes, 64);
}

Value keratin::codegen::emitContractionUnits(OpBuilder &builder, Location loc,
                                             const ContractionSpec &spec,
                                             const MachineTarget &target) {
  LoopEmitter emit(builder, loc, target);
  Blocks blocks = emitBlocks(emit, spec, planContraction(spec, target));
  return emit.toIndex(emit.mul(blocks.batch, emit.mul(blocks.rowBlocks, blocks.columnBlocks)));
}

void keratin::codegen::emitContraction(OpBuilder &builder, Location loc,
                                       const ContractionSpec &spec, const MachineTarget &target,
                                       Value begin, Value end) {
  LoopEmitter emit(builder, loc, target);
  ContractionPlan plan = planContraction(spec, target);
  Nest(emit, spec, plan).run(emit.fromIndex(begin), emit.fromIndex(end));
}
