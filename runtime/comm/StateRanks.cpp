// States of models compiled ahead of time, of which each rank of a job has one.
#include "runtime/comm/StateRanks.h"

#include "runtime/comm/Mesh.h"
#include "runtime/core/DType.h"
#include "runtime/object/State.h"

using namespace keratin::runtime;

// Tells the others, who wait for this rank, why it does not come.
static Code refuse(const keratin_state_t &state, const keratin_status_t &status) {
  keratin_group_fail(state.group, status.message);
  return Code(status.code);
}

// The variable gets the value that rank 0 has.
static Code takeFromFirst(keratin_state_t &state, int32_t number, keratin_status_t *status) {
  const keratin_tensor_desc_t &tensor = state.object->variables[number].tensor;
  const size_t bytes = state.variables[number]->bytes;
  Block value;
  if (!value.reserve(bytes)) {
    fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the value of variable '%s'",
         tensor.name);
    return refuse(state, *status);
  }
  if (keratin_state_read(&state, number, value.data(), bytes, status))
    return refuse(state, *status);
  keratin_collective_t wanted = {};
  wanted.bytes = sizeof(wanted);
  wanted.kind = KERATIN_BROADCAST;
  wanted.dtype = tensor.dtype;
  wanted.send = wanted.receive = value.data();
  wanted.send_elements = wanted.receive_elements = int64_t(bytes) / dtypeSize(tensor.dtype);
  wanted.name = tensor.name;
  if (Code code = keratin_group_run(state.group, &wanted, status))
    return code;
  const keratin_tensor_t view = {value.data(), tensor.dtype, tensor.rank,
                                 tensor.dims,  nullptr,      nullptr};
  return keratin_state_write(&state, number, &view, status);
}

// What ranks with other meshes, or other functions, do not find as well.
static Code refuseMesh(const char *caller, const keratin_state_t &state,
                       const keratin_status_t &why, keratin_status_t *status) {
  (void)refuse(state, why);
  return fail(status, Code(why.code), "%s: %s", caller, why.message);
}

Code keratin::comm::joinRanks(const char *caller, keratin_state_t *state, keratin_comm_t *engine,
                              const char *text, keratin_status_t *status) {
  if (Code code = checkState(state, caller, status))
    return code;
  if (state->group)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "%s: the state of model '%s' has joined its ranks already", caller,
                state->object->name);
  MeshText mesh;
  if (Code code = text ? mesh.read(caller, text, status) : KERATIN_OK)
    return code;
  keratin_status_t own = {};
  keratin_status_t *said = status ? status : &own;
  if (!engine)
    if (Code code = keratin_comm_open(&engine, said))
      return code;
  if (Code code = keratin_group_create(engine, &state->group, said))
    return code;
  state->destroyGroup = keratin_group_destroy;
  keratin_status_t why = {};
  if (mesh.count() &&
      keratin_group_arrange(state->group, mesh.axes(), mesh.count(), &why) != KERATIN_OK)
    return refuseMesh(caller, *state, why, status);
  for (int32_t i = 0; i < state->object->num_functions; ++i)
    if (keratin_executable_set_group(state->executables[i], state->group, &why) != KERATIN_OK)
      return refuseMesh(caller, *state, why, status);
  for (int32_t i = 0; i < state->object->num_variables; ++i)
    if (Code code = takeFromFirst(*state, i, said))
      return code;
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_state_join(keratin_state_t *state, keratin_comm_t *engine,
                                                    keratin_status_t *status) {
  return keratin::comm::joinRanks(__func__, state, engine, nullptr, status);
}

extern "C" keratin_status_code_t keratin_state_join_mesh(keratin_state_t *state,
                                                         keratin_comm_t *engine, const char *mesh,
                                                         keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{mesh, "mesh"}}))
    return code;
  return keratin::comm::joinRanks(__func__, state, engine, mesh, status);
}

extern "C" keratin_status_code_t keratin_state_leave(keratin_state_t *state,
                                                     keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  keratin_group_leave(state->group);
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_state_ranks(const keratin_state_t *state, int32_t *rank,
                                                     int32_t *ranks, keratin_status_t *status) {
  if (Code code = checkState(state, __func__, status))
    return code;
  if (Code code = checkPointers(status, __func__, {{rank, "rank"}, {ranks, "ranks"}}))
    return code;
  *rank = state->group ? keratin_group_rank(state->group) : 0;
  *ranks = state->group ? keratin_group_size(state->group) : 1;
  return succeed(status);
}
