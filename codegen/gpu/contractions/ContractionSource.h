// Where the blocks of a product read A and B.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSOURCE_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSOURCE_H

#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/ContractionSpec.h"

namespace keratin::codegen {

// An operand of a product as lines (the rows of A, the columns of B) by depth.
// It need not be in memory as such: an element is at an address that is
// computed of its line and its depth, or is zero. What is computed of the line
// alone is computed once.
class ContractionSource {
public:
  using Value = mlir::Value;
  using Values = LoopEmitter::Values;

  // What lies next to each other in memory: elements of neighbouring lines, or
  // depths.
  enum class Neighbours { Lines, Depths };

  virtual ~ContractionSource();

  // Code of the address of a line of the block's tile (i64, from 0 on), and of
  // a depth (i64): any values, which `element` is given back.
  virtual Values line(LoopEmitter &emit, Value number) = 0;
  virtual Values depth(LoopEmitter &emit, Value number) = 0;
  // Where the element is, and whether (i1): it is zero where not, and not read.
  // Null: always.
  struct Element {
    Value pointer, exists;
  };
  virtual Element element(LoopEmitter &emit, mlir::ValueRange line, mlir::ValueRange depth) = 0;

  mlir::Type elementType; // f16 and bf16 are widened, and integers of less than
                          // 32 bits
  Neighbours neighbours = Neighbours::Depths;
  // Whether (i1) groups of neighbours (so many as make 16 bytes of sums) that
  // begin at multiples of their number are there as a whole or not at all, next
  // to each other, on multiples of their size. Null: no.
  Value isGrouped;
};

// A matrix in memory with a stride in both directions.
class StridedSource : public ContractionSource {
public:
  struct Direction {
    Value stride; // i64, in elements
    std::optional<int64_t> constantStride;
    Value size; // i64
    std::optional<int64_t> constantSize;
    Value first = {};     // i64: what number 0 stands for; null: 0
    bool isWhole = false; // nothing is asked for beyond the size
  };

  // `isAligned`: whether (i1) the matrix begins on a multiple of 16 bytes.
  StridedSource(LoopEmitter &emit, Value base, mlir::Type elementType, Direction lines,
                Direction depths, int64_t group, Value isAligned);

  Values line(LoopEmitter &emit, Value number) override;
  Values depth(LoopEmitter &emit, Value number) override;
  Element element(LoopEmitter &emit, mlir::ValueRange line, mlir::ValueRange depth) override;

protected:
  Values along(LoopEmitter &emit, const Direction &direction, Value number);

  Value base;
  Direction lines, depths;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONSOURCE_H
