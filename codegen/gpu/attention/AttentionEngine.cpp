#include "codegen/gpu/attention/AttentionEngine.h"

#include "codegen/gpu/attention/AttentionProduct.h"

using namespace keratin::codegen;
using namespace mlir;

AttentionEngine::~AttentionEngine() = default;

namespace {

using Values = LoopEmitter::Values;
using Factors = AttentionFactors;

// mma.sync: each warp multiplies its own rows.
template <typename Engine> class WarpsOfAttention final : public AttentionEngine {
public:
  WarpsOfAttention(LoopEmitter &emit, const AttentionTilesPlan &plan, Value shared, Value thread,
                   const Sources &sources)
      : emit(emit), plan(plan), ofScores(emit, plan.scores, shared, thread,
                                         sources.keys.elementType, /*becomeFactors=*/true),
        ofMix(emit, plan.mix, shared, thread, sources.keys.elementType, /*becomeFactors=*/false),
        queries(ofScores.operandOf(sources.queries, /*isA=*/true)),
        keys(ofScores.operandOf(sources.keys, /*isA=*/false)),
        values(ofMix.operandOf(sources.values, /*isA=*/false)) {}

  void copyQueries() override { ofScores.copy(queries, emit.constant(0), emit.constant(0)); }
  void copyKeys(Value first, Value stage) override {
    ofScores.copy(keys, emit.constant(0), stage);
    ofMix.copy(values, first, valuesIn(stage));
  }
  void commit() override { ofMix.commit(); }
  void await(int64_t left) override { ofMix.await(left); }
  void readQueries() override { factors = ofScores.readAll(queries, emit.constant(0)); }

  Values scores(Value stage) override {
    Values none(size_t(plan.scores.threadRows * plan.scores.threadColumns),
                emit.zero(emit.builder.getF32Type()));
    return ofScores.add(none, factors, keys, stage);
  }
  Value firstKey(Value thread) override {
    return AttentionProduct<Engine>::firstColumn(emit, thread);
  }
  int64_t nextKey() override { return AttentionProduct<Engine>::nextColumn; }
  Values mix(ValueRange sums, ValueRange weights, Value stage) override {
    return ofMix.add(sums, ofMix.factorsOf(weights), values, valuesIn(stage));
  }
  ContractionEngine &ofSums() override { return ofMix; }

private:
  Value valuesIn(Value stage) { return emit.add(stage, plan.keyBytes()); }

  LoopEmitter &emit;
  const AttentionTilesPlan &plan;
  AttentionProduct<Engine> ofScores, ofMix;
  typename AttentionProduct<Engine>::Operand queries, keys, values;
  Factors factors;
};

// wgmma: four warps multiply 64 rows. Queries stay in shared memory, too; weights are in registers
// as mma.sync has them.
class WarpgroupsOfAttention final : public AttentionEngine {
public:
  WarpgroupsOfAttention(LoopEmitter &emit, const AttentionTilesPlan &plan, Value shared,
                        Value thread, const Sources &sources)
      : emit(emit), plan(plan), ofScores(emit, plan.scores, shared, thread,
                                         sources.keys.elementType, /*becomeFactors=*/true),
        ofMix(emit, plan.mix, shared, thread, sources.keys.elementType, /*becomeFactors=*/false),
        queries(ofScores.operandOf(sources.queries, /*isA=*/true)),
        keys(ofScores.operandOf(sources.keys, /*isA=*/false)),
        values(ofMix.operandOf(sources.values, /*isA=*/false)) {}

  void copyQueries() override { ofScores.copy(queries, emit.constant(0), emit.constant(0)); }
  void copyKeys(Value first, Value stage) override {
    ofScores.copy(keys, emit.constant(0), stage);
    ofMix.copy(values, first, valuesIn(stage));
  }
  void commit() override { ofMix.commit(); }
  void await(int64_t left) override { ofMix.await(left); }
  void readQueries() override {}

  Values scores(Value stage) override {
    return ofScores.products(queries, emit.constant(0), keys, stage);
  }
  Value firstKey(Value thread) override {
    return AttentionWarpgroupProduct::firstColumn(emit, thread);
  }
  int64_t nextKey() override { return 1; }
  Values mix(ValueRange sums, ValueRange weights, Value stage) override {
    return ofMix.add(sums, ofMix.factorsOf(weights), values, valuesIn(stage));
  }
  ContractionEngine &ofSums() override { return ofMix; }

private:
  Value valuesIn(Value stage) { return emit.add(stage, plan.keyBytes()); }

  LoopEmitter &emit;
  const AttentionTilesPlan &plan;
  AttentionWarpgroupProduct ofScores, ofMix;
  AttentionWarpgroupProduct::Operand queries, keys, values;
};

} // namespace

std::unique_ptr<AttentionEngine> AttentionEngine::make(LoopEmitter &emit,
                                                       const AttentionTilesPlan &plan, Value shared,
                                                       Value thread, const Sources &sources) {
  if (plan.mix.units == ContractionTile::Units::TensorFloats)
    return std::make_unique<WarpsOfAttention<TensorFloatEngine>>(emit, plan, shared, thread,
                                                                 sources);
  if (plan.mix.units == ContractionTile::Units::Warpgroups)
    return std::make_unique<WarpgroupsOfAttention>(emit, plan, shared, thread, sources);
  return std::make_unique<WarpsOfAttention<HalvesEngine>>(emit, plan, shared, thread, sources);
}
