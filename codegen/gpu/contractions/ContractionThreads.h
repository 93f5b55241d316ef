// Products by the arithmetic of threads: any numbers, from shared memory.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTHREADS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTHREADS_H

#include "codegen/gpu/contractions/ContractionEngine.h"

namespace keratin::codegen {

// Two stages of shared memory: while the products of one are summed, the
// elements for the other are on their way to registers, where they are widened.
// There is one barrier a stage. Both operands lie in it as [depth][line],
// whatever way they lie in memory.
class ThreadsEngine : public ContractionEngine {
public:
  ThreadsEngine(LoopEmitter &emit, const ContractionTile &tile, mlir::Type sumType, Value shared,
                Value thread);

  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) override;

protected:
  // Numbers of a thread for one depth, or as many as are multiplied at once.
  struct Factors {
    Values a, b;
  };
  // How many depths factors are for.
  virtual int64_t depthStep() const { return 1; }
  virtual Factors factors(Value aStage, Value bStage, int64_t depth);
  virtual Values addProducts(mlir::ValueRange sums, const Factors &factors);
  void writeSlice(mlir::ValueRange sums, int64_t slice) override;

  int64_t bBytes() const { return tile.pitch(tile.rows()) * tile.depth * tile.sumBytes; }
  // Of this thread: its first row and column in the tile.
  Value row, column;

private:
  // What a thread reads of an operand for a stage: groups of neighbours, or
  // single elements.
  struct Copy {
    ContractionSource *source;
    int64_t lines;
    int64_t group; // elements
    struct Piece {
      Values line;
      Value depth, place; // in the tile; bytes of the stage before it
    };
    llvm::SmallVector<Piece> pieces;

    mlir::Type type() const;
  };
  Copy planCopy(ContractionSource &source, int64_t lines, int64_t group, int64_t base);
  Values read(Copy &copy, Value depth);
  void write(Copy &copy, mlir::ValueRange values, Value stage);
  Values multiply(llvm::MutableArrayRef<Copy> copies, Value begin, Value end, bool unrolls);
  Values addStage(mlir::ValueRange sums, Value stage, bool unrolls);
};

// f64 by m8n8k4 of the tensor cores, from the same stages: the four numbers
// that the pitch adds to a row keep its reads free of conflicts, too.
class DoublesEngine : public ThreadsEngine {
public:
  DoublesEngine(LoopEmitter &emit, const ContractionTile &tile, mlir::Type sumType, Value shared,
                Value thread);

protected:
  int64_t depthStep() const override { return 4; }
  Factors factors(Value aStage, Value bStage, int64_t depth) override;
  Values addProducts(mlir::ValueRange sums, const Factors &factors) override;
  void writeSlice(mlir::ValueRange sums, int64_t slice) override;
};

// By m16n8k8, which sm_90 has. A factor of DoublesEngine's 4 depths is followed
// by those of the 4 behind them.
class LargeDoublesEngine final : public DoublesEngine {
public:
  using DoublesEngine::DoublesEngine;

protected:
  int64_t depthStep() const override { return 8; }
  Factors factors(Value aStage, Value bStage, int64_t depth) override;
  Values addProducts(mlir::ValueRange sums, const Factors &factors) override;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTHREADS_H
