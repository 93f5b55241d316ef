// A device that is full, one that is lost, and one that two processes use at once.
#include "tests/execution/device/DeviceOptions.h"
#include "tests/execution/device/DeviceProgram.h"

#include "keratin/backend.h"
#include "keratin/error.h"
#include "runtime/cuda/Driver.h"

#include <keratin/cuda.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace keratin;
using namespace keratin::tests;
namespace K = keratin::backend;

namespace {

// What a call throws; "" if it throws nothing.
template <typename Call> std::string messageOf(Call &&call) {
  try {
    call();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

// A variable that counts what was done.
struct Counter {
  Counter() : count(K::variable(Array::zeros(DType::Float32, {64, 64}))) {
    step = K::function({}, {K::sum(count)}, {K::update_add(count, 1.0)}, onDevice("step"));
  }
  // The number of steps before this one.
  int64_t next() { return int64_t(step(std::vector<Array>{})[0].item<double>()) / 4096; }
  K::Tensor count;
  K::Function step;
};

// A network with dropout, trained so many steps: the bits of its weights.
uint64_t train(int64_t steps) {
  K::Tensor x = K::placeholder({32, 64}), labels = K::placeholder({32, 10});
  auto weights = [](int64_t rows, int64_t columns) {
    Array values = Array::empty(DType::Float32, {rows, columns});
    for (int64_t i = 0; i < values.size(); ++i)
      values.data<float>()[i] = float((i * 37 + rows) % 23 - 11) / 64;
    return K::variable(values);
  };
  K::Tensor w = weights(64, 48), v = weights(48, 10);
  K::Tensor hidden = K::dropout(K::relu(K::dot(x, w)), 0.1, K::None, 5);
  K::Tensor loss = K::mean(K::categorical_crossentropy(labels, K::softmax(K::dot(hidden, v))));
  std::vector<Gradient> gradients = K::gradients(loss, {w, v});
  K::Function step = K::function(
      {x, labels}, {loss},
      {K::update_sub(w, gradients[0].value() * 0.1), K::update_sub(v, gradients[1].value() * 0.1)},
      onDevice("train"));
  Array images = Array::zeros(DType::Float32, {32, 64}),
        digits = Array::zeros(DType::Float32, {32, 10});
  for (int64_t at = 0; at < steps; ++at) {
    for (int64_t i = 0; i < images.size(); ++i)
      images.data<float>()[i] = float((i * 11 + at * 7) % 17) / 16;
    std::memset(digits.rawData(), 0, digits.bytes());
    for (int64_t row = 0; row < 32; ++row)
      digits.data<float>()[row * 10 + (row + at) % 10] = 1;
    step({images, digits});
  }
  uint64_t hash = 14695981039346656037u;
  for (const K::Tensor &variable : {w, v}) {
    Array values = K::get_value(variable);
    for (size_t i = 0; i < values.bytes(); ++i)
      hash = (hash ^ static_cast<const unsigned char *>(values.rawData())[i]) * 1099511628211u;
  }
  return hash;
}

// A kernel that does what a device forbids.
constexpr const char *badKernels = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry traps(.param .u64 address)
{
  trap;
}
.visible .entry writes(.param .u64 address)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [address];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, 7;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// In the context that the runtime uses too.
void launchBad(const char *kernel) {
  const cuda::Driver *driver = nullptr;
  keratin_status_t status;
  REQUIRE(cuda::findDriver(&driver, &status) == KERATIN_OK);
  cuda::CUcontext context = nullptr;
  REQUIRE(driver->cuDevicePrimaryCtxRetain(&context, 0) == cuda::CUDA_SUCCESS);
  REQUIRE(driver->cuCtxSetCurrent(context) == cuda::CUDA_SUCCESS);
  cuda::CUmodule module = nullptr;
  REQUIRE(driver->cuModuleLoadDataEx(&module, badKernels, 0, nullptr, nullptr) ==
          cuda::CUDA_SUCCESS);
  cuda::CUfunction function = nullptr;
  REQUIRE(driver->cuModuleGetFunction(&function, module, kernel) == cuda::CUDA_SUCCESS);
  uint64_t address = uint64_t(1) << 46;
  void *parameters[] = {&address};
  REQUIRE(driver->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) ==
          cuda::CUDA_SUCCESS);
  CHECK(driver->cuCtxSynchronize() != cuda::CUDA_SUCCESS);
}

void loseDevice(const char *kernel) {
  Watchdog watchdog("the process that loses its device");
  Counter counter;
  CHECK(counter.next() == 0);
  CHECK(counter.next() == 1);
  launchBad(kernel);
  std::string message;
  for (int call = 0; call < 3 && message.empty(); ++call)
    message = messageOf([&] { counter.next(); });
  say("message: " + message);
  CHECK(message.find("is lost, and with it all that lay on it") != std::string::npos);
  // Everybody hears the same, and nobody waits.
  CHECK(messageOf([&] { K::get_value(counter.count); }).find("is lost") != std::string::npos);
  CHECK(messageOf([&] {
          Counter another;
          another.next();
        }).find("is lost") != std::string::npos);
  K::Tensor x = K::placeholder({4});
  CHECK(K::function({x}, {x * 2.0})({Array{1.0, 2.0, 3.0, 4.0}})[0].item<double>(3) == 8);
  say("done.");
}

} // namespace

//===-- No memory -----------------------------------------------------------------------------===//

TEST_CASE("a call that the device has no room for says so, and the next one works",
          "[device][memory]") {
  Watchdog watchdog("no room");
  Counter counter;
  CHECK(counter.next() == 0);
  // Twice the device's memory, of a result and of what lies between.
  const auto n = int64_t(std::sqrt(double(deviceMemory()) / 2)) + 1;
  K::Tensor x = K::placeholder({K::None, 1});
  K::Tensor square = K::dot(x, K::transpose(x));
  K::Function wide = K::function({x}, {square}, {}, onDevice("too_wide", /*keep=*/true));
  K::Function between = K::function({x}, {K::sum(K::cumsum(square, 0) * K::cumsum(square, 1))}, {},
                                    onDevice("too_much_between"));
  Array small = Array::zeros(DType::Float32, {3, 1}), large = Array::zeros(DType::Float32, {n, 1});
  for (int again = 0; again < 3; ++again) {
    std::string message = messageOf([&] { wide({large}); });
    INFO(message);
    CHECK(message.find("too_wide: no memory on device 'cuda' for an output of shape (") == 0);
    message = messageOf([&] { between({large}); });
    INFO(message);
    CHECK(message.find("function 'too_much_between': no memory for an arena of ") !=
          std::string::npos);
    if (again == 0)
      say("message: " + message);
    CHECK(wide({small})[0].toHost().shape() == std::vector<int64_t>{3, 3});
    CHECK(between({small})[0].item<double>() == 0);
    CHECK(counter.next() == again + 1);
  }
}

TEST_CASE("a device that is full keeps what it has, and works when there is room again",
          "[device][memory]") {
  Watchdog watchdog("a full device");
  keratin_cuda_trim();
  Counter counter;
  CHECK(counter.next() == 0);
  const int64_t piece = int64_t(deviceMemory() / 16 / sizeof(float));
  K::Tensor x = K::placeholder({1});
  K::Function fill = K::function({x}, {K::tile(x, piece)}, {}, onDevice("fill", /*keep=*/true));
  K::Tensor filled = K::placeholder({K::None});
  K::Function look = K::function({filled}, {K::min(filled), K::max(filled)}, {}, onDevice("look"));
  look({Array{1.0}});
  for (int again = 0; again < 2; ++again) {
    std::vector<Array> kept;
    std::string message;
    while (message.empty() && kept.size() < 32)
      message = messageOf([&] {
        Array value = {double(kept.size())};
        std::vector<Array> made;
        fill.call(&value, 1, made);
        kept.push_back(std::move(made[0]));
      });
    INFO(message);
    CHECK(message.find("fill: no memory on device 'cuda' for an output of shape (") == 0);
    CHECK(kept.size() >= 8);
    CHECK(kept.size() <= 16);
    if (again == 0)
      say(std::to_string(kept.size()) + " of 16 parts, then: " + message);
    CHECK(counter.next() == again + 1);
    // Nobody has written over them.
    for (size_t i = 0; i < kept.size(); ++i) {
      std::vector<Array> ends;
      look.call(&kept[i], 1, ends); // a list would be one of copies
      CHECK(ends[0].item<double>() == double(i));
      CHECK(ends[1].item<double>() == double(i));
    }
  }
  CHECK(counter.next() == 3);
}

//===-- A lost device -------------------------------------------------------------------------===//

TEST_CASE("loses its device by a trap", "[.loses-device-by-trap]") { loseDevice("traps"); }
TEST_CASE("loses its device by a write", "[.loses-device-by-write]") { loseDevice("writes"); }

TEST_CASE("a process that loses its device says so and ends, and others go on", "[device][lost]") {
  Watchdog watchdog("a lost device");
  Counter counter;
  CHECK(counter.next() == 0);
  for (const char *how : {"[.loses-device-by-trap]", "[.loses-device-by-write]"}) {
    OtherProcess other(how);
    std::string message = other.line("message: ");
    INFO(how << ": " << message);
    CHECK(message.find("is lost") != std::string::npos);
    CHECK(other.line("done") == ".");
    CHECK(other.end() == 0);
    say(std::string(how) + ": " + message);
  }
  CHECK(counter.next() == 1);
}

//===-- Two processes -------------------------------------------------------------------------===//

TEST_CASE("trains", "[.trains]") {
  Watchdog watchdog("training beside another process");
  say("hash: " + std::to_string(train(callsOf(30))));
}

TEST_CASE("two processes train at once, each as if it were alone", "[device][processes]") {
  Watchdog watchdog("two processes");
  const std::string alone = std::to_string(train(callsOf(30)));
  OtherProcess first("[.trains]"), second("[.trains]");
  CHECK(std::to_string(train(callsOf(30))) == alone);
  CHECK(first.line("hash: ") == alone);
  CHECK(second.line("hash: ") == alone);
  CHECK(first.end() == 0);
  CHECK(second.end() == 0);
}
