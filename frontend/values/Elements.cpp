#include "frontend/values/Elements.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace keratin;

namespace {

using Half = _Float16;
struct BFloat {
  uint16_t bits;
};

template <typename Part> struct Complex {
  Part re, im;
};
template <typename T> constexpr bool isComplexType = false;
template <typename Part> constexpr bool isComplexType<Complex<Part>> = true;

float toFloat(BFloat value) {
  uint32_t bits = uint32_t(value.bits) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

// Rounds to nearest even; NaN stays NaN. A double is first rounded to odd in float, so that the
// second rounding sees whether anything was lost.
BFloat toBFloat(double value) {
  float narrow = float(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  if (narrow != narrow)
    return {uint16_t((bits >> 16) | 0x40)};
  if (double(narrow) != value && !(bits & 1)) {
    bool away = (double(narrow) < value) == (value > 0);
    bits = away ? bits | 1 : bits - 1;
  }
  return {uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

// Calls visit with a typed pointer.
template <typename Visitor> auto visitType(DType dtype, Visitor visit) {
  switch (dtype) {
  case DType::Bool:
    return visit(bool());
  case DType::Int8:
    return visit(int8_t());
  case DType::Int16:
    return visit(int16_t());
  case DType::Int32:
    return visit(int32_t());
  case DType::Int64:
    return visit(int64_t());
  case DType::UInt8:
    return visit(uint8_t());
  case DType::UInt16:
    return visit(uint16_t());
  case DType::UInt32:
    return visit(uint32_t());
  case DType::UInt64:
    return visit(uint64_t());
  case DType::Float16:
    return visit(Half());
  case DType::BFloat16:
    return visit(BFloat());
  case DType::Float32:
    return visit(float());
  case DType::Complex64:
    return visit(Complex<float>());
  case DType::Complex128:
    return visit(Complex<double>());
  case DType::Float64:
    break;
  }
  return visit(double());
}

template <typename T> constexpr bool isFloat = !std::is_integral_v<T>;

template <typename From> double widen(From value) {
  if constexpr (std::is_same_v<From, BFloat>)
    return toFloat(value);
  else if constexpr (isComplexType<From>)
    return double(value.re);
  else
    return double(value);
}

template <typename To> To saturate(double value) {
  if (value != value)
    return 0;
  // The limits as doubles: the largest integer of 64 bits rounds up to a power of two.
  constexpr double high = double(std::numeric_limits<To>::max());
  constexpr double low = double(std::numeric_limits<To>::min());
  if (value >= high)
    return std::numeric_limits<To>::max();
  if (value <= low)
    return std::numeric_limits<To>::min();
  return To(value);
}

template <typename From, typename To> To convert(From value) {
  if constexpr (isComplexType<To>) {
    using Part = decltype(To::re);
    if constexpr (isComplexType<From>)
      return {Part(value.re), Part(value.im)};
    else
      return {Part(widen(value)), 0};
  } else if constexpr (std::is_same_v<To, bool> && isComplexType<From>)
    return value.re != 0 || value.im != 0;
  else if constexpr (std::is_same_v<To, bool>)
    return widen(value) != 0;
  else if constexpr (std::is_same_v<To, BFloat>)
    return toBFloat(widen(value));
  else if constexpr (isFloat<To> && isFloat<From>)
    return To(widen(value));
  else if constexpr (isFloat<From>)
    return saturate<To>(widen(value));
  else
    return To(value);
}

} // namespace

const Array &frontend::rowMajor(const Array &array, Array &packed) {
  return array.isRowMajor() ? array : packed = array;
}

double frontend::elementAsDouble(DType dtype, const void *data, int64_t index) {
  return visitType(dtype, [&](auto type) {
    using T = decltype(type);
    return widen(static_cast<const T *>(data)[index]);
  });
}

int64_t frontend::elementAsInteger(DType dtype, const void *data, int64_t index) {
  return visitType(dtype, [&](auto type) {
    using T = decltype(type);
    return convert<T, int64_t>(static_cast<const T *>(data)[index]);
  });
}

// A conversion that leaves the imaginary parts away is none.
static void checkKeepsParts(DType from, DType to) {
  if (isComplex(from) && !isComplex(to) && to != DType::Bool)
    throw TypeError(std::string("Array: elements of ") + dtypeName(from) + " are no " +
                    dtypeName(to) + "; needed real ones, such as K::real makes");
}

void frontend::convertElements(DType from, const void *source, DType to, void *target,
                               int64_t count) {
  checkKeepsParts(from, to);
  if (from == to) {
    if (count)
      std::memcpy(target, source, size_t(count) * dtypeSize(from));
    return;
  }
  visitType(from, [&](auto fromType) {
    using From = decltype(fromType);
    visitType(to, [&](auto toType) {
      using To = decltype(toType);
      auto *in = static_cast<const From *>(source);
      auto *out = static_cast<To *>(target);
      for (int64_t i = 0; i < count; ++i)
        out[i] = convert<From, To>(in[i]);
    });
  });
}

// Holds every integer of 64 bits.
static long double exactElement(const Array &array, int64_t index) {
  return visitType(array.dtype(), [&](auto type) -> long double {
    using T = decltype(type);
    T value = *static_cast<const T *>(array.addressOf(index));
    if constexpr (isFloat<T>)
      return widen(value);
    else
      return value;
  });
}

frontend::Fit frontend::fitOf(const Array &array, int64_t index, DType dtype) {
  if (!isInteger(dtype))
    return Fit::Inside;
  long double value = exactElement(array, index);
  if (!isInteger(array.dtype()))
    value = std::trunc(double(value)); // that of a long double is a slow call
  return visitType(dtype, [&](auto type) {
    using Limits = std::numeric_limits<decltype(type)>;
    if constexpr (Limits::is_integer)
      return value != value ? Fit::NotANumber
             : value<(long double)Limits::min() ? Fit::Below : value>(long double) Limits::max()
                 ? Fit::Above
                 : Fit::Inside;
    return Fit::Inside;
  });
}

std::optional<int64_t> frontend::firstMisfit(const Array &array, DType dtype) {
  if (isInteger(dtype) && dtype != array.dtype())
    for (int64_t i = 0; i < array.size(); ++i)
      if (fitOf(array, i, dtype) != Fit::Inside)
        return i;
  return std::nullopt;
}

static Array endOf(DType dtype, bool isGreatest) {
  return visitType(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>)
      return Array(isGreatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
    return Array();
  });
}

Array frontend::leastOf(DType dtype) { return endOf(dtype, false); }
Array frontend::greatestOf(DType dtype) { return endOf(dtype, true); }

Array frontend::saturated(const Array &array, DType dtype) {
  Array result = array.astype(dtype);
  if (!firstMisfit(array, dtype))
    return result;
  size_t size = dtypeSize(dtype);
  const Array least = leastOf(dtype), greatest = greatestOf(dtype);
  for (int64_t i = 0; i < array.size(); ++i) {
    Fit fit = fitOf(array, i, dtype);
    if (fit == Fit::Below || fit == Fit::Above)
      std::memcpy(static_cast<char *>(result.rawData()) + size_t(i) * size,
                  (fit == Fit::Below ? least : greatest).rawData(), size);
  }
  return result;
}

// As short as the number can be told from its neighbours.
static std::string shortestText(double value, int digits) {
  char text[32];
  for (int precision = 6; precision <= digits; ++precision) {
    std::snprintf(text, sizeof text, "%.*g", precision, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

std::string frontend::elementText(const Array &array, int64_t index) {
  const DType dtype = array.dtype();
  if (isComplex(dtype)) {
    const bool isDouble = dtype == DType::Complex128;
    auto part = [&](size_t number) {
      const auto *parts = static_cast<const char *>(array.addressOf(index));
      const size_t size = dtypeSize(dtype) / 2;
      return shortestText(
          elementAsDouble(isDouble ? DType::Float64 : DType::Float32, parts + number * size, 0),
          isDouble ? 17 : 9);
    };
    std::string im = part(1);
    return part(0) + (im[0] == '-' ? "" : "+") + im + "j";
  }
  if (!isFloating(dtype)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0Lf", exactElement(array, index));
    return text;
  }
  return shortestText(elementAsDouble(dtype, array.addressOf(index), 0),
                      dtype == DType::Float64 ? 17 : 9);
}
int frontend::compareElements(const Array &a, int64_t index, const Array &b) {
  long double x = exactElement(a, index), y = exactElement(b, 0);
  return x < y ? -1 : x > y;
}
