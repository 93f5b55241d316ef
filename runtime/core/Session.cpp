#include "runtime/core/Session.h"
#include "runtime/core/DType.h"
#include "runtime/core/DeviceSupport.h"
#include "runtime/core/Status.h"
#include "runtime/core/StridedCopy.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

using namespace keratin::runtime;

static void releaseSession(keratin_session_t *session) {
  if (session && session->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroyObject(session);
}

extern "C" keratin_status_code_t keratin_session_create(keratin_session_t **session,
                                                        keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{session, "session"}}))
    return code;
  return keratin_session_create_on(&cpuDevice, session, status);
}

extern "C" keratin_status_code_t keratin_session_create_on(const keratin_device_t *device,
                                                           keratin_session_t **session,
                                                           keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{device, "device"}, {session, "session"}}))
    return code;
  auto *made = makeObject<keratin_session_t>();
  if (!made)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for a session");
  made->device = device;
  *session = made;
  return succeed(status);
}

extern "C" void keratin_session_destroy(keratin_session_t *session) { releaseSession(session); }

extern "C" keratin_status_code_t keratin_variable_create(keratin_session_t *session, int32_t dtype,
                                                         int32_t rank, const int64_t *dims,
                                                         const void *initial,
                                                         keratin_variable_t **variable,
                                                         keratin_status_t *status) {
  if (Code code =
          checkPointers(status, __func__,
                        {{session, "session"}, {dims, "dims", rank > 0}, {variable, "variable"}}))
    return code;
  if (!isDType(dtype))
    return fail(status, KERATIN_INVALID_ARGUMENT, "variable: %" PRId32 " is no dtype", dtype);
  if (rank < 0 || rank > KERATIN_MAX_RANK)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "variable: rank %" PRId32 " is not between 0 and %d", rank, KERATIN_MAX_RANK);
  int64_t bytes = 0;
  if (!tensorBytes(dtype, rank, dims, bytes))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "variable: shape %s has a negative size, or more bytes than 64 bits count",
                dimsText(rank, dims).text());
  static constinit std::atomic<uint64_t> lastId{0};
  const keratin_device_t &device = *session->device;
  auto *made = makeObject<keratin_variable_t>();
  if (made)
    for (Block *block : {&made->value, &made->spare})
      block->setDevice(device);
  if (!made || !made->value.reserve(size_t(bytes))) {
    destroyObject(made);
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "variable: no memory for %" PRId64 " bytes of %s %s", bytes, dtypeName(dtype),
                dimsText(rank, dims).text());
  }
  session->references.fetch_add(1, std::memory_order_relaxed);
  made->session = session;
  made->id = lastId.fetch_add(1, std::memory_order_relaxed) + 1;
  made->dtype = dtype;
  made->rank = rank;
  for (int32_t axis = 0; axis < rank; ++axis)
    made->dims[axis] = dims[axis];
  made->bytes = size_t(bytes);
  if (Code code = bytes == 0 ? KERATIN_OK
                  : initial  ? device.copy_in(device.user, nullptr, 0, made->value.data(), initial,
                                              made->bytes, status)
                             : device.fill(device.user, nullptr, 0, made->value.data(), 0,
                                           made->bytes, status)) {
    keratin_variable_release(made);
    return code;
  }
  *variable = made;
  return succeed(status);
}

extern "C" void keratin_variable_retain(keratin_variable_t *variable) {
  if (variable)
    variable->references.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void keratin_variable_release(keratin_variable_t *variable) {
  if (!variable || variable->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  keratin_session_t *session = variable->session;
  destroyObject(variable);
  releaseSession(session);
}

extern "C" int32_t keratin_variable_dtype(const keratin_variable_t *variable) {
  return variable ? variable->dtype : KERATIN_DTYPE_INVALID;
}
extern "C" int32_t keratin_variable_rank(const keratin_variable_t *variable) {
  return variable ? variable->rank : 0;
}
extern "C" const int64_t *keratin_variable_dims(const keratin_variable_t *variable) {
  return variable ? variable->dims : nullptr;
}
extern "C" size_t keratin_variable_bytes(const keratin_variable_t *variable) {
  return variable ? variable->bytes : 0;
}

// Calls visit(i) for each variable, those of one session together under its lock, which is taken
// once: no call comes between them.
template <typename Visit>
static Code visitBySession(const SeveralVariables &variables, bool exclusive, Visit visit) {
  for (keratin_session_t *last = nullptr;;) {
    keratin_session_t *next = nullptr; // in the order of addresses
    for (int32_t i = 0; i < variables.count; ++i)
      if (auto *each = variables[i].session;
          uintptr_t(each) > uintptr_t(last) && (!next || uintptr_t(each) < uintptr_t(next)))
        next = each;
    if (!next)
      return KERATIN_OK;
    SessionGuard guard(&next->lock, exclusive);
    for (int32_t i = 0; i < variables.count; ++i)
      if (variables[i].session == next)
        if (Code code = visit(i))
          return code;
    last = next;
  }
}

// Under the lock of its session.
static Code copyOut(const keratin_variable_t &variable, void *data, keratin_status_t *status) {
  const keratin_device_t &device = *variable.session->device;
  return variable.bytes == 0 ? KERATIN_OK
                             : device.copy_out(device.user, nullptr, 0, data, variable.value.data(),
                                               variable.bytes, status);
}

static Code checkBuffer(const keratin_variable_t &variable, const void *data, size_t bytes,
                        keratin_status_t *status) {
  if (bytes == variable.bytes && (!bytes || data))
    return KERATIN_OK;
  return fail(status, KERATIN_INVALID_ARGUMENT,
              "variable: the buffer to read into has %zu bytes; the value has %zu",
              data ? bytes : 0, variable.bytes);
}

Code keratin::runtime::readSeveral(const SeveralVariables &variables, void *const *data,
                                   const size_t *bytes, int32_t &refused,
                                   keratin_status_t *status) {
  for (int32_t i = 0; i < variables.count; ++i) {
    refused = i;
    if (Code code = checkBuffer(variables[i], data[i], bytes[i], status))
      return code;
  }
  Code code = visitBySession(variables, /*exclusive=*/false, [&](int32_t i) {
    refused = i;
    return copyOut(variables[i], data[i], status);
  });
  return code ? code : succeed(status);
}

extern "C" keratin_status_code_t keratin_variable_read(const keratin_variable_t *variable,
                                                       void *data, size_t bytes,
                                                       keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{variable, "variable"}}))
    return code;
  auto *one = const_cast<keratin_variable_t *>(variable); // stays as it is
  return keratin_variables_read(&one, &data, &bytes, 1, status);
}

static Code checkVariables(keratin_variable_t *const *variables, int32_t count,
                           const char *function, keratin_status_t *status) {
  for (int32_t i = 0; i < count; ++i)
    if (Code code = checkPointers(status, function, {{variables[i], "variables"}}))
      return code;
  return KERATIN_OK;
}

extern "C" keratin_status_code_t keratin_variables_read(keratin_variable_t *const *variables,
                                                        void *const *data, const size_t *bytes,
                                                        int32_t count, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__,
                                {{variables, "variables", count > 0},
                                 {data, "data", count > 0},
                                 {bytes, "bytes", count > 0}}))
    return code;
  if (Code code = checkVariables(variables, count, __func__, status))
    return code;
  int32_t refused;
  return readSeveral({variables, nullptr, count}, data, bytes, refused, status);
}

Code keratin::runtime::checkValue(const keratin_variable_t &variable, int32_t rank,
                                  const int64_t *dims, size_t bytes, const keratin_tensor_t &value,
                                  keratin_status_t *status) {
  if (value.dtype != variable.dtype)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "variable: the new value has dtype %s; the variable has %s", dtypeName(value.dtype),
                dtypeName(variable.dtype));
  bool fits = value.rank == rank && (!value.rank || value.dims);
  for (int32_t axis = 0; fits && axis < rank; ++axis)
    fits = value.dims[axis] == dims[axis];
  if (!fits)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "variable: the new value has shape %s; the variable has %s",
                dimsText(value.dims ? value.rank : 0, value.dims).text(),
                dimsText(rank, dims).text());
  if (bytes && !value.data)
    return fail(status, KERATIN_INVALID_ARGUMENT, "variable: the new value has no data");
  const keratin_device_t *device = variable.session->device;
  if (isOnHost(value) || value.device == device)
    return KERATIN_OK;
  ShortText needed;
  if (!isOnCpu(variable))
    needed.add("device '%s' or ", device->name);
  return fail(status, KERATIN_INVALID_ARGUMENT,
              "variable: the new value lies on device '%s'; needed %sthe host's memory",
              value.device->name, needed.text());
}

// In the host's memory, where nothing can fail, or by exchange with what was staged; under the lock
// of its session.
static void assign(keratin_variable_t &variable, const keratin_tensor_t &value, Block *staged) {
  ++variable.version;
  if (staged)
    variable.value.swap(*staged);
  else
    packRowMajor(value, variable.value.data());
}

Code keratin::runtime::writeSeveral(const SeveralVariables &variables,
                                    const keratin_tensor_t *values, int32_t &refused,
                                    keratin_status_t *status) {
  bool areOnCpu = true;
  for (int32_t i = 0; i < variables.count; ++i) {
    refused = i;
    const keratin_variable_t &variable = variables[i];
    if (Code code =
            checkValue(variable, variable.rank, variable.dims, variable.bytes, values[i], status))
      return code;
    areOnCpu &= isOnCpu(variable);
  }
  BlockArray staged(areOnCpu ? 0 : variables.count);
  if (!staged)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "no memory for the values of %" PRId32 " variables", variables.count);
  for (int32_t i = 0; i < variables.count; ++i) {
    refused = i;
    if (isOnCpu(variables[i]))
      continue;
    if (Code code = deviceSupport.load()->stage(variables[i], values[i], staged[i], status))
      return code;
  }
  visitBySession(variables, /*exclusive=*/true, [&](int32_t i) {
    assign(variables[i], values[i], isOnCpu(variables[i]) ? nullptr : &staged[i]);
    return KERATIN_OK;
  });
  return succeed(status);
}

extern "C" keratin_status_code_t keratin_variable_write(keratin_variable_t *variable,
                                                        const keratin_tensor_t *value,
                                                        keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{variable, "variable"}, {value, "value"}}))
    return code;
  return keratin_variables_write(&variable, value, 1, status);
}

extern "C" keratin_status_code_t keratin_variables_write(keratin_variable_t *const *variables,
                                                         const keratin_tensor_t *values,
                                                         int32_t count, keratin_status_t *status) {
  if (Code code = checkPointers(
          status, __func__, {{variables, "variables", count > 0}, {values, "values", count > 0}}))
    return code;
  if (Code code = checkVariables(variables, count, __func__, status))
    return code;
  int32_t refused;
  return writeSeveral({variables, nullptr, count}, values, refused, status);
}
