#include "benchmarks/keratin-bench/DeviceTimes.h"

#include "benchmarks/keratin-bench/JsonLines.h"
#include "benchmarks/keratin-bench/Occupancy.h"
#include "benchmarks/keratin-bench/TimedCall.h"
#include "runtime/cuda/Driver.h"
#include "tools/keratin-run/DeviceChoice.h"

#include <keratin/cuda.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin;
using namespace keratin::bench;

//===-- The device -------------------------------------------------------------------------------//

namespace {
struct DeviceCeilings {
  double bytes = 0; // a second, read and written, of a copy by the driver
  static double flops(Numbers numbers);
};
} // namespace

// By the data sheet (Occupancy.h).
double DeviceCeilings::flops(Numbers numbers) {
  switch (numbers) {
  case Numbers::Float32:
    return Device::kFloatFlops;
  case Numbers::Tf32:
    return Device::kTf32Flops;
  case Numbers::Float64:
    return Device::kDoubleFlops;
  case Numbers::Float16:
  case Numbers::BFloat16:
    break;
  }
  return Device::kMatrixFlops;
}

static double copySpeed(const keratin_device_t &device, int64_t scale) {
  const auto bytes = size_t(std::max<int64_t>((int64_t(1) << 31) / scale, 1 << 20));
  DeviceMemory from(device, bytes), to(device, bytes);
  double least = INFINITY;
  for (int i = 0; i < 12; ++i) {
    const double start = seconds();
    to.copyFrom(from);
    least = std::min(least, seconds() - start);
  }
  return 2 * double(bytes) / least;
}

// As the driver has it; "" where it does not say.
static std::string nameOf(const std::string &device) {
  const cuda::Driver *driver = nullptr;
  const size_t colon = device.find(':');
  const int ordinal = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
  cuda::CUdevice handle = 0;
  char name[128] = "";
  if (cuda::findDriver(&driver, nullptr) == KERATIN_OK &&
      driver->cuDeviceGet(&handle, ordinal) == cuda::CUDA_SUCCESS)
    driver->cuDeviceGetName(name, sizeof(name), handle);
  return name;
}

//===-- Lines ------------------------------------------------------------------------------------//

namespace {
struct TimedRow {
  Timing timing;
  std::vector<TimedKernel> kernels;
  double compileSeconds = 0, bytes = 0, error = 0;

  double kernelsMs() const {
    double all = 0;
    for (const TimedKernel &kernel : kernels)
      all += kernel.ms;
    return all;
  }
  int64_t launches() const {
    int64_t all = 0;
    for (const TimedKernel &kernel : kernels)
      all += kernel.launches;
    return all;
  }
};
} // namespace

static void printBeginning(const DeviceTimesOptions &options, const keratin_device_t &device,
                           const DeviceCeilings &ceilings) {
  const std::string name = nameOf(options.device);
  const char *architecture = keratin_cuda_architecture(&device);
  if (options.json)
    return printLine({{"name", "machine"},
                      {"case", options.device},
                      {"device", name},
                      {"architecture", architecture ? architecture : ""},
                      {"copy_bytes_per_second", ceilings.bytes},
                      {"data_sheet", "H100 SXM"},
                      {"f32_flops_per_second", ceilings.flops(Numbers::Float32)},
                      {"tf32_flops_per_second", ceilings.flops(Numbers::Tf32)},
                      {"f16_flops_per_second", ceilings.flops(Numbers::Float16)},
                      {"f64_flops_per_second", ceilings.flops(Numbers::Float64)}});
  std::printf("%s (%s). Copies within its memory: %.0f GB/s, read and written. FLOP/s by the data "
              "sheet of an H100 SXM: %.1f T in f32, %.0f in tf32, %.0f in f16 and bf16, %.1f in "
              "f64.\n\n",
              name.c_str(), architecture ? architecture : "", ceilings.bytes / 1e9,
              ceilings.flops(Numbers::Float32) / 1e12, ceilings.flops(Numbers::Tf32) / 1e12,
              ceilings.flops(Numbers::Float16) / 1e12, ceilings.flops(Numbers::Float64) / 1e12);
  std::printf(
      "| row | case | call us | median | kernels us | launches | of the copy | of the FLOPs "
      "| error / bound |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  std::fflush(stdout);
}

static void print(const DeviceTimesOptions &options, const DeviceCase &which, const TimedRow &row,
                  const DeviceCeilings &ceilings) {
  const double inKernels = row.kernelsMs() / 1e3;
  const double share = inKernels > 0 ? row.bytes / inKernels / ceilings.bytes : 0;
  const double flops = inKernels > 0 ? which.flops / inKernels : 0;
  const double flopsShare = flops / ceilings.flops(which.numbers);
  if (!options.json) {
    std::printf("| %s | %s | %.1f | %.1f | %.1f | %lld | %.0f %% | %.1f %% | %.2g%s |\n",
                which.name.c_str(), which.caseName.c_str(), row.timing.minMs * 1e3,
                row.timing.medianMs * 1e3, inKernels * 1e6, (long long)row.launches(), 100 * share,
                100 * flopsShare, row.error, row.error <= 1 ? "" : " WRONG");
    std::fflush(stdout);
    return;
  }
  Json kernels = Json::array();
  for (const TimedKernel &kernel : row.kernels)
    kernels.push_back(
        {{"kernel", kernel.name}, {"launches", kernel.launches}, {"us", kernel.ms * 1e3}});
  printLine({{"name", which.name},
             {"case", which.caseName},
             {"numbers", nameOf(which.numbers)},
             {"min_ms", row.timing.minMs},
             {"median_ms", row.timing.medianMs},
             {"calls", row.timing.readings.size()},
             {"kernels_ms", row.kernelsMs()},
             {"launches", row.launches()},
             {"least_bytes", row.bytes},
             {"flops", which.flops},
             {"bytes_per_second", inKernels > 0 ? row.bytes / inKernels : 0},
             {"of_copy", share},
             {"flops_per_second", flops},
             {"of_peak", flopsShare},
             // JSON has no infinity.
             {"error_over_bound", std::min(row.error, 1e30)},
             {"right", row.error <= 1},
             {"checked_rows", which.checkedRows},
             {"rows", which.rows},
             {"compile_s", row.compileSeconds},
             {"kernels", kernels}});
}

static void printFailure(const DeviceTimesOptions &options, const DeviceCase &which,
                         const std::string &message) {
  if (options.json)
    printLine({{"name", which.name}, {"case", which.caseName}, {"error", message}});
  std::fflush(stdout);
  std::fprintf(stderr, "keratin-bench: error: %s %s: %s\n", which.name.c_str(),
               which.caseName.c_str(), message.c_str());
}

//===-- The process that measures ----------------------------------------------------------------//

// What it tells the one that waits: that the device is there; of each case how it went. Behind one
// that could not be measured it ends.
enum : char { kStarted = 's', kRight = 'r', kWrong = 'w', kFailed = 'f' };

static bool measure(const DeviceTimesOptions &options, const DeviceCase &which,
                    const ModelFolder &folder, const DeviceCeilings &ceilings) {
  TimedRow row;
  compiler::CompileOptions compiled;
  compiled.target = options.target;
  compiled.float32Products =
      which.numbers == Numbers::Tf32
          ? codegen::Float32Products::Tf32
          : options.float32Products.value_or(codegen::Float32Products::Float32);
  TimedCall call(which, folder, compiled, options.device);
  row.compileSeconds = call.compileSeconds();
  row.bytes = call.leastBytes();
  row.error = call.firstError();
  row.timing = call.time(options.seconds, options.batches);
  row.kernels = call.profile();
  print(options, which, row, ceilings);
  return row.error <= 1;
}

// Ends with the first case that throws: what it did to the device is not known.
static void measureAll(const DeviceTimesOptions &options, const std::vector<DeviceCase> &cases,
                       size_t first, const ModelFolder &folder, int pipe) {
  auto tell = [&](char what) {
    if (write(pipe, &what, 1) != 1)
      _exit(1);
  };
  const DeviceCase *now = nullptr;
  try {
    checked(tools::chooseDevice(options.device, options.target));
    const keratin_device_t &device = *keratin_device_find(options.device.c_str());
    const DeviceCeilings ceilings{copySpeed(device, options.scale)};
    keratin_cuda_trim();
    if (first == 0)
      printBeginning(options, device, ceilings);
    tell(kStarted);
    for (size_t i = first; i < cases.size(); ++i) {
      now = &cases[i];
      const bool isRight = measure(options, *now, folder, ceilings);
      keratin_cuda_trim();
      tell(isRight ? kRight : kWrong);
    }
  } catch (const std::exception &error) {
    if (now) {
      printFailure(options, *now, error.what());
      tell(kFailed);
    } else {
      std::fprintf(stderr, "keratin-bench: error: %s\n", error.what());
    }
  }
}

//===-- The process that waits -------------------------------------------------------------------//

namespace {
class Measurer {
public:
  Measurer(const DeviceTimesOptions &options, const std::vector<DeviceCase> &cases, size_t first,
           const ModelFolder &folder);
  ~Measurer();

  // What it tells; 0 where the process ended, or took too long and was ended.
  char next();
  bool tookTooLong = false;

private:
  int limitMs;
  int pipe[2];
  pid_t process;
};
} // namespace

Measurer::Measurer(const DeviceTimesOptions &options, const std::vector<DeviceCase> &cases,
                   size_t first, const ModelFolder &folder)
    : limitMs(options.limitSeconds * 1000) {
  std::fflush(stdout);
  if (::pipe(pipe) != 0 || (process = fork()) < 0)
    throw std::runtime_error("no process can be made");
  if (process == 0) {
    close(pipe[0]);
    measureAll(options, cases, first, folder, pipe[1]);
    std::fflush(stdout);
    _exit(0);
  }
  close(pipe[1]);
}

Measurer::~Measurer() {
  close(pipe[0]);
  waitpid(process, nullptr, 0);
}

char Measurer::next() {
  pollfd waited = {pipe[0], POLLIN, 0};
  int found;
  do
    found = poll(&waited, 1, limitMs);
  while (found < 0 && errno == EINTR);
  char what = 0;
  if (found > 0)
    return read(pipe[0], &what, 1) == 1 ? what : 0;
  tookTooLong = true;
  kill(process, SIGKILL);
  return 0;
}

int keratin::bench::runDeviceTimes(const DeviceTimesOptions &options) {
  std::vector<DeviceCase> cases = deviceCases(options.scale);
  std::erase_if(cases, [&](const DeviceCase &one) {
    return (!options.names.empty() &&
            !std::count(options.names.begin(), options.names.end(), one.name)) ||
           one.caseName.find(options.cases) == std::string::npos;
  });
  const ModelFolder folder; // here, as those that use it may be ended
  int failures = 0;
  for (size_t i = 0; i < cases.size();) {
    Measurer measurer(options, cases, i, folder);
    if (measurer.next() != kStarted) {
      if (measurer.tookTooLong)
        std::fprintf(stderr, "keratin-bench: error: the device does not answer\n");
      return failures + 1;
    }
    for (char what = kRight; i < cases.size() && (what == kRight || what == kWrong); ++i) {
      what = measurer.next();
      failures += what != kRight;
      if (!what)
        printFailure(options, cases[i],
                     measurer.tookTooLong
                         ? "no result after " + std::to_string(options.limitSeconds) + " s"
                         : "the process ended");
    }
  }
  return failures;
}
