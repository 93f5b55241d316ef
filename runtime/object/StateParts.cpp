// The variables of a state of which each rank has a part: whole values for whoever reads and writes
// them.
#include "runtime/core/DType.h"
#include "runtime/core/DeviceSupport.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/object/State.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::runtime {

VariablePart partOf(const keratin_state_t &state, int32_t number) {
  const keratin_object_variable_t &variable = state.object->variables[number];
  int64_t place = 0, places = 1;
  if (state.isDivided && variable.part)
    state.ranks->place(state.group, variable.part->axis, place, places);
  return {variable, place, places};
}

bool isShared(const keratin_state_t &state, int32_t number) {
  return state.isDivided && !partOf(state, number).isWhole();
}

Code tellRanks(const keratin_state_t &state, Code code, const keratin_status_t *status) {
  if (code && state.isDivided)
    state.ranks->fail(state.group, status ? status->message : "a rank has failed");
  return code;
}

static Code noMemory(const keratin_state_t &state, int32_t number, keratin_status_t *status) {
  return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for the value of variable '%s'",
              state.object->variables[number].tensor.name);
}

// The whole of a variable of which this rank has this part.
static Code gather(const keratin_state_t &state, int32_t number, const void *own, void *whole,
                   keratin_status_t *status) {
  const VariablePart part = partOf(state, number);
  Block all;
  if (!part.liesInOrder() && !all.reserve(part.bytesOfAll()))
    return tellRanks(state, noMemory(state, number, status), status);
  void *gathered = part.liesInOrder() ? whole : all.data();
  if (Code code = state.ranks->gather(state.group, state.object->variables[number], own,
                                      part.elements(), gathered, part.elementsOfAll(), status))
    return code;
  if (!part.liesInOrder())
    part.join(gathered, whole);
  return KERATIN_OK;
}

//===-- Reading -------------------------------------------------------------------------------===//

// Parts of one moment; what they are together is gathered afterwards.
Code readWholes(const keratin_state_t &state, const SeveralVariables &variables, void *const *data,
                const size_t *bytes, int32_t &refused, keratin_status_t *status) {
  if (!state.isDivided)
    return readSeveral(variables, data, bytes, refused, status);
  const int32_t count = variables.count;
  BlockArray parts(count);
  Block places, sizes;
  bool isRoom = bool(parts) && places.reserve(size_t(count) * sizeof(void *)) &&
                sizes.reserve(size_t(count) * sizeof(size_t));
  auto **to = static_cast<void **>(places.data());
  auto *size = static_cast<size_t *>(sizes.data());
  bool areShared = false;
  keratin_status_t own = {};
  keratin_status_t *said = status ? status : &own;
  auto tell = [&](Code code) { return areShared ? tellRanks(state, code, said) : code; };
  for (int32_t i = 0; i < count; ++i)
    areShared |= isShared(state, variables.numberOf(i));
  for (int32_t i = 0; isRoom && i < count; ++i) {
    refused = i;
    to[i] = data[i];
    size[i] = bytes[i];
    if (!isShared(state, variables.numberOf(i)))
      continue;
    const VariablePart part = partOf(state, variables.numberOf(i));
    if (bytes[i] != part.wholeBytes() || !data[i])
      return tell(fail(said, KERATIN_INVALID_ARGUMENT,
                       "variable: the buffer to read into has %zu bytes; the value has %zu",
                       data[i] ? bytes[i] : 0, part.wholeBytes()));
    isRoom = parts[i].reserve(part.bytes());
    to[i] = parts[i].data();
    size[i] = part.bytes();
  }
  if (!isRoom)
    return tell(fail(said, KERATIN_RESOURCE_EXHAUSTED,
                     "no memory for the values of %" PRId32 " variables", count));
  if (Code code = readSeveral(variables, to, size, refused, said))
    return tell(code);
  for (int32_t i = 0; i < count; ++i) {
    refused = i;
    if (isShared(state, variables.numberOf(i)))
      if (Code code = gather(state, variables.numberOf(i), to[i], data[i], said))
        return code;
  }
  return succeed(status);
}

Code readWhole(const keratin_state_t &state, int32_t number, Block &whole,
               keratin_status_t *status) {
  const keratin_variable_t &variable = *state.variables[number];
  const bool gathers = isShared(state, number);
  Block fetched;
  Block &own = gathers ? fetched : whole;
  const void *value = variable.value.data();
  Code code = KERATIN_OK;
  if (!isOnCpu(variable))
    code = deviceSupport.load()->fetch(variable, own, status);
  if (code == KERATIN_OK && isOnCpu(variable) && !gathers) {
    if (whole.reserve(variable.bytes))
      memcpy(whole.data(), value, variable.bytes);
    else
      code = noMemory(state, number, status);
  }
  if (code == KERATIN_OK && gathers && !whole.reserve(partOf(state, number).wholeBytes()))
    code = noMemory(state, number, status);
  if (code || !gathers)
    return code && gathers ? tellRanks(state, code, status) : code;
  return gather(state, number, isOnCpu(variable) ? value : fetched.data(), whole.data(), status);
}

//===-- Writing -------------------------------------------------------------------------------===//

namespace {

// A value for a variable as one for its part.
struct OwnValue {
  keratin_tensor_t view;
  int64_t dims[KERATIN_MAX_RANK], strides[KERATIN_MAX_RANK];
};

// The part of a view of the host's memory along a dimension is a view, too.
void takeAlong(const VariablePart &part, OwnValue &own) {
  const keratin_tensor_t whole = own.view;
  int64_t stride = 1;
  for (int32_t i = whole.rank; i-- > 0; stride *= whole.dims[i]) {
    own.strides[i] = whole.strides ? whole.strides[i] : stride;
    own.dims[i] = part.dims()[i];
  }
  if (part.elements())
    own.view.data = static_cast<char *>(whole.data) +
                    part.begin() * own.strides[part.dimension()] * dtypeSize(whole.dtype);
  own.view.dims = own.dims;
  own.view.strides = own.strides;
}

// From where it lies to the host's memory, row-major.
Code pack(const keratin_tensor_t &value, size_t bytes, Block &packed, keratin_status_t *status) {
  if (!packed.reserve(bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "variable: no memory for %zu bytes of a new value", bytes);
  if (isOnHost(value)) {
    packRowMajor(value, packed.data());
    return KERATIN_OK;
  }
  const keratin_device_t &device = *value.device;
  if (!isRowMajor(value))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "variable: the new value lies on device '%s' and is not row-major", device.name);
  return device.copy_out(device.user, nullptr, 0, packed.data(), value.data, bytes, status);
}

Code takeOwn(const keratin_state_t &state, int32_t number, OwnValue &own, Block &memory,
             keratin_status_t *status) {
  const keratin_tensor_desc_t &tensor = state.object->variables[number].tensor;
  const VariablePart part = partOf(state, number);
  if (Code code = checkValue(*state.variables[number], tensor.rank, tensor.dims, part.wholeBytes(),
                             own.view, status))
    return code;
  if (!part.isOfElements() && isOnHost(own.view)) {
    takeAlong(part, own);
    return KERATIN_OK;
  }
  Block packed;
  if (Code code = pack(own.view, part.wholeBytes(), packed, status))
    return code;
  if (!memory.reserve(part.bytes()))
    return noMemory(state, number, status);
  part.cut(packed.data(), memory.data());
  for (int32_t i = 0; i < part.rank(); ++i)
    own.dims[i] = part.dims()[i];
  own.view = {memory.data(), tensor.dtype, part.rank(), own.dims, nullptr, nullptr};
  return KERATIN_OK;
}

} // namespace

Code writeWholes(const keratin_state_t &state, const SeveralVariables &variables,
                 const keratin_tensor_t *values, int32_t &refused, keratin_status_t *status) {
  const int32_t count = variables.count;
  bool haveParts = false;
  for (int32_t i = 0; i < count; ++i)
    haveParts |= state.object->variables[variables.numberOf(i)].part != nullptr;
  if (!haveParts)
    return writeSeveral(variables, values, refused, status);
  Block owns, views;
  BlockArray memories(count);
  if (!owns.reserve(size_t(count) * sizeof(OwnValue)) ||
      !views.reserve(size_t(count) * sizeof(keratin_tensor_t)) || !memories)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "no memory for the values of %" PRId32 " variables", count);
  auto *own = static_cast<OwnValue *>(owns.data());
  auto *view = static_cast<keratin_tensor_t *>(views.data());
  for (int32_t i = 0; i < count; ++i) {
    refused = i;
    own[i].view = values[i];
    if (state.object->variables[variables.numberOf(i)].part)
      if (Code code = takeOwn(state, variables.numberOf(i), own[i], memories[i], status))
        return code;
    view[i] = own[i].view;
  }
  return writeSeveral(variables, view, refused, status);
}

Code replaceValues(keratin_state_t &state, BlockArray &values, keratin_status_t *status) {
  const int32_t count = state.object->num_variables;
  for (int32_t i = 0; i < count; ++i) {
    if (isShared(state, i)) {
      const VariablePart part = partOf(state, i);
      Block own;
      if (!own.reserve(part.bytes()))
        return noMemory(state, i, status);
      part.cut(values[i].data(), own.data());
      values[i].swap(own);
    }
    if (!isOnCpu(*state.variables[i]))
      if (Code code = deviceSupport.load()->send(*state.variables[i], values[i], status))
        return code;
  }
  SessionGuard guard(&state.session->lock, /*exclusive=*/true);
  for (int32_t i = 0; i < count; ++i) {
    state.variables[i]->value.swap(values[i]);
    ++state.variables[i]->version;
  }
  return succeed(status);
}

} // namespace keratin::runtime
