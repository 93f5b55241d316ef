// A case on a device: compiled, its inputs and outputs in the device's memory, checked, timed.
#ifndef KERATIN_BENCHMARKS_TIMEDCALL_H
#define KERATIN_BENCHMARKS_TIMEDCALL_H

#include "benchmarks/keratin-bench/DeviceCases.h"
#include "benchmarks/keratin-bench/ModelFolder.h"
#include "benchmarks/keratin-bench/Timing.h"

#include <memory>
#include <string>
#include <vector>

namespace keratin::bench {

// Memory of the device.
class DeviceMemory {
public:
  DeviceMemory(const keratin_device_t &device, size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void *data() const { return memory; }
  void write(const void *from);
  void read(void *to) const;
  void copyFrom(const DeviceMemory &other);

private:
  static constexpr size_t kAlignment = 256;

  const keratin_device_t &device;
  size_t bytes;
  void *memory;
};

struct TimedKernel {
  std::string name;
  int64_t launches = 0;
  double ms = 0;
};

class TimedCall {
public:
  // Compiled with these options, and so that there are profiles.
  TimedCall(const DeviceCase &which, const ModelFolder &folder, compiler::CompileOptions options,
            const std::string &device);

  double compileSeconds() const { return compiling; }
  // Of inputs, variables, outputs and new values, each once.
  double leastBytes() const;
  // The first call, compared with the CPU: the greatest error over what is allowed, at most 1
  // where the results are right.
  double firstError();
  // Calls on the clock of the host, after some that are not counted.
  Timing time(double seconds, int batches);
  // On the device, of the call whose kernels took least.
  std::vector<TimedKernel> profile();

private:
  void call();
  // Elements smaller than `least` need not be more exact than those.
  double errorOf(const tools::Array &expected, const tools::Array &found, double least) const;

  const DeviceCase &which;
  const ModelFolder &folder;
  double compiling = 0;
  std::unique_ptr<tools::Program> program;
  std::vector<tools::Array> inputs, outputs; // on the host
  std::vector<DeviceMemory> memory;          // of both
  std::vector<keratin_tensor_t> inputViews, outputViews;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_TIMEDCALL_H
