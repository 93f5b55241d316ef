#include "tests/cuda/emulator/SharedMatrix.h"

namespace keratin::ptx {

namespace {
constexpr uint64_t addressBits = 0x3ffff; // of shared memory

// Addresses in units of 16 bytes.
uint64_t field(uint64_t descriptor, uint32_t shift) { return (descriptor >> shift & 0x3fff) << 4; }
} // namespace

bool SharedMatrix::read(uint64_t descriptor, bool transposed, std::string &problem) {
  static constexpr uint32_t rows[] = {16, 128, 64, 32};
  start = field(descriptor, 0);
  leading = field(descriptor, 16);
  stride = field(descriptor, 32);
  rowBytes = rows[descriptor >> 62];
  isTransposed = transposed;
  uint64_t baseOffset = descriptor >> 49 & 7;
  if (baseOffset)
    problem = "the base offset " + std::to_string(baseOffset) +
              " in a matrix descriptor: patterns begin on multiples of their size";
  return baseOffset == 0;
}

uint64_t SharedMatrix::chunk(uint32_t group, uint32_t half, uint32_t number) const {
  if (rowBytes == 16)
    return (start + group * stride + half * leading + number * 16) & addressBits;
  uint32_t chunks = rowBytes / 16;
  uint64_t at = start + number * rowBytes;
  // A row has the chunks of a line, or the lines of a depth as far as they go.
  at += isTransposed ? group / chunks * leading + group % chunks * 16 + half * stride
                     : group * stride + half * 16;
  return (at ^ (at >> 7 & (chunks - 1)) << 4) & addressBits;
}

} // namespace keratin::ptx
