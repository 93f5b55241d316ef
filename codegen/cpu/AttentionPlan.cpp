#include "codegen/cpu/AttentionPlan.h"

#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/PanelsAhead.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;

using Access = ContractionPlan::Access;

// Both packed, in an order that is good for the micro-kernel whatever the strides.
static ContractionPlan planPacked(ContractionSpec spec, const MachineTarget &target, int64_t rows,
                                  int64_t columns) {
  const bool mayHaveFewRows = !spec.m.constant;
  const int64_t lanes = target.lanes(spec.accumulatorType.getIntOrFloatBitWidth());
  // Rows come in blocks.
  if (spec.m.constant && *spec.m.constant > rows)
    spec.m.constant.reset();
  spec.n.constant = roundUp(std::min(spec.n.constant.value_or(columns), columns), lanes);
  ContractionPlan plan =
      planContraction(spec, target, {.mayHaveFewRows = mayHaveFewRows, .isOnlyTiles = true});
  if (plan.a == Access::Direct)
    plan.a = Access::Copied;
  if (plan.b == Access::Direct)
    plan.b = Access::Copied;
  return plan;
}

// One vector more than the keys, so that rows do not share their sets of the cache.
int64_t AttentionSchedule::weightStride() const { return keys + lanes; }
int64_t AttentionSchedule::mixPanels() const { return ceilDiv(width, mix.tileColumns()); }
int64_t AttentionSchedule::mixElements() const {
  return mixPanels() * (rows + mix.spareRows()) * mix.tileColumns();
}

static AttentionSchedule::Scratch layOut(const AttentionSchedule &s, int64_t elementBytes) {
  AttentionSchedule::Scratch scratch;
  int64_t end = 0;
  // Every part begins on a cache line.
  auto part = [&](int64_t elements) {
    int64_t begin = end;
    end += roundUp(elements, 64);
    return begin;
  };
  scratch.queries = part(s.rows / s.scores.tileRows * packedTileElements(s.scores, s.depth));
  scratch.keys = part(s.keys * s.depth);
  scratch.values = part(s.mixPanels() * s.mix.tileColumns() * s.keys);
  scratch.sums = part((s.rows + s.scores.spareRows()) * s.scores.tileColumns());
  scratch.weights = part(s.rows * s.weightStride());
  scratch.maxima = part(s.rows * s.lanes);
  scratch.peaks = part(s.unitRows);
  scratch.totals = part(s.unitRows * s.lanes);
  scratch.mixed = part(s.unitRows / s.rows * s.mixElements());
  scratch.bytes = roundUp(end * elementBytes, 64);
  return scratch;
}

AttentionSchedule keratin::codegen::scheduleAttention(const AttentionNest &nest,
                                                      const MachineTarget &target) {
  AttentionSchedule s;
  const ContractionSpec scores = nest.scores.describe(), mix = nest.mix.describe();
  const int64_t bytes = ceilDiv(mix.accumulatorType.getIntOrFloatBitWidth(), 8);
  s.lanes = target.lanes(bytes * 8);
  s.depth = *scores.k.constant;
  s.width = *mix.n.constant;
  // Blocks of keys and of values, and what comes of them, are to stay in a second-level cache.
  constexpr int64_t blockBytes = 64 * 1024, leastKeys = 64;
  const int64_t widest = std::max(s.depth, s.width);
  s.keys = std::clamp(roundUp(blockBytes / (widest * bytes), leastKeys), leastKeys, s.keys);
  s.scores = planPacked(scores, target, s.rows, s.keys);
  s.keys = roundUp(std::min(scores.n.constant.value_or(s.keys), s.keys), s.scores.tileColumns());
  s.keys = std::max(s.keys, s.scores.tileColumns());
  s.mix = planPacked(mix, target, s.rows, roundUp(s.width, s.lanes));
  s.rows = std::max(s.rows / s.scores.tileRows, int64_t(1)) * s.scores.tileRows;
  s.unitRows = 5 * s.rows;
  s.fewUnitRows = s.rows;
  s.bringsNext = target.memory.isFar && hasRuns(scores.a, mix.accumulatorType) &&
                 hasRuns(scores.b, mix.accumulatorType) && hasRuns(mix.b, mix.accumulatorType);
  s.isOneBlock = scores.n.constant && *scores.n.constant <= s.keys;
  if (!mix.m.constant && scores.b.constantRowStride == 1 && !s.scores.aColumnsContiguous)
    s.dots.emplace().lanes = s.lanes;
  s.mayReadValues = mix.b.elementType == mix.accumulatorType && mix.b.constantColStride == 1 &&
                    s.width % s.mix.tileColumns() == 0;
  s.wholePanels = scores.n.isMultipleOf(s.scores.tileColumns());
  s.mayHaveNoKeys = !scores.n.constant || *scores.n.constant == 0;
  s.scratch = layOut(s, bytes);
  return s;
}

AttentionPlan::AttentionPlan(ir::KernelOp kernel, AttentionNest attention,
                             const MachineTarget &target)
    : ProductPlan(kernel, attention.operations()), nest(std::move(attention)), target(target),
      schedule(scheduleAttention(nest, target)) {
  scratchBytes = schedule.scratch.bytes;
}

void AttentionPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: ";
  auto printTile = [&](const ContractionPlan &plan) {
    out << "tiles of " << plan.tileRows << " rows x " << plan.tileVectors << " vectors x "
        << plan.lanes << " lanes";
  };
  printTile(schedule.scores);
  out << " for scores, ";
  printTile(schedule.mix);
  out << " for values; " << schedule.rows << " rows x " << schedule.keys
      << " keys at once; units of up to " << schedule.unitRows << " rows"
      << (schedule.bringsNext ? "; tiles ask for what is packed next\n" : "\n");
}

Value AttentionPlan::emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  LoopEmitter emit(b, loc, target);
  AttentionUnits units(emit, nest.mix.describe(b, loc, sizeOf), schedule);
  return emit.toIndex(emit.mul(units.batch, units.count));
}

SizeCases AttentionPlan::unitSizes() const {
  SizeArithmetic arithmetic;
  AttentionUnits units(arithmetic, nest.mix.describe(), schedule);
  return arithmetic.mul(units.batch, units.count);
}

void AttentionPlan::emitUnitsOf(CpuKernelBuilder &k) const { emitAttention(k, nest, schedule); }
