#include "benchmarks/keratin-bench/DeviceRow.h"

#include "benchmarks/keratin-bench/Occupancy.h"

#include <algorithm>
#include <numeric>

using namespace keratin::bench;

static constexpr double kSectorBytes = 32;
// An mma of 16x8x16 of f16 multiplies and adds so often for a warp; one of 16x8x8 of tf32 takes as
// long.
static constexpr double kMatrixFlops = 2 * 16 * 8 * 16;

static KernelWork workOf(const DeviceKernelRow &kernel) {
  return {.launches = kernel.launches,
          .bytes = kernel.global.units * kSectorBytes,
          .warpInstructions = kernel.warpInstructions,
          .floatFlops = kernel.floatProducts * 2 * Multiprocessor::kWarpThreads,
          .matrixFlops = kernel.matrixProducts * kMatrixFlops,
          .blocks = kernel.blocks / kernel.launches};
}

double DeviceKernelRow::seconds() const { return rooflineSeconds(workOf(*this)); }

template <typename Value>
static double sum(const std::vector<DeviceKernelRow> &kernels, Value value) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [&](double all, const DeviceKernelRow &one) { return all + value(one); });
}

double DeviceRow::movedBytes() const {
  return sum(kernels, [](const auto &kernel) { return kernel.global.units * kSectorBytes; });
}

double DeviceRow::cachedBytes() const {
  return sum(kernels, [](const auto &kernel) { return kernel.global.onceUnits * kSectorBytes; });
}

static double overIdeal(const std::vector<DeviceKernelRow> &kernels,
                        MemoryTraffic DeviceKernelRow::*memory) {
  MemoryTraffic all;
  for (const DeviceKernelRow &kernel : kernels) {
    all.units += (kernel.*memory).units;
    all.idealUnits += (kernel.*memory).idealUnits;
  }
  return all.overIdeal();
}

double DeviceRow::sectorsOverIdeal() const { return overIdeal(kernels, &DeviceKernelRow::global); }
double DeviceRow::wavefrontsOverIdeal() const {
  return overIdeal(kernels, &DeviceKernelRow::shared);
}

double DeviceRow::instructionsPerElement() const {
  return sum(kernels, [](const auto &kernel) { return kernel.threadInstructions; }) / elements;
}

const DeviceKernelRow &DeviceRow::heaviest() const {
  return *std::max_element(kernels.begin(), kernels.end(), [](const auto &a, const auto &b) {
    return a.warpInstructions < b.warpInstructions;
  });
}

double DeviceRow::seconds() const {
  return sum(kernels, [](const auto &kernel) { return kernel.seconds(); });
}

double DeviceRow::floorSeconds() const {
  KernelWork work = {.launches = 1, .bytes = leastBytes};
  for (const DeviceKernelRow &kernel : kernels) {
    work.floatFlops += workOf(kernel).floatFlops;
    work.matrixFlops += workOf(kernel).matrixFlops;
  }
  return rooflineSeconds(work);
}
