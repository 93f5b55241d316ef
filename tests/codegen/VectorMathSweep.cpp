// Floats by bit pattern through every function of VectorMath: largest errors and cycles.
//   vector_math_sweep [machine] [stride] [near stride] [function]
// takes every stride-th float, and every near-stride-th of those between 2^-26 and 2^8 in size,
// where the functions curve.
#include "tests/codegen/VectorMathCases.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

using namespace keratin;
using namespace keratin::tests;

static void sweepRange(const ElementwiseKernel &kernel, const UnaryCase &function, uint64_t begin,
                       uint64_t end, uint64_t stride, WorstError<float> &worst) {
  constexpr size_t block = 4096;
  std::vector<float> x(block), y(block);
  for (uint64_t first = begin; first < end; first += block * stride) {
    size_t count = std::min<uint64_t>(block, (end - first + stride - 1) / stride);
    for (size_t i = 0; i < count; ++i)
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i * stride));
    kernel(x.data(), y.data(), count);
    for (size_t i = 0; i < count; ++i) {
      double exact = function.reference(x[i]);
      // A correctly rounded result is off by half an ulp at most; the sign of zero still counts.
      if (worst.ulp < 0.5 || y[i] != static_cast<float>(exact) || y[i] == 0)
        worst.add(function.errorOf(x[i], y[i], exact), x[i], y[i]);
    }
  }
}

static WorstError<float> sweep(const ElementwiseKernel &kernel, const UnaryCase &function,
                               uint64_t stride, uint64_t nearStride) {
  WorstError<float> worst;
  for (uint64_t sign : {uint64_t(0), uint64_t(1) << 31}) {
    uint64_t small = sign | std::bit_cast<uint32_t>(0x1p-26f);
    uint64_t large = sign | std::bit_cast<uint32_t>(0x1p8f);
    sweepRange(kernel, function, sign, small, stride, worst);
    sweepRange(kernel, function, small, large, nearStride, worst);
    sweepRange(kernel, function, large, sign + (uint64_t(1) << 31), stride, worst);
  }
  return worst;
}

static WorstError<double> sample(const ElementwiseKernel &kernel, const UnaryCase &function,
                                 uint64_t count) {
  constexpr size_t block = 4096;
  std::vector<double> x(block), y(block);
  WorstError<double> worst;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-30, 30);
  std::uniform_real_distribution<double> unit(-1.5, 1.5);
  for (uint64_t done = 0; done < count; done += block) {
    for (size_t i = 0; i < block; ++i)
      x[i] = i % 4 == 0   ? std::bit_cast<double>(random())
             : i % 4 == 1 ? near(random)
             : i % 4 == 2 ? unit(random)
                          : std::exp(near(random));
    kernel(x.data(), y.data(), block);
    for (size_t i = 0; i < block; ++i)
      worst.add(function.errorOf(x[i], y[i], function.longReference(x[i])), x[i], y[i]);
  }
  return worst;
}

// pow over bases of all sizes and exponents that keep the result in range.
template <typename Float, typename Exact>
static double samplePow(const ElementwiseKernel &kernel, uint64_t count, double range) {
  constexpr size_t block = 4096;
  std::vector<Float> x(block), y(block), result(block);
  WorstError<Float> worst;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> logarithm(-range, range);
  for (uint64_t done = 0; done < count; done += block) {
    for (size_t i = 0; i < block; ++i) {
      x[i] = i % 2 ? std::exp(logarithm(random)) : std::exp(logarithm(random) / 1000);
      y[i] = logarithm(random) / std::log(static_cast<double>(x[i]));
    }
    kernel({x.data(), y.data()}, {result.data()}, block);
    for (size_t i = 0; i < block; ++i)
      worst.add(ulpError(result[i], std::pow(Exact(x[i]), Exact(y[i]))), x[i], result[i]);
  }
  return worst.ulp;
}

// Time stamp counter cycles for one native vector, on data in the first-level cache with mixed
// signs and sizes.
template <typename Float>
static double cyclesPerVector(const ElementwiseKernel &kernel, unsigned lanes) {
#if defined(__x86_64__)
  constexpr size_t count = 1024;
  alignas(64) static Float x[count], y[count];
  std::mt19937 random(1);
  std::uniform_real_distribution<double> values(-10, 10);
  for (Float &value : x)
    value = values(random);
  double best = 1e9;
  for (int repeat = 0; repeat < 200; ++repeat) {
    uint64_t start = __rdtsc();
    for (int i = 0; i < 10; ++i)
      kernel(x, y, count);
    best = std::min(best, (__rdtsc() - start) / (10.0 * count / lanes));
  }
  return best;
#else
  return 0;
#endif
}

int main(int argumentCount, char **arguments) {
  JitHarness harness(codegen::machineByName(argumentCount > 1 ? arguments[1] : "native"));
  uint64_t stride = argumentCount > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  uint64_t nearStride = argumentCount > 3 ? std::strtoull(arguments[3], nullptr, 10) : stride;
  std::string only = argumentCount > 4 ? arguments[4] : "";
  if (!harness.runsHere() || stride == 0 || nearStride == 0) {
    std::fprintf(stderr, "usage: vector_math_sweep [machine] [stride] [near stride] [function]\n"
                         "where this computer can run the machine's code\n");
    return 2;
  }
  mlir::Type f32 = mlir::Float32Type::get(harness.context());
  mlir::Type f64 = mlir::Float64Type::get(harness.context());
  std::printf("%-10s %9s %14s %8s   %9s %14s %8s\n", "function", "f32 ulp", "at", "cycles",
              "f64 ulp", "at", "cycles");
  for (const UnaryCase &function : unaryCases()) {
    if (!only.empty() && function.name != only)
      continue;
    ElementwiseKernel single = unaryKernel(harness, function, f32);
    ElementwiseKernel dual = unaryKernel(harness, function, f64);
    WorstError<float> worst = sweep(single, function, stride, nearStride);
    WorstError<double> worstDouble = sample(dual, function, (uint64_t(1) << 26) / stride + 4096);
    std::printf("%-10s %9.3f %14.7g %8.1f   %9.3f %14.7g %8.1f\n", function.name.c_str(), worst.ulp,
                worst.input, cyclesPerVector<float>(single, harness.machine().lanes(32)),
                worstDouble.ulp, worstDouble.input,
                cyclesPerVector<double>(dual, harness.machine().lanes(64)));
    std::fflush(stdout);
  }
  if (only.empty() || only == "pow") {
    uint64_t count = (uint64_t(1) << 24) / stride + 4096;
    auto timed = [&](mlir::Type element) { // x^x, which costs what any power does
      return harness.elementwise({element}, {element},
                                 [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange in) {
                                   codegen::VectorMath math(b, loc, harness.machine());
                                   return llvm::SmallVector<mlir::Value>{math.pow(in[0], in[0])};
                                 });
    };
    std::printf("%-10s %9.3f %14s %8.1f   %9.3f %14s %8.1f\n", "pow",
                samplePow<float, double>(powKernel(harness, f32), count, 80), "",
                cyclesPerVector<float>(timed(f32), harness.machine().lanes(32)),
                samplePow<double, long double>(powKernel(harness, f64), count, 700), "",
                cyclesPerVector<double>(timed(f64), harness.machine().lanes(64)));
  }
}
