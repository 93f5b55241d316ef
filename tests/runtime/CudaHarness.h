// Functions for the device "cuda" with hand-written kernels, run by the look-alike of the driver.
#ifndef KERATIN_TESTS_RUNTIME_CUDAHARNESS_H
#define KERATIN_TESTS_RUNTIME_CUDAHARNESS_H

#include "runtime/abi/keratin_cuda_abi.h"
#include "runtime/include/keratin/cuda.h"
#include "tests/cuda/driver/EmulatedDriver.h"
#include "tests/cuda/driver/TestKernels.h"
#include "tests/runtime/FunctionBuilder.h"

#include <cstring>

namespace keratin::testing {

// Kernels of TestKernels.h, by the numbers that launches take.
enum CudaTestKernel { Add, Increment, Check, Store };
inline const char *const cudaKernelNames[] = {"add", "increment", "check", "store"};

// Threads of a block, units of one, blocks at most, and shared memory.
inline keratin_cuda_kernel_t cudaShape(uint32_t threads, uint32_t unitsPerBlock = 0,
                                       uint32_t maxBlocks = 0, uint32_t sharedBytes = 0,
                                       uint32_t flags = 0) {
  return {threads, unitsPerBlock, maxBlocks, sharedBytes, flags, 0, {}};
}

inline const keratin_cuda_kernel_t cudaShapes[] = {cudaShape(64, 64, 4), cudaShape(32),
                                                   cudaShape(32), cudaShape(1)};

struct CudaCode {
  CudaCode() {
    images = {{KERATIN_CUDA_IMAGE_PTX,
               tests::testKernels,
               int64_t(std::strlen(tests::testKernels)) + 1,
               {}},
              {KERATIN_CUDA_IMAGE_KERNELS, shapes.data(), int64_t(sizeof(cudaShapes)), {}}};
    code = {.device = "cuda",
            .num_images = int64_t(images.size()),
            .images = images.data(),
            .num_kernels = 4,
            .kernels = cudaKernelNames,
            .reserved = {}};
  }
  CudaCode(const CudaCode &) = delete;

  std::vector<keratin_cuda_kernel_t> shapes{std::begin(cudaShapes), std::end(cudaShapes)};
  std::vector<keratin_image_t> images;
  keratin_device_code_t code;
};

inline const keratin_device_t *cudaDevice(const std::string &name) {
  tests::emulator();
  keratin_cuda_enable();
  const keratin_device_t *device = nullptr;
  keratin_status_t status;
  keratin_device_open(name.c_str(), &device, &status);
  INFO(status.message);
  REQUIRE(status.code == KERATIN_OK);
  return device;
}

// A function of the table, that must succeed.
#define REQUIRE_DONE(call)                                                                         \
  do {                                                                                             \
    keratin_status_t status;                                                                       \
    status.message[0] = '\0';                                                                      \
    auto code = (call);                                                                            \
    INFO(status.message);                                                                          \
    REQUIRE(code == KERATIN_OK);                                                                   \
  } while (false)

// Memory of a device with values of the host's.
template <typename T> class DeviceArray {
public:
  DeviceArray(const keratin_device_t &device, std::vector<T> values)
      : device(device), count(values.size()),
        data(device.allocate(device.user, count * sizeof(T), 64)) {
    REQUIRE(data);
    REQUIRE_DONE(
        device.copy_in(device.user, nullptr, 0, data, values.data(), count * sizeof(T), &status));
  }
  ~DeviceArray() { device.release(device.user, data, count * sizeof(T), 64); }
  DeviceArray(const DeviceArray &) = delete;

  std::vector<T> read(void *queue = nullptr) const {
    std::vector<T> values(count);
    REQUIRE_DONE(
        device.copy_out(device.user, queue, 0, values.data(), data, count * sizeof(T), &status));
    return values;
  }
  int64_t address() const { return int64_t(data); }

  const keratin_device_t &device;
  size_t count;
  void *data;
};

// A queue with the test's kernels loaded.
class TestQueue {
public:
  explicit TestQueue(const keratin_device_t &device) : device(device) {
    builder.descriptor.device_code = &code.code;
    REQUIRE_DONE(device.load(device.user, builder.build(), &module, &status));
    REQUIRE_DONE(device.open(device.user, &queue, &status));
    begin();
  }
  ~TestQueue() {
    device.close(device.user, queue);
    device.unload(device.user, module);
  }
  TestQueue(const TestQueue &) = delete;

  void begin() { REQUIRE_DONE(device.begin(device.user, queue, &status)); }
  void launch(int kernel, std::vector<int64_t> argv, int64_t units, int64_t grain = 1) {
    REQUIRE_DONE(device.launch(device.user, queue, 0, module, kernel, argv.data(),
                               int32_t(argv.size()), units, grain, &status));
  }
  int32_t wait() {
    int32_t site = -7;
    REQUIRE_DONE(device.wait(device.user, queue, &site, &status));
    return site;
  }
  void guard() {
    int32_t site = 0;
    REQUIRE_DONE(device.guard(device.user, queue, &site, &status));
  }

  const keratin_device_t &device;
  CudaCode code;
  FunctionBuilder builder{"f", [](keratin_context_t *, void *const *, const int64_t *) {}};
  void *module = nullptr;
  void *queue = nullptr;
};

} // namespace keratin::testing

#endif // KERATIN_TESTS_RUNTIME_CUDAHARNESS_H
