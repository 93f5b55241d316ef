#include "runtime/comm/Combine.h"

#include "runtime/core/Half.h"

#include <type_traits>

namespace keratin::comm {

namespace {

// How an element is stored, and in which type it is combined.
template <typename T> struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};
struct Float32 {
  using Stored = float;
  using Value = double;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return Stored(value); }
};
struct Float16 {
  using Stored = uint16_t;
  using Value = double;
  static Value load(Stored stored) { return runtime::doubleFromFloat16(stored); }
  static Stored store(Value value) { return runtime::float16FromDouble(value); }
};
struct Bfloat16 {
  using Stored = uint16_t;
  using Value = double;
  static Value load(Stored stored) { return runtime::doubleFromBfloat16(stored); }
  static Stored store(Value value) { return runtime::bfloat16FromDouble(value); }
};

// Blocks of elements stay in registers or the first cache while the parts are walked.
constexpr int64_t blockElements = 256;

// What has been folded is divided by the divisor: of floats.
template <typename Format, typename Fold>
void fold(const void *parts, int32_t count, int64_t elements, void *out, Fold fold,
          int32_t divisor = 1) {
  const auto *first = static_cast<const typename Format::Stored *>(parts);
  auto *result = static_cast<typename Format::Stored *>(out);
  for (int64_t begin = 0; begin < elements; begin += blockElements) {
    int64_t length = elements - begin < blockElements ? elements - begin : blockElements;
    typename Format::Value block[blockElements];
    for (int64_t i = 0; i < length; ++i)
      block[i] = Format::load(first[begin + i]);
    for (int32_t part = 1; part < count; ++part) {
      const auto *more = first + part * elements + begin;
      for (int64_t i = 0; i < length; ++i)
        block[i] = fold(block[i], Format::load(more[i]));
    }
    if constexpr (std::is_floating_point_v<typename Format::Value>)
      for (int64_t i = 0; i < length; ++i)
        block[i] /= divisor;
    for (int64_t i = 0; i < length; ++i)
      result[begin + i] = Format::store(block[i]);
  }
}

template <typename Value> Value larger(Value a, Value b) {
  if constexpr (std::is_floating_point_v<Value>)
    return a > b || a != a ? a : b; // b where it is NaN
  else
    return a > b ? a : b;
}
template <typename Value> Value smaller(Value a, Value b) {
  if constexpr (std::is_floating_point_v<Value>)
    return a < b || a != a ? a : b;
  else
    return a < b ? a : b;
}
template <typename Value> Value sum(Value a, Value b) {
  if constexpr (std::is_integral_v<Value>)
    return Value(std::make_unsigned_t<Value>(a) + std::make_unsigned_t<Value>(b));
  else
    return a + b;
}

template <typename Format>
void reduce(int32_t reduction, const void *parts, int32_t count, int64_t elements, void *out) {
  using Value = typename Format::Value;
  if (reduction == KERATIN_REDUCE_MAX)
    fold<Format>(parts, count, elements, out, larger<Value>);
  else if (reduction == KERATIN_REDUCE_MIN)
    fold<Format>(parts, count, elements, out, smaller<Value>);
  else
    fold<Format>(parts, count, elements, out, sum<Value>,
                 reduction == KERATIN_REDUCE_MEAN ? count : 1);
}

// Of a sum that is not finite the errors are NaN.
void sumDoubles(const double *parts, int32_t count, int64_t elements, double *out,
                int32_t divisor) {
  for (int64_t i = 0; i < elements; ++i) {
    double total = parts[i], lost = 0;
    for (int32_t part = 1; part < count; ++part) {
      double more = parts[part * elements + i], next = total + more;
      lost += __builtin_fabs(total) >= __builtin_fabs(more) ? (total - next) + more
                                                            : (more - next) + total;
      total = next;
    }
    double exact = total + lost;
    out[i] = (__builtin_isfinite(exact) ? exact : total) / divisor;
  }
}

} // namespace

void combine(int32_t dtype, int32_t reduction, const void *parts, int32_t count, int64_t elements,
             void *out) {
  switch (dtype) {
  case KERATIN_DTYPE_BOOL: // or, and; 0 and 1
    reduce<Plain<uint8_t>>(reduction == KERATIN_REDUCE_SUM ? int32_t(KERATIN_REDUCE_MAX)
                                                           : reduction,
                           parts, count, elements, out);
    break;
  case KERATIN_DTYPE_INT8:
    reduce<Plain<int8_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_INT16:
    reduce<Plain<int16_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_INT32:
    reduce<Plain<int32_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_INT64:
    reduce<Plain<int64_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_UINT8:
    reduce<Plain<uint8_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_UINT16:
    reduce<Plain<uint16_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_UINT32:
    reduce<Plain<uint32_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_UINT64:
    reduce<Plain<uint64_t>>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_FLOAT16:
    reduce<Float16>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_BFLOAT16:
    reduce<Bfloat16>(reduction, parts, count, elements, out);
    break;
  case KERATIN_DTYPE_FLOAT32:
    reduce<Float32>(reduction, parts, count, elements, out);
    break;
  default:
    if (reduction == KERATIN_REDUCE_SUM || reduction == KERATIN_REDUCE_MEAN)
      sumDoubles(static_cast<const double *>(parts), count, elements, static_cast<double *>(out),
                 reduction == KERATIN_REDUCE_MEAN ? count : 1);
    else
      reduce<Plain<double>>(reduction, parts, count, elements, out);
  }
}

} // namespace keratin::comm
