// Devices beside the CPU, by one that is written here: its addresses are far from all memory, and
// what it is asked for is written down.
#include "runtime/include/keratin/device.h"
#include "tests/runtime/FunctionBuilder.h"
#include "tests/support/TemporaryFile.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

using namespace keratin::testing;

namespace {

// Its memory lies elsewhere: an address is that of the host plus a distance.
struct FarDevice {
  static constexpr uintptr_t distance = uintptr_t(1) << 56;
  using Code = keratin_status_code_t;

  std::string log; // i, o, w, f: copies and fills; k: a launch; s: a wait; g: a guard
  int failAt = -1; // the call that fails, counted in the log
  bool hasMemory = true;
  std::atomic<int> copiesIn = 0;
  std::function<void()> onCopyOut; // once, when one is under way
  std::map<void *, size_t> blocks;
  int modules = 0, queues = 0;
  int32_t failedSite = 0;
  std::vector<std::vector<int64_t>> arguments; // of launches

  static FarDevice &of(void *user) { return *static_cast<FarDevice *>(user); }
  static char *here(const void *address) {
    return reinterpret_cast<char *>(uintptr_t(address) - distance);
  }
  Code note(char what, keratin_status_t *status) {
    log += what;
    if (failAt != int(log.size()) - 1)
      return KERATIN_OK;
    if (status) {
      status->code = KERATIN_INTERNAL;
      std::strcpy(status->message, "the device is lost");
    }
    return KERATIN_INTERNAL;
  }

  static void *allocate(void *user, size_t bytes, size_t) {
    if (!of(user).hasMemory)
      return nullptr;
    void *block = std::malloc(bytes + 1);
    void *address = reinterpret_cast<void *>(uintptr_t(block) + distance);
    of(user).blocks[address] = bytes;
    return address;
  }
  static void release(void *user, void *data, size_t bytes, size_t) {
    CHECK(of(user).blocks.at(data) == bytes);
    of(user).blocks.erase(data);
    std::free(here(data));
  }
  static Code copyIn(void *user, void *, int32_t, void *to, const void *from, size_t bytes,
                     keratin_status_t *status) {
    std::memcpy(here(to), from, bytes);
    const Code code = of(user).note('i', status);
    ++of(user).copiesIn;
    return code;
  }
  static Code copyOut(void *user, void *, int32_t, void *to, const void *from, size_t bytes,
                      keratin_status_t *status) {
    std::memcpy(to, here(from), bytes);
    if (of(user).onCopyOut)
      std::exchange(of(user).onCopyOut, nullptr)();
    return of(user).note('o', status);
  }
  static Code copyWithin(void *user, void *, int32_t, void *to, const void *from, size_t bytes,
                         keratin_status_t *status) {
    std::memcpy(here(to), here(from), bytes);
    return of(user).note('w', status);
  }
  static Code fill(void *user, void *, int32_t, void *to, uint8_t byte, size_t bytes,
                   keratin_status_t *status) {
    std::memset(here(to), byte, bytes);
    return of(user).note('f', status);
  }
  static Code load(void *user, const keratin_function_desc_t *, void **module, keratin_status_t *) {
    ++of(user).modules;
    *module = user;
    return KERATIN_OK;
  }
  static void unload(void *user, void *) { --of(user).modules; }
  static Code open(void *user, void **queue, keratin_status_t *) {
    ++of(user).queues;
    *queue = user;
    return KERATIN_OK;
  }
  static void close(void *user, void *) { --of(user).queues; }
  static Code begin(void *user, void *, keratin_status_t *) {
    of(user).failedSite = 0;
    return KERATIN_OK;
  }
  // Kernel 0: y[i] = x[i] + w[i] for `units` floats; kernel 1 fails at site 0.
  static Code launch(void *user, void *, int32_t, void *, int32_t kernel, const int64_t *argv,
                     int32_t slots, int64_t units, int64_t, keratin_status_t *status) {
    of(user).arguments.emplace_back(argv, argv + slots);
    if (kernel == 1)
      of(user).failedSite = 1;
    for (int64_t i = 0; kernel == 0 && i < units; ++i) {
      auto at = [&](int slot) {
        return reinterpret_cast<float *>(here(reinterpret_cast<void *>(argv[slot]))) + i;
      };
      *at(2) = *at(0) + *at(1);
    }
    return of(user).note('k', status);
  }
  static Code wait(void *user, void *, int32_t *site, keratin_status_t *status) {
    *site = of(user).failedSite;
    return of(user).note('s', status);
  }
  static Code guard(void *user, void *, int32_t *site, keratin_status_t *status) {
    *site = of(user).failedSite;
    return of(user).note('g', status);
  }
};

FarDevice far;
const keratin_device_t farTable = {.bytes = sizeof(keratin_device_t),
                                   .abi_version = KERATIN_DEVICE_ABI_VERSION,
                                   .name = "far",
                                   .user = &far,
                                   .allocate = FarDevice::allocate,
                                   .release = FarDevice::release,
                                   .copy_in = FarDevice::copyIn,
                                   .copy_out = FarDevice::copyOut,
                                   .copy_within = FarDevice::copyWithin,
                                   .fill = FarDevice::fill,
                                   .load = FarDevice::load,
                                   .unload = FarDevice::unload,
                                   .open = FarDevice::open,
                                   .close = FarDevice::close,
                                   .begin = FarDevice::begin,
                                   .launch = FarDevice::launch,
                                   .wait = FarDevice::wait,
                                   .guard = FarDevice::guard,
                                   .run = nullptr,
                                   .follow = nullptr,
                                   .check = nullptr,
                                   .mark = nullptr,
                                   .marked = nullptr,
                                   .fork = nullptr,
                                   .join = nullptr,
                                   .expose = nullptr};

const keratin_device_t *farDevice() {
  if (!keratin_device_find("far")) {
    keratin_status_t status;
    keratin_device_register(&farTable, &status);
    INFO(status.message);
    REQUIRE(status.code == KERATIN_OK);
  }
  far.log.clear();
  far.arguments.clear();
  far.failAt = -1;
  far.hasMemory = true;
  return &farTable;
}

const char *const kernelNames[] = {"add", "fail"};
const keratin_device_code_t farCode = {.device = "far",
                                       .num_images = 0,
                                       .images = nullptr,
                                       .num_kernels = 2,
                                       .kernels = kernelNames,
                                       .reserved = {}};

// y = x + w, and w <- w + y in a spare buffer; the third value of w goes to the host.
void addEntry(keratin_context_t *context, void *const *buffers, const int64_t *) {
  auto address = [&](int i) { return int64_t(buffers[i]); };
  const int64_t first[] = {address(0), address(1), address(2)};
  context->functions->launch(context, 0, first, 3, 4, 1, 0);
  const int64_t second[] = {address(1), address(2), address(3)};
  context->functions->launch(context, 0, second, 3, 4, 1, 0);
}

FunctionBuilder addBuilder(keratin_entry_fn_t entry = addEntry) {
  FunctionBuilder builder("f", entry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {4})
      .variable("w", KERATIN_DTYPE_FLOAT32, {4})
      .output("y", KERATIN_DTYPE_FLOAT32, {4})
      .site(KERATIN_OUT_OF_RANGE, "an index is outside")
      .update(0, false);
  builder.descriptor.device_code = &farCode;
  return builder;
}

Session farSession() {
  keratin_session_t *session = nullptr;
  REQUIRE(keratin_session_create_on(farDevice(), &session, nullptr) == KERATIN_OK);
  return Session(session);
}

struct Call {
  Call(keratin_executable_t *executable, keratin_variable_t *variable, keratin_tensor_t x,
       keratin_tensor_t y) {
    keratin_invoke(executable, &variable, 1, &x, 1, &y, 1, &status);
  }
  keratin_status_t status;
};

} // namespace

TEST_CASE("the CPU is a device, the first that is known") {
  const keratin_device_t *cpu = keratin_cpu_device();
  CHECK(keratin_device_find("cpu") == cpu);
  CHECK(keratin_device_find("none") == nullptr);
  CHECK(keratin_device_find(nullptr) == nullptr);
  float from[2] = {1, 2}, to[2] = {};
  CHECK(cpu->copy_in(cpu->user, nullptr, 0, to, from, sizeof(to), nullptr) == KERATIN_OK);
  CHECK(to[1] == 2);
}

TEST_CASE("a device that lacks a function, or whose name is taken, is refused") {
  farDevice();
  keratin_status_t status;
  keratin_device_t lame = farTable;
  lame.name = "lame";
  lame.launch = nullptr;
  CHECK(keratin_device_register(&lame, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "the device 'lame' lacks functions that version 1 of devices has");
  lame = farTable;
  CHECK(keratin_device_register(&lame, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "there is a device 'far' already");
}

TEST_CASE("kernels of a function run on its device, with as few transfers as it takes") {
  Session session = farSession();
  Variable w = makeVariable(session.get(), {1, 2, 3, 4});
  FunctionBuilder builder = addBuilder();
  {
    Executable executable = makeExecutable(builder);
    CHECK(keratin_executable_device(executable.get()) == &farTable);
    CHECK(far.modules == 1);
    Floats x({4}, {10, 20, 30, 40}), y(std::vector<int64_t>{4});
    far.log.clear();
    Call call(executable.get(), w.get(), x.view(), y.view());
    INFO(call.status.message);
    CHECK(call.status.code == KERATIN_OK);
    CHECK(y.values == std::vector<float>{11, 22, 33, 44});
    // The input, two kernels, and the output; the variable stays where it is.
    CHECK(far.log == "ikkso");
    CHECK(readVariable(w.get()) == std::vector<float>{12, 24, 36, 48});

    SECTION("what lies on the device already is not sent") {
      auto *place = static_cast<float *>(FarDevice::allocate(&far, 16, 64));
      std::memcpy(FarDevice::here(place), x.values.data(), 16);
      keratin_tensor_t there = x.view();
      there.data = place;
      there.device = &farTable;
      far.log.clear();
      keratin_tensor_t result = y.view();
      Call again(executable.get(), w.get(), there, result);
      CHECK(again.status.code == KERATIN_OK);
      CHECK(far.log == "kkso");
      CHECK(far.arguments[2][0] == int64_t(place));
      auto *out = static_cast<float *>(FarDevice::allocate(&far, 16, 64));
      result.data = out;
      result.device = &farTable;
      far.log.clear();
      Call third(executable.get(), w.get(), there, result);
      CHECK(third.status.code == KERATIN_OK);
      CHECK(far.log == "kks");
      const int64_t strides[] = {2};
      there.strides = strides;
      Call strided(executable.get(), w.get(), there, result);
      CHECK(std::string(strided.status.message) ==
            "function 'f': input 'x' lies on device 'far' and is not row-major");
      FarDevice::release(&far, place, 16, 64);
      FarDevice::release(&far, out, 16, 64);
    }
    SECTION("an input that is not row-major is packed on its way") {
      std::vector<float> spread = {1, 0, 2, 0, 3, 0, 4, 0};
      const int64_t strides[] = {2};
      keratin_tensor_t view = x.view();
      view.data = spread.data();
      view.strides = strides;
      Call strided(executable.get(), w.get(), view, y.view());
      CHECK(strided.status.code == KERATIN_OK);
      CHECK(y.values == std::vector<float>{13, 26, 39, 52});
    }
    SECTION("the n-th failure of the device fails the call, and nothing is committed") {
      for (int at = 0; at < 5; ++at) {
        far.log.clear();
        far.failAt = at;
        Call failed(executable.get(), w.get(), x.view(), y.view());
        CHECK(failed.status.code == KERATIN_INTERNAL);
        CHECK(std::string(failed.status.message) == "the device is lost");
      }
      far.failAt = -1;
      CHECK(readVariable(w.get()) == std::vector<float>{12, 24, 36, 48});
    }
    SECTION("without memory on the device nothing begins") {
      keratin_executable_trim(executable.get());
      far.hasMemory = false;
      far.log.clear();
      Call failed(executable.get(), w.get(), x.view(), y.view());
      CHECK(std::string(failed.status.message) ==
            "function 'f': no memory on device 'far' for inputs of 64 bytes");
      CHECK(far.log.empty());
      far.hasMemory = true;
    }
    SECTION("a workspace of the caller's is of no use") {
      char memory[4096];
      keratin_variable_t *variable = w.get();
      keratin_tensor_t in = x.view(), out = y.view();
      keratin_status_t status;
      keratin_invoke_in(executable.get(), &variable, 1, &in, 1, &out, 1, memory, sizeof(memory),
                        &status);
      CHECK(std::string(status.message) ==
            "function 'f' runs on device 'far'; it takes no workspace of the caller's");
      int64_t bytes = 0;
      CHECK(keratin_executable_workspace_bytes(executable.get(), &variable, 1, &in, 1, &bytes,
                                               &status) == KERATIN_UNIMPLEMENTED);
    }
  }
  CHECK(far.modules == 0);
  CHECK(far.queues == 0);
  w.reset();
  CHECK(far.blocks.empty());
}

TEST_CASE("a site that fails on the device is reported, and what is guarded does not happen") {
  Session session = farSession();
  Variable w = makeVariable(session.get(), {1, 2, 3, 4});
  auto entry = [](keratin_context_t *context, void *const *, const int64_t *) {
    context->functions->launch(context, 1, nullptr, 0, 1, 1, 0);
    if (context->functions->has_failed(context) == 0)
      far.log += '!';
  };
  FunctionBuilder builder = addBuilder(entry);
  Executable executable = makeExecutable(builder);
  Floats x({4}, {10, 20, 30, 40}), y(std::vector<int64_t>{4});
  far.log.clear();
  Call call(executable.get(), w.get(), x.view(), y.view());
  CHECK(call.status.code == KERATIN_OUT_OF_RANGE);
  CHECK(std::string(call.status.message) == "an index is outside");
  CHECK(far.log == "ikgs");
  CHECK(readVariable(w.get()) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("the host reads and writes by way of staged memory") {
  Session session = farSession();
  Variable w = makeVariable(session.get(), {1, 2, 3, 4});
  auto entry = [](keratin_context_t *context, void *const *buffers, const int64_t *) {
    auto *floats = static_cast<float *>(context->functions->staging(context, 4 * sizeof(float)));
    context->functions->fetch(context, floats, buffers[1], 4 * sizeof(float), 0);
    floats[0] = 7;
    context->functions->send(context, buffers[2], floats, 4 * sizeof(float), 0);
    context->functions->copy(context, buffers[3], buffers[2], 4 * sizeof(float), 0);
  };
  FunctionBuilder builder = addBuilder(entry);
  Executable executable = makeExecutable(builder);
  Floats x({4}, {10, 20, 30, 40}), y(std::vector<int64_t>{4});
  far.log.clear();
  Call call(executable.get(), w.get(), x.view(), y.view());
  CHECK(call.status.code == KERATIN_OK);
  CHECK(far.log == "isoiwso");
  CHECK(y.values == std::vector<float>{7, 2, 3, 4});
  CHECK(readVariable(w.get()) == std::vector<float>{7, 2, 3, 4});
}

TEST_CASE("constants are sent once, and a size is read out of a variable of the device") {
  alignas(64) static const float ones[4] = {1, 1, 1, 1};
  Session session = farSession();
  keratin_variable_t *made = nullptr;
  const int64_t count = 3;
  REQUIRE(keratin_variable_create(session.get(), KERATIN_DTYPE_INT64, 0, nullptr, &count, &made,
                                  nullptr) == KERATIN_OK);
  Variable n(made);
  auto entry = [](keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
    const int64_t argv[] = {int64_t(buffers[2]), int64_t(buffers[2]), int64_t(buffers[1])};
    context->functions->launch(context, 0, argv, 3, sizes[0], 1, 0);
  };
  FunctionBuilder builder("f", entry);
  builder.variable("n", KERATIN_DTYPE_INT64, {})
      .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .symbol("n", 0, 0, KERATIN_SYMBOL_VARIABLE_VALUE)
      .constant(ones, sizeof(ones));
  builder.descriptor.device_code = &farCode;
  far.log.clear();
  Executable executable = makeExecutable(builder);
  CHECK(far.log == "i");
  for (int repeat = 0; repeat < 2; ++repeat) {
    Floats y(std::vector<int64_t>{3});
    keratin_tensor_t view = y.view();
    keratin_status_t status;
    far.log.clear();
    keratin_invoke(executable.get(), &made, 1, nullptr, 0, &view, 1, &status);
    INFO(status.message);
    CHECK(status.code == KERATIN_OK);
    CHECK(far.log == "okso");
    CHECK(y.values == std::vector<float>{2, 2, 2});
  }
}

TEST_CASE("variables, views and functions must be of one device") {
  Session session = farSession(), home = makeSession();
  Variable there = makeVariable(session.get(), {1, 2, 3, 4}),
           here = makeVariable(home.get(), {1, 2, 3, 4});
  Floats x({4}, {10, 20, 30, 40}), y(std::vector<int64_t>{4});
  FunctionBuilder builder = addBuilder();
  Executable executable = makeExecutable(builder);
  Call call(executable.get(), here.get(), x.view(), y.view());
  CHECK(std::string(call.status.message) ==
        "function 'f' runs on device 'far'; its variables lie on device 'cpu'");
  keratin_device_t other = farTable;
  other.name = "other";
  keratin_tensor_t view = x.view();
  view.device = &other;
  Call foreign(executable.get(), there.get(), view, y.view());
  CHECK(std::string(foreign.status.message) ==
        "function 'f': input 'x' lies on device 'other'; needed device 'far' or the host's memory");
  keratin_status_t status;
  view.device = &farTable;
  CHECK(keratin_variable_write(here.get(), &view, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the new value lies on device 'far'; needed the host's memory");
  view.device = &other;
  CHECK(keratin_variable_write(there.get(), &view, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the new value lies on device 'other'; needed device 'far' or the host's memory");
  view.device = &farTable;

  FunctionBuilder plain("g", [](keratin_context_t *, void *const *, const int64_t *) {});
  plain.input("x", KERATIN_DTYPE_FLOAT32, {4});
  Executable onHost = makeExecutable(plain);
  keratin_invoke(onHost.get(), nullptr, 0, &view, 1, nullptr, 0, &status);
  CHECK(std::string(status.message) ==
        "function 'g' runs on the CPU; input 'x' lies on device 'far'");
}

TEST_CASE("a value that lies on the device of its variable is copied there") {
  Session session = farSession();
  Variable to = makeVariable(session.get(), {0, 0});
  void *data = far.allocate(&far, 2 * sizeof(float), 64);
  const std::vector<float> values = {7, 8};
  far.copyIn(&far, nullptr, 0, data, values.data(), 2 * sizeof(float), nullptr);
  const int64_t dims[] = {2}, strides[] = {2};
  keratin_tensor_t view = {data, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, &farTable};
  keratin_status_t status;
  far.log.clear();
  CHECK(keratin_variable_write(to.get(), &view, &status) == KERATIN_OK);
  CHECK(far.log == "w");
  CHECK(readVariable(to.get()) == values);
  view.strides = strides;
  CHECK(keratin_variable_write(to.get(), &view, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the new value lies on device 'far' and is not row-major");
  far.release(&far, data, 2 * sizeof(float), 64);
}

TEST_CASE("several variables are written, or none where the device refuses one") {
  Session session = farSession(), home = makeSession();
  Variable a = makeVariable(session.get(), {1, 2}), b = makeVariable(session.get(), {3, 4}),
           c = makeVariable(home.get(), {5, 6});
  Floats x({2}, {10, 20}), y({2}, {30, 40}), z({2}, {50, 60});
  keratin_variable_t *variables[] = {c.get(), a.get(), b.get()};
  const keratin_tensor_t values[] = {x.view(), y.view(), z.view()};
  keratin_status_t status;
  auto write = [&] {
    far.log.clear();
    return keratin_variables_write(variables, values, 3, &status);
  };
  far.failAt = 1;
  CHECK(write() == KERATIN_INTERNAL);
  CHECK(std::string(status.message) == "the device is lost");
  far.failAt = -1;
  far.hasMemory = false;
  CHECK(write() == KERATIN_RESOURCE_EXHAUSTED);
  CHECK(std::string(status.message) ==
        "variable: no memory for 8 bytes of a new value on device 'far'");
  far.hasMemory = true;
  CHECK(readVariable(a.get()) == std::vector<float>{1, 2});
  CHECK(readVariable(b.get()) == std::vector<float>{3, 4});
  CHECK(readVariable(c.get()) == std::vector<float>{5, 6});
  CHECK(write() == KERATIN_OK);
  CHECK(far.log == "ii");
  CHECK(readVariable(c.get()) == std::vector<float>{10, 20});
  CHECK(readVariable(a.get()) == std::vector<float>{30, 40});
  CHECK(readVariable(b.get()) == std::vector<float>{50, 60});
  CHECK(keratin_variables_write(nullptr, nullptr, 0, &status) == KERATIN_OK);
  CHECK(keratin_variables_write(variables, nullptr, 3, &status) == KERATIN_INVALID_ARGUMENT);
}

TEST_CASE("several variables are read, of any sessions") {
  Session session = farSession(), home = makeSession();
  Variable a = makeVariable(session.get(), {1, 2}), b = makeVariable(session.get(), {3, 4}),
           c = makeVariable(home.get(), {5, 6}), none = makeVariable(home.get(), {});
  std::vector<float> x(2), y(2), z(2);
  keratin_variable_t *variables[] = {a.get(), c.get(), none.get(), b.get()};
  void *data[] = {x.data(), y.data(), nullptr, z.data()};
  size_t bytes[] = {8, 8, 0, 8};
  keratin_status_t status;
  CHECK(keratin_variables_read(variables, data, bytes, 4, &status) == KERATIN_OK);
  CHECK(x == std::vector<float>{1, 2});
  CHECK(y == std::vector<float>{5, 6});
  CHECK(z == std::vector<float>{3, 4});
  far.log.clear();
  far.failAt = 1;
  CHECK(keratin_variables_read(variables, data, bytes, 4, &status) == KERATIN_INTERNAL);
  CHECK(std::string(status.message) == "the device is lost");
  far.failAt = -1;
  bytes[3] = 4;
  CHECK(keratin_variables_read(variables, data, bytes, 4, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the buffer to read into has 4 bytes; the value has 8");
  CHECK(keratin_variables_read(nullptr, nullptr, nullptr, 0, &status) == KERATIN_OK);
  CHECK(keratin_variables_read(variables, nullptr, bytes, 4, &status) == KERATIN_INVALID_ARGUMENT);
}

TEST_CASE("what is written while several variables are read is seen in none of them") {
  Session session = farSession();
  Variable a = makeVariable(session.get(), {1, 2}), b = makeVariable(session.get(), {3, 4});
  keratin_variable_t *variables[] = {a.get(), b.get()};
  Floats x({2}, {10, 20}), y({2}, {30, 40});
  std::atomic<bool> isWritten = false;
  std::thread writer;
  far.onCopyOut = [&] {
    const int before = far.copiesIn;
    writer = std::thread([&] {
      const keratin_tensor_t values[] = {x.view(), y.view()};
      keratin_variables_write(variables, values, 2, nullptr);
      isWritten = true;
    });
    while (far.copiesIn < before + 2)
      std::this_thread::yield();
    // All that it still waits for is that reading ends; without that it would write at once.
    for (int i = 0; i < 100 && !isWritten; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  std::vector<float> first(2), second(2);
  void *data[] = {first.data(), second.data()};
  const size_t bytes[] = {8, 8};
  const auto code = keratin_variables_read(variables, data, bytes, 2, nullptr);
  writer.join(); // in which the device checks, too
  CHECK(code == KERATIN_OK);
  CHECK(first == std::vector<float>{1, 2});
  CHECK(second == std::vector<float>{3, 4});
  CHECK(readVariable(a.get()) == std::vector<float>{10, 20});
  CHECK(readVariable(b.get()) == std::vector<float>{30, 40});
}

TEST_CASE("code for a device runs on those that are named after it") {
  farDevice();
  static keratin_device_t second = farTable;
  second.name = "far:1";
  if (!keratin_device_find("far:1"))
    REQUIRE(keratin_device_register(&second, nullptr) == KERATIN_OK);
  FunctionBuilder builder = addBuilder();
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  REQUIRE(keratin_executable_create_on(builder.build(), keratin_device_find("far:1"), &executable,
                                       &status) == KERATIN_OK);
  CHECK(std::string(keratin_executable_device(executable)->name) == "far:1");
  keratin_executable_destroy(executable);
  CHECK(keratin_executable_create_on(builder.build(), keratin_cpu_device(), &executable, &status) ==
        KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "function 'f' was compiled for device 'far'; found device 'cpu'");
}

TEST_CASE("devices are numbered, and one name is taken once, whoever comes first") {
  CHECK(keratin_device_at(0) == keratin_cpu_device());
  CHECK(keratin_device_at(-1) == nullptr);
  CHECK(keratin_device_at(1000) == nullptr);
  static keratin_device_t same[8];
  std::vector<std::thread> threads;
  std::atomic<int> registered{0};
  for (keratin_device_t &device : same) {
    device = farTable;
    device.name = "contested";
    threads.emplace_back(
        [&] { registered += keratin_device_register(&device, nullptr) == KERATIN_OK; });
  }
  for (std::thread &thread : threads)
    thread.join();
  CHECK(registered == 1);
  int found = 0;
  for (int32_t i = 0; const keratin_device_t *device = keratin_device_at(i); ++i)
    found += std::string(device->name) == "contested";
  CHECK(found == 1);
}

TEST_CASE("a device that the process does not have is named with those that it has") {
  farDevice();
  keratin_device_code_t code = farCode;
  FunctionBuilder builder = addBuilder();
  builder.descriptor.device_code = &code;
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  code.device = "gone";
  CHECK(keratin_executable_create(builder.build(), &executable, &status) ==
        KERATIN_FAILED_PRECONDITION);
  CHECK(
      std::string(status.message)
          .find("function 'f' needs device 'gone', which is not known; known devices: cpu, far") ==
      0);
  code.device = "cpu";
  CHECK(keratin_executable_create(builder.build(), &executable, &status) ==
        KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "function 'f' has code for device 'cpu', which runs none");
}

TEST_CASE("the state of a model lies on its device, and a device that fails leaves it as it was") {
  farDevice();
  FunctionBuilder builder = addBuilder();
  const int64_t dims[] = {4};
  const float w[] = {1, 2, 3, 4};
  const int32_t used[] = {0};
  keratin_object_variable_t variable = {
      {"w", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, w, nullptr, {}};
  keratin_object_function_t function = {builder.build(), used, nullptr, {}};
  keratin_object_variant_t variant = {"any", {0, 0}, &function, {}};
  keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                  KERATIN_OBJECT_ABI_VERSION,
                                  "model",
                                  "a test",
                                  1,
                                  1,
                                  1,
                                  0,
                                  &variable,
                                  &variant,
                                  "far",
                                  nullptr,
                                  {}};
  State state = makeState(object);
  Floats x({4}, {10, 20, 30, 40}), y(std::vector<int64_t>{4});
  keratin_status_t status;
  auto step = [&] {
    keratin_tensor_t in = x.view(), out = y.view();
    return keratin_state_invoke(state.get(), 0, &in, 1, &out, 1, nullptr, 0, &status);
  };
  auto value = [&] {
    std::vector<float> values(4);
    CHECK(keratin_state_read(state.get(), 0, values.data(), 16, &status) == KERATIN_OK);
    return values;
  };
  REQUIRE(step() == KERATIN_OK);
  CHECK(value() == std::vector<float>{12, 24, 36, 48});
  keratin::tests::TemporaryFile file;
  REQUIRE(keratin_state_save(state.get(), file.path.c_str(), &status) == KERATIN_OK);
  REQUIRE(step() == KERATIN_OK);
  const std::vector<float> later = value();
  auto fails = [&](auto &&act) {
    far.log.clear();
    far.failAt = 0;
    CHECK(act() == KERATIN_INTERNAL);
    CHECK(std::string(status.message) == "the device is lost");
    far.failAt = -1;
    CHECK(value() == later);
  };
  keratin_state_t *copy = nullptr;
  fails([&] { return keratin_state_load(state.get(), file.path.c_str(), &status); });
  fails([&] { return keratin_state_save(state.get(), file.path.c_str(), &status); });
  fails([&] { return keratin_state_copy(state.get(), &copy, &status); });
  far.hasMemory = false;
  CHECK(keratin_state_load(state.get(), file.path.c_str(), &status) == KERATIN_RESOURCE_EXHAUSTED);
  far.hasMemory = true;
  CHECK(value() == later);
  REQUIRE(keratin_state_load(state.get(), file.path.c_str(), &status) == KERATIN_OK);
  CHECK(value() == std::vector<float>{12, 24, 36, 48});
  REQUIRE(keratin_state_copy(state.get(), &copy, &status) == KERATIN_OK);
  REQUIRE(step() == KERATIN_OK);
  std::vector<float> copied(4);
  CHECK(keratin_state_read(copy, 0, copied.data(), 16, &status) == KERATIN_OK);
  CHECK(copied == std::vector<float>{12, 24, 36, 48});
  keratin_state_destroy(copy);
  CHECK(keratin_state_create_on(&object, "cpu", &copy, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "model 'model' was compiled for device 'far'; found device 'cpu'");
  CHECK(keratin_state_create_on(&object, "gone", &copy, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message)
            .find("model 'model' needs device 'gone', which is not known; known devices: cpu") ==
        0);
}
