// The state of a model compiled ahead of time: a session of its own, all its variables, and an
// executable a function.
#ifndef KERATIN_RUNTIME_OBJECT_STATE_H
#define KERATIN_RUNTIME_OBJECT_STATE_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Session.h"
#include "runtime/core/Status.h"
#include "runtime/include/keratin/object.h"
#include "runtime/object/VariablePart.h"

struct keratin_group_t;

namespace keratin::runtime {

// What states of several ranks do with their group: code that comes with whoever joins ranks
// (runtime/comm/StateRanks.cpp), so that models for one process hold nothing of it.
struct StateRanks {
  void (*destroy)(keratin_group_t *group);
  // Which rank this is of those along an axis of the mesh, by its name, and of how many; null: of
  // all.
  void (*place)(const keratin_group_t *group, const char *axis, int64_t &place, int64_t &places);
  // The parts of all of these, one behind the other.
  Code (*gather)(keratin_group_t *group, const keratin_object_variable_t &variable,
                 const void *part, int64_t elements, void *all, int64_t allElements,
                 keratin_status_t *status);
  // In the place of what the others do next.
  void (*fail)(keratin_group_t *group, const char *message);
};

} // namespace keratin::runtime

struct keratin_state_t {
  // Every model has the runtime within it: this is the address of something in the one that made
  // the state. First, whatever the version.
  const void *runtime = nullptr;
  const keratin_object_desc_t *object = nullptr;
  const keratin_object_variant_t *variant = nullptr;
  keratin_session_t *session = nullptr;
  // Arrays in `memory`: the variables, and behind them the rank numbers; the executables; for each
  // function its variables, in order.
  keratin_variable_t **variables = nullptr;
  keratin_executable_t **executables = nullptr;
  keratin_variable_t ***functionVariables = nullptr;
  void *memory = nullptr;
  size_t memoryBytes = 0;
  // The ranks that have such a state; null: this process is alone.
  keratin_group_t *group = nullptr;
  const keratin::runtime::StateRanks *ranks = nullptr;
  // Whether there are variables that this rank has a part of: until the ranks have joined it has
  // the whole of each.
  bool isDivided = false;
  // Whether the code is for parts that it does not have yet.
  bool awaitsRanks = false;

  ~keratin_state_t();
};

namespace keratin::runtime {

// KERATIN_OK for a state that this runtime made; else the failure of the function.
Code checkState(const keratin_state_t *state, const char *function, keratin_status_t *status);

// KERATIN_OK where there is one of this number among the `count` functions or variables.
Code checkNumber(const keratin_state_t &state, const char *kind, int32_t count, int32_t number,
                 keratin_status_t *status);

inline int32_t numRankNumbers(const keratin_object_desc_t &object) {
  return object.rank_numbers ? int32_t(object.rank_numbers->num_numbers) : 0;
}

// Memory for the new values of updates, so that no call has to ask for it.
bool reserveSpares(keratin_state_t &state);

// What this rank has of one of the variables.
VariablePart partOf(const keratin_state_t &state, int32_t number);
// Whether others have parts of it, which reading gathers: all ranks do it together.
bool isShared(const keratin_state_t &state, int32_t number);

// The whole values of several of the variables, as readSeveral(). What fails before the others are
// met fails on all ranks.
Code readWholes(const keratin_state_t &state, const SeveralVariables &variables, void *const *data,
                const size_t *bytes, int32_t &refused, keratin_status_t *status);
// The same of one, under the session's lock; the block gets it.
Code readWhole(const keratin_state_t &state, int32_t number, Block &whole,
               keratin_status_t *status);
// Takes this rank's parts of the values of several, as writeSeveral().
Code writeWholes(const keratin_state_t &state, const SeveralVariables &variables,
                 const keratin_tensor_t *values, int32_t &refused, keratin_status_t *status);
// Tells ranks that wait for this one, if there are any, of its failure, which is the result.
Code tellRanks(const keratin_state_t &state, Code code, const keratin_status_t *status);

// Gives all variables these values at once, which lie in the host's memory, whole and row-major.
Code replaceValues(keratin_state_t &state, BlockArray &values, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_STATE_H
