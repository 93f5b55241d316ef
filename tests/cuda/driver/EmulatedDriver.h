// The look-alike as a program finds the driver: by dlopen, through runtime/cuda/Driver.h.
#ifndef KERATIN_TESTS_CUDA_DRIVER_EMULATEDDRIVER_H
#define KERATIN_TESTS_CUDA_DRIVER_EMULATEDDRIVER_H

#include "runtime/cuda/Driver.h"
#include "tests/cuda/driver/Control.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace keratin::tests {

// What can be asked of the look-alike beside the driver's functions.
struct EmulatorControl {
  decltype(&keratin_emulator_set) setOptions;
  decltype(&keratin_emulator_counts) readCounts;
  decltype(&keratin_emulator_last_fault) lastFault;
  decltype(&keratin_emulator_calls) calls;

  void set(const std::string &options) const {
    REQUIRE(setOptions(options.c_str()) == std::string());
  }
  keratin_emulator_counts_t counts() const {
    keratin_emulator_counts_t counts;
    readCounts(&counts);
    return counts;
  }
};

// Sixteen devices: a test that loses one takes one of its own. For the whole process, before the
// first call of the driver.
inline const EmulatorControl &emulator() {
  static const EmulatorControl control = [] {
    setenv("KERATIN_CUDA_DRIVER", KERATIN_EMULATOR_LIBRARY, /*overwrite=*/0);
    setenv("KERATIN_EMULATOR", "devices=16,quiet=on", /*overwrite=*/0);
    void *library = dlopen(KERATIN_EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    INFO((library ? "" : dlerror()));
    REQUIRE(library);
    auto find = [&](const char *name) { return dlsym(library, name); };
    return EmulatorControl{
        reinterpret_cast<decltype(&keratin_emulator_set)>(find("keratin_emulator_set")),
        reinterpret_cast<decltype(&keratin_emulator_counts)>(find("keratin_emulator_counts")),
        reinterpret_cast<decltype(&keratin_emulator_last_fault)>(
            find("keratin_emulator_last_fault")),
        reinterpret_cast<decltype(&keratin_emulator_calls)>(find("keratin_emulator_calls"))};
  }();
  return control;
}

inline const cuda::Driver &emulatedDriver() {
  emulator();
  const cuda::Driver *driver = nullptr;
  keratin_status_t status;
  status.message[0] = '\0';
  cuda::findDriver(&driver, &status);
  INFO(status.message);
  REQUIRE(status.message[0] == '\0');
  return *driver;
}

// A context of one device, current while it lives.
class EmulatedContext {
public:
  explicit EmulatedContext(int ordinal = 0) : driver(emulatedDriver()), ordinal(ordinal) {
    REQUIRE(driver.cuDevicePrimaryCtxRetain(&context, ordinal) == cuda::CUDA_SUCCESS);
    REQUIRE(driver.cuCtxSetCurrent(context) == cuda::CUDA_SUCCESS);
  }
  ~EmulatedContext() {
    driver.cuCtxSetCurrent(nullptr);
    driver.cuDevicePrimaryCtxRelease_v2(ordinal);
  }
  EmulatedContext(const EmulatedContext &) = delete;
  EmulatedContext &operator=(const EmulatedContext &) = delete;

  const cuda::Driver &driver;
  int ordinal;
  cuda::CUcontext context = nullptr;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_CUDA_DRIVER_EMULATEDDRIVER_H
