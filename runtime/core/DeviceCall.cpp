#include "runtime/core/DeviceCall.h"

#include "runtime/core/Descriptor.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/core/Workspace.h"

#include <inttypes.h>

namespace keratin::runtime {

Code DeviceCall::noMemory(const char *what, int64_t bytes) {
  return fail(status, KERATIN_RESOURCE_EXHAUSTED,
              "function '%s': no memory on device '%s' for %s of %" PRId64 " bytes",
              functionName(descriptor), device.name, what, bytes);
}

Code DeviceCall::refuseView(const char *role, int32_t number, const keratin_tensor_desc_t &stated,
                            const keratin_tensor_t &view) {
  if (!liesHere(view) && !isOnHost(view))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s': %s lies on device '%s'; needed device '%s' or the host's memory",
                functionName(descriptor), tensorText(role, number, stated).text(),
                deviceOf(view).name, device.name);
  return fail(status, KERATIN_INVALID_ARGUMENT,
              "function '%s': %s lies on device '%s' and is not row-major",
              functionName(descriptor), tensorText(role, number, stated).text(), device.name);
}

// Adds what a piece on a boundary takes. False where the sum does not fit in memory.
static bool addPiece(int64_t &sum, int64_t bytes) {
  if (bytes > PTRDIFF_MAX - KERATIN_ALIGNMENT - sum)
    return false;
  sum += Workspace::roundUp(bytes);
  return true;
}

Code DeviceCall::bindInputs(const keratin_tensor_t *inputs, void **buffers) {
  int64_t sum = 0;
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    const keratin_tensor_t &input = inputs[i];
    int64_t bytes = lease.inputBytes[i];
    if (bytes && !input.data)
      return fail(status, KERATIN_INVALID_ARGUMENT, "function '%s': %s is fed no data",
                  functionName(descriptor), tensorText("input", i, descriptor.inputs[i]).text());
    bool isHere = liesHere(input);
    if (isHere ? !isRowMajor(input) : !isOnHost(input))
      return refuseView("input", i, descriptor.inputs[i], input);
    if (!isHere && !addPiece(sum, bytes))
      return noMemory("inputs", PTRDIFF_MAX);
  }
  if (!lease.packed.reserve(size_t(sum)))
    return noMemory("inputs", sum);
  char *place = static_cast<char *>(lease.packed.data());
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    bool isHere = liesHere(inputs[i]);
    buffers[i] = isHere ? inputs[i].data : place;
    place += isHere ? 0 : Workspace::roundUp(lease.inputBytes[i]);
  }
  return KERATIN_OK;
}

Code DeviceCall::sendInputs(const keratin_tensor_t *inputs, void *const *buffers) {
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    int64_t bytes = lease.inputBytes[i];
    if (!bytes || liesHere(inputs[i]))
      continue;
    const void *from = inputs[i].data;
    if (!isRowMajor(inputs[i])) {
      void *packed = staging(bytes);
      if (!packed)
        return KERATIN_RESOURCE_EXHAUSTED;
      packRowMajor(inputs[i], packed);
      from = packed;
    }
    if (Code code = send(buffers[i], from, bytes, 0))
      return code;
  }
  return KERATIN_OK;
}

Code DeviceCall::bindOutputs(void *const *given, const keratin_tensor_t *views, void **buffers) {
  int64_t sum = 0;
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    if (views && !liesHere(views[i]) && !isOnHost(views[i]))
      return refuseView("output", i, descriptor.outputs[i], views[i]);
    if (!(views && liesHere(views[i])) && !addPiece(sum, lease.outputBytes[i]))
      return noMemory("outputs", PTRDIFF_MAX);
  }
  if (!lease.results.reserve(size_t(sum)))
    return noMemory("outputs", sum);
  char *place = static_cast<char *>(lease.results.data());
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    bool isHere = views && liesHere(views[i]);
    buffers[i] = isHere ? given[i] : place;
    place += isHere ? 0 : Workspace::roundUp(lease.outputBytes[i]);
  }
  return KERATIN_OK;
}

void *DeviceCall::staging(int64_t bytes) {
  if (bytes >= 0 && bytes <= int64_t(sizeof(scalars)))
    return scalars;
  if (bytes >= 0 && bytes < PTRDIFF_MAX && lease.staged.reserve(size_t(bytes)))
    return lease.staged.data();
  fail(status, KERATIN_RESOURCE_EXHAUSTED,
       "function '%s': no memory for %" PRId64 " bytes that go to or from device '%s'",
       functionName(descriptor), bytes, device.name);
  return nullptr;
}

Code sendConstants(const keratin_function_desc_t &descriptor, const keratin_device_t &device,
                   Block &data, Block &addresses, keratin_status_t *status) {
  auto noMemory = [&] {
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "function '%s': no memory on device '%s' for its constants",
                functionName(descriptor), device.name);
  };
  int64_t sum = 0;
  for (int32_t i = 0; i < descriptor.num_constants; ++i)
    if (!addPiece(sum, descriptor.constants[i].bytes))
      return noMemory();
  data.setDevice(device);
  if (!data.reserve(size_t(sum)) ||
      !addresses.reserve(size_t(descriptor.num_constants) * sizeof(void *)))
    return noMemory();
  char *place = static_cast<char *>(data.data());
  for (int32_t i = 0; i < descriptor.num_constants; ++i) {
    const keratin_constant_desc_t &constant = descriptor.constants[i];
    static_cast<void **>(addresses.data())[i] = place;
    if (constant.bytes)
      if (Code code = device.copy_in(device.user, nullptr, 0, place, constant.data,
                                     size_t(constant.bytes), status))
        return code;
    place += Workspace::roundUp(constant.bytes);
  }
  return KERATIN_OK;
}

} // namespace keratin::runtime
