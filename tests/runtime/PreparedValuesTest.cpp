// What a function makes of variables that it does not update (keratin_prepared_t): when it is made.
#include "tests/runtime/FunctionBuilder.h"

#include <atomic>
#include <functional>
#include <thread>

using namespace keratin::testing;

namespace {

std::atomic<int> timesMade;

// Buffers are x, v, w, y, a constant, the arena, what is prepared: y = x + 2 v.
void addTwice(keratin_context_t *context, void *const *buffers, const int64_t *) {
  auto *prepared = static_cast<float *>(buffers[6]);
  if (context->prepares) {
    ++timesMade;
    prepared[0] = 2 * *static_cast<const float *>(buffers[1]);
  }
  *static_cast<float *>(buffers[3]) = *static_cast<const float *>(buffers[0]) + prepared[0];
}

const int64_t onlyFirst[] = {0};
const keratin_prepared_t ofFirst = {4, 1, onlyFirst, {}};

FunctionBuilder reader() {
  alignas(64) static const float constant[1] = {};
  FunctionBuilder builder("twice", addTwice);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {1})
      .variable("v", KERATIN_DTYPE_FLOAT32, {1})
      .variable("w", KERATIN_DTYPE_FLOAT32, {1})
      .output("y", KERATIN_DTYPE_FLOAT32, {1})
      .constant(constant, sizeof(constant));
  builder.descriptor.prepared = &ofFirst;
  return builder;
}

// Buffers are v and, where the update is not in place, its new value.
void increment(keratin_context_t *, void *const *buffers, const int64_t *) {
  *static_cast<float *>(buffers[1]) = *static_cast<const float *>(buffers[0]) + 1;
}
void incrementInPlace(keratin_context_t *, void *const *buffers, const int64_t *) {
  *static_cast<float *>(buffers[0]) += 1;
}

struct Call {
  Call(FunctionBuilder &builder, std::vector<keratin_variable_t *> variables)
      : executable(makeExecutable(builder)), variables(std::move(variables)) {}

  float operator()(float number) { return operator()(number, variables); }
  float operator()(float number, const std::vector<keratin_variable_t *> &others) {
    Floats x({1}, {number}), y({1});
    keratin_tensor_t in = x.view(), out = y.view();
    keratin_status_t status;
    keratin_invoke(executable.get(), others.data(), int32_t(others.size()), &in, 1, &out, 1,
                   &status);
    REQUIRE(std::string(status.message) == "");
    return y.values[0];
  }

  Executable executable;
  std::vector<keratin_variable_t *> variables;
};

void write(keratin_variable_t *variable, float number) {
  Floats value({1}, {number});
  keratin_tensor_t view = value.view();
  REQUIRE(keratin_variable_write(variable, &view, nullptr) == KERATIN_OK);
}

int madeBy(const std::function<void()> &work) {
  const int before = timesMade;
  work();
  return timesMade - before;
}

} // namespace

TEST_CASE("what is prepared is made again when a variable that it is made of has another value") {
  Session session = makeSession();
  Variable v = makeVariable(session.get(), {1}), w = makeVariable(session.get(), {1});
  FunctionBuilder builder = reader();
  Call call(builder, {v.get(), w.get()});
  CHECK(madeBy([&] {
          CHECK(call(10) == 12);
          CHECK(call(20) == 22);
        }) == 1);
  CHECK(madeBy([&] {
          write(w.get(), 5);
          CHECK(call(10) == 12);
        }) == 0);
  CHECK(madeBy([&] {
          write(v.get(), 3);
          CHECK(call(10) == 16);
          CHECK(call(20) == 26);
        }) == 1);
}

TEST_CASE("an update by another function counts, in place or not") {
  Session session = makeSession();
  Variable v = makeVariable(session.get(), {1}), w = makeVariable(session.get(), {1});
  FunctionBuilder builder = reader();
  Call call(builder, {v.get(), w.get()});
  CHECK(call(0) == 2);
  for (bool inPlace : {false, true}) {
    FunctionBuilder updater("up", inPlace ? incrementInPlace : increment);
    updater.variable("v", KERATIN_DTYPE_FLOAT32, {1}).update(0, inPlace);
    Executable update = makeExecutable(updater);
    keratin_variable_t *updated = v.get();
    REQUIRE(keratin_invoke(update.get(), &updated, 1, nullptr, 0, nullptr, 0, nullptr) ==
            KERATIN_OK);
    CHECK(madeBy([&] { CHECK(call(0) == (inPlace ? 6 : 4)); }) == 1);
  }
}

TEST_CASE("other variables have other values, of whichever session") {
  Session session = makeSession(), another = makeSession();
  Variable v = makeVariable(session.get(), {1}), w = makeVariable(session.get(), {2});
  Variable v2 = makeVariable(another.get(), {7}), w2 = makeVariable(another.get(), {2});
  FunctionBuilder builder = reader();
  Call call(builder, {v.get(), w.get()});
  CHECK(call(0) == 2);
  CHECK(call(0, {w.get(), v.get()}) == 4);
  CHECK(call(0, {v2.get(), w2.get()}) == 14);
  CHECK(call(0) == 2);
}

TEST_CASE("a call that is refused before it begins makes nothing") {
  Session session = makeSession();
  Variable v = makeVariable(session.get(), {1}), w = makeVariable(session.get(), {1});
  FunctionBuilder builder = reader();
  Call call(builder, {v.get(), w.get()});
  Floats x({1}, {1});
  keratin_tensor_t in = x.view(), none = {};
  CHECK(madeBy([&] {
          CHECK(keratin_invoke(call.executable.get(), call.variables.data(), 2, &in, 1, &none, 1,
                               nullptr) == KERATIN_INVALID_ARGUMENT);
        }) == 0);
  CHECK(madeBy([&] { CHECK(call(1) == 3); }) == 1);
}

TEST_CASE("threads find what was made of the values that they see") {
  Session session = makeSession();
  Variable v = makeVariable(session.get(), {0}), w = makeVariable(session.get(), {0});
  FunctionBuilder builder = reader();
  Call call(builder, {v.get(), w.get()});
  constexpr int writes = 200;
  std::atomic<int> written{0}, wrong{0};
  std::vector<std::thread> readers;
  const int made = madeBy([&] {
    for (int i = 0; i < 4; ++i)
      readers.emplace_back([&] {
        for (bool last = false; !last;) {
          const int before = written;
          last = before == writes;
          const float found = call(0);
          // No older than what was written before the call, no newer than what is written now.
          wrong += found < 2.f * float(before) || found > 2.f * float(written + 1);
        }
      });
    for (int i = 1; i <= writes; ++i) {
      write(v.get(), float(i));
      written = i;
    }
    for (std::thread &reader : readers)
      reader.join();
  });
  CHECK(wrong == 0);
  CHECK(made >= 1);
  CHECK(made <= writes + 1);
}

TEST_CASE("an executable is not made where there is no memory for what it prepares") {
  static const int64_t variables[] = {0};
  static const keratin_prepared_t prepared = {int64_t(1) << 60, 1, variables, {}};
  FunctionBuilder builder = reader();
  builder.descriptor.prepared = &prepared;
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  CHECK(keratin_executable_create(builder.build(), &executable, &status) ==
        KERATIN_RESOURCE_EXHAUSTED);
  CHECK(std::string(status.message) ==
        "function 'twice': no memory for prepared values of 1152921504606846976 bytes");
}
