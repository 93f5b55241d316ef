#include "benchmarks/keratin-bench/DeviceReport.h"

#include "benchmarks/keratin-bench/JsonLines.h"
#include "benchmarks/keratin-bench/Occupancy.h"

#include <cstdio>

using namespace keratin::bench;

void DeviceReport::printBeginning(const std::string &architecture) const {
  if (json)
    return printLine({{"name", "roofline"},
                      {"case", "H100"},
                      {"architecture", architecture},
                      {"bytes_per_second", Device::kBytes},
                      {"float_flops_per_second", Device::kFloatFlops},
                      {"matrix_flops_per_second", Device::kMatrixFlops},
                      {"warp_instructions_per_second", Device::kWarpInstructions},
                      {"launch_seconds", Device::kLaunchSeconds},
                      {"multiprocessors", Device::kMultiprocessors},
                      {"bytes_per_second_of_one", Device::kBytesOfOne}});
  std::printf(
      "Counted by an emulator; registers and machine code for %s. The estimate is for an H100: "
      "%.2f "
      "TB/s with caches that hold nothing, %.1f TFLOP/s of f32 outside of tensor cores, %.0f in "
      "them (f16), %.2f T instructions of warps a second, %.0f us a launch; a block has one of "
      "%.0f multiprocessors, which moves %.0f GB/s "
      "at most. The floor is one "
      "launch "
      "that moves the least and multiplies as often.\n\n",
      architecture.c_str(), Device::kBytes / 1e12, Device::kFloatFlops / 1e12,
      Device::kMatrixFlops / 1e12, Device::kWarpInstructions / 1e12, Device::kLaunchSeconds * 1e6,
      Device::kMultiprocessors, Device::kBytesOfOne / 1e9);
  std::printf(
      "| row | case | bytes / least | cached | sectors / ideal | wavefronts / ideal | instructions "
      "an element | products in inner loop: PTX | SASS | registers | occupancy | launches | "
      "copies in, out | floor us | estimate us |\n");
  std::printf(
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  std::fflush(stdout);
}

static std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.0f %%", share * 100);
  return text;
}

static Json shareOf(const std::optional<InnerLoop> &loop) {
  return loop ? Json(loop->share()) : Json();
}
template <typename Value> static Json orNull(const std::optional<Value> &value) {
  return value ? Json(*value) : Json();
}

static Json jsonOf(const DeviceKernelRow &kernel) {
  return {{"kernel", kernel.name},
          {"launches", kernel.launches},
          {"blocks", kernel.blocks},
          {"warp_instructions", kernel.warpInstructions},
          {"thread_instructions", kernel.threadInstructions},
          {"float_products", kernel.floatProducts},
          {"matrix_products", kernel.matrixProducts},
          {"sectors", kernel.global.units},
          {"ideal_sectors", kernel.global.idealUnits},
          {"wavefronts", kernel.shared.units},
          {"ideal_wavefronts", kernel.shared.idealUnits},
          {"ptx_product_share", kernel.ptxLoop.share()},
          {"sass_product_share", shareOf(kernel.sassLoop)},
          {"block_threads", kernel.blockThreads},
          {"shared_bytes", kernel.sharedBytes},
          {"registers", orNull(kernel.registers)},
          {"spill_bytes", orNull(kernel.spillBytes)},
          {"occupancy", orNull(kernel.occupancy)},
          {"estimate_us", kernel.seconds() * 1e6}};
}

static Json jsonOf(const DeviceRow &row) {
  Json kernels = Json::array();
  for (const DeviceKernelRow &kernel : row.kernels)
    kernels.push_back(jsonOf(kernel));
  return {{"name", row.name},
          {"case", row.caseName},
          {"elements", row.elements},
          {"least_bytes", row.leastBytes},
          {"moved_bytes", row.movedBytes()},
          {"moved_over_least", row.movedBytes() / row.leastBytes},
          {"cached_over_least", row.cachedBytes() / row.leastBytes},
          {"sectors_over_ideal", row.sectorsOverIdeal()},
          {"wavefronts_over_ideal", row.wavefrontsOverIdeal()},
          {"instructions_per_element", row.instructionsPerElement()},
          {"launches", row.launches},
          {"copies_in", row.copiesIn},
          {"copies_out", row.copiesOut},
          {"floor_us", row.floorSeconds() * 1e6},
          {"estimate_us", row.seconds() * 1e6},
          {"kernels", kernels}};
}

void DeviceReport::print(const DeviceRow &row) const {
  if (json)
    return printLine(jsonOf(row));
  // Of code, the kernel that takes most.
  const DeviceKernelRow &kernel = row.heaviest();
  std::printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.1f | %s | %s | %s | %s | %.0f | %.0f, "
              "%.0f | %.1f | "
              "%.1f |\n",
              row.name.c_str(), row.caseName.c_str(), row.movedBytes() / row.leastBytes,
              row.cachedBytes() / row.leastBytes, row.sectorsOverIdeal(), row.wavefrontsOverIdeal(),
              row.instructionsPerElement(), percent(kernel.ptxLoop.share()).c_str(),
              kernel.sassLoop ? percent(kernel.sassLoop->share()).c_str() : "",
              kernel.registers ? std::to_string(*kernel.registers).c_str() : "",
              kernel.occupancy ? percent(*kernel.occupancy).c_str() : "", row.launches,
              row.copiesIn, row.copiesOut, row.floorSeconds() * 1e6, row.seconds() * 1e6);
  std::fflush(stdout);
}
