// Random bits of neighbouring elements, which threads of a warp make together.
#ifndef KERATIN_CODEGEN_GPU_MOVES_SHAREDRANDOMBITS_H
#define KERATIN_CODEGEN_GPU_MOVES_SHAREDRANDOMBITS_H

#include "codegen/gpu/DevicePlan.h"
#include "ir/interfaces/IterationSpace.h"

namespace keratin::codegen {

// Whether element i of the bits is read at index i of the loops alone.
bool isInPlace(ir::RandomBitsOp op, const ir::IterationSpace &space);

// A thread has a vector of neighbouring elements, as rows of reductions and tiles are walked: one
// word of each of as many Philox blocks. The other words are those of three threads of its warp,
// 16 elements further each. So each of the four makes a quarter of their blocks, and they exchange
// the words by shuffles: a block is made once. Where two have the same line each makes half of
// them, for two words of each block.
class SharedRandomBits {
public:
  SharedRandomBits() = default;
  // Of a kernel whose threads have vectors of so many elements. Of a line so many of these, from a
  // multiple of their number on, are neighbouring threads' of a warp, which come together.
  SharedRandomBits(ir::KernelOp kernel, unsigned lanes, int64_t neighbours);

  // The kernel's vectors of bits are made in this way; others element by element.
  void use(DeviceKernelBuilder &k) const;
  void print(llvm::raw_ostream &out) const;

private:
  llvm::SmallVector<ir::RandomBitsOp> ops; // whose bits suit
  unsigned lanes = 0, partners = 1;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_SHAREDRANDOMBITS_H
