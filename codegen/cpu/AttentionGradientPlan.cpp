#include "codegen/cpu/AttentionGradientPlan.h"

#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/PanelsAhead.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;

using Access = ContractionPlan::Access;
using Schedule = AttentionGradientSchedule;

int64_t Schedule::Sum::panels() const { return ceilDiv(width, plan.tileColumns()); }
int64_t Schedule::panelElements(const Sum &sum) const {
  return ((sum.isOverKeys ? rows : keys) + sum.plan.tileRows + sum.plan.spareRows()) *
         sum.plan.tileColumns();
}
bool Schedule::sumsOverKeys() const {
  return llvm::any_of(sums, [](const Sum &sum) { return sum.isOverKeys; });
}
bool Schedule::sumsOverQueries() const {
  return llvm::any_of(sums, [](const Sum &sum) { return !sum.isOverKeys; });
}

// Tiles of so many columns, of operands that are packed whatever their strides.
static ContractionPlan planTiles(ContractionSpec spec, const MachineTarget &target,
                                 int64_t columns) {
  // Rows come in blocks.
  spec.m.constant.reset();
  spec.n.constant = roundUp(columns, target.lanes(spec.accumulatorType.getIntOrFloatBitWidth()));
  ContractionPlan plan = planContraction(spec, target, {.isOnlyTiles = true});
  if (plan.a == Access::Direct)
    plan.a = Access::Copied;
  if (plan.b == Access::Direct)
    plan.b = Access::Copied;
  return plan;
}

Schedule keratin::codegen::scheduleAttentionGradient(const AttentionGradientNest &nest,
                                                     const MachineTarget &target) {
  Schedule s;
  const ContractionSpec first = nest.made.front().describe();
  const int64_t bytes = ceilDiv(first.accumulatorType.getIntOrFloatBitWidth(), 8);
  s.lanes = target.lanes(bytes * 8);
  int64_t widest = 1;
  for (const ContractionNest &made : nest.made)
    widest = std::max(widest, *made.describe().k.constant);
  for (const ContractionNest &sum : nest.sums)
    widest = std::max(widest, *sum.describe().n.constant);
  // What is packed of a block of keys, and the sums that belong to it, stay in a second-level
  // cache.
  constexpr int64_t blockBytes = 64 * 1024, leastKeys = 64;
  s.keys = std::clamp(roundUp(blockBytes / (widest * bytes), leastKeys), leastKeys, s.keys);
  for (const ContractionNest &made : nest.made) {
    Schedule::Made part;
    part.depth = *made.describe().k.constant;
    part.plan = planTiles(made.describe(), target, 2 * s.lanes);
    s.made.push_back(part);
  }
  const int64_t columns = s.panelColumns();
  s.keys = roundUp(std::min(first.n.constant.value_or(s.keys), s.keys), columns);
  s.keys = std::max(s.keys, columns);
  s.rows = std::max(s.rows / s.tileRows(), int64_t(1)) * s.tileRows();
  for (auto [product, sum] : llvm::zip(nest.sums, nest.gradient.sums)) {
    Schedule::Sum part;
    part.width = *product.describe().n.constant;
    part.isOverKeys = sum.isOverKeys;
    part.plan = planTiles(product.describe(), target, part.width);
    part.depth = sum.isOverKeys ? s.keys : s.rows;
    s.sums.push_back(part);
  }
  s.bringsNext = target.memory.isFar;
  for (const ContractionNest &product : nest.made) {
    const ContractionSpec spec = product.describe();
    s.bringsNext &= hasRuns(spec.a, spec.accumulatorType) && hasRuns(spec.b, spec.accumulatorType);
  }
  s.wholePanels = first.n.isMultipleOf(columns);

  int64_t end = 0;
  // Every part begins on a cache line.
  auto place = [&](int64_t elements) {
    int64_t begin = end;
    end += roundUp(elements, 64);
    return begin;
  };
  for (Schedule::Made &made : s.made) {
    const int64_t tiles = ceilDiv(s.rows, made.plan.tileRows);
    made.rows = place(tiles * packedTileElements(made.plan, made.depth));
    made.keys = place(s.keys * made.depth);
    made.sums = place((s.rows + made.plan.tileRows + made.plan.spareRows()) * columns);
  }
  for (Schedule::Sum &sum : s.sums) {
    sum.factor = place(sum.panels() * sum.plan.tileColumns() * sum.depth);
    sum.sums = place(sum.panels() * s.panelElements(sum));
  }
  for (size_t i = 0; i < nest.gradient.tiles.size(); ++i)
    s.tiles.push_back(place(s.rows * s.tileStride()));
  s.scratchBytes = roundUp(end * bytes, 64);
  return s;
}

AttentionGradientPlan::AttentionGradientPlan(ir::KernelOp kernel, AttentionGradientNest gradient,
                                             const MachineTarget &target)
    : ProductPlan(kernel, gradient.operations()), nest(std::move(gradient)), target(target),
      schedule(scheduleAttentionGradient(nest, target)) {
  scratchBytes = schedule.scratchBytes;
}

void AttentionGradientPlan::printSchedule(llvm::raw_ostream &out) const {
  const ContractionPlan &plan = schedule.made.front().plan;
  out << "schedule: tiles of " << plan.tileRows << " rows x " << plan.tileVectors << " vectors x "
      << plan.lanes << " lanes; " << schedule.rows << " queries x " << schedule.keys
      << " keys at once";
  if (schedule.sumsOverKeys() && schedule.sumsOverQueries())
    out << "; fewer than " << schedule.fewEntries << " entries in parts";
  if (schedule.bringsNext)
    out << "; tiles ask for what is packed next";
  out << "\n";
}

Value AttentionGradientPlan::emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  LoopEmitter emit(b, loc, target);
  AttentionGradientUnits units(emit, nest.made.front().describe(b, loc, sizeOf), schedule);
  return emit.toIndex(units.count);
}

SizeCases AttentionGradientPlan::unitSizes() const {
  SizeArithmetic arithmetic;
  return AttentionGradientUnits(arithmetic, nest.made.front().describe(), schedule).count;
}

void AttentionGradientPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  emitAttentionGradient(k, nest, schedule);
}
