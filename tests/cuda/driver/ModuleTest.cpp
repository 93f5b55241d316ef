// Modules, functions, launches, and what happens after a fault of a kernel.
#include "tests/cuda/driver/TestModule.h"

using namespace keratin::cuda;
using namespace keratin::tests;

static CUresult load(const Driver &driver, const char *text, std::string &log) {
  CUmodule module = nullptr;
  char buffer[256] = "untouched";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {buffer, reinterpret_cast<void *>(sizeof(buffer))};
  CUresult result = driver.cuModuleLoadDataEx(&module, text, 2, options, values);
  if (result == CUDA_SUCCESS)
    driver.cuModuleUnload(module);
  log = buffer;
  return result;
}

TEST_CASE("modules that cannot be loaded are refused with a reason") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  std::string log;
  CHECK(load(driver, testKernels, log) == CUDA_SUCCESS);
  CHECK(log.empty());
  CHECK(load(driver, "no module at all", log) == CUDA_ERROR_INVALID_IMAGE);
  CHECK(load(driver,
             "\x7f"
             "ELF machine code",
             log) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(load(driver, ".version 9.9\n.target sm_80\n.address_size 64\n", log) ==
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  CHECK(log.find("unsupported .version 9.9") != std::string::npos);
  CHECK(load(driver, ".version 8.0\n.target sm_90a\n.address_size 64\n", log) ==
        CUDA_ERROR_INVALID_PTX);
  CHECK(log.find("sm_90") != std::string::npos);
  CHECK(load(driver, ".version 8.0\n.target sm_80\n.address_size 64\nsyntax error\n", log) ==
        CUDA_ERROR_INVALID_PTX);
  CHECK(log.find("4") != std::string::npos);
  emulator().set("sm=90");
  CHECK(load(driver, ".version 8.0\n.target sm_90a\n.address_size 64\n", log) == CUDA_SUCCESS);
  emulator().set("sm=100");
  CHECK(load(driver, ".version 8.0\n.target sm_90a\n.address_size 64\n", log) ==
        CUDA_ERROR_INVALID_PTX);
  CHECK(log.find("for no other device") != std::string::npos);
  CHECK(load(driver, ".version 8.0\n.target sm_90\n.address_size 64\n", log) == CUDA_SUCCESS);
  emulator().set("sm=80");
}

TEST_CASE("functions are found by name, and have attributes") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestModule module(driver);
  CUfunction add = module.function("add"), none = nullptr;
  int value = 0;
  CHECK(driver.cuModuleGetFunction(&none, module.module, "subtract") == CUDA_ERROR_NOT_FOUND);
  CHECK(driver.cuModuleGetFunction(&none, nullptr, "add") == CUDA_ERROR_INVALID_HANDLE);
  CHECK(driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add) ==
        CUDA_SUCCESS);
  CHECK(value == 1024);
  CHECK(driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, add) == CUDA_SUCCESS);
  CHECK(value > 0);
  CHECK(driver.cuFuncGetAttribute(&value, 999, add) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 256, 0) == CUDA_SUCCESS);
  CHECK(value == 8);
  CHECK(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 64, 100 * 1024) ==
        CUDA_SUCCESS);
  CHECK(value == 1);
}

TEST_CASE("launches compute") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestModule module(driver);
  constexpr size_t count = 1000;
  TestMemory x(driver, 4 * count), y(driver, 4 * count), z(driver, 4 * count);
  std::vector<float> a(count), b(count), c(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = float(i);
    b[i] = 0.5f * float(i);
  }
  CHECK(driver.cuMemcpyHtoD_v2(x.address, a.data(), 4 * count) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyHtoD_v2(y.address, b.data(), 4 * count) == CUDA_SUCCESS);
  CHECK(module.launch("add", nullptr, {x.address, y.address, z.address}, count) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyDtoH_v2(c.data(), z.address, 4 * count) == CUDA_SUCCESS);
  for (size_t i = 0; i < count; ++i)
    REQUIRE(c[i] == 1.5f * float(i));
}

TEST_CASE("launches that cannot be are refused") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestModule module(driver);
  CUfunction add = module.function("add");
  uint64_t numbers[8] = {};
  void *parameters[8];
  for (int i = 0; i < 8; ++i)
    parameters[i] = &numbers[i];
  auto launch = [&](unsigned grid, unsigned block, unsigned shared, CUfunction function,
                    CUstream stream, void **given) {
    return driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, given, nullptr);
  };
  CHECK(launch(1, 1, 0, add, nullptr, parameters) == CUDA_SUCCESS);
  CHECK(launch(0, 1, 0, add, nullptr, parameters) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(1, 0, 0, add, nullptr, parameters) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(1, 1025, 0, add, nullptr, parameters) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(1, 1, 0, add, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(1, 1, 0, nullptr, nullptr, parameters) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(1, 1, 0, add, reinterpret_cast<CUstream>(parameters), parameters) ==
        CUDA_ERROR_INVALID_HANDLE);
  // More shared memory than there is without asking, and more than there is.
  CHECK(launch(1, 1, 64 * 1024, add, nullptr, parameters) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  200 * 1024) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  64 * 1024) == CUDA_SUCCESS);
  CHECK(launch(1, 1, 64 * 1024, add, nullptr, parameters) == CUDA_SUCCESS);
  // Eight multiprocessors with two blocks of 1,024 threads each.
  CHECK(driver.cuLaunchCooperativeKernel(add, 16, 1, 1, 1024, 1, 1, 0, nullptr, parameters) ==
        CUDA_SUCCESS);
  CHECK(driver.cuLaunchCooperativeKernel(add, 17, 1, 1, 1024, 1, 1, 0, nullptr, parameters) ==
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CHECK(driver.cuCtxSynchronize() == CUDA_SUCCESS);
}

TEST_CASE("handles of what is gone are refused") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  CUfunction add = nullptr;
  CUmodule module = nullptr;
  {
    TestModule gone(driver);
    add = gone.function("add");
    module = gone.module;
  }
  int value = 0;
  CHECK(driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, add) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(driver.cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
  CUstream stream = nullptr;
  {
    stream = TestStream(driver);
  }
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(driver.cuStreamDestroy_v2(stream) == CUDA_ERROR_INVALID_HANDLE);
  CUevent event = nullptr;
  {
    event = TestEvent(driver);
  }
  CHECK(driver.cuEventQuery(event) == CUDA_ERROR_INVALID_HANDLE);
}

// Its context is lost: a device of its own.
TEST_CASE("a kernel that is given memory of another device is found out") {
  EmulatedContext other(0), context(12);
  const Driver &driver = context.driver;
  REQUIRE(driver.cuCtxSetCurrent(other.context) == CUDA_SUCCESS);
  CUdeviceptr elsewhere = 0;
  REQUIRE(driver.cuMemAlloc_v2(&elsewhere, 64) == CUDA_SUCCESS);
  REQUIRE(driver.cuCtxSetCurrent(context.context) == CUDA_SUCCESS);
  TestModule module(driver);
  CHECK(module.launch("store", nullptr, {elsewhere}, 1) == CUDA_SUCCESS);
  CHECK(driver.cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::string fault = emulator().lastFault();
  CHECK(fault.find("memory of another device: store, line ") == 0);
  CHECK(fault.ends_with(", where nothing is allocated on device 12: it is memory of device 0"));
  REQUIRE(driver.cuCtxSetCurrent(other.context) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(elsewhere) == CUDA_SUCCESS);
}

TEST_CASE("after a fault nothing works any more in its context") {
  EmulatedContext context(15);
  const Driver &driver = context.driver;
  TestModule module(driver);
  TestMemory memory(driver, 64);
  // It is told by whoever waits, not by the launch.
  CHECK(module.launch("store", nullptr, {memory.address + 1024}, 1) == CUDA_SUCCESS);
  CHECK(module.launch("store", nullptr, {memory.address}, 1) == CUDA_SUCCESS);
  CHECK(driver.cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(std::string(emulator().lastFault()).find("store") != std::string::npos);
  CUdeviceptr address = 0;
  int value = 0;
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(driver.cuMemcpyDtoH_v2(&value, memory.address, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(driver.cuMemFree_v2(memory.address) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(driver.cuStreamSynchronize(nullptr) == CUDA_ERROR_ILLEGAL_ADDRESS);
  // Another device does not mind.
  EmulatedContext other(14);
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
}
