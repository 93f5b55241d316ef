// Floating-point arithmetic rounded to nearest, comparisons and the quick conversions. Compiled
// twice: KERATIN_LANES names the table.
#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/emulator/LaneLoops.h"

namespace keratin::ptx {
namespace {

// What a mnemonic adds: .ftz takes subnormal operands and results of f32 for zeros, .sat clamps to
// [0, 1].
enum Modifier { plain = 0, ftz = 1, sat = 2 };

float flush(float x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x; }
template <int m> float in(float x) { return (m & ftz) ? flush(x) : x; }
// Every NaN that f32 arithmetic makes is 0x7fffffff.
template <int m> float out(float x) {
  float y = (m & ftz) ? flush(x) : x;
  if (m & sat)
    return y > 0 ? (y < 1 ? y : 1.0f) : 0.0f;
  return y != y ? bits<float>(0x7fffffffu) : y;
}
template <int m> double in(double x) { return x; }
template <int m> double out(double x) {
  if (m & sat)
    return x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  return x;
}
float fusedMultiplyAdd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fusedMultiplyAdd(double a, double b, double c) { return __builtin_fma(a, b, c); }
float squareRoot(float x) { return __builtin_sqrtf(x); }
double squareRoot(double x) { return __builtin_sqrt(x); }
float magnitude(float x) { return __builtin_fabsf(x); }
double magnitude(double x) { return __builtin_fabs(x); }

template <class T, int m> constexpr auto add = [](T a, T b) { return out<m>(in<m>(a) + in<m>(b)); };
template <class T, int m> constexpr auto sub = [](T a, T b) { return out<m>(in<m>(a) - in<m>(b)); };
template <class T, int m> constexpr auto mul = [](T a, T b) { return out<m>(in<m>(a) * in<m>(b)); };
template <class T, int m>
constexpr auto fma =
    [](T a, T b, T c) { return out<m>(fusedMultiplyAdd(in<m>(a), in<m>(b), in<m>(c))); };
template <class T, int m>
constexpr auto quotient = [](T a, T b) { return out<m>(in<m>(a) / in<m>(b)); };
template <class T, int m> constexpr auto reciprocal = [](T a) { return out<m>(T(1) / in<m>(a)); };
template <class T, int m> constexpr auto root = [](T a) { return out<m>(squareRoot(in<m>(a))); };

template <class T> constexpr bool isNegative(T x) { return __builtin_signbit(x); }
// A number beats a NaN; -0 is less than +0.
template <class T, int m>
constexpr auto least = [](T a, T b) {
  T x = in<m>(a), y = in<m>(b);
  T number = x < y ? x : y < x ? y : isNegative(x) ? x : y;
  return out<m>(x != x ? y : y != y ? x : number);
};
template <class T, int m>
constexpr auto greatest = [](T a, T b) {
  T x = in<m>(a), y = in<m>(b);
  T number = x > y ? x : y > x ? y : isNegative(x) ? y : x;
  return out<m>(x != x ? y : y != y ? x : number);
};
template <int m>
constexpr auto leastNan = [](float a, float b) {
  return a != a || b != b ? bits<float>(0x7fffffffu) : least<float, m>(a, b);
};
template <int m>
constexpr auto greatestNan = [](float a, float b) {
  return a != a || b != b ? bits<float>(0x7fffffffu) : greatest<float, m>(a, b);
};
template <class T, int m> constexpr auto negate = [](T a) { return -in<m>(a); };
template <class T, int m> constexpr auto absolute = [](T a) { return magnitude(in<m>(a)); };

// Half precision is computed in double: exactly, or so that the second rounding is right.
struct Half {
  u16 word;
};
struct Bfloat {
  u16 word;
};
float single(Half x) { return fromHalf(x.word); }
float single(Bfloat x) { return fromBfloat(x.word); }
void set(Half &to, double x) { to.word = toHalf(x, Rounding::Nearest); }
void set(Bfloat &to, double x) { to.word = toBfloat(x, Rounding::Nearest); }
template <class T> T flushed(T x) {
  return (x.word & 0x7c00) || sizeof(T) != 2 ? x : T{u16(x.word & 0x8000)};
}

template <class T, int m> T narrowed(double x) {
  if (m & sat)
    x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  T result;
  set(result, x);
  if (m & ftz)
    result = flushed(result);
  return result;
}
template <class T, int m> double widened(T x) { return double(single((m & ftz) ? flushed(x) : x)); }
template <class T, int m>
constexpr auto halfAdd =
    [](T a, T b) { return narrowed<T, m>(addToOdd(widened<T, m>(a), widened<T, m>(b))); };
template <class T, int m>
constexpr auto halfSub =
    [](T a, T b) { return narrowed<T, m>(addToOdd(widened<T, m>(a), -widened<T, m>(b))); };
template <class T, int m>
constexpr auto halfMul =
    [](T a, T b) { return narrowed<T, m>(widened<T, m>(a) * widened<T, m>(b)); };
template <class T, int m>
constexpr auto halfFma = [](T a, T b, T c) {
  return narrowed<T, m>(addToOdd(widened<T, m>(a) * widened<T, m>(b), widened<T, m>(c)));
};
template <class T>
constexpr auto halfFmaRelu = [](T a, T b, T c) {
  double x = addToOdd(widened<T, plain>(a) * widened<T, plain>(b), widened<T, plain>(c));
  return narrowed<T, plain>(x < 0 ? 0.0 : x);
};
template <class T> constexpr bool isNan(T x) { return single(x) != single(x); }
template <class T>
constexpr auto halfLeast = [](T a, T b) {
  float x = single(a), y = single(b);
  return isNan(a) && isNan(b)                     ? T{0x7fff}
         : isNan(a)                               ? b
         : isNan(b)                               ? a
         : x < y || (x == y && (a.word & 0x8000)) ? a
                                                  : b;
};
template <class T>
constexpr auto halfGreatest = [](T a, T b) {
  float x = single(a), y = single(b);
  return isNan(a) && isNan(b)                     ? T{0x7fff}
         : isNan(a)                               ? b
         : isNan(b)                               ? a
         : x > y || (x == y && (b.word & 0x8000)) ? a
                                                  : b;
};
template <class T>
constexpr auto halfLeastNan =
    [](T a, T b) { return isNan(a) || isNan(b) ? T{0x7fff} : halfLeast<T>(a, b); };
template <class T>
constexpr auto halfGreatestNan =
    [](T a, T b) { return isNan(a) || isNan(b) ? T{0x7fff} : halfGreatest<T>(a, b); };
template <class T> constexpr auto halfNegate = [](T a) { return T{u16(a.word ^ 0x8000)}; };
template <class T> constexpr auto halfAbsolute = [](T a) { return T{u16(a.word & 0x7fff)}; };

// Two halves in a register.
template <class T> struct Two {
  T low, high;
};
template <class T, auto f>
constexpr auto both1 = [](Two<T> a) { return Two<T>{f(a.low), f(a.high)}; };
template <class T, auto f>
constexpr auto both2 =
    [](Two<T> a, Two<T> b) { return Two<T>{f(a.low, b.low), f(a.high, b.high)}; };
template <class T, auto f>
constexpr auto both3 = [](Two<T> a, Two<T> b, Two<T> c) {
  return Two<T>{f(a.low, b.low, c.low), f(a.high, b.high, c.high)};
};

// Comparisons: the first six are false with a NaN, those with u true.
template <class T> T comparable(T x) { return x; }
float comparable(Half x) { return single(x); }
float comparable(Bfloat x) { return single(x); }
template <class T, int m> auto operand(T x) {
  if constexpr (sizeof(T) == 4 && m == ftz)
    return flush(x);
  else
    return comparable(x);
}
template <class T, int m>
constexpr auto eq = [](T a, T b) { return operand<T, m>(a) == operand<T, m>(b); };
template <class T, int m>
constexpr auto lt = [](T a, T b) { return operand<T, m>(a) < operand<T, m>(b); };
template <class T, int m>
constexpr auto le = [](T a, T b) { return operand<T, m>(a) <= operand<T, m>(b); };
template <class T, int m>
constexpr auto gt = [](T a, T b) { return operand<T, m>(a) > operand<T, m>(b); };
template <class T, int m>
constexpr auto ge = [](T a, T b) { return operand<T, m>(a) >= operand<T, m>(b); };
template <class T, int m>
constexpr auto nan = [](T a, T b) {
  auto x = operand<T, m>(a), y = operand<T, m>(b);
  return x != x || y != y;
};
template <class T, int m> constexpr auto num = [](T a, T b) { return !nan<T, m>(a, b); };
template <class T, int m>
constexpr auto ne = [](T a, T b) { return lt<T, m>(a, b) || gt<T, m>(a, b); };
template <class T, int m>
constexpr auto equ = [](T a, T b) { return eq<T, m>(a, b) || nan<T, m>(a, b); };
template <class T, int m> constexpr auto neu = [](T a, T b) { return !eq<T, m>(a, b); };
template <class T, int m> constexpr auto ltu = [](T a, T b) { return !ge<T, m>(a, b); };
template <class T, int m> constexpr auto leu = [](T a, T b) { return !gt<T, m>(a, b); };
template <class T, int m> constexpr auto gtu = [](T a, T b) { return !le<T, m>(a, b); };
template <class T, int m> constexpr auto geu = [](T a, T b) { return !lt<T, m>(a, b); };

template <class T> constexpr T smallestNormal = T(sizeof(T) == 4 ? 0x1p-126 : 0x1p-1022);
template <class T> constexpr auto finite = [](T x) { return bool(__builtin_isfinite(x)); };
template <class T> constexpr auto infinite = [](T x) { return bool(__builtin_isinf(x)); };
template <class T> constexpr auto number = [](T x) { return x == x; };
template <class T> constexpr auto notNumber = [](T x) { return x != x; };
template <class T>
constexpr auto normal = [](T x) { return finite<T>(x) && magnitude(x) >= smallestNormal<T>; };
template <class T>
constexpr auto subnormal = [](T x) { return x != 0 && magnitude(x) < smallestNormal<T>; };

// copysign.f32 d, a, b: the sign of a, the rest of b.
template <class T, class U>
constexpr auto signOf = [](U a, U b) {
  constexpr U sign = U(1) << (sizeof(U) * 8 - 1);
  return U((a & sign) | (b & U(~sign)));
};

// Conversions to integers clamp, a NaN is 0.
constexpr auto truncate32 = [](float x) {
  return x != x ? 0 : x >= 0x1p31f ? s32(0x7fffffff) : x < -0x1p31f ? s32(0x80000000) : s32(x);
};

// slct: by the sign of c.
template <class T, class C> constexpr auto selected = [](T a, T b, C c) { return c >= 0 ? a : b; };

#define FLOATS(N, T, SUFFIX, M)                                                                    \
  {"add" N SUFFIX, binary<T, T, T, add<T, M>>}, {"sub" N SUFFIX, binary<T, T, T, sub<T, M>>},      \
      {"mul" N SUFFIX, binary<T, T, T, mul<T, M>>}, {                                              \
    "fma" N SUFFIX, ternary<T, T, T, T, fma<T, M>>                                                 \
  }
#define QUOTIENTS(T, SUFFIX, M)                                                                    \
  {"div.rn" SUFFIX, binary<T, T, T, quotient<T, M>>},                                              \
      {"rcp.rn" SUFFIX, unary<T, T, reciprocal<T, M>>},                                            \
      {"sqrt.rn" SUFFIX, unary<T, T, root<T, M>>}, {"min" SUFFIX, binary<T, T, T, least<T, M>>},   \
      {"max" SUFFIX, binary<T, T, T, greatest<T, M>>}, {"neg" SUFFIX, unary<T, T, negate<T, M>>},  \
  {                                                                                                \
    "abs" SUFFIX, unary<T, T, absolute<T, M>>                                                      \
  }
#define COMPARISONS(T, SUFFIX, M)                                                                  \
  {"setp.eq" SUFFIX, comparison<T, eq<T, M>>}, {"setp.ne" SUFFIX, comparison<T, ne<T, M>>},        \
      {"setp.lt" SUFFIX, comparison<T, lt<T, M>>}, {"setp.le" SUFFIX, comparison<T, le<T, M>>},    \
      {"setp.gt" SUFFIX, comparison<T, gt<T, M>>}, {"setp.ge" SUFFIX, comparison<T, ge<T, M>>},    \
      {"setp.equ" SUFFIX, comparison<T, equ<T, M>>},                                               \
      {"setp.neu" SUFFIX, comparison<T, neu<T, M>>},                                               \
      {"setp.ltu" SUFFIX, comparison<T, ltu<T, M>>},                                               \
      {"setp.leu" SUFFIX, comparison<T, leu<T, M>>},                                               \
      {"setp.gtu" SUFFIX, comparison<T, gtu<T, M>>},                                               \
      {"setp.geu" SUFFIX, comparison<T, geu<T, M>>},                                               \
      {"setp.num" SUFFIX, comparison<T, num<T, M>>}, {                                             \
    "setp.nan" SUFFIX, comparison<T, nan<T, M>>                                                    \
  }
#define PROPERTIES(T, SUFFIX)                                                                      \
  {"testp.finite" SUFFIX, property<T, finite<T>>},                                                 \
      {"testp.infinite" SUFFIX, property<T, infinite<T>>},                                         \
      {"testp.number" SUFFIX, property<T, number<T>>},                                             \
      {"testp.notanumber" SUFFIX, property<T, notNumber<T>>},                                      \
      {"testp.normal" SUFFIX, property<T, normal<T>>}, {                                           \
    "testp.subnormal" SUFFIX, property<T, subnormal<T>>                                            \
  }
#define HALVES(T, SUFFIX, M)                                                                       \
  {"add.rn" SUFFIX, scalarBinary<T, T, T, halfAdd<T, M>>},                                         \
      {"sub.rn" SUFFIX, scalarBinary<T, T, T, halfSub<T, M>>},                                     \
      {"mul.rn" SUFFIX, scalarBinary<T, T, T, halfMul<T, M>>},                                     \
      {"fma.rn" SUFFIX, scalarTernary<T, T, T, T, halfFma<T, M>>},                                 \
      {"add.rn" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfAdd<T, M>>>},       \
      {"sub.rn" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfSub<T, M>>>},       \
      {"mul.rn" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfMul<T, M>>>}, {     \
    "fma.rn" SUFFIX "x2", scalarTernary<Two<T>, Two<T>, Two<T>, Two<T>, both3<T, halfFma<T, M>>>   \
  }
#define HALF_CHOICES(T, SUFFIX)                                                                    \
  {"fma.rn.relu" SUFFIX, scalarTernary<T, T, T, T, halfFmaRelu<T>>},                               \
      {"fma.rn.relu" SUFFIX "x2",                                                                  \
       scalarTernary<Two<T>, Two<T>, Two<T>, Two<T>, both3<T, halfFmaRelu<T>>>},                   \
      {"min" SUFFIX, scalarBinary<T, T, T, halfLeast<T>>},                                         \
      {"max" SUFFIX, scalarBinary<T, T, T, halfGreatest<T>>},                                      \
      {"min.NaN" SUFFIX, scalarBinary<T, T, T, halfLeastNan<T>>},                                  \
      {"max.NaN" SUFFIX, scalarBinary<T, T, T, halfGreatestNan<T>>},                               \
      {"neg" SUFFIX, unary<T, T, halfNegate<T>>}, {"abs" SUFFIX, unary<T, T, halfAbsolute<T>>},    \
      {"min" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfLeast<T>>>},           \
      {"max" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfGreatest<T>>>},        \
      {"min.NaN" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfLeastNan<T>>>},    \
      {"max.NaN" SUFFIX "x2", scalarBinary<Two<T>, Two<T>, Two<T>, both2<T, halfGreatestNan<T>>>}, \
      {"neg" SUFFIX "x2", unary<Two<T>, Two<T>, both1<T, halfNegate<T>>>}, {                       \
    "abs" SUFFIX "x2", unary<Two<T>, Two<T>, both1<T, halfAbsolute<T>>>                            \
  }

constexpr LaneEntry entries[] = {
    FLOATS(".rn", float, ".f32", plain),
    FLOATS(".rn", float, ".ftz.f32", ftz),
    FLOATS(".rn", float, ".sat.f32", sat),
    FLOATS(".rn", float, ".ftz.sat.f32", ftz | sat),
    FLOATS(".rn", double, ".f64", plain),
    QUOTIENTS(float, ".f32", plain),
    QUOTIENTS(float, ".ftz.f32", ftz),
    QUOTIENTS(double, ".f64", plain),
    {"min.NaN.f32", binary<float, float, float, leastNan<plain>>},
    {"max.NaN.f32", binary<float, float, float, greatestNan<plain>>},
    {"min.ftz.NaN.f32", binary<float, float, float, leastNan<ftz>>},
    {"max.ftz.NaN.f32", binary<float, float, float, greatestNan<ftz>>},
    COMPARISONS(float, ".f32", plain),
    COMPARISONS(float, ".ftz.f32", ftz),
    COMPARISONS(double, ".f64", plain),
    COMPARISONS(Half, ".f16", plain),
    COMPARISONS(Bfloat, ".bf16", plain),
    PROPERTIES(float, ".f32"),
    PROPERTIES(double, ".f64"),
    HALVES(Half, ".f16", plain),
    HALVES(Half, ".ftz.f16", ftz),
    HALVES(Half, ".sat.f16", sat),
    HALVES(Half, ".ftz.sat.f16", ftz | sat),
    HALVES(Bfloat, ".bf16", plain),
    HALF_CHOICES(Half, ".f16"),
    HALF_CHOICES(Bfloat, ".bf16"),
    {"copysign.f32", binary<u32, u32, u32, signOf<float, u32>>},
    {"copysign.f64", binary<u64, u64, u64, signOf<double, u64>>},
    {"slct.b16.s32", ternary<u16, u16, u16, s32, selected<u16, s32>>},
    {"slct.b32.s32", ternary<u32, u32, u32, s32, selected<u32, s32>>},
    {"slct.b64.s32", ternary<u64, u64, u64, s32, selected<u64, s32>>},
    {"slct.b16.f32", ternary<u16, u16, u16, float, selected<u16, float>>},
    {"slct.b32.f32", ternary<u32, u32, u32, float, selected<u32, float>>},
    {"slct.b64.f32", ternary<u64, u64, u64, float, selected<u64, float>>},
    {"cvt.rn.f32.s32", unary<float, s32, [](s32 x) { return float(x); }>},
    {"cvt.rn.f32.u32", unary<float, u32, [](u32 x) { return float(x); }>},
    {"cvt.rn.f64.s32", unary<double, s32, [](s32 x) { return double(x); }>},
    {"cvt.rn.f64.u32", unary<double, u32, [](u32 x) { return double(x); }>},
    {"cvt.rzi.s32.f32", unary<s32, float, truncate32>},
    {"cvt.f64.f32", unary<double, float, [](float x) { return double(x); }>},
    {"cvt.rn.f32.f64", unary<float, double, [](double x) { return out<plain>(float(x)); }>},
    {"cvt.f32.f16", unary<float, u16, [](u16 x) { return fromHalf(x); }>},
    {"cvt.rn.f16.f32", unary<u16, float, [](float x) { return toHalf(x); }>},
    {"cvt.f32.bf16", unary<float, u16, [](u16 x) { return fromBfloat(x); }>},
    {"cvt.rn.bf16.f32", unary<u16, float, [](float x) { return toBfloat(x); }>},
    {"cvt.rn.f16x2.f32",
     binary<u32, float, float,
            [](float high, float low) { return u32(toHalf(high)) << 16 | toHalf(low); }>},
    {"cvt.rn.bf16x2.f32",
     binary<u32, float, float,
            [](float high, float low) { return u32(toBfloat(high)) << 16 | toBfloat(low); }>},
};

} // namespace

LaneTable KERATIN_LANES() { return {entries, sizeof entries / sizeof *entries}; }

} // namespace keratin::ptx
