// Functions whose kernels run on "cuda", called as any other.
#include "tests/runtime/CudaHarness.h"

#include <atomic>
#include <thread>

using namespace keratin::testing;
using keratin::tests::emulator;

namespace {

// y = x + w + c; v, of whole numbers, grows by 5 in place unless an element of v is 100 or more.
void stepEntry(keratin_context_t *context, void *const *buffers, const int64_t *) {
  auto address = [&](int i) { return int64_t(buffers[i]); };
  const int64_t check[] = {address(2), 100, 0};
  context->functions->launch(context, Check, check, 3, 4, 1, 0);
  const int64_t first[] = {address(0), address(1), address(3)};
  context->functions->launch(context, Add, first, 3, 4, 1, 0);
  const int64_t second[] = {address(3), address(5), address(4)};
  context->functions->launch(context, Add, second, 3, 4, 1, 0);
  if (context->functions->has_failed(context))
    return;
  const int64_t increment[] = {address(2), 5};
  context->functions->launch(context, Increment, increment, 2, 4, 1, 0);
}

alignas(64) const float constant[4] = {0.5f, 0.25f, 0.125f, 0.0625f};

// A session with w and v on a device, and the function.
struct Step {
  explicit Step(const keratin_device_t *device) {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {4})
        .variable("w", KERATIN_DTYPE_FLOAT32, {4})
        .variable("v", KERATIN_DTYPE_INT32, {4})
        .output("sum", KERATIN_DTYPE_FLOAT32, {4})
        .output("y", KERATIN_DTYPE_FLOAT32, {4})
        .site(KERATIN_OUT_OF_RANGE, "v is 100 or more")
        .update(1, true)
        .constant(constant, sizeof(constant));
    builder.descriptor.device_code = &code.code;
    builder.build();
    keratin_session_t *made = nullptr;
    if (keratin_session_create_on(device, &made, &status) != KERATIN_OK)
      return;
    session.reset(made);
    const float ws[] = {1, 2, 3, 4};
    const int32_t vs[] = {10, 20, 30, 40};
    makeVariable(KERATIN_DTYPE_FLOAT32, ws, w) && makeVariable(KERATIN_DTYPE_INT32, vs, v) &&
        makeExecutable();
  }

  bool makeVariable(int32_t dtype, const void *values, Variable &variable) {
    keratin_variable_t *made = nullptr;
    const int64_t dims[] = {4};
    if (keratin_variable_create(session.get(), dtype, 1, dims, values, &made, &status) !=
        KERATIN_OK)
      return false;
    variable.reset(made);
    return true;
  }
  bool makeExecutable() {
    keratin_executable_t *made = nullptr;
    if (keratin_executable_create(&builder.descriptor, &made, &status) != KERATIN_OK)
      return false;
    executable.reset(made);
    return true;
  }

  bool call() {
    if (!executable)
      return false;
    Floats x({4}, {10, 20, 30, 40}), sum(std::vector<int64_t>{4});
    keratin_tensor_t input = x.view(), outputs[] = {sum.view(), y.view()};
    keratin_variable_t *variables[] = {w.get(), v.get()};
    return keratin_invoke(executable.get(), variables, 2, &input, 1, outputs, 2, &status) ==
           KERATIN_OK;
  }

  std::vector<int32_t> readV() {
    std::vector<int32_t> values(4);
    keratin_variable_read(v.get(), values.data(), 16, &status);
    return values;
  }

  keratin_status_t status = {};
  CudaCode code;
  FunctionBuilder builder{"step", stepEntry};
  Floats y{std::vector<int64_t>{4}};
  Session session;
  Variable w, v;
  Executable executable;
};

// What is left when nobody uses a device any more.
keratin_emulator_counts_t leftOver() {
  keratin_cuda_trim();
  return emulator().counts();
}

void checkSame(const keratin_emulator_counts_t &now, const keratin_emulator_counts_t &before) {
  CHECK(now.allocations == before.allocations);
  CHECK(now.host_allocations == before.host_allocations);
  CHECK(now.streams == before.streams);
  CHECK(now.events == before.events);
  CHECK(now.modules == before.modules);
  CHECK(now.contexts == before.contexts);
}

} // namespace

TEST_CASE("a function runs on cuda, with its variables there") {
  const keratin_device_t *device = cudaDevice("cuda");
  { // what a first call makes for all others
    Step step(device);
    REQUIRE(step.call());
  }
  auto before = leftOver();
  {
    Step step(device);
    INFO(step.status.message);
    for (int i = 1; i <= 3; ++i) {
      REQUIRE(step.call());
      CHECK(step.y.values == std::vector<float>{11.5f, 22.25f, 33.125f, 44.0625f});
      CHECK(step.readV() == std::vector<int32_t>{10 + 5 * i, 20 + 5 * i, 30 + 5 * i, 40 + 5 * i});
    }
  }
  { // An input, two outputs together, and what has failed; one wait.
    Step step(device);
    auto then = emulator().counts();
    REQUIRE(step.call());
    auto now = emulator().counts();
    CHECK(now.copies_in - then.copies_in == 1);
    CHECK(now.copies_out - then.copies_out == 2);
    CHECK(now.launches - then.launches == 4);
    CHECK(now.fills == then.fills);
    CHECK(now.waits - then.waits == 1);
  }
  checkSame(leftOver(), before);
}

TEST_CASE("a site that fails on cuda fails the call, and updates in place do not happen") {
  Step step(cudaDevice("cuda"));
  for (int i = 0; i < 12; ++i)
    REQUIRE(step.call());
  CHECK(step.readV() == std::vector<int32_t>{70, 80, 90, 100});
  for (int i = 0; i < 2; ++i) {
    CHECK(!step.call());
    CHECK(step.status.code == KERATIN_OUT_OF_RANGE);
    CHECK(std::string(step.status.message) == "v is 100 or more");
    CHECK(step.readV() == std::vector<int32_t>{70, 80, 90, 100});
  }
}

TEST_CASE("results on cuda do not depend on when things are done") {
  for (const char *options : {"schedule=eager", "seed=1", "seed=2", "seed=3", "order=reversed"}) {
    emulator().set(options);
    Step step(cudaDevice("cuda"));
    REQUIRE(step.call());
    CHECK(step.y.values == std::vector<float>{11.5f, 22.25f, 33.125f, 44.0625f});
    CHECK(step.readV() == std::vector<int32_t>{15, 25, 35, 45});
  }
  emulator().set("order=fixed,schedule=lazy");
}

TEST_CASE("without room on cuda a call says so and changes nothing") {
  const keratin_device_t *device = cudaDevice("cuda");
  Step step(device);
  REQUIRE(step.call());
  keratin_executable_trim(step.executable.get());
  keratin_cuda_trim();
  emulator().set("memory=1");
  CHECK(!step.call());
  CHECK(step.status.code == KERATIN_RESOURCE_EXHAUSTED);
  CHECK(std::string(step.status.message) ==
        "function 'step': no memory on device 'cuda' for inputs of 64 bytes");
  emulator().set("memory=1073741824");
  CHECK(step.readV() == std::vector<int32_t>{15, 25, 35, 45});
  CHECK(step.call());
}

// Each call of each function of the driver fails once; errors that a device survives.
TEST_CASE("whatever the driver refuses is a status, and nothing is left over") {
  const keratin_device_t *device = cudaDevice("cuda");
  { // what a first call makes for all others
    Step step(device);
    REQUIRE(step.call());
  }
  auto before = leftOver();
  const char *functions[] = {"cuStreamCreate",      "cuMemHostAlloc",      "cuMemAlloc",
                             "cuEventCreate",       "cuMemsetD32Async",    "cuModuleLoadDataEx",
                             "cuModuleGetFunction", "cuMemcpyHtoDAsync",   "cuMemcpyDtoHAsync",
                             "cuLaunchKernel",      "cuStreamSynchronize", "cuEventRecord",
                             "cuEventSynchronize"};
  for (const char *function : functions) {
    int failures = 0;
    for (int nth = 1; nth < 64; ++nth) {
      INFO(function << " " << nth);
      // Memory that is missing is asked for a second time.
      bool isMemory = std::string(function) == "cuMemAlloc";
      emulator().set("fail=none");
      emulator().set("fail=" + std::string(function) + ":" + std::to_string(nth) +
                     (isMemory ? ":801" : ":1"));
      std::vector<int32_t> v;
      bool worked = false, wasCalled = false;
      std::string message;
      {
        Step step(device);
        if (step.executable) {
          worked = step.call();
          message = step.status.message;
          wasCalled = true;
          v = step.readV();
        } else {
          message = step.status.message;
        }
      }
      bool wasReached = emulator().calls(function) >= nth;
      emulator().set("fail=none");
      checkSame(leftOver(), before);
      if (!wasReached)
        break;
      ++failures;
      if (wasCalled && worked)
        continue; // reading v failed, or what is asked at the end
      CHECK(!message.empty());
      if (!isMemory)
        CHECK(message.find(function) != std::string::npos);
      if (wasCalled && v == std::vector<int32_t>{15, 25, 35, 45})
        continue; // the outputs did not come back, the variable was written in place
    }
    CHECK(failures > 0);
  }
}

TEST_CASE("a device that could not be made is made at the next call") {
  cudaDevice("cuda");
  auto before = leftOver();
  const char *functions[] = {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
                             "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"};
  keratin_status_t status;
  const keratin_device_t *device = nullptr;
  for (const char *function : functions) {
    emulator().set("fail=none");
    emulator().set("fail=" + std::string(function) + ":1:1");
    CHECK(keratin_device_open("cuda:5", &device, &status) != KERATIN_OK);
    CHECK(std::string(status.message).find(function) != std::string::npos);
    checkSame(leftOver(), before);
  }
  emulator().set("fail=none");
  CHECK(keratin_device_open("cuda:5", &device, &status) == KERATIN_OK);
}

TEST_CASE("a cuda device that is lost says so to everybody") {
  const keratin_device_t *device = cudaDevice("cuda:6");
  {
    TestQueue queue(*device), other(*device);
    DeviceArray<int32_t> x(*device, {1});
    queue.launch(Store, {x.address() + 4096}, 1);
    int32_t site = 0;
    keratin_status_t status;
    CHECK(device->wait(device->user, queue.queue, &site, &status) == KERATIN_INTERNAL);
    const std::string expected =
        "device 'cuda:6' (Keratin's emulator of sm_80) is lost, and with it all that lay on it: "
        "cuStreamSynchronize said CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
        "encountered); a new process can use it again";
    CHECK(std::string(status.message) == expected);
    CHECK(device->begin(device->user, other.queue, &status) == KERATIN_INTERNAL);
    CHECK(std::string(status.message) == expected);
    void *memory = device->allocate(device->user, 4, 64);
    CHECK(memory);
    int32_t value = 1;
    CHECK(device->copy_in(device->user, nullptr, 0, memory, &value, 4, &status) ==
          KERATIN_INTERNAL);
    CHECK(std::string(status.message) == expected);
    device->release(device->user, memory, 4, 64);
    Step step(device);
    CHECK(!step.executable);
    CHECK(std::string(step.status.message) == expected);
  }
  // Others go on.
  Step step(cudaDevice("cuda"));
  CHECK(step.call());
}

TEST_CASE("two cuda devices do not mix") {
  const keratin_device_t *first = cudaDevice("cuda"), *second = cudaDevice("cuda:1");
  Step step(first);
  REQUIRE(step.call());
  DeviceArray<float> there(*second, {1, 2, 3, 4});
  Floats sum(std::vector<int64_t>{4});
  const int64_t dims[] = {4};
  keratin_tensor_t input = {there.data, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, second};
  keratin_tensor_t outputs[] = {sum.view(), step.y.view()};
  keratin_variable_t *variables[] = {step.w.get(), step.v.get()};
  keratin_status_t status;
  CHECK(keratin_invoke(step.executable.get(), variables, 2, &input, 1, outputs, 2, &status) ==
        KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "function 'step': input 'x' lies on device 'cuda:1'; needed device 'cuda' or the host's "
        "memory");
  // On the device already, nothing is sent.
  DeviceArray<float> here(*first, {1, 2, 3, 4});
  input.data = here.data;
  input.device = first;
  auto then = emulator().counts();
  CHECK(keratin_invoke(step.executable.get(), variables, 2, &input, 1, outputs, 2, &status) ==
        KERATIN_OK);
  CHECK(emulator().counts().copies_in == then.copies_in);
  CHECK(step.y.values == std::vector<float>{2.5f, 4.25f, 6.125f, 8.0625f});
}

TEST_CASE("several threads call a function on cuda") {
  for (const char *options : {"schedule=lazy", "seed=5"}) {
    emulator().set(options);
    Step step(cudaDevice("cuda"));
    REQUIRE(step.executable);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 3; ++i) {
          Floats x({4}, std::vector<float>(4, float(t))), sum(std::vector<int64_t>{4}),
              y(std::vector<int64_t>{4});
          keratin_tensor_t input = x.view(), outputs[] = {sum.view(), y.view()};
          keratin_variable_t *variables[] = {step.w.get(), step.v.get()};
          keratin_status_t status;
          wrong += keratin_invoke(step.executable.get(), variables, 2, &input, 1, outputs, 2,
                                  &status) != KERATIN_OK;
          wrong += y.values[1] != float(t) + 2.25f;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong == 0);
    CHECK(step.readV() == std::vector<int32_t>{70, 80, 90, 100});
  }
  emulator().set("order=fixed,schedule=lazy");
}
