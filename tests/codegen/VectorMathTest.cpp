#include "ir/reference/SpecialFunctions.h"
#include "tests/codegen/VectorMathCases.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/IR/BuiltinTypes.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

using namespace keratin;
using namespace keratin::tests;
using codegen::VectorMath;
using mlir::Value;

// Machines that differ in what VectorMath emits: AVX-512; AVX2 and FMA; SSE4.1; SSE2. Where
// KERATIN_TEST_EVERY says so, ours and some of the others, which are others each day.
static const char *const machines[] = {"native", "x86-64-v3", "x86-64-v2", "x86-64"};

template <typename Test> static void onEachMachine(Test test) {
  Sample sample;
  for (const char *name : machines) {
    if (!sample.takesNext())
      continue;
    JitHarness harness(codegen::machineByName(name));
    if (!harness.runsHere())
      continue;
    INFO("machine " << name);
    test(harness);
  }
}

template <typename Float> static std::vector<Float> specialValues() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> values = {0,
                               Limits::denorm_min(),
                               Limits::min() / 2,
                               std::nextafter(Limits::min(), Float(0)),
                               Limits::min(),
                               Limits::epsilon() / 4,
                               Limits::epsilon(),
                               Limits::max(),
                               Limits::infinity(),
                               Limits::quiet_NaN()};
  // Where functions change their formula, overflow or underflow, with neighbours.
  for (double threshold : {0.25,
                           0.34657359,
                           0.41421356,
                           0.5,
                           0.55,
                           0.6,
                           0.70710678,
                           0.93,
                           1.0,
                           1.41421356,
                           2.41421356,
                           4.0,
                           6.0,
                           9.0,
                           10.0,
                           20.0,
                           37.0,
                           40.0,
                           80.0,
                           87.33655,
                           88.72284,
                           103.2789,
                           103.97208,
                           104.0,
                           89.0,
                           708.3964,
                           709.782713,
                           710.0,
                           745.1332,
                           746.0,
                           1e5,
                           8388608.0,
                           1e6,
                           4194304.5,
                           2097152.5,
                           9007199254740992.0,
                           4503599627370495.5,
                           1e15,
                           1.5707963267948966,
                           3.1415926535897931,
                           355.0,
                           710.0,
                           1e22,
                           16777216.0,
                           6381956970095103.0e30,
                           5.319372648326541e237}) {
    Float value = threshold;
    values.insert(values.end(),
                  {std::nextafter(value, Float(0)), value, std::nextafter(value, Limits::max())});
  }
  for (size_t i = 0, count = values.size(); i < count; ++i)
    values.push_back(-values[i]);
  return values;
}

static std::vector<float> singles() {
  std::vector<float> values = specialValues<float>();
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4099)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return values;
}

static std::vector<double> doubles() {
  std::vector<double> values = specialValues<double>();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-30, 30), unit(-1.5, 1.5);
  for (int i = 0; i < 20000; ++i)
    values.insert(values.end(), {std::bit_cast<double>(random()), near(random), unit(random),
                                 std::exp(near(random))});
  return values;
}

TEST_CASE("unary functions keep their error bounds", "[vector-math]") {
  const std::vector<float> x32 = singles();
  const std::vector<double> x64 = doubles();
  onEachMachine([&](JitHarness &harness) {
    bool fused = harness.machine().hasFma;
    for (const UnaryCase &function : unaryCases()) {
      INFO(function.name);
      std::vector<float> y32(x32.size());
      unaryKernel(harness, function,
                  mlir::Float32Type::get(harness.context()))(x32.data(), y32.data(), x32.size());
      WorstError<float> worst32;
      for (size_t i = 0; i < x32.size(); ++i)
        worst32.add(function.errorOf(x32[i], y32[i], function.reference(x32[i])), x32[i], y32[i]);
      INFO("f32 of " << worst32.input << " is " << worst32.result);
      CHECK(worst32.ulp <= (fused ? function.bound32 : function.bound32Unfused));

      std::vector<double> y64(x64.size());
      unaryKernel(harness, function,
                  mlir::Float64Type::get(harness.context()))(x64.data(), y64.data(), x64.size());
      WorstError<double> worst64;
      for (size_t i = 0; i < x64.size(); ++i)
        worst64.add(function.errorOf(x64[i], y64[i], function.longReference(x64[i])), x64[i],
                    y64[i]);
      INFO("f64 of " << worst64.input << " is " << worst64.result);
      CHECK(worst64.ulp <= (fused ? function.bound64 : function.bound64Unfused));
    }
  });
}

// Whether two kernels of as many inputs write the same bits.
template <typename Float>
static bool agree(const ElementwiseKernel &a, const ElementwiseKernel &b,
                  const std::vector<const void *> &inputs, size_t count) {
  std::vector<Float> ofA(count), ofB(count);
  a(inputs, {ofA.data()}, count);
  b(inputs, {ofB.data()}, count);
  return std::memcmp(ofA.data(), ofB.data(), count * sizeof(Float)) == 0;
}

TEST_CASE("functions that are called give the bits of those written out", "[vector-math]") {
  const std::vector<float> x32 = singles();
  const std::vector<double> x64 = doubles();
  onEachMachine([&](JitHarness &written) {
    codegen::MachineTarget machine = written.machine();
    machine.callsMath = true;
    JitHarness calling(machine);
    mlir::Type f32 = mlir::Float32Type::get(written.context()),
               otherF32 = mlir::Float32Type::get(calling.context()),
               f64 = mlir::Float64Type::get(written.context()),
               otherF64 = mlir::Float64Type::get(calling.context());
    for (const UnaryCase &function : unaryCases()) {
      INFO(function.name);
      CHECK(agree<float>(unaryKernel(written, function, f32),
                         unaryKernel(calling, function, otherF32), {x32.data()}, x32.size()));
      CHECK(agree<double>(unaryKernel(written, function, f64),
                          unaryKernel(calling, function, otherF64), {x64.data()}, x64.size()));
    }
    std::vector<double> reversed(x64.rbegin(), x64.rend());
    CHECK(agree<double>(powKernel(written, f64), powKernel(calling, otherF64),
                        {x64.data(), reversed.data()}, x64.size()));
  });
}

TEST_CASE("what is known of an exponent changes no bit", "[vector-math]") {
  auto isTaken = [](auto x) { return !(x > 0); };
  std::vector<float> x32 = singles();
  std::vector<double> x64 = doubles();
  // From the least that is not 0 on, every 61st.
  for (uint32_t bits = 0x80000001; bits < 0xc3000000; bits += 61)
    x32.push_back(std::bit_cast<float>(bits));
  std::erase_if(x32, std::not_fn(isTaken));
  std::erase_if(x64, std::not_fn(isTaken));
  onEachMachine([&](JitHarness &harness) {
    auto kernel = [&](Value (VectorMath::*function)(Value) const, mlir::Type element) {
      return unaryKernel(harness, UnaryCase{"", function, nullptr, nullptr, 0, 0, 0, 0}, element);
    };
    mlir::Type f32 = mlir::Float32Type::get(harness.context()),
               f64 = mlir::Float64Type::get(harness.context());
    CHECK(agree<float>(kernel(&VectorMath::exp, f32), kernel(&VectorMath::expOfNotPositive, f32),
                       {x32.data()}, x32.size()));
    CHECK(agree<double>(kernel(&VectorMath::exp, f64), kernel(&VectorMath::expOfNotPositive, f64),
                        {x64.data()}, x64.size()));
  });
}

template <typename Float, typename Exact>
static void checkPow(JitHarness &harness, mlir::Type element, double bound) {
  std::vector<Float> x, y;
  const Float infinity = std::numeric_limits<Float>::infinity();
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> special;
  for (double value : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 1e10, 16777215.0, 16777217.0,
                       4503599627370495.5, 9007199254740991.0})
    special.push_back(static_cast<Float>(value));
  special.insert(special.end(), {infinity, Limits::max(), Limits::min(), Limits::denorm_min(),
                                 std::nextafter(Float(1), Float(0)),
                                 std::nextafter(Float(1), Float(2)), Limits::quiet_NaN()});
  for (size_t i = 0, count = special.size(); i < count; ++i)
    special.push_back(-special[i]);
  for (Float base : special)
    for (Float exponent : special) {
      x.push_back(base);
      y.push_back(exponent);
    }
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> logarithm(-700, 700), small(-40, 40);
  for (int i = 0; i < 100000; ++i) {
    // Results all over the range, from bases all over the range.
    Float base =
        std::exp(std::numeric_limits<Float>::digits == 24 ? small(random) * 2 : logarithm(random));
    x.push_back(base);
    y.push_back(logarithm(random) / 7 * (sizeof(Float) == 8 ? 7 : 1) / std::log(base));
    x.push_back(-std::fabs(small(random)));
    y.push_back(std::rint(small(random)));
    x.push_back(1 + small(random) / 4000);
    y.push_back(small(random) * 1000);
  }
  std::vector<Float> result(x.size());
  powKernel(harness, element)({x.data(), y.data()}, {result.data()}, x.size());
  WorstError<Float> worst;
  Float exponent = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulpError(result[i], std::pow(Exact(x[i]), Exact(y[i])));
    if (!(error <= worst.ulp))
      exponent = y[i];
    worst.add(error, x[i], result[i]);
  }
  INFO("pow(" << worst.input << ", " << exponent << ") is " << worst.result);
  CHECK(worst.ulp <= bound);
}

TEST_CASE("pow is C's pow", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    checkPow<float, double>(harness, mlir::Float32Type::get(harness.context()), 1);
    checkPow<double, long double>(harness, mlir::Float64Type::get(harness.context()), 2);
  });
}

// x rounded to nearest even in a format with the given mantissa bits (without the implicit one) and
// greatest exponent.
static double roundedTo(double x, int mantissaBits, int greatestExponent) {
  if (x == 0 || !std::isfinite(x))
    return x;
  int exponent = std::max(std::ilogb(x), 1 - greatestExponent);
  double ulp = std::ldexp(1.0, exponent - mantissaBits);
  double rounded = std::nearbyint(x / ulp) * ulp;
  double limit = std::ldexp(1.0, greatestExponent + 1);
  return std::fabs(rounded) >= limit ? std::copysign(INFINITY, x) : rounded;
}

static double halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int mantissa = bits & 1023;
  double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                     : exponent == 0 ? std::ldexp(mantissa, -24)
                                     : std::ldexp(1024 + mantissa, exponent - 25);
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

static double brainToDouble(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

static ElementwiseKernel castKernel(JitHarness &harness, mlir::Type from, mlir::Type to) {
  return harness.elementwise({from}, {to},
                             [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                               VectorMath math(b, loc, harness.machine());
                               return llvm::SmallVector<Value>{math.castFloatToFloat(in[0], to)};
                             });
}

static bool sameNumber(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename Wide>
static void checkNarrowing(JitHarness &harness, mlir::Type wide, mlir::Type narrow,
                           const std::vector<Wide> &x, double (*value)(uint16_t), int mantissaBits,
                           int greatestExponent) {
  std::vector<uint16_t> y(x.size());
  castKernel(harness, wide, narrow)(x.data(), y.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    double expected = roundedTo(x[i], mantissaBits, greatestExponent);
    if (!sameNumber(value(y[i]), expected)) {
      INFO("of " << x[i]);
      CHECK(value(y[i]) == expected);
      break;
    }
  }
}

TEST_CASE("16-bit floats are converted in one rounding", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    mlir::MLIRContext *context = harness.context();
    mlir::Type f16 = mlir::Float16Type::get(context), bf16 = mlir::BFloat16Type::get(context);
    mlir::Type f32 = mlir::Float32Type::get(context), f64 = mlir::Float64Type::get(context);
    std::vector<uint16_t> bits(65536);
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = i;
    std::vector<float> fromHalf(bits.size()), fromBrain(bits.size());
    castKernel(harness, f16, f32)(bits.data(), fromHalf.data(), bits.size());
    castKernel(harness, bf16, f32)(bits.data(), fromBrain.data(), bits.size());
    bool extended = true;
    for (size_t i = 0; i < bits.size(); ++i)
      extended = extended && sameNumber(fromHalf[i], halfToDouble(i)) &&
                 sameNumber(fromBrain[i], brainToDouble(i));
    CHECK(extended);

    std::vector<float> x32 = singles();
    std::vector<double> x64 = doubles();
    // Ties, and what lies next to ties by less than a f32 can say.
    for (uint16_t i = 0; i < 0x7bff; i += 7) {
      double tie = (halfToDouble(i) + halfToDouble(i + 1)) / 2;
      x32.push_back(tie);
      x64.insert(x64.end(), {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e9), -tie});
    }
    for (uint16_t i = 0; i < 0x7f7f; i += 7) {
      double tie = (brainToDouble(i) + brainToDouble(i + 1)) / 2;
      x32.push_back(tie);
      x64.insert(x64.end(), {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300), -tie});
    }
    checkNarrowing(harness, f32, f16, x32, halfToDouble, 10, 15);
    checkNarrowing(harness, f32, bf16, x32, brainToDouble, 7, 127);
    checkNarrowing(harness, f64, f16, x64, halfToDouble, 10, 15);
    checkNarrowing(harness, f64, bf16, x64, brainToDouble, 7, 127);
  });
}

TEST_CASE("16-bit floats are computed in f32", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    mlir::Type f16 = mlir::Float16Type::get(harness.context());
    mlir::Type bf16 = mlir::BFloat16Type::get(harness.context());
    std::vector<uint16_t> bits(65536), half(65536), brain(65536);
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = i;
    for (const UnaryCase &function : unaryCases()) {
      INFO(function.name);
      unaryKernel(harness, function, f16)(bits.data(), half.data(), bits.size());
      unaryKernel(harness, function, bf16)(bits.data(), brain.data(), bits.size());
      int halfMisses = 0, brainMisses = 0;
      for (size_t i = 0; i < bits.size(); ++i) {
        halfMisses += !sameNumber(halfToDouble(half[i]),
                                  roundedTo(function.reference(halfToDouble(i)), 10, 15));
        brainMisses += !sameNumber(brainToDouble(brain[i]),
                                   roundedTo(function.reference(brainToDouble(i)), 7, 127));
      }
      // Only results next to a tie may be rounded the other way.
      CHECK(halfMisses <= 30);
      CHECK(brainMisses <= 30);
    }
  });
}

template <typename Float, typename Integer>
static void checkCastToInt(JitHarness &harness, mlir::Type from, const std::vector<Float> &x) {
  mlir::Type to = mlir::IntegerType::get(harness.context(), sizeof(Integer) * 8);
  std::vector<Integer> y(x.size());
  harness.elementwise(
      {from}, {to}, [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
        VectorMath math(b, loc, harness.machine());
        mlir::Type shaped = codegen::VectorExpr({b, loc, harness.machine()}, in[0]).typeOf(to);
        return llvm::SmallVector<Value>{
            math.castFloatToInt(in[0], shaped, std::is_signed_v<Integer>)};
      })(x.data(), y.data(), x.size());
  using Limits = std::numeric_limits<Integer>;
  for (size_t i = 0; i < x.size(); ++i) {
    Integer expected = std::isnan(x[i])                            ? 0
                       : x[i] <= static_cast<Float>(Limits::min()) ? Limits::min()
                       : x[i] >= static_cast<Float>(Limits::max()) ? Limits::max()
                                                                   : static_cast<Integer>(x[i]);
    if (y[i] != expected) {
      INFO("of " << x[i] << ", " << sizeof(Integer) * 8 << " bits");
      CHECK(+y[i] == +expected);
      break;
    }
  }
}

template <typename Float>
static void checkCastsToInt(JitHarness &harness, mlir::Type from, const std::vector<Float> &x) {
  checkCastToInt<Float, int8_t>(harness, from, x);
  checkCastToInt<Float, uint8_t>(harness, from, x);
  checkCastToInt<Float, int16_t>(harness, from, x);
  checkCastToInt<Float, uint16_t>(harness, from, x);
  checkCastToInt<Float, int32_t>(harness, from, x);
  checkCastToInt<Float, uint32_t>(harness, from, x);
  checkCastToInt<Float, int64_t>(harness, from, x);
  checkCastToInt<Float, uint64_t>(harness, from, x);
}

TEST_CASE("casts to integers saturate", "[vector-math]") {
  std::vector<float> x32 = specialValues<float>();
  std::vector<double> x64 = specialValues<double>();
  for (int bits : {7, 8, 15, 16, 31, 32, 63, 64})
    for (double sign : {1.0, -1.0})
      for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0}) {
        x32.push_back(sign * (std::ldexp(1.0, bits) + offset));
        x64.push_back(sign * (std::ldexp(1.0, bits) + offset));
      }
  onEachMachine([&](JitHarness &harness) {
    checkCastsToInt(harness, mlir::Float32Type::get(harness.context()), x32);
    checkCastsToInt(harness, mlir::Float64Type::get(harness.context()), x64);
  });
}

// Every pair of these, and random pairs whose quotients are of all sizes, next to whole numbers
// too.
template <typename Float>
static void dividends(std::vector<Float> &x, std::vector<Float> &y, int largestExponent) {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> special = {0,
                                Limits::denorm_min(),
                                Limits::min(),
                                Limits::max(),
                                Limits::infinity(),
                                Limits::quiet_NaN(),
                                Limits::max() / 3};
  for (double value : {0.1, 0.3, 1.0, 1.5, 3.0, 7.0, 1e6, 1e10, 8388607.0, 16777215.0,
                       4503599627370497.0, 9007199254740991.0, 1e30, 1e300})
    special.push_back(Float(value));
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(1, 2);
  for (int i = 0; i < 20; ++i)
    special.push_back(std::ldexp(Float(unit(random)), int(random() % 40) - 20));
  for (size_t i = 0, count = special.size(); i < count; ++i)
    special.push_back(-special[i]);
  for (Float a : special)
    for (Float b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  auto number = [&](int exponents) {
    double sign = random() % 2 ? -1 : 1;
    return Float(
        std::ldexp(Float(sign * unit(random)), int(random() % (2 * exponents)) - exponents));
  };
  for (int i = 0; i < 20000; ++i) {
    x.insert(x.end(), {number(12), number(largestExponent), number(largestExponent)});
    y.insert(y.end(), {number(12), number(12), number(largestExponent)});
    // Neighbours of multiples.
    Float divisor = number(6), multiple = divisor * Float(std::rint(number(20)));
    for (Float a :
         {std::nextafter(multiple, Float(-1e9)), multiple, std::nextafter(multiple, Float(1e9))}) {
      x.push_back(a);
      y.push_back(divisor);
    }
  }
}

// Python's rule, from C's exact remainder.
template <typename Float> static Float pythonMod(Float x, Float y) {
  Float rest = std::fmod(x, y);
  return std::copysign(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest, y);
}

template <typename Float> static Float pythonFloorDiv(Float x, Float y) {
  Float quotient = x / y;
  if (!(std::fabs(quotient) < std::ldexp(Float(1), std::numeric_limits<Float>::digits - 1)))
    return quotient;
  // A multiple of y, but for less than a whole number has.
  Float rest = std::fmod(x, y);
  Float whole = Float(std::rint((static_cast<long double>(x) - rest) / y));
  return rest != 0 && (rest < 0) != (y < 0) ? whole - 1 : whole;
}

template <typename Float> static void checkFloatDivision(JitHarness &harness, mlir::Type type) {
  std::vector<Float> x, y;
  dividends(x, y, std::numeric_limits<Float>::max_exponent - 2);
  std::vector<Float> quotient(x.size()), remainder(x.size());
  harness.elementwise(
      {type, type}, {type, type}, [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
        VectorMath math(b, loc, harness.machine());
        return llvm::SmallVector<Value>{math.floorDiv(in[0], in[1]), math.floorMod(in[0], in[1])};
      })({x.data(), y.data()}, {quotient.data(), remainder.data()}, x.size());
  int misses = 0;
  for (size_t i = 0; i < x.size() && misses < 5; ++i) {
    Float expected = pythonFloorDiv(x[i], y[i]), rest = pythonMod(x[i], y[i]);
    // The quotient's zero has the sign that C's floor would give.
    bool same = quotient[i] == expected || (std::isnan(quotient[i]) && std::isnan(expected));
    if (same && sameNumber(remainder[i], rest))
      continue;
    ++misses;
    INFO(std::hexfloat << x[i] << " by " << y[i] << ", " << sizeof(Float) * 8 << " bits");
    CHECK(quotient[i] == expected);
    CHECK(remainder[i] == rest);
  }
}

TEST_CASE("division of floats rounds down and leaves the exact remainder", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    checkFloatDivision<float>(harness, mlir::Float32Type::get(harness.context()));
    checkFloatDivision<double>(harness, mlir::Float64Type::get(harness.context()));
  });
}

template <typename Integer> static void checkDivision(JitHarness &harness) {
  using Limits = std::numeric_limits<Integer>;
  constexpr bool isSigned = std::is_signed_v<Integer>;
  std::vector<Integer> values = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 Limits::max(),
                                 Integer(Limits::max() - 1),
                                 Limits::min(),
                                 Integer(Limits::min() + 1),
                                 Integer(-1),
                                 Integer(-2),
                                 Integer(-7),
                                 Integer(Limits::max() / 2)};
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    values.push_back(static_cast<Integer>(random()));
    values.push_back(static_cast<Integer>(random() >> (random() % 64)));
  }
  std::vector<Integer> x, y;
  for (Integer a : values)
    for (Integer b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  std::vector<Integer> quotient(x.size()), remainder(x.size());
  mlir::Type type = mlir::IntegerType::get(harness.context(), sizeof(Integer) * 8);
  harness.elementwise({type, type}, {type, type},
                      [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                        VectorMath math(b, loc, harness.machine());
                        return llvm::SmallVector<Value>{math.floorDiv(in[0], in[1], isSigned),
                                                        math.floorMod(in[0], in[1], isSigned)};
                      })({x.data(), y.data()}, {quotient.data(), remainder.data()}, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    __int128 a = x[i], b = y[i], expected = 0, rest = 0;
    if (b != 0) {
      expected = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
      rest = a - expected * b;
    }
    if (quotient[i] != static_cast<Integer>(expected) ||
        remainder[i] != static_cast<Integer>(rest)) {
      INFO(+x[i] << " by " << +y[i] << ", " << sizeof(Integer) * 8 << " bits");
      CHECK(+quotient[i] == +static_cast<Integer>(expected));
      CHECK(+remainder[i] == +static_cast<Integer>(rest));
      break;
    }
  }
}

TEST_CASE("integer division rounds down and never traps", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    checkDivision<int8_t>(harness);
    checkDivision<uint8_t>(harness);
    checkDivision<int16_t>(harness);
    checkDivision<uint16_t>(harness);
    checkDivision<int32_t>(harness);
    checkDivision<uint32_t>(harness);
    checkDivision<int64_t>(harness);
    checkDivision<uint64_t>(harness);
  });
}

TEST_CASE("integer sign, absolute value and wide product", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    mlir::Type i32 = mlir::IntegerType::get(harness.context(), 32);
    std::vector<int32_t> x = {0, 1, -1, 5, -9, INT32_MAX, INT32_MIN, 1 << 20};
    x.resize(37, -3);
    std::vector<int32_t> sign(x.size()), magnitude(x.size()), high(x.size());
    harness.elementwise({i32}, {i32, i32, i32},
                        [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                          VectorMath math(b, loc, harness.machine());
                          return llvm::SmallVector<Value>{math.sign(in[0]), math.abs(in[0]),
                                                          math.mulHighUnsigned(in[0], in[0])};
                        })({x.data()}, {sign.data(), magnitude.data(), high.data()}, x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK(sign[i] == (x[i] > 0) - (x[i] < 0));
      CHECK(magnitude[i] == (x[i] == INT32_MIN ? x[i] : std::abs(x[i])));
      uint64_t wide = static_cast<uint32_t>(x[i]);
      CHECK(static_cast<uint32_t>(high[i]) == (wide * wide) >> 32);
    }
  });
}

TEST_CASE("philox gives the published numbers", "[vector-math]") {
  // Counter, key and result: the known answers of Random123.
  const uint32_t answers[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
       0x94fdcceb, 0x5001e420, 0x24126ea1}};
  onEachMachine([&](JitHarness &harness) {
    mlir::Type i32 = mlir::IntegerType::get(harness.context(), 32);
    std::vector<mlir::Type> six(6, i32), four(4, i32);
    for (bool isLoop : {false, true}) {
      INFO(isLoop);
      ElementwiseKernel kernel = harness.elementwise(
          six, four, [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
            VectorMath math(b, loc, harness.machine());
            std::array<Value, 4> out = {in[0], in[1], in[2], in[3]};
            if (isLoop)
              math.philoxLoop(out, {in[4], in[5]});
            else
              out = math.philox(out, {in[4], in[5]});
            return llvm::SmallVector<Value>(out.begin(), out.end());
          });
      constexpr size_t count = 37; // whole vectors and scalars
      std::vector<uint32_t> columns[10];
      for (size_t i = 0; i < count; ++i)
        for (int column = 0; column < 10; ++column)
          columns[column].push_back(column < 6 ? answers[i % 3][column] : 0);
      kernel({columns[0].data(), columns[1].data(), columns[2].data(), columns[3].data(),
              columns[4].data(), columns[5].data()},
             {columns[6].data(), columns[7].data(), columns[8].data(), columns[9].data()}, count);
      for (size_t i = 0; i < count; ++i)
        for (int column = 6; column < 10; ++column)
          REQUIRE(columns[column][i] == answers[i % 3][column]);
    }
  });
}

// Of an s and a q of each kind; where q is negative the sum of the terms may cancel, and its error
// is that of the largest.
template <typename Float, typename Exact>
static void checkZeta(JitHarness &harness, mlir::Type element, double bound) {
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float notANumber = std::numeric_limits<Float>::quiet_NaN();
  std::vector<Float> s, q;
  for (Float a : {Float(0.5), Float(1), std::nextafter(Float(1), Float(2)), Float(2), Float(3),
                  Float(2.5), Float(40), Float(1000), Float(1e30), infinity, -infinity, notANumber})
    for (Float b :
         {Float(0), Float(-0.), Float(1), Float(-1), Float(-2.5), Float(0.25), Float(1e-30),
          Float(-1e-30), Float(1e30), Float(77.5), infinity, -infinity, notANumber}) {
      s.push_back(a);
      q.push_back(b);
    }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(1, 12), logarithm(-6, 12), below(-40, 0);
  for (int i = 0; i < 4000; ++i) {
    s.insert(s.end(), {Float(near(random)), Float(1 + std::exp(logarithm(random) - 6)),
                       Float(2 + random() % 8)});
    q.insert(q.end(), {Float(std::exp(logarithm(random))), Float(std::exp(logarithm(random))),
                       Float(below(random))});
  }
  std::vector<Float> y(s.size());
  harness.elementwise({element, element}, {element},
                      [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                        VectorMath math(b, loc, harness.machine());
                        return llvm::SmallVector<Value>{math.zeta(in[0], in[1])};
                      })({s.data(), q.data()}, {y.data()}, s.size());
  WorstError<Float> worst;
  for (size_t i = 0; i < s.size(); ++i) {
    Exact exact = Exact(ir::reference::zeta(s[i], q[i]));
    double error = ulpError(y[i], exact);
    if (q[i] < 0 && error > bound && std::isfinite(error)) {
      long double largest = ir::reference::zeta(s[i], q[i] - std::floor(q[i])) +
                            ir::reference::zeta(s[i], std::ceil(q[i]) - q[i]);
      error *= std::ldexp(1.0, std::ilogb(exact) - std::ilogb(largest));
    }
    worst.add(error, q[i], y[i]);
  }
  INFO("of q = " << worst.input << " it is " << worst.result << ", wrong by " << worst.ulp);
  CHECK(worst.ulp <= bound);
}

TEST_CASE("the zeta function keeps its error bounds", "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    checkZeta<float, double>(harness, mlir::Float32Type::get(harness.context()), 1);
    checkZeta<double, long double>(harness, mlir::Float64Type::get(harness.context()), 10);
  });
}

// Numbers for the parameters and the argument of a function, and a function of two or three.
template <typename Float> using Columns = std::vector<std::vector<Float>>;
using Emitted = std::function<Value(const VectorMath &, mlir::ValueRange)>;

// Wrong by `bound` units in the last place at most, and by some more for each factor e that the
// result is below 1, as its logarithm is computed first.
template <typename Float>
static void checkParameters(JitHarness &harness, mlir::Type element, const Columns<Float> &columns,
                            const Emitted &emitted,
                            const std::function<long double(const std::vector<Float> &)> &reference,
                            double bound, double absolute = 0) {
  std::vector<const void *> inputs;
  for (const std::vector<Float> &column : columns)
    inputs.push_back(column.data());
  std::vector<Float> y(columns[0].size());
  harness.elementwise(llvm::SmallVector<mlir::Type>(columns.size(), element), {element},
                      [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                        VectorMath math(b, loc, harness.machine());
                        return llvm::SmallVector<Value>{emitted(math, in)};
                      })(inputs, {y.data()}, y.size());
  using Exact = std::conditional_t<sizeof(Float) == 4, double, long double>;
  for (size_t i = 0; i < y.size(); ++i) {
    std::vector<Float> at;
    for (const std::vector<Float> &column : columns)
      at.push_back(column[i]);
    const Exact exact = Exact(reference(at));
    double allowed = bound;
    if (sizeof(Float) == 8 && exact > 0 && exact < 1)
      allowed -= 6 * double(std::log(exact));
    double error = ulpError(y[i], exact);
    if (std::fabs(y[i] - exact) <= absolute)
      error = 0;
    INFO("of " << at[0] << ", " << at[1] << ", " << at.back() << " it is " << y[i] << ", not "
               << exact);
    CHECK(error <= allowed);
  }
}

// Shapes and numbers: of every kind, beside each other's borders, and in the tails.
template <typename Float> static Columns<Float> gammaCases() {
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float notANumber = std::numeric_limits<Float>::quiet_NaN();
  const Float edges[] = {0,         Float(-0.), 1,          Float(-1), Float(1e-30),
                         Float(20), Float(26),  Float(1e5), infinity,  notANumber};
  Columns<Float> columns(2);
  for (Float a : edges)
    for (Float x : edges) {
      columns[0].push_back(a);
      columns[1].push_back(x);
    }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> logarithm(-7, 8), ratio(-3, 3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1500; ++i) {
    const double a = std::exp(logarithm(random));
    for (double x : {a * std::exp(ratio(random)), a + normal(random) * std::sqrt(a)})
      if (x > 0) {
        columns[0].push_back(Float(a));
        columns[1].push_back(Float(x));
      }
  }
  // Of all sizes; and next to large means, by few widths.
  const double most = std::log(double(std::numeric_limits<Float>::max())) - 1;
  const double least = std::log(double(std::numeric_limits<Float>::denorm_min())) + 1;
  std::uniform_real_distribution<double> any(least, most);
  for (int i = 0; i < 300; ++i) {
    const double a = std::exp(any(random));
    for (double x :
         {std::exp(any(random)), a * std::exp(ratio(random)), a + normal(random) * std::sqrt(a)})
      if (Float(a) > 0 && Float(x) > 0 && std::isfinite(Float(x))) {
        columns[0].push_back(Float(a));
        columns[1].push_back(Float(x));
      }
  }
  return columns;
}

template <typename Float> static Columns<Float> betaCases() {
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float notANumber = std::numeric_limits<Float>::quiet_NaN();
  const Float edges[] = {0, Float(-1), Float(0.5), 1, 30, infinity, notANumber};
  Columns<Float> columns(3);
  auto add = [&](double a, double b, double x) {
    columns[0].push_back(Float(a));
    columns[1].push_back(Float(b));
    columns[2].push_back(Float(x));
  };
  for (Float a : edges)
    for (Float b : edges)
      for (Float x : edges)
        add(a, b, x);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> logarithm(-3, 7), uniform(0.01, 0.99);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1500; ++i) {
    const double a = std::exp(logarithm(random)), b = std::exp(logarithm(random)), n = a + b;
    add(a, b, uniform(random));
    const double x = a / n + normal(random) * std::sqrt(a * b / (n * n * (n + 1)));
    if (x > 0.01 && x < 0.99)
      add(a, b, x);
  }
  // Of all sizes; and next to means of large parameters, by few widths.
  const double most = std::log(double(std::numeric_limits<Float>::max())) - 1;
  const double least = std::log(double(std::numeric_limits<Float>::denorm_min())) + 1;
  std::uniform_real_distribution<double> any(least, most), large(5, 38), ratio(-3, 3);
  for (int i = 0; i < 300; ++i) {
    for (double b : {std::exp(any(random)), std::exp(logarithm(random))}) {
      const double a = std::exp(any(random));
      for (double x : {std::exp(any(random)), a / (a + b) * std::exp(ratio(random))})
        if (Float(a) > 0 && Float(b) > 0 && Float(x) > 0 && Float(x) < 1)
          add(a, b, x);
    }
    const double a = std::exp(large(random)), b = std::exp(large(random)), n = a + b;
    const double x = a / n + 3 * normal(random) * std::sqrt(a / n * (b / n) / n);
    if (Float(a) < infinity && Float(b) < infinity && Float(x) > 0 && Float(x) < 1)
      add(a, b, x);
  }
  return columns;
}

template <typename Float> static void checkIncomplete(JitHarness &harness, mlir::Type element) {
  using namespace ir::reference;
  using In = std::vector<Float>;
  const bool isDouble = sizeof(Float) == 8;
  const Columns<Float> ofGamma = gammaCases<Float>(), ofBeta = betaCases<Float>();
  checkParameters<Float>(
      harness, element, ofGamma,
      [](const VectorMath &math, mlir::ValueRange in) { return math.igamma(in[0], in[1]); },
      [](const In &in) { return igamma(in[0], in[1]); }, isDouble ? 30 : 1);
  checkParameters<Float>(
      harness, element, ofGamma,
      [](const VectorMath &math, mlir::ValueRange in) { return math.igammac(in[0], in[1]); },
      [](const In &in) { return igammac(in[0], in[1]); }, isDouble ? 30 : 1);
  checkParameters<Float>(
      harness, element, ofGamma,
      [](const VectorMath &math, mlir::ValueRange in) {
        return math.gammaSampleGradient(in[0], in[1]);
      },
      [](const In &in) { return gammaSampleGradient(in[0], in[1]); }, isDouble ? 150 : 1);
  // Where it is 1 minus a number near 1 the rest of that is lost.
  checkParameters<Float>(
      harness, element, ofBeta,
      [](const VectorMath &math, mlir::ValueRange in) { return math.betainc(in[0], in[1], in[2]); },
      [](const In &in) { return betainc(in[0], in[1], in[2]); }, isDouble ? 60 : 1,
      isDouble ? 0x1p-52 : 0);
  checkParameters<Float>(
      harness, element, ofBeta,
      [](const VectorMath &math, mlir::ValueRange in) {
        return math.betaSampleGradient(in[0], in[1], in[2]);
      },
      [](const In &in) { return betaSampleGradient(in[0], in[1], in[2]); }, isDouble ? 1000 : 1);
}

TEST_CASE("incomplete functions and gradients of samples keep their error bounds",
          "[vector-math]") {
  onEachMachine([](JitHarness &harness) {
    checkIncomplete<float>(harness, mlir::Float32Type::get(harness.context()));
    checkIncomplete<double>(harness, mlir::Float64Type::get(harness.context()));
  });
}

TEST_CASE("nothing calls a library", "[vector-math]") {
  for (const char *name : machines) {
    JitHarness harness(codegen::machineByName(name));
    if (harness.machine().triple.find("x86_64") == std::string::npos)
      continue;
    INFO(name);
    mlir::MLIRContext *context = harness.context();
    for (mlir::Type element :
         {mlir::Type(mlir::Float32Type::get(context)), mlir::Type(mlir::Float64Type::get(context)),
          mlir::Type(mlir::Float16Type::get(context)),
          mlir::Type(mlir::BFloat16Type::get(context))}) {
      std::string code =
          harness.assembly({element, element}, {element},
                           [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                             VectorMath math(b, loc, harness.machine());
                             Value value = math.pow(in[0], in[1]);
                             for (const UnaryCase &function : unaryCases())
                               value = (math.*function.emit)(value);
                             return llvm::SmallVector<Value>{value};
                           });
      CHECK(code.find("call") == std::string::npos);
    }
  }
}
