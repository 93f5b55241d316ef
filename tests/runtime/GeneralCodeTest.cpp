// Code that assumes sizes to be equal, and general code beside it, written by hand.
#include "tests/runtime/FunctionBuilder.h"

using namespace keratin::testing;

namespace {

int ran = 0; // 1: the code that assumes; 2: the other

void assuming(keratin_context_t *, void *const *, const int64_t *) { ran = 1; }
void general(keratin_context_t *, void *const *, const int64_t *) { ran = 2; }

// f(x, y) with a size each, and an update.
FunctionBuilder function(keratin_entry_fn_t entry) {
  FunctionBuilder builder("f", entry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .input("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(1)})
      .output("z", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
      .symbol("x_dim0", 0, 0)
      .symbol("y_dim0", 1, 0);
  return builder;
}

struct Functions {
  FunctionBuilder special = function(assuming), whole = function(general);
  // The right side of what is assumed, y_dim0 == x_dim0, as a size that is computed first.
  explicit Functions(bool isComputed = false) {
    if (isComputed)
      special.program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, 1, KERATIN_SIZE_MUL});
    special.check(KERATIN_CHECK_EQUAL, 1, isComputed ? 2 : 0, "f: assumed");
    special.checks[0].status = KERATIN_SIZES_DIFFER;
    special.build();
    whole.build();
  }
};

keratin_status_t call(keratin_executable_t *executable, int64_t xSize, int64_t ySize) {
  float x[8] = {}, y[8] = {}, z[8];
  keratin_tensor_t inputs[] = {{x, KERATIN_DTYPE_FLOAT32, 1, &xSize, nullptr, nullptr},
                               {y, KERATIN_DTYPE_FLOAT32, 1, &ySize, nullptr, nullptr}};
  keratin_tensor_t output = {z, KERATIN_DTYPE_FLOAT32, 1, &xSize, nullptr, nullptr};
  keratin_status_t status = {};
  ran = 0;
  keratin_invoke(executable, nullptr, 0, inputs, 2, &output, 1, &status);
  return status;
}

} // namespace

TEST_CASE("a call runs the code that is for its sizes", "[general]") {
  for (bool isComputed : {false, true}) {
    Functions functions(isComputed);
    functions.special.descriptor.general = &functions.whole.descriptor;
    auto executable = makeExecutable(functions.special);
    for (int round = 0; round < 2; ++round) {
      CHECK(call(executable.get(), 3, 3).code == KERATIN_OK);
      CHECK(ran == 1);
      CHECK(call(executable.get(), 3, 1).code == KERATIN_OK);
      CHECK(ran == 2);
    }
    keratin_executable_trim(executable.get());
    const int64_t three = 3, one = 1;
    keratin_tensor_t inputs[] = {{nullptr, KERATIN_DTYPE_FLOAT32, 1, &three, nullptr, nullptr},
                                 {nullptr, KERATIN_DTYPE_FLOAT32, 1, &one, nullptr, nullptr}};
    int64_t dim = 0;
    CHECK(keratin_executable_output_dims(executable.get(), nullptr, 0, inputs, 2, 0, &dim,
                                         nullptr) == KERATIN_OK);
    CHECK(dim == 3);
  }
}

TEST_CASE("without general code the call says what differs", "[general]") {
  Functions functions;
  auto executable = makeExecutable(functions.special);
  keratin_status_t status = call(executable.get(), 3, 1);
  CHECK(ran == 0);
  CHECK(status.code == KERATIN_SIZES_DIFFER);
  CHECK(std::string(keratin_status_code_name(status.code)) == "SIZES_DIFFER");
  CHECK(std::string(status.message) == "f: assumed: sizes 1 and 3 must be equal; input 'y' has 1 "
                                       "on axis 0, input 'x' has 3 on axis 0");
}

TEST_CASE("general code may come later, once", "[general]") {
  Functions functions;
  auto whole = makeExecutable(functions.whole);
  auto executable = makeExecutable(functions.special);
  keratin_status_t status = {};
  REQUIRE(keratin_executable_set_general(executable.get(), whole.get(), &status) == KERATIN_OK);
  CHECK(call(executable.get(), 3, 1).code == KERATIN_OK);
  CHECK(ran == 2);
  CHECK(keratin_executable_set_general(executable.get(), whole.get(), &status) ==
        KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message) ==
        "function 'f' has general code already, or runs on another device than that");
  FunctionBuilder other("f", general);
  auto foreign = makeExecutable(other);
  CHECK(keratin_executable_set_general(executable.get(), foreign.get(), &status) ==
        KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "the descriptor of function 'f' is damaged: general code 0: "
                                       "it is of another signature, or not the last");
}
