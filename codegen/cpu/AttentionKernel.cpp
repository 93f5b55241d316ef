// Units of attention, after an AttentionSchedule.
#include "codegen/cpu/AttentionPlan.h"

#include "codegen/cpu/ContractionDots.h"
#include "codegen/cpu/ContractionMicroKernel.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/PanelsAhead.h"
#include "codegen/elements/AttentionPlaces.h"
#include "codegen/elements/ContractionEpilogue.h"
#include "codegen/elements/ReductionState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::ReductionOpInterface;

namespace {

class AttentionKernel {
public:
  AttentionKernel(CpuKernelBuilder &k, const AttentionNest &nest, const AttentionSchedule &schedule)
      : k(k), b(k.b), loc(k.loc), emit(k.b, k.loc, k.target), s(schedule),
        attention(nest.attention),
        scores(nest.scores.describe(b, loc, [&](const DimExpr &size) { return k.sizeOf(size); })),
        mix(nest.mix.describe(b, loc, [&](const DimExpr &size) { return k.sizeOf(size); })),
        type(mix.accumulatorType), vectorType(VectorType::get(s.lanes, type)),
        rowResults(nest.rowResults), epilogue(k, k.target, nest.mix, rowResults),
        places(k, emit, ir::getShape(nest.attention.logits), nest.mix.shape.m),
        units(emit, mix, schedule), zero(emit.constant(0)), one(emit.constant(1)),
        scratch(k.scratch()) {
    scores.a.base = memoryOf(k, ir::DotGeneralOp(attention.scores).getA());
    scores.b.base = memoryOf(k, ir::DotGeneralOp(attention.scores).getB());
    mix.b.base = memoryOf(k, ir::DotGeneralOp(attention.mix).getB());
    m = numberOf(emit, mix.m);
    keys = numberOf(emit, mix.k);
    Value no = emit.less(one, zero);
    isFew = s.dots ? emit.less(m, emit.constant(s.fewQueries + 1)) : no;
    readsValues = s.mayReadValues ? emit.less(m, emit.constant(s.valueReaders + 1)) : no;
    blocks = emit.max(emit.ceilDiv(keys, emit.constant(s.keys)), one);
    blockKeys = emit.max(emit.roundUp(emit.ceilDiv(keys, blocks), s.scores.tileColumns()),
                         emit.constant(s.scores.tileColumns()));
    describePacking();
    areMany = emit.less(emit.constant(s.manyScores - 1), emit.mul(units.rows, blockKeys));
  }

  void run();

private:
  using Values = LoopEmitter::Values;

  Value part(int64_t offset) { return emit.address(scratch, type, offset); }
  Value part(int64_t offset, Value at) { return emit.address(part(offset), type, at); }
  Value rowOf(int64_t offset, Value row) { return part(offset, emit.mul(row, s.lanes)); }
  Value isFirstBlock() { return emit.equal(block, zero); }

  void describePacking();
  Value source(const ContractionOperand &operand, Value rowStride, Value row, Value colStride,
               Value column);
  void describeBlock();
  void describeNext();
  void bringNear(ContractionPanel &job, MakeAhead part);
  void packBlock();
  void runBlock();
  void runRows();
  void makeScores(Value panel);
  void makeFewScores(Value panel);
  void finishScores(Value panel);
  SmallVector<Value> columnMasks(Value panel);
  void makeLogits(Value row, Value panel, ArrayRef<Value> masks);
  SmallVector<LaneIndex> indexOf(ElementEmitter &emitter, ArrayRef<Value> leading, Value key);
  void makeWeights(Value row);
  void scaleDown(Value row, Value factor);
  void mixValues();
  void finishUnit();
  void storeOfRow(Value row, Value total);
  Value mixedRow(Value rowBlock, Value panel, Value row);

  CpuKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  LoopEmitter emit;
  const AttentionSchedule &s;
  const ir::Attention &attention;
  ContractionSpec scores, mix;
  Type type;
  VectorType vectorType;
  ArrayRef<Value> rowResults;
  ContractionEpilogue epilogue;
  AttentionPlaces places;
  AttentionUnits<LoopEmitter> units;
  Value zero, one, scratch;
  Value m, keys, blocks, blockKeys, isFew, readsValues;
  PackedRows packedQueries;
  PackedColumns packedKeys, packedValues;
  Value areMany; // scores
  RunsAhead nextQueries, nextKeys, nextValues;
  // Of the unit at hand: its batch entry, its rows, and the block of keys.
  Value unit, batch, m0, rowsHere;
  Value block, n0, keysHere;
  // A block of rows, from the unit's first on.
  Value rowBlocks, rowBlock, r0, rows;
};

void AttentionKernel::describePacking() {
  auto describeColumns = [&](const ContractionOperand &operand, int64_t place) {
    PackedColumns packed;
    packed.sourceType = operand.elementType;
    packed.type = type;
    packed.rowStride = strideOf(emit, operand.rowStride, operand.constantRowStride);
    packed.colStride = strideOf(emit, operand.colStride, operand.constantColStride);
    packed.packed = part(place);
    packed.firstPanel = zero;
    return packed;
  };
  packedKeys = describeColumns(scores.b, s.scratch.keys);
  packedKeys.depth = emit.constant(s.depth);
  packedKeys.panelDepth = packedKeys.depth;
  packedValues = describeColumns(mix.b, s.scratch.values);
  packedValues.panelDepth = emit.constant(s.keys);
  packedValues.columnsHere = emit.constant(s.width);
  packedQueries.sourceType = scores.a.elementType;
  packedQueries.type = type;
  packedQueries.rowStride = strideOf(emit, scores.a.rowStride, scores.a.constantRowStride);
  packedQueries.colStride = strideOf(emit, scores.a.colStride, scores.a.constantColStride);
  packedQueries.packed = part(s.scratch.queries);
  packedQueries.depth = emit.constant(s.depth);
  packedQueries.rowDepth = packedQueries.depth;
  packedQueries.columnsContiguous = s.scores.aColumnsContiguous;
}

Value AttentionKernel::source(const ContractionOperand &operand, Value rowStride, Value row,
                              Value colStride, Value column) {
  Value offset = emit.add(emit.mul(row, rowStride), emit.mul(column, colStride));
  offset = emit.add(offset, emit.mul(batch, emit.fromIndex(operand.batchStride)));
  return emit.address(operand.base, operand.elementType, offset);
}

//===-- Loops ---------------------------------------------------------------------------------===//

void AttentionKernel::run() {
  // Which batch entry's keys and values lie packed, where they are one block.
  Value none = emit.constant(-1);
  emit.loop(k.begin, k.end, 1, {none}, [&](Value number, ValueRange packed) {
    unit = number;
    batch = emit.div(unit, units.count);
    m0 = emit.mul(emit.sub(unit, emit.mul(batch, units.count)), units.rows);
    rowsHere = emit.min(units.rows, emit.sub(m, m0));
    places.enter(batch);
    emit.loop(zero, rowsHere, 1, [&](Value row) {
      emit.store(emit.builder.create<arith::ConstantOp>(
                     loc, b.getFloatAttr(type, -std::numeric_limits<double>::infinity())),
                 part(s.scratch.peaks, row));
    });
    Value isThere = emit.logicalAnd(emit.equal(blocks, one), emit.equal(packed[0], batch));
    emit.loop(zero, s.isOneBlock ? one : blocks, 1, [&](Value number) {
      block = number;
      n0 = emit.mul(block, blockKeys);
      keysHere = emit.max(emit.min(blockKeys, emit.sub(keys, n0)), zero);
      describeBlock();
      emit.branch(isThere, [] {}, [&] { packBlock(); });
      runBlock();
    });
    finishUnit();
    return Values{batch};
  });
}

void AttentionKernel::describeBlock() {
  packedKeys.source = source(scores.b, packedKeys.rowStride, zero, packedKeys.colStride, n0);
  packedKeys.columnsHere = keysHere;
  packedValues.source = source(mix.b, packedValues.rowStride, n0, packedValues.colStride, zero);
  packedValues.depth = keysHere;
  if (s.bringsNext)
    describeNext();
}

// The next block of keys, or that of the next unit and its queries; keys that lie packed by then
// are left out.
void AttentionKernel::describeNext() {
  Value isLast = emit.equal(block, emit.sub(blocks, one));
  Value nextUnit = emit.min(emit.add(unit, one), emit.sub(k.end, one));
  Value entry = emit.div(nextUnit, units.count);
  Value row = emit.mul(emit.sub(nextUnit, emit.mul(entry, units.count)), units.rows);
  Value rowCount = emit.min(units.rows, emit.sub(m, row));
  nextQueries = runsOf(emit, scores.a, entry, row, zero, emit.select(isLast, rowCount, zero),
                       emit.constant(s.depth));
  entry = emit.select(isLast, entry, batch);
  Value key = emit.select(isLast, zero, emit.add(n0, blockKeys));
  Value keyCount = emit.max(emit.min(blockKeys, emit.sub(keys, key)), zero);
  Value isPacked = emit.logicalAnd(emit.equal(blocks, one), emit.equal(entry, batch));
  keyCount = emit.select(isPacked, zero, keyCount);
  nextKeys = runsOf(emit, scores.b, entry, zero, key, emit.constant(s.depth), keyCount);
  nextValues = runsOf(emit, mix.b, entry, key, zero, keyCount, emit.constant(s.width));
}

void AttentionKernel::bringNear(ContractionPanel &job, MakeAhead part) {
  if (s.bringsNext)
    job.ahead =
        chooseAhead(emit, areMany, part, [&] { return nothingAhead(emit, job, nextKeys.source); });
}

void AttentionKernel::packBlock() {
  emit.branch(isFew, [] {}, [&] { emitPackColumns(emit, s.scores, packedKeys); });
  emit.branch(readsValues, [] {}, [&] { emitPackColumns(emit, s.mix, packedValues); });
}

void AttentionKernel::runBlock() {
  rowBlocks = emit.ceilDiv(rowsHere, emit.constant(s.rows));
  emit.loop(zero, rowBlocks, 1, [&](Value number) {
    rowBlock = number;
    r0 = emit.mul(rowBlock, s.rows);
    rows = emit.min(emit.constant(s.rows), emit.sub(rowsHere, r0));
    runRows();
  });
}

void AttentionKernel::runRows() {
  packedQueries.source =
      source(scores.a, packedQueries.rowStride, emit.add(m0, r0), packedQueries.colStride, zero);
  packedQueries.rowsHere = rows;
  emitPackRows(emit, s.scores, packedQueries);
  {
    ElementEmitter emitter(k, loc, k.target, s.lanes);
    Value nothing = ReductionOpInterface(attention.max).buildIdentity(emitter);
    Value vector = emit.splat(nothing, s.lanes);
    emit.loop(zero, rows, 1, [&](Value row) { emit.store(vector, rowOf(s.scratch.maxima, row)); });
  }
  emit.loop(zero, emit.ceilDiv(keysHere, emit.constant(s.scores.tileColumns())), 1,
            [&](Value panel) {
              emit.branch(isFew, [&] { makeFewScores(panel); }, [&] { makeScores(panel); });
              finishScores(panel);
            });
  emit.loop(zero, rows, 1, [&](Value row) { makeWeights(row); });
  mixValues();
}

//===-- Scores --------------------------------------------------------------------------------===//

void AttentionKernel::makeScores(Value panel) {
  ContractionPanel job;
  job.a = packedQueries.packed;
  job.tileStride = packedTileElements(emit, s.scores, packedQueries);
  job.rowStride = packedRowStride(emit, s.scores, packedQueries);
  job.depthStride = emit.constant(packedDepthStride(s.scores, s.scores.aColumnsContiguous));
  job.b = packedPanel(emit, s.scores, packedKeys, panel);
  job.bDepthStride = emit.constant(s.scores.tileColumns());
  job.depth = packedKeys.depth;
  job.rows = rows;
  job.sums = part(s.scratch.sums);
  job.first = emit.equal(zero, zero);
  // Half of the panels bring keys, the others queries.
  Value panels = emit.ceilDiv(keysHere, emit.constant(s.scores.tileColumns()));
  Value ofKeys = emit.ceilDiv(panels, emit.constant(2)), ofQueries = emit.sub(panels, ofKeys);
  auto partOf = [&](const RunsAhead &memory, Value inBlock, Value ofBlock) {
    Value number = emit.add(emit.mul(rowBlock, ofBlock), inBlock);
    return partAhead(emit, s.scores, job, memory, type, number, emit.mul(rowBlocks, ofBlock));
  };
  bringNear(job, [&] {
    return chooseAhead(
        emit, emit.less(panel, ofKeys), [&] { return partOf(nextKeys, panel, ofKeys); },
        [&] { return partOf(nextQueries, emit.sub(panel, ofKeys), ofQueries); });
  });
  emitContractionPanel(emit, s.scores, type, job);
}

// Row by row; what is written behind a row is the next one's, which comes later.
void AttentionKernel::makeFewScores(Value panel) {
  const int64_t width = s.scores.tileColumns();
  Value first = emit.mul(panel, width), stride = packedKeys.colStride;
  emit.loop(zero, rows, 1, [&](Value row) {
    DotSums job;
    job.matrixType = packedKeys.sourceType;
    job.vectorType = type;
    job.matrix = emit.address(packedKeys.source, job.matrixType, emit.mul(first, stride));
    job.stride = stride;
    job.vector = emit.address(packedQueries.packed, type,
                              emit.mul(row, packedRowStride(emit, s.scores, packedQueries)));
    job.depth = packedKeys.depth;
    job.rows = emit.min(emit.constant(width), emit.sub(keysHere, first));
    job.sums = part(s.scratch.sums, emit.mul(row, width));
    emitDotSums(emit, *s.dots, type, job);
  });
}

// None if the keys are known to fill all panels.
SmallVector<Value> AttentionKernel::columnMasks(Value panel) {
  SmallVector<Value> masks;
  for (int64_t v = 0; v < s.scores.tileVectors && !s.wholePanels; ++v) {
    Value first = emit.add(emit.mul(panel, s.scores.tileColumns()), v * s.lanes);
    masks.push_back(emit.firstLanes(s.lanes, emit.sub(keysHere, first)));
  }
  return masks;
}

void AttentionKernel::finishScores(Value panel) {
  SmallVector<Value> masks = columnMasks(panel);
  emit.loop(zero, rows, 1, [&](Value row) { makeLogits(row, panel, masks); });
}

SmallVector<LaneIndex> AttentionKernel::indexOf(ElementEmitter &emitter, ArrayRef<Value> leading,
                                                Value key) {
  SmallVector<LaneIndex> index;
  for (Value position : leading)
    index.push_back(emitter.scalarIndex(position));
  index.push_back(emitter.laneIndex(key));
  return index;
}

// What softmax is of, from sums of a row: into the block, and into the row's maxima.
void AttentionKernel::makeLogits(Value row, Value panel, ArrayRef<Value> masks) {
  SmallVector<Value> leading = places.ofRow(emit.add(m0, emit.add(r0, row)));
  ReductionOpInterface max = attention.max;
  Value column = emit.mul(panel, s.scores.tileColumns());
  Value maxima = rowOf(s.scratch.maxima, row);
  Value largest = emit.load(vectorType, maxima);
  for (int64_t v = 0; v < s.scores.tileVectors; ++v) {
    ElementEmitter emitter(k, loc, k.target, s.lanes);
    Value from = part(s.scratch.sums, emit.add(emit.mul(row, s.scores.tileColumns()), v * s.lanes));
    emitter.bindRegister(ir::DotGeneralOp(attention.scores).getY(), emit.load(vectorType, from));
    Value mask = masks.empty() ? Value() : masks[v];
    emitter.setMask(mask);
    Value at = emit.add(column, v * s.lanes);
    Value logits =
        emitter.splat(emitter.emit(attention.logits, indexOf(emitter, leading, emit.add(n0, at))));
    emitter.watch(attention.logits, logits);
    if (mask)
      logits = b.create<arith::SelectOp>(loc, mask, logits,
                                         emit.splat(max.buildIdentity(emitter), s.lanes));
    Value to = part(s.scratch.weights, emit.add(emit.mul(row, s.weightStride()), at));
    emit.store(logits, to);
    largest = max.buildCombine(emitter, largest, logits);
  }
  emit.store(largest, maxima);
}

//===-- Weights -------------------------------------------------------------------------------===//

// exp(logit - the largest so far) for a row of the block, and its sum.
void AttentionKernel::makeWeights(Value row) {
  using Lanes = ReductionState::Lanes;
  ElementEmitter emitter(k, loc, k.target, s.lanes);
  ReductionState state(k, emitter, /*keepsErrors=*/false);
  ReductionOpInterface max = attention.max, sum = attention.sum;
  Type wide = ir::getElementType(attention.logits);
  Value ofUnit = emit.add(r0, row);
  Value peakPlace = part(s.scratch.peaks, ofUnit), totalPlace = rowOf(s.scratch.totals, ofUnit);
  Value before = emit.load(type, peakPlace);
  Value maxima = emit.load(vectorType, rowOf(s.scratch.maxima, row));
  Value peak = max.buildCombine(emitter, before, state.settle(max, maxima, Lanes::Together)[0]);
  emit.store(peak, peakPlace);
  // -inf less -inf would be NaN although larger ones may come.
  Value lowest = max.buildIdentity(emitter);
  Value isLowest = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, peak, lowest);
  Value shift = b.create<arith::SelectOp>(loc, isLowest, emit.zero(type), peak);
  auto exponential = [&](Value x) {
    emitter.setElementType(wide);
    return emitter.expOfNotPositive(emitter.sub(x, shift));
  };
  Values sums(s.scores.tileVectors, emit.zero(vectorType));
  Value weights = part(s.scratch.weights, emit.mul(row, s.weightStride()));
  sums = emit.loop(zero, keysHere, s.scores.tileColumns(), sums, [&](Value at, ValueRange carried) {
    Values next;
    for (auto [v, total] : llvm::enumerate(carried)) {
      Value place = emit.address(weights, type, emit.add(at, v * s.lanes));
      Value weight = exponential(emit.load(vectorType, place));
      emit.store(weight, place);
      next.push_back(sum.buildCombine(emitter, total, weight));
    }
    return next;
  });
  Value total = sums.front();
  for (Value other : ArrayRef<Value>(sums).drop_front())
    total = sum.buildCombine(emitter, total, other);
  if (s.isOneBlock)
    return emit.store(total, totalPlace);
  total = emit.choose(
                  isFirstBlock(), {vectorType}, [&] { return Values{total}; },
                  [&] {
                    Value factor = exponential(before);
                    Value is = b.create<arith::CmpFOp>(
                        loc, arith::CmpFPredicate::UNE, factor,
                        b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, 1.0)));
                    emit.branch(is, [&] { scaleDown(row, factor); });
                    Value old = emit.load(vectorType, totalPlace);
                    return Values{emit.multiplyAdd(old, emit.splat(factor, s.lanes), total)};
                  })
              .front();
  emit.store(total, totalPlace);
}

Value AttentionKernel::mixedRow(Value ofBlock, Value panel, Value row) {
  const int64_t width = s.mix.tileColumns();
  Value before = emit.add(emit.mul(ofBlock, s.mixElements()),
                          emit.mul(panel, (s.rows + s.mix.spareRows()) * width));
  return part(s.scratch.mixed, emit.add(before, emit.mul(row, width)));
}

void AttentionKernel::scaleDown(Value row, Value factor) {
  Value factors = emit.splat(factor, s.lanes);
  emit.loop(zero, emit.constant(s.mixPanels()), 1, [&](Value panel) {
    Value sums = mixedRow(rowBlock, panel, row);
    for (int64_t v = 0; v < s.mix.tileVectors; ++v) {
      Value place = emit.address(sums, type, v * s.lanes);
      emit.store(b.create<arith::MulFOp>(loc, emit.load(vectorType, place), factors), place);
    }
  });
}

//===-- Values --------------------------------------------------------------------------------===//

void AttentionKernel::mixValues() {
  emit.loop(zero, emit.constant(s.mixPanels()), 1, [&](Value panel) {
    ContractionPanel job;
    job.a = part(s.scratch.weights);
    job.tileStride = emit.constant(s.mix.tileRows * s.weightStride());
    job.rowStride = emit.constant(s.weightStride());
    job.depthStride = one;
    job.b = packedPanel(emit, s.mix, packedValues, panel);
    job.bDepthStride = emit.constant(s.mix.tileColumns());
    if (s.mayReadValues) {
      Value inPlace = emit.address(packedValues.source, type, emit.mul(panel, s.mix.tileColumns()));
      job.b = emit.select(readsValues, inPlace, job.b);
      job.bDepthStride = emit.select(readsValues, packedValues.rowStride, job.bDepthStride);
    }
    job.depth = keysHere;
    job.rows = rows;
    job.sums = mixedRow(rowBlock, panel, zero);
    job.first = isFirstBlock();
    bringNear(job, [&] {
      Value number = emit.add(emit.mul(rowBlock, s.mixPanels()), panel);
      return partAhead(emit, s.mix, job, nextValues, type, number,
                       emit.mul(rowBlocks, s.mixPanels()));
    });
    emitContractionPanel(emit, s.mix, type, job);
  });
}

// What others read of a row. The sum of a row of nothing but -inf is NaN: -inf less -inf is.
void AttentionKernel::storeOfRow(Value row, Value total) {
  ElementEmitter emitter(k, loc, k.target, /*lanes=*/1);
  ReductionOpInterface max = attention.max;
  Value peak = emit.load(type, part(s.scratch.peaks, row));
  Value isLowest =
      b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, peak, max.buildIdentity(emitter));
  Value hasKeys = emit.less(zero, keys);
  Value nan = b.create<arith::ConstantOp>(
      loc, b.getFloatAttr(type, std::numeric_limits<double>::quiet_NaN()));
  total = b.create<arith::SelectOp>(loc, emit.logicalAnd(isLowest, hasKeys), nan, total);
  Value place = emit.add(emit.mul(batch, m), emit.add(m0, row));
  OperandRange results = k.body().getTerminator()->getOperands();
  for (auto [result, output] : llvm::zip(results, k.outputs)) {
    if (!llvm::is_contained(rowResults, result))
      continue;
    Value number = result == ir::ReduceMaxOp(attention.max).getY() ? peak : total;
    emitter.watch(result, number);
    auto flat = RankedTensorType::get({1}, ir::getElementType(result));
    emitter.store(number, output, flat, {emitter.scalarIndex(place)});
  }
}

// Divides by the sums of weights, and goes on from there.
void AttentionKernel::finishUnit() {
  emit.loop(zero, rowsHere, 1, [&](Value row) {
    ElementEmitter emitter(k, loc, k.target, s.lanes);
    ReductionState state(k, emitter, /*keepsErrors=*/false);
    ReductionOpInterface sum = attention.sum;
    Value totals = emit.load(vectorType, rowOf(s.scratch.totals, row));
    Value total = state.settle(sum, totals, ReductionState::Lanes::Together)[0];
    if (!rowResults.empty())
      storeOfRow(row, total);
    // Nothing is weighed: 0.
    if (s.mayHaveNoKeys)
      total = b.create<arith::SelectOp>(loc, emit.equal(keys, zero),
                                        b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, 1.0)),
                                        total);
    emit.store(total, part(s.scratch.peaks, row));
  });
  const int64_t width = s.mix.tileColumns();
  emit.loop(zero, emit.ceilDiv(rowsHere, emit.constant(s.rows)), 1, [&](Value ofBlock) {
    Value first = emit.mul(ofBlock, s.rows);
    Value count = emit.min(emit.constant(s.rows), emit.sub(rowsHere, first));
    emit.loop(zero, emit.constant(s.mixPanels()), 1, [&](Value panel) {
      SmallVector<Value> masks;
      for (int64_t v = 0; v < s.mix.tileVectors && s.width % width != 0; ++v) {
        Value column = emit.add(emit.mul(panel, width), v * s.lanes);
        masks.push_back(emit.firstLanes(s.lanes, emit.sub(emit.constant(s.width), column)));
      }
      emit.loop(zero, count, 1, [&](Value row) {
        Value ofUnit = emit.add(first, row);
        Value total = emit.splat(emit.load(type, part(s.scratch.peaks, ofUnit)), s.lanes);
        for (int64_t v = 0; v < s.mix.tileVectors; ++v) {
          Value place = emit.address(mixedRow(ofBlock, panel, row), type, v * s.lanes);
          Value mean = b.create<arith::DivFOp>(loc, emit.load(vectorType, place), total);
          epilogue.emit(b, loc, emit.toIndex(batch), emit.toIndex(emit.add(m0, ofUnit)),
                        emit.toIndex(emit.add(emit.mul(panel, width), v * s.lanes)), mean,
                        masks.empty() ? Value() : masks[v]);
        }
      });
    });
  });
}

} // namespace

void keratin::codegen::emitAttention(CpuKernelBuilder &k, const AttentionNest &nest,
                                     const AttentionSchedule &schedule) {
  AttentionKernel(k, nest, schedule).run();
}
