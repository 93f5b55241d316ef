// What random_bits computes: Philox blocks in the layout that the op's record describes.
#ifndef KERATIN_CODEGEN_LOWERING_RANDOMNEST_H
#define KERATIN_CODEGEN_LOWERING_RANDOMNEST_H

#include "codegen/lowering/SingleOp.h"

namespace keratin::codegen {

// A group is 16 blocks side by side; word w of block i is element 16 w + i of the group's.
struct RandomNest {
  static constexpr int64_t groupBlocks = 16, words = 4, groupElements = groupBlocks * words;
  // Philox costs about as much as that many simple operations an element.
  static constexpr int64_t elementWork = 8;

  explicit RandomNest(ir::RandomBitsOp op)
      : op(op), elements(elementsOf(ir::getShape(op.getY()))),
        groups(*ceildiv(elements, ir::DimExpr(groupElements))), seed(op.getSeed()) {}

  ir::RandomBitsOp op;
  ir::DimExpr elements, groups;
  uint64_t seed;

  // Whether the last group is known to be as long as the others.
  bool isWhole() const { return elements.content() % uint64_t(groupElements) == 0; }
  void print(llvm::raw_ostream &out) const {
    out << "nest: " << elements.str() << " elements in groups of " << groupElements << "\n";
  }
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_RANDOMNEST_H
