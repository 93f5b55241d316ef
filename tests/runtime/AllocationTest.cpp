#include "tests/runtime/FunctionBuilder.h"

#include <atomic>
#include <cstdlib>
#include <thread>

using namespace keratin::testing;

namespace {

// Counts what is allocated and fails one allocation, or all, on request.
struct Injector {
  std::atomic<int64_t> calls{0}, liveBytes{0};
  std::atomic<int64_t> failAt{-1};
  bool failAlways = false;

  Injector() {
    keratin_allocator_t hook = {allocate, deallocate, this};
    keratin_set_allocator(&hook);
  }
  ~Injector() { keratin_set_allocator(nullptr); }

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto &self = *static_cast<Injector *>(user);
    int64_t call = self.calls.fetch_add(1);
    if (self.failAlways || call == self.failAt)
      return nullptr;
    void *memory = nullptr;
    if (posix_memalign(&memory, std::max(alignment, sizeof(void *)), bytes ? bytes : 1) != 0)
      return nullptr;
    self.liveBytes += int64_t(bytes);
    return memory;
  }
  static void deallocate(void *user, void *data, size_t bytes, size_t) {
    static_cast<Injector *>(user)->liveBytes -= int64_t(bytes);
    std::free(data);
  }
};

// new v = v + x, with an arena as large as x and a copy of a strided x.
void addEntry(keratin_context_t *, void *const *buffers, const int64_t *sizes) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *v = static_cast<const float *>(buffers[1]);
  auto *spare = static_cast<float *>(buffers[2]);
  auto *arena = static_cast<float *>(buffers[3]);
  for (int64_t i = 0; i < sizes[0]; ++i)
    arena[i] = x[i];
  for (int64_t i = 0; i < 4; ++i)
    spare[i] = v[i] + arena[i % sizes[0]];
}

FunctionBuilder add() {
  FunctionBuilder builder("add", addEntry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .variable("v", KERATIN_DTYPE_FLOAT32, {4})
      .symbol("n", 0, 0)
      .program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, 4, KERATIN_SIZE_MUL})
      .arena(1)
      .update(0, false);
  return builder;
}

} // namespace

TEST_CASE(
    "whichever allocation fails, nothing changes, nothing leaks, and the next attempt works") {
  Injector injector;
  for (int64_t failAt = 0;; ++failAt) {
    injector.calls = 0;
    injector.failAt = failAt;
    keratin_status_t status;
    // Retries once what failed; every step must then succeed.
    auto attempt = [&](auto step) {
      if (step() == KERATIN_OK)
        return;
      CHECK(status.code == KERATIN_RESOURCE_EXHAUSTED);
      CHECK(std::string(status.message).find("no memory") != std::string::npos);
      REQUIRE(step() == KERATIN_OK);
    };
    FunctionBuilder builder = add();
    builder.build();
    keratin_session_t *session = nullptr;
    keratin_variable_t *variable = nullptr;
    keratin_executable_t *executable = nullptr;
    int64_t dims[] = {4};
    float ones[] = {1, 1, 1, 1};
    attempt([&] { return keratin_session_create(&session, &status); });
    attempt([&] {
      return keratin_variable_create(session, KERATIN_DTYPE_FLOAT32, 1, dims, ones, &variable,
                                     &status);
    });
    attempt([&] { return keratin_executable_create(&builder.descriptor, &executable, &status); });
    float expected = 1;
    for (int64_t size : {4, 100}) {
      // Every other element, so that a copy is needed.
      std::vector<float> data(size_t(2 * size), 2);
      int64_t xDims[] = {size}, strides[] = {2};
      keratin_tensor_t x = {data.data(), KERATIN_DTYPE_FLOAT32, 1, xDims, strides, nullptr};
      attempt([&] {
        auto code = keratin_invoke(executable, &variable, 1, &x, 1, nullptr, 0, &status);
        if (code != KERATIN_OK)
          CHECK(readVariable(variable) == std::vector<float>(4, expected));
        return code;
      });
      expected += 2;
      CHECK(readVariable(variable) == std::vector<float>(4, expected));
    }
    int64_t made = injector.calls;
    keratin_executable_destroy(executable);
    keratin_variable_release(variable);
    keratin_session_destroy(session);
    CHECK(injector.liveBytes == 0);
    if (failAt >= made) {
      CHECK(made >= 10);
      break;
    }
  }
}

TEST_CASE("calls whose sizes repeat allocate nothing; trim gives arenas back") {
  Injector injector;
  {
    FunctionBuilder builder = add();
    Executable executable = makeExecutable(builder);
    Session session = makeSession();
    Variable variable = makeVariable(session.get(), {0, 0, 0, 0});
    keratin_variable_t *variables[] = {variable.get()};
    std::vector<float> data(size_t(1) << 20, 1); // an arena of 4 MiB: on huge pages
    int64_t dims[] = {int64_t(data.size())}, small[] = {8};
    keratin_tensor_t x = {data.data(), KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
    auto invoke = [&] {
      REQUIRE(keratin_invoke(executable.get(), variables, 1, &x, 1, nullptr, 0, nullptr) ==
              KERATIN_OK);
    };
    invoke();
    int64_t warm = injector.calls;
    for (int i = 0; i < 10; ++i) {
      x.dims = i % 2 ? dims : small;
      invoke();
    }
    CHECK(injector.calls == warm);
    int64_t before = injector.liveBytes;
    keratin_executable_trim(executable.get());
    CHECK(before - injector.liveBytes >= int64_t(4) << 20);
    x.dims = dims;
    invoke();
    CHECK(readVariable(variable.get()) == std::vector<float>(4, 12));
  }
  CHECK(injector.liveBytes == 0);
}

TEST_CASE("a call in a workspace asks for no memory, however many there are at once") {
  Injector injector;
  {
    FunctionBuilder builder = add();
    Executable executable = makeExecutable(builder);
    Session session = makeSession();
    Variable variable = makeVariable(session.get(), {0, 0, 0, 0});
    keratin_variable_t *variables[] = {variable.get()};
    std::vector<float> data(100, 1);
    int64_t dims[] = {50}, strides[] = {2};
    keratin_tensor_t x = {data.data(), KERATIN_DTYPE_FLOAT32, 1, dims, strides, nullptr};
    int64_t bytes = 0;
    REQUIRE(keratin_executable_workspace_bytes(executable.get(), variables, 1, &x, 1, &bytes,
                                               nullptr) == KERATIN_OK);
    keratin_status_t status;
    auto invoke = [&](void *workspace, int64_t size) {
      return keratin_invoke_in(executable.get(), variables, 1, &x, 1, nullptr, 0, workspace,
                               size_t(size), &status);
    };
    std::vector<char> workspace(size_t(bytes) + 3);
    REQUIRE(invoke(workspace.data(), bytes) == KERATIN_OK); // makes the spare buffer
    int64_t warm = injector.calls;
    CHECK(invoke(workspace.data() + 3, bytes) == KERATIN_OK);
    std::vector<std::thread> team;
    for (int t = 0; t < 8; ++t)
      team.emplace_back([&] {
        std::vector<char> own(static_cast<size_t>(bytes));
        for (int i = 0; i < 100; ++i)
          keratin_invoke_in(executable.get(), variables, 1, &x, 1, nullptr, 0, own.data(),
                            own.size(), nullptr);
      });
    for (std::thread &thread : team)
      thread.join();
    CHECK(injector.calls == warm);
    CHECK(readVariable(variable.get()) == std::vector<float>(4, 802));
    CHECK(invoke(workspace.data(), 64) == KERATIN_RESOURCE_EXHAUSTED);
    CHECK_THAT(status.message, Catch::Contains("the workspace has 64 bytes; needed"));
    CHECK(invoke(nullptr, 0) == KERATIN_RESOURCE_EXHAUSTED);
    x.strides = nullptr;
    x.data = reinterpret_cast<char *>(data.data()) + 1;
    CHECK(invoke(workspace.data(), bytes) == KERATIN_INVALID_ARGUMENT);
    CHECK_THAT(status.message, Catch::Contains("input 'x' is not aligned to its elements"));
    CHECK(readVariable(variable.get()) == std::vector<float>(4, 802));
  }
  CHECK(injector.liveBytes == 0);
}

TEST_CASE("an arena that cannot be is refused before work, and smaller calls still work") {
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .symbol("n", 0, 0)
      .program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, int64_t(1) << 60, KERATIN_SIZE_MUL})
      .arena(1);
  Executable executable = makeExecutable(builder);
  Floats three({3}), none({0});
  keratin_tensor_t x = three.view();
  keratin_status_t status;
  CHECK(keratin_invoke(executable.get(), nullptr, 0, &x, 1, nullptr, 0, &status) ==
        KERATIN_RESOURCE_EXHAUSTED);
  CHECK(std::string(status.message) ==
        "function 'f': no memory for an arena of 3458764513820540928 bytes");
  x = none.view();
  CHECK(keratin_invoke(executable.get(), nullptr, 0, &x, 1, nullptr, 0, &status) == KERATIN_OK);
}

TEST_CASE("eighty calls at once have an arena each") {
  // More than the pool of leases keeps. Every call fills its arena and waits for all others before
  // it looks again.
  static std::atomic<int> waiting;
  waiting = 0;
  constexpr int threads = 80;
  auto entry = [](keratin_context_t *, void *const *buffers, const int64_t *) {
    float mine = *static_cast<const float *>(buffers[0]);
    auto *arena = static_cast<float *>(buffers[2]);
    for (int i = 0; i < 16; ++i)
      arena[i] = mine;
    ++waiting;
    while (waiting < threads)
      std::this_thread::yield();
    float sum = 0;
    for (int i = 0; i < 16; ++i)
      sum += arena[i];
    *static_cast<float *>(buffers[1]) = sum;
  };
  FunctionBuilder builder("f", entry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {})
      .output("y", KERATIN_DTYPE_FLOAT32, {})
      .program({KERATIN_SIZE_CONST, 64})
      .arena(0);
  Executable executable = makeExecutable(builder);
  std::vector<float> results(threads);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      auto value = float(t);
      keratin_tensor_t x = {&value, KERATIN_DTYPE_FLOAT32, 0, nullptr, nullptr, nullptr};
      keratin_tensor_t y = {
          &results[size_t(t)], KERATIN_DTYPE_FLOAT32, 0, nullptr, nullptr, nullptr};
      keratin_invoke(executable.get(), nullptr, 0, &x, 1, &y, 1, nullptr);
    });
  for (std::thread &thread : team)
    thread.join();
  for (int t = 0; t < threads; ++t)
    CHECK(results[size_t(t)] == 16 * float(t));
}
