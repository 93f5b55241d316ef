// States of models compiled ahead of time, of which each rank of a job has one.
#include "runtime/core/DType.h"
#include "runtime/include/keratin/comm.h"
#include "runtime/object/State.h"

#include <stdlib.h>
#include <string.h>

using namespace keratin::runtime;

static constexpr int32_t mostAxes = 16;

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

namespace {
struct MeshText {
  Block names;
  keratin_mesh_axis_t axes[mostAxes];
  int32_t count = 0;
};
} // namespace

static Code readMesh(const char *function, const char *text, MeshText &mesh,
                     keratin_status_t *status) {
  const size_t bytes = strlen(text) + 1;
  if (!mesh.names.reserve(bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory for the names of axes",
                function);
  memcpy(mesh.names.data(), text, bytes);
  for (char *name = static_cast<char *>(mesh.names.data()), *end = nullptr; name;) {
    auto *colon = static_cast<char *>(memchr(name, ':', strlen(name)));
    const long ranks = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || mesh.count == mostAxes || (*end && *end != ',') || ranks < 1 || ranks > INT32_MAX)
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "%s: found a mesh '%s'; needed names and numbers of ranks of 1 to %d axes, as "
                  "'data:2,model:2'",
                  function, text, mostAxes);
    *colon = '\0';
    mesh.axes[mesh.count++] = {name, int32_t(ranks)};
    name = *end ? end + 1 : nullptr;
  }
  return KERATIN_OK;
}

static Code join(const char *function, keratin_state_t *state, keratin_comm_t *engine,
                 const char *text, keratin_status_t *status) {
  if (Code code = checkState(state, function, status))
    return code;
  if (state->group)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "%s: the state of model '%s' has joined its ranks already", function,
                state->object->name);
  MeshText mesh;
  if (Code code = text ? readMesh(function, text, mesh, status) : KERATIN_OK)
    return code;
  keratin_status_t own = {};
  keratin_status_t *said = status ? status : &own;
  if (!engine)
    if (Code code = keratin_comm_open(&engine, said))
      return code;
  if (Code code = keratin_group_create(engine, &state->group, said))
    return code;
  state->destroyGroup = keratin_group_destroy;
  if (mesh.count)
    if (Code code = keratin_group_arrange(state->group, mesh.axes, mesh.count, said))
      return code;
  for (int32_t i = 0; i < state->object->num_functions; ++i)
    if (Code code = keratin_executable_set_group(state->executables[i], state->group, said))
      return code;
  for (int32_t i = 0; i < state->object->num_variables; ++i)
    if (Code code = takeFromFirst(*state, i, said))
      return code;
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_state_join(keratin_state_t *state, keratin_comm_t *engine,
                                                    keratin_status_t *status) {
  return join(__func__, state, engine, nullptr, status);
}

extern "C" keratin_status_code_t keratin_state_join_mesh(keratin_state_t *state,
                                                         keratin_comm_t *engine, const char *mesh,
                                                         keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{mesh, "mesh"}}))
    return code;
  return join(__func__, state, engine, mesh, status);
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
