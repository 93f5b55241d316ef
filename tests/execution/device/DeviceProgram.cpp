#include "tests/execution/device/DeviceProgram.h"

#include "compiler/driver/Compiler.h"
#include "runtime/cuda/Driver.h"
#include "tests/support/TestEnvironment.h"

#include <keratin/cuda.h>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <limits>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin;
using namespace keratin::tests;

//===-- The device ----------------------------------------------------------------------------===//

const keratin_device_t &keratin::tests::testedDevice() {
  keratin_cuda_enable();
  const keratin_device_t *device = nullptr;
  keratin_status_t status;
  if (keratin_device_open(KERATIN_CUDA_DEVICE, &device, &status) != KERATIN_OK)
    FAIL(status.message);
  return *device;
}

bool keratin::tests::isEmulated() {
  const char *named = std::getenv("KERATIN_CUDA_DRIVER");
  return named && *named;
}

static const cuda::Driver &driver() {
  const cuda::Driver *driver = nullptr;
  keratin_status_t status;
  if (cuda::findDriver(&driver, &status) != KERATIN_OK)
    FAIL(status.message);
  return *driver;
}

int keratin::tests::multiprocessors() {
  int count = 0;
  REQUIRE(driver().cuDeviceGetAttribute(&count, cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                        0) == cuda::CUDA_SUCCESS);
  return count;
}

size_t keratin::tests::deviceMemory() {
  size_t bytes = 0;
  REQUIRE(driver().cuDeviceTotalMem_v2(&bytes, 0) == cuda::CUDA_SUCCESS);
  return bytes;
}

int64_t keratin::tests::callsOf(int64_t otherwise) {
  return std::max<int64_t>(1, fromEnvironment("KERATIN_TEST_CALLS", otherwise));
}

//===-- Tensors -------------------------------------------------------------------------------===//

static size_t elementsOf(const keratin_tensor_desc_t &tensor) {
  size_t elements = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    elements *= size_t(tensor.dims[i]);
  return elements;
}

// Multiples of 1/8 between -1 and 1: short sums of products are exact in whatever order.
static std::vector<float> numbers(size_t count, int seed) {
  std::vector<float> values(count);
  uint32_t state = uint32_t(seed) * 2654435761u + 12345u;
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = float(int(state >> 28) - 8) / 8;
  }
  return values;
}

Inputs::Inputs(const keratin_device_t &device, const keratin_function_desc_t &descriptor, int seed)
    : device(device) {
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    const keratin_tensor_desc_t &tensor = descriptor.inputs[i];
    REQUIRE(tensor.dtype == KERATIN_DTYPE_FLOAT32);
    std::vector<float> values = numbers(elementsOf(tensor), seed + i);
    size_t bytes = values.size() * sizeof(float);
    void *data = device.allocate(device.user, bytes, KERATIN_ALIGNMENT);
    REQUIRE(data);
    blocks.emplace_back(data, bytes);
    keratin_status_t status;
    REQUIRE(device.copy_in(device.user, nullptr, 0, data, values.data(), bytes, &status) ==
            KERATIN_OK);
    views.push_back({data, tensor.dtype, tensor.rank, tensor.dims, nullptr, &device});
  }
}

Inputs::~Inputs() {
  for (auto [data, bytes] : blocks)
    device.release(device.user, data, bytes, KERATIN_ALIGNMENT);
}

Outputs keratin::tests::call(keratin_executable_t *executable, const Inputs &inputs,
                             std::string *error) {
  Outputs outputs;
  auto allocate = [](void *user, int32_t, int32_t, int32_t, const int64_t *, size_t bytes) {
    auto &list = *static_cast<Outputs *>(user);
    list.emplace_back(bytes);
    return static_cast<void *>(list.back().data());
  };
  keratin_status_t status;
  if (keratin_invoke_allocating(executable, nullptr, 0, inputs.views.data(),
                                int32_t(inputs.views.size()), allocate, nullptr, &outputs,
                                &status) != KERATIN_OK) {
    if (error)
      *error = status.message;
    return {};
  }
  return outputs;
}

double keratin::tests::largestDifference(const keratin_function_desc_t &descriptor,
                                         const Outputs &actual, const Outputs &expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (actual.size() != expected.size() || actual.empty())
    return infinite;
  double largest = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i].size() != expected[i].size())
      return infinite;
    if (descriptor.outputs[i].dtype != KERATIN_DTYPE_FLOAT32) {
      if (actual[i] != expected[i])
        return infinite;
      continue;
    }
    for (size_t at = 0; at < actual[i].size(); at += sizeof(float)) {
      float x = 0, y = 0;
      std::memcpy(&x, actual[i].data() + at, sizeof(x));
      std::memcpy(&y, expected[i].data() + at, sizeof(y));
      double difference = std::abs(double(x) - y) / (1 + std::abs(double(y)));
      if (!(difference <= largest))
        largest = std::isnan(difference) ? infinite : difference;
    }
  }
  return largest;
}

//===-- Programs ------------------------------------------------------------------------------===//

static std::shared_ptr<const compiler::CompiledFunction> compileText(const std::string &text,
                                                                     const std::string &target) {
  mlir::MLIRContext context(compiler::dialects());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  compiler::CompileOptions options;
  options.target = target;
  if (target != "cpu")
    options.device = &testedDevice();
  auto compiled = compiler::compile(*module, options);
  if (!compiled.ok())
    FAIL(std::string(compiled.status().message()));
  return *compiled;
}

struct DeviceProgram::Impl {
  std::shared_ptr<const compiler::CompiledFunction> compiled;
  // Executables refer to what they were made of.
  struct Made {
    keratin_function_desc_t function;
    keratin_device_code_t code;
    std::vector<keratin_image_t> images;
    std::vector<std::vector<keratin_cuda_kernel_t>> launches;
  };
  std::vector<std::unique_ptr<Made>> made;
};

DeviceProgram::DeviceProgram(const std::string &text, const std::string &target)
    : impl(std::make_unique<Impl>()) {
  impl->compiled = compileText(text, target);
}

DeviceProgram::~DeviceProgram() = default;

const keratin_function_desc_t &DeviceProgram::descriptor() const {
  return impl->compiled->descriptor();
}

static bool isLaunches(const keratin_image_t &image) {
  return std::string(image.kind).rfind(KERATIN_CUDA_IMAGE_KERNELS, 0) == 0;
}

static std::vector<keratin_cuda_kernel_t> launchesOf(const keratin_image_t &image) {
  std::vector<keratin_cuda_kernel_t> launches(size_t(image.bytes) / sizeof(keratin_cuda_kernel_t));
  std::memcpy(launches.data(), image.data, size_t(image.bytes));
  return launches;
}

std::vector<std::string> DeviceProgram::images() const {
  std::vector<std::string> kinds;
  const keratin_device_code_t &code = *descriptor().device_code;
  for (int64_t i = 0; i < code.num_images; ++i)
    if (!isLaunches(code.images[i]))
      kinds.emplace_back(code.images[i].kind);
  return kinds;
}

bool DeviceProgram::hasMeetingKernels() const {
  const keratin_device_code_t &code = *descriptor().device_code;
  for (int64_t i = 0; i < code.num_images; ++i)
    if (isLaunches(code.images[i]))
      for (const keratin_cuda_kernel_t &launch : launchesOf(code.images[i]))
        if (launch.unit_bytes || (launch.flags & KERATIN_CUDA_COOPERATIVE))
          return true;
  return false;
}

Executable DeviceProgram::make(const LaunchChoice &choice) {
  auto made = std::make_unique<Impl::Made>();
  made->function = descriptor();
  made->code = *descriptor().device_code;
  for (int64_t i = 0; i < made->code.num_images; ++i) {
    keratin_image_t image = made->code.images[i];
    if (isLaunches(image)) {
      made->launches.push_back(launchesOf(image));
      for (keratin_cuda_kernel_t &launch : made->launches.back())
        if (choice.mostBlocks && (!launch.max_blocks || launch.max_blocks > choice.mostBlocks))
          launch.max_blocks = choice.mostBlocks;
      image.data = made->launches.back().data();
    } else if (!choice.images.empty() && std::find(choice.images.begin(), choice.images.end(),
                                                   image.kind) == choice.images.end()) {
      continue;
    }
    made->images.push_back(image);
  }
  made->code.num_images = int64_t(made->images.size());
  made->code.images = made->images.data();
  made->function.device_code = &made->code;
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  error.clear();
  if (keratin_executable_create(&made->function, &executable, &status) != KERATIN_OK)
    error = status.message;
  impl->made.push_back(std::move(made));
  return Executable(executable);
}

Outputs keratin::tests::onCpu(const std::string &text) {
  auto compiled = compileText(text, "cpu");
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  if (keratin_executable_create(&compiled->descriptor(), &executable, &status) != KERATIN_OK)
    FAIL(status.message);
  Executable owner(executable);
  Inputs inputs(*keratin_cpu_device(), compiled->descriptor());
  return call(executable, inputs);
}

//===-- Processes -----------------------------------------------------------------------------===//

static char watched[200];

Watchdog::Watchdog(std::string what) {
  std::snprintf(watched, sizeof(watched), "no end: %s\n", what.c_str());
  std::signal(SIGALRM, [](int) {
    if (write(STDERR_FILENO, watched, std::strlen(watched)) >= 0)
      _exit(124);
  });
  alarm(unsigned(fromEnvironment("KERATIN_TEST_SECONDS", 600)));
}

Watchdog::~Watchdog() { alarm(0); }

OtherProcess::OtherProcess(const std::string &testCase) {
  int in[2], out[2];
  REQUIRE(pipe(in) == 0);
  REQUIRE(pipe(out) == 0);
  std::fflush(nullptr);
  pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (int end : {in[0], in[1], out[0], out[1]})
      close(end);
    execl("/proc/self/exe", "test", testCase.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to = in[1];
  from = out[0];
  // Others that are begun later do not hold this one's input open.
  for (int end : {to, from})
    fcntl(end, F_SETFD, FD_CLOEXEC);
}

OtherProcess::~OtherProcess() {
  if (pid < 0)
    return;
  kill(pid, SIGKILL);
  (void)end();
}

std::string OtherProcess::line(const std::string &beginning) {
  for (;;) {
    size_t length = rest.find('\n');
    if (length == std::string::npos) {
      char buffer[512];
      ssize_t bytes = read(from, buffer, sizeof(buffer));
      if (bytes <= 0)
        return "";
      rest.append(buffer, size_t(bytes));
      continue;
    }
    std::string line = rest.substr(0, length);
    rest.erase(0, length + 1);
    if (line.rfind(beginning, 0) == 0)
      return line.substr(beginning.size());
  }
}

int OtherProcess::end() {
  close(to);
  while (!line("\n").empty()) {
  }
  close(from);
  int status = 0;
  waitpid(pid, &status, 0);
  pid = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool keratin::tests::isToEnd() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) != 0;
}

void keratin::tests::say(const std::string &line) { std::cout << line << std::endl; }
