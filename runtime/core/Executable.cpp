#include "runtime/core/Executable.h"
#include "runtime/core/CallPlan.h"
#include "runtime/core/Descriptor.h"
#include "runtime/core/DeviceSupport.h"
#include "runtime/core/GeneralCode.h"

#include <inttypes.h>

using namespace keratin::runtime;

keratin_executable_t::~keratin_executable_t() {
  if (descriptor.general)
    keratin_executable_destroy(general.load(std::memory_order_relaxed));
  leases.clear();
  if (module)
    layout.device->unload(layout.device->user, module);
  removePoolUser();
}

Code keratin_executable_t::load(const keratin_device_t *device, keratin_status_t *status) {
  const keratin_device_code_t *images = descriptor.device_code;
  if (Code code = findDeviceFor("function", functionName(descriptor),
                                images ? images->device : cpuDevice.name,
                                device ? device->name : nullptr, device, status))
    return code;
  if (!images)
    return KERATIN_OK;
  if (!device->load)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s' has code for device '%s', which runs none", functionName(descriptor),
                device->name);
  layout.device = device;
  layout.support = deviceSupport.load(std::memory_order_acquire); // it came with the device
  return layout.support->load(*this, status);
}

extern "C" const keratin_device_t *
keratin_executable_device(const keratin_executable_t *executable) {
  return executable ? executable->layout.device : nullptr;
}

extern "C" keratin_status_code_t
keratin_executable_create(const keratin_function_desc_t *descriptor,
                          keratin_executable_t **executable, keratin_status_t *status) {
  return keratin_executable_create_on(descriptor, nullptr, executable, status);
}

extern "C" keratin_status_code_t
keratin_executable_create_on(const keratin_function_desc_t *descriptor,
                             const keratin_device_t *device, keratin_executable_t **executable,
                             keratin_status_t *status) {
  if (Code code = checkPointers(status, "keratin_executable_create",
                                {{descriptor, "descriptor"}, {executable, "executable"}}))
    return code;
  if (Code code = validateDescriptor(*descriptor, status))
    return code;
  auto *made = makeObject<keratin_executable_t>(*descriptor);
  if (made)
    if (Code code = made->load(device, status)) {
      destroyObject(made);
      return code;
    }
  if (made && !made->prepared.reserve()) {
    const int64_t bytes = made->prepared.bytes();
    destroyObject(made);
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "function '%s': no memory for prepared values of %" PRId64 " bytes",
                functionName(*descriptor), bytes);
  }
  // The first lease is made here, so that the first call finds it.
  Lease *lease = made ? made->leases.take(made->descriptor, made->layout) : nullptr;
  if (!lease) {
    destroyObject(made);
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "function '%s': no memory for its executable",
                functionName(*descriptor));
  }
  made->leases.giveBack(lease);
  if (descriptor->general) {
    keratin_executable_t *general = nullptr;
    if (Code code = keratin_executable_create_on(descriptor->general, made->layout.device, &general,
                                                 status)) {
      destroyObject(made);
      return code;
    }
    made->general.store(general, std::memory_order_relaxed);
  }
  *executable = made;
  return succeed(status);
}

extern "C" void keratin_executable_destroy(keratin_executable_t *executable) {
  destroyObject(executable);
}

extern "C" const keratin_function_desc_t *
keratin_executable_descriptor(const keratin_executable_t *executable) {
  return executable ? &executable->descriptor : nullptr;
}

extern "C" void keratin_executable_trim(keratin_executable_t *executable) {
  for (; executable; executable = executable->general.load(std::memory_order_acquire))
    executable->leases.trim();
}

Code keratin::runtime::checkTakesWorkspace(const keratin_executable_t &executable,
                                           keratin_status_t *status) {
  if (!executable.descriptor.device_code)
    return KERATIN_OK;
  return fail(status, KERATIN_UNIMPLEMENTED,
              "function '%s' runs on device '%s'; it takes no workspace of the caller's",
              functionName(executable.descriptor), executable.layout.device->name);
}

// Plans a call and hands the executable that would do it, and the lease while it is held, to `use`.
template <typename Use>
static Code queryPlanOf(keratin_executable_t &executable, const CallArguments &arguments,
                        keratin_status_t *status, Use use) {
  keratin_session_t *session = nullptr;
  if (Code code = checkArguments(executable, arguments, session, status))
    return code;
  SessionGuard guard(session ? &session->lock : nullptr, /*exclusive=*/false);
  Lease *lease = executable.leases.take(executable.descriptor, executable.layout);
  if (!lease)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "function '%s': no memory for a call",
                functionName(executable.descriptor));
  Code code = planCall(executable, *lease, arguments, status);
  if (code == KERATIN_OK)
    use(executable, *lease);
  executable.leases.giveBack(lease);
  return code == KERATIN_OK ? succeed(status) : code;
}

template <typename Use>
static Code queryPlan(keratin_executable_t &executable, const CallArguments &arguments,
                      keratin_status_t *status, Use use) {
  return withCodeFor(executable, arguments, [&](keratin_executable_t &chosen) {
    return queryPlanOf(chosen, arguments, status, use);
  });
}

extern "C" keratin_status_code_t
keratin_executable_output_dims(keratin_executable_t *executable,
                               keratin_variable_t *const *variables, int32_t num_variables,
                               const keratin_tensor_t *inputs, int32_t num_inputs, int32_t output,
                               int64_t *dims, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}}))
    return code;
  const keratin_function_desc_t &descriptor = executable->descriptor;
  if (output < 0 || output >= descriptor.num_outputs)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s' has %" PRId32 " outputs; there is no output %" PRId32,
                functionName(descriptor), descriptor.num_outputs, output);
  if (Code code =
          checkPointers(status, __func__, {{dims, "dims", descriptor.outputs[output].rank > 0}}))
    return code;
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  return queryPlan(*executable, arguments, status, [&](const auto &, const Lease &lease) {
    const int64_t *planned = lease.outputDims;
    for (int32_t i = 0; i < output; ++i)
      planned += descriptor.outputs[i].rank;
    for (int32_t axis = 0; axis < descriptor.outputs[output].rank; ++axis)
      dims[axis] = planned[axis];
  });
}

extern "C" keratin_status_code_t keratin_executable_workspace_bytes(
    keratin_executable_t *executable, keratin_variable_t *const *variables, int32_t num_variables,
    const keratin_tensor_t *inputs, int32_t num_inputs, int64_t *bytes, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}, {bytes, "bytes"}}))
    return code;
  if (Code code = checkTakesWorkspace(*executable, status))
    return code;
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  bool fits = true;
  int64_t sum = 0;
  Code code =
      queryPlan(*executable, arguments, status, [&](const auto &chosen, const Lease &lease) {
        fits = workspaceBytes(chosen, arguments, lease, sum);
      });
  if (code == KERATIN_OK && !fits)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "function '%s': the bytes of the workspace do not fit in 64 bits",
                functionName(executable->descriptor));
  if (code == KERATIN_OK)
    *bytes = sum;
  return code;
}
