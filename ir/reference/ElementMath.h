// What the records' reference expressions name: arithmetic on single elements, total and without
// undefined behaviour. T is double for every float type, and the integer type itself otherwise.
#ifndef KERATIN_IR_REFERENCE_ELEMENTMATH_H
#define KERATIN_IR_REFERENCE_ELEMENTMATH_H

#include "ir/interfaces/ScalarBuilder.h"
#include "ir/reference/HostTensor.h"
#include "ir/reference/SpecialFunctions.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace keratin::ir::reference {

// Calls the function with a zero of the C++ type that stands for the dtype.
template <class Function> auto dispatchElement(keratin_dtype_t dtype, Function &&function) {
  switch (dtype) {
  case KERATIN_DTYPE_BOOL:
    return function(bool());
  case KERATIN_DTYPE_INT8:
    return function(int8_t());
  case KERATIN_DTYPE_INT16:
    return function(int16_t());
  case KERATIN_DTYPE_INT32:
    return function(int32_t());
  case KERATIN_DTYPE_INT64:
    return function(int64_t());
  case KERATIN_DTYPE_UINT8:
    return function(uint8_t());
  case KERATIN_DTYPE_UINT16:
    return function(uint16_t());
  case KERATIN_DTYPE_UINT32:
    return function(uint32_t());
  case KERATIN_DTYPE_UINT64:
    return function(uint64_t());
  default:
    return function(double());
  }
}

template <class T> T load(const HostTensor &tensor, int64_t i) {
  if constexpr (std::is_floating_point_v<T>)
    return tensor.floats[i];
  else
    return T(tensor.ints[i]);
}

template <class T> void store(HostTensor &tensor, int64_t i, T value) {
  if (tensor.isFloat())
    tensor.floats[i] = double(value);
  else
    tensor.ints[i] = int64_t(value);
}

// Integers are computed in 64 unsigned bits, where nothing overflows, and cut to their width.
template <class T> T wrapAdd(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return T(uint64_t(a) + uint64_t(b));
}

template <class T> T wrapSub(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return T(uint64_t(a) - uint64_t(b));
}

template <class T> T wrapMul(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return T(uint64_t(a) * uint64_t(b));
}

template <class T> T multiplyAdd(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(a, b, c);
  else
    return wrapAdd(wrapMul(a, b), c);
}

template <class T> T negate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return -x;
  else
    return wrapSub(T(0), x);
}

template <class T> T absolute(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  else
    return x < T(0) ? negate(x) : x;
}

template <class T> T roundEven(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::nearbyint(x);
  else
    return x;
}

// The quotient rounded towards minus infinity; by 0 an integer gives 0.
template <class T> T floorDiv(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    // A quotient next to a whole number may have been rounded to it. Larger ones have no fraction.
    double quotient = a / b;
    if (!(std::fabs(quotient) < 0x1p52))
      return quotient;
    double nearest = std::nearbyint(quotient);
    double rest = nearest == 0 ? a : std::fma(-nearest, b, a);
    return rest != 0 && (rest < 0) != (b < 0) ? nearest - 1 : nearest;
  } else if constexpr (std::is_signed_v<T>) {
    if (b == 0)
      return 0;
    if (b == T(-1))
      return negate(a); // the smallest by -1 would overflow
    return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  } else {
    return b == T(0) ? T(0) : T(a / b);
  }
}

// The remainder with the sign of the divisor; modulo 0 an integer gives 0.
template <class T> T floorMod(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    // Exact, where a - b * floor(a / b) rounds three times.
    double remainder = std::fmod(a, b);
    bool isOther = remainder != 0 && (remainder < 0) != (b < 0);
    return std::copysign(isOther ? remainder + b : remainder, b);
  } else {
    return b == T(0) ? T(0) : wrapSub(a, wrapMul(floorDiv(a, b), b));
  }
}

// Integers by repeated squaring; a negative exponent gives 0.
template <class T> T power(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(a, b);
  } else {
    if (b < T(0))
      return T(0);
    T result = T(1);
    for (uint64_t exponent = uint64_t(b); exponent; exponent >>= 1) {
      if (exponent & 1)
        result = wrapMul(result, a);
      a = wrapMul(a, a);
    }
    return result;
  }
}

// What minima and maxima begin with.
template <class T> T largest() {
  return std::is_floating_point_v<T> ? T(std::numeric_limits<T>::infinity())
                                     : std::numeric_limits<T>::max();
}
template <class T> T smallest() {
  return std::is_floating_point_v<T> ? negate(largest<T>()) : std::numeric_limits<T>::min();
}

// Only floats can need it.
template <class T> T notANumber() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return T(0);
}

template <class T> T complement(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return !x;
  else
    return T(~uint64_t(x));
}

template <class T> T bitAnd(T a, T b) { return T(uint64_t(a) & uint64_t(b)); }
template <class T> T bitOr(T a, T b) { return T(uint64_t(a) | uint64_t(b)); }
template <class T> T bitXor(T a, T b) { return T(uint64_t(a) ^ uint64_t(b)); }

// Of the bits, filled up with zeros; 0 where the shift is not within the width.
template <class T> T shiftLeft(T a, T b) {
  bool within = b >= T(0) && uint64_t(b) < 8 * sizeof(T);
  return within ? T(uint64_t(a) << uint64_t(b)) : T(0);
}

template <class T> T shiftRight(T a, T b) {
  bool within = b >= T(0) && uint64_t(b) < 8 * sizeof(T);
  uint64_t bits = uint64_t(a) & (~uint64_t(0) >> (64 - 8 * sizeof(T)));
  return within ? T(bits >> uint64_t(b)) : T(0);
}

// Of floats, by functions of long doubles (SpecialFunctions.h). No integer gets here.
#define KERATIN_SPECIAL(name)                                                                      \
  template <class T, class... Rest> T name(T x, Rest... rest) {                                    \
    if constexpr (std::is_floating_point_v<T>)                                                     \
      return T(name(Long(x), Long(rest)...));                                                      \
    else                                                                                           \
      return x;                                                                                    \
  }
KERATIN_SPECIAL(erfinv)
KERATIN_SPECIAL(logGamma)
KERATIN_SPECIAL(digamma)
KERATIN_SPECIAL(besselI0e)
KERATIN_SPECIAL(besselI1e)
KERATIN_SPECIAL(zeta)
KERATIN_SPECIAL(igamma)
KERATIN_SPECIAL(igammac)
KERATIN_SPECIAL(gammaSampleGradient)
KERATIN_SPECIAL(betainc)
KERATIN_SPECIAL(betaSampleGradient)
#undef KERATIN_SPECIAL

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_ELEMENTMATH_H
