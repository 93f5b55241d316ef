// Decimal digits of floating-point numbers, as NumPy chooses them: the shortest that read back as
// the same number of the same dtype, cut (with correct rounding of the exact value) to a precision.
#ifndef KERATIN_RUNTIME_CORE_DECIMALFLOAT_H
#define KERATIN_RUNTIME_CORE_DECIMALFLOAT_H

#include <cstdint>

namespace keratin::runtime {

// The number digits[0].digits[1]digits[2]... * 10^exponent, without trailing zeros; zero is "0",
// exponent 0.
struct Decimal {
  bool negative = false;
  char digits[32] = "0";
  int count = 1;
  int exponent = 0;

  // Lengths of the parts when written positionally (123.45) or scientifically (1.2345e+02); the
  // sign counts to the integer part.
  int integerLength() const { return negative + (exponent > 0 ? exponent + 1 : 1); }
  int fractionLength() const { return count - 1 > exponent ? count - 1 - exponent : 0; }
  int exponentDigits() const { return exponent <= -100 || exponent >= 100 ? 3 : 2; }
};

inline constexpr int anyPrecision = -1;

// value is finite and of dtype, a floating-point one. precision bounds the digits after the point;
// in the positional form that is counted from the point of the plain number, in the scientific one
// from the first digit.
Decimal shortestDecimal(double value, int32_t dtype, bool scientific, int precision);

// The exact value, correctly rounded to `fraction` digits after the first; at most 17.
Decimal roundedDecimal(double value, int fraction);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DECIMALFLOAT_H
