#include "tests/runtime/FunctionBuilder.h"

#include <atomic>
#include <thread>

using namespace keratin::testing;

namespace {

constexpr int64_t length = 5;

// Variables a, b; input x (length). New a = b + x, new b = a + x: each from the other's old value.
// Fails at site 0 where x[0] is negative. Buffers: x, a, b, old sum (output), spares.
struct Swap {
  template <bool BInPlace>
  static void entry(keratin_context_t *context, void *const *buffers, const int64_t *) {
    auto *x = static_cast<const float *>(buffers[0]);
    auto *a = static_cast<float *>(buffers[1]);
    auto *b = static_cast<float *>(buffers[2]);
    auto *sum = static_cast<float *>(buffers[3]);
    auto *newA = static_cast<float *>(buffers[4]);
    auto *newB = BInPlace ? b : static_cast<float *>(buffers[5]);
    for (int64_t i = 0; i < length; ++i) {
      sum[i] = a[i] + b[i];
      newA[i] = b[i] + x[i];
    }
    if (x[0] < 0)
      context->functions->fail(context, 0);
    if (context->failed_site)
      return;
    for (int64_t i = 0; i < length; ++i)
      newB[i] = a[i] + x[i];
  }

  explicit Swap(bool bInPlace) : builder("swap", bInPlace ? entry<true> : entry<false>) {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {length})
        .variable("a", KERATIN_DTYPE_FLOAT32, {length})
        .variable("b", KERATIN_DTYPE_FLOAT32, {length})
        .output("sum", KERATIN_DTYPE_FLOAT32, {length})
        .update(0, false)
        .update(1, bInPlace)
        .site(KERATIN_OUT_OF_RANGE, "x is negative");
    executable = makeExecutable(builder);
  }

  keratin_status_t call(keratin_variable_t *a, keratin_variable_t *b, float x) {
    keratin_variable_t *variables[] = {a, b};
    Floats input({length}, std::vector<float>(length, x));
    sum.values.assign(length, 0);
    keratin_tensor_t in = input.view(), out = sum.view();
    keratin_status_t status;
    keratin_invoke(executable.get(), variables, 2, &in, 1, &out, 1, &status);
    return status;
  }

  FunctionBuilder builder;
  Executable executable;
  Floats sum{{length}};
};

std::vector<float> all(float value) { return std::vector<float>(length, value); }

} // namespace

TEST_CASE("updates read old values and are committed together") {
  bool inPlace = GENERATE(false, true);
  Swap swap(inPlace);
  Session session = makeSession();
  Variable a = makeVariable(session.get(), all(1)), b = makeVariable(session.get(), all(10));
  float expectedA = 1, expectedB = 10;
  for (float x : {0.5f, 2.0f, -1.0f, 3.0f, -2.0f, 4.0f}) {
    keratin_status_t status = swap.call(a.get(), b.get(), x);
    CHECK(swap.sum.values == all(expectedA + expectedB));
    if (x < 0) {
      CHECK(status.code == KERATIN_OUT_OF_RANGE);
      CHECK(std::string(status.message) == "x is negative");
    } else {
      CHECK(status.code == KERATIN_OK);
      std::swap(expectedA, expectedB);
      expectedA += x;
      expectedB += x;
    }
    CHECK(readVariable(a.get()) == all(expectedA));
    CHECK(readVariable(b.get()) == all(expectedB));
  }
}

TEST_CASE("variables that do not fit are named") {
  Swap swap(false);
  Session session = makeSession(), other = makeSession();
  Variable a = makeVariable(session.get(), all(1)), b = makeVariable(session.get(), all(2));
  Variable stranger = makeVariable(other.get(), all(2));
  Variable small = makeVariable(session.get(), {1, 2});
  auto message = [](const keratin_status_t &status) {
    CHECK(status.code == KERATIN_INVALID_ARGUMENT);
    return std::string(status.message);
  };
  CHECK(message(swap.call(a.get(), stranger.get(), 1)) ==
        "function 'swap': variable 'b' belongs to another session than the first variable");
  CHECK(message(swap.call(a.get(), nullptr, 1)) == "function 'swap': variable 'b' is missing");
  CHECK(message(swap.call(a.get(), a.get(), 1)) == "function 'swap': variable 'b' is given twice");
  CHECK(message(swap.call(a.get(), small.get(), 1)) ==
        "function 'swap': variable 'b' has dtype float32 and shape (2,); dtype float32 and shape "
        "(5,) are needed");
  keratin_status_t status;
  Floats x({length}), y({length});
  keratin_tensor_t in = x.view(), out = y.view();
  keratin_invoke(swap.executable.get(), nullptr, 0, &in, 1, &out, 1, &status);
  CHECK(message(status) == "function 'swap' uses 2 variables; none are given");
  keratin_variable_t *one[] = {a.get()};
  keratin_invoke(swap.executable.get(), one, 1, &in, 1, &out, 1, &status);
  CHECK(message(status) == "function 'swap' uses 2 variables; 1 are given");
  CHECK(readVariable(a.get()) == all(1));
  CHECK(swap.call(a.get(), b.get(), 1).code == KERATIN_OK);
}

TEST_CASE("a query without variables does not excuse the next call from checking them") {
  // The variable has as many elements as the input.
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .variable("v", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .symbol("n", 0, 0);
  Executable executable = makeExecutable(builder);
  Session session = makeSession();
  Variable v = makeVariable(session.get(), all(1));
  keratin_variable_t *variables[] = {v.get()};
  Floats five({5}), three({3});
  keratin_tensor_t in = five.view();
  keratin_status_t status;
  CHECK(keratin_invoke(executable.get(), variables, 1, &in, 1, nullptr, 0, &status) == KERATIN_OK);
  in = three.view();
  int64_t bytes = -1;
  CHECK(keratin_executable_workspace_bytes(executable.get(), nullptr, 0, &in, 1, &bytes, &status) ==
        KERATIN_OK);
  CHECK(bytes > 0);
  CHECK(keratin_invoke(executable.get(), variables, 1, &in, 1, nullptr, 0, &status) ==
        KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "function 'f': variable 'v' has dtype float32 and shape "
                                       "(5,); dtype float32 and shape (n,) are needed");
}

TEST_CASE("sizes are read out of variables") {
  auto fill = [](keratin_context_t *, void *const *buffers, const int64_t *sizes) {
    for (int64_t i = 0; i < sizes[0]; ++i)
      static_cast<float *>(buffers[1])[i] = 1;
  };
  FunctionBuilder builder("ones", fill);
  builder.variable("n", KERATIN_DTYPE_INT64, {})
      .symbol("n", 0, 0, KERATIN_SYMBOL_VARIABLE_VALUE)
      .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)});
  Executable executable = makeExecutable(builder);
  Session session = makeSession();
  int64_t value = 2;
  keratin_variable_t *raw = nullptr;
  REQUIRE(keratin_variable_create(session.get(), KERATIN_DTYPE_INT64, 0, nullptr, &value, &raw,
                                  nullptr) == KERATIN_OK);
  Variable n(raw);
  keratin_status_t status;
  for (int64_t count : {2, 4, 0}) {
    keratin_tensor_t view = {&count, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr};
    REQUIRE(keratin_variable_write(raw, &view, &status) == KERATIN_OK);
    Floats y({count});
    keratin_tensor_t out = y.view();
    keratin_invoke(executable.get(), &raw, 1, nullptr, 0, &out, 1, &status);
    CHECK(std::string(status.message) == "");
    CHECK(y.values == std::vector<float>(size_t(count), 1));
  }
  int64_t dims[1];
  keratin_executable_output_dims(executable.get(), nullptr, 0, nullptr, 0, 0, dims, &status);
  CHECK(std::string(status.message) ==
        "function 'ones': size 'n' is element 0 of variable 'n', which has no data here");
}

TEST_CASE("variables are read, written and counted") {
  Session session = makeSession();
  int64_t dims[] = {2, 3};
  keratin_variable_t *raw = nullptr;
  keratin_status_t status;
  REQUIRE(keratin_variable_create(session.get(), KERATIN_DTYPE_FLOAT32, 2, dims, nullptr, &raw,
                                  &status) == KERATIN_OK);
  Variable variable(raw);
  CHECK(keratin_variable_dtype(raw) == KERATIN_DTYPE_FLOAT32);
  CHECK(keratin_variable_rank(raw) == 2);
  CHECK(keratin_variable_dims(raw)[1] == 3);
  CHECK(readVariable(raw) == std::vector<float>(6, 0));
  Floats columns({2, 3}, {0, 3, 1, 4, 2, 5});
  int64_t strides[] = {1, 2};
  keratin_tensor_t view = columns.view();
  view.strides = strides;
  CHECK(keratin_variable_write(raw, &view, &status) == KERATIN_OK);
  CHECK(readVariable(raw) == std::vector<float>{0, 1, 2, 3, 4, 5});

  view.dtype = KERATIN_DTYPE_INT32;
  CHECK(keratin_variable_write(raw, &view, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the new value has dtype int32; the variable has float32");
  Floats wrong({3, 2});
  view = wrong.view();
  CHECK(keratin_variable_write(raw, &view, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the new value has shape (3, 2); the variable has (2, 3)");
  float few[2];
  CHECK(keratin_variable_read(raw, few, sizeof(few), &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "variable: the buffer to read into has 8 bytes; the value has 24");

  keratin_variable_retain(raw);
  variable.reset();
  session.reset(); // the variable keeps what it needs of its session
  CHECK(readVariable(raw) == std::vector<float>{0, 1, 2, 3, 4, 5});
  keratin_variable_release(raw);
}

TEST_CASE("variables that cannot be are refused") {
  Session session = makeSession();
  keratin_variable_t *raw = nullptr;
  keratin_status_t status;
  auto create = [&](int32_t dtype, std::vector<int64_t> dims) {
    keratin_variable_create(session.get(), dtype, int32_t(dims.size()), dims.data(), nullptr, &raw,
                            &status);
    return std::string(status.message);
  };
  CHECK(create(0, {2}) == "variable: 0 is no dtype");
  CHECK(create(KERATIN_DTYPE_INT8, std::vector<int64_t>(33, 1)) ==
        "variable: rank 33 is not between 0 and 32");
  CHECK(create(KERATIN_DTYPE_INT8, {2, -1}) ==
        "variable: shape (2, -1) has a negative size, or more bytes than 64 bits count");
  CHECK(create(KERATIN_DTYPE_INT64, {int64_t(1) << 60, 8}) ==
        "variable: shape (1152921504606846976, 8) has a negative size, or more bytes than 64 bits "
        "count");
  CHECK(create(KERATIN_DTYPE_INT8, {int64_t(1) << 62}) ==
        "variable: no memory for 4611686018427387904 bytes of int8 (4611686018427387904,)");
}

TEST_CASE("updates of eight threads are serialised, reads see whole states") {
  // Adds 1 to both variables; a reader checks that all elements of both agree.
  constexpr int64_t size = 64;
  auto increment = [](keratin_context_t *, void *const *buffers, const int64_t *) {
    auto *a = static_cast<float *>(buffers[0]);
    auto *b = static_cast<float *>(buffers[1]);
    auto *newB = static_cast<float *>(buffers[2]);
    for (int64_t i = 0; i < size; ++i) {
      newB[i] = b[i] + 1;
      a[i] = a[i] + 1;
    }
  };
  auto compare = [](keratin_context_t *, void *const *buffers, const int64_t *) {
    auto *a = static_cast<const float *>(buffers[0]);
    auto *b = static_cast<const float *>(buffers[1]);
    auto *torn = static_cast<float *>(buffers[2]);
    *torn = 0;
    for (int64_t i = 0; i < size; ++i)
      *torn += a[i] != a[0] || b[i] != a[0];
  };
  FunctionBuilder writer("increment", increment), reader("compare", compare);
  for (FunctionBuilder *builder : {&writer, &reader})
    builder->variable("a", KERATIN_DTYPE_FLOAT32, {size})
        .variable("b", KERATIN_DTYPE_FLOAT32, {size});
  writer.update(0, true).update(1, false);
  reader.output("torn", KERATIN_DTYPE_FLOAT32, {});
  Executable write = makeExecutable(writer), read = makeExecutable(reader);
  Session session = makeSession();
  Variable a = makeVariable(session.get(), std::vector<float>(size)),
           b = makeVariable(session.get(), std::vector<float>(size));
  keratin_variable_t *variables[] = {a.get(), b.get()};
  constexpr int threads = 8, calls = 300;
  std::vector<int> failures(threads);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      for (int i = 0; i < calls; ++i) {
        float torn = 1;
        keratin_tensor_t out = {&torn, KERATIN_DTYPE_FLOAT32, 0, nullptr, nullptr, nullptr};
        failures[t] += keratin_invoke(write.get(), variables, 2, nullptr, 0, nullptr, 0, nullptr);
        failures[t] += keratin_invoke(read.get(), variables, 2, nullptr, 0, &out, 1, nullptr);
        failures[t] += torn != 0;
      }
    });
  for (std::thread &thread : team)
    thread.join();
  CHECK(failures == std::vector<int>(threads, 0));
  CHECK(readVariable(a.get()) == std::vector<float>(size, threads * calls));
  CHECK(readVariable(b.get()) == std::vector<float>(size, threads * calls));
}

TEST_CASE("no call comes between several variables that are read or written") {
  Swap swap(/*bInPlace=*/true); // variables that are equal stay so
  Session session = makeSession();
  Variable a = makeVariable(session.get(), all(1)), b = makeVariable(session.get(), all(1));
  keratin_variable_t *variables[] = {a.get(), b.get()};
  std::atomic<int> torn{0}, failed{0};
  std::thread writes([&] {
    Floats value({length}, all(7));
    const keratin_tensor_t values[] = {value.view(), value.view()};
    for (int round = 0; round < 5000; ++round)
      failed += keratin_variables_write(variables, values, 2, nullptr) != KERATIN_OK;
  });
  std::thread reads([&] {
    std::vector<float> x(length), y(length);
    void *data[] = {x.data(), y.data()};
    const size_t bytes[] = {length * sizeof(float), length * sizeof(float)};
    for (int round = 0; round < 5000; ++round) {
      failed += keratin_variables_read(variables, data, bytes, 2, nullptr) != KERATIN_OK;
      torn += x != y || x != all(x[0]);
    }
  });
  for (int round = 0; round < 5000; ++round)
    failed += swap.call(a.get(), b.get(), 1).code != KERATIN_OK;
  writes.join();
  reads.join();
  CHECK(failed == 0);
  CHECK(torn == 0);
  CHECK(readVariable(a.get()) == readVariable(b.get()));
}
