// Calls on "cuda" that come again, as graphs.
#include "tests/runtime/CudaHarness.h"

#include <atomic>
#include <numeric>
#include <thread>

using namespace keratin::testing;
using keratin::tests::emulator;

namespace {

// Buffers: x, w, v, y, z, the new w. y = 2 x, z = 4 x; w doubles, exchanged; v grows by 5 in place,
// unless an element of it is 100 or more.
void launchStep(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  auto address = [&](int i) { return int64_t(buffers[i]); };
  auto launch = [&](int32_t kernel, std::vector<int64_t> argv, int64_t units) {
    context->functions->launch(context, kernel, argv.data(), int32_t(argv.size()), units, 1, 0);
  };
  launch(Check, {address(2), 100, 0}, 4);
  launch(Add, {address(0), address(0), address(3)}, sizes[0]);
  launch(Add, {address(3), address(3), address(4)}, sizes[0]);
  launch(Add, {address(1), address(1), address(5)}, 4);
  if (context->functions->has_failed(context))
    return;
  launch(Increment, {address(2), 5}, 4);
}

// The same; in the middle the host reads an element of v, which it has no use for.
void readingEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  void *staged = context->functions->staging(context, 4);
  context->functions->fetch(context, staged, buffers[2], 4, 0);
  launchStep(context, buffers, sizes);
}

// The same, and then z is two numbers of the host's and a copy of y's beginning, both behind the
// guard.
void sendingEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  launchStep(context, buffers, sizes);
  char *z = static_cast<char *>(buffers[4]);
  for (float number : {1.0f, 2.0f}) {
    auto *staged = static_cast<float *>(context->functions->staging(context, 4));
    *staged = number;
    context->functions->send(context, z + (number == 1 ? 0 : 4), staged, 4, 0);
  }
  context->functions->copy(context, z + 8, buffers[3], 8, 0);
}

// Launches as many kernels as x has elements.
void longEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  for (int64_t i = 1; i < sizes[0]; ++i) {
    const int64_t argv[] = {int64_t(buffers[0]), int64_t(buffers[0]), int64_t(buffers[3])};
    context->functions->launch(context, Add, argv, 3, 1, 1, 0);
  }
  launchStep(context, buffers, sizes);
}

struct Step {
  explicit Step(const keratin_device_t *device, keratin_entry_fn_t entry = launchStep)
      : builder("step", entry) {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .symbol("n", 0, 0)
        .variable("w", KERATIN_DTYPE_FLOAT32, {4})
        .variable("v", KERATIN_DTYPE_INT32, {4})
        .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .output("z", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .site(KERATIN_OUT_OF_RANGE, "v is 100 or more")
        .update(0, false)
        .update(1, true);
    builder.descriptor.device_code = &code.code;
    builder.build();
    keratin_session_t *made = nullptr;
    if (keratin_session_create_on(device, &made, &status) != KERATIN_OK)
      return;
    session.reset(made);
    const float ws[] = {1, 2, 3, 4};
    const int32_t vs[] = {10, 20, 30, 40};
    keratin_executable_t *loaded = nullptr;
    if (make(KERATIN_DTYPE_FLOAT32, ws, w) && make(KERATIN_DTYPE_INT32, vs, v) &&
        keratin_executable_create(&builder.descriptor, &loaded, &status) == KERATIN_OK)
      executable.reset(loaded);
  }

  bool make(int32_t dtype, const void *values, Variable &variable) {
    keratin_variable_t *made = nullptr;
    const int64_t dims[] = {4};
    if (keratin_variable_create(session.get(), dtype, 1, dims, values, &made, &status))
      return false;
    variable.reset(made);
    return true;
  }

  bool call(std::vector<float> numbers) {
    const auto n = int64_t(numbers.size());
    Floats x({n}, std::move(numbers));
    y = Floats({n});
    z = Floats({n});
    keratin_tensor_t input = x.view();
    return call(input);
  }
  bool call(keratin_tensor_t input) {
    keratin_tensor_t outputs[] = {y.view(), z.view()};
    keratin_variable_t *variables[] = {w.get(), v.get()};
    return executable && keratin_invoke(executable.get(), variables, 2, &input, 1, outputs, 2,
                                        &status) == KERATIN_OK;
  }
  bool hasResultsOf(const std::vector<float> &x) const {
    bool same = y.values.size() == x.size() && z.values.size() == x.size();
    for (size_t i = 0; same && i < x.size(); ++i)
      same = y.values[i] == 2 * x[i] && z.values[i] == 4 * x[i];
    return same;
  }
  std::vector<int32_t> readV() {
    std::vector<int32_t> values(4);
    keratin_variable_read(v.get(), values.data(), 16, &status);
    return values;
  }
  void writeV(std::vector<int32_t> values) {
    const int64_t dims[] = {4};
    keratin_tensor_t value = {values.data(), KERATIN_DTYPE_INT32, 1, dims, nullptr, nullptr};
    REQUIRE(keratin_variable_write(v.get(), &value, nullptr) == KERATIN_OK);
  }

  keratin_status_t status = {};
  CudaCode code;
  FunctionBuilder builder;
  Floats y{std::vector<int64_t>{0}}, z{std::vector<int64_t>{0}};
  Session session;
  Variable w, v;
  Executable executable;
};

std::vector<float> numbers(size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<int32_t> grown(int32_t by) { return {10 + by, 20 + by, 30 + by, 40 + by}; }

int64_t graphLaunches() { return emulator().counts().graph_launches; }

// Calls of the driver, by whatever function.
int64_t driverCalls() {
  int64_t sum = 0;
  auto count = [&](std::string name) {
    if (name.size() > 3 && name.substr(name.size() - 3) == "_v2")
      name.resize(name.size() - 3);
    sum += emulator().calls(name.c_str());
  };
#define KERATIN_COUNT_CALLS(name, parameters) count(#name);
  KERATIN_CUDA_DRIVER_FUNCTIONS(KERATIN_COUNT_CALLS)
#undef KERATIN_COUNT_CALLS
  return sum;
}

} // namespace

TEST_CASE("a call that comes again is one graph, and few calls of the driver") {
  Step step(cudaDevice("cuda"));
  const std::vector<float> x = numbers(100, 1);
  // Two buffers that are exchanged are two graphs. The first two calls are taken down.
  for (int i = 0; i < 4; ++i)
    REQUIRE(step.call(x));
  auto before = emulator().counts();
  int64_t calls = driverCalls();
  for (int i = 4; i < 10; ++i) {
    REQUIRE(step.call(numbers(100, float(i))));
    CHECK(step.hasResultsOf(numbers(100, float(i))));
  }
  auto after = emulator().counts();
  CHECK(after.graph_launches - before.graph_launches == 6);
  CHECK(after.launches == before.launches);
  CHECK(after.copies_in == before.copies_in);
  CHECK(after.copies_out == before.copies_out);
  CHECK(after.waits - before.waits == 6);
  // The context is looked at, made current and put back; the graph is launched and waited for.
  CHECK(driverCalls() - calls == 6 * 5);
  CHECK(step.readV() == grown(50));
  CHECK(readVariable(step.w.get()) == std::vector<float>{1024, 2048, 3072, 4096});
}

TEST_CASE("graphs give what streams give, with sizes that change") {
  for (const char *options : {"schedule=lazy", "seed=3", "order=fixed,schedule=eager"}) {
    emulator().set(options);
    Step step(cudaDevice("cuda"));
    int64_t launches = graphLaunches();
    for (int i = 0; i < 18; ++i) {
      const std::vector<float> x = numbers(size_t(1 + i % 3 * 150), float(i));
      REQUIRE(step.call(x));
      CHECK(step.hasResultsOf(x));
      if (i == 9) // not beyond 100
        step.writeV({10, 20, 30, 40});
    }
    CHECK(graphLaunches() > launches);
    CHECK(step.readV() == grown(40));
    CHECK(readVariable(step.w.get())[0] == float(1 << 18));
  }
  emulator().set("order=fixed,schedule=lazy");
}

TEST_CASE("of more calls than there are graphs some are kept, and all are right") {
  Step step(cudaDevice("cuda"));
  int64_t executables = emulator().counts().graph_executables;
  for (int round = 0; round < 4; ++round)
    for (size_t count = 1; count < 11; ++count) {
      step.writeV({10, 20, 30, 40});
      REQUIRE(step.call(numbers(count, float(round))));
      CHECK(step.hasResultsOf(numbers(count, float(round))));
      REQUIRE(step.call(numbers(3, 1)));
    }
  CHECK(emulator().counts().graph_executables - executables <= 8);
}

TEST_CASE("a site that fails in a graph fails the call, and updates do not happen") {
  Step step(cudaDevice("cuda"));
  const std::vector<float> x = numbers(10, 1);
  auto fails = [&] {
    return !step.call(x) && step.status.code == KERATIN_OUT_OF_RANGE &&
           std::string(step.status.message) == "v is 100 or more";
  };
  for (int i = 0; i < 12; ++i)
    REQUIRE(step.call(x));
  int64_t launches = graphLaunches();
  for (int i = 0; i < 3; ++i)
    CHECK(fails());
  CHECK(graphLaunches() == launches + 3);
  CHECK(step.readV() == grown(60));
  CHECK(readVariable(step.w.get())[0] == 4096.0f);
  step.writeV({10, 20, 30, 40});
  CHECK(step.call(x));
  CHECK(step.hasResultsOf(x));
  CHECK(step.readV() == grown(5));
  SECTION("in the first call, too") {
    Step other(cudaDevice("cuda"));
    other.writeV({10, 20, 30, 100});
    for (int i = 0; i < 3; ++i) {
      CHECK(!other.call(x));
      CHECK(other.status.code == KERATIN_OUT_OF_RANGE);
    }
    other.writeV({10, 20, 30, 40});
    for (int i = 1; i < 4; ++i) {
      CHECK(other.call(x));
      CHECK(other.readV() == grown(5 * i));
    }
  }
}

TEST_CASE("a call in which the host waits for the device is no graph") {
  Step step(cudaDevice("cuda"), readingEntry);
  int64_t launches = graphLaunches();
  for (int i = 1; i < 6; ++i) {
    REQUIRE(step.call(numbers(10, float(i))));
    CHECK(step.hasResultsOf(numbers(10, float(i))));
    CHECK(step.readV() == grown(5 * i));
  }
  CHECK(graphLaunches() == launches);
  CHECK(emulator().counts().graphs == 0);
}

TEST_CASE("what the host sends, and copies behind a guard, are in the graph") {
  Step step(cudaDevice("cuda"), sendingEntry);
  for (int i = 1; i < 6; ++i) {
    auto before = emulator().counts();
    const float first = float(i);
    REQUIRE(step.call(numbers(4, first)));
    CHECK(step.z.values == std::vector<float>{1, 2, 2 * first, 2 * (first + 1)});
    auto after = emulator().counts();
    CHECK(after.waits - before.waits == 1);
    CHECK(after.graph_launches - before.graph_launches == (i > 2));
  }
}

TEST_CASE("a call of very many kernels stays a stream") {
  Step step(cudaDevice("cuda"), longEntry);
  int64_t launches = graphLaunches();
  const std::vector<float> x = numbers(8200, 1);
  emulator().set("checks=off");
  for (int i = 0; i < 4; ++i) {
    REQUIRE(step.call(x));
    CHECK(step.hasResultsOf(x));
  }
  emulator().set("checks=on");
  CHECK(graphLaunches() == launches);
}

TEST_CASE("tensors too large for the parcel go by pieces, beside a graph") {
  Step step(cudaDevice("cuda"));
  int64_t launches = graphLaunches();
  const size_t counts[] = {100000, 300000, 3000000};
  for (size_t count : counts)
    for (int i = 0; i < 4; ++i) {
      const std::vector<float> x = numbers(count, float(i));
      REQUIRE(step.call(x));
      CHECK(step.hasResultsOf(x));
    }
  CHECK(graphLaunches() >= launches + 6);
}

TEST_CASE("an input with strides is packed for a graph, too") {
  Step step(cudaDevice("cuda"));
  for (int i = 0; i < 4; ++i) {
    std::vector<float> data = numbers(20, float(i)), expected;
    for (size_t k = 0; k < 10; ++k)
      expected.push_back(data[2 * k]);
    const int64_t dims[] = {10}, strides[] = {2};
    step.y = Floats({10});
    step.z = Floats({10});
    REQUIRE(step.call({data.data(), KERATIN_DTYPE_FLOAT32, 1, dims, strides, nullptr}));
    CHECK(step.hasResultsOf(expected));
  }
}

TEST_CASE("graphs are given back with their function") {
  const keratin_device_t *device = cudaDevice("cuda");
  { // what a first call makes for all others
    Step step(device, sendingEntry);
    for (int i = 0; i < 4; ++i)
      REQUIRE(step.call(numbers(4, 1)));
  }
  keratin_cuda_trim();
  auto before = emulator().counts();
  {
    Step step(device, sendingEntry);
    for (int i = 0; i < 4; ++i)
      REQUIRE(step.call(numbers(4, 1)));
    CHECK(emulator().counts().graph_executables > before.graph_executables);
  }
  keratin_cuda_trim();
  auto after = emulator().counts();
  CHECK(after.graph_executables == before.graph_executables);
  CHECK(after.graphs == before.graphs);
  CHECK(after.streams == before.streams);
  CHECK(after.host_allocations == before.host_allocations);
  CHECK(after.allocations == before.allocations);
}

// Errors that a device survives, at each call of each function, in one of five calls.
TEST_CASE("whatever the driver refuses about graphs, results are right or a status says why") {
  const keratin_device_t *device = cudaDevice("cuda");
  {
    Step step(device, sendingEntry);
    for (int i = 0; i < 4; ++i)
      REQUIRE(step.call(numbers(4, 1)));
  }
  keratin_cuda_trim();
  auto before = emulator().counts();
  const char *functions[] = {
      "cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
      "cuGraphLaunch",        "cuGraphDestroy",     "cuGraphExecDestroy",
      "cuStreamCreate",       "cuMemHostAlloc",     "cuMemcpyHtoDAsync",
      "cuMemcpyDtoHAsync",    "cuMemcpyDtoDAsync",  "cuLaunchKernel",
      "cuStreamSynchronize",  "cuMemsetD32Async"};
  for (const char *function : functions)
    for (int nth = 1; nth < 100; ++nth) {
      INFO(function << " " << nth);
      Step step(device, sendingEntry);
      REQUIRE(step.executable);
      emulator().set("fail=none");
      emulator().set("fail=" + std::string(function) + ":" + std::to_string(nth) + ":1");
      int applied = 0, refused = 0;
      for (int i = 0; i < 5; ++i) {
        const float first = float(i);
        if (step.call(numbers(4, first))) {
          ++applied;
          CHECK(step.z.values == std::vector<float>{1, 2, 2 * first, 2 * (first + 1)});
          continue;
        }
        ++refused;
        CHECK(std::string(step.status.message).find(function) != std::string::npos);
      }
      bool wasReached = emulator().calls(function) >= nth;
      emulator().set("fail=none");
      CHECK(refused <= 1);
      CHECK(readVariable(step.w.get())[0] == float(1 << applied));
      // A wait that fails after v was written: nobody can know.
      std::vector<int32_t> v = step.readV();
      CHECK((v == grown(5 * applied) || (refused && v == grown(5 * applied + 5))));
      if (!wasReached)
        break;
    }
  keratin_cuda_trim();
  auto after = emulator().counts();
  CHECK(after.streams == before.streams);
  CHECK(after.host_allocations == before.host_allocations);
}

TEST_CASE("several threads and sessions have graphs of their own") {
  for (const char *options : {"schedule=lazy", "seed=5"}) {
    emulator().set(options);
    const keratin_device_t *device = cudaDevice("cuda");
    Step first(device), second(device);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        Step &step = t % 2 ? first : second;
        for (int i = 0; i < 5; ++i) {
          Floats x({50}, numbers(50, float(10 * t + i))), y({50}), z({50});
          keratin_tensor_t input = x.view(), outputs[] = {y.view(), z.view()};
          keratin_variable_t *variables[] = {step.w.get(), step.v.get()};
          keratin_status_t status;
          wrong += keratin_invoke(step.executable.get(), variables, 2, &input, 1, outputs, 2,
                                  &status) != KERATIN_OK;
          for (size_t k = 0; k < 50; ++k)
            wrong += y.values[k] != 2 * x.values[k] || z.values[k] != 4 * x.values[k];
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(wrong == 0);
    CHECK(first.readV() == grown(50));
    CHECK(second.readV() == grown(50));
    CHECK(readVariable(first.w.get())[0] == 1024);
  }
  emulator().set("order=fixed,schedule=lazy");
}
