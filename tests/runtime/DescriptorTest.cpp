#include "tests/runtime/FunctionBuilder.h"

using namespace keratin::testing;

namespace {

void nothing(keratin_context_t *, void *const *, const int64_t *) {}

// A function that uses every part of a descriptor, so that every part can be damaged.
FunctionBuilder whole() {
  alignas(64) static const float constant[2] = {};
  FunctionBuilder builder("f", nothing);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0), 4})
      .input("n", KERATIN_DTYPE_INT32, {1})
      .variable("v", KERATIN_DTYPE_FLOAT32, {4})
      .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(2)})
      .symbol("batch", 0, 0)
      .symbol("n", 1, 0, KERATIN_SYMBOL_INPUT_VALUE)
      .program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_SLOT, 1, KERATIN_SIZE_ADD})
      .check(KERATIN_CHECK_EQUAL, 0, 2, "message")
      .site(KERATIN_OUT_OF_RANGE, "message")
      .update(0, true)
      .constant(constant, sizeof(constant))
      .arena(2);
  return builder;
}

} // namespace

TEST_CASE("a whole descriptor is accepted") {
  FunctionBuilder builder = whole();
  CHECK(makeExecutable(builder));
}

TEST_CASE("damaged descriptors are refused with what is wrong") {
  struct Damage {
    const char *message;
    void (*apply)(FunctionBuilder &);
  };
  static const int64_t strayDims[] = {-9, 4};
  static const int64_t noOperand[] = {KERATIN_SIZE_CONST};
  static const int64_t laterSlot[] = {KERATIN_SIZE_SLOT, 2};
  static const int64_t lacking[] = {KERATIN_SIZE_CONST, 1, KERATIN_SIZE_ADD};
  static const int64_t leaving[] = {KERATIN_SIZE_CONST, 1, KERATIN_SIZE_CONST, 1};
  static const int64_t unknown[] = {KERATIN_SIZE_CONST, 1, KERATIN_SIZE_CONST, 1, 77};
  static const auto deep = [] {
    std::vector<int64_t> code;
    for (int i = 0; i < 65; ++i)
      code.insert(code.end(), {KERATIN_SIZE_CONST, 1});
    code.insert(code.end(), 64, KERATIN_SIZE_ADD);
    return code;
  }();
  static const Damage damages[] = {
      {"input 0: unknown dtype", [](auto &b) { b.inputs[0].dtype = 16; }},
      {"variable 0: unknown dtype", [](auto &b) { b.variables[0].dtype = 0; }},
      {"output 0: bad rank", [](auto &b) { b.outputs[0].rank = 33; }},
      {"input 0: bad rank", [](auto &b) { b.inputs[0].dims = nullptr; }},
      {"input 0: a dimension names no slot", [](auto &b) { b.inputs[0].dims = strayDims; }},
      {"symbol 0: unknown source", [](auto &b) { b.symbols[0].source = 3; }},
      {"symbol 0: no such input or variable", [](auto &b) { b.symbols[0].input = 2; }},
      {"symbol 0: no such dimension or element", [](auto &b) { b.symbols[0].index = 2; }},
      {"symbol 1: its source is not of an integer dtype", [](auto &b) { b.symbols[1].input = 0; }},
      {"size program 0: it is empty", [](auto &b) { b.programs[0].length = 0; }},
      {"size program 0: its last operation has no operand",
       [](auto &b) { b.programs[0] = {noOperand, 1}; }},
      {"size program 0: it reads a slot that is not computed before it",
       [](auto &b) { b.programs[0] = {laterSlot, 2}; }},
      {"size program 0: an operation lacks operands",
       [](auto &b) { b.programs[0] = {lacking, 3}; }},
      {"size program 0: it leaves more than one value",
       [](auto &b) { b.programs[0] = {leaving, 4}; }},
      {"size program 0: it has an unknown operation",
       [](auto &b) { b.programs[0] = {unknown, 5}; }},
      {"size program 0: it needs too deep a stack",
       [](auto &b) { b.programs[0] = {deep.data(), int64_t(deep.size())}; }},
      {"check 0: unknown kind", [](auto &b) { b.checks[0].kind = 5; }},
      {"check 0: no such slot", [](auto &b) { b.checks[0].rhs = 3; }},
      {"check 0: it lacks a status or a message", [](auto &b) { b.checks[0].status = 0; }},
      {"site 0: it lacks a status or a message", [](auto &b) { b.sites[0].message = nullptr; }},
      {"update 0: no such variable", [](auto &b) { b.updates[0].variable = 1; }},
      {"update 0: in_place is neither 0 nor 1", [](auto &b) { b.updates[0].in_place = 2; }},
      {"update 1: the variable has two updates", [](auto &b) { b.update(0, false); }},
      {"constant 0: it has no data", [](auto &b) { b.constants[0].data = nullptr; }},
      {"constant 0: it is not aligned",
       [](auto &b) { b.constants[0].data = static_cast<const char *>(b.constants[0].data) + 4; }},
      {"arena slot 3: no such slot", [](auto &b) { b.descriptor.arena_slot = 3; }},
      {"entry 0: the function is missing", [](auto &b) { b.descriptor.entry = nullptr; }},
      {"input 0: it is a part along no dimension", [](auto &b) { b.inputs[0].part = -1; }},
      {"input 0: it is a part along no dimension",
       [](auto &b) { b.inputs[0].part = b.inputs[0].rank + 1; }},
      {"number of axes 1: the array is missing",
       [](auto &b) {
         static const keratin_message_axes_t axes = {1, nullptr, {}};
         b.descriptor.axes = &axes;
       }},
      {"axis 0: it has no name",
       [](auto &b) {
         static const char *const names[] = {nullptr};
         static const keratin_message_axes_t axes = {1, names, {}};
         b.descriptor.axes = &axes;
       }},
      {"axes 0: a reserved field is not zero",
       [](auto &b) {
         static int other;
         static const keratin_message_axes_t axes = {0, nullptr, {&other}};
         b.descriptor.axes = &axes;
       }},
      {"symbol 0: no such axis",
       [](auto &b) { b.symbols[0] = {KERATIN_SYMBOL_RANK, 0, 1, "rank"}; }},
      {"symbol 0: no such axis",
       [](auto &b) { b.symbols[0] = {KERATIN_SYMBOL_RANKS, 0, 1, "ranks"}; }},
      {"number of collectives -1: it is negative",
       [](auto &b) { b.descriptor.num_collectives = -1; }},
      {"general code 0: it is of another signature, or not the last",
       [](auto &b) { b.descriptor.general = &b.descriptor; }},
      {"prepared bytes -1: no memory that the host has",
       [](auto &b) {
         static const keratin_prepared_t prepared = {-1, 0, nullptr, {}};
         b.descriptor.prepared = &prepared;
       }},
      {"number of prepared variables 1: the array is missing",
       [](auto &b) {
         static const keratin_prepared_t prepared = {64, 1, nullptr, {}};
         b.descriptor.prepared = &prepared;
       }},
      {"prepared variable 0: no such variable",
       [](auto &b) {
         static const int64_t variables[] = {1};
         static const keratin_prepared_t prepared = {64, 1, variables, {}};
         b.descriptor.prepared = &prepared;
       }},
      {"prepared variable 0: the function updates it",
       [](auto &b) {
         static const int64_t variables[] = {0};
         static const keratin_prepared_t prepared = {64, 1, variables, {}};
         b.descriptor.prepared = &prepared;
       }},
      {"prepared 0: a reserved field is not zero",
       [](auto &b) {
         static int other;
         static const keratin_prepared_t prepared = {64, 0, nullptr, {&other}};
         b.descriptor.prepared = &prepared;
       }},
      {"check 0: what is assumed is no equality, not known before the call, or not first",
       [](auto &b) {
         b.checks[0].kind = KERATIN_CHECK_AT_LEAST;
         b.checks[0].status = KERATIN_SIZES_DIFFER;
       }},
      {"check 1: what is assumed is no equality, not known before the call, or not first",
       [](auto &b) {
         b.check(KERATIN_CHECK_EQUAL, 0, 2, "message");
         b.checks[1].status = KERATIN_SIZES_DIFFER;
       }},
      {"device code 0: the device has no name",
       [](auto &b) {
         static const keratin_device_code_t code = {};
         b.descriptor.device_code = &code;
       }},
      {"image 0: it has no kind, no data, or a reserved field that is not zero",
       [](auto &b) {
         static const keratin_image_t image = {};
         static const keratin_device_code_t code = {"cpu", 1, &image, 0, nullptr, {}};
         b.descriptor.device_code = &code;
       }},
      {"device kernel 0: it has no name",
       [](auto &b) {
         static const char *const kernels[] = {nullptr};
         static const keratin_device_code_t code = {"cpu", 0, nullptr, 1, kernels, {}};
         b.descriptor.device_code = &code;
       }},
      {"number of kernels -1: not a sensible count",
       [](auto &b) { b.descriptor.num_kernels = -1; }},
      {"number of kernels 2: the array is missing", [](auto &b) { b.descriptor.num_kernels = 2; }},
      {"kernel 0: it lacks a name or a location",
       [](auto &b) {
         static const keratin_kernel_desc_t kernel = {};
         b.descriptor.num_kernels = 1;
         b.descriptor.kernels = &kernel;
       }},
  };
  for (const Damage &damage : damages) {
    FunctionBuilder builder = whole();
    damage.apply(builder);
    keratin_executable_t *executable = nullptr;
    keratin_status_t status;
    keratin_executable_create(builder.build(), &executable, &status);
    CHECK(status.code == KERATIN_INVALID_ARGUMENT);
    CHECK(std::string(status.message) ==
          std::string("the descriptor of function 'f' is damaged: ") + damage.message);
    CHECK(executable == nullptr);
  }
}

TEST_CASE("counts and the ABI version are checked before any array is read") {
  FunctionBuilder builder = whole();
  builder.build();
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  builder.descriptor.num_inputs = -1;
  keratin_executable_create(&builder.descriptor, &executable, &status);
  CHECK(std::string(status.message) == "the descriptor of function 'f' is damaged: number of "
                                       "inputs -1: not a sensible count");
  builder.build();
  builder.descriptor.checks = nullptr;
  keratin_executable_create(&builder.descriptor, &executable, &status);
  CHECK(std::string(status.message) ==
        "the descriptor of function 'f' is damaged: number of checks 1: the array is missing");
  builder.descriptor.abi_version = KERATIN_ABI_VERSION + 1;
  keratin_executable_create(&builder.descriptor, &executable, &status);
  CHECK(std::string(status.message) ==
        "function 'f' was compiled for ABI version 5; this runtime has version 4");
}
