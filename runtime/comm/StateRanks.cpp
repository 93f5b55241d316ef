// States of models compiled ahead of time, of which each rank of a job has one.
#include "runtime/comm/StateRanks.h"

#include "runtime/comm/Axis.h"
#include "runtime/comm/Mesh.h"
#include "runtime/core/DType.h"
#include "runtime/core/Descriptor.h"
#include "runtime/object/State.h"

#include <inttypes.h>

using namespace keratin::runtime;

// Null: all ranks, as along any axis of a rank alone.
static keratin_axis_t axisOf(const keratin_group_t &group, const char *name) {
  keratin_axis_t axis = {};
  if (name)
    (void)keratin::comm::meshOf(group).find(name, axis);
  return axis;
}

static void placeOf(const keratin_group_t *group, const char *axis, int64_t &place,
                    int64_t &places) {
  const int32_t rank = keratin_group_rank(group);
  const keratin::comm::Members members =
      keratin::comm::membersOf(axisOf(*group, axis), rank, keratin_group_size(group));
  place = members.placeOf(rank);
  places = members.count;
}

static Code gatherParts(keratin_group_t *group, const keratin_object_variable_t &variable,
                        const void *part, int64_t elements, void *all, int64_t allElements,
                        keratin_status_t *status) {
  keratin_collective_t wanted = {};
  wanted.bytes = sizeof(wanted);
  wanted.kind = KERATIN_ALL_GATHER;
  wanted.dtype = variable.tensor.dtype;
  wanted.send = part;
  wanted.send_elements = elements;
  wanted.receive = all;
  wanted.receive_elements = allElements;
  wanted.name = variable.tensor.name;
  wanted.axis = axisOf(*group, variable.part->axis);
  return keratin_group_run(group, &wanted, status);
}

static constinit const StateRanks stateRanks = {.destroy = keratin_group_destroy,
                                                .place = placeOf,
                                                .gather = gatherParts,
                                                .fail = keratin_group_fail};

// Tells the others, who wait for this rank, why it does not come.
static Code refuse(const keratin_state_t &state, const keratin_status_t &status) {
  keratin_group_fail(state.group, status.message);
  return Code(status.code);
}

// The variable gets the value that rank 0 has.
static Code takeFromFirst(keratin_state_t &state, int32_t number, keratin_status_t *status) {
  const keratin_tensor_desc_t &tensor = state.object->variables[number].tensor;
  const size_t bytes = partOf(state, number).wholeBytes();
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

// How many ranks there are where the code is for so many.
static Code checkRanks(const keratin_state_t &state, const keratin_object_variable_t &variable,
                       keratin_status_t *status) {
  const keratin_object_part_t &part = *variable.part;
  int64_t place, places;
  placeOf(state.group, part.axis, place, places);
  if (!part.ranks || part.ranks == places)
    return KERATIN_OK;
  ShortText along;
  if (part.axis)
    along.add(" along the axis '%s'", part.axis);
  return fail(status, KERATIN_INVALID_ARGUMENT,
              "variable '%s' was compiled for parts of %" PRId64 " ranks%s; there are %" PRId64,
              variable.tensor.name, part.ranks, along.text(), places);
}

// Whether the mesh has all axes that parts are along. Axes of messages are their functions'.
static Code checkParts(const keratin_state_t &state, keratin_status_t *status) {
  auto check = [&](const char *kind, const char *name, const char *axis) {
    if (!axis || keratin::comm::hasAxis(*state.group, axis))
      return KERATIN_OK;
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "%s '%s' has parts along the axis '%s' of a mesh; the axes of the %d ranks are %s",
                kind, name, axis, keratin_group_size(state.group),
                keratin::comm::meshOf(*state.group).names().text());
  };
  for (int32_t i = 0; i < state.object->num_variables; ++i) {
    const keratin_object_variable_t &variable = state.object->variables[i];
    if (!variable.part)
      continue;
    if (Code code = check("variable", variable.tensor.name, variable.part->axis))
      return code;
    if (Code code = checkRanks(state, variable, status))
      return code;
  }
  for (int32_t i = 0; i < state.object->num_functions; ++i) {
    const keratin_object_function_t &function = state.variant->functions[i];
    const keratin_function_desc_t &descriptor = *function.descriptor;
    if (!function.part_axes)
      continue;
    const keratin_part_axes_t &axes = *function.part_axes;
    for (int32_t k = 0; k < descriptor.num_inputs; ++k)
      if (Code code = check("function", functionName(descriptor), axes.inputs[k]))
        return code;
    for (int32_t k = 0; k < descriptor.num_outputs; ++k)
      if (Code code = check("function", functionName(descriptor), axes.outputs[k]))
        return code;
    for (int64_t k = 0; k < axes.num_further; ++k)
      if (Code code = check("function", functionName(descriptor), axes.further[k].axis))
        return code;
  }
  return KERATIN_OK;
}

// The variable, of which this rank has the whole, becomes its part.
static Code takePart(keratin_state_t &state, int32_t number, keratin_status_t *status) {
  const keratin_object_variable_t &variable = state.object->variables[number];
  int64_t place, places;
  placeOf(state.group, variable.part->axis, place, places);
  if (places == 1)
    return KERATIN_OK;
  const VariablePart part(variable, place, places);
  Block whole, own;
  if (!own.reserve(part.bytes()))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the part of variable '%s'",
                variable.tensor.name);
  if (Code code = readWhole(state, number, whole, status))
    return code;
  part.cut(whole.data(), own.data());
  keratin_variable_t *made = nullptr, *before = state.variables[number];
  if (Code code = keratin_variable_create(state.session, variable.tensor.dtype, part.rank(),
                                          part.dims(), own.data(), &made, status))
    return code;
  for (int32_t i = 0; i < state.object->num_functions; ++i)
    for (int32_t k = 0; k < state.variant->functions[i].descriptor->num_variables; ++k)
      if (state.functionVariables[i][k] == before)
        state.functionVariables[i][k] = made;
  state.variables[number] = made;
  keratin_variable_release(before);
  return KERATIN_OK;
}

// From here on functions compute with the parts of this rank.
static Code divide(keratin_state_t &state, keratin_status_t *status) {
  const keratin_object_desc_t &object = *state.object;
  bool isDivided = false;
  for (int32_t i = 0; i < object.num_variables; ++i) {
    if (!object.variables[i].part)
      continue;
    int64_t place, places;
    placeOf(state.group, object.variables[i].part->axis, place, places);
    isDivided |= places > 1;
    if (Code code = takePart(state, i, status))
      return code;
  }
  for (int32_t i = 0; i < numRankNumbers(object); ++i) {
    const keratin_rank_number_t &number = object.rank_numbers->numbers[i];
    int64_t place, places;
    placeOf(state.group, number.axis, place, places);
    int64_t value = rankNumber(number, place, places);
    const keratin_tensor_t view = {&value, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr};
    if (Code code =
            keratin_variable_write(state.variables[object.num_variables + i], &view, status))
      return code;
  }
  state.isDivided = isDivided;
  state.awaitsRanks = false;
  return reserveSpares(state) ? KERATIN_OK
                              : fail(status, KERATIN_RESOURCE_EXHAUSTED,
                                     "no memory for a state of model '%s'", object.name);
}

// All ranks have their parts, or none goes on.
static Code divideTogether(keratin_state_t &state, keratin_status_t *status) {
  if (Code code = divide(state, status)) {
    (void)refuse(state, *status);
    keratin_group_leave(state.group);
    return code;
  }
  if (!state.isDivided)
    return KERATIN_OK;
  keratin_collective_t wanted = {};
  wanted.bytes = sizeof(wanted);
  wanted.kind = KERATIN_BARRIER;
  wanted.name = state.object->name;
  return keratin_group_run(state.group, &wanted, status);
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
  state->ranks = &stateRanks;
  keratin_status_t why = {};
  if (mesh.count() &&
      keratin_group_arrange(state->group, mesh.axes(), mesh.count(), &why) != KERATIN_OK)
    return refuseMesh(caller, *state, why, status);
  if (checkParts(*state, &why) != KERATIN_OK)
    return refuseMesh(caller, *state, why, status);
  for (int32_t i = 0; i < state->object->num_functions; ++i)
    if (keratin_executable_set_group(state->executables[i], state->group, &why) != KERATIN_OK)
      return refuseMesh(caller, *state, why, status);
  for (int32_t i = 0; i < state->object->num_variables; ++i)
    if (Code code = takeFromFirst(*state, i, said))
      return code;
  if (Code code = divideTogether(*state, said))
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
