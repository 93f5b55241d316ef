// How functions are made that run on the device.
#ifndef KERATIN_TESTS_EXECUTION_DEVICE_DEVICEOPTIONS_H
#define KERATIN_TESTS_EXECUTION_DEVICE_DEVICEOPTIONS_H

#include "keratin/backend.h"

#include <string>

namespace keratin::tests {

inline FunctionOptions onDevice(const std::string &name, bool keep = false) {
  FunctionOptions options;
  options.name = name;
  options.device = "cuda";
  options.keepOnDevice = keep;
  return options;
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_DEVICE_DEVICEOPTIONS_H
