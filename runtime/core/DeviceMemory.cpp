// What is brought to a device between calls: code, constants, new values of variables.
#include "runtime/core/DeviceMemory.h"

#include "runtime/core/Descriptor.h"
#include "runtime/core/Executable.h"
#include "runtime/core/Session.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/core/Workspace.h"

#include <inttypes.h>

namespace keratin::runtime {

// Puts the constants on the device, and says where they are.
static Code sendConstants(keratin_executable_t &executable, keratin_status_t *status) {
  const keratin_function_desc_t &descriptor = executable.descriptor;
  const keratin_device_t &device = *executable.layout.device;
  auto noMemory = [&] {
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "function '%s': no memory on device '%s' for its constants",
                functionName(descriptor), device.name);
  };
  int64_t sum = 0;
  for (int32_t i = 0; i < descriptor.num_constants; ++i)
    if (!Workspace::addPiece(sum, descriptor.constants[i].bytes))
      return noMemory();
  executable.constants.setDevice(device);
  if (!executable.constants.reserve(size_t(sum)) ||
      !executable.constantAddresses.reserve(size_t(descriptor.num_constants) * sizeof(void *)))
    return noMemory();
  char *place = static_cast<char *>(executable.constants.data());
  auto **addresses = static_cast<void **>(executable.constantAddresses.data());
  for (int32_t i = 0; i < descriptor.num_constants; ++i) {
    const keratin_constant_desc_t &constant = descriptor.constants[i];
    addresses[i] = place;
    if (constant.bytes)
      if (Code code = device.copy_in(device.user, nullptr, 0, place, constant.data,
                                     size_t(constant.bytes), status))
        return code;
    place += Workspace::roundUp(constant.bytes);
  }
  executable.layout.constants = addresses;
  return KERATIN_OK;
}

Code loadOnDevice(keratin_executable_t &executable, keratin_status_t *status) {
  const keratin_device_t &device = *executable.layout.device;
  if (Code code = device.load(device.user, &executable.descriptor, &executable.module, status))
    return code;
  return sendConstants(executable, status);
}

// The view says that it lies on the device.
static Code checkOnDevice(const keratin_variable_t &variable, const keratin_tensor_t &value,
                          keratin_status_t *status) {
  const keratin_device_t &device = *variable.session->device;
  if (!isRowMajor(value))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "variable: the new value lies on device '%s' and is not row-major", device.name);
  keratin_status_t reason;
  if (!hasFunction(device, &keratin_device_t::check) ||
      device.check(device.user, value.data, variable.bytes, &reason) == KERATIN_OK)
    return KERATIN_OK;
  return fail(status, Code(reason.code),
              "variable: the new value is said to lie on device '%s', but %s", device.name,
              reason.message);
}

// What lies on the device stays there. From the host, by way of its memory where the view is not
// row-major.
Code stageOnDevice(const keratin_variable_t &variable, const keratin_tensor_t &value, Block &staged,
                   keratin_status_t *status) {
  const keratin_device_t &device = *variable.session->device;
  const bool isHere = value.device == &device, mustPack = !isHere && !isRowMajor(value);
  if (isHere && variable.bytes)
    if (Code code = checkOnDevice(variable, value, status))
      return code;
  Block packed;
  staged.setDevice(device);
  if (!staged.reserve(variable.bytes) || (mustPack && !packed.reserve(variable.bytes)))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "variable: no memory for %zu bytes of a new value on device '%s'", variable.bytes,
                device.name);
  if (mustPack)
    packRowMajor(value, packed.data());
  if (!variable.bytes)
    return KERATIN_OK;
  auto *copy = isHere ? device.copy_within : device.copy_in;
  return copy(device.user, nullptr, 0, staged.data(), mustPack ? packed.data() : value.data,
              variable.bytes, status);
}

Code fetchFromDevice(const keratin_variable_t &variable, Block &value, keratin_status_t *status) {
  const keratin_device_t &device = *variable.session->device;
  if (!value.reserve(variable.bytes))
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "variable: no memory for %zu bytes of a value on device '%s'", variable.bytes,
                device.name);
  return variable.bytes ? device.copy_out(device.user, nullptr, 0, value.data(),
                                          variable.value.data(), variable.bytes, status)
                        : KERATIN_OK;
}

Code sendToDevice(const keratin_variable_t &variable, Block &value, keratin_status_t *status) {
  keratin_tensor_t view = {.data = value.data(),
                           .dtype = variable.dtype,
                           .rank = variable.rank,
                           .dims = variable.dims,
                           .strides = nullptr,
                           .device = nullptr};
  Block staged;
  Code code = stageOnDevice(variable, view, staged, status);
  value.swap(staged);
  return code;
}

} // namespace keratin::runtime
