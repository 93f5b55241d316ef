// Blocks of attention, after an AttentionTilesPlan.
#include "codegen/elements/AttentionPlaces.h"
#include "codegen/gpu/attention/AttentionEngine.h"
#include "codegen/gpu/attention/AttentionProduct.h"
#include "codegen/gpu/attention/AttentionTilesPlan.h"
#include "codegen/gpu/attention/AttentionWeights.h"
#include "codegen/gpu/contractions/ContractionCode.h"
#include "codegen/gpu/threads/Shuffle.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

namespace {

class AttentionTilesKernel {
public:
  using Values = LoopEmitter::Values;

  AttentionTilesKernel(DeviceKernelBuilder &k, const AttentionTilesPlan &plan)
      : k(k), plan(plan), attention(plan.nest.attention), ofScores(k, plan.nest.scores),
        ofMix(k, plan.nest.mix, plan.nest.rowResults), emit(ofMix.emit), b(k.b), loc(k.loc),
        type(b.getF32Type()),
        places(k, emit, ir::getShape(plan.nest.attention.logits), plan.nest.mix.shape.m),
        rows(ofMix.m), keys(ofMix.depth), zero(emit.constant(0)) {
    if (!k.watchesNumbers)
      scale = scaleOf(attention.logits, ir::DotGeneralOp(attention.scores).getY());
  }

  void emitUnit(Value unit);

private:
  // What a thread carries from a block of keys to the next, of each of its rows the largest logit
  // times log2(e), and the sum of its own weights.
  struct State {
    Values mixed, peaks, totals;
    Value stage;

    Values all() const;
    static State of(ValueRange values, size_t rows);
  };

  int64_t rowsOfThread() const { return plan.mix.threadRows; }
  // Sums of a product with so many columns come in matrices of 16 rows and 8 columns.
  template <typename Function> void forEachSum(int64_t columns, Function function);

  int64_t keyOf(int64_t column) { return column / 8 * 8 + column % 2 * engine->nextKey(); }
  void start(Value first, Value stage);
  State step(Value first, State state);
  void makeLogits(MutableArrayRef<Value> scores, Value first);
  void leaveOut(MutableArrayRef<Value> logits, Value first);
  void makeWeights(MutableArrayRef<Value> logits, State &state);
  Values totalsOfRows(const State &state);
  Values means(const State &state, ValueRange totals);
  void storeRows(ValueRange peaks, ValueRange totals);

  Value number(double value) {
    return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(float(value)));
  }
  Value lowest() { return number(-std::numeric_limits<double>::infinity()); }
  Value multiply(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }
  Value plus(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
  Value larger(Value x, Value y) { return b.create<arith::MaximumFOp>(loc, x, y); }
  Value powerOfTwo(Value x) { return keratin::codegen::powerOfTwo(b, loc, x); }

  DeviceKernelBuilder &k;
  const AttentionTilesPlan &plan;
  const ir::Attention &attention;
  ContractionCode ofScores, ofMix;
  LoopEmitter &emit;
  OpBuilder &b;
  Location loc;
  Type type;
  AttentionPlaces places;
  Value rows, keys, zero;
  // Logits are scores times this, if nothing else.
  std::optional<double> scale;
  // Of the unit, and of this thread: its first row and its first key of a block of keys.
  Value batch, firstRow, ownRow, ownKey;
  std::unique_ptr<AttentionEngine> engine;
  MovingLines *keysSource = nullptr;
};

} // namespace

AttentionTilesKernel::Values AttentionTilesKernel::State::all() const {
  Values values = mixed;
  llvm::append_range(values, peaks);
  llvm::append_range(values, totals);
  values.push_back(stage);
  return values;
}

AttentionTilesKernel::State AttentionTilesKernel::State::of(ValueRange values, size_t rows) {
  const size_t sums = values.size() - 2 * rows - 1;
  return {Values(values.take_front(sums)), Values(values.slice(sums, rows)),
          Values(values.slice(sums + rows, rows)), values.back()};
}

template <typename Function>
void AttentionTilesKernel::forEachSum(int64_t columns, Function function) {
  size_t sum = 0;
  for (int64_t i = 0; i < rowsOfThread() / 2; ++i)
    for (int64_t j = 0; j < columns / 8; ++j)
      for (int64_t half : {0, 1})
        for (int64_t neighbour : {0, 1})
          function(sum++, size_t(2 * i + half), 8 * j + neighbour);
}

//===-- Copies --------------------------------------------------------------------------------===//

// A group of copies, of none behind the last key.
void AttentionTilesKernel::start(Value first, Value stage) {
  emit.branch(emit.less(first, keys), [&] {
    keysSource->first = first;
    engine->copyKeys(first, stage);
  });
  engine->commit();
}

//===-- Scores and weights --------------------------------------------------------------------===//

void AttentionTilesKernel::makeLogits(MutableArrayRef<Value> scores, Value first) {
  if (scale)
    return;
  // What has no row or no key computes what the last has.
  const bool hasAllRows = ofMix.spec.m.isMultipleOf(plan.mix.rows());
  const bool hasAllKeys = ofMix.spec.k.isMultipleOf(plan.mix.depth);
  SmallVector<SmallVector<Value>> leading;
  Values exists;
  for (int64_t i = 0; i < rowsOfThread(); ++i) {
    Value row = emit.add(ownRow, i * 8);
    exists.push_back(emit.less(row, rows));
    leading.push_back(
        places.ofRow(hasAllRows ? row : emit.min(row, emit.sub(rows, emit.constant(1)))));
  }
  forEachSum(plan.scores.columns(), [&](size_t i, size_t row, int64_t column) {
    Value key = emit.add(emit.add(first, ownKey), keyOf(column));
    Value isThere = emit.logicalAnd(exists[row], emit.less(key, keys));
    if (!hasAllKeys)
      key = emit.min(key, emit.sub(keys, emit.constant(1)));
    ElementEmitter emitter(k, loc, k.target, 1);
    emitter.bindRegister(ir::DotGeneralOp(attention.scores).getY(), scores[i]);
    SmallVector<LaneIndex> index;
    for (Value position : leading[row])
      index.push_back(emitter.scalarIndex(position));
    index.push_back(emitter.scalarIndex(key));
    scores[i] = emitter.emit(attention.logits, index);
    if (k.watchesNumbers)
      emit.branch(isThere, [&] { emitter.watch(attention.logits, scores[i]); });
  });
}

// Behind the last key weights are 0.
void AttentionTilesKernel::leaveOut(MutableArrayRef<Value> logits, Value first) {
  if (ofMix.spec.k.isMultipleOf(plan.mix.depth))
    return;
  Value left = emit.sub(emit.sub(keys, first), ownKey);
  SmallVector<Type> types(logits.size(), type);
  Values results = emit.choose(
      emit.less(emit.constant(plan.mix.depth), emit.add(emit.sub(keys, first), 1)), types,
      [&] { return Values(logits); },
      [&] {
        Values kept(logits);
        forEachSum(plan.scores.columns(), [&](size_t i, size_t, int64_t column) {
          kept[i] = emit.select(emit.less(emit.constant(keyOf(column)), left), kept[i], lowest());
        });
        return kept;
      });
  llvm::copy(results, logits.begin());
}

// exp(logit - the largest so far), and what was before scaled down if there is a larger one.
void AttentionTilesKernel::makeWeights(MutableArrayRef<Value> logits, State &state) {
  Value factor = number(scale.value_or(1) * log2e);
  const int64_t columns = plan.scores.columns();
  Warp warp(b, loc);
  Values peaks(state.peaks.size(), nullptr), shifts, factors;
  forEachSum(columns, [&](size_t i, size_t row, int64_t) {
    peaks[row] = peaks[row] ? larger(peaks[row], logits[i]) : logits[i];
  });
  Value grows;
  for (auto [row, peak] : llvm::enumerate(peaks)) {
    // Four threads share a row.
    for (unsigned bit : {1u, 2u})
      peak = larger(peak, warp.fromAcross(peak, bit));
    peak = larger(multiply(peak, factor), state.peaks[row]);
    // -inf less -inf would be NaN although larger ones may come.
    Value isLowest = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, peak, lowest());
    shifts.push_back(b.create<arith::NegFOp>(loc, emit.select(isLowest, number(0), peak)));
    factors.push_back(powerOfTwo(plus(state.peaks[row], shifts.back())));
    Value is = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, factors.back(), number(1));
    grows = grows ? b.create<arith::OrIOp>(loc, grows, is) : is;
    state.peaks[row] = peak;
  }
  Values totals(peaks.size(), nullptr);
  forEachSum(columns, [&](size_t i, size_t row, int64_t) {
    logits[i] = powerOfTwo(emit.multiplyAdd(logits[i], factor, shifts[row]));
    totals[row] = totals[row] ? plus(totals[row], logits[i]) : logits[i];
  });
  for (auto [total, before, factor] : llvm::zip(totals, state.totals, factors))
    before = emit.multiplyAdd(before, factor, total);
  SmallVector<Type> types(state.mixed.size(), type);
  state.mixed = emit.choose(
      warp.any(grows), types,
      [&] {
        Values scaled = state.mixed;
        forEachSum(plan.mix.columns(), [&](size_t i, size_t row, int64_t) {
          scaled[i] = multiply(scaled[i], factors[row]);
        });
        return scaled;
      },
      [&] { return state.mixed; });
}

//===-- Units ---------------------------------------------------------------------------------===//

AttentionTilesKernel::State AttentionTilesKernel::step(Value first, State state) {
  // The copies have come, of all threads, and all are done with the stage before.
  engine->await(0);
  ThreadBlock(b, loc).barrier();
  Value other = emit.sub(emit.constant(2 * plan.queryBytes() + plan.stageBytes()), state.stage);
  start(emit.add(first, plan.mix.depth), other);
  Values scores = engine->scores(state.stage);
  makeLogits(scores, first);
  leaveOut(scores, first);
  makeWeights(scores, state);
  state.mixed = engine->mix(state.mixed, scores, state.stage);
  state.stage = other;
  return state;
}

// Of all four threads of each row.
AttentionTilesKernel::Values AttentionTilesKernel::totalsOfRows(const State &state) {
  Warp warp(b, loc);
  Values totals = state.totals;
  for (Value &total : totals)
    for (unsigned bit : {1u, 2u})
      total = plus(total, warp.fromAcross(total, bit));
  return totals;
}

// Of no keys 0.
AttentionTilesKernel::Values AttentionTilesKernel::means(const State &state, ValueRange totals) {
  Values inverse;
  for (Value total : totals) {
    if (!ofMix.spec.k.constant || *ofMix.spec.k.constant == 0)
      total = emit.select(emit.equal(keys, zero), number(1), total);
    inverse.push_back(b.create<arith::DivFOp>(loc, number(1), total));
  }
  Values result = state.mixed;
  forEachSum(plan.mix.columns(),
             [&](size_t i, size_t row, int64_t) { result[i] = multiply(result[i], inverse[row]); });
  return result;
}

// What others read of rows. The largest logit is rounded as it is stored, and the sum is that of
// exponentials of logits less that number: who has both makes the weights again. Of nothing but
// -inf the sum is NaN, as -inf less -inf is.
void AttentionTilesKernel::storeRows(ValueRange peaks, ValueRange totals) {
  if (plan.nest.rowResults.empty())
    return;
  Value largest = ir::ReduceMaxOp(attention.max).getY();
  Value isFirst = emit.equal(ownKey, zero);
  OperandRange results = k.body().getTerminator()->getOperands();
  for (auto [i, peak, sum] : llvm::enumerate(peaks, totals)) {
    Value row = emit.add(ownRow, int64_t(i) * 8), total = sum, top = peak;
    emit.branch(emit.logicalAnd(isFirst, emit.less(row, rows)), [&] {
      ElementEmitter emitter(k, loc, k.target, /*lanes=*/1);
      emitter.setElementType(type);
      Value logit = emitter.cast(multiply(top, number(1 / log2e)), ir::getElementType(largest));
      Value rest = emit.multiplyAdd(logit, number(-log2e), top);
      total = multiply(total, powerOfTwo(rest));
      total = emit.select(emit.equal(keys, zero), number(0), total);
      Value place = emit.add(emit.mul(batch, rows), row);
      for (auto [result, output] : llvm::zip(results, k.outputs)) {
        if (!llvm::is_contained(plan.nest.rowResults, result))
          continue;
        Value registers = result == largest ? logit : total;
        emitter.watch(result, registers);
        auto flat = RankedTensorType::get({1}, ir::getElementType(result));
        emitter.store(registers, output, flat, {emitter.scalarIndex(place)});
      }
    });
  }
}

void AttentionTilesKernel::emitUnit(Value unit) {
  Value rowTile = emit.popCounter(unit, k.sizeOf(plan.rowTiles()));
  batch = unit;
  firstRow = emit.mul(rowTile, plan.mix.rows());
  places.enter(batch);
  ThreadBlock threads(b, loc);
  Value shared = threads.memory(plan.mix.sharedAlignment()), thread = threads.threadAnew();
  const int64_t group = plan.mix.sourceGroup();
  StridedSource queries =
      ofScores.a({batch, firstRow, plan.scores.rows(), plan.scores.depth}, group);
  MovingLines keysOfBlock(
      ofScores.b({batch, Value(), plan.scores.columns(), plan.scores.depth}, group));
  StridedSource values = ofMix.b({batch, Value(), plan.mix.columns(), plan.mix.depth}, group);
  keysSource = &keysOfBlock;
  engine = AttentionEngine::make(emit, plan, shared, thread, {queries, keysOfBlock, values});
  Value lane = emit.rem(thread, emit.constant(warpThreads));
  Value warp = emit.div(thread, emit.constant(warpThreads));
  ownKey = engine->firstKey(emit.popBits(lane, emit.constant(4)));
  ownRow = emit.add(firstRow, emit.add(emit.mul(warp, plan.mix.rowsOfWarp()), lane));

  engine->copyQueries();
  engine->commit();
  State state;
  state.stage = emit.constant(plan.queryBytes());
  start(zero, state.stage);
  engine->await(1);
  threads.barrier();
  engine->readQueries();
  state.mixed.assign(size_t(plan.mix.threadRows * plan.mix.threadColumns), number(0));
  state.peaks.assign(size_t(rowsOfThread()), lowest());
  state.totals.assign(size_t(rowsOfThread()), number(0));
  Values last =
      emit.loop(zero, keys, plan.mix.depth, state.all(), [&](Value first, ValueRange carried) {
        return step(first, State::of(carried, size_t(rowsOfThread()))).all();
      });
  engine->await(0);
  threads.barrier();
  State whole = State::of(last, size_t(rowsOfThread()));
  Values totals = totalsOfRows(whole);
  storeRows(whole.peaks, totals);
  Values result = means(whole, totals);
  ContractionEngine::Result place;
  if (!ofMix.spec.m.isMultipleOf(plan.mix.rows()))
    place.rows = emit.sub(rows, firstRow);
  if (ofMix.spec.n.constant.value_or(1) % plan.mix.columns() != 0)
    place.columns = emit.sub(ofMix.n, zero);
  place.isGrouped = ofMix.mayGroupColumns(plan.mix.group());
  engine->ofSums().finish(result, place, [&](Value row, Value column, Value sums) {
    ofMix.store(batch, emit.add(firstRow, row), column, sums);
  });
}

void AttentionTilesPlan::emit(DeviceKernelBuilder &k) const {
  randomBits.use(k);
  AttentionTilesKernel kernel(k, *this);
  LoopEmitter emit(k.b, k.loc, k.target);
  emit.loop(k.begin, k.end, 1, [&](Value unit) { kernel.emitUnit(unit); });
}
