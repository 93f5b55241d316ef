// Philox 4x32-10, a counter-based generator: Salmon, Moraes, Dror, Shaw: Parallel random numbers:
// as easy as 1, 2, 3; SC 2011.
#ifndef KERATIN_IR_REFERENCE_PHILOX_H
#define KERATIN_IR_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace keratin::ir::reference {

inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_PHILOX_H
