// Products by tensor cores whose factors lie in shared memory as they do in the device's.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSTAGES_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSTAGES_H

#include "codegen/gpu/contractions/ContractionEngine.h"

namespace keratin::codegen {

// Three stages of shared memory: while the products of one are summed, 16 bytes at a time are
// copied past registers into those behind it. An operand lies there as it does in memory,
// neighbours next to each other: in rows of a line, or of a depth, of chunks of 16 bytes. The
// chunks of a row change places with its number, so that neither copies nor what reads chunks of
// several rows meet in a bank.
class StagesEngine : public ContractionEngine {
protected:
  using ContractionEngine::ContractionEngine;

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
    // Where it reads, if it does, for the first line and depth of its warp: bytes before its row
    // and in its chunk, and the number of the chunk there. Lines and depths that are multiples of
    // what a warp reads at once are added to the number without carry.
    Value row, chunk;
  };
  Operand operandOf(ContractionSource &source, bool isA);
  // Of a stage that holds both: B lies behind A.
  virtual int64_t baseOf(bool isA) const;
  // Of its tile from this depth on.
  void copy(Operand &operand, Value depth, Value stage);

  // By which the chunks of a row change places; steps of a warp's reads leave it as it is.
  virtual Value turnOf(const Operand &operand, Value row);
  // Operand::row and chunk.
  virtual void planReads(Operand &operand) {}
  // Rows of more elements go on in the next panel: as many rows again.
  virtual int64_t mostOfRow() const { return INT64_MAX; }

  int64_t chunkElements() const { return tile.sourceGroup(); }
  int64_t rowElements(const Operand &operand) const;
  int64_t panelBytes(const Operand &operand) const;
  Value exclusiveOr(Value x, Value y);

  // Copies of the tiles from this depth on, unless that is the end; in a group.
  void start(Operand &a, Operand &b, Value depth, Value end, Value stage);
  // Until all groups of this thread but so many have come.
  void await(int64_t left);
  // So many stages behind this one.
  Value behind(Value stage, int64_t stages);

  // Sums are those of matrices of 8 columns: two neighbours of a row, then two of the row 8 below.
  void writeSlice(mlir::ValueRange sums, int64_t slice) final;
  Value call(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands);

private:
  // Of all panels together.
  int64_t widthOf(const Operand &operand) const;
  Value placeOf(const Operand &operand, Value row, Value element);
  void copyAsync(llvm::StringRef intrinsic, int64_t bytes,
                 const ContractionSource::Element &element, Value to);
  void copyChunks(Operand &operand, Value depth, Value stage);
  void copyElements(Operand &operand, Value depth, Value stage);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSTAGES_H
