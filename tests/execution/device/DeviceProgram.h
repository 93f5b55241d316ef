// Functions of the dialect on a real device or the emulated one, whose launches and images a test
// chooses.
#ifndef KERATIN_TESTS_EXECUTION_DEVICE_DEVICEPROGRAM_H
#define KERATIN_TESTS_EXECUTION_DEVICE_DEVICEPROGRAM_H

#include "runtime/abi/keratin_cuda_abi.h"

#include <keratin/device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace keratin::tests {

// The device that tests of this folder use.
const keratin_device_t &testedDevice();
// Whether it is the emulator's: sizes are small then.
bool isEmulated();
int multiprocessors();
size_t deviceMemory();

// Calls that a test makes, or its part of them, in all: KERATIN_TEST_CALLS, or so many.
int64_t callsOf(int64_t otherwise);

struct DeleteExecutable {
  void operator()(keratin_executable_t *executable) const {
    keratin_executable_destroy(executable);
  }
};
using Executable = std::unique_ptr<keratin_executable_t, DeleteExecutable>;

// The bytes of all outputs.
using Outputs = std::vector<std::vector<char>>;

// Inputs in the memory of a device, or of the host where `device` is the CPU.
class Inputs {
public:
  Inputs(const keratin_device_t &device, const keratin_function_desc_t &descriptor, int seed = 0);
  ~Inputs();
  Inputs(const Inputs &) = delete;

  const keratin_device_t &device;
  std::vector<keratin_tensor_t> views;

private:
  std::vector<std::pair<void *, size_t>> blocks;
};

// All kernels are launched with so many blocks at most, where that is not 0. Of the images there
// are those of the kinds given, where any are; launches beside them.
struct LaunchChoice {
  uint32_t mostBlocks = 0;
  std::vector<std::string> images = {};
};

// A function without variables, of known sizes. Compiling must succeed.
class DeviceProgram {
public:
  explicit DeviceProgram(const std::string &text, const std::string &target = "cuda");
  ~DeviceProgram();

  // Null where the runtime refuses, and `error` says why.
  Executable make(const LaunchChoice &choice = {});
  const keratin_function_desc_t &descriptor() const;
  // Kinds of images that hold code.
  std::vector<std::string> images() const;
  bool hasMeetingKernels() const;

  std::string error;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

// Empty if the call fails; then the error says why.
Outputs call(keratin_executable_t *executable, const Inputs &inputs, std::string *error = nullptr);

// The same function on the CPU.
Outputs onCpu(const std::string &text);
// Largest difference of floats over 1 + |expected|; infinite where integers differ.
double largestDifference(const keratin_function_desc_t &descriptor, const Outputs &actual,
                         const Outputs &expected);

// Ends the process where the work takes too long, and says what it was: a device that does not
// answer does not end by itself. KERATIN_TEST_SECONDS, or ten minutes.
class Watchdog {
public:
  explicit Watchdog(std::string what);
  ~Watchdog();
};

// Another process of this program, which does the test case of that name: its standard input is a
// pipe from here, its output one to here.
class OtherProcess {
public:
  explicit OtherProcess(const std::string &testCase);
  ~OtherProcess();
  OtherProcess(const OtherProcess &) = delete;

  // A line that it prints and that begins so, without the beginning; "" at its end.
  std::string line(const std::string &beginning);
  // Lets it read the end of its input, and waits for it: its exit code, or -1 if it was killed.
  int end();

private:
  int pid = -1, to = -1, from = -1;
  std::string rest;
};
// By the other process: whether there is nobody to go on for.
bool isToEnd();
void say(const std::string &line);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_DEVICE_DEVICEPROGRAM_H
