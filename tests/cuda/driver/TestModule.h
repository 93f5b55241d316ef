// A module of hand-written kernels in a context, and memory that is given back.
#ifndef KERATIN_TESTS_CUDA_DRIVER_TESTMODULE_H
#define KERATIN_TESTS_CUDA_DRIVER_TESTMODULE_H

#include "tests/cuda/driver/EmulatedDriver.h"
#include "tests/cuda/driver/TestKernels.h"

#include <vector>

namespace keratin::tests {

struct TestModule {
  explicit TestModule(const cuda::Driver &driver) : driver(driver) {
    REQUIRE(driver.cuModuleLoadDataEx(&module, testKernels, 0, nullptr, nullptr) ==
            cuda::CUDA_SUCCESS);
  }
  ~TestModule() { driver.cuModuleUnload(module); }
  TestModule(const TestModule &) = delete;
  TestModule &operator=(const TestModule &) = delete;

  cuda::CUfunction function(const char *name) const {
    cuda::CUfunction found = nullptr;
    REQUIRE(driver.cuModuleGetFunction(&found, module, name) == cuda::CUDA_SUCCESS);
    return found;
  }

  // argv, then the five numbers; the failure word's address is the third of these.
  cuda::CUresult launch(const char *name, cuda::CUstream stream, std::vector<uint64_t> argv,
                        uint64_t units, uint64_t failure = 0, uint64_t guarded = 0) const {
    argv.insert(argv.end(), {units, 1, failure, 0, guarded});
    std::vector<void *> parameters;
    for (uint64_t &value : argv)
      parameters.push_back(&value);
    return driver.cuLaunchKernel(function(name), unsigned((units + 63) / 64), 1, 1, 64, 1, 1, 0,
                                 stream, parameters.data(), nullptr);
  }

  const cuda::Driver &driver;
  cuda::CUmodule module = nullptr;
};

struct TestMemory {
  TestMemory(const cuda::Driver &driver, size_t bytes) : driver(driver) {
    REQUIRE(driver.cuMemAlloc_v2(&address, bytes) == cuda::CUDA_SUCCESS);
    REQUIRE(driver.cuMemsetD8_v2(address, 0, bytes) == cuda::CUDA_SUCCESS);
    REQUIRE(driver.cuCtxSynchronize() == cuda::CUDA_SUCCESS);
  }
  ~TestMemory() { driver.cuMemFree_v2(address); }
  TestMemory(const TestMemory &) = delete;
  TestMemory &operator=(const TestMemory &) = delete;

  // What is there now: the memory is looked at by a stream that waits for no other.
  template <typename T> T read(size_t index = 0) const {
    T value = {};
    cuda::CUstream stream = nullptr;
    REQUIRE(driver.cuStreamCreate(&stream, cuda::CU_STREAM_NON_BLOCKING) == cuda::CUDA_SUCCESS);
    CHECK(driver.cuMemcpyDtoHAsync_v2(&value, address + index * sizeof(T), sizeof(T), stream) ==
          cuda::CUDA_SUCCESS);
    CHECK(driver.cuStreamDestroy_v2(stream) == cuda::CUDA_SUCCESS);
    return value;
  }

  const cuda::Driver &driver;
  cuda::CUdeviceptr address = 0;
};

struct TestPinned {
  TestPinned(const cuda::Driver &driver, size_t bytes) : driver(driver) {
    REQUIRE(driver.cuMemHostAlloc(&data, bytes, 0) == cuda::CUDA_SUCCESS);
  }
  ~TestPinned() { driver.cuMemFreeHost(data); }
  TestPinned(const TestPinned &) = delete;
  TestPinned &operator=(const TestPinned &) = delete;

  template <typename T> T *as() const { return static_cast<T *>(data); }

  const cuda::Driver &driver;
  void *data = nullptr;
};

struct TestStream {
  explicit TestStream(const cuda::Driver &driver, unsigned flags = cuda::CU_STREAM_NON_BLOCKING)
      : driver(driver) {
    REQUIRE(driver.cuStreamCreate(&stream, flags) == cuda::CUDA_SUCCESS);
  }
  ~TestStream() { driver.cuStreamDestroy_v2(stream); }
  TestStream(const TestStream &) = delete;
  TestStream &operator=(const TestStream &) = delete;
  operator cuda::CUstream() const { return stream; }

  const cuda::Driver &driver;
  cuda::CUstream stream = nullptr;
};

struct TestEvent {
  explicit TestEvent(const cuda::Driver &driver, unsigned flags = cuda::CU_EVENT_DEFAULT)
      : driver(driver) {
    REQUIRE(driver.cuEventCreate(&event, flags) == cuda::CUDA_SUCCESS);
  }
  ~TestEvent() { driver.cuEventDestroy_v2(event); }
  TestEvent(const TestEvent &) = delete;
  TestEvent &operator=(const TestEvent &) = delete;
  operator cuda::CUevent() const { return event; }

  const cuda::Driver &driver;
  cuda::CUevent event = nullptr;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_CUDA_DRIVER_TESTMODULE_H
