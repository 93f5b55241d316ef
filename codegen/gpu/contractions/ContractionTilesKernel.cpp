// Tiles of a contraction, after a ContractionTilesPlan.
#include "codegen/gpu/contractions/ContractionCode.h"
#include "codegen/gpu/contractions/ContractionEngine.h"
#include "codegen/gpu/contractions/ContractionParts.h"
#include "codegen/gpu/contractions/ContractionTilesPlan.h"
#include "codegen/gpu/threads/ThreadBlock.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

class ContractionTilesKernel {
public:
  ContractionTilesKernel(DeviceKernelBuilder &k, const ContractionTilesPlan &plan)
      : k(k), plan(plan), tile(plan.tile), code(k, plan.nest), emit(code.emit) {}

  void emitUnit(Value unit);
  void emitUnits() {
    emit.loop(k.begin, k.end, 1, [&](Value unit) { emitUnit(unit); });
  }

private:
  std::pair<Value, Value> tileOf(Value &number);

  DeviceKernelBuilder &k;
  const ContractionTilesPlan &plan;
  const ContractionTile &tile;
  ContractionCode code;
  LoopEmitter &emit;
};

} // namespace

// Takes the tile out of the number of one of the batch.
std::pair<Value, Value> ContractionTilesKernel::tileOf(Value &number) {
  Value down = k.sizeOf(plan.rowTiles()), across = k.sizeOf(plan.columnTiles());
  if (!plan.bandTiles) {
    Value row = emit.popCounter(number, down);
    return {row, emit.popCounter(number, across)};
  }
  Value band = emit.popCounter(number, emit.mul(down, across));
  Value inBand = emit.popCounter(band, emit.mul(across, plan.bandTiles));
  Value first = emit.mul(band, plan.bandTiles);
  // The last band may be less.
  Value rows = emit.min(emit.sub(down, first), emit.constant(plan.bandTiles));
  Value row = emit.add(first, emit.popCounter(inBand, rows));
  return {row, inBand};
}

void ContractionTilesKernel::emitUnit(Value unit) {
  Value own = unit, part = emit.constant(0), parts = k.sizeOf(plan.depthParts());
  if (plan.hasParts())
    part = emit.popCounter(unit, parts);
  Value number = unit;
  auto [rowTile, columnTile] = tileOf(unit);
  Value firstRow = emit.mul(rowTile, tile.rows());
  Value firstColumn = emit.mul(columnTile, tile.columns());
  Value batch = unit;
  StridedSource a = code.a({batch, firstRow, tile.rows(), tile.depth}, tile.sourceGroup());
  StridedSource b = code.b({batch, firstColumn, tile.columns(), tile.depth}, tile.sourceGroup());
  ThreadBlock block(k.b, k.loc);
  std::unique_ptr<ContractionEngine> engine = ContractionEngine::make(
      emit, tile, code.sumType, block.memory(tile.sharedAlignment()), block.threadAnew());
  ContractionEngine::Result result;
  if (code.spec.m.constant.value_or(1) % tile.rows() != 0)
    result.rows = emit.sub(code.m, firstRow);
  if (code.spec.n.constant.value_or(1) % tile.columns() != 0)
    result.columns = emit.sub(code.n, firstColumn);
  result.isGrouped = code.mayGroupColumns(tile.group());
  auto store = [&](Value row, Value column, Value sums) {
    code.store(batch, emit.add(firstRow, row), emit.add(firstColumn, column), sums);
  };
  if (!plan.hasParts()) {
    engine->finish(engine->multiply(a, b, emit.constant(0), code.depth), result, store);
    return;
  }
  Value ofPart = emit.roundUp(emit.ceilDiv(code.depth, parts), tile.depth);
  Value begin = emit.mul(part, ofPart), end = emit.min(emit.add(begin, ofPart), code.depth);
  ContractionParts(k, plan, emit, tile, code.sumType)
      .meet(*engine, engine->multiply(a, b, begin, end), own, number, parts, result, store);
}

void ContractionTilesPlan::emit(DeviceKernelBuilder &k) const {
  randomBits.use(k);
  ContractionTilesKernel(k, *this).emitUnits();
}
