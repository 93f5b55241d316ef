// The variables of a state by number and by name.
#include "runtime/core/DType.h"
#include "runtime/object/State.h"

#include <inttypes.h>
#include <string.h>

using namespace keratin::runtime;

namespace {

const char *nameOf(const keratin_state_t &state, int32_t variable) {
  return state.object->variables[variable].tensor.name;
}

// As many names as a message has room for.
ShortText knownNames(const keratin_state_t &state) {
  ShortText names;
  for (int32_t i = 0; i < state.object->num_variables; ++i)
    names.add("%s'%s'", i ? ", " : "", nameOf(state, i));
  return names;
}

// For this function of the API.
Code find(const keratin_state_t *given, const char *name, const char *function, int32_t &variable,
          keratin_status_t *status) {
  if (Code code = checkState(given, function, status))
    return code;
  if (Code code = checkPointers(status, function, {{name, "name"}}))
    return code;
  const keratin_state_t &state = *given;
  variable = -1;
  for (int32_t i = 0; i < state.object->num_variables; ++i) {
    if (strcmp(nameOf(state, i), name) != 0)
      continue;
    if (variable >= 0)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "model '%s' has two variables '%s', numbers %" PRId32 " and %" PRId32
                  "; needed one of them by its number",
                  state.object->name, name, variable, i);
    variable = i;
  }
  if (variable >= 0)
    return KERATIN_OK;
  return fail(status, KERATIN_INVALID_ARGUMENT, "model '%s' has no variable '%s'; it has %s",
              state.object->name, name,
              state.object->num_variables ? knownNames(state).text() : "none");
}

Code checkVariable(const keratin_state_t &state, int32_t variable, keratin_status_t *status) {
  return checkNumber(state, "variable", state.object->num_variables, variable, status);
}

// What reading and writing say of "variable" is said of this one.
Code named(const keratin_state_t &state, int32_t variable, Code code, keratin_status_t *status) {
  static const char subject[] = "variable:";
  if (code == KERATIN_OK || !status)
    return code;
  const keratin_status_t said = *status;
  const char *rest = said.message;
  for (const char *c = subject; *c; ++c) // without strncmp, a name more that objects would need
    if (*rest++ != *c)
      return code;
  return fail(status, code, "variable '%s' of model '%s':%s", nameOf(state, variable),
              state.object->name, rest);
}

Code checkVariables(const keratin_state_t &state, const int32_t *variables, int32_t count,
                    keratin_status_t *status) {
  for (int32_t i = 0; i < count; ++i)
    if (Code code = checkVariable(state, variables[i], status))
      return code;
  return KERATIN_OK;
}

Code read(const keratin_state_t &state, int32_t variable, void *data, size_t bytes,
          keratin_status_t *status) {
  int32_t refused;
  return named(state, variable,
               readWholes(state, {state.variables, &variable, 1}, &data, &bytes, refused, status),
               status);
}

Code write(const keratin_state_t &state, int32_t variable, const keratin_tensor_t *value,
           const char *function, keratin_status_t *status) {
  if (Code code = checkPointers(status, function, {{value, "value"}}))
    return code;
  int32_t refused;
  return named(state, variable,
               writeWholes(state, {state.variables, &variable, 1}, value, refused, status), status);
}

} // namespace

extern "C" keratin_status_code_t keratin_state_read(const keratin_state_t *state, int32_t variable,
                                                    void *data, size_t bytes,
                                                    keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkVariable(*state, variable, status))
    return code;
  return read(*state, variable, data, bytes, status);
}

extern "C" keratin_status_code_t keratin_state_write(keratin_state_t *state, int32_t variable,
                                                     const keratin_tensor_t *value,
                                                     keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkVariable(*state, variable, status))
    return code;
  return write(*state, variable, value, __func__, status);
}

extern "C" keratin_status_code_t keratin_state_read_several(const keratin_state_t *state,
                                                            const int32_t *variables,
                                                            void *const *data, const size_t *bytes,
                                                            int32_t count,
                                                            keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkPointers(status, __func__,
                                {{variables, "variables", count > 0},
                                 {data, "data", count > 0},
                                 {bytes, "bytes", count > 0}}))
    return code;
  if (Code code = checkVariables(*state, variables, count, status))
    return code;
  int32_t refused = 0;
  Code code =
      readWholes(*state, {state->variables, variables, count}, data, bytes, refused, status);
  return code ? named(*state, variables[refused], code, status) : code;
}

extern "C" keratin_status_code_t keratin_state_write_several(keratin_state_t *state,
                                                             const int32_t *variables,
                                                             const keratin_tensor_t *values,
                                                             int32_t count,
                                                             keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkPointers(
          status, __func__, {{variables, "variables", count > 0}, {values, "values", count > 0}}))
    return code;
  if (Code code = checkVariables(*state, variables, count, status))
    return code;
  int32_t refused = 0;
  Code code = writeWholes(*state, {state->variables, variables, count}, values, refused, status);
  return code ? named(*state, variables[refused], code, status) : code;
}

extern "C" keratin_status_code_t
keratin_state_describe_variable(const keratin_state_t *state, int32_t variable, const char **name,
                                keratin_tensor_t *view, keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkVariable(*state, variable, status))
    return code;
  const keratin_tensor_desc_t &tensor = state->object->variables[variable].tensor;
  if (name)
    *name = tensor.name;
  if (view)
    *view = {nullptr, tensor.dtype, tensor.rank, tensor.dims, nullptr, nullptr};
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_state_find_variable(const keratin_state_t *state,
                                                             const char *name, int32_t *variable,
                                                             keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{variable, "variable"}}))
    return code;
  int32_t found;
  if (Code code = find(state, name, __func__, found, status))
    return code;
  *variable = found;
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_state_read_variable(const keratin_state_t *state,
                                                             const char *name, void *data,
                                                             size_t bytes,
                                                             keratin_status_t *status) {
  int32_t variable;
  if (Code code = find(state, name, __func__, variable, status))
    return code;
  return read(*state, variable, data, bytes, status);
}

extern "C" keratin_status_code_t keratin_state_write_variable(keratin_state_t *state,
                                                              const char *name,
                                                              const keratin_tensor_t *value,
                                                              keratin_status_t *status) {
  int32_t variable;
  if (Code code = find(state, name, __func__, variable, status))
    return code;
  return write(*state, variable, value, __func__, status);
}
