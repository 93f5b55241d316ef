// What --device says.
#ifndef KERATIN_TOOLS_KERATINRUN_DEVICECHOICE_H
#define KERATIN_TOOLS_KERATINRUN_DEVICECHOICE_H

#include "absl/status/statusor.h"

#include <string>

namespace keratin::tools {

struct DeviceChoice {
  std::string target; // what is compiled for; "" as nothing says otherwise
  std::string device; // of the runtime's; "" the one that the target names
};

// "emulated" is the device "cuda" of the library that looks like CUDA's driver
// (docs/cuda-runtime.md), from here on in this process.
absl::StatusOr<DeviceChoice> chooseDevice(const std::string &device, const std::string &target);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_DEVICECHOICE_H
