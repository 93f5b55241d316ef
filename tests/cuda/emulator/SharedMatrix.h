// Where a matrix descriptor of wgmma says that an operand lies in shared memory.
#pragma once

#include <cstdint>
#include <string>

namespace keratin::ptx {

// Lines (rows of A, columns of B) by 32 bytes of depths, 16 of 2 bytes or 8 of 4, in core matrices
// of eight chunks of 16 bytes: a chunk has eight or four depths of a line, or, where the operand is
// transposed, eight lines of a depth.
struct SharedMatrix {
  uint64_t start = 0, leading = 0, stride = 0; // bytes
  uint32_t rowBytes = 16; // 16: chunks stay in their places; else they change it within such rows
  bool isTransposed = false;

  // False, with what the descriptor has that is not emulated.
  bool read(uint64_t descriptor, bool transposed, std::string &problem);

  // Of the core matrix of lines from 8 * group on and of this half of the depths.
  uint64_t chunk(uint32_t group, uint32_t half, uint32_t number) const;
  uint64_t element(uint32_t line, uint32_t depth) const {
    uint32_t number = isTransposed ? depth % 8 : line % 8;
    return chunk(line / 8, depth / 8, number) + 2 * (isTransposed ? line % 8 : depth % 8);
  }
  // Of 4 bytes; never transposed.
  uint64_t word(uint32_t line, uint32_t depth) const {
    return chunk(line / 8, depth / 4, line % 8) + 4 * (depth % 4);
  }
};

} // namespace keratin::ptx
