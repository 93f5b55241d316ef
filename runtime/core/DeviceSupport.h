// What only devices beside the CPU need. It comes into a program with keratin_device_register():
// where none is ever made known, as in most models compiled ahead of time, nothing of it is linked.
#ifndef KERATIN_RUNTIME_CORE_DEVICESUPPORT_H
#define KERATIN_RUNTIME_CORE_DEVICESUPPORT_H

#include "runtime/core/Status.h"

#include <atomic>

namespace keratin::runtime {

class Block;
class Invocation;

struct DeviceSupport {
  // Finds the device of the executable, unless it is given, loads the code there, and sends the
  // constants.
  Code (*load)(keratin_executable_t &executable, const keratin_device_t *device,
               keratin_status_t *status);
  // All of a call between its plan and its end.
  void (*execute)(Invocation &call);
  // Makes the block a copy of the value in the memory of the variable's device.
  Code (*stage)(const keratin_variable_t &variable, const keratin_tensor_t &value, Block &staged,
                keratin_status_t *status);
};

// Null before the first device is registered.
extern std::atomic<const DeviceSupport *> deviceSupport;

// The function was compiled for a device that is not among those that are known.
Code failWithoutDevice(const keratin_function_desc_t &descriptor, const char *known,
                       keratin_status_t *status);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICESUPPORT_H
