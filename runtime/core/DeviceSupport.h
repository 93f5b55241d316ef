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
  // The device of this name, of those that are made when somebody asks for them; or null.
  const keratin_device_t *(*provide)(const char *name);
  // "which is not known; known devices: cpu, far", or why it could not be made.
  ShortText (*whyNone)(const char *name);
  // Loads the code on the executable's device, and sends the constants.
  Code (*load)(keratin_executable_t &executable, keratin_status_t *status);
  // All of a call between its plan and its end.
  void (*execute)(Invocation &call);
  // Makes the block a copy of the value in the memory of the variable's device.
  Code (*stage)(const keratin_variable_t &variable, const keratin_tensor_t &value, Block &staged,
                keratin_status_t *status);
  // Between the host's memory and the device's: a copy of the variable's value becomes the block,
  // and the block, a value for the variable, moves to its device.
  Code (*fetch)(const keratin_variable_t &variable, Block &value, keratin_status_t *status);
  Code (*send)(const keratin_variable_t &variable, Block &value, keratin_status_t *status);
};

// Null before the first device is registered.
extern std::atomic<const DeviceSupport *> deviceSupport;

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICESUPPORT_H
