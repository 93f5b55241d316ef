// Streams and events: what was put into a stream is done when somebody waits for it.
#include "tests/cuda/driver/TestModule.h"

#include <cstring>

using namespace keratin::cuda;
using namespace keratin::tests;

TEST_CASE("work is done when somebody waits") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 4);
  TestPinned pinned(driver, 4);
  TestStream stream(driver);
  *pinned.as<int>() = 5;
  CHECK(driver.cuMemsetD32Async(memory.address, 9, 1, stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyDtoHAsync_v2(pinned.data, memory.address, 4, stream) == CUDA_SUCCESS);
  CHECK(*pinned.as<int>() == 5);
  CHECK(memory.read<int>() == 0);
  CHECK(emulator().counts().pending >= 2);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(*pinned.as<int>() == 9);
  CHECK(memory.read<int>() == 9);
}

TEST_CASE("pinned memory is read late, other memory at once") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 8);
  TestPinned pinned(driver, 4);
  TestStream stream(driver);
  int plain = 1;
  *pinned.as<int>() = 1;
  CHECK(driver.cuMemcpyHtoDAsync_v2(memory.address, pinned.data, 4, stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemcpyHtoDAsync_v2(memory.address + 4, &plain, 4, stream) == CUDA_SUCCESS);
  plain = *pinned.as<int>() = 2;
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(memory.read<int>(0) == 2);
  CHECK(memory.read<int>(1) == 1);
}

TEST_CASE("a stream keeps its order, and knows nothing of others") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 4);
  TestStream first(driver), second(driver);
  CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, first) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32Async(memory.address, 2, 1, first) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32Async(memory.address, 3, 1, second) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(second) == CUDA_SUCCESS);
  CHECK(memory.read<int>() == 3);
  CHECK(driver.cuStreamSynchronize(first) == CUDA_SUCCESS);
  CHECK(memory.read<int>() == 2);
}

TEST_CASE("events order streams") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 4);
  TestStream first(driver), second(driver);
  TestEvent event(driver);
  CHECK(driver.cuEventQuery(event) == CUDA_SUCCESS); // never recorded
  CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, first) == CUDA_SUCCESS);
  CHECK(driver.cuEventRecord(event, first) == CUDA_SUCCESS);
  CHECK(driver.cuStreamWaitEvent(second, event, 0) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32Async(memory.address, 2, 1, second) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(second) == CUDA_SUCCESS);
  CHECK(memory.read<int>() == 2);
  CHECK(driver.cuStreamSynchronize(first) == CUDA_SUCCESS);
  CHECK(memory.read<int>() == 2);
}

TEST_CASE("whoever only asks comes to an end") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 4);
  TestStream stream(driver);
  TestEvent event(driver);
  CHECK(driver.cuStreamQuery(stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, stream) == CUDA_SUCCESS);
  CHECK(driver.cuEventRecord(event, stream) == CUDA_SUCCESS);
  CHECK(driver.cuStreamQuery(stream) == CUDA_ERROR_NOT_READY);
  int asked = 0;
  while (driver.cuEventQuery(event) == CUDA_ERROR_NOT_READY)
    REQUIRE(++asked < 10);
  CHECK(driver.cuStreamQuery(stream) == CUDA_SUCCESS);
  CHECK(memory.read<int>() == 1);
}

TEST_CASE("the stream 0 waits for those that do not say otherwise") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 8);
  TestStream blocking(driver, CU_STREAM_DEFAULT), other(driver);
  CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, blocking) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32Async(memory.address + 4, 1, 1, other) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(nullptr) == CUDA_SUCCESS);
  CHECK(memory.read<int>(0) == 1);
  CHECK(memory.read<int>(1) == 0);
  CHECK(driver.cuMemsetD32Async(memory.address, 2, 1, nullptr) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD32Async(memory.address + 4, 2, 1, blocking) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(blocking) == CUDA_SUCCESS);
  CHECK(memory.read<int>(0) == 2);
  CHECK(driver.cuStreamSynchronize(other) == CUDA_SUCCESS);
}

TEST_CASE("events tell times") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestStream stream(driver);
  TestEvent start(driver), end(driver), untimed(driver, CU_EVENT_DISABLE_TIMING);
  float milliseconds = -1;
  CHECK(driver.cuEventElapsedTime(&milliseconds, start, end) == CUDA_ERROR_INVALID_HANDLE);
  for (CUevent event : {CUevent(start), CUevent(end), CUevent(untimed)})
    CHECK(driver.cuEventRecord(event, stream) == CUDA_SUCCESS);
  CHECK(driver.cuEventElapsedTime(&milliseconds, start, end) == CUDA_ERROR_NOT_READY);
  CHECK(driver.cuEventElapsedTime(&milliseconds, start, untimed) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(driver.cuEventSynchronize(untimed) == CUDA_SUCCESS);
  CHECK(driver.cuEventElapsedTime(&milliseconds, start, end) == CUDA_SUCCESS);
  CHECK(milliseconds >= 0);
}

TEST_CASE("memory is not given back while it is used") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestStream stream(driver);
  CUdeviceptr address = 0;
  REQUIRE(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD8Async(address, 1, 16, stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  // In a stream it is given back in its turn.
  REQUIRE(driver.cuMemAllocAsync(&address, 16, stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD8Async(address, 1, 16, stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemFreeAsync(address, stream) == CUDA_SUCCESS);
  CHECK(emulator().counts().allocations == 1);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(emulator().counts().allocations == 0);
}

// The device is lost.
TEST_CASE("memory that is used after it was given back is found out") {
  EmulatedContext context(13);
  const Driver &driver = context.driver;
  TestStream stream(driver), other(driver);
  CUdeviceptr address = 0;
  REQUIRE(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  CHECK(driver.cuMemFreeAsync(address, stream) == CUDA_SUCCESS);
  CHECK(driver.cuMemsetD8Async(address, 1, 16, other) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(other) == CUDA_ERROR_ILLEGAL_ADDRESS);
}

// Two streams write the same word, in some order; each keeps its own.
TEST_CASE("seeded orders differ, and are orders of the streams") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  int firstWins = 0;
  for (int seed = 0; seed < 32; ++seed) {
    emulator().set("seed=" + std::to_string(seed));
    TestMemory memory(driver, 4);
    TestStream first(driver), second(driver);
    for (unsigned value : {1u, 2u})
      CHECK(driver.cuMemsetD32Async(memory.address, value, 1, first) == CUDA_SUCCESS);
    for (unsigned value : {3u, 4u})
      CHECK(driver.cuMemsetD32Async(memory.address, value, 1, second) == CUDA_SUCCESS);
    CHECK(driver.cuCtxSynchronize() == CUDA_SUCCESS);
    int last = memory.read<int>();
    CHECK((last == 2 || last == 4));
    firstWins += last == 2;
  }
  CHECK(firstWins > 0);
  CHECK(firstWins < 32);
  emulator().set("order=fixed,schedule=eager");
  TestMemory memory(driver, 4);
  TestStream stream(driver);
  CHECK(driver.cuMemsetD32Async(memory.address, 8, 1, stream) == CUDA_SUCCESS);
  CHECK(emulator().counts().pending == 0);
  CHECK(memory.read<int>() == 8);
  emulator().set("schedule=lazy");
}
