// Products of attention by tensor cores: each warp, or four together, multiply their own rows.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONPRODUCT_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONPRODUCT_H

#include "codegen/gpu/contractions/ContractionMatrices.h"
#include "codegen/gpu/contractions/ContractionTensorFloats.h"
#include "codegen/gpu/contractions/ContractionWarpgroups.h"

#include <type_traits>

namespace keratin::codegen {

// This thread's factors of all lines of its warp: of 16 lines and a depth of a matrix one after the
// other, the depths of the first lines first.
using AttentionFactors = llvm::SmallVector<LoopEmitter::Values>;

// Sums of products with so many lines as factors of float16 or bfloat16: the words of each 16 rows
// and two matrices of 8 columns.
AttentionFactors factorsOfHalves(LoopEmitter &emit, mlir::Type type, mlir::ValueRange sums);

// A product whose tile is of all columns for each warp, and of the whole depth. Its first factors
// are in registers, or shared memory has them for as long as there are products.
template <typename Engine> class AttentionProduct final : public Engine {
public:
  using typename Engine::Operand;
  using typename Engine::Value;
  using typename Engine::Values;
  // f16 and bf16: of 8 columns of sums a thread has just what it has of 8 depths of factors, as
  // words of two. In tf32 factors are depths 4 apart: so columns stand in another order where sums
  // become factors, and of columns 2t and 2t + 1 are the lines t and t + 4.
  static constexpr bool isOfHalves = std::is_same_v<Engine, HalvesEngine>;
  static constexpr int64_t matrixRows = 16, matrixColumns = 8;
  static constexpr int64_t matrixDepth = isOfHalves ? 16 : 8;
  static constexpr int64_t nextColumn = isOfHalves ? 1 : 4;

  // `becomeFactors`: its sums do.
  AttentionProduct(LoopEmitter &emit, const ContractionTile &tile, Value shared, Value thread,
                   mlir::Type type, bool becomeFactors)
      : Engine(emit, tile, emit.builder.getF32Type(), shared, thread),
        becomeFactors(becomeFactors) {
    this->elementType = type;
  }

  using Engine::await;
  using Engine::copy;
  using Engine::operandOf;
  void commit() { this->call("llvm.nvvm.cp.async.commit.group", mlir::Type(), {}); }

  // Which line of B a sum is of: of 8 columns that of the first, of the threads of a row this one;
  // and how many further it is in a column.
  static Value firstColumn(LoopEmitter &emit, Value thread) {
    return isOfHalves ? emit.mul(thread, 2) : thread;
  }
  static int64_t inColumn(int64_t column) {
    return column / matrixColumns * matrixColumns + column % 2 * nextColumn;
  }

  AttentionFactors readAll(const Operand &a, Value stage) {
    AttentionFactors all;
    for (int64_t line = 0; line < this->tile.rowsOfWarp(); line += matrixRows)
      for (int64_t depth = 0; depth < this->tile.depth; depth += matrixDepth)
        all.push_back(this->factors(a, stage, line, depth));
    return all;
  }

  Values add(mlir::ValueRange sums, const AttentionFactors &a, const Operand &b, Value stage) {
    const int64_t depths = this->tile.depth / matrixDepth;
    auto ofA = [&](int64_t line, int64_t depth) {
      return a[size_t(line / matrixRows * depths + depth / matrixDepth)];
    };
    return this->addProducts(sums, ofA, b, stage);
  }
  // Of factors that are read where they lie, and nothing else.
  Values products(const Operand &a, Value placeOfA, const Operand &b, Value stage) {
    Values none(size_t(this->tile.threadRows * this->tile.threadColumns),
                this->emit.zero(this->sumType));
    auto ofA = [&](int64_t line, int64_t depth) { return this->factors(a, placeOfA, line, depth); };
    return this->addProducts(none, ofA, b, stage);
  }

  // What sums are as factors.
  AttentionFactors factorsOf(mlir::ValueRange sums) {
    if constexpr (isOfHalves) {
      return factorsOfHalves(this->emit, this->elementType, sums);
    } else {
      // Of the first depth both rows.
      AttentionFactors all;
      for (size_t first = 0; first < sums.size(); first += 4) {
        Values words;
        for (size_t i : {0, 2, 1, 3})
          words.push_back(this->rounded(sums[first + i]));
        all.push_back(words);
      }
      return all;
    }
  }

private:
  int64_t baseOf(bool) const override { return 0; }

  Value lineOf(const Operand &operand, Value number) override {
    if (isOfHalves || !becomeFactors || operand.isA)
      return number;
    LoopEmitter &emit = this->emit;
    return emit.add(emit.div(number, emit.constant(2)),
                    emit.mul(emit.rem(number, emit.constant(2)), nextColumn));
  }

  const bool becomeFactors;
};

// The same by wgmma: four warps multiply 64 rows, and factors stay in shared memory, but that the
// first may be in registers as mma.sync has them.
class AttentionWarpgroupProduct final : public WarpgroupsEngine {
public:
  using Halves = AttentionProduct<HalvesEngine>;
  static constexpr int64_t matrixColumns = Halves::matrixColumns;

  AttentionWarpgroupProduct(LoopEmitter &emit, const ContractionTile &tile, Value shared,
                            Value thread, mlir::Type type, bool becomeFactors);

  using StagesEngine::copy;
  using StagesEngine::Operand;
  using StagesEngine::operandOf;
  void commit() { call("llvm.nvvm.cp.async.commit.group", mlir::Type(), {}); }
  // Tensor cores read by another way than others write.
  void await(int64_t left);

  static Value firstColumn(LoopEmitter &emit, Value thread) {
    return Halves::firstColumn(emit, thread);
  }
  static int64_t inColumn(int64_t column) { return Halves::inColumn(column); }

  Values products(const Operand &a, Value placeOfA, const Operand &b, Value stage);
  Values add(mlir::ValueRange sums, const AttentionFactors &a, const Operand &b, Value stage) {
    return addProducts(sums, a, /*isATurned=*/false, b, stage);
  }
  AttentionFactors factorsOf(mlir::ValueRange sums) { return factorsOfHalves(emit, type, sums); }

private:
  int64_t baseOf(bool) const override { return 0; }

  mlir::Type type;
};

// A matrix whose lines are those from one on that moves.
class MovingLines final : public StridedSource {
public:
  explicit MovingLines(StridedSource source) : StridedSource(std::move(source)) {}

  Values line(LoopEmitter &emit, Value number) override;
  Element element(LoopEmitter &emit, mlir::ValueRange line, mlir::ValueRange depth) override;

  Value first;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONPRODUCT_H
