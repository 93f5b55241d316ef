// float16 and bfloat16 to and from double, rounding to nearest even. A float goes through double,
// which holds it exactly, so there is one rounding in every case.
#ifndef KERATIN_RUNTIME_CORE_HALF_H
#define KERATIN_RUNTIME_CORE_HALF_H

#include <bit>
#include <cstdint>

namespace keratin::runtime {
namespace detail {

// Bits of the 16-bit format with ExponentBits and MantissaBits that is nearest to value. Too large
// becomes infinity, NaN stays NaN (quiet, sign kept), subnormals are exact.
template <int ExponentBits, int MantissaBits> constexpr uint16_t narrow(double value) {
  constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  constexpr uint32_t infinity = ((1u << ExponentBits) - 1) << MantissaBits;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint32_t sign = uint32_t(bits >> 63) << 15;
  bits &= ~(uint64_t(1) << 63);
  if (bits > 0x7FF0000000000000u)
    return uint16_t(sign | infinity | (1u << (MantissaBits - 1)));
  int exponent = int(bits >> 52) - 1023;
  if (bits == 0 || exponent < -bias - MantissaBits)
    return uint16_t(sign); // below half of the smallest subnormal
  if (exponent > bias)
    return uint16_t(sign | infinity);
  // The mantissa with its leading one; subnormal results lose one more bit for each step below the
  // smallest exponent.
  uint64_t mantissa = (bits & 0x000FFFFFFFFFFFFFu) | (uint64_t(1) << 52);
  bool subnormal = exponent < 1 - bias;
  int shift = 52 - MantissaBits + (subnormal ? 1 - bias - exponent : 0);
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // A carry out of the mantissa lands in the exponent, which is what rounding up means, up to
  // infinity.
  uint64_t biased = subnormal ? 0 : uint64_t(exponent + bias - 1) << MantissaBits;
  return uint16_t(sign | (biased + kept));
}

template <int ExponentBits, int MantissaBits> constexpr double widen(uint16_t bits) {
  constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  uint64_t sign = uint64_t(bits >> 15) << 63;
  uint64_t exponent = (bits >> MantissaBits) & ((1u << ExponentBits) - 1);
  uint64_t mantissa = bits & ((1u << MantissaBits) - 1);
  if (exponent == (1u << ExponentBits) - 1)
    return std::bit_cast<double>(sign | 0x7FF0000000000000u | mantissa << (52 - MantissaBits));
  if (exponent == 0) {
    // mantissa * 2^(1 - bias - MantissaBits), exact in double.
    double unit = std::bit_cast<double>(uint64_t(1023 + 1 - bias - MantissaBits) << 52);
    double magnitude = double(mantissa) * unit;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<double>(sign | (exponent + 1023 - bias) << 52 |
                               mantissa << (52 - MantissaBits));
}

} // namespace detail

constexpr uint16_t float16FromDouble(double value) { return detail::narrow<5, 10>(value); }
constexpr uint16_t bfloat16FromDouble(double value) { return detail::narrow<8, 7>(value); }
constexpr double doubleFromFloat16(uint16_t bits) { return detail::widen<5, 10>(bits); }
constexpr double doubleFromBfloat16(uint16_t bits) { return detail::widen<8, 7>(bits); }

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_HALF_H
