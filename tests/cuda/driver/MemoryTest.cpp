// Devices, contexts and memory of the look-alike of the driver.
#include "tests/cuda/driver/EmulatedDriver.h"

#include <cstring>
#include <thread>
#include <vector>

using namespace keratin::cuda;
using namespace keratin::tests;

TEST_CASE("the driver tells of its devices") {
  const Driver &driver = emulatedDriver();
  CHECK(driver.version == 12040);
  int count = 0, value = 0;
  CUdevice device = -1;
  char name[64], little[4];
  CHECK(driver.cuInit(1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(driver.cuDeviceGetCount(&count) == CUDA_SUCCESS);
  CHECK(count == 16);
  CHECK(driver.cuDeviceGet(&device, 1) == CUDA_SUCCESS);
  CHECK(device == 1);
  CHECK(driver.cuDeviceGet(&device, 16) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(driver.cuDeviceGetName(name, sizeof(name), 0) == CUDA_SUCCESS);
  CHECK(std::string(name) == "Keratin's emulator of sm_80");
  CHECK(driver.cuDeviceGetName(little, sizeof(little), 0) == CUDA_SUCCESS);
  CHECK(std::string(little) == "Ker");
  CHECK(driver.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) ==
        CUDA_SUCCESS);
  CHECK(value == 8);
  CHECK(driver.cuDeviceGetAttribute(&value, 12345, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 77) ==
        CUDA_ERROR_INVALID_DEVICE);
  size_t bytes = 0;
  CHECK(driver.cuDeviceTotalMem_v2(&bytes, 0) == CUDA_SUCCESS);
  CHECK(bytes == size_t(1) << 30);
}

TEST_CASE("results have names") {
  const Driver &driver = emulatedDriver();
  CHECK(std::string(driver.describe(CUDA_ERROR_OUT_OF_MEMORY).text()) ==
        "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  CHECK(std::string(driver.describe(424242).text()) == "CUDA error 424242");
}

TEST_CASE("contexts are counted, and belong to threads") {
  const Driver &driver = emulatedDriver();
  CUdeviceptr address = 0;
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_ERROR_INVALID_CONTEXT);
  CUcontext context = nullptr, other = nullptr, now = nullptr;
  CHECK(driver.cuDevicePrimaryCtxRelease_v2(3) == CUDA_ERROR_INVALID_CONTEXT);
  REQUIRE(driver.cuDevicePrimaryCtxRetain(&context, 3) == CUDA_SUCCESS);
  REQUIRE(driver.cuDevicePrimaryCtxRetain(&other, 3) == CUDA_SUCCESS);
  CHECK(context == other);
  CHECK(driver.cuCtxSetCurrent(context) == CUDA_SUCCESS);
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  std::thread([&] {
    CUcontext here = context;
    CHECK(driver.cuCtxGetCurrent(&here) == CUDA_SUCCESS);
    CHECK(here == nullptr);
  }).join();
  CHECK(driver.cuDevicePrimaryCtxRelease_v2(3) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  // The last reference takes all with it.
  CHECK(driver.cuDevicePrimaryCtxRelease_v2(3) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(address) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(driver.cuCtxGetCurrent(&now) == CUDA_SUCCESS);
  CHECK(driver.cuCtxSetCurrent(nullptr) == CUDA_SUCCESS);
  CHECK(driver.cuCtxSetCurrent(reinterpret_cast<CUcontext>(&now)) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(emulator().counts().allocations == 0);
}

TEST_CASE("memory comes and goes") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  CUdeviceptr a = 0, b = 0;
  size_t unused = 0, total = 0;
  CHECK(driver.cuMemAlloc_v2(&a, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(driver.cuMemAlloc_v2(&a, 1000) == CUDA_SUCCESS);
  REQUIRE(driver.cuMemAlloc_v2(&b, 10) == CUDA_SUCCESS);
  CHECK(a % 256 == 0);
  CHECK(b % 256 == 0);
  CHECK(driver.cuMemGetInfo_v2(&unused, &total) == CUDA_SUCCESS);
  CHECK(total - unused >= 1010);
  CHECK(driver.cuMemFree_v2(a + 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemFree_v2(0) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(a) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(a) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemFree_v2(b) == CUDA_SUCCESS);
  CHECK(driver.cuMemAlloc_v2(&a, total + 1) == CUDA_ERROR_OUT_OF_MEMORY);
  emulator().set("memory=4096");
  CHECK(driver.cuMemAlloc_v2(&a, 4000) == CUDA_SUCCESS);
  CHECK(driver.cuMemAlloc_v2(&b, 4000) == CUDA_ERROR_OUT_OF_MEMORY);
  emulator().set("memory=1073741824");
  CHECK(driver.cuMemFree_v2(a) == CUDA_SUCCESS);
}

TEST_CASE("memory of one device is none of another") {
  EmulatedContext first(0);
  const Driver &driver = first.driver;
  CUdeviceptr address = 0;
  REQUIRE(driver.cuMemAlloc_v2(&address, 64) == CUDA_SUCCESS);
  {
    EmulatedContext second(1);
    int value = 0;
    CHECK(driver.cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE);
    CHECK(driver.cuMemcpyHtoD_v2(address, &value, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(driver.cuMemcpyDtoH_v2(&value, address, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(emulator().lastFault() == std::string("memory of another device: a copy or a fill on "
                                                "device 1 at memory of device 0"));
    // Nor has it the same address.
    CUdeviceptr own = 0;
    REQUIRE(driver.cuMemAlloc_v2(&own, 64) == CUDA_SUCCESS);
    CHECK((own < address || own >= address + 64));
    CHECK(driver.cuMemFree_v2(own) == CUDA_SUCCESS);
  }
  REQUIRE(driver.cuCtxSetCurrent(first.context) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
}

TEST_CASE("copies stay inside, and on their sides") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  CUdeviceptr address = 0, second = 0;
  REQUIRE(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  REQUIRE(driver.cuMemAlloc_v2(&second, 16) == CUDA_SUCCESS);
  int values[4] = {1, 2, 3, 4}, read[4] = {};
  CHECK(driver.cuMemcpyHtoD_v2(address, values, 16) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyDtoD_v2(second, address, 16) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyDtoH_v2(read, second, 16) == CUDA_SUCCESS);
  CHECK(std::memcmp(values, read, 16) == 0);
  CHECK(driver.cuMemsetD8_v2(address + 4, 0xab, 4) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32_v2(address + 8, 77, 2) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyDtoH_v2(read, address, 16) == CUDA_SUCCESS);
  CHECK(read[0] == 1);
  CHECK(unsigned(read[1]) == 0xababababu);
  CHECK(read[3] == 77);
  CHECK(driver.cuMemcpyHtoD_v2(address, values, 17) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemcpyDtoH_v2(read, address + 1, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemsetD8_v2(address, 0, 17) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemsetD32_v2(address + 1, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemcpyHtoD_v2(address, values, 0) == CUDA_SUCCESS);
  // A pointer of the host's where one of the device's is due, and the other way round.
  auto onHost = reinterpret_cast<CUdeviceptr>(read);
  auto *onDevice = reinterpret_cast<int *>(address);
  CHECK(driver.cuMemcpyHtoD_v2(onHost, values, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemcpyHtoD_v2(second, onDevice, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemcpyDtoH_v2(read, onHost, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemcpyDtoH_v2(onDevice, second, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemcpyDtoD_v2(onHost, second, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemsetD8_v2(onHost, 0, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(second) == CUDA_SUCCESS);
}

TEST_CASE("pinned memory is known") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  void *data = nullptr;
  int value = 0;
  CHECK(driver.cuMemHostAlloc(&data, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(driver.cuMemHostAlloc(&data, 4096, 0) == CUDA_SUCCESS);
  CHECK(emulator().counts().host_allocations == 1);
  CHECK(driver.cuMemFreeHost(&value) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.cuMemFreeHost(data) == CUDA_SUCCESS);
  CHECK(driver.cuMemFreeHost(data) == CUDA_ERROR_INVALID_VALUE);
  CHECK(emulator().counts().host_allocations == 0);
}

TEST_CASE("the nth call fails where that is asked for") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  CUdeviceptr address = 0;
  emulator().set("fail=cuMemAlloc:2");
  REQUIRE(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  CHECK(emulator().calls("cuMemAlloc") == 3);
  emulator().set("fail=none");
  emulator().set("fail=cuMemFree:1:801");
  CHECK(driver.cuMemFree_v2(address) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
  emulator().set("fail=none");
}

TEST_CASE("options that say nothing are refused") {
  for (const char *text : {"nothing", "devices=", "devices=17", "order=sideways", "fail=cuInit",
                           "fail=cuInit:0", "fail=:1", "seed=x", "checks=maybe", "memory=1k"}) {
    INFO(text);
    std::string message = emulator().setOptions(text);
    CHECK(message.find("'" + std::string(text) + "' is none of devices=N") == 0);
  }
  emulator().set("");
}
