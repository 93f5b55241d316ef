#include "tests/cuda/emulator/Convert.h"

#include <cmath>
#include <limits>

namespace keratin::ptx {

namespace {

using Wide = __int128;

double floatValue(Type type, uint64_t value) {
  switch (type) {
  case Type::F16:
    return fromHalf(uint16_t(value));
  case Type::BF16:
    return fromBfloat(uint16_t(value));
  case Type::F32:
  case Type::TF32:
    return bits<float>(uint32_t(value));
  default:
    return bits<double>(value);
  }
}

Wide integerValue(Type type, uint64_t value) {
  uint32_t width = bytesOf(type) * 8;
  uint64_t kept = width == 64 ? value : value & ((uint64_t(1) << width) - 1);
  if (isSigned(type) && (kept >> (width - 1) & 1))
    return Wide(kept) - (Wide(1) << width);
  return Wide(kept);
}

// An integer or double as a float format. The first rounding may be wrong by one place at most:
// `exact` tells.
template <class Float, class Exact>
Float directed(Float nearest, Exact difference, Rounding rounding) {
  // difference: nearest minus the true value, by its sign.
  constexpr Float infinity = std::numeric_limits<Float>::infinity();
  bool towardsZeroFromAbove = rounding == Rounding::Zero && nearest > 0,
       fromBelow = rounding == Rounding::Zero && nearest < 0;
  if (difference > 0 && (rounding == Rounding::Down || towardsZeroFromAbove))
    return std::nextafter(nearest, -infinity);
  if (difference < 0 && (rounding == Rounding::Up || fromBelow))
    return std::nextafter(nearest, infinity);
  return nearest;
}

template <class Float> Float fromInteger(Wide value, Rounding rounding) {
  Float nearest = value < 0 ? Float(int64_t(value)) : Float(uint64_t(value));
  Wide back = Wide(nearest);
  return directed(nearest, back > value ? 1 : back < value ? -1 : 0, rounding);
}

uint64_t floatBits(const Conversion &conversion, double value) {
  bool isNan = value != value;
  switch (conversion.to) {
  case Type::F16:
    return isNan ? 0x7fff : toHalf(value, conversion.rounding);
  case Type::BF16:
    return isNan ? 0x7fff : toBfloat(value, conversion.rounding);
  case Type::TF32:
    return isNan ? 0x7fffffff
                 : bits<uint32_t>(float(roundTo(value, tf32Format, conversion.rounding)));
  case Type::F32:
    return isNan ? 0x7fffffff
                 : bits<uint32_t>(float(roundTo(value, singleFormat, conversion.rounding)));
  default:
    return bits<uint64_t>(value);
  }
}

double flushed(double value, double smallest) {
  return std::fabs(value) < smallest ? std::copysign(0.0, value) : value;
}

uint64_t toInteger(const Conversion &conversion, double value) {
  uint32_t width = bytesOf(conversion.to) * 8;
  bool isSignedTo = isSigned(conversion.to);
  Wide high = (Wide(1) << (width - isSignedTo)) - 1, low = isSignedTo ? -high - 1 : 0;
  if (value != value)
    return conversion.from == Type::F64 || width == 64 ? uint64_t(1) << (width - 1) : 0;
  double whole = roundInteger(value, conversion.rounding);
  Wide clamped = whole >= std::ldexp(1.0, int(width) - isSignedTo) ? high
                 : whole < double(low)                             ? low
                                                                   : Wide(whole);
  uint64_t result = uint64_t(clamped);
  return width == 64 ? result : result & ((uint64_t(1) << width) - 1);
}

uint64_t betweenIntegers(const Conversion &conversion, Wide value) {
  uint32_t width = bytesOf(conversion.to) * 8;
  if (conversion.saturate) {
    bool isSignedTo = isSigned(conversion.to);
    Wide high = (Wide(1) << (width - isSignedTo)) - 1, low = isSignedTo ? -high - 1 : 0;
    value = value > high ? high : value < low ? low : value;
  }
  uint64_t result = uint64_t(value);
  return width == 64 ? result : result & ((uint64_t(1) << width) - 1);
}

uint64_t integerToFloat(const Conversion &conversion, Wide value) {
  switch (conversion.to) {
  case Type::F64:
    return bits<uint64_t>(fromInteger<double>(value, conversion.rounding));
  case Type::F32:
    return bits<uint32_t>(fromInteger<float>(value, conversion.rounding));
  default: {
    // Towards zero loses bits below a half's, or none; the lost ones are put back as one odd bit.
    double cut = fromInteger<double>(value, Rounding::Zero);
    if (Wide(cut) != value)
      cut = bits<double>(bits<uint64_t>(cut) | 1);
    return floatBits(conversion, cut);
  }
  }
}

} // namespace

uint64_t convert(const Conversion &conversion, uint64_t value) {
  if (!isFloat(conversion.from)) {
    Wide whole = integerValue(conversion.from, value);
    return isFloat(conversion.to) ? integerToFloat(conversion, whole)
                                  : betweenIntegers(conversion, whole);
  }
  double number = floatValue(conversion.from, value);
  if (conversion.flush && conversion.from == Type::F32)
    number = flushed(number, 0x1p-126);
  if (!isFloat(conversion.to))
    return toInteger(conversion, number);
  if (conversion.integral)
    number = number == number ? std::copysign(roundInteger(number, conversion.rounding), number)
                              : number;
  if (conversion.saturate)
    number = number > 0 ? (number < 1 ? number : 1.0) : 0.0;
  if (conversion.relu && number < 0)
    number = 0;
  Conversion last = conversion;
  if (conversion.integral)
    last.rounding = Rounding::Nearest;
  if (conversion.flush && conversion.to == Type::F32)
    number = flushed(roundTo(number, singleFormat, last.rounding), 0x1p-126);
  return floatBits(last, number);
}

} // namespace keratin::ptx
