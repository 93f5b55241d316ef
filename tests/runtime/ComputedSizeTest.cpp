// Sizes that the entry function computes: slots, checks and dims that follow from them, and what
// happens where they are wrong.
#include "tests/runtime/FunctionBuilder.h"

#include <cstring>

using namespace keratin::testing;

namespace {

// y, of as many elements as the integer `count` says, counts from 0; z, twice as many, is zeros.
// Slots: 0 the size of x, 1 the computed size, 2 twice the most, 3 twice the computed size.
void countUp(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  CHECK(sizes[2] == 2 * sizes[0]);
  if (context->functions->define_size(context, 0, *static_cast<const int64_t *>(buffers[1])) != 0)
    return;
  CHECK(sizes[3] == 2 * sizes[1]);
  auto *y = static_cast<float *>(buffers[2]);
  for (int64_t i = 0; i < sizes[1]; ++i)
    y[i] = float(i);
  std::memset(buffers[3], 0, size_t(sizes[3]) * sizeof(float));
}

class Counter {
public:
  Counter() : builder("count_up", countUp) {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .input("count", KERATIN_DTYPE_INT64, {})
        .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(1)})
        .output("z", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(3)})
        .symbol("n", 0, 0)
        .symbol("", 0, 0, KERATIN_SYMBOL_COMPUTED)
        .program({KERATIN_SIZE_CONST, 2, KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_MUL})
        .program({KERATIN_SIZE_CONST, 2, KERATIN_SIZE_SLOT, 1, KERATIN_SIZE_MUL});
    builder.outputs[0].capacity = capacities[0];
    builder.outputs[1].capacity = capacities[1];
    builder.descriptor.computed = &computed;
  }

  FunctionBuilder builder;
  int64_t capacities[2][1] = {{FunctionBuilder::slot(0)}, {FunctionBuilder::slot(2)}};
  int64_t levels[2] = {0, 1};
  keratin_computed_size_t size = {0, KERATIN_OUT_OF_RANGE, 0, "truncate: too many; at net.cc:7"};
  keratin_computed_sizes_t computed = {1, &size, levels, 0, nullptr, {}};
};

struct Call {
  explicit Call(Counter &counter) : executable(makeExecutable(counter.builder)) {}

  // The dims of the outputs are what they are at most before the call.
  keratin_status_code_t operator()(int64_t elements, int64_t count) {
    Floats x({elements});
    y = Floats({elements});
    z = Floats({2 * elements});
    keratin_tensor_t inputs[] = {x.view(),
                                 {&count, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr}};
    keratin_tensor_t outputs[] = {y.view(), z.view()};
    return keratin_invoke(executable.get(), nullptr, 0, inputs, 2, outputs, 2, &status);
  }

  Executable executable;
  Floats y{{0}}, z{{0}};
  keratin_status_t status;
};

} // namespace

TEST_CASE("outputs have the sizes that the call computes") {
  Counter counter;
  Call call(counter);
  for (auto [elements, count] : {std::pair{5, 3}, {5, 0}, {5, 5}, {8, 2}, {0, 0}, {5, 3}}) {
    INFO(elements << " " << count);
    REQUIRE(call(elements, count) == KERATIN_OK);
    CHECK(call.y.dims == std::vector<int64_t>{count});
    CHECK(call.z.dims == std::vector<int64_t>{2 * count});
    for (int64_t i = 0; i < count; ++i)
      CHECK(call.y.values[size_t(i)] == float(i));
  }
}

TEST_CASE("a computed size beyond its bound fails the call and tells no dims") {
  Counter counter;
  Call call(counter);
  for (int64_t count : {int64_t(6), int64_t(-1), INT64_MAX, INT64_MIN}) {
    CHECK(call(5, count) == KERATIN_OUT_OF_RANGE);
    CHECK(std::string(call.status.message) ==
          "truncate: too many; at net.cc:7: found " + std::to_string(count) + "; needed 0 to 5");
    CHECK(call.y.dims == std::vector<int64_t>{5});
  }
  CHECK(call(5, 5) == KERATIN_OK);
}

TEST_CASE("checks of computed sizes are made once these are known") {
  Counter counter;
  counter.builder.check(KERATIN_CHECK_AT_LEAST, 3, 0, "reshape: not enough");
  Call call(counter);
  CHECK(call(5, 3) == KERATIN_OK);
  CHECK(call(5, 2) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(call.status.message) ==
        "reshape: not enough: 4 must be at least 5; input 'x' has 5 on axis 0");
}

TEST_CASE("a callback gives memory for the most and learns the rest") {
  Counter counter;
  Executable executable = makeExecutable(counter.builder);
  struct Outputs {
    std::vector<std::vector<float>> memory;
    std::vector<std::vector<int64_t>> dims{{-1}, {-1}};
  } outputs;
  auto allocate = [](void *user, int32_t, int32_t, int32_t, const int64_t *dims,
                     size_t bytes) -> void * {
    auto &self = *static_cast<Outputs *>(user);
    CHECK(bytes == size_t(dims[0]) * sizeof(float));
    self.memory.emplace_back(size_t(dims[0]) + 1);
    return self.memory.back().data();
  };
  auto resize = [](void *user, int32_t output, int32_t rank, const int64_t *dims) {
    static_cast<Outputs *>(user)->dims[size_t(output)].assign(dims, dims + rank);
  };
  Floats x({6});
  int64_t count = 4;
  keratin_tensor_t inputs[] = {x.view(),
                               {&count, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr}};
  keratin_status_t status;
  REQUIRE(keratin_invoke_allocating(executable.get(), nullptr, 0, inputs, 2, allocate, resize,
                                    &outputs, &status) == KERATIN_OK);
  CHECK(outputs.memory[0].size() == 7);
  CHECK(outputs.dims == std::vector<std::vector<int64_t>>{{4}, {8}});
  CHECK(keratin_invoke_allocating(executable.get(), nullptr, 0, inputs, 2, allocate, nullptr,
                                  &outputs, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) ==
        "function 'count_up' computes sizes; needed a callback that resizes outputs");
}

TEST_CASE("queries tell the most") {
  Counter counter;
  Executable executable = makeExecutable(counter.builder);
  Floats x({6});
  int64_t count = 4, dims[1];
  keratin_tensor_t inputs[] = {x.view(),
                               {&count, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr}};
  REQUIRE(keratin_executable_output_dims(executable.get(), nullptr, 0, inputs, 2, 1, dims,
                                         nullptr) == KERATIN_OK);
  CHECK(dims[0] == 12);
}

TEST_CASE("damaged descriptions of computed sizes are refused with what is wrong") {
  struct Damage {
    const char *message;
    void (*apply)(Counter &);
  };
  const Damage damages[] = {
      {"number of computed sizes -1: not a sensible count",
       [](Counter &c) { c.computed.num_sizes = -1; }},
      {"number of computed sizes 1: the array is missing",
       [](Counter &c) { c.computed.sizes = nullptr; }},
      {"number of computed sizes 3: there are fewer symbols",
       [](Counter &c) { c.computed.num_sizes = 3; }},
      {"number of computed sizes 1: the levels of size programs are missing",
       [](Counter &c) { c.computed.program_levels = nullptr; }},
      {"symbol 1: it must be the next computed size",
       [](Counter &c) { c.builder.symbols[1].source = KERATIN_SYMBOL_INPUT_DIM; }},
      {"symbol 1: it must be the next computed size",
       [](Counter &c) { c.builder.symbols[1].index = 1; }},
      {"computed size 0: its bound is not known when it is defined",
       [](Counter &c) { c.size.bound = 3; }},
      {"computed size 0: its bound is not known when it is defined",
       [](Counter &c) { c.size.bound = 9; }},
      {"computed size 0: it lacks a status or a message",
       [](Counter &c) { c.size.message = nullptr; }},
      {"size program 1: it reads a slot that is computed later",
       [](Counter &c) { c.levels[1] = 0; }},
      {"size program 0: it needs a computed size that does not exist",
       [](Counter &c) { c.levels[0] = 2; }},
      {"arena slot 3: it is not known before the call", [](Counter &c) { c.builder.arena(3); }},
      {"output 1: its bytes are not known before the call",
       [](Counter &c) { c.builder.outputs[1].capacity = nullptr; }},
      {"output 0: a dimension names no slot",
       [](Counter &c) { c.capacities[0][0] = FunctionBuilder::slot(7); }},
  };
  for (const Damage &damage : damages) {
    INFO(damage.message);
    Counter counter;
    damage.apply(counter);
    keratin_executable_t *executable = nullptr;
    keratin_status_t status;
    CHECK(keratin_executable_create(counter.builder.build(), &executable, &status) ==
          KERATIN_INVALID_ARGUMENT);
    CHECK(std::string(status.message) ==
          std::string("the descriptor of function 'count_up' is damaged: ") + damage.message);
  }
}
