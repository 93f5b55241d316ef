// Callers of functions on "cuda" that use the device themselves: memory, streams, profiles.
#include "tests/runtime/CudaHarness.h"

#include "runtime/include/keratin/object.h"

#include <algorithm>
#include <memory>
#include <set>

using namespace keratin::testing;
using keratin::tests::emulator;

namespace {

// y = x + x; y comes behind all inputs.
template <int inputs>
void doubleEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  const int64_t argv[] = {int64_t(buffers[0]), int64_t(buffers[0]), int64_t(buffers[inputs])};
  if (context->functions->profile)
    context->functions->profile(context, 0, 0);
  context->functions->launch(context, Add, argv, 3, sizes[0], 1, 0);
  if (context->functions->profile)
    context->functions->profile(context, 0, 1);
}

const keratin_kernel_desc_t kernels[] = {{"add", "model.py:7", {}}};

// A function without variables, for x of any size.
struct Doubling {
  explicit Doubling(const keratin_device_t *device, bool readsSize = false)
      : builder("double", readsSize ? doubleEntry<2> : doubleEntry<1>) {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)});
    if (readsSize)
      builder.input("n", KERATIN_DTYPE_INT32, {});
    builder.symbol("n", 0, 0).output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)});
    if (readsSize)
      builder.symbol("count", 1, 0, KERATIN_SYMBOL_INPUT_VALUE)
          .check(KERATIN_CHECK_EQUAL, 0, 1, "x has n elements");
    builder.descriptor.device_code = &code.code;
    builder.descriptor.num_kernels = 1;
    builder.descriptor.kernels = kernels;
    keratin_executable_t *made = nullptr;
    REQUIRE_DONE(keratin_executable_create_on(builder.build(), device, &made, &status));
    executable.reset(made);
  }

  keratin_status_code_t call(std::vector<keratin_tensor_t> inputs, keratin_tensor_t y,
                             const keratin_call_options_t *options = nullptr) {
    return keratin_invoke_with(executable.get(), nullptr, 0, inputs.data(), int32_t(inputs.size()),
                               &y, 1, options, &status);
  }

  keratin_status_t status = {};
  CudaCode code;
  FunctionBuilder builder;
  Executable executable;
};

const int64_t four[] = {4};

keratin_tensor_t viewOn(const keratin_device_t *device, void *data) {
  return {data, KERATIN_DTYPE_FLOAT32, 1, four, nullptr, device};
}
keratin_tensor_t viewOn(const keratin_device_t *device, keratin::cuda::CUdeviceptr address) {
  return viewOn(device, reinterpret_cast<void *>(address));
}

// A stream and memory of the caller's own, on the first device.
struct Caller {
  Caller() {
    REQUIRE(driver.cuStreamCreate(&stream, keratin::cuda::CU_STREAM_NON_BLOCKING) == 0);
    REQUIRE(driver.cuMemAlloc_v2(&x, 16) == 0);
    REQUIRE(driver.cuMemAlloc_v2(&y, 16) == 0);
    void *data = nullptr;
    REQUIRE(driver.cuMemHostAlloc(&data, 64, 0) == 0);
    pinned = static_cast<float *>(data);
  }
  ~Caller() {
    driver.cuStreamDestroy_v2(stream);
    driver.cuMemFree_v2(x);
    driver.cuMemFree_v2(y);
    driver.cuMemFreeHost(pinned);
  }
  keratin_call_options_t options() const {
    keratin_call_options_t options = {};
    options.bytes = sizeof(options);
    options.has_stream = 1;
    options.stream = stream;
    return options;
  }

  keratin::tests::EmulatedContext context{0};
  const keratin::cuda::Driver &driver = context.driver;
  keratin::cuda::CUstream stream = nullptr;
  keratin::cuda::CUdeviceptr x = 0, y = 0;
  float *pinned = nullptr;
};

} // namespace

TEST_CASE("a call comes after what is in the caller's stream, and before what follows") {
  const keratin_device_t *device = cudaDevice("cuda");
  Caller caller;
  for (bool readsSize : {false, true})
    for (const char *schedule : {"schedule=lazy", "seed=9"}) {
      emulator().set(schedule);
      Doubling function(device, readsSize);
      for (int round = 0; round < 4; ++round) {
        const float first = float(round);
        auto *count = reinterpret_cast<int32_t *>(caller.pinned + 4);
        for (int i = 0; i < 4; ++i)
          caller.pinned[i] = first + float(i);
        *count = 4;
        keratin::cuda::CUdeviceptr n = 0;
        REQUIRE(caller.driver.cuMemAlloc_v2(&n, 4) == 0);
        REQUIRE(caller.driver.cuMemcpyHtoDAsync_v2(caller.x, caller.pinned, 16, caller.stream) ==
                0);
        REQUIRE(caller.driver.cuMemcpyHtoDAsync_v2(n, count, 4, caller.stream) == 0);
        std::vector<keratin_tensor_t> inputs = {viewOn(device, caller.x)};
        if (readsSize)
          inputs.push_back(
              {reinterpret_cast<void *>(n), KERATIN_DTYPE_INT32, 0, nullptr, nullptr, device});
        keratin_call_options_t options = caller.options();
        auto before = emulator().counts();
        function.call(inputs, viewOn(device, caller.y), &options);
        CHECK(std::string(function.status.message) == "");
        CHECK(emulator().counts().copies_in == before.copies_in);
        REQUIRE(caller.driver.cuMemcpyDtoHAsync_v2(caller.pinned + 8, caller.y, 16,
                                                   caller.stream) == 0);
        REQUIRE(caller.driver.cuStreamSynchronize(caller.stream) == 0);
        for (int i = 0; i < 4; ++i)
          CHECK(caller.pinned[8 + i] == 2 * (first + float(i)));
        caller.driver.cuMemFree_v2(n);
      }
    }
  emulator().set("order=fixed,schedule=lazy");
}

// What is given back is what the runtime takes next: the addresses of a call are then those of the
// call before, and their tensors must be sent nevertheless.
TEST_CASE("tensors of the host's lie where those of a caller lay, and are sent") {
  const keratin_device_t *device = cudaDevice("cuda");
  Doubling function(device);
  std::set<void *> ofCaller;
  int again = 0;
  for (int round = 0; round < 6; ++round) {
    const auto first = float(round);
    {
      // In both orders, since the runtime takes them in one.
      auto one = std::make_unique<DeviceArray<float>>(*device, std::vector<float>(4, first));
      auto other = std::make_unique<DeviceArray<float>>(*device, std::vector<float>(4, first));
      for (int call = 0; call < 2; ++call)
        function.call({viewOn(device, one->data)}, viewOn(device, other->data));
      CHECK(other->read() == std::vector<float>(4, 2 * first));
      again += int(ofCaller.count(one->data));
      ofCaller.insert({one->data, other->data});
      if (round % 2)
        one.reset();
    }
    for (int call = 0; call < 2; ++call) {
      Floats x({4}, std::vector<float>(4, first + float(call) + 100)), y({4});
      function.call({x.view()}, y.view());
      CHECK(y.values == std::vector<float>(4, 2 * x.values[0]));
    }
  }
  CHECK(again > 0);
}

TEST_CASE("options of a call that do not fit are refused") {
  const keratin_device_t *device = cudaDevice("cuda");
  Caller caller;
  Doubling function(device);
  Floats x({4}, {1, 2, 3, 4}), y(std::vector<int64_t>{4});
  keratin_call_options_t options = caller.options();
  options.stream = &options; // nobody's
  CHECK(function.call({x.view()}, y.view(), &options) == KERATIN_INTERNAL);
  CHECK(std::string(function.status.message) ==
        "device 'cuda' (Keratin's emulator of sm_80): cuEventRecord of the caller's stream failed: "
        "CUDA_ERROR_INVALID_HANDLE (invalid resource handle)");
  options.bytes = 4;
  CHECK(function.call({x.view()}, y.view(), &options) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(function.status.message) == "function 'double': options of 4 bytes; needed 48");
  // Those of a stream that is captured fail, too, and the next call works.
  options = caller.options();
  REQUIRE(caller.driver.cuStreamBeginCapture_v2(
              caller.stream, keratin::cuda::CU_STREAM_CAPTURE_MODE_RELAXED) == 0);
  (void)function.call({x.view()}, y.view(), &options);
  keratin::cuda::CUgraph graph = nullptr;
  (void)caller.driver.cuStreamEndCapture(caller.stream, &graph);
  if (graph)
    caller.driver.cuGraphDestroy(graph);
  CHECK(function.call({x.view()}, y.view()) == KERATIN_OK);
  CHECK(y.values == std::vector<float>{2, 4, 6, 8});
}

TEST_CASE("the CPU knows no streams") {
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  Executable executable = makeExecutable(builder);
  keratin_call_options_t options = {};
  options.bytes = sizeof(options);
  keratin_status_t status;
  CHECK(keratin_invoke_with(executable.get(), nullptr, 0, nullptr, 0, nullptr, 0, &options,
                            &status) == KERATIN_OK);
  options.has_stream = 1;
  CHECK(keratin_invoke_with(executable.get(), nullptr, 0, nullptr, 0, nullptr, 0, &options,
                            &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "function 'f' runs on device 'cpu', which knows no streams of its callers");
}

TEST_CASE("an address that is not the device's is refused before anything is done") {
  const keratin_device_t *device = cudaDevice("cuda");
  Caller caller;
  Doubling function(device);
  Floats x({4}, {1, 2, 3, 4}), y(std::vector<int64_t>{4});
  auto messageFor = [&](const keratin_tensor_t &input, const keratin_tensor_t &output) {
    CHECK(function.call({input}, output) == KERATIN_INVALID_ARGUMENT);
    std::string message = function.status.message;
    size_t at = message.find("0x"), end = message.find(' ', at);
    return at == std::string::npos ? message : message.replace(at, end - at, "ADDRESS");
  };
  CHECK(messageFor(viewOn(device, x.values.data()), y.view()) ==
        "function 'double': input 'x' is said to lie on device 'cuda', but ADDRESS is memory of "
        "the host, or of nobody");
  CHECK(messageFor(viewOn(device, caller.pinned), y.view()).find("ADDRESS is memory of the host") !=
        std::string::npos);
  CHECK(messageFor(x.view(), viewOn(device, y.values.data())) ==
        "function 'double': output 'y' is said to lie on device 'cuda', but ADDRESS is memory of "
        "the host, or of nobody");
  const keratin_device_t *second = cudaDevice("cuda:1");
  DeviceArray<float> there(*second, {1, 2, 3, 4});
  CHECK(messageFor(viewOn(device, there.data), y.view()) ==
        "function 'double': input 'x' is said to lie on device 'cuda', but ADDRESS is memory of "
        "device 'cuda:1'");
  CHECK(messageFor(viewOn(second, there.data), y.view()) ==
        "function 'double': input 'x' lies on device 'cuda:1'; needed device 'cuda' or the host's "
        "memory");
  CHECK(function.call({x.view()}, y.view()) == KERATIN_OK);
}

TEST_CASE("a variable on cuda takes a value out of the device's memory") {
  const keratin_device_t *device = cudaDevice("cuda");
  keratin_session_t *made = nullptr;
  keratin_status_t status;
  REQUIRE_DONE(keratin_session_create_on(device, &made, &status));
  Session session(made);
  Variable w = makeVariable(session.get(), {0, 0, 0, 0});
  DeviceArray<float> there(*device, {1, 2, 3, 4});
  keratin_tensor_t value = viewOn(device, there.data);
  auto then = emulator().counts();
  REQUIRE_DONE(keratin_variable_write(w.get(), &value, &status));
  CHECK(emulator().counts().copies_in == then.copies_in);
  CHECK(emulator().counts().copies_out == then.copies_out);
  CHECK(readVariable(w.get()) == std::vector<float>{1, 2, 3, 4});
  float numbers[4] = {};
  value.data = numbers;
  CHECK(keratin_variable_write(w.get(), &value, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message)
            .find("variable: the new value is said to lie on device 'cuda', "
                  "but 0x") == 0);
}

TEST_CASE("a profile tells when kernels ran on the device, by name and line") {
  const keratin_device_t *device = cudaDevice("cuda");
  Doubling function(device);
  Floats x({4}, {1, 2, 3, 4}), y(std::vector<int64_t>{4});
  for (int i = 0; i < 3; ++i)
    REQUIRE(function.call({x.view()}, y.view()) == KERATIN_OK);
  keratin_profile_event_t events[1000];
  int64_t graphs = emulator().counts().graph_launches;
  REQUIRE_DONE(keratin_profile_start(events, 1000, &status));
  for (int i = 0; i < 2; ++i)
    CHECK(function.call({x.view()}, y.view()) == KERATIN_OK);
  int64_t count = keratin_profile_stop(nullptr);
  CHECK(emulator().counts().graph_launches == graphs);
  REQUIRE(count == 4); // of each call itself, and a kernel
  for (int64_t i = 0; i < count; i += 2) {
    const keratin_profile_event_t &kernel = events[i], &whole = events[i + 1];
    CHECK(kernel.kernel == 0);
    CHECK(std::string(kernel.function->kernels[0].location) == "model.py:7");
    CHECK(whole.kernel == -1);
    CHECK(kernel.begin >= whole.begin);
    CHECK(kernel.end >= kernel.begin);
    CHECK(kernel.end <= whole.end);
  }
  // Graphs again.
  CHECK(function.call({x.view()}, y.view()) == KERATIN_OK);
  CHECK(emulator().counts().graph_launches == graphs + 1);
  for (const char *name : {"cuEventCreate", "cuEventRecord", "cuEventElapsedTime"}) {
    emulator().set("fail=none");
    emulator().set("fail=" + std::string(name) + ":1:1");
    REQUIRE_DONE(keratin_profile_start(events, 1000, &status));
    CHECK(function.call({x.view()}, y.view()) == KERATIN_OK);
    CHECK(keratin_profile_stop(nullptr) >= 1);
    emulator().set("fail=none");
  }
}
