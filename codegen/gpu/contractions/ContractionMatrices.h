// Products of f16 and bf16 by tensor cores, with sums of f32.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONMATRICES_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONMATRICES_H

#include "codegen/gpu/contractions/ContractionEngine.h"

namespace keratin::codegen {

// m16n8k16, whose factors come by ldmatrix from three stages of shared memory:
// while the products of one are summed, 16 bytes at a time are copied past
// registers into those behind it. An operand lies there as it does in memory,
// neighbours next to each other: in rows of a line, or of a depth, of chunks of
// 16 bytes. The chunks of a row change places with its number, so that neither
// copies nor ldmatrix, which reads a chunk of eight rows, meet in a bank.
class HalvesEngine final : public ContractionEngine {
public:
  HalvesEngine(LoopEmitter &emit, const ContractionTile &tile, mlir::Type sumType, Value shared,
               Value thread)
      : ContractionEngine(emit, tile, sumType, shared, thread) {}

  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) override;

private:
  // An operand, and what this thread has to do with it.
  struct Operand {
    ContractionSource *source;
    int64_t lines;
    int64_t base; // bytes of a stage before it
    bool isAlongLines;
    struct Piece { // a chunk that it copies
      Values line;
      Value depth, place; // in the tile; bytes of the stage before it
    };
    llvm::SmallVector<Piece> pieces;
    // Its address for ldmatrix: bytes before its row, and the number of its
    // chunk there, for the first line and depth of its warp. Multiples of 8 are
    // added to the number without carry.
    Value row, chunk;
  };
  Operand operandOf(ContractionSource &source, bool isA);
  int64_t rowElements(const Operand &operand) const;
  // By which the chunks of a row change places.
  Value turnOf(const Operand &operand, Value row);
  Value placeOf(const Operand &operand, Value row, Value element);
  void copy(Operand &operand, Value depth, Value stage);
  void copyChunks(Operand &operand, Value depth, Value stage);
  void copyElements(Operand &operand, Value depth, Value stage);

  // Four matrices of 8 x 8, of 16 lines and 16 depths.
  Values matrices(const Operand &operand, Value stage, int64_t line, int64_t depth);
  Values multiplyMatrices(mlir::ArrayRef<Value> a, mlir::ArrayRef<Value> b, mlir::ValueRange sums);
  Values addStage(mlir::ValueRange sums, const Operand &a, const Operand &b, Value stage);
  void writeSlice(mlir::ValueRange sums, int64_t slice) override;

  bool isBrain = false; // the elements are bf16

  Value call(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands);
  // What an intrinsic that returns four has returned.
  Values fourOf(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONMATRICES_H
