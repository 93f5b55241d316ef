// The device "cuda" through its table.
#include "tests/runtime/CudaHarness.h"

#include "runtime/cuda/CudaMemory.h"

#include <array>
#include <atomic>
#include <numeric>
#include <thread>

using namespace keratin::testing;
using keratin::tests::emulator;

TEST_CASE("cuda devices are known by name") {
  const keratin_device_t *first = cudaDevice("cuda"), *second = cudaDevice("cuda:1");
  CHECK(first == cudaDevice("cuda:0"));
  CHECK(first == keratin_device_find("cuda"));
  CHECK(first != second);
  CHECK(std::string(first->name) == "cuda");
  CHECK(std::string(second->name) == "cuda:1");
  for (const char *name : {"cuda:", "cuda:x", "cuda1", "cud", "cuda:1 ", "cuda:12345"})
    CHECK(keratin_device_find(name) == nullptr);
  keratin_status_t status;
  const keratin_device_t *device = nullptr;
  CHECK(keratin_device_open("cuda:16", &device, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message) ==
        "CUDA: there is no device 'cuda:16'; numbers up to 15 are known");
  CHECK(keratin_device_open("tpu", &device, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message).find("unknown device 'tpu'; known devices: cpu") == 0);
  CHECK(device == nullptr);
  CHECK(keratin_device_open(nullptr, &device, &status) == KERATIN_INVALID_ARGUMENT);
}

TEST_CASE("machine code is named for devices of the driver's own library alone") {
  const keratin_device_t *device = cudaDevice("cuda");
  CHECK(keratin_cuda_architecture(device) == nullptr);
  // As if the library had been found by its name.
  std::string library = getenv("KERATIN_CUDA_DRIVER");
  unsetenv("KERATIN_CUDA_DRIVER");
  CHECK(std::string(keratin_cuda_architecture(device)) == "sm_80");
  setenv("KERATIN_CUDA_DRIVER", library.c_str(), 1);
  CHECK(keratin_cuda_architecture(keratin_cpu_device()) == nullptr);
  CHECK(keratin_cuda_architecture(nullptr) == nullptr);
}

TEST_CASE("copies to a cuda device and back, of every size, in a queue and out of it") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  for (size_t count : {1u, 255u, 16384u, 16385u, 100000u, 1048576u, 3000001u}) {
    INFO(count);
    std::vector<int32_t> values(count);
    std::iota(values.begin(), values.end(), int32_t(count));
    DeviceArray<int32_t> array(device, values), other(device, std::vector<int32_t>(count));
    CHECK(array.read() == values);
    CHECK(array.read(queue.queue) == values);
    std::vector<int32_t> sent = values;
    REQUIRE_DONE(
        device.copy_in(device.user, queue.queue, 0, other.data, sent.data(), 4 * count, &status));
    // It may be written again.
    std::fill(sent.begin(), sent.end(), -1);
    CHECK(other.read(queue.queue) == values);
    REQUIRE_DONE(device.fill(device.user, queue.queue, 0, other.data, 0x11, 4 * count, &status));
    CHECK(other.read(queue.queue) == std::vector<int32_t>(count, 0x11111111));
    REQUIRE_DONE(device.copy_within(device.user, queue.queue, 0, other.data, array.data, 4 * count,
                                    &status));
    CHECK(other.read(queue.queue) == values);
  }
}

TEST_CASE("many small copies go through pinned memory without waiting") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  DeviceArray<int32_t> array(device, std::vector<int32_t>(40000));
  queue.wait();
  int64_t waits = emulator().counts().waits;
  std::vector<int32_t> expected(40000);
  for (int32_t i = 0; i < 8000; ++i) {
    int32_t value = expected[size_t(i)] = 3 * i;
    REQUIRE_DONE(device.copy_in(device.user, queue.queue, 0, static_cast<int32_t *>(array.data) + i,
                                &value, 4, &status));
  }
  CHECK(emulator().counts().waits == waits);
  for (int32_t i = 8000; i < 40000; ++i) {
    int32_t value = expected[size_t(i)] = 3 * i;
    REQUIRE_DONE(device.copy_in(device.user, queue.queue, 0, static_cast<int32_t *>(array.data) + i,
                                &value, 4, &status));
  }
  CHECK(array.read(queue.queue) == expected);
}

TEST_CASE("kernels run over their units, in grids that end somewhere") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  for (int64_t count : {1, 63, 64, 65, 256, 1000}) {
    std::vector<float> a(static_cast<size_t>(count)), b(a), expected(a);
    for (size_t i = 0; i < a.size(); ++i)
      expected[i] = (a[i] = float(i)) + (b[i] = float(count));
    DeviceArray<float> x(device, a), y(device, b), z(device, std::vector<float>(a.size()));
    queue.launch(Add, {x.address(), y.address(), z.address()}, count);
    CHECK(queue.wait() == 0);
    CHECK(z.read() == expected);
  }
  int64_t launches = emulator().counts().launches;
  queue.launch(Add, {0, 0, 0}, 0);
  CHECK(emulator().counts().launches == launches);
  CHECK(queue.wait() == 0);
}

TEST_CASE("launches that cannot be are refused") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  keratin_status_t status;
  auto launch = [&](int32_t kernel, int32_t slots, int64_t grain) {
    std::vector<int64_t> argv(600);
    return device.launch(device.user, queue.queue, 0, queue.module, kernel, argv.data(), slots, 1,
                         grain, &status);
  };
  for (auto [kernel, slots, grain] :
       {std::array<int64_t, 3>{5, 3, 1}, {-1, 3, 1}, {0, 508, 1}, {0, -1, 1}, {0, 3, 0}}) {
    CHECK(launch(int32_t(kernel), int32_t(slots), grain) == KERATIN_INVALID_ARGUMENT);
    CHECK(std::string(status.message).find("device 'cuda': a launch of kernel") == 0);
  }
}

TEST_CASE("the lowest site that fails on a cuda device is told, until the next call") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  DeviceArray<int32_t> x(device, {1, 2, 30, 4});
  for (int round = 0; round < 2; ++round) {
    queue.begin();
    queue.launch(Check, {x.address(), 100, 3}, 4);
    CHECK(queue.wait() == 0);
    queue.launch(Check, {x.address(), 10, 8}, 4);
    queue.launch(Check, {x.address(), 2, 5}, 4);
    queue.launch(Check, {x.address(), 20, 6}, 4);
    CHECK(queue.wait() == 6);
    CHECK(queue.wait() == 6);
  }
  queue.begin();
  CHECK(queue.wait() == 0);
}

TEST_CASE("behind a guard nothing changes after a failure, and nobody waits") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  DeviceArray<int32_t> x(device, {1, 2, 3, 4}), v(device, {10, 20, 30, 40});
  int64_t waits = emulator().counts().waits;
  queue.launch(Check, {x.address(), 3, 5}, 4);
  queue.guard();
  queue.launch(Increment, {v.address(), 7}, 4);
  CHECK(emulator().counts().waits == waits);
  CHECK(queue.wait() == 6);
  CHECK(v.read() == std::vector<int32_t>{10, 20, 30, 40});
  SECTION("copies and fills do not happen either") {
    std::vector<int32_t> other = {0, 0, 0, 0};
    waits = emulator().counts().waits;
    REQUIRE_DONE(device.copy_in(device.user, queue.queue, 0, v.data, other.data(), 16, &status));
    REQUIRE_DONE(device.copy_within(device.user, queue.queue, 0, v.data, x.data, 16, &status));
    REQUIRE_DONE(device.fill(device.user, queue.queue, 0, v.data, 0, 16, &status));
    CHECK(emulator().counts().waits == waits);
    CHECK(v.read() == std::vector<int32_t>{10, 20, 30, 40});
  }
  queue.begin();
  queue.launch(Check, {x.address(), 300, 5}, 4);
  queue.guard();
  queue.launch(Increment, {v.address(), 7}, 4);
  CHECK(queue.wait() == 0);
  CHECK(v.read() == std::vector<int32_t>{17, 27, 37, 47});
  REQUIRE_DONE(device.copy_within(device.user, queue.queue, 0, v.data, x.data, 16, &status));
  CHECK(v.read() == std::vector<int32_t>{1, 2, 3, 4});
}

TEST_CASE("behind a guard copies and fills of every size and place are whole") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  queue.guard();
  for (size_t bytes : {1u, 15u, 16u, 100u, 4096u, 70001u})
    for (size_t from : {0u, 4u, 32u})
      for (size_t to : {0u, 3u, 16u}) {
        std::vector<uint8_t> values(bytes + 64), expected(bytes + 64, 9);
        std::iota(values.begin(), values.end(), uint8_t(bytes));
        DeviceArray<uint8_t> source(device, values), target(device, expected);
        uint8_t *place = static_cast<uint8_t *>(target.data) + to;
        std::copy_n(values.begin() + ptrdiff_t(from), bytes, expected.begin() + ptrdiff_t(to));
        REQUIRE_DONE(device.copy_within(device.user, queue.queue, 0, place,
                                        static_cast<uint8_t *>(source.data) + from, bytes,
                                        &status));
        CHECK(target.read(queue.queue) == expected);
        std::fill_n(expected.begin() + ptrdiff_t(to), bytes, uint8_t(0xa5));
        REQUIRE_DONE(device.fill(device.user, queue.queue, 0, place, 0xa5, bytes, &status));
        CHECK(target.read(queue.queue) == expected);
        std::copy_n(values.begin() + 1, bytes, expected.begin() + ptrdiff_t(to));
        REQUIRE_DONE(
            device.copy_in(device.user, queue.queue, 0, place, values.data() + 1, bytes, &status));
        CHECK(target.read(queue.queue) == expected);
      }
}

TEST_CASE("memory of a cuda device that was given back is used again") {
  const keratin_device_t &device = *cudaDevice("cuda");
  void *first = device.allocate(device.user, 1000, 64);
  int64_t calls = emulator().calls("cuMemAlloc");
  device.release(device.user, first, 1000, 64);
  void *second = device.allocate(device.user, 1001, 64);
  CHECK(second == first);
  CHECK(emulator().calls("cuMemAlloc") == calls);
  device.release(device.user, second, 1001, 64);
  void *none = device.allocate(device.user, 0, 64);
  CHECK(none);
  device.release(device.user, none, 0, 64);
  for (size_t alignment : {256u, 4096u, 65536u}) {
    void *aligned = device.allocate(device.user, 100, alignment);
    CHECK(uintptr_t(aligned) % alignment == 0);
    device.release(device.user, aligned, 100, alignment);
  }
  CHECK(device.allocate(device.user, SIZE_MAX, 64) == nullptr);
  keratin_cuda_trim();
  CHECK(emulator().counts().bytes < 1 << 20);
}

TEST_CASE("memory in use by a queue is not given to another") {
  const keratin_device_t &device = *cudaDevice("cuda");
  TestQueue queue(device);
  DeviceArray<float> x(device, std::vector<float>(64, 1)), y(device, std::vector<float>(64, 2));
  void *z = device.allocate(device.user, 256, 64);
  queue.launch(Add, {x.address(), y.address(), int64_t(z)}, 64);
  device.release(device.user, z, 256, 64);
  // The launch is over, and does not write here.
  DeviceArray<float> again(device, std::vector<float>(64, 5));
  CHECK(again.data == z);
  CHECK(queue.wait() == 0);
  CHECK(again.read() == std::vector<float>(64, 5));
}

TEST_CASE("a cuda device that is full gives what it keeps, and then nothing") {
  const keratin_device_t &device = *cudaDevice("cuda");
  keratin_cuda_trim();
  emulator().set("memory=8388608");
  void *half = device.allocate(device.user, size_t(4) << 20, 64);
  REQUIRE(half);
  device.release(device.user, half, size_t(4) << 20, 64);
  void *most = device.allocate(device.user, size_t(6) << 20, 64); // only without the kept half
  CHECK(most);
  CHECK(device.allocate(device.user, size_t(6) << 20, 64) == nullptr);
  device.release(device.user, most, size_t(6) << 20, 64);
  emulator().set("memory=1073741824");
  keratin_cuda_trim();
}

TEST_CASE("sizes of cuda memory are few, and little more than asked for") {
  using keratin::cuda::CudaMemory;
  CHECK(CudaMemory::roundUp(0) == 512);
  CHECK(CudaMemory::roundUp(512) == 512);
  CHECK(CudaMemory::roundUp(513) == 1024);
  CHECK(CudaMemory::roundUp((2 << 20) + 1) == 4 << 20);
  CHECK(CudaMemory::roundUp(SIZE_MAX) == PTRDIFF_MAX);
  for (size_t bytes = 5000; bytes < 1 << 24; bytes += 4999) {
    size_t rounded = CudaMemory::roundUp(bytes);
    REQUIRE(rounded >= bytes);
    REQUIRE(rounded % 512 == 0);
    REQUIRE(rounded - bytes < std::max<size_t>(bytes / 8 + 512, 2 << 20));
    REQUIRE(CudaMemory::roundUp(rounded) == rounded);
  }
}

TEST_CASE("images that do not fit are refused") {
  const keratin_device_t &device = *cudaDevice("cuda");
  CudaCode code;
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.descriptor.device_code = &code.code;
  void *module = nullptr;
  keratin_status_t status;
  auto load = [&] {
    auto result = device.load(device.user, builder.build(), &module, &status);
    if (result == KERATIN_OK)
      device.unload(device.user, module);
    return std::string(status.message);
  };
  int64_t modules = emulator().counts().modules;
  SECTION("none for this device") {
    code.images[0].kind = "cubin:sm_90";
    CHECK(load() == "function 'f' has no image that device 'cuda' (Keratin's emulator of sm_80) "
                    "runs; it has 'cubin:sm_90'; needed is 'ptx' or 'cubin:sm_80'");
    code.code.num_images = 0;
    CHECK(load().find("it has none; needed is") != std::string::npos);
  }
  SECTION("machine code that the driver does not take, and PTX beside it") {
    const char elf[] = "\x7f"
                       "ELF";
    code.images.push_back({"cubin:sm_80", elf, sizeof(elf), {}});
    code.code.images = code.images.data();
    code.code.num_images = 3;
    status.message[0] = '\0';
    CHECK(device.load(device.user, builder.build(), &module, &status) == KERATIN_OK);
    device.unload(device.user, module);
    code.images[0].kind = "cubin:sm_86";
    CHECK(load() == "device 'cuda' (Keratin's emulator of sm_80): cuModuleLoadDataEx of image "
                    "'cubin:sm_80' of function 'f' failed: CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel "
                    "image is available for execution on the device)");
  }
  SECTION("PTX for its architecture alone, with launches of its own") {
    const char other[] = "for nobody";
    code.images.push_back({"ptx:sm_80a", code.images[0].data, code.images[0].bytes, {}});
    code.images[0] = {"ptx", other, sizeof(other), {}};
    code.images.push_back({"ptx:sm_90a", other, sizeof(other), {}});
    code.images.push_back({"cuda-kernels:sm_80a", other, sizeof(other), {}});
    code.code.images = code.images.data();
    code.code.num_images = 4;
    status.message[0] = '\0';
    CHECK(load() == "");
    code.code.num_images = 5;
    CHECK(load() == "function 'f': its image 'cuda-kernels:sm_80a' has 11 bytes; needed " +
                        std::to_string(code.code.num_kernels * sizeof(keratin_cuda_kernel_t)) +
                        " for " + std::to_string(code.code.num_kernels) + " kernels");
    code.images[2].bytes -= 1;
    CHECK(load() == "function 'f': its image 'ptx:sm_80a' does not end in NUL");
  }
  SECTION("PTX that does not compile") {
    const char text[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    code.images[0].data = text;
    code.images[0].bytes = sizeof(text);
    CHECK(load() == "device 'cuda' (Keratin's emulator of sm_80): cuModuleLoadDataEx of image "
                    "'ptx' of function 'f' failed: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation "
                    "failed): ptxas fatal: SM version specified by .target is higher than default "
                    "SM version assumed: sm_90");
    code.images[0].bytes -= 1;
    CHECK(load() == "function 'f': its image 'ptx' does not end in NUL");
  }
  SECTION("a kernel that the image lacks") {
    const char *names[] = {"add", "increment", "check", "subtract"};
    code.code.kernels = names;
    CHECK(load() == "device 'cuda' (Keratin's emulator of sm_80): cuModuleGetFunction of kernel "
                    "'subtract' of function 'f' failed: CUDA_ERROR_NOT_FOUND (named symbol not "
                    "found)");
  }
  SECTION("kernels that nothing is said of") {
    code.images[1].bytes -= 48;
    CHECK(load() == "function 'f': its image 'cuda-kernels' has 144 bytes; needed 192 for 4 "
                    "kernels");
  }
  SECTION("kernels that cannot be launched") {
    code.shapes[0].block_threads = 1025;
    CHECK(load() == "function 'f': kernel 'add' cannot be launched with blocks of 1025 threads and "
                    "4 blocks at most");
    code.shapes[0] = cudaShapes[0];
    code.shapes[1].shared_bytes = 500 * 1024;
    CHECK(load().find("cuFuncSetAttribute of kernel 'increment' of function 'f' failed") !=
          std::string::npos);
    code.shapes[1].shared_bytes = 0;
    code.shapes[1].flags = KERATIN_CUDA_COOPERATIVE;
    code.shapes[1].block_threads = 1024;
    status.message[0] = '\0';
    load();
    CHECK(std::string(status.message).empty());
    // No block of so many threads is ever resident.
    const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".visible .entry add() .maxntid 32, 1, 1 { ret; }\n";
    code.images[0].data = text;
    code.images[0].bytes = sizeof(text);
    code.shapes[0].flags = KERATIN_CUDA_COOPERATIVE;
    CHECK(load() == "function 'f': device 'cuda' (Keratin's emulator of sm_80) has no room for a "
                    "block of kernel 'add' with 64 threads and 0 bytes of shared memory");
  }
  CHECK(emulator().counts().modules == modules);
}

TEST_CASE("a cooperative kernel gets no more blocks than are resident") {
  const keratin_device_t &device = *cudaDevice("cuda");
  CudaCode code;
  code.shapes[Add] = cudaShape(1024, 1024, 0, 0, KERATIN_CUDA_COOPERATIVE);
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.descriptor.device_code = &code.code;
  void *module = nullptr;
  REQUIRE_DONE(device.load(device.user, builder.build(), &module, &status));
  TestQueue queue(device);
  constexpr int64_t count = 40 * 1024; // 40 blocks; 16 are resident
  DeviceArray<float> x(device, std::vector<float>(count, 1)),
      y(device, std::vector<float>(count, 2)), z(device, std::vector<float>(count));
  const int64_t argv[] = {x.address(), y.address(), z.address()};
  REQUIRE_DONE(device.launch(device.user, queue.queue, 0, module, Add, argv, 3, count, 1, &status));
  CHECK(queue.wait() == 0);
  CHECK(z.read() == std::vector<float>(count, 3));
  device.unload(device.user, module);
}

TEST_CASE("the context that was current is so again afterwards") {
  const keratin_device_t &device = *cudaDevice("cuda:1");
  const keratin::cuda::Driver &driver = keratin::tests::emulatedDriver();
  keratin::cuda::CUcontext before = nullptr;
  REQUIRE(driver.cuCtxGetCurrent(&before) == 0);
  CHECK(before == nullptr);
  keratin::tests::EmulatedContext other(2);
  DeviceArray<float> x(device, {1, 2});
  keratin::cuda::CUcontext after = nullptr;
  CHECK(driver.cuCtxGetCurrent(&after) == 0);
  CHECK(after == other.context);
}

TEST_CASE("several threads use a cuda device, each with a queue of its own") {
  const keratin_device_t &device = *cudaDevice("cuda");
  for (const char *options : {"schedule=lazy", "seed=3", "order=fixed,schedule=eager"}) {
    emulator().set(options);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<TestQueue>> queues;
    for (int t = 0; t < 4; ++t)
      queues.push_back(std::make_unique<TestQueue>(device));
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        TestQueue &queue = *queues[size_t(t)];
        auto must = [&](keratin_status_code_t code) { wrong += code != KERATIN_OK; };
        for (int round = 0; round < 20; ++round) {
          const size_t count = size_t(32 + 40 * t + round);
          std::vector<float> a(count, float(t)), b(count, float(round)), c(count);
          void *memory[3];
          for (void *&each : memory)
            each = device.allocate(device.user, 4 * count, 64);
          must(device.begin(device.user, queue.queue, nullptr));
          must(
              device.copy_in(device.user, queue.queue, 0, memory[0], a.data(), 4 * count, nullptr));
          must(
              device.copy_in(device.user, queue.queue, 0, memory[1], b.data(), 4 * count, nullptr));
          int64_t argv[3] = {int64_t(memory[0]), int64_t(memory[1]), int64_t(memory[2])};
          must(device.launch(device.user, queue.queue, 0, queue.module, Add, argv, 3,
                             int64_t(count), 1, nullptr));
          if (round % 3 == 0) { // what is given back is not in use
            must(device.copy_out(device.user, queue.queue, 0, c.data(), memory[2], 4 * count,
                                 nullptr));
            wrong += c != std::vector<float>(count, float(t + round));
          }
          for (void *each : memory)
            device.release(device.user, each, 4 * count, 64);
          int32_t site = -1;
          must(device.wait(device.user, queue.queue, &site, nullptr));
          wrong += site != 0;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong == 0);
  }
  emulator().set("order=fixed,schedule=lazy");
}
