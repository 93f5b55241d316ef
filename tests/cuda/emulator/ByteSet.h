// Which bytes of a memory are initialised: one bit each.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace keratin::ptx {

class ByteSet {
public:
  ByteSet() = default;
  // A word more than needed, so that eight bytes can be looked at from any bit.
  explicit ByteSet(uint64_t bytes) : bits(bytes / 8 + 16, 0) {}

  void clear() { std::memset(bits.data(), 0, bits.size()); }

  // Of at most 32 bytes.
  bool holds(uint64_t first, uint32_t count) const {
    return (window(first) & low(count)) == low(count);
  }
  bool holdsAny(uint64_t first, uint32_t count) const { return (window(first) & low(count)) != 0; }
  void add(uint64_t first, uint32_t count) {
    uint64_t word;
    std::memcpy(&word, &bits[first / 8], 8);
    word |= low(count) << (first % 8);
    std::memcpy(&bits[first / 8], &word, 8);
  }

  bool holdsRange(uint64_t first, uint64_t count) const {
    return forPieces(first, count, [&](uint64_t at, uint32_t n) { return holds(at, n); });
  }
  void addRange(uint64_t first, uint64_t count) {
    forPieces(first, count, [&](uint64_t at, uint32_t n) { return add(at, n), true; });
  }
  void removeRange(uint64_t first, uint64_t count) {
    forPieces(first, count, [&](uint64_t at, uint32_t n) {
      uint64_t word;
      std::memcpy(&word, &bits[at / 8], 8);
      word &= ~(low(n) << (at % 8));
      std::memcpy(&bits[at / 8], &word, 8);
      return true;
    });
  }

private:
  static uint64_t low(uint32_t count) { return (uint64_t(1) << count) - 1; }
  uint64_t window(uint64_t first) const {
    uint64_t word;
    std::memcpy(&word, &bits[first / 8], 8);
    return word >> (first % 8);
  }
  template <class Function>
  static bool forPieces(uint64_t first, uint64_t count, Function function) {
    for (uint64_t end = first + count; first < end;) {
      uint32_t piece = uint32_t(end - first < 32 ? end - first : 32);
      if (!function(first, piece))
        return false;
      first += piece;
    }
    return true;
  }

  std::vector<uint8_t> bits;
};

} // namespace keratin::ptx
