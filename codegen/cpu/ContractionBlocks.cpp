#include "codegen/cpu/ContractionBlocks.h"

#include "codegen/cpu/ContractionDots.h"
#include "codegen/cpu/ContractionFew.h"
#include "codegen/cpu/ContractionNarrow.h"
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
    one = emit.constant(1);
    blocks.superDepth = depthOf(deep);
    blocks.superBlocks = emit.max(emit.ceilDiv(blocks.k, blocks.superDepth), one);
    divide(blocks.m, pick(shallow.rows, middle.rows, deep.rows), plan.tileRows, blocks.rows,
           blocks.rowBlocks);
    divide(blocks.n, mostColumns(blocks.m), plan.tileColumns(), blocks.columns,
           blocks.columnBlocks);
    return blocks;
  }

private:
  Number depthOf(const Regime &regime) {
    return emit.constant(regime.depthBlocks * plan.blockDepth());
  }

  Number pick(int64_t ofShallow, int64_t ofMiddle, int64_t ofDeep) {
    Number x = emit.constant(ofShallow), y = emit.constant(ofMiddle), z = emit.constant(ofDeep);
    return emit.select(isShallow, x, emit.select(isMiddle, y, z));
  }

  // Blocks of equal size, whole tiles each: as many as blocks of the largest size would be.
  void divide(Number size, Number most, int64_t tile, Number &block, Number &count) {
    count = emit.ceilDiv(size, most);
    Number equal = emit.ceilDiv(size, emit.max(count, one));
    block = emit.max(emit.roundUp(equal, tile), emit.constant(tile));
  }

  // With few rows, the columns are what threads can share.
  Number mostColumns(Number m) {
    const auto &[shallow, middle, deep] = plan.regimes;
    auto fewer = [&](int64_t columns) {
      return roundUp(std::min(columns, plan.sharedColumns), plan.tileColumns());
    };
    Number isFew = emit.less(m, emit.constant(2 * shallow.rows));
    Number few = pick(fewer(shallow.columns), fewer(middle.columns), fewer(deep.columns));
    return emit.select(isFew, few, pick(shallow.columns, middle.columns, deep.columns));
  }

  Arithmetic &emit;
  const ContractionSpec &spec;
  const ContractionPlan &plan;
  Number isShallow, isMiddle, one;
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
  if (plan.few)
    return fewUnits(spec, *plan.few);
  return Cutter(arithmetic, spec, plan).cut().units(arithmetic);
}
