#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ContractionAmx.h"
#include "codegen/cpu/ContractionBlocks.h"
#include "codegen/cpu/ContractionDots.h"
#include "codegen/cpu/ContractionFew.h"
#include "codegen/cpu/ContractionMicroKernel.h"
#include "codegen/cpu/ContractionNarrow.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/ContractionPairs.h"
#include "codegen/cpu/ContractionStrips.h"
#include "codegen/cpu/PanelsAhead.h"
#include "codegen/cpu/UnitOrder.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Access = ContractionPlan::Access;

// The loops of one contraction.
class Loops {
public:
  Loops(LoopEmitter &emit, const ContractionSpec &spec, const ContractionPlan &plan)
      : emit(emit), spec(spec), plan(plan), type(spec.accumulatorType),
        packedType(plan.isOfPairs() ? emit.builder.getI32Type() : type),
        blocks(emitContractionBlocks(emit, spec, plan)), zero(emit.constant(0)),
        one(emit.constant(1)) {
    Value scratch = spec.scratch;
    rowsOfA.sourceType = spec.a.elementType;
    rowsOfA.type = packedType;
    rowsOfA.rowDepth = blocks.packedSteps;
    rowsOfA.columnsContiguous = plan.aColumnsContiguous;
    rowsOfA.packed = emit.address(scratch, type, plan.scratch.a);
    columnsOfB.sourceType = spec.b.elementType;
    columnsOfB.type = packedType;
    // As they are: LLVM takes vectors of halves apart where the machine lacks them.
    if (plan.widensB)
      columnsOfB.sourceType = columnsOfB.type =
          emit.builder.getIntegerType(spec.b.elementType.getIntOrFloatBitWidth());
    columnsOfB.packed = emit.address(scratch, type, plan.scratch.b);
    columnsOfB.panelDepth = blocks.packedSteps;
    sums = emit.address(scratch, type, plan.scratch.sums);
    if (plan.isOfBfloat16()) {
      rowsOfA.least = emit.address(scratch, type, plan.scratch.leastOfPairs);
      columnsOfB.least = emit.address(rowsOfA.least, type, 1);
    }
    rowsOfA.rowStride = strideOf(emit, spec.a.rowStride, spec.a.constantRowStride);
    rowsOfA.colStride = strideOf(emit, spec.a.colStride, spec.a.constantColStride);
    columnsOfB.rowStride = strideOf(emit, spec.b.rowStride, spec.b.constantRowStride);
    columnsOfB.colStride = strideOf(emit, spec.b.colStride, spec.b.constantColStride);
    packsA = emitPacksA();
    packsAll = emit.less(emit.constant(plan.packedRowsThreshold), blocks.m);
    packsPanelwise = emit.equal(blocks.rowBlocks, one);
    severalSupers = emit.less(one, blocks.superBlocks);
    staysPacked = emit.select(packsPanelwise, severalSupers, emit.equal(zero, zero));
    streamsB = emit.less(one, zero);
    if (plan.mayStreamB) {
      Value few = emit.less(blocks.m, emit.constant(plan.packedRowsThreshold + 1));
      streamsB = emit.logicalAnd(few, packsPanelwise);
      if (plan.mostNearElements)
        streamsB = emit.logicalAnd(streamsB, emit.less(emit.constant(*plan.mostNearElements),
                                                       emit.mul(blocks.n, blocks.k)));
    }
  }

  void run(Value begin, Value end) {
    if (plan.usesAmx)
      emitBeginAmx(emit);
    emit.loop(begin, end, 1, packedBefore(), [&](Value place, ValueRange packed) {
      const Place at = placeOfUnit(unitAt(emit, spec, begin, end, place));
      batch = at.batch;
      m0 = emit.mul(at.rowBlock, blocks.rows);
      n0 = emit.mul(at.columnBlock, blocks.columns);
      rowsOfA.rowsHere = emit.min(blocks.rows, emit.sub(blocks.m, m0));
      columnsOfB.columnsHere = emit.min(blocks.columns, emit.sub(blocks.n, n0));
      auto [aBlock, bBlock] = blocksAt(at);
      Value width = emit.constant(plan.tileColumns());
      panels = emit.ceilDiv(columnsOfB.columnsHere, width);
      Value firstPartial = plan.masksB ? panels : emit.div(columnsOfB.columnsHere, width);
      columnsOfB.firstPanel = emit.select(packsAll, zero, firstPartial);
      Value aIsStale = stale(aBlock, packed[0]), bIsStale = stale(bBlock, packed[1]);
      // With masks there may be no panel to pack.
      if (plan.masksB)
        bIsStale = emit.logicalAnd(bIsStale, emit.less(columnsOfB.firstPanel, panels));
      emit.loop(zero, blocks.superBlocks, 1,
                [&](Value super) { runSuperBlock(super, aIsStale, bIsStale); });
      return LoopEmitter::Values{aBlock, bBlock};
    });
    if (plan.usesAmx)
      emitEndAmx(emit);
  }

private:
  struct Place {
    Value batch, rowBlock, columnBlock;
  };
  Place placeOfUnit(Value unit) {
    // What has no elements has no units, but the last one is asked for all the same.
    Value rows = emit.max(blocks.rowBlocks, one), columns = emit.max(blocks.columnBlocks, one);
    Value rest = emit.div(unit, rows), batch = emit.div(rest, columns);
    return {batch, emit.sub(unit, emit.mul(rest, rows)), emit.sub(rest, emit.mul(batch, columns))};
  }

  // The numbers of a unit's blocks of A and of B.
  std::pair<Value, Value> blocksAt(const Place &at) {
    return {emit.add(emit.mul(at.batch, blocks.rowBlocks), at.rowBlock),
            emit.add(emit.mul(at.batch, blocks.columnBlocks), at.columnBlock)};
  }

  // Those that lie packed in the scratch when units begin. Units come with the rows of one block of
  // columns in a row, so a thread packs each block of B once.
  LoopEmitter::Values packedBefore() {
    Value none = emit.constant(-1);
    if (!spec.unitsDone || (!plan.packsA && !plan.packsB))
      return {none, none};
    Value last = emit.sub(spec.unitsDone, one), isNone = emit.less(last, zero);
    // Of units in the other order nobody says which was the last.
    if (spec.isBackwards)
      isNone = emit.select(spec.isBackwards, spec.isBackwards, isNone);
    auto [aBlock, bBlock] = blocksAt(placeOfUnit(last));
    return {emit.select(isNone, none, aBlock), emit.select(isNone, none, bBlock)};
  }

  // Whether A is packed although the micro-kernel could read it where it is: if rows lie at
  // distances that crowd them into few sets of the cache, or on a page each, and there are enough
  // columns to pay for the copy.
  Value emitPacksA() {
    Value yes = emit.equal(zero, zero), no = emit.less(zero, zero);
    if (plan.a != Access::Direct)
      return yes;
    if (!plan.packsA)
      return no;
    Value step = plan.aColumnsContiguous ? rowsOfA.colStride : rowsOfA.rowStride;
    Value bytes = emit.mul(step, type.getIntOrFloatBitWidth() / 8);
    Value far = emit.less(emit.constant(plan.farBytes - 1), bytes);
    Value crowded = emit.equal(emit.rem(bytes, emit.constant(plan.crowdedBytes)), zero);
    Value reused = emit.less(emit.constant(plan.packedColumnsThreshold), blocks.n);
    return emit.logicalAnd(reused, emit.select(far, yes, crowded));
  }

  Value stale(Value wanted, Value packed) {
    Value same = emit.select(severalSupers, emit.constant(-2), packed);
    return emit.select(emit.equal(wanted, same), emit.less(zero, zero), emit.less(zero, one));
  }

  // A range of k for which panels of A and B fit the scratch.
  void runSuperBlock(Value super, Value aIsStale, Value bIsStale) {
    k0 = emit.mul(super, blocks.superDepth);
    Value depth = emit.min(blocks.superDepth, emit.sub(blocks.k, k0));
    rowsOfA.depth = columnsOfB.depth = depth;
    rowsOfA.source = source(spec.a, rowsOfA.rowStride, m0, rowsOfA.colStride, k0);
    columnsOfB.source = source(spec.b, columnsOfB.rowStride, k0, columnsOfB.colStride, n0);
    Value isFirstSuper = emit.equal(super, zero);
    if (plan.packsA)
      emit.branch(emit.logicalAnd(packsA, aIsStale), [&] {
        forgetLeast(rowsOfA.least, isFirstSuper);
        emitPackRows(emit, plan, rowsOfA);
      });
    else if (rowsOfA.least)
      emit.branch(aIsStale, [&] {
        forgetLeast(rowsOfA.least, isFirstSuper);
        emitLeastOfRows(emit, plan, rowsOfA);
      });
    // From here on in steps.
    if (plan.isOfPairs())
      depth = emit.ceilDiv(depth, emit.constant(plan.depthStep));
    depth = emit.roundUp(depth, plan.stepsAtOnce());

    // The depth in steps, each through all panels or all for each panel.
    Value stepDepth = emit.constant(plan.blockK);
    if (plan.b == Access::Direct && !plan.readsPanels())
      stepDepth = emit.select(packsAll, stepDepth, emit.constant(plan.inPlaceK));
    if (plan.mayStreamB)
      stepDepth = emit.select(streamsB, emit.constant(plan.stretch()), stepDepth);
    Value steps = emit.max(emit.ceilDiv(depth, stepDepth), one);
    Value sweeps = emit.select(streamsB, steps, one),
          stepsOfPanel = emit.select(streamsB, one, steps);
    // Where sums are made at once, results are stored while the next tile multiplies.
    Value isAtOnce = emit.logicalAnd(emit.less(steps, emit.constant(2)),
                                     emit.less(emit.constant(plan.shallowK), depth));
    Value inParts =
        emit.select(emit.logicalAnd(isAtOnce, emit.less(blocks.superBlocks, emit.constant(2))),
                    emit.less(emit.constant(partRows()), rowsOfA.rowsHere), emit.less(one, zero));
    Value parts = plan.evensRows ? one : emit.select(inParts, partsOf(rowsOfA.rowsHere), one);
    Value packsEach = bIsStale;
    if (plan.packsPanelsTogether) {
      emit.branch(emit.select(packsPanelwise, emit.less(one, zero), bIsStale),
                  [&] { packPanels(isFirstSuper); });
      packsEach = emit.logicalAnd(bIsStale, packsPanelwise);
    }
    emit.loop(zero, sweeps, 1, [&](Value sweep) {
      emit.loop(zero, panels, 1, [&](Value panel) {
        // Sums of a range of k that is not the last wait in the scratch, panel by panel.
        Value apart = emit.mul(emit.add(blocks.rows, plan.spareRows()), plan.tileColumns());
        Value wait = emit.select(streamsB, emit.equal(zero, zero), severalSupers);
        Value panelSums = emit.address(sums, type, emit.select(wait, emit.mul(panel, apart), zero));
        if (plan.packsB)
          emit.branch(
              emit.logicalAnd(emit.logicalAnd(packsEach, isPacked(panel)), emit.equal(sweep, zero)),
              [&] { packPanel(panel, isFirstSuper); });
        Value isLast = emit.logicalAnd(emit.equal(super, emit.sub(blocks.superBlocks, one)),
                                       emit.equal(sweep, emit.sub(sweeps, one)));
        emit.loop(zero, parts, 1, [&](Value part) {
          const Rows rows = rowsOf(part, parts);
          if (plan.asksForResults && spec.askForResults)
            emit.branch(inParts, [&] { askForResults(panel, rows); });
          emit.loop(zero, stepsOfPanel, 1, [&](Value i) {
            Value step = emit.add(sweep, i);
            Value first = emit.logicalAnd(emit.equal(super, zero), emit.equal(step, zero));
            runPanel(panel, rows, depth, emit.mul(step, stepDepth), stepDepth, panelSums, first);
          });
          emit.branch(isLast, [&] { finishPanel(panel, rows, panelSums); });
        });
      });
    });
  }

  // Some of the rows of the unit: whole tiles, or all that are left.
  struct Rows {
    Value tile, row, count;
  };
  int64_t tilesOfPart() const { return std::max<int64_t>(1, 16 / plan.tileRows); }
  int64_t partRows() const { return tilesOfPart() * plan.tileRows; }
  // Smaller tiles for the rest are chosen together with the last of the largest.
  Value partsOf(Value rows) {
    Value size = emit.constant(partRows());
    return plan.tailRows ? emit.max(emit.div(rows, size), one) : emit.ceilDiv(rows, size);
  }
  Rows rowsOf(Value part, Value parts) {
    Value row = emit.mul(part, partRows());
    Value isLast = emit.equal(part, emit.sub(parts, one));
    Value count = emit.select(isLast, emit.sub(rowsOfA.rowsHere, row), emit.constant(partRows()));
    return {emit.mul(part, tilesOfPart()), row, count};
  }

  // Sums that wait may be denormal: what is packed later goes on with what they were made of.
  void forgetLeast(Value least, Value isFirst) {
    if (least)
      emit.branch(isFirst, [&] { emitForgetLeast(emit, least); });
  }

  // Where a panel is packed: a panel that is used once at the place of the one before, which is in
  // the caches.
  Value placeOf(Value panel) {
    return packedPanel(emit, plan, columnsOfB, emit.select(packsPanelwise, zero, panel));
  }

  Value isPacked(Value panel) { return emit.less(columnsOfB.firstPanel, emit.add(panel, one)); }

  void packPanels(Value isFirstSuper) {
    forgetLeast(columnsOfB.least, isFirstSuper);
    emitPackColumns(emit, plan, columnsOfB);
  }

  void packPanel(Value panel, Value isFirstSuper) {
    Value n = emit.mul(panel, plan.tileColumns());
    PackedColumns block = columnsOfB;
    block.source = emit.address(block.source, block.sourceType, emit.mul(n, block.colStride));
    block.packed = placeOf(panel);
    block.columnsHere = emit.min(emit.constant(plan.tileColumns()), emit.sub(block.columnsHere, n));
    block.firstPanel = zero;
    Value isFirstPanel = emit.select(staysPacked, emit.equal(panel, zero), emit.equal(zero, zero));
    forgetLeast(block.least, emit.logicalAnd(isFirstSuper, isFirstPanel));
    emitPackColumns(emit, plan, block);
  }

  // Rows of the unit against one panel of B from k on, of `depth`, in a depth block or a part of
  // one.
  void runPanel(Value panel, const Rows &rows, Value depth, Value k, Value stepDepth,
                Value panelSums, Value first) {
    int64_t width = plan.tileColumns();
    ContractionPanel job;
    job.depth = emit.min(stepDepth, emit.sub(depth, k));
    job.rows = rows.count;
    job.sums = panelSums;
    job.first = first;

    Value packed = emit.address(placeOf(panel), columnsOfB.type, emit.mul(k, width));
    job.b = packed;
    job.bDepthStride = emit.constant(width);
    job.bType = plan.widensB ? spec.b.elementType : type;
    if (plan.readsPanels()) {
      Value before = emit.add(emit.div(n0, emit.constant(width)), panel);
      Value row = emit.add(emit.mul(before, blocks.k), emit.add(k0, k));
      job.b = emit.address(spec.b.base, spec.b.elementType, emit.mul(row, width));
    } else if (plan.b == Access::Direct) {
      Value offset = emit.add(emit.mul(k, columnsOfB.rowStride), emit.mul(panel, width));
      job.b = emit.select(isPacked(panel), packed,
                          emit.address(columnsOfB.source, spec.b.elementType, offset));
      job.bDepthStride = emit.select(isPacked(panel), job.bDepthStride, columnsOfB.rowStride);
    }

    job.rowStride = packedRowStride(emit, plan, rowsOfA);
    job.depthStride = emit.constant(packedDepthStride(plan, plan.aColumnsContiguous));
    job.a = emit.address(rowsOfA.packed, packedType, emit.mul(k, job.depthStride));
    job.tileStride = packedTileElements(emit, plan, rowsOfA);
    if (plan.a == Access::Direct) {
      Value number = emit.mul(emit.mul(k, plan.depthStep), rowsOfA.colStride);
      Value inPlace = emit.address(rowsOfA.source, spec.a.elementType, number);
      Value rowStride = emit.div(rowsOfA.rowStride, emit.constant(plan.depthStep));
      job.a = emit.select(packsA, job.a, inPlace);
      job.rowStride = emit.select(packsA, job.rowStride, rowStride);
      job.depthStride = emit.select(packsA, job.depthStride, rowsOfA.colStride);
      job.tileStride = emit.select(packsA, job.tileStride, emit.mul(rowStride, plan.tileRows));
    }
    job.a = emit.address(job.a, packedType, emit.mul(rows.tile, job.tileStride));
    if (plan.masksB)
      job.columns = emit.sub(columnsOfB.columnsHere, emit.mul(panel, width));
    if (plan.mayStreamB)
      bringNear(job, panel, emit.add(k, stepDepth), stepDepth);
    else if (plan.bringsNext)
      bringNext(job, panel);
    else if (plan.bringsPanels)
      bringPanels(job);
    if (plan.isOfIntegers)
      job.pairs = ContractionPanel::Pairs::AtOnce;
    if (!plan.isOfBfloat16())
      return emitContractionPanel(emit, plan, type, job);
    auto run = [&](ContractionPanel::Pairs pairs) {
      job.pairs = pairs;
      emitContractionPanel(emit, plan, type, job);
    };
    emit.branch(
        emitPairsAreExact(emit, rowsOfA.least, columnsOfB.least),
        [&] { run(ContractionPanel::Pairs::AtOnce); },
        [&] { run(ContractionPanel::Pairs::Apart); });
  }

  // What comes next lies behind what is read, whichever panel it is of.
  void bringPanels(ContractionPanel &job) {
    Value from = emit.address(job.b, job.bType, emit.mul(job.depth, plan.tileColumns()));
    Value every = emit.mul(tilesAhead(emit, plan, job.rows), kPanelsAhead);
    Value all = emit.max(blocks.k, one);
    job.ahead = {from, all, all, zero, every};
  }

  // The tiles of this stretch bring near what the next reads of B, or where B does not stream,
  // hardly anything: a run of all columns for each k, each panel's tiles a part.
  void bringNear(ContractionPanel &job, Value panel, Value k, Value stepDepth) {
    job.ahead = chooseAhead(
        emit, streamsB, [&] { return whatIsAhead(job, panel, k); },
        [&] {
          ContractionPanel step = job;
          step.depth = stepDepth;
          return nothingAhead(emit, step, columnsOfB.source);
        });
  }

  ContractionPanel::Ahead whatIsAhead(const ContractionPanel &job, Value panel, Value k) {
    int64_t width = plan.tileColumns();
    Value tiles = tilesAhead(emit, plan, job.rows);
    Value every = emit.mul(tiles, kPanelsAhead);
    Value runLength = emit.max(emit.div(columnsOfB.columnsHere, emit.constant(width)), one);
    Value betweenRuns = emit.sub(columnsOfB.rowStride, emit.mul(runLength, width));
    // Rows that lie one behind the other are one run.
    Value isOneRun = emit.equal(columnsOfB.rowStride, columnsOfB.columnsHere);
    betweenRuns = emit.select(isOneRun, zero, betweenRuns);
    Value strips = emit.mul(emit.mul(panel, tiles), emit.ceilDiv(job.depth, every));
    Value before = emit.mul(strips, kPanelsAhead);
    Value run = emit.div(before, runLength);
    Value inRun = emit.sub(before, emit.mul(run, runLength));
    // Behind the last stretch come the next columns.
    Value isLast = emit.less(emit.sub(rowsOfA.depth, one), k);
    Value start = emit.select(isLast, columnsOfB.columnsHere, emit.mul(k, columnsOfB.rowStride));
    Value at = emit.add(emit.mul(run, columnsOfB.rowStride), emit.mul(inRun, width));
    Value from = emit.address(columnsOfB.source, spec.b.elementType, emit.add(start, at));
    return {from, emit.sub(runLength, inRun), runLength, betweenRuns, every};
  }

  // Sums are continued: tiles bring near what is packed, or read, next: half of the panels A, the
  // others B.
  void bringNext(ContractionPanel &job, Value panel) {
    Value ofA = emit.ceilDiv(panels, emit.constant(2));
    job.ahead = chooseAhead(
        emit, emit.less(panel, ofA),
        [&] {
          bool columns = plan.aColumnsContiguous;
          RunsAhead rows{nextOf(rowsOfA.source, rowsOfA.colStride),
                         columns ? blocks.superDepth : rowsOfA.rowsHere,
                         columns ? rowsOfA.rowsHere : blocks.superDepth,
                         columns ? rowsOfA.colStride : rowsOfA.rowStride};
          return partAhead(emit, plan, job, rows, type, panel, ofA);
        },
        [&] {
          RunsAhead rows{nextOf(columnsOfB.source, columnsOfB.rowStride), blocks.superDepth,
                         columnsOfB.columnsHere, columnsOfB.rowStride};
          return partAhead(emit, plan, job, rows, type, emit.sub(panel, ofA),
                           emit.sub(panels, ofA));
        });
  }

  // A superblock further in depth.
  Value nextOf(Value source, Value depthStride) {
    return emit.address(source, type, emit.mul(blocks.superDepth, depthStride));
  }

  // Lines that come from far away while the tiles multiply: stores would wait for them together.
  void askForResults(Value panel, const Rows &rows) {
    Value m = emit.add(m0, rows.row), n = emit.add(n0, emit.mul(panel, plan.tileColumns()));
    emit.loop(zero, rows.count, 1, [&](Value row) {
      for (int64_t v = 0; v < plan.tileVectors; ++v)
        spec.askForResults(emit.builder, emit.loc, emit.toIndex(batch),
                           emit.toIndex(emit.add(m, row)),
                           emit.toIndex(emit.add(n, v * plan.lanes)), plan.lanes);
    });
  }

  void finishPanel(Value panel, const Rows &rows, Value panelSums) {
    Value n = emit.add(n0, emit.mul(panel, plan.tileColumns()));
    SmallVector<Value> masks = columnMasks(n);
    if (masks.empty())
      return finishRows(rows, n, panelSums, {});
    // Where masks cost nothing, one loop does for all panels.
    if (plan.masksPanels)
      return finishRows(rows, n, panelSums, masks);
    Value isWhole = emit.less(emit.add(n, plan.tileColumns() - 1), blocks.n);
    emit.branch(
        isWhole, [&] { finishRows(rows, n, panelSums, {}); },
        [&] { finishRows(rows, n, panelSums, masks); });
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

  void finishRows(const Rows &rows, Value n, Value panelSums, ArrayRef<Value> masks) {
    auto vectorType = VectorType::get(plan.lanes, type);
    Value m = emit.add(m0, rows.row);
    emit.loop(zero, rows.count, 1, [&](Value row) {
      for (int64_t v = 0; v < plan.tileVectors; ++v) {
        Value offset = emit.add(emit.mul(row, plan.tileColumns()), v * plan.lanes);
        Value finished = emit.load(vectorType, emit.address(panelSums, type, offset));
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
  Type type, packedType;
  ContractionBlocks blocks;
  Value zero, one;
  PackedRows rowsOfA;
  PackedColumns columnsOfB;
  Value sums, packsA, severalSupers, streamsB;
  Value packsAll; // panels of B
  // With one block of rows each panel of B is used once and packed to the same lines as the one
  // before; else the first block of rows packs what all use.
  Value packsPanelwise;
  // Whether what is known of packed panels is of several.
  Value staysPacked;
  // Of the unit at hand.
  Value batch, m0, n0, panels;
  Value k0; // of the range of k at hand
};

} // namespace

Value keratin::codegen::emitContractionUnits(OpBuilder &builder, Location loc,
                                             const ContractionSpec &spec,
                                             const ContractionPlan &plan,
                                             const MachineTarget &target) {
  LoopEmitter emit(builder, loc, target);
  if (plan.dots)
    return emit.toIndex(emitDotUnits(emit, spec, *plan.dots));
  if (plan.narrow)
    return emit.toIndex(emitNarrowUnits(emit, spec, *plan.narrow));
  if (plan.strips)
    return emit.toIndex(emitStripUnits(emit, spec, *plan.strips));
  if (plan.few)
    return emit.toIndex(emitFewUnits(emit, spec, *plan.few));
  return emit.toIndex(emitContractionBlocks(emit, spec, plan).units(emit));
}

void keratin::codegen::emitContraction(OpBuilder &builder, Location loc,
                                       const ContractionSpec &spec, const ContractionPlan &plan,
                                       const MachineTarget &target, Value begin, Value end) {
  LoopEmitter emit(builder, loc, target);
  if (plan.dots)
    return emitDots(emit, spec, *plan.dots, emit.fromIndex(begin), emit.fromIndex(end));
  if (plan.narrow)
    return emitNarrow(emit, spec, *plan.narrow, plan.panelColumns, emit.fromIndex(begin),
                      emit.fromIndex(end));
  if (plan.strips)
    return emitStrips(emit, spec, *plan.strips, emit.fromIndex(begin), emit.fromIndex(end));
  if (plan.few)
    return emitFew(emit, spec, *plan.few, emit.fromIndex(begin), emit.fromIndex(end));
  Loops(emit, spec, plan).run(emit.fromIndex(begin), emit.fromIndex(end));
}
