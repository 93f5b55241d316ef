// Descriptors written by hand, and RAII around the C API: what the runtime's tests are made of.
#ifndef KERATIN_TESTS_RUNTIME_FUNCTIONBUILDER_H
#define KERATIN_TESTS_RUNTIME_FUNCTIONBUILDER_H

#include "runtime/include/keratin/object.h"
#include "runtime/include/keratin/runtime.h"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace keratin::testing {

// Owns what a descriptor points at. Slots: first all symbols, then programs.
class FunctionBuilder {
public:
  FunctionBuilder(const char *name, keratin_entry_fn_t entry) {
    descriptor = {};
    descriptor.abi_version = KERATIN_ABI_VERSION;
    descriptor.name = name;
    descriptor.entry = entry;
    descriptor.arena_slot = -1;
  }

  // A dim that is slot k.
  static int64_t slot(int64_t k) { return -1 - k; }

  keratin_tensor_desc_t tensor(const char *name, int32_t dtype, std::vector<int64_t> dims,
                               const char *location = "") {
    dimLists.push_back(std::move(dims));
    return {name,    dtype, int32_t(dimLists.back().size()), dimLists.back().data(), location,
            nullptr, {}};
  }
  FunctionBuilder &input(const char *name, int32_t dtype, std::vector<int64_t> dims,
                         const char *location = "") {
    inputs.push_back(tensor(name, dtype, std::move(dims), location));
    return *this;
  }
  FunctionBuilder &variable(const char *name, int32_t dtype, std::vector<int64_t> dims) {
    variables.push_back(tensor(name, dtype, std::move(dims)));
    return *this;
  }
  FunctionBuilder &output(const char *name, int32_t dtype, std::vector<int64_t> dims) {
    outputs.push_back(tensor(name, dtype, std::move(dims)));
    return *this;
  }
  FunctionBuilder &symbol(const char *name, int32_t input, int64_t index,
                          int32_t source = KERATIN_SYMBOL_INPUT_DIM) {
    symbols.push_back({source, input, index, name});
    return *this;
  }
  FunctionBuilder &program(std::vector<int64_t> code) {
    codes.push_back(std::move(code));
    programs.push_back({codes.back().data(), int64_t(codes.back().size())});
    return *this;
  }
  FunctionBuilder &check(int32_t kind, int64_t lhs, int64_t rhs, const char *message) {
    checks.push_back({kind, KERATIN_FAILED_PRECONDITION, lhs, rhs, message});
    return *this;
  }
  FunctionBuilder &site(int32_t status, const char *message) {
    sites.push_back({status, message});
    return *this;
  }
  FunctionBuilder &update(int32_t variable, bool inPlace) {
    updates.push_back({variable, inPlace});
    return *this;
  }
  FunctionBuilder &constant(const void *data, int64_t bytes) {
    constants.push_back({data, bytes});
    return *this;
  }
  FunctionBuilder &arena(int64_t slot) {
    descriptor.arena_slot = slot;
    return *this;
  }

  // Points the descriptor at the vectors as they are now.
  const keratin_function_desc_t *build() {
    descriptor.num_inputs = int32_t(inputs.size());
    descriptor.num_variables = int32_t(variables.size());
    descriptor.num_outputs = int32_t(outputs.size());
    descriptor.num_updates = int32_t(updates.size());
    descriptor.num_constants = int32_t(constants.size());
    descriptor.num_symbols = int64_t(symbols.size());
    descriptor.num_programs = int64_t(programs.size());
    descriptor.num_checks = int64_t(checks.size());
    descriptor.num_sites = int64_t(sites.size());
    descriptor.inputs = inputs.data();
    descriptor.variables = variables.data();
    descriptor.outputs = outputs.data();
    descriptor.updates = updates.data();
    descriptor.constants = constants.data();
    descriptor.symbols = symbols.data();
    descriptor.programs = programs.data();
    descriptor.checks = checks.data();
    descriptor.sites = sites.data();
    return &descriptor;
  }

  keratin_function_desc_t descriptor;
  std::vector<keratin_tensor_desc_t> inputs, variables, outputs;
  std::vector<keratin_symbol_desc_t> symbols;
  std::vector<keratin_size_program_t> programs;
  std::vector<keratin_check_t> checks;
  std::vector<keratin_site_t> sites;
  std::vector<keratin_update_desc_t> updates;
  std::vector<keratin_constant_desc_t> constants;

private:
  std::deque<std::vector<int64_t>> dimLists, codes;
};

struct Releaser {
  void operator()(keratin_session_t *session) const { keratin_session_destroy(session); }
  void operator()(keratin_variable_t *variable) const { keratin_variable_release(variable); }
  void operator()(keratin_executable_t *executable) const {
    keratin_executable_destroy(executable);
  }
  void operator()(keratin_state_t *state) const { keratin_state_destroy(state); }
};
using Session = std::unique_ptr<keratin_session_t, Releaser>;
using Variable = std::unique_ptr<keratin_variable_t, Releaser>;
using Executable = std::unique_ptr<keratin_executable_t, Releaser>;
using State = std::unique_ptr<keratin_state_t, Releaser>;

inline Session makeSession() {
  keratin_session_t *session = nullptr;
  REQUIRE(keratin_session_create(&session, nullptr) == KERATIN_OK);
  return Session(session);
}

inline Variable makeVariable(keratin_session_t *session, const std::vector<float> &values) {
  keratin_variable_t *variable = nullptr;
  int64_t dims[] = {int64_t(values.size())};
  REQUIRE(keratin_variable_create(session, KERATIN_DTYPE_FLOAT32, 1, dims, values.data(), &variable,
                                  nullptr) == KERATIN_OK);
  return Variable(variable);
}

inline std::vector<float> readVariable(const keratin_variable_t *variable) {
  std::vector<float> values(keratin_variable_bytes(variable) / sizeof(float));
  keratin_status_t status;
  keratin_variable_read(variable, values.data(), values.size() * sizeof(float), &status);
  return values;
}

inline Executable makeExecutable(FunctionBuilder &builder) {
  keratin_executable_t *executable = nullptr;
  keratin_status_t status;
  keratin_executable_create(builder.build(), &executable, &status);
  INFO(status.message);
  REQUIRE(status.code == KERATIN_OK);
  return Executable(executable);
}

inline State makeState(const keratin_object_desc_t &object) {
  keratin_state_t *state = nullptr;
  keratin_status_t status;
  keratin_state_create(&object, &state, &status);
  INFO(status.message);
  REQUIRE(status.code == KERATIN_OK);
  return State(state);
}

// A float32 tensor that owns its elements and dims.
struct Floats {
  Floats(std::vector<int64_t> dims, std::vector<float> values)
      : dims(std::move(dims)), values(std::move(values)) {}
  explicit Floats(std::vector<int64_t> shape) : dims(std::move(shape)) {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    values.resize(size_t(count));
  }

  keratin_tensor_t view() {
    return {values.data(), KERATIN_DTYPE_FLOAT32, int32_t(dims.size()), dims.data(), nullptr,
            nullptr};
  }

  std::vector<int64_t> dims;
  std::vector<float> values;
};

} // namespace keratin::testing

#endif // KERATIN_TESTS_RUNTIME_FUNCTIONBUILDER_H
