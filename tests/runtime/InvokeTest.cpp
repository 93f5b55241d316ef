#include "tests/runtime/FunctionBuilder.h"

#include <cstring>
#include <limits>
#include <thread>

using namespace keratin::testing;

namespace {

// y[i, j] = x[i, j] + b[j] through the arena: float32 x (batch, width), b (width); all parallel
// over rows.
void addBiasRows(keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
  auto *x = reinterpret_cast<const float *>(argv[0]);
  auto *b = reinterpret_cast<const float *>(argv[1]);
  auto *scratch = reinterpret_cast<float *>(argv[2]);
  auto *y = reinterpret_cast<float *>(argv[3]);
  int64_t width = argv[4];
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < width; ++j) {
      scratch[i * width + j] = x[i * width + j] + b[j];
      y[i * width + j] = scratch[i * width + j];
    }
}

void addBiasEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  int64_t argv[] = {int64_t(buffers[0]), int64_t(buffers[1]), int64_t(buffers[3]),
                    int64_t(buffers[2]), sizes[1]};
  if (sizes[2] > 0)
    REQUIRE(uintptr_t(buffers[3]) % KERATIN_ALIGNMENT == 0);
  context->functions->parallel_for(context, addBiasRows, argv, sizes[0], 2);
}

// Slots: 0 batch, 1 width, 2 arena bytes.
FunctionBuilder addBias() {
  FunctionBuilder builder("add_bias", addBiasEntry);
  int64_t batch = FunctionBuilder::slot(0), width = FunctionBuilder::slot(1);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {batch, width}, "net.cc:12")
      .input("b", KERATIN_DTYPE_FLOAT32, {width})
      .output("y", KERATIN_DTYPE_FLOAT32, {batch, width})
      .symbol("batch", 0, 0)
      .symbol("width", 0, 1)
      .program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_SLOT, 1, KERATIN_SIZE_MUL, KERATIN_SIZE_CONST, 4,
                KERATIN_SIZE_MUL})
      .arena(2);
  return builder;
}

keratin_status_t call(const Executable &executable, std::vector<keratin_tensor_t> inputs,
                      std::vector<keratin_tensor_t> outputs) {
  keratin_status_t status;
  auto code = keratin_invoke(executable.get(), nullptr, 0, inputs.data(), int32_t(inputs.size()),
                             outputs.data(), int32_t(outputs.size()), &status);
  CHECK(code == status.code);
  return status;
}

void expect(const keratin_status_t &status, int32_t code, const std::string &message) {
  CHECK(std::string(keratin_status_code_name(status.code)) == keratin_status_code_name(code));
  CHECK(std::string(status.message) == message);
}

} // namespace

TEST_CASE("invoke computes, for sizes in any order") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  keratin_set_debug_fill(0xFF);
  for (int64_t batch : {3, 1, 0, 7, 7, 1000, 3, 2})
    for (int64_t width : {4, 0, 1, 9}) {
      Floats x({batch, width}), b({width}), y({batch, width});
      for (size_t i = 0; i < x.values.size(); ++i)
        x.values[i] = float(i);
      for (size_t j = 0; j < b.values.size(); ++j)
        b.values[j] = 0.25f * float(j);
      expect(call(executable, {x.view(), b.view()}, {y.view()}), KERATIN_OK, "");
      for (int64_t i = 0; i < batch; ++i)
        for (int64_t j = 0; j < width; ++j)
          REQUIRE(y.values[size_t(i * width + j)] ==
                  x.values[size_t(i * width + j)] + b.values[size_t(j)]);
    }
  keratin_set_debug_fill(-1);
}

TEST_CASE("inputs that do not fit the signature are named") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  Floats x({2, 3}), b({3}), y({2, 3});
  SECTION("count") {
    expect(call(executable, {x.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias' takes 2 inputs; 1 are given");
    expect(call(executable, {x.view(), b.view()}, {}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias' has 1 outputs; 0 buffers are given");
  }
  SECTION("rank") {
    Floats deep({2, 3, 1});
    expect(call(executable, {deep.view(), b.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': input 'x' (net.cc:12) is fed a value of rank 3; rank 2 is needed, "
           "shape (batch, width)");
  }
  SECTION("dtype") {
    keratin_tensor_t wrong = x.view();
    wrong.dtype = KERATIN_DTYPE_INT32;
    expect(call(executable, {wrong, b.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': input 'x' (net.cc:12) is fed a value of dtype int32; float32 is "
           "needed");
    wrong.dtype = 99;
    expect(call(executable, {wrong, b.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': input 'x' (net.cc:12) is fed a value of dtype invalid; float32 is "
           "needed");
  }
  SECTION("a symbol that does not fit") {
    Floats other({5});
    expect(call(executable, {x.view(), other.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': input 'b' is fed a value of shape (5,); axis 0 of shape (width,) "
           "must be 3 in this call");
  }
  SECTION("missing data") {
    keratin_tensor_t empty = x.view();
    empty.data = nullptr;
    expect(call(executable, {empty, b.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': input 'x' (net.cc:12) is fed no data");
  }
  SECTION("negative size") {
    Floats negative({0, 3});
    negative.dims = {-2, 3};
    expect(
        call(executable, {negative.view(), b.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
        "function 'add_bias': input 'x' (net.cc:12) is fed a value of shape (-2, 3), which has a "
        "negative size or more bytes than 64 bits count");
  }
  SECTION("too many bytes") {
    Floats huge({0});
    huge.dims = {int64_t(1) << 40, int64_t(1) << 40};
    expect(call(executable, {huge.view(), b.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': input 'x' (net.cc:12) is fed a value of shape (1099511627776, "
           "1099511627776), which has a negative size or more bytes than 64 bits count");
  }
  // Whatever went wrong, the executable still works.
  expect(call(executable, {x.view(), b.view()}, {y.view()}), KERATIN_OK, "");
}

TEST_CASE("static dims are checked before symbols") {
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0), 4}).symbol("", 0, 0);
  Executable executable = makeExecutable(builder);
  Floats x({3, 5});
  expect(call(executable, {x.view()}, {}), KERATIN_INVALID_ARGUMENT,
         "function 'f': input 'x' is fed a value of shape (3, 5); shape (None, 4) is needed");
}

TEST_CASE("checks on sizes report both numbers") {
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.input("a", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .input("b", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(1)})
      .symbol("m", 0, 0)
      .symbol("n", 1, 0);
  Floats three({3}), five({5}), one({1});
  SECTION("equal") {
    builder.check(KERATIN_CHECK_EQUAL, 0, 1, "add (net.cc:7)");
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view(), five.view()}, {}), KERATIN_FAILED_PRECONDITION,
           "add (net.cc:7): sizes 3 and 5 must be equal; input 'a' has 3 on axis 0, input 'b' has "
           "5 on axis 0");
    expect(call(executable, {three.view(), three.view()}, {}), KERATIN_OK, "");
  }
  SECTION("broadcast") {
    builder.check(KERATIN_CHECK_BROADCAST, 0, 1, "add (net.cc:7)");
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view(), five.view()}, {}), KERATIN_FAILED_PRECONDITION,
           "add (net.cc:7): size 3 must be 5 or 1; input 'a' has 3 on axis 0, input 'b' has 5 on "
           "axis 0");
    expect(call(executable, {one.view(), five.view()}, {}), KERATIN_OK, "");
  }
  SECTION("at least") {
    builder.check(KERATIN_CHECK_AT_LEAST, 0, 1, "slice (net.cc:7)");
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view(), five.view()}, {}), KERATIN_FAILED_PRECONDITION,
           "slice (net.cc:7): 3 must be at least 5; input 'a' has 3 on axis 0, input 'b' has 5 on "
           "axis 0");
    expect(call(executable, {five.view(), three.view()}, {}), KERATIN_OK, "");
  }
  SECTION("a check speaks before the program that fails for the same reason") {
    builder.program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_SLOT, 1, KERATIN_SIZE_BROADCAST})
        .check(KERATIN_CHECK_EQUAL, 0, 1, "add (net.cc:7)");
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view(), five.view()}, {}), KERATIN_FAILED_PRECONDITION,
           "add (net.cc:7): sizes 3 and 5 must be equal; input 'a' has 3 on axis 0, input 'b' has "
           "5 on axis 0");
  }
}

TEST_CASE("programs that cannot be evaluated fail the call") {
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *, const int64_t *) {});
  builder.input("a", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)}).symbol("n", 0, 0);
  Floats three({3}), none({0});
  SECTION("overflow") {
    builder.program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, INT64_MAX / 2, KERATIN_SIZE_MUL});
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view()}, {}), KERATIN_INVALID_ARGUMENT,
           "function 'f': the sizes of this call do not fit in 64 bits (3 * 4611686018427387903)");
    expect(call(executable, {none.view()}, {}), KERATIN_OK, "");
  }
  SECTION("division by zero") {
    builder.program({KERATIN_SIZE_CONST, 6, KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_FLOORDIV});
    Executable executable = makeExecutable(builder);
    expect(call(executable, {none.view()}, {}), KERATIN_INVALID_ARGUMENT,
           "function 'f': a size divides 6 by 0");
  }
  SECTION("broadcast") {
    builder.program({KERATIN_SIZE_CONST, 6, KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_BROADCAST});
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view()}, {}), KERATIN_FAILED_PRECONDITION,
           "function 'f': sizes 6 and 3 cannot be broadcast; they must be equal, or one of them 1");
  }
  SECTION("an output with a negative size") {
    builder.program({KERATIN_SIZE_CONST, 1, KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_SUB})
        .output("y", KERATIN_DTYPE_FLOAT32, {2, FunctionBuilder::slot(1)});
    Executable executable = makeExecutable(builder);
    Floats y({2, 0});
    expect(call(executable, {three.view()}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'f': output 'y' would have shape (2, -2), which has a negative size or more "
           "bytes than 64 bits count");
  }
  SECTION("a negative arena") {
    builder.program({KERATIN_SIZE_CONST, 1, KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_SUB}).arena(1);
    Executable executable = makeExecutable(builder);
    expect(call(executable, {three.view()}, {}), KERATIN_INTERNAL,
           "function 'f': the arena would have -2 bytes");
  }
}

TEST_CASE("output buffers that do not fit are named") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  Floats x({2, 3}), b({3}), y({2, 3});
  SECTION("shape") {
    Floats wrong({3, 2});
    expect(
        call(executable, {x.view(), b.view()}, {wrong.view()}), KERATIN_INVALID_ARGUMENT,
        "function 'add_bias': the buffer of output 'y' has dtype float32 and shape (3, 2); dtype "
        "float32 and shape (2, 3) are needed");
  }
  SECTION("strides") {
    keratin_tensor_t transposed = y.view();
    int64_t strides[] = {1, 2};
    transposed.strides = strides;
    expect(call(executable, {x.view(), b.view()}, {transposed}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': the buffer of output 'y' is not row-major");
  }
  SECTION("alignment") {
    keratin_tensor_t odd = y.view();
    odd.data = static_cast<char *>(odd.data) + 1;
    expect(call(executable, {x.view(), b.view()}, {odd}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': the buffer of output 'y' is not aligned to its elements");
  }
  SECTION("no data") {
    keratin_tensor_t none = y.view();
    none.data = nullptr;
    expect(call(executable, {x.view(), b.view()}, {none}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': the buffer of output 'y' has no data");
  }
  SECTION("overlap") {
    expect(call(executable, {x.view(), b.view()}, {x.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'add_bias': the buffers of output 'y' and input 'x' (net.cc:12) overlap");
  }
}

TEST_CASE("strided and misaligned inputs are read as if row-major") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  Floats b({3}, {0, 0, 0}), y({2, 3});
  std::vector<int64_t> dims = {2, 3};
  SECTION("transposed") {
    std::vector<float> data = {0, 3, 1, 4, 2, 5};
    std::vector<int64_t> strides = {1, 2};
    keratin_tensor_t x = {data.data(), KERATIN_DTYPE_FLOAT32, 2,
                          dims.data(), strides.data(),        nullptr};
    expect(call(executable, {x, b.view()}, {y.view()}), KERATIN_OK, "");
  }
  SECTION("reversed rows") {
    std::vector<float> data = {3, 4, 5, 0, 1, 2};
    std::vector<int64_t> strides = {-3, 1};
    keratin_tensor_t x = {data.data() + 3, KERATIN_DTYPE_FLOAT32, 2,
                          dims.data(),     strides.data(),        nullptr};
    expect(call(executable, {x, b.view()}, {y.view()}), KERATIN_OK, "");
  }
  SECTION("misaligned") {
    std::vector<float> data = {0, 1, 2, 3, 4, 5};
    std::vector<char> bytes(6 * sizeof(float) + 1);
    std::memcpy(bytes.data() + 1, data.data(), 6 * sizeof(float));
    keratin_tensor_t x = {bytes.data() + 1, KERATIN_DTYPE_FLOAT32, 2, dims.data(), nullptr,
                          nullptr};
    expect(call(executable, {x, b.view()}, {y.view()}), KERATIN_OK, "");
  }
  SECTION("an output may overlap an input that is copied") {
    y.values = {0, 3, 1, 4, 2, 5};
    std::vector<int64_t> strides = {1, 2};
    keratin_tensor_t x = y.view();
    x.strides = strides.data();
    expect(call(executable, {x, b.view()}, {y.view()}), KERATIN_OK, "");
  }
  CHECK(y.values == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("strides of zero broadcast a single element") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  float seven = 7;
  int64_t xDims[] = {2, 3}, zeros[] = {0, 0};
  Floats b({3}, {1, 2, 3}), y({2, 3});
  keratin_tensor_t x = {&seven, KERATIN_DTYPE_FLOAT32, 2, xDims, zeros, nullptr};
  expect(call(executable, {x, b.view()}, {y.view()}), KERATIN_OK, "");
  CHECK(y.values == std::vector<float>{8, 9, 10, 8, 9, 10});
}

TEST_CASE("the allocating form asks once an output, with its dims") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6}), b({3}, {10, 20, 30});
  keratin_tensor_t inputs[] = {x.view(), b.view()};
  struct Outputs {
    std::vector<float> values;
    int calls = 0;
    bool refuse = false;
  } outputs;
  auto allocate = [](void *user, int32_t output, int32_t dtype, int32_t rank, const int64_t *dims,
                     size_t bytes) -> void * {
    auto &outputs = *static_cast<Outputs *>(user);
    CHECK(output == 0);
    CHECK(dtype == KERATIN_DTYPE_FLOAT32);
    CHECK(rank == 2);
    CHECK(dims[0] == 2);
    CHECK(dims[1] == 3);
    ++outputs.calls;
    outputs.values.resize(bytes / sizeof(float));
    return outputs.refuse ? nullptr : outputs.values.data();
  };
  keratin_status_t status;
  keratin_invoke_allocating(executable.get(), nullptr, 0, inputs, 2, allocate, nullptr, &outputs,
                            &status);
  expect(status, KERATIN_OK, "");
  CHECK(outputs.calls == 1);
  CHECK(outputs.values == std::vector<float>{11, 22, 33, 14, 25, 36});
  outputs.refuse = true;
  keratin_invoke_allocating(executable.get(), nullptr, 0, inputs, 2, allocate, nullptr, &outputs,
                            &status);
  expect(status, KERATIN_RESOURCE_EXHAUSTED,
         "function 'add_bias': no memory for the 24 bytes of output 'y'");
}

TEST_CASE("queries need no data") {
  FunctionBuilder builder = addBias();
  Executable executable = makeExecutable(builder);
  CHECK(keratin_executable_descriptor(executable.get()) == &builder.descriptor);
  int64_t xDims[] = {5, 3}, bDims[] = {3}, dims[2] = {}, bytes = 0;
  keratin_tensor_t inputs[] = {{nullptr, KERATIN_DTYPE_FLOAT32, 2, xDims, nullptr, nullptr},
                               {nullptr, KERATIN_DTYPE_FLOAT32, 1, bDims, nullptr, nullptr}};
  keratin_status_t status;
  keratin_executable_output_dims(executable.get(), nullptr, 0, inputs, 2, 0, dims, &status);
  expect(status, KERATIN_OK, "");
  CHECK(dims[0] == 5);
  CHECK(dims[1] == 3);
  keratin_executable_workspace_bytes(executable.get(), nullptr, 0, inputs, 2, &bytes, &status);
  expect(status, KERATIN_OK, "");
  CHECK(bytes > 60);
  keratin_executable_output_dims(executable.get(), nullptr, 0, inputs, 2, 1, dims, &status);
  expect(status, KERATIN_INVALID_ARGUMENT,
         "function 'add_bias' has 1 outputs; there is no output 1");
}

TEST_CASE("sizes are read out of inputs, at every call") {
  auto fill = [](keratin_context_t *, void *const *buffers, const int64_t *sizes) {
    for (int64_t i = 0; i < sizes[0]; ++i)
      static_cast<float *>(buffers[1])[i] = float(i);
  };
  FunctionBuilder builder("range", fill);
  builder.input("n", KERATIN_DTYPE_INT32, {3})
      .symbol("n", 0, 1, KERATIN_SYMBOL_INPUT_VALUE)
      .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)});
  Executable executable = makeExecutable(builder);
  int64_t dims[] = {3};
  for (int32_t count : {2, 5, 5, 0}) {
    int32_t data[] = {-1, count, -1};
    keratin_tensor_t n = {data, KERATIN_DTYPE_INT32, 1, dims, nullptr, nullptr};
    Floats y({count});
    expect(call(executable, {n}, {y.view()}), KERATIN_OK, "");
    for (int32_t i = 0; i < count; ++i)
      CHECK(y.values[size_t(i)] == float(i));
  }
  keratin_tensor_t n = {nullptr, KERATIN_DTYPE_INT32, 1, dims, nullptr, nullptr};
  Floats y({0});
  expect(call(executable, {n}, {y.view()}), KERATIN_INVALID_ARGUMENT,
         "function 'range': size 'n' is element 1 of input 'n', which has no data here");
  for (int32_t count : {-1, INT32_MIN}) {
    int32_t data[] = {3, count, 3};
    n.data = data;
    expect(call(executable, {n}, {y.view()}), KERATIN_INVALID_ARGUMENT,
           "function 'range': size 'n' is element 1 of input 'n', whose value is " +
               std::to_string(count) + "; needed 0 or more");
  }
}

TEST_CASE("of an input that may be negative both parts are sizes") {
  auto fill = [](keratin_context_t *, void *const *buffers, const int64_t *sizes) {
    static_cast<int64_t *>(buffers[1])[0] = sizes[0];
    static_cast<int64_t *>(buffers[1])[1] = sizes[1];
  };
  FunctionBuilder builder("parts", fill);
  builder.input("n", KERATIN_DTYPE_INT64, {})
      .symbol("n", 0, 0, KERATIN_SYMBOL_INPUT_POSITIVE_PART)
      .symbol("n", 0, 0, KERATIN_SYMBOL_INPUT_NEGATIVE_PART)
      .output("y", KERATIN_DTYPE_INT64, {2});
  Executable executable = makeExecutable(builder);
  int64_t found[2], two[] = {2};
  keratin_tensor_t y = {found, KERATIN_DTYPE_INT64, 1, two, nullptr, nullptr};
  for (int64_t number : {int64_t(3), int64_t(-5), int64_t(0), INT64_MIN + 1, INT64_MAX}) {
    expect(call(executable, {{&number, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr}}, {y}),
           KERATIN_OK, "");
    CHECK(found[0] == (number > 0 ? number : 0));
    CHECK(found[1] == (number < 0 ? -number : 0));
  }
  int64_t least = INT64_MIN;
  expect(call(executable, {{&least, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr}}, {y}),
         KERATIN_INVALID_ARGUMENT,
         "function 'parts': size 'n' is element 0 of input 'n', whose value is -2^63; needed more");
}

TEST_CASE("a failing site ends the call with its message; the lowest wins") {
  auto entry = [](keratin_context_t *context, void *const *, const int64_t *sizes) {
    context->functions->parallel_for(
        context,
        [](keratin_context_t *context, const int64_t *, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            if (i % 3 == 1)
              context->functions->fail(context, i == 4 ? 0 : 1);
        },
        nullptr, sizes[0], 1);
  };
  FunctionBuilder builder("f", entry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .symbol("n", 0, 0)
      .site(KERATIN_OUT_OF_RANGE, "gather (net.cc:3): an index is outside its axis")
      .site(KERATIN_INTERNAL, "another");
  Executable executable = makeExecutable(builder);
  Floats one({1}), two({2}), five({5});
  expect(call(executable, {one.view()}, {}), KERATIN_OK, "");
  expect(call(executable, {two.view()}, {}), KERATIN_INTERNAL, "another");
  expect(call(executable, {five.view()}, {}), KERATIN_OUT_OF_RANGE,
         "gather (net.cc:3): an index is outside its axis");
  expect(call(executable, {one.view()}, {}), KERATIN_OK, "");
}

TEST_CASE("a site tells which of its elements has failed") {
  auto entry = [](keratin_context_t *context, void *const *, const int64_t *sizes) {
    context->functions->fail(context, int32_t(sizes[0]));
  };
  FunctionBuilder builder("f", entry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .symbol("n", 0, 0)
      .site(KERATIN_INTERNAL, "{} and {2|none are groups")
      .site(KERATIN_OUT_OF_RANGE, "inv: {7|a matrix|matrix (#/3, #%3)} of x is singular; at net.py:3")
      .site(KERATIN_INTERNAL, "{9|behind|element # of #/2}")
      .site(KERATIN_INTERNAL, "another");
  Executable executable = makeExecutable(builder);
  auto fails = [&](int64_t number, keratin_status_code_t code, const std::string &message) {
    Floats x({number});
    expect(call(executable, {x.view()}, {}), code, message);
  };
  fails(0, KERATIN_INTERNAL, "{} and {2|none are groups");
  fails(1, KERATIN_OUT_OF_RANGE, "inv: matrix (0, 0) of x is singular; at net.py:3");
  fails(6, KERATIN_OUT_OF_RANGE, "inv: matrix (1, 2) of x is singular; at net.py:3");
  fails(7, KERATIN_OUT_OF_RANGE, "inv: a matrix of x is singular; at net.py:3");
  fails(13, KERATIN_INTERNAL, "element 5 of 2");
  fails(16, KERATIN_INTERNAL, "behind");
  fails(17, KERATIN_INTERNAL, "another");
  fails(18, KERATIN_INTERNAL, "function 'f' failed at an unknown place");
}

TEST_CASE("a site that is not in the descriptor is an internal error") {
  FunctionBuilder builder("f", [](keratin_context_t *context, void *const *, const int64_t *) {
    context->functions->fail(context, 7);
  });
  Executable executable = makeExecutable(builder);
  expect(call(executable, {}, {}), KERATIN_INTERNAL, "function 'f' failed at an unknown place");
}

TEST_CASE("constants reach the entry function") {
  alignas(64) static const float constant[] = {1.5f, 2.5f};
  FunctionBuilder builder("f", [](keratin_context_t *, void *const *buffers, const int64_t *) {
    std::memcpy(buffers[0], buffers[1], 8);
  });
  builder.output("y", KERATIN_DTYPE_FLOAT32, {2}).constant(constant, sizeof(constant));
  Executable executable = makeExecutable(builder);
  Floats y({2});
  expect(call(executable, {}, {y.view()}), KERATIN_OK, "");
  CHECK(y.values == std::vector<float>{1.5f, 2.5f});
}

TEST_CASE("chunks fail while others begin with scratch of their own") {
  struct Threads {
    int before = keratin_num_threads();
    Threads() { keratin_set_num_threads(3); }
    ~Threads() { keratin_set_num_threads(before); }
  } threads;
  auto entry = [](keratin_context_t *context, void *const *, const int64_t *) {
    auto kernel = [](keratin_context_t *own, const int64_t *, int64_t begin, int64_t) {
      // Time for others to begin; then a lower site than any so far.
      for (int i = 0; i < 20; ++i)
        std::this_thread::yield();
      if (begin % 2)
        own->functions->fail(own, int32_t(31 - begin / 2));
    };
    context->functions->parallel_for(context, kernel, nullptr, 64, 1);
  };
  FunctionBuilder builder("f", entry);
  for (int i = 0; i < 32; ++i)
    builder.site(KERATIN_OUT_OF_RANGE, i == 0 ? "the first" : "a later one");
  builder.descriptor.scratch_bytes = 64;
  Executable executable = makeExecutable(builder);
  for (int call = 0; call < 200; ++call) {
    keratin_status_t status;
    CHECK(keratin_invoke(executable.get(), nullptr, 0, nullptr, 0, nullptr, 0, &status) ==
          KERATIN_OUT_OF_RANGE);
    CHECK(std::string(status.message) == "the first");
  }
}
