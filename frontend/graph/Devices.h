// Where functions run and variables lie (K::set_device, FunctionOptions::device).
#ifndef KERATIN_FRONTEND_GRAPH_DEVICES_H
#define KERATIN_FRONTEND_GRAPH_DEVICES_H

#include "keratin/function.h"

#include "keratin/device.h"

#include <string>

namespace keratin::frontend {

class Call;

// Where functions run whose options name nothing. ValueError where KERATIN_DEVICE, which decides at
// first, names no device.
const keratin_device_t &currentDevice();
// ValueError for a name that there is not.
void setCurrentDevice(const std::string &name);

// Where a function runs, and its options with the target for that.
struct Placement {
  const keratin_device_t *device;
  FunctionOptions options;
  SourceLocation location = {}; // of the call that asks for the function, for messages
  // Where the compilation fails there is another way: it leaves no reproducer.
  bool isAttempt = false;
};
Placement placementOn(const keratin_device_t &device);
// The device of the options, else that which their target is named after, else the current one;
// null, for the compiler or the runtime to refuse, where the target has no device of its name. What
// is wrong about the options is an error of the call.
Placement placementOf(const Call &call, const FunctionOptions &options);

// The session of the variables on the device. Lives as long as the process.
keratin_session_t *sessionOn(const keratin_device_t &device);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_DEVICES_H
