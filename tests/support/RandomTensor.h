// Inputs for tests: the same seed gives the same elements on every machine.
#ifndef KERATIN_TESTS_SUPPORT_RANDOMTENSOR_H
#define KERATIN_TESTS_SUPPORT_RANDOMTENSOR_H

#include "ir/reference/BoundedTensor.h"
#include "ir/reference/HostConversions.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace keratin::tests {

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators; OOPSLA 2014).
inline uint64_t nextRandom(uint64_t &state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return bits ^ (bits >> 31);
}

// Floats are multiples of 1/64 in [-2, 2], which every float type holds exactly; signed integers
// are in [-8, 8], unsigned ones in [0, 16]; nullopt if there are too many elements.
inline std::optional<ir::HostTensor> randomTensor(keratin_dtype_t dtype, std::vector<int64_t> dims,
                                                  uint64_t seed) {
  std::optional<ir::HostTensor> tensor = ir::makeHostTensor(dtype, std::move(dims));
  if (!tensor)
    return std::nullopt;
  for (double &element : tensor->floats)
    element = (double(nextRandom(seed) % 257) - 128) / 64;
  bool isSigned = dtype >= KERATIN_DTYPE_INT8 && dtype <= KERATIN_DTYPE_INT64;
  for (int64_t &element : tensor->ints)
    element = dtype == KERATIN_DTYPE_BOOL ? int64_t(nextRandom(seed) % 2)
                                          : int64_t(nextRandom(seed) % 17) - (isSigned ? 8 : 0);
  return tensor;
}

// Inputs of random graphs. Of seeds one half give randomTensor(), whose products and sums are
// exact, and the order of what is added plays no part; a quarter floats of which all bits count; a
// quarter have zeros of both signs, infinities, NaN, denormals and numbers that overflow among
// them. Where only finite ones are wanted, both quarters have the former: of 0 times an infinite
// derivative it depends on what is multiplied at all.
inline std::optional<ir::HostTensor> variedTensor(keratin_dtype_t dtype, std::vector<int64_t> dims,
                                                  uint64_t seed, bool onlyFinite) {
  std::optional<ir::HostTensor> tensor = randomTensor(dtype, std::move(dims), seed);
  uint64_t state = seed + 1;
  const uint64_t kind = nextRandom(state) % 4;
  if (!tensor || kind < 2)
    return tensor;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double special[] = {0.0,     -0.0,     1.0,      -1.0,  infinity, -infinity, NAN,
                                0x1p-24, -0x1p-24, 0x1p-149, 65504, -65504,   0x1p100,   0.5};
  for (double &element : tensor->floats) {
    uint64_t bits = nextRandom(state);
    if (kind == 2 || onlyFinite)
      element += double(bits % (1 << 16)) / (1 << 22);
    else if (bits % 8 == 0)
      element = special[(bits >> 3) % std::size(special)];
    element = ir::reference::rounded(dtype, element);
  }
  return tensor;
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_RANDOMTENSOR_H
