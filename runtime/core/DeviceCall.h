// A call of a function whose kernels run on a device with memory of its own: where inputs and
// outputs lie there, what goes to and fro, and what the entry function has the device do.
#ifndef KERATIN_RUNTIME_CORE_DEVICECALL_H
#define KERATIN_RUNTIME_CORE_DEVICECALL_H

#include "runtime/core/Executable.h"

namespace keratin::runtime {

class DeviceCall {
public:
  // The lease is one of the executable's.
  DeviceCall(const keratin_executable_t &executable, Lease &lease, keratin_status_t *status)
      : device(*executable.layout.device), module(executable.module),
        descriptor(executable.descriptor), lease(lease), status(status) {}

  // Functions return KERATIN_OK, or a code with the status filled in.

  Code begin() { return device.begin(device.user, lease.queue, status); }
  // Places for all inputs: their own where they lie on the device already. What has to be sent is
  // sent by sendInputs().
  Code bindInputs(const keratin_tensor_t *inputs, void **buffers);
  Code sendInputs(const keratin_tensor_t *inputs, void *const *buffers);
  // Places for all outputs; `given` are those of the caller, whose views may lie on the device.
  Code bindOutputs(void *const *given, const keratin_tensor_t *views, void **buffers);
  // What was launched is over.
  Code wait(int32_t &failedSite) {
    return device.wait(device.user, lease.queue, &failedSite, status);
  }
  Code guard(int32_t &failedSite) {
    return device.guard(device.user, lease.queue, &failedSite, status);
  }
  Code launch(int32_t kernel, const int64_t *argv, int32_t slots, int64_t units, int64_t grain,
              int32_t stream) {
    return device.launch(device.user, lease.queue, stream, module, kernel, argv, slots, units,
                         grain, status);
  }
  Code copy(void *to, const void *from, int64_t bytes, int32_t stream) {
    return bytes > 0 ? device.copy_within(device.user, lease.queue, stream, to, from, size_t(bytes),
                                          status)
                     : KERATIN_OK;
  }
  // Null, with the status filled in, where there is no memory.
  void *staging(int64_t bytes);
  Code fetch(void *to, const void *from, int64_t bytes, int32_t stream) {
    return bytes > 0
               ? device.copy_out(device.user, lease.queue, stream, to, from, size_t(bytes), status)
               : KERATIN_OK;
  }
  Code send(void *to, const void *from, int64_t bytes, int32_t stream) {
    return bytes > 0
               ? device.copy_in(device.user, lease.queue, stream, to, from, size_t(bytes), status)
               : KERATIN_OK;
  }
  Code fill(void *to, int32_t byte, int64_t bytes) {
    return bytes > 0
               ? device.fill(device.user, lease.queue, 0, to, uint8_t(byte), size_t(bytes), status)
               : KERATIN_OK;
  }
  bool liesHere(const keratin_tensor_t &view) const { return &deviceOf(view) == &device; }

private:
  Code noMemory(const char *what, int64_t bytes);
  Code refuseView(const char *role, int32_t number, const keratin_tensor_desc_t &stated,
                  const keratin_tensor_t &view);

  const keratin_device_t &device;
  void *module;
  const keratin_function_desc_t &descriptor;
  Lease &lease;
  keratin_status_t *status;
  alignas(8) char scalars[KERATIN_STAGED_SCALARS];
};

// Puts the constants of a function on its device, and says where they are: `count` addresses, in
// memory that the block owns.
Code sendConstants(const keratin_function_desc_t &descriptor, const keratin_device_t &device,
                   Block &data, Block &addresses, keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICECALL_H
