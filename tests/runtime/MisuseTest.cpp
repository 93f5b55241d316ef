// What callers of the C API may get wrong: every such call fails with a message, and nothing else
// happens.
#include "tests/runtime/FunctionBuilder.h"

#include "runtime/core/Session.h"
#include "runtime/object/State.h"
#include "tests/support/TemporaryFile.h"

#include <cstring>
#include <pthread.h>
#include <sys/stat.h>

using namespace keratin::testing;

namespace {

// y = x + v, and v becomes y.
void addEntry(keratin_context_t *, void *const *buffers, const int64_t *) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *v = static_cast<const float *>(buffers[1]);
  auto *y = static_cast<float *>(buffers[2]);
  auto *next = static_cast<float *>(buffers[3]);
  for (int i = 0; i < 4; ++i)
    next[i] = y[i] = x[i] + v[i];
}

// A function of four floats, an arena of 4096 bytes, and what a call of it needs.
struct Adder {
  FunctionBuilder builder{"add", addEntry};
  Session session = makeSession();
  Variable variable;
  Executable executable;
  Floats x{{4}, {1, 2, 3, 4}}, y{{4}};
  keratin_status_t status = {};

  Adder() {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {4}, "net.cc:5")
        .variable("v", KERATIN_DTYPE_FLOAT32, {4})
        .output("y", KERATIN_DTYPE_FLOAT32, {4})
        .update(0, false)
        .program({KERATIN_SIZE_CONST, 4096})
        .arena(0);
    executable = makeExecutable(builder);
    variable = makeVariable(session.get(), {10, 20, 30, 40});
  }

  // The message of the call in this workspace; "" if it succeeds.
  std::string call(const keratin_tensor_t &in, const keratin_tensor_t &out, void *workspace,
                   size_t bytes) {
    keratin_variable_t *variables[] = {variable.get()};
    keratin_invoke_in(executable.get(), variables, 1, &in, 1, &out, 1, workspace, bytes, &status);
    return status.message;
  }
  size_t workspaceBytes() {
    keratin_variable_t *variables[] = {variable.get()};
    keratin_tensor_t in = x.view();
    int64_t bytes = 0;
    REQUIRE(keratin_executable_workspace_bytes(executable.get(), variables, 1, &in, 1, &bytes,
                                               nullptr) == KERATIN_OK);
    return size_t(bytes);
  }
};

// A model without functions and a variable.
struct Model {
  const int64_t dims[1] = {2};
  keratin_object_variable_t variables[1] = {
      {{"v", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}}};
  keratin_object_variant_t variants[1] = {{"plain", {0, 0}, nullptr, {}}};
  keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                  KERATIN_OBJECT_ABI_VERSION,
                                  "model",
                                  "a test",
                                  0,
                                  1,
                                  1,
                                  0,
                                  variables,
                                  variants,
                                  nullptr,
                                  nullptr,
                                  {}};
};

} // namespace

TEST_CASE("a pointer that is NULL is named, with the function") {
  Adder adder;
  keratin_executable_t *executable = adder.executable.get(), *made = nullptr;
  keratin_variable_t *variable = adder.variable.get(), *madeVariable = nullptr;
  keratin_session_t *session = adder.session.get();
  keratin_tensor_t x = adder.x.view(), y = adder.y.view();
  keratin_status_t status;
  int64_t number = 7, dims[] = {4};
  char text[8];
  Model model;
  State state = makeState(model.object);
  auto refuses = [&](keratin_status_code_t code, const char *message) {
    CHECK(code == KERATIN_INVALID_ARGUMENT);
    CHECK(std::string(status.message) == message);
  };
  refuses(keratin_session_create(nullptr, &status), "keratin_session_create: session is NULL");
  refuses(keratin_variable_create(nullptr, 1, 1, dims, nullptr, &madeVariable, &status),
          "keratin_variable_create: session is NULL");
  refuses(keratin_variable_create(session, 1, 1, nullptr, nullptr, &madeVariable, &status),
          "keratin_variable_create: dims is NULL");
  refuses(keratin_variable_create(session, 1, 1, dims, nullptr, nullptr, &status),
          "keratin_variable_create: variable is NULL");
  refuses(keratin_variable_read(nullptr, &number, 8, &status),
          "keratin_variable_read: variable is NULL");
  refuses(keratin_variable_write(nullptr, &x, &status), "keratin_variable_write: variable is NULL");
  refuses(keratin_variable_write(variable, nullptr, &status),
          "keratin_variable_write: value is NULL");
  refuses(keratin_executable_create(nullptr, &made, &status),
          "keratin_executable_create: descriptor is NULL");
  refuses(keratin_executable_create(adder.builder.build(), nullptr, &status),
          "keratin_executable_create: executable is NULL");
  refuses(keratin_executable_output_dims(nullptr, &variable, 1, &x, 1, 0, dims, &status),
          "keratin_executable_output_dims: executable is NULL");
  refuses(keratin_executable_output_dims(executable, &variable, 1, &x, 1, 0, nullptr, &status),
          "keratin_executable_output_dims: dims is NULL");
  refuses(keratin_executable_workspace_bytes(nullptr, &variable, 1, &x, 1, &number, &status),
          "keratin_executable_workspace_bytes: executable is NULL");
  refuses(keratin_executable_workspace_bytes(executable, &variable, 1, &x, 1, nullptr, &status),
          "keratin_executable_workspace_bytes: bytes is NULL");
  refuses(keratin_invoke(nullptr, &variable, 1, &x, 1, &y, 1, &status),
          "keratin_invoke: executable is NULL");
  refuses(keratin_invoke_in(nullptr, &variable, 1, &x, 1, &y, 1, text, 8, &status),
          "keratin_invoke_in: executable is NULL");
  refuses(keratin_invoke_allocating(executable, &variable, 1, &x, 1, nullptr, nullptr, nullptr,
                                    &status),
          "keratin_invoke_allocating: allocate is NULL");
  refuses(keratin_format(nullptr, text, 8, nullptr, &status), "keratin_format: tensor is NULL");
  refuses(keratin_format(&x, nullptr, 8, nullptr, &status), "keratin_format: text is NULL");
  refuses(keratin_print("x", nullptr, &status), "keratin_print: tensor is NULL");
  refuses(keratin_state_create(&model.object, nullptr, &status),
          "keratin_state_create: state is NULL");
  keratin_state_t *copy = nullptr;
  refuses(keratin_state_copy(nullptr, &copy, &status), "keratin_state_copy: state is NULL");
  refuses(keratin_state_copy(state.get(), nullptr, &status), "keratin_state_copy: copy is NULL");
  refuses(keratin_state_save(nullptr, "f", &status), "keratin_state_save: state is NULL");
  refuses(keratin_state_save(state.get(), nullptr, &status), "keratin_state_save: path is NULL");
  refuses(keratin_state_load(nullptr, "f", &status), "keratin_state_load: state is NULL");
  refuses(keratin_state_load(state.get(), nullptr, &status), "keratin_state_load: path is NULL");
  refuses(keratin_state_read(nullptr, 0, text, 8, &status), "keratin_state_read: state is NULL");
  refuses(keratin_state_write(nullptr, 0, &x, &status), "keratin_state_write: state is NULL");
  refuses(keratin_state_write(state.get(), 0, nullptr, &status),
          "keratin_state_write: value is NULL");
  const int32_t first[] = {0};
  void *data[] = {text};
  const size_t bytes[] = {8};
  refuses(keratin_state_read_several(nullptr, first, data, bytes, 1, &status),
          "keratin_state_read_several: state is NULL");
  refuses(keratin_state_read_several(state.get(), nullptr, data, bytes, 1, &status),
          "keratin_state_read_several: variables is NULL");
  refuses(keratin_state_read_several(state.get(), first, nullptr, bytes, 1, &status),
          "keratin_state_read_several: data is NULL");
  refuses(keratin_state_read_several(state.get(), first, data, nullptr, 1, &status),
          "keratin_state_read_several: bytes is NULL");
  refuses(keratin_state_write_several(nullptr, first, &x, 1, &status),
          "keratin_state_write_several: state is NULL");
  refuses(keratin_state_write_several(state.get(), nullptr, &x, 1, &status),
          "keratin_state_write_several: variables is NULL");
  refuses(keratin_state_write_several(state.get(), first, nullptr, 1, &status),
          "keratin_state_write_several: values is NULL");
  refuses(keratin_state_output_dims(nullptr, 0, &x, 1, 0, dims, &status),
          "keratin_state_output_dims: state is NULL");
  refuses(keratin_state_workspace_bytes(nullptr, 0, &x, 1, &number, &status),
          "keratin_state_workspace_bytes: state is NULL");
  refuses(keratin_state_invoke(nullptr, 0, &x, 1, &y, 1, nullptr, 0, &status),
          "keratin_state_invoke: state is NULL");
  CHECK(number == 7);
  // And without a status.
  CHECK(keratin_invoke(nullptr, &variable, 1, &x, 1, &y, 1, nullptr) == KERATIN_INVALID_ARGUMENT);
  CHECK(keratin_state_invoke(nullptr, 0, &x, 1, &y, 1, nullptr, 0, nullptr) ==
        KERATIN_INVALID_ARGUMENT);
}

TEST_CASE("functions that cannot fail take NULL") {
  keratin_session_destroy(nullptr);
  keratin_variable_retain(nullptr);
  keratin_variable_release(nullptr);
  keratin_executable_destroy(nullptr);
  keratin_executable_trim(nullptr);
  keratin_state_destroy(nullptr);
  CHECK(keratin_variable_dtype(nullptr) == KERATIN_DTYPE_INVALID);
  CHECK(keratin_variable_rank(nullptr) == 0);
  CHECK(keratin_variable_dims(nullptr) == nullptr);
  CHECK(keratin_variable_bytes(nullptr) == 0);
  CHECK(keratin_executable_descriptor(nullptr) == nullptr);
  CHECK(std::string(keratin_state_cpu(nullptr)).empty());
}

TEST_CASE("wrong counts, ranks and sizes are refused") {
  Adder adder;
  keratin_variable_t *variables[] = {adder.variable.get()};
  keratin_tensor_t x = adder.x.view(), y = adder.y.view();
  keratin_status_t status;
  auto invoke = [&](int32_t numVariables, const keratin_tensor_t *in, int32_t numInputs,
                    const keratin_tensor_t *out, int32_t numOutputs) {
    return keratin_invoke(adder.executable.get(), variables, numVariables, in, numInputs, out,
                          numOutputs, &status);
  };
  for (int32_t count : {-1, 0, 2, INT32_MAX, INT32_MIN}) {
    CHECK(invoke(count, &x, 1, &y, 1) == KERATIN_INVALID_ARGUMENT);
    CHECK(invoke(1, &x, count, &y, 1) == KERATIN_INVALID_ARGUMENT);
    CHECK(invoke(1, &x, 1, &y, count) == KERATIN_INVALID_ARGUMENT);
  }
  CHECK(invoke(1, nullptr, 1, &y, 1) == KERATIN_INVALID_ARGUMENT);
  CHECK(invoke(1, &x, 1, nullptr, 1) == KERATIN_INVALID_ARGUMENT);
  int64_t sizes[] = {-4}, many[] = {int64_t(1) << 40, int64_t(1) << 40};
  for (int32_t rank : {-1, 0, 1000000, INT32_MAX}) {
    keratin_tensor_t bad = x;
    bad.rank = rank;
    CHECK(invoke(1, &bad, 1, &y, 1) == KERATIN_INVALID_ARGUMENT);
    CHECK(invoke(1, &x, 1, &bad, 1) == KERATIN_INVALID_ARGUMENT);
    CHECK(keratin_variable_write(variables[0], &bad, &status) == KERATIN_INVALID_ARGUMENT);
    CHECK(keratin_format(&bad, nullptr, 0, nullptr, &status) ==
          (rank == 0 ? KERATIN_OK : KERATIN_INVALID_ARGUMENT));
  }
  keratin_tensor_t bad = x;
  bad.dims = sizes;
  CHECK(invoke(1, &bad, 1, &y, 1) == KERATIN_INVALID_ARGUMENT);
  CHECK(invoke(1, &x, 1, &bad, 1) == KERATIN_INVALID_ARGUMENT);
  bad.dims = nullptr;
  CHECK(invoke(1, &bad, 1, &y, 1) == KERATIN_INVALID_ARGUMENT);
  CHECK(invoke(1, &x, 1, &bad, 1) == KERATIN_INVALID_ARGUMENT);
  CHECK(keratin_variable_write(variables[0], &bad, &status) == KERATIN_INVALID_ARGUMENT);
  keratin_variable_t *made = nullptr;
  CHECK(keratin_variable_create(adder.session.get(), KERATIN_DTYPE_FLOAT32, 2, many, nullptr, &made,
                                &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(keratin_variable_create(adder.session.get(), KERATIN_DTYPE_FLOAT32, 1, sizes, nullptr,
                                &made, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(made == nullptr);
  CHECK(readVariable(variables[0]) == std::vector<float>{10, 20, 30, 40});
  CHECK(invoke(1, &x, 1, &y, 1) == KERATIN_OK);
}

TEST_CASE("a workspace that overlaps a tensor is refused before a byte of it is written") {
  Adder adder;
  size_t bytes = adder.workspaceBytes();
  std::vector<char> memory(2 * bytes + 256, 'k');
  char *workspace = memory.data() + 128;
  keratin_tensor_t x = adder.x.view(), y = adder.y.view();
  auto at = [](keratin_tensor_t tensor, char *place) {
    tensor.data = place;
    return tensor;
  };
  char *last = workspace + bytes - 1;
  last -= uintptr_t(last) % 4;
  char *first = workspace - uintptr_t(workspace) % 4;
  // A row in every second element, from behind and into the workspace.
  const int64_t back[] = {-int64_t(bytes / 8)};
  keratin_tensor_t strided = at(x, last + 64);
  strided.strides = back;
  for (const keratin_tensor_t &in :
       {at(x, first - 12), at(x, workspace + 64), at(x, last), strided})
    CHECK(adder.call(in, y, workspace, bytes) ==
          "function 'add': the workspace overlaps the memory of input 'x' (net.cc:5)");
  for (const keratin_tensor_t &out : {at(y, first - 12), at(y, workspace + 64), at(y, last)})
    CHECK(adder.call(x, out, workspace, bytes) ==
          "function 'add': the workspace overlaps the memory of output 'y'");
  CHECK_THAT(adder.call(x, y, adder.variable->value.data(), 16),
             Catch::Contains("the workspace overlaps the memory of variable 'v'"));
  CHECK_THAT(adder.call(x, y, adder.x.values.data(), SIZE_MAX),
             Catch::Contains("the workspace overlaps the memory of input 'x'"));
  CHECK(memory == std::vector<char>(memory.size(), 'k'));
  CHECK(readVariable(adder.variable.get()) == std::vector<float>{10, 20, 30, 40});
  // Beside it is good.
  char *behind = workspace + bytes + 4 - uintptr_t(workspace + bytes) % 4;
  CHECK(adder.call(x, at(y, behind), workspace, bytes).empty());
  CHECK(readVariable(adder.variable.get()) == std::vector<float>{11, 22, 33, 44});
}

TEST_CASE("an output in the memory of a variable is refused") {
  Adder adder;
  keratin_variable_t *variables[] = {adder.variable.get()};
  keratin_tensor_t x = adder.x.view(), y = adder.y.view();
  REQUIRE(keratin_invoke(adder.executable.get(), variables, 1, &x, 1, &y, 1, nullptr) ==
          KERATIN_OK);
  for (keratin::runtime::Block *block : {&adder.variable->value, &adder.variable->spare}) {
    y.data = block->data();
    keratin_invoke(adder.executable.get(), variables, 1, &x, 1, &y, 1, &adder.status);
    CHECK(std::string(adder.status.message) ==
          "function 'add': the buffers of output 'y' and variable 'v' overlap");
  }
}

TEST_CASE("a workspace that is too small is told how much is needed") {
  Adder adder;
  size_t bytes = adder.workspaceBytes();
  std::vector<char> memory(bytes);
  keratin_tensor_t x = adder.x.view(), y = adder.y.view();
  for (size_t given : {size_t(1), size_t(100), size_t(4000)}) {
    CHECK(adder.call(x, y, memory.data(), given) == "function 'add': the workspace has " +
                                                        std::to_string(given) + " bytes; needed " +
                                                        std::to_string(bytes));
    CHECK(adder.status.code == KERATIN_RESOURCE_EXHAUSTED);
  }
  CHECK(adder.call(x, y, memory.data(), bytes).empty());
}

TEST_CASE("a state of another model is refused, and left alone") {
  Model model;
  State state = makeState(model.object);
  // As the runtime within another model would have made it.
  const void *own = state->runtime;
  int other = 0;
  state->runtime = &other;
  keratin_status_t status;
  float data[2] = {};
  CHECK(keratin_state_read(state.get(), 0, data, 8, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "keratin_state_read: the state belongs to another model");
  keratin_state_destroy(state.get());
  CHECK(std::string(keratin_state_cpu(state.get())).empty());
  // Of another runtime's nothing is read.
  CHECK(keratin_state_of(&model.object, state.get()) == state.get());
  state->runtime = own;
  CHECK(keratin_state_read(state.get(), 0, data, 8, &status) == KERATIN_OK);
}

TEST_CASE("a state of another model of the same runtime is refused by what a model exports") {
  Model model, other;
  State state = makeState(model.object);
  keratin_status_t status;
  float data[2] = {};
  CHECK(keratin_state_of(&model.object, nullptr) == nullptr);
  CHECK(keratin_state_of(&model.object, state.get()) == state.get());
  keratin_state_t *refused = keratin_state_of(&other.object, state.get());
  CHECK(keratin_state_read(refused, 0, data, 8, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "keratin_state_read: the state belongs to another model");
  keratin_state_destroy(refused);
  CHECK(keratin_state_read(state.get(), 0, data, 8, &status) == KERATIN_OK);
}

TEST_CASE("what is no regular file is no state, and nobody waits for it") {
  Model model;
  State state = makeState(model.object);
  keratin_status_t status;
  keratin::tests::TemporaryFile fifo;
  REQUIRE(mkfifo(fifo.path.c_str(), 0600) == 0);
  for (const std::string &path : {fifo.path, std::string("/dev/zero"), std::string("/dev/null")}) {
    CHECK(keratin_state_load(state.get(), path.c_str(), &status) == KERATIN_INVALID_ARGUMENT);
    CHECK(std::string(status.message) == "'" + path + "' is not a regular file");
  }
  CHECK(keratin_state_load(state.get(), "/tmp", &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "'/tmp' is a folder");
}

TEST_CASE("a call works on the smallest of stacks") {
  Adder adder;
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, size_t(32) << 10) == 0);
  auto body = [](void *argument) -> void * {
    auto &adder = *static_cast<Adder *>(argument);
    keratin_variable_t *variables[] = {adder.variable.get()};
    keratin_tensor_t x = adder.x.view(), y = adder.y.view();
    return keratin_invoke(adder.executable.get(), variables, 1, &x, 1, &y, 1, nullptr) == KERATIN_OK
               ? nullptr
               : argument;
  };
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &attributes, body, &adder) == 0);
  void *result = &adder;
  REQUIRE(pthread_join(thread, &result) == 0);
  CHECK(result == nullptr);
  pthread_attr_destroy(&attributes);
}
