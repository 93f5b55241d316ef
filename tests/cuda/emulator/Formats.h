// Narrow floating-point formats and roundings, bit by bit.
//
// Everything here has internal linkage: it is compiled into files for different processors, and the
// linker must not pick one of them for all.
#pragma once

#include <cstdint>

namespace keratin::ptx {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestAway };

template <class To, class From> static inline To bits(From from) {
  return __builtin_bit_cast(To, from);
}

// Precision counts the implicit bit; the exponents are those of 1.x * 2^e.
struct Format {
  int precision, minExponent, maxExponent;
};
static constexpr Format halfFormat{11, -14, 15}, bfloatFormat{8, -126, 127},
    tf32Format{11, -126, 127}, singleFormat{24, -126, 127};

static inline double powerOfTwo(int exponent) {
  return bits<double>(uint64_t(exponent + 1023) << 52);
}

static inline double roundInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return __builtin_rint(value);
  case Rounding::Zero:
    return __builtin_trunc(value);
  case Rounding::Down:
    return __builtin_floor(value);
  case Rounding::Up:
    return __builtin_ceil(value);
  case Rounding::NearestAway:
    return __builtin_round(value);
  }
  return value;
}

// The format's neighbour of a double, as a double. Too large is infinite, or the largest where
// rounding goes towards it.
static inline double roundTo(double value, Format format, Rounding rounding) {
  uint64_t word = bits<uint64_t>(value);
  int exponent = int(word >> 52 & 0x7ff) - 1023;
  if (exponent == 1024 || value == 0)
    return value;
  if (exponent == -1023)
    exponent = -1022;
  int quantum =
      (exponent < format.minExponent ? format.minExponent : exponent) - (format.precision - 1);
  // Quanta below 2^-1022 do not occur, but their inverses may be beyond the range of one factor.
  double scaled = value * powerOfTwo(-quantum / 2) * powerOfTwo(-quantum - -quantum / 2);
  double rounded =
      roundInteger(scaled, rounding) * powerOfTwo(quantum / 2) * powerOfTwo(quantum - quantum / 2);
  double limit = powerOfTwo(format.maxExponent) * (2 - powerOfTwo(1 - format.precision));
  if (__builtin_fabs(rounded) > limit) {
    bool inwards = rounding == Rounding::Zero || (rounding == Rounding::Down && value > 0) ||
                   (rounding == Rounding::Up && value < 0);
    rounded = __builtin_copysign(inwards ? limit : __builtin_inf(), value);
  }
  return rounded == 0 ? __builtin_copysign(0.0, value) : rounded;
}

// Sum with the last bit set where it is not exact: rounding it again to a narrower format is then
// right.
static inline double addToOdd(double a, double b) {
  double sum = a + b;
  double part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t word = bits<uint64_t>(sum);
  if (error == 0 || !__builtin_isfinite(sum) || (word & 1))
    return sum;
  bool away = (error > 0) == (sum > 0);
  return bits<double>(away ? word + 1 : word - 1);
}

static inline float fromHalf(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, magnitude = half & 0x7fff;
  // Normal numbers by moving the exponent, subnormal ones by a product that is exact, the rest by
  // filling the exponent.
  float scaled = bits<float>(magnitude << 13) * bits<float>(0x77800000u); // 2^112
  uint32_t word = magnitude >= 0x7c00 ? (magnitude << 13) | 0x7f800000u : bits<uint32_t>(scaled);
  return bits<float>(word | sign);
}
static inline float fromBfloat(uint16_t value) { return bits<float>(uint32_t(value) << 16); }

// To nearest even. A NaN is 0x7fff.
static inline uint16_t toHalf(float value) {
  uint32_t word = bits<uint32_t>(value), sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
  // The last bit of 0.5 is that of a subnormal half, so the addition rounds.
  uint32_t subnormal = bits<uint32_t>(bits<float>(magnitude) + 0.5f) - bits<uint32_t>(0.5f);
  uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  uint32_t result = magnitude > 0x7f800000u    ? 0x7fffu
                    : magnitude >= 0x47800000u ? 0x7c00u
                    : magnitude < 0x38800000u  ? subnormal
                                               : normal;
  return uint16_t(magnitude > 0x7f800000u ? 0x7fffu : (result | sign));
}
static inline uint16_t toBfloat(float value) {
  uint32_t word = bits<uint32_t>(value);
  uint32_t rounded = (word + 0x7fffu + (word >> 16 & 1)) >> 16;
  return uint16_t((word & 0x7fffffff) > 0x7f800000u ? 0x7fffu : rounded);
}

// From a double that is already rounded to the format, or to be rounded.
static inline uint16_t toHalf(double value, Rounding rounding) {
  return toHalf(float(roundTo(value, halfFormat, rounding)));
}
static inline uint16_t toBfloat(double value, Rounding rounding) {
  return toBfloat(float(roundTo(value, bfloatFormat, rounding)));
}

} // namespace keratin::ptx
