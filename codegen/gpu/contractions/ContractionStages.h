// Products by tensor cores whose factors lie in shared memory as they do in the device's.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSTAGES_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSTAGES_H

#include "codegen/gpu/contractions/ContractionEngine.h"

namespace keratin::codegen {

// Three stages of shared memory: while the products of one are summed, 16 bytes at a time are
// copied past registers into those behind it. An operand lies there as it does in memory,
// neighbours next to each other: in rows of a line, or of a depth, of chunks of 16 bytes. The
// chunks of a row change places with its number, so that neither copies nor the reads of a warp
// meet in a bank. Matrices are multiplied whose depth is two chunks, of 16 rows and 8 columns, with
// sums of f32.
class StagesEngine : public ContractionEngine {
public:
  using ContractionEngine::ContractionEngine;

  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) final;

protected:
  // An operand, and what this thread has to do with it.
  struct Operand {
    ContractionSource *source;
    bool isA;
    int64_t lines;
    int64_t base; // bytes of a stage before it
    bool isAlongLines;
    struct Piece { // a chunk that it copies
      Values line;
      Value depth, place; // in the tile; bytes of the stage before it
    };
    llvm::SmallVector<Piece> pieces;
    // Where it reads, for the first line and depth of its warp: bytes before its row and in its
    // chunk, and the number of the chunk there. Lines and depths that are multiples of what a warp
    // reads at once are added to the number without carry.
    Value row, chunk;
  };

  // By which the chunks of a row change places; steps of a warp's reads leave it as it is.
  virtual Value turnOf(const Operand &operand, Value row);
  // Operand::row and chunk, for ldmatrix if nothing else is said.
  virtual void planReads(Operand &operand);
  // This thread's factors of 16 lines, of two chunks of depths: those of the first 8 lines and the
  // first chunk; then of A the next lines come first, of B the next chunk.
  virtual Values factors(const Operand &operand, Value stage, int64_t line, int64_t depth);
  virtual Values multiplyMatrices(mlir::ArrayRef<Value> a, mlir::ArrayRef<Value> b,
                                  mlir::ValueRange sums) = 0;

  int64_t chunkElements() const { return tile.sourceGroup(); }
  int64_t rowElements(const Operand &operand) const;
  // The first line of its warp.
  Value warpLine(const Operand &operand);
  Value addressOf(const Operand &operand, Value stage, int64_t line, int64_t depth);
  Value exclusiveOr(Value x, Value y);
  // What an intrinsic that returns four has returned.
  Values fourOf(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands);

  mlir::Type elementType;

private:
  Operand operandOf(ContractionSource &source, bool isA);
  Value placeOf(const Operand &operand, Value row, Value element);
  void copy(Operand &operand, Value depth, Value stage);
  void copyChunks(Operand &operand, Value depth, Value stage);
  void copyElements(Operand &operand, Value depth, Value stage);
  Values addStage(mlir::ValueRange sums, const Operand &a, const Operand &b, Value stage);
  void writeSlice(mlir::ValueRange sums, int64_t slice) final;
  Value call(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSTAGES_H
