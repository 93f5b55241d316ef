// States of models compiled ahead of time, over descriptors written by hand.
#include "tests/runtime/FunctionBuilder.h"

#include "runtime/object/CpuFeatures.h"
#include "tests/support/TemporaryFile.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/syscall.h>
#include <unistd.h>

using namespace keratin::testing;

namespace {

// new v = v + x, y = v + w.
void stepEntry(keratin_context_t *, void *const *buffers, const int64_t *) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *v = static_cast<const float *>(buffers[1]);
  auto *w = static_cast<const float *>(buffers[2]);
  auto *y = static_cast<float *>(buffers[3]);
  auto *next = static_cast<float *>(buffers[4]);
  for (int i = 0; i < 2; ++i) {
    y[i] = v[i] + w[i];
    next[i] = v[i] + x[i];
  }
}

// y = w.
void readEntry(keratin_context_t *, void *const *buffers, const int64_t *) {
  for (int i = 0; i < 2; ++i)
    static_cast<float *>(buffers[1])[i] = static_cast<const float *>(buffers[0])[i];
}

struct Model {
  FunctionBuilder step{"step", stepEntry}, read{"read", readEntry};
  const int64_t dims[1] = {2};
  const float w[2] = {10, 20};
  keratin_object_variable_t variables[2] = {
      {{"v", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"w", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, w, nullptr, {}}};
  int32_t stepVariables[2] = {0, 1}, readVariables[1] = {1};
  keratin_object_function_t functions[2];
  keratin_object_variant_t variants[2] = {{"better", {0, uint64_t(1) << 63}, functions, {}},
                                          {"plain", {0, 0}, functions, {}}};
  keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                  KERATIN_OBJECT_ABI_VERSION,
                                  "model",
                                  "a test",
                                  2,
                                  2,
                                  2,
                                  0,
                                  variables,
                                  variants,
                                  nullptr,
                                  nullptr,
                                  {}};

  Model() {
    step.input("x", KERATIN_DTYPE_FLOAT32, {2})
        .variable("v", KERATIN_DTYPE_FLOAT32, {2})
        .variable("w", KERATIN_DTYPE_FLOAT32, {2})
        .output("y", KERATIN_DTYPE_FLOAT32, {2})
        .update(0, false);
    read.variable("w", KERATIN_DTYPE_FLOAT32, {2}).output("y", KERATIN_DTYPE_FLOAT32, {2});
    functions[0] = {step.build(), stepVariables, nullptr, {}};
    functions[1] = {read.build(), readVariables, nullptr, {}};
  }
};

std::vector<float> step(keratin_state_t *state, float a, float b) {
  Floats x({2}, {a, b}), y({2});
  keratin_tensor_t in = x.view(), out = y.view();
  keratin_status_t status;
  keratin_state_invoke(state, 0, &in, 1, &out, 1, nullptr, 0, &status);
  INFO(status.message);
  REQUIRE(status.code == KERATIN_OK);
  return y.values;
}

std::vector<float> valueOf(const keratin_state_t *state, int32_t variable) {
  std::vector<float> values(2);
  REQUIRE(keratin_state_read(state, variable, values.data(), 8, nullptr) == KERATIN_OK);
  return values;
}

} // namespace

TEST_CASE("a state begins with the saved values, and its functions share the variables") {
  Model model;
  State state = makeState(model.object);
  CHECK(std::string(keratin_state_cpu(state.get())) == "plain");
  CHECK(step(state.get(), 1, 2) == std::vector<float>{10, 20});
  CHECK(step(state.get(), 1, 2) == std::vector<float>{11, 22});
  float data[] = {5, 6};
  keratin_tensor_t value = {data, KERATIN_DTYPE_FLOAT32, 1, model.dims, nullptr, nullptr};
  CHECK(keratin_state_write(state.get(), 1, &value, nullptr) == KERATIN_OK);
  Floats y({2});
  keratin_tensor_t out = y.view();
  CHECK(keratin_state_invoke(state.get(), 1, nullptr, 0, &out, 1, nullptr, 0, nullptr) ==
        KERATIN_OK);
  CHECK(y.values == std::vector<float>{5, 6});
}

TEST_CASE("a copy has the present values and goes its own way") {
  Model model;
  State state = makeState(model.object);
  step(state.get(), 1, 2);
  keratin_state_t *made = nullptr;
  REQUIRE(keratin_state_copy(state.get(), &made, nullptr) == KERATIN_OK);
  State copy(made);
  CHECK(valueOf(copy.get(), 0) == std::vector<float>{1, 2});
  step(copy.get(), 1, 1);
  CHECK(valueOf(copy.get(), 0) == std::vector<float>{2, 3});
  CHECK(valueOf(state.get(), 0) == std::vector<float>{1, 2});
}

TEST_CASE("a saved state comes back") {
  Model model;
  State state = makeState(model.object);
  step(state.get(), 3, 4);
  keratin::tests::TemporaryFile file;
  const std::string &path = file.path;
  REQUIRE(keratin_state_save(state.get(), path.c_str(), nullptr) == KERATIN_OK);
  step(state.get(), 3, 4);
  REQUIRE(keratin_state_load(state.get(), path.c_str(), nullptr) == KERATIN_OK);
  CHECK(valueOf(state.get(), 0) == std::vector<float>{3, 4});
}

TEST_CASE("a damaged file of a state is refused, and the state keeps its values") {
  Model model;
  State state = makeState(model.object);
  keratin::tests::TemporaryFile file;
  const std::string &path = file.path;
  REQUIRE(keratin_state_save(state.get(), path.c_str(), nullptr) == KERATIN_OK);
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  step(state.get(), 1, 1);
  auto load = [&](const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
    keratin_status_t status;
    keratin_state_load(state.get(), path.c_str(), &status);
    CHECK(valueOf(state.get(), 0) == std::vector<float>{1, 1});
    return std::string(status.message);
  };
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK(load(bytes.substr(0, length)) != "");
  CHECK_THAT(load(bytes + "x"), Catch::Contains("goes on behind its last variable"));
  // All but the elements themselves: names, dtypes, shapes, counts.
  size_t first = bytes.find('v');
  std::string renamed = bytes;
  renamed[first] = 'u';
  CHECK_THAT(load(renamed), Catch::Contains("does not go on with variable 'v', float32 (2,)"));
  CHECK_THAT(load("KERATIN?" + bytes.substr(8)), Catch::Contains("is not a state of a model"));
  CHECK_THAT(load(""), Catch::Contains("is not a state"));
  std::remove(path.c_str());
  keratin_status_t status;
  keratin_state_load(state.get(), path.c_str(), &status);
  CHECK_THAT(status.message, Catch::Contains("cannot read '" + path + "': No such file"));
  CHECK(keratin_state_save(state.get(), "/nowhere/state", &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "cannot write '/nowhere/state': No such file or directory");
}

TEST_CASE("a state goes through a device and a link, and a failure leaves the old one") {
  Model model;
  State state = makeState(model.object);
  keratin_status_t status;
  CHECK(keratin_state_save(state.get(), "/dev/null", &status) == KERATIN_OK);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(keratin_state_save(state.get(), "/dev/full", &status) == KERATIN_RESOURCE_EXHAUSTED);
  CHECK(std::string(status.message) == "cannot write '/dev/full': No space left on device");
  keratin::tests::TemporaryFile file, link;
  REQUIRE(keratin_state_save(state.get(), file.path.c_str(), nullptr) == KERATIN_OK);
  std::filesystem::create_symlink(file.path, link.path);
  step(state.get(), 3, 4);
  REQUIRE(keratin_state_save(state.get(), link.path.c_str(), nullptr) == KERATIN_OK);
  CHECK(std::filesystem::is_symlink(link.path));
  step(state.get(), 3, 4);
  REQUIRE(keratin_state_load(state.get(), file.path.c_str(), nullptr) == KERATIN_OK);
  CHECK(valueOf(state.get(), 0) == std::vector<float>{3, 4});
}

TEST_CASE("a processor without what the model needs is told so") {
  Model model;
  model.object.num_variants = 1;
  // A feature that no processor has: the last bit.
  keratin_state_t *state = nullptr;
  keratin_status_t status;
  CHECK(keratin_state_create(&model.object, &state, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK_THAT(status.message, Catch::Contains("was compiled for 'better'; this processor lacks"));
  CHECK(state == nullptr);
}

TEST_CASE("damaged descriptors of models are refused with what is wrong") {
  struct Damage {
    std::string message;
    void (*damage)(Model &);
  };
  static const int64_t negative[] = {-2}, huge[] = {INT64_MAX}, three[] = {3}, none[] = {0};
  static int32_t beyond[] = {0, 2}, below[] = {-1, 1};
  static int something;
  static const keratin_object_part_t noKind = {3, 0, nullptr, 0, {}},
                                     noDimension = {KERATIN_PART_ALONG, 1, nullptr, 0, {}},
                                     noElements = {KERATIN_PART_ELEMENTS, 1, nullptr, 0, {}},
                                     noRanks = {KERATIN_PART_ALONG, 0, nullptr, -1, {}},
                                     unevenRanks = {KERATIN_PART_ALONG, 0, nullptr, 3, {}},
                                     ranksOfElements = {KERATIN_PART_ELEMENTS, 0, nullptr, 2, {}},
                                     noName = {KERATIN_PART_ALONG, 0, "", 0, {}},
                                     reserved = {KERATIN_PART_ALONG, 0, nullptr, 0, {&something}},
                                     along = {KERATIN_PART_ALONG, 0, "model", 0, {}},
                                     elements = {KERATIN_PART_ELEMENTS, 0, nullptr, 0, {}};
  static const keratin_rank_number_t noSuch[] = {{5, 0, nullptr, {}}},
                                     negativeSize[] = {{KERATIN_RANK_SIZE, -1, nullptr, {}}},
                                     namelessAxis[] = {{KERATIN_RANK_PLACE, 0, "", {}}},
                                     reservedNumber[] =
                                         {{KERATIN_RANK_PLACE, 0, nullptr, {&something}}},
                                     sound[] = {{KERATIN_RANK_PLACE, 0, nullptr, {}}};
  static const keratin_rank_numbers_t numbers[] = {
      {1, noSuch, {}},  {1, negativeSize, {}}, {1, namelessAxis, {}},   {1, reservedNumber, {}},
      {1, nullptr, {}}, {-1, sound, {}},       {1, sound, {&something}}};
  static const keratin_rank_numbers_t oneNumber = {1, sound, {}};
  static const char *const nameless[] = {""}, *const named[] = {"data"},
                           *const unknown[] = {nullptr};
  static const keratin_further_part_t noOutput[] = {{9, 0, "data"}}, noneOfIts[] = {{0, 9, "data"}},
                                      unnamed[] = {{0, 0, ""}};
  static const keratin_part_axes_t noInputs = {nullptr, named, 0, nullptr},
                                   noText = {nameless, named, 0, nullptr},
                                   ofNoPart = {named, named, 0, nullptr},
                                   noFurther = {unknown, unknown, 1, nullptr},
                                   fewerThanNone = {unknown, unknown, -1, unnamed},
                                   ofNoOutput = {unknown, unknown, 1, noOutput},
                                   ofNoDimension = {unknown, unknown, 1, noneOfIts},
                                   ofNoAxis = {unknown, unknown, 1, unnamed};
  const std::string damaged = "the descriptor of model 'model' is damaged: ";
  const Damage damages[] = {
      {"this is not the descriptor of a model", [](Model &m) { m.object.magic ^= 1; }},
      {"the model was compiled for object ABI version 9; this runtime has version 2",
       [](Model &m) { m.object.abi_version = 9; }},
      {"the model was compiled for object ABI version 0; this runtime has version 2",
       [](Model &m) { m.object.abi_version = 0; }},
      {damaged + "it has no name", [](Model &m) { m.object.producer = nullptr; }},
      {"the descriptor of model '' is damaged: it has no name",
       [](Model &m) { m.object.name = nullptr; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.num_functions = -1; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.num_functions = INT32_MAX; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.num_variables = -1; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.num_variables = INT32_MAX; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.num_variants = -1; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.num_variants = INT32_MAX; }},
      {damaged + "an array is missing", [](Model &m) { m.object.num_variants = 0; }},
      {damaged + "an array is missing", [](Model &m) { m.object.variants = nullptr; }},
      {damaged + "an array is missing", [](Model &m) { m.object.variables = nullptr; }},
      {damaged + "not a sensible number of threads", [](Model &m) { m.object.threads = -1; }},
      {damaged + "a reserved field is not zero",
       [](Model &m) { m.object.reserved[0] = &something; }},
      {damaged + "a reserved field is not zero",
       [](Model &m) { m.object.reserved[1] = &something; }},
      {damaged + "a reserved field is not zero", [](Model &m) { m.variants[1].reserved[1] = &m; }},
      {damaged + "a reserved field is not zero", [](Model &m) { m.functions[0].reserved[0] = &m; }},
      {damaged + "a function is for another device than the model",
       [](Model &m) { m.object.device = "cpu"; }},
      {damaged + "a processor has no name", [](Model &m) { m.variants[1].cpu = nullptr; }},
      {damaged + "a variable has no name", [](Model &m) { m.variables[0].tensor.name = nullptr; }},
      {damaged + "a variable has no name",
       [](Model &m) { m.variables[1].tensor.location = nullptr; }},
      {damaged + "a variable has no dtype", [](Model &m) { m.variables[0].tensor.dtype = 0; }},
      {damaged + "a variable has no dtype", [](Model &m) { m.variables[0].tensor.dtype = 99; }},
      {damaged + "a variable has no sensible rank",
       [](Model &m) { m.variables[0].tensor.rank = -1; }},
      {damaged + "a variable has no sensible rank",
       [](Model &m) { m.variables[0].tensor.rank = 33; }},
      {damaged + "a variable has no sensible rank",
       [](Model &m) { m.variables[0].tensor.dims = nullptr; }},
      {damaged + "a variable has no sensible shape",
       [](Model &m) { m.variables[0].tensor.dims = negative; }},
      {damaged + "a variable has no sensible shape",
       [](Model &m) { m.variables[0].tensor.dims = huge; }},
      {damaged + "a reserved field is not zero",
       [](Model &m) { m.variables[1].reserved[0] = &something; }},
      {damaged + "a reserved field is not zero", [](Model &m) { m.variables[1].tensor.part = 1; }},
      {damaged + "a variable is in parts of no known kind",
       [](Model &m) { m.variables[1].part = &noKind; }},
      {damaged + "a variable is in parts along no dimension",
       [](Model &m) { m.variables[1].part = &noDimension; }},
      {damaged + "a variable is in parts along no dimension",
       [](Model &m) { m.variables[1].part = &noElements; }},
      {damaged + "a variable is in parts along no dimension",
       [](Model &m) {
         m.variables[1].part = &along;
         m.variables[1].tensor.dims = none;
       }},
      {damaged + "a variable is in parts of no sensible number of ranks",
       [](Model &m) { m.variables[1].part = &noRanks; }},
      {damaged + "a variable is in parts of no sensible number of ranks",
       [](Model &m) { m.variables[1].part = &unevenRanks; }},
      {damaged + "a variable is in parts of no sensible number of ranks",
       [](Model &m) { m.variables[1].part = &ranksOfElements; }},
      {damaged + "an axis of a mesh has no name", [](Model &m) { m.variables[1].part = &noName; }},
      {damaged + "a reserved field is not zero", [](Model &m) { m.variables[1].part = &reserved; }},
      // Functions that know nothing of it.
      {damaged + "a function uses a variable of another dtype or shape",
       [](Model &m) { m.variables[1].part = &along; }},
      {damaged + "a function uses a variable of another dtype or shape",
       [](Model &m) { m.variables[1].part = &elements; }},
      {damaged + "a number of the ranks is of no known kind",
       [](Model &m) { m.object.rank_numbers = &numbers[0]; }},
      {damaged + "a number of the ranks is of no known kind",
       [](Model &m) { m.object.rank_numbers = &numbers[1]; }},
      {damaged + "an axis of a mesh has no name",
       [](Model &m) { m.object.rank_numbers = &numbers[2]; }},
      {damaged + "a reserved field is not zero",
       [](Model &m) { m.object.rank_numbers = &numbers[3]; }},
      {damaged + "an array is missing", [](Model &m) { m.object.rank_numbers = &numbers[4]; }},
      {damaged + "not a sensible count", [](Model &m) { m.object.rank_numbers = &numbers[5]; }},
      {damaged + "a reserved field is not zero",
       [](Model &m) { m.object.rank_numbers = &numbers[6]; }},
      // A float where an int64 scalar should be.
      {damaged + "a function uses a variable of another dtype or shape",
       [](Model &m) {
         m.object.rank_numbers = &oneNumber;
         m.functions[0].variables = beyond;
       }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &noInputs; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &noText; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &ofNoPart; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &noFurther; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &fewerThanNone; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &ofNoOutput; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &ofNoDimension; }},
      {damaged + "a function lacks the axes that its parts are along",
       [](Model &m) { m.functions[0].part_axes = &ofNoAxis; }},
      {damaged + "the functions are missing", [](Model &m) { m.variants[1].functions = nullptr; }},
      {damaged + "a function is missing", [](Model &m) { m.functions[1].descriptor = nullptr; }},
      {damaged + "a function is missing", [](Model &m) { m.functions[0].variables = nullptr; }},
      {damaged + "a function is missing", [](Model &m) { m.step.descriptor.num_variables = -1; }},
      {damaged + "a function uses a variable that there is not",
       [](Model &m) { m.functions[0].variables = beyond; }},
      {damaged + "a function uses a variable that there is not",
       [](Model &m) { m.functions[0].variables = below; }},
      {damaged + "a function uses a variable of another dtype or shape",
       [](Model &m) { m.variables[1].tensor.dims = three; }},
      {damaged + "a function uses a variable of another dtype or shape",
       [](Model &m) { m.variables[1].tensor.dtype = KERATIN_DTYPE_INT32; }},
      {"the descriptor of function 'step' is damaged: entry 0: the function is missing",
       [](Model &m) { m.step.descriptor.entry = nullptr; }},
      {"function 'step' was compiled for ABI version 7; this runtime has version 4",
       [](Model &m) { m.step.descriptor.abi_version = 7; }},
  };
  CHECK(std::size(damages) >= 30);
  for (const Damage &damage : damages) {
    Model model;
    damage.damage(model);
    keratin_state_t *state = nullptr;
    keratin_status_t status;
    keratin_state_create(&model.object, &state, &status);
    CHECK(state == nullptr);
    CHECK(std::string(status.message) == damage.message);
  }
}

TEST_CASE("code for parts of several ranks is not called before they have joined") {
  FunctionBuilder read{"read", readEntry};
  read.variable("w", KERATIN_DTYPE_FLOAT32, {1}).output("y", KERATIN_DTYPE_FLOAT32, {1});
  Model model;
  const keratin_object_part_t ofTwo = {KERATIN_PART_ALONG, 0, nullptr, 2, {}};
  const int32_t variables[] = {1};
  keratin_object_function_t function = {read.build(), variables, nullptr, {}};
  model.variables[1].part = &ofTwo;
  model.variants[1].functions = &function;
  model.object.num_functions = 1;
  State state = makeState(model.object);
  CHECK(valueOf(state.get(), 1) == std::vector<float>{10, 20});
  Floats y({1});
  keratin_tensor_t out = y.view();
  keratin_status_t status;
  CHECK(keratin_state_invoke(state.get(), 0, nullptr, 0, &out, 1, nullptr, 0, &status) ==
        KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message) ==
        "model 'model' was compiled for the ranks of a mesh; its state has joined none");
}

TEST_CASE("a value for a part is one for the whole, in whatever layout") {
  Model model;
  const keratin_object_part_t elements = {KERATIN_PART_ELEMENTS, 0, nullptr, 0, {}};
  const int64_t dims[] = {2, 2}, strides[] = {1, 2};
  model.object.num_functions = 0;
  model.variables[0].part = &elements;
  model.variables[0].tensor.rank = 2;
  model.variables[0].tensor.dims = dims;
  State state = makeState(model.object);
  float turned[] = {1, 3, 2, 4}, found[4];
  const keratin_tensor_t value = {turned, KERATIN_DTYPE_FLOAT32, 2, dims, strides, nullptr};
  keratin_status_t status;
  REQUIRE(keratin_state_write(state.get(), 0, &value, &status) == KERATIN_OK);
  REQUIRE(keratin_state_read(state.get(), 0, found, sizeof(found), &status) == KERATIN_OK);
  for (int i = 0; i < 4; ++i)
    CHECK(found[i] == float(i + 1));
  const keratin_tensor_t line = {turned, KERATIN_DTYPE_FLOAT32, 1, model.dims, nullptr, nullptr};
  CHECK(keratin_state_write(state.get(), 0, &line, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "variable 'v' of model 'model': the new value has shape "
                                       "(2,); the variable has (2, 2)");
  CHECK(keratin_state_write(state.get(), 0, nullptr, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "keratin_state_write: value is NULL");
}

TEST_CASE("numbers of functions and variables are checked") {
  Model model;
  State state = makeState(model.object);
  keratin_status_t status;
  float data[2];
  keratin_state_read(state.get(), 2, data, 8, &status);
  CHECK(std::string(status.message) == "model 'model' has 2 variables; there is no variable 2");
  keratin_state_invoke(state.get(), -1, nullptr, 0, nullptr, 0, nullptr, 0, &status);
  CHECK(std::string(status.message) == "model 'model' has 2 functions; there is no function -1");
}

TEST_CASE("variables are found, listed, read and written by name") {
  Model model;
  State state = makeState(model.object);
  keratin_status_t status;
  int32_t number = -1;
  REQUIRE(keratin_state_find_variable(state.get(), "w", &number, &status) == KERATIN_OK);
  CHECK(number == 1);
  const char *name = nullptr;
  keratin_tensor_t view;
  REQUIRE(keratin_state_describe_variable(state.get(), 1, &name, &view, &status) == KERATIN_OK);
  CHECK(std::string(name) == "w");
  CHECK((view.dtype == KERATIN_DTYPE_FLOAT32 && view.rank == 1 && view.dims[0] == 2));
  CHECK((!view.data && !view.strides && !view.device));
  float data[2] = {3, 4};
  view.data = data;
  REQUIRE(keratin_state_write_variable(state.get(), "w", &view, &status) == KERATIN_OK);
  float found[2];
  REQUIRE(keratin_state_read_variable(state.get(), "w", found, sizeof found, &status) ==
          KERATIN_OK);
  CHECK((found[0] == 3 && found[1] == 4));
}

TEST_CASE("several variables are read and written by their numbers, all or none") {
  Model model;
  State state = makeState(model.object);
  keratin_status_t status;
  float v[] = {1, 2}, w[] = {3, 4};
  const int32_t numbers[] = {1, 0};
  keratin_tensor_t values[] = {{w, KERATIN_DTYPE_FLOAT32, 1, model.dims, nullptr, nullptr},
                               {v, KERATIN_DTYPE_FLOAT32, 1, model.dims, nullptr, nullptr}};
  auto write = [&](int32_t count = 2) {
    return keratin_state_write_several(state.get(), numbers, values, count, &status);
  };
  auto says = [&](const std::string &message) { CHECK(std::string(status.message) == message); };
  REQUIRE(write() == KERATIN_OK);
  CHECK(valueOf(state.get(), 0) == std::vector<float>{1, 2});
  CHECK(valueOf(state.get(), 1) == std::vector<float>{3, 4});
  w[0] = 5;
  values[1].dtype = KERATIN_DTYPE_INT32;
  CHECK(write() == KERATIN_INVALID_ARGUMENT);
  says("variable 'v' of model 'model': the new value has dtype int32; the variable has float32");
  CHECK(valueOf(state.get(), 1) == std::vector<float>{3, 4});
  float foundV[2], foundW[2];
  void *data[] = {foundW, foundV};
  size_t bytes[] = {8, 8};
  auto read = [&](const int32_t *which, int32_t count = 2) {
    return keratin_state_read_several(state.get(), which, data, bytes, count, &status);
  };
  REQUIRE(read(numbers) == KERATIN_OK);
  CHECK((foundV[0] == 1 && foundV[1] == 2 && foundW[0] == 3 && foundW[1] == 4));
  CHECK((read(nullptr, 0) == KERATIN_OK && write(0) == KERATIN_OK));
  bytes[1] = 4;
  CHECK(read(numbers) == KERATIN_INVALID_ARGUMENT);
  says("variable 'v' of model 'model': the buffer to read into has 4 bytes; the value has 8");
  const int32_t beyond[] = {0, 2};
  CHECK(read(beyond) == KERATIN_INVALID_ARGUMENT);
  says("model 'model' has 2 variables; there is no variable 2");
  CHECK(keratin_state_write_several(state.get(), beyond, values, 2, &status) ==
        KERATIN_INVALID_ARGUMENT);
  says("model 'model' has 2 variables; there is no variable 2");
}

TEST_CASE("names of variables are checked") {
  Model model;
  State state = makeState(model.object);
  keratin_status_t status;
  float data[2];
  auto says = [&](const std::string &message) { CHECK(std::string(status.message) == message); };
  keratin_state_read_variable(state.get(), "x", data, sizeof data, &status);
  says("model 'model' has no variable 'x'; it has 'v', 'w'");
  keratin_state_read_variable(state.get(), nullptr, data, sizeof data, &status);
  says("keratin_state_read_variable: name is NULL");
  keratin_state_write_variable(nullptr, "w", nullptr, &status);
  says("keratin_state_write_variable: state is NULL");
  keratin_state_find_variable(state.get(), "w", nullptr, &status);
  says("keratin_state_find_variable: variable is NULL");
  keratin_state_describe_variable(state.get(), 2, nullptr, nullptr, &status);
  says("model 'model' has 2 variables; there is no variable 2");
  keratin_state_read_variable(state.get(), "w", data, 4, &status);
  says("variable 'w' of model 'model': the buffer to read into has 4 bytes; the value has 8");
  const int64_t dims[] = {3};
  keratin_tensor_t value = {data, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
  keratin_state_write(state.get(), 0, &value, &status);
  says("variable 'v' of model 'model': the new value has shape (3,); the variable has (2,)");
  model.variables[1].tensor.name = "v";
  keratin_state_read_variable(state.get(), "v", data, sizeof data, &status);
  says("model 'model' has two variables 'v', numbers 0 and 1; needed one of them by its number");
}

TEST_CASE("the processor has what this test was compiled for") {
  auto has = [](const std::string &name) {
    for (int i = 0; const char *known = keratin::runtime::cpuFeatureName(i); ++i)
      if (known == name)
        return keratin::runtime::hostCpuFeatures().has(i);
    return false;
  };
#ifdef __x86_64__
  CHECK(has("avx2") == bool(__builtin_cpu_supports("avx2")));
  CHECK(has("avx512f") == bool(__builtin_cpu_supports("avx512f")));
  CHECK(has("fma") == bool(__builtin_cpu_supports("fma")));
#endif
  CHECK_FALSE(has("nothing"));
#if defined(__x86_64__) && defined(__linux__)
  // Of tiles by another way: the kernel's list of what the processor has, and of what it lets the
  // process use after it was asked, as looking does.
  constexpr long getPermissions = 0x1022, tileData = 18;
  uint64_t permissions = 0;
  const bool mayUse =
      syscall(SYS_arch_prctl, getPermissions, &permissions) == 0 && (permissions >> tileData & 1);
  std::ifstream processors("/proc/cpuinfo");
  const std::string text(std::istreambuf_iterator<char>(processors), {});
  const std::string flags = text.substr(std::min(text.find("\nflags"), text.size()));
  for (const std::string name : {"tile", "bf16", "int8"})
    CHECK(has("amx-" + name) == (mayUse && flags.find(" amx_" + name) != std::string::npos));
#endif
}
