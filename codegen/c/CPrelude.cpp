#include "codegen/c/CPrelude.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace keratin;

llvm::StringRef codegen::cPrelude() {
  return R"C(#include <float.h>
#include <stdint.h>

// Products and sums are rounded each for itself, in their own precision.
#if defined(__FAST_MATH__)
#error "this file computes what it says without -ffast-math alone"
#endif
#if FLT_EVAL_METHOD != 0
#error "float arithmetic must be done in float (on x86-32: -msse2 -mfpmath=sse)"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#if !defined(__STRICT_ANSI__) && !defined(KERATIN_NO_CONTRACTION)
#error "compile with -std=c99, or with -ffp-contract=off -DKERATIN_NO_CONTRACTION"
#endif
#else
#pragma STDC FP_CONTRACT OFF
#endif

// Memory of a call holds values of any type, one after the other.
#if defined(__GNUC__)
#define KERATIN_ALIAS __attribute__((__may_alias__))
#define KERATIN_UNUSED __attribute__((__unused__))
#else
#define KERATIN_ALIAS // needs a compiler that does not conclude from types what overlaps
#define KERATIN_UNUSED
#endif
      typedef uint8_t KERATIN_ALIAS keratin_u8;
  typedef uint16_t KERATIN_ALIAS keratin_u16;
  typedef uint32_t KERATIN_ALIAS keratin_u32;
  typedef uint64_t KERATIN_ALIAS keratin_u64;
  typedef float KERATIN_ALIAS keratin_f32;
  typedef double KERATIN_ALIAS keratin_f64;
  typedef unsigned char *KERATIN_ALIAS keratin_pointer;

  static inline KERATIN_UNUSED unsigned char *keratin_at(const void *base, uint64_t offset) {
    return (unsigned char *)((uintptr_t)base + (uintptr_t)offset);
  }
)C";
}

namespace {
struct Helper {
  const char *name;
  const char *uses; // another one, or ""
  const char *text;
};
} // namespace

// A helper stands behind those that it uses.
static constexpr Helper helpers[] = {
    {"bits32", "", R"C(
static inline uint32_t keratin_bits32(float x) {
  union {
    float value;
    uint32_t bits;
  } both;
  both.value = x;
  return both.bits;
}
)C"},
    {"bits64", "", R"C(
static inline uint64_t keratin_bits64(double x) {
  union {
    double value;
    uint64_t bits;
  } both;
  both.value = x;
  return both.bits;
}
)C"},
    {"float32", "", R"C(
static inline float keratin_float32(uint32_t bits) {
  union {
    float value;
    uint32_t bits;
  } both;
  both.bits = bits;
  return both.value;
}
)C"},
    {"float64", "", R"C(
static inline double keratin_float64(uint64_t bits) {
  union {
    double value;
    uint64_t bits;
  } both;
  both.bits = bits;
  return both.value;
}
)C"},
    // Bytes in the order of the machine.
    {"load16", "", R"C(
static inline uint16_t keratin_load16(const unsigned char *from) {
  union {
    uint16_t value;
    unsigned char bytes[2];
  } both;
  int i;
  for (i = 0; i < 2; ++i)
    both.bytes[i] = from[i];
  return both.value;
}
)C"},
    {"load32", "", R"C(
static inline uint32_t keratin_load32(const unsigned char *from) {
  union {
    uint32_t value;
    unsigned char bytes[4];
  } both;
  int i;
  for (i = 0; i < 4; ++i)
    both.bytes[i] = from[i];
  return both.value;
}
)C"},
    {"load64", "", R"C(
static inline uint64_t keratin_load64(const unsigned char *from) {
  union {
    uint64_t value;
    unsigned char bytes[8];
  } both;
  int i;
  for (i = 0; i < 8; ++i)
    both.bytes[i] = from[i];
  return both.value;
}
)C"},
    {"store16", "", R"C(
static inline void keratin_store16(unsigned char *to, uint16_t value) {
  union {
    uint16_t value;
    unsigned char bytes[2];
  } both;
  int i;
  both.value = value;
  for (i = 0; i < 2; ++i)
    to[i] = both.bytes[i];
}
)C"},
    {"store32", "", R"C(
static inline void keratin_store32(unsigned char *to, uint32_t value) {
  union {
    uint32_t value;
    unsigned char bytes[4];
  } both;
  int i;
  both.value = value;
  for (i = 0; i < 4; ++i)
    to[i] = both.bytes[i];
}
)C"},
    {"store64", "", R"C(
static inline void keratin_store64(unsigned char *to, uint64_t value) {
  union {
    uint64_t value;
    unsigned char bytes[8];
  } both;
  int i;
  both.value = value;
  for (i = 0; i < 8; ++i)
    to[i] = both.bytes[i];
}
)C"},
    // Shifts that fill with the sign.
    {"sar8", "", R"C(
static inline uint8_t keratin_sar8(uint8_t x, unsigned n) {
  return (uint8_t)(x >> 7 ? ~((uint8_t)~x >> n) : x >> n);
}
)C"},
    {"sar16", "", R"C(
static inline uint16_t keratin_sar16(uint16_t x, unsigned n) {
  return (uint16_t)(x >> 15 ? ~((uint16_t)~x >> n) : x >> n);
}
)C"},
    {"sar32", "", R"C(
static inline uint32_t keratin_sar32(uint32_t x, unsigned n) {
  return x >> 31 ? ~(~x >> n) : x >> n;
}
)C"},
    {"sar64", "", R"C(
static inline uint64_t keratin_sar64(uint64_t x, unsigned n) {
  return x >> 63 ? ~(~x >> n) : x >> n;
}
)C"},
    // What cannot be represented is 0: whoever asks for it does not look at it.
    {"to_signed", "", R"C(
static inline int64_t keratin_to_signed(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : 0;
}
)C"},
    {"to_unsigned", "", R"C(
static inline uint64_t keratin_to_unsigned(double x) {
  return x > -1 && x < 0x1p64 ? (uint64_t)x : 0;
}
)C"},
    {"abs32", "bits32 float32", R"C(
static inline float keratin_abs32(float x) {
  return keratin_float32(keratin_bits32(x) & 0x7fffffffu);
}
)C"},
    {"abs64", "bits64 float64", R"C(
static inline double keratin_abs64(double x) {
  return keratin_float64(keratin_bits64(x) & 0x7fffffffffffffffu);
}
)C"},
    {"neg32", "bits32 float32", R"C(
static inline float keratin_neg32(float x) {
  return keratin_float32(keratin_bits32(x) ^ 0x80000000u);
}
)C"},
    {"neg64", "bits64 float64", R"C(
static inline double keratin_neg64(double x) {
  return keratin_float64(keratin_bits64(x) ^ 0x8000000000000000u);
}
)C"},
    {"copysign32", "bits32 float32", R"C(
static inline float keratin_copysign32(float x, float sign) {
  return keratin_float32((keratin_bits32(x) & 0x7fffffffu) | (keratin_bits32(sign) & 0x80000000u));
}
)C"},
    {"copysign64", "bits64 float64", R"C(
static inline double keratin_copysign64(double x, double sign) {
  return keratin_float64((keratin_bits64(x) & 0x7fffffffffffffffu) |
                         (keratin_bits64(sign) & 0x8000000000000000u));
}
)C"},
    // Digit by digit, rounded to nearest. A processor with an instruction for it can be told of.
    {"sqrt32", "bits32 float32", R"C(
static inline float keratin_sqrt32(float x) {
#ifdef KERATIN_SQRT32
  return KERATIN_SQRT32(x);
#else
  uint32_t bits = keratin_bits32(x), left, root = 0, twice = 0, digit;
  int32_t exponent = (int32_t)(bits >> 23);
  if (bits == 0x80000000u || bits == 0 || bits == 0x7f800000u)
    return x;
  if (bits > 0x7f800000u)
    return keratin_float32((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : 0x7fc00000u);
  if (exponent == 0) {
    for (exponent = 1; !(bits & 0x800000u); --exponent)
      bits <<= 1;
  }
  left = (bits & 0x7fffffu) | 0x800000u;
  exponent -= 127;
  left <<= exponent & 1 ? 2 : 1;
  exponent = (exponent - (exponent & 1)) / 2;
  for (digit = 0x1000000u; digit; digit >>= 1) {
    const uint32_t next = twice + digit;
    if (next <= left) {
      twice = next + digit;
      left -= next;
      root += digit;
    }
    left <<= 1;
  }
  if (left)
    root += root & 1;
  return keratin_float32((root >> 1) + ((uint32_t)(exponent + 126) << 23));
#endif
}
)C"},
    {"sqrt64", "bits64 float64", R"C(
static inline double keratin_sqrt64(double x) {
#ifdef KERATIN_SQRT64
  return KERATIN_SQRT64(x);
#else
  uint64_t bits = keratin_bits64(x), left, root = 0, twice = 0, digit;
  int32_t exponent = (int32_t)(bits >> 52);
  const uint64_t infinity = 0x7ff0000000000000u;
  if (bits == 0x8000000000000000u || bits == 0 || bits == infinity)
    return x;
  if (bits > infinity)
    return keratin_float64((bits & 0x7fffffffffffffffu) > infinity ? bits | 0x8000000000000u
                                                                   : 0x7ff8000000000000u);
  if (exponent == 0) {
    for (exponent = 1; !(bits & 0x10000000000000u); --exponent)
      bits <<= 1;
  }
  left = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  exponent -= 1023;
  left <<= exponent & 1 ? 2 : 1;
  exponent = (exponent - (exponent & 1)) / 2;
  for (digit = 0x20000000000000u; digit; digit >>= 1) {
    const uint64_t next = twice + digit;
    if (next <= left) {
      twice = next + digit;
      left -= next;
      root += digit;
    }
    left <<= 1;
  }
  if (left)
    root += root & 1;
  return keratin_float64((root >> 1) + ((uint64_t)(exponent + 1022) << 52));
#endif
}
)C"},
    {"clz64", "", R"C(
static inline uint64_t keratin_clz64(uint64_t x, unsigned bits) {
  unsigned n = 0;
  while (n < bits && !(x >> (bits - 1 - n) & 1))
    ++n;
  return n;
}
)C"},
    {"ctz64", "", R"C(
static inline uint64_t keratin_ctz64(uint64_t x, unsigned bits) {
  unsigned n = 0;
  while (n < bits && !(x >> n & 1))
    ++n;
  return n;
}
)C"},
    {"popcount64", "", R"C(
static inline uint64_t keratin_popcount64(uint64_t x) {
  uint64_t n = 0;
  for (; x; x &= x - 1)
    ++n;
  return n;
}
)C"},
};

std::string codegen::CHelpers::use(llvm::StringRef name) {
  assert(llvm::any_of(helpers, [&](const Helper &helper) { return name == helper.name; }) &&
         "not a helper");
  used.insert(name.str());
  return "keratin_" + name.str();
}

std::string codegen::CHelpers::text() const {
  std::set<std::string> needed = used;
  for (const Helper &helper : helpers)
    if (used.count(helper.name))
      for (llvm::StringRef rest = helper.uses; !rest.empty();) {
        auto [first, others] = rest.split(' ');
        needed.insert(first.str());
        rest = others;
      }
  std::string result;
  for (const Helper &helper : helpers)
    if (needed.count(helper.name))
      result += helper.text;
  return result;
}
