// The state of a model compiled ahead of time: a session of its own, all its variables, and an
// executable a function.
#ifndef KERATIN_RUNTIME_OBJECT_STATE_H
#define KERATIN_RUNTIME_OBJECT_STATE_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Session.h"
#include "runtime/core/Status.h"
#include "runtime/include/keratin/object.h"

struct keratin_group_t;

struct keratin_state_t {
  // Every model has the runtime within it: this is the address of something in the one that made
  // the state. First, whatever the version.
  const void *runtime = nullptr;
  const keratin_object_desc_t *object = nullptr;
  const keratin_object_variant_t *variant = nullptr;
  keratin_session_t *session = nullptr;
  // Arrays in `memory`: the variables; the executables; for each function its variables, in order.
  keratin_variable_t **variables = nullptr;
  keratin_executable_t **executables = nullptr;
  keratin_variable_t ***functionVariables = nullptr;
  void *memory = nullptr;
  size_t memoryBytes = 0;
  // The ranks that have such a state (runtime/comm/StateRanks.cpp); null: this process is alone.
  // What ends them comes with them, so that models that are not sharded hold nothing of it.
  keratin_group_t *group = nullptr;
  void (*destroyGroup)(keratin_group_t *group) = nullptr;

  ~keratin_state_t();
};

namespace keratin::runtime {

// KERATIN_OK for a state that this runtime made; else the failure of the function.
Code checkState(const keratin_state_t *state, const char *function, keratin_status_t *status);

// KERATIN_OK where there is one of this number among the `count` functions or variables.
Code checkNumber(const keratin_state_t &state, const char *kind, int32_t count, int32_t number,
                 keratin_status_t *status);

// Gives all variables these values at once, which lie in the host's memory.
Code replaceValues(keratin_state_t &state, BlockArray &values, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_STATE_H
