#include "codegen/gpu/attention/AttentionEngine.h"

#include "codegen/gpu/contractions/ContractionMatrices.h"
#include "codegen/gpu/contractions/ContractionTensorFloats.h"
#include "codegen/gpu/contractions/ContractionWarpgroups.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <type_traits>

using namespace keratin::codegen;
using namespace mlir;

AttentionEngine::~AttentionEngine() = default;

namespace {

using Values = LoopEmitter::Values;
// This thread's factors of all lines of its warp: of 16 lines and a depth of a matrix one after the
// other, the depths of the first lines first.
using Factors = SmallVector<Values>;

constexpr int64_t matrixRows = 16, matrixColumns = 8;

// A product whose first factors are in registers. Its tile is of all columns for each warp, and of
// the whole depth.
template <typename Engine> class Product final : public Engine {
public:
  using typename Engine::Operand;
  // f16 and bf16: of 8 columns of sums a thread has just what it has of 8 depths of factors, as
  // words of two. In tf32 factors are depths 4 apart: so keys stand in another order, and of
  // columns 2t and 2t + 1 are the keys t and t + 4.
  static constexpr bool isOfHalves = std::is_same_v<Engine, HalvesEngine>;
  static constexpr int64_t matrixDepth = isOfHalves ? 16 : 8;
  static constexpr int64_t nextKey = isOfHalves ? 1 : 4;

  // `areKeys`: B is.
  Product(LoopEmitter &emit, const ContractionTile &tile, Value shared, Value thread, Type type,
          bool areKeys)
      : Engine(emit, tile, emit.builder.getF32Type(), shared, thread), areKeys(areKeys) {
    this->elementType = type;
  }

  using Engine::await;
  using Engine::copy;
  using Engine::operandOf;
  void commit() { this->call("llvm.nvvm.cp.async.commit.group", Type(), {}); }

  Factors readAll(const Operand &a, Value stage) {
    Factors all;
    for (int64_t line = 0; line < this->tile.rowsOfWarp(); line += matrixRows)
      for (int64_t depth = 0; depth < this->tile.depth; depth += matrixDepth)
        all.push_back(this->factors(a, stage, line, depth));
    return all;
  }

  Values add(ValueRange sums, const Factors &a, const Operand &b, Value stage) {
    const int64_t depths = this->tile.depth / matrixDepth;
    auto ofA = [&](int64_t line, int64_t depth) {
      return a[size_t(line / matrixRows * depths + depth / matrixDepth)];
    };
    return this->addProducts(sums, ofA, b, stage);
  }

  // What sums of products with keys are as factors.
  Factors factorsOf(ValueRange sums) {
    constexpr size_t ofMatrix = size_t(matrixDepth / matrixColumns * 4);
    Factors all;
    for (size_t i = 0; i < sums.size(); i += ofMatrix)
      all.push_back(factorsOfMatrix(sums.slice(i, ofMatrix)));
    return all;
  }

private:
  int64_t baseOf(bool) const override { return 0; }

  Value lineOf(const Operand &operand, Value number) override {
    if (isOfHalves || !areKeys || operand.isA)
      return number;
    LoopEmitter &emit = this->emit;
    return emit.add(emit.div(number, emit.constant(2)),
                    emit.mul(emit.rem(number, emit.constant(2)), nextKey));
  }

  Values factorsOfMatrix(ValueRange sums) {
    Values words;
    if constexpr (isOfHalves) {
      OpBuilder &b = this->emit.builder;
      const char *name =
          this->elementType.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
      for (size_t i = 0; i < sums.size(); i += 2) {
        Value pair =
            this->call(name, VectorType::get(2, this->elementType), {sums[i + 1], sums[i]});
        words.push_back(b.create<LLVM::BitcastOp>(this->emit.loc, b.getI32Type(), pair));
      }
    } else {
      // Of the first depth both rows.
      for (size_t i : {0, 2, 1, 3})
        words.push_back(this->rounded(sums[i]));
    }
    return words;
  }

  const bool areKeys;
};

// mma.sync: each warp multiplies its own rows.
template <typename Engine> class WarpsOfAttention final : public AttentionEngine {
public:
  WarpsOfAttention(LoopEmitter &emit, const AttentionTilesPlan &plan, Value shared, Value thread,
                   const Sources &sources)
      : emit(emit), plan(plan),
        ofScores(emit, plan.scores, shared, thread, sources.keys.elementType, /*areKeys=*/true),
        ofMix(emit, plan.mix, shared, thread, sources.keys.elementType, /*areKeys=*/false),
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
    return Product<Engine>::isOfHalves ? emit.mul(thread, 2) : thread;
  }
  int64_t nextKey() override { return Product<Engine>::nextKey; }
  Values mix(ValueRange sums, ValueRange weights, Value stage) override {
    return ofMix.add(sums, ofMix.factorsOf(weights), values, valuesIn(stage));
  }
  ContractionEngine &ofSums() override { return ofMix; }

private:
  Value valuesIn(Value stage) { return emit.add(stage, plan.keyBytes()); }

  LoopEmitter &emit;
  const AttentionTilesPlan &plan;
  Product<Engine> ofScores, ofMix;
  typename Product<Engine>::Operand queries, keys, values;
  Factors factors;
};

// Factors stay in shared memory, or those of A are in registers.
class WarpgroupProduct final : public WarpgroupsEngine {
public:
  WarpgroupProduct(LoopEmitter &emit, const ContractionTile &tile, Value shared, Value thread)
      : WarpgroupsEngine(emit, tile, emit.builder.getF32Type(), shared, thread) {}

  using StagesEngine::await;
  using StagesEngine::copy;
  using StagesEngine::Operand;
  using StagesEngine::operandOf;
  using WarpgroupsEngine::addProducts;
  using WarpgroupsEngine::fenceMemory;

  // Where the lines of A of this thread's warpgroup are.
  Value placeOfWarpgroup(const Operand &a, Value thread) {
    constexpr int64_t threads = 128, lines = 64;
    return emit.mul(emit.div(thread, emit.constant(threads)), bytesOfLines(a, lines));
  }
  // Of all depths.
  Factors descriptorsOf(const Operand &a, Value place) {
    Factors all;
    for (int64_t depth = 0; depth < tile.depth; depth += Product<HalvesEngine>::matrixDepth)
      all.push_back({descriptor(a, place, 0, depth)});
    return all;
  }

private:
  int64_t baseOf(bool) const override { return 0; }
};

// wgmma: four warps multiply 64 rows. Queries stay in shared memory, too; weights are in registers
// as mma.sync has them.
class WarpgroupsOfAttention final : public AttentionEngine {
public:
  WarpgroupsOfAttention(LoopEmitter &emit, const AttentionTilesPlan &plan, Value shared,
                        Value thread, const Sources &sources)
      : emit(emit), plan(plan), ofScores(emit, plan.scores, shared, thread),
        ofMix(emit, plan.mix, shared, thread),
        asFactors(emit, halvesOf(plan.mix), shared, thread, sources.keys.elementType,
                  /*areKeys=*/false),
        queries(ofScores.operandOf(sources.queries, /*isA=*/true)),
        keys(ofScores.operandOf(sources.keys, /*isA=*/false)),
        values(ofMix.operandOf(sources.values, /*isA=*/false)),
        ownQueries(ofScores.placeOfWarpgroup(queries, thread)) {}

  void copyQueries() override { ofScores.copy(queries, emit.constant(0), emit.constant(0)); }
  void copyKeys(Value first, Value stage) override {
    ofScores.copy(keys, emit.constant(0), stage);
    ofMix.copy(values, first, valuesIn(stage));
  }
  void commit() override { asFactors.commit(); }
  // Tensor cores read by another way than others write.
  void await(int64_t left) override {
    ofMix.await(left);
    ofMix.fenceMemory();
  }
  void readQueries() override {}

  Values scores(Value stage) override {
    return ofScores.addProducts({}, ofScores.descriptorsOf(queries, ownQueries),
                                queries.isAlongLines, keys, stage);
  }
  Value firstKey(Value thread) override { return emit.mul(thread, 2); }
  int64_t nextKey() override { return 1; }
  Values mix(ValueRange sums, ValueRange weights, Value stage) override {
    return ofMix.addProducts(sums, asFactors.factorsOf(weights), /*isATurned=*/false, values,
                             valuesIn(stage));
  }
  ContractionEngine &ofSums() override { return ofMix; }

private:
  static ContractionTile halvesOf(ContractionTile tile) {
    tile.units = ContractionTile::Units::Halves;
    return tile;
  }
  Value valuesIn(Value stage) { return emit.add(stage, plan.keyBytes()); }

  LoopEmitter &emit;
  const AttentionTilesPlan &plan;
  WarpgroupProduct ofScores, ofMix;
  Product<HalvesEngine> asFactors;
  WarpgroupProduct::Operand queries, keys, values;
  Value ownQueries;
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
