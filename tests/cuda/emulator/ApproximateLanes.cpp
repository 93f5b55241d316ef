// Functions that the PTX manual gives a bound of error: computed in double and rounded, which is
// within every bound.
#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/emulator/LaneLoops.h"

#include <cmath>

namespace keratin::ptx {
namespace {

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
float canonical(double x) { return x != x ? bits<float>(0x7fffffffu) : float(x); }
template <bool ftz> float in(float x) { return ftz ? flush(x) : x; }

template <bool ftz, double (*f)(double)>
constexpr auto single = [](float x) { return in<ftz>(canonical(f(in<ftz>(x)))); };
double exp2Of(double x) { return std::exp2(x); }
double log2Of(double x) { return std::log2(x); }
double sineOf(double x) { return std::sin(x); }
double cosineOf(double x) { return std::cos(x); }
double tanhOf(double x) { return std::tanh(x); }
double rootOf(double x) { return std::sqrt(x); }
double reciprocalOf(double x) { return 1 / x; }
double inverseRootOf(double x) { return 1 / std::sqrt(x); }

// div.approx gives 0 where |b| is beyond 2^126; div.full does not.
template <bool ftz>
constexpr auto approximateQuotient = [](float a, float b) {
  float x = in<ftz>(a), y = in<ftz>(b);
  if (std::fabs(y) > 0x1p126f && std::isfinite(y))
    return std::isinf(x) ? bits<float>(0x7fffffffu)
                         : std::copysign(0.0f, std::signbit(x) == std::signbit(y) ? 1.0f : -1.0f);
  return in<ftz>(canonical(double(x) / double(y)));
};
template <bool ftz>
constexpr auto fullQuotient =
    [](float a, float b) { return in<ftz>(canonical(double(in<ftz>(a)) / double(in<ftz>(b)))); };

// rcp and rsqrt of f64 look at the upper word only and fill the lower one with zeros.
double upperWord(double x) { return bits<double>(bits<uint64_t>(x) & 0xffffffff00000000u); }
double flushDouble(double x) { return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x; }
constexpr auto coarseReciprocal = [](double x) {
  return upperWord(flushDouble(1 / flushDouble(upperWord(x))));
};
constexpr auto coarseInverseRoot = [](double x) {
  return upperWord(1 / std::sqrt(flushDouble(upperWord(x))));
};

template <double (*f)(double)>
constexpr auto half = [](u16 x) { return toHalf(f(fromHalf(x)), Rounding::Nearest); };
template <double (*f)(double)>
constexpr auto bfloat = [](u16 x) { return toBfloat(f(fromBfloat(x)), Rounding::Nearest); };
template <auto f>
constexpr auto both = [](u32 x) { return u32(f(u16(x >> 16))) << 16 | f(u16(x)); };

#define SINGLE(NAME, F)                                                                            \
  {NAME ".approx.f32", scalarUnary<float, float, single<false, F>>}, {                             \
    NAME ".approx.ftz.f32", scalarUnary<float, float, single<true, F>>                             \
  }
#define HALF(NAME, F)                                                                              \
  {NAME ".approx.f16", scalarUnary<u16, u16, half<F>>},                                            \
      {NAME ".approx.f16x2", scalarUnary<u32, u32, both<half<F>>>},                                \
      {NAME ".approx.ftz.f16", scalarUnary<u16, u16, half<F>>},                                    \
      {NAME ".approx.ftz.f16x2", scalarUnary<u32, u32, both<half<F>>>},                            \
      {NAME ".approx.bf16", scalarUnary<u16, u16, bfloat<F>>},                                     \
      {NAME ".approx.bf16x2", scalarUnary<u32, u32, both<bfloat<F>>>},                             \
      {NAME ".approx.ftz.bf16", scalarUnary<u16, u16, bfloat<F>>}, {                               \
    NAME ".approx.ftz.bf16x2", scalarUnary<u32, u32, both<bfloat<F>>>                              \
  }

constexpr LaneEntry entries[] = {
    SINGLE("ex2", exp2Of),
    SINGLE("lg2", log2Of),
    SINGLE("sin", sineOf),
    SINGLE("cos", cosineOf),
    SINGLE("rcp", reciprocalOf),
    SINGLE("sqrt", rootOf),
    SINGLE("rsqrt", inverseRootOf),
    SINGLE("tanh", tanhOf),
    HALF("ex2", exp2Of),
    HALF("tanh", tanhOf),
    {"div.approx.f32", scalarBinary<float, float, float, approximateQuotient<false>>},
    {"div.approx.ftz.f32", scalarBinary<float, float, float, approximateQuotient<true>>},
    {"div.full.f32", scalarBinary<float, float, float, fullQuotient<false>>},
    {"div.full.ftz.f32", scalarBinary<float, float, float, fullQuotient<true>>},
    {"rcp.approx.ftz.f64", scalarUnary<double, double, coarseReciprocal>},
    {"rsqrt.approx.ftz.f64", scalarUnary<double, double, coarseInverseRoot>},
    {"rsqrt.approx.f64", scalarUnary<double, double, coarseInverseRoot>},
};

} // namespace

LaneTable approximateLanes() { return {entries, std::size(entries)}; }

} // namespace keratin::ptx
