#include "codegen/cpu/ContractionBlocks.h"

#include "codegen/cpu/ContractionDots.h"
#include "codegen/cpu/ContractionFew.h"
#include "codegen/cpu/ContractionNarrow.h"
#include "codegen/cpu/ContractionStrips.h"
#include "codegen/lowering/Rounding.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

template <typename Arithmetic> class Cutter {
public:
  using Number = typename Arithmetic::Number;
  using Regime = ContractionPlan::Regime;

  Cutter(Arithmetic &emit, const ContractionSpec &spec, const ContractionPlan &plan)
      : emit(emit), spec(spec), plan(plan) {}

  ContractionBlocksOf<Number> cut() {
    ContractionBlocksOf<Number> blocks;
    blocks.batch = numberOf(emit, spec.batch);
    blocks.m = numberOf(emit, spec.m);
    blocks.n = numberOf(emit, spec.n);
    blocks.k = numberOf(emit, spec.k);
    const auto &[shallow, middle, deep] = plan.regimes;
    isShallow = emit.less(blocks.k, emit.add(depthOf(shallow), 1));
    isMiddle = emit.less(blocks.k, emit.add(depthOf(middle), 1));
    isDeep = emit.less(blocks.k, emit.add(depthOf(deep), 1));
    one = emit.constant(1);
    blocks.superDepth = emit.select(isDeep, depthOf(deep), depthOf(plan.continued));
    blocks.packedSteps =
        emit.ceilDiv(emit.min(blocks.superDepth, blocks.k), emit.constant(plan.depthStep));
    blocks.packedSteps = emit.roundUp(blocks.packedSteps, plan.stepsAtOnce());
    blocks.superBlocks = emit.max(emit.ceilDiv(blocks.k, blocks.superDepth), one);
    divide(blocks.m, pick([](const Regime &regime) { return regime.rows; }), plan.tileRows,
           blocks.rows, blocks.rowBlocks);
    divide(blocks.n, mostColumns(blocks.m), plan.tileColumns(), blocks.columns,
           blocks.columnBlocks);
    return blocks;
  }

private:
  Number depthOf(const Regime &regime) { return emit.constant(plan.depthOf(regime)); }

  Number pick(llvm::function_ref<int64_t(const Regime &)> of) {
    const auto &[shallow, middle, deep] = plan.regimes;
    auto constant = [&](const Regime &regime) { return emit.constant(of(regime)); };
    Number deeper = emit.select(isDeep, constant(deep), constant(plan.continued));
    return emit.select(isShallow, constant(shallow),
                       emit.select(isMiddle, constant(middle), deeper));
  }

  // Blocks of equal size, whole tiles each: as many as blocks of the largest size would be.
  void divide(Number size, Number most, int64_t tile, Number &block, Number &count) {
    count = emit.ceilDiv(size, most);
    Number equal = emit.ceilDiv(size, emit.max(count, one));
    block = emit.max(emit.roundUp(equal, tile), emit.constant(tile));
  }

  // With few rows, the columns are what threads can share.
  Number mostColumns(Number m) {
    Number isFew = emit.less(m, emit.constant(2 * plan.regimes.front().rows));
    Number few = pick([&](const Regime &regime) {
      return roundUp(std::min(regime.columns, plan.sharedColumns), plan.tileColumns());
    });
    return emit.select(isFew, few, pick([](const Regime &regime) { return regime.columns; }));
  }

  Arithmetic &emit;
  const ContractionSpec &spec;
  const ContractionPlan &plan;
  Number isShallow, isMiddle, isDeep, one;
};

} // namespace

ContractionBlocks keratin::codegen::emitContractionBlocks(LoopEmitter &emit,
                                                          const ContractionSpec &spec,
                                                          const ContractionPlan &plan) {
  return Cutter(emit, spec, plan).cut();
}

SizeCases keratin::codegen::contractionUnits(const ContractionSpec &spec,
                                             const ContractionPlan &plan) {
  SizeArithmetic arithmetic;
  if (plan.dots)
    return dotUnits(spec, *plan.dots);
  if (plan.narrow)
    return narrowUnits(spec, *plan.narrow);
  if (plan.strips)
    return stripUnits(spec, *plan.strips);
  if (plan.few)
    return fewUnits(spec, *plan.few);
  return Cutter(arithmetic, spec, plan).cut().units(arithmetic);
}
