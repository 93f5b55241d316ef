// Drivers that are not there, too old, or of no use: each a status that says what was found and
// what is needed. In a process of its own, where none is open yet.
#include "runtime/include/keratin/cuda.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <unistd.h>

static std::string open(const char *library, const char *device = "cuda") {
  setenv("KERATIN_CUDA_DRIVER", library, /*overwrite=*/1);
  keratin_cuda_enable();
  const keratin_device_t *found = nullptr;
  keratin_status_t status;
  keratin_status_code_t code = keratin_device_open(device, &found, &status);
  CHECK(code == status.code);
  CHECK((found == nullptr) == (code == KERATIN_FAILED_PRECONDITION));
  return status.message;
}

TEST_CASE("without a driver of use there is no device, and a reason") {
  std::string message = open("/nowhere/libcuda.so");
  CHECK(message.find("CUDA: the driver cannot be opened (/nowhere/libcuda.so: ") == 0);
  CHECK(message.find("; needed is libcuda.so.1 of NVIDIA's driver, version 12.0 or later, or a "
                     "library that KERATIN_CUDA_DRIVER names") != std::string::npos);
  CHECK(open("libm.so.6") == "CUDA: 'libm.so.6' has no function cuDriverGetVersion; needed is the "
                             "library of a driver of version 12.0 or later");
  CHECK(open(KERATIN_OLD_DRIVER) == "CUDA: the driver '" KERATIN_OLD_DRIVER
                                    "' has version 11.8; needed is 12.0 or later, since code for "
                                    "it is PTX 8.0");
  CHECK(open(KERATIN_PARTIAL_DRIVER) == "CUDA: the driver '" KERATIN_PARTIAL_DRIVER
                                        "' of version 12.4 has no function cuInit");
  CHECK(open(KERATIN_FAILING_DRIVER) == "CUDA: cuDriverGetVersion of '" KERATIN_FAILING_DRIVER
                                        "' failed: CUDA error 3");
  CHECK(keratin_device_find("cuda") == nullptr);

  // The look-alike reads its options when it is opened; from here on it stays.
  setenv("KERATIN_EMULATOR", "devices=1,sm=75,fail=cuInit:1", /*overwrite=*/1);
  CHECK(open(KERATIN_EMULATOR_LIBRARY) == "CUDA: cuInit of '" KERATIN_EMULATOR_LIBRARY
                                          "' failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device "
                                          "is detected)");
  setenv("KERATIN_EMULATOR", "devices=1,sm=75", /*overwrite=*/1);
  CHECK(open(KERATIN_EMULATOR_LIBRARY, "cuda:3") ==
        "CUDA: there is no device 'cuda:3'; the driver of version 12.4 knows 1 of them");
  CHECK(open(KERATIN_EMULATOR_LIBRARY) == "device 'cuda' (Keratin's emulator of sm_75) has compute "
                                          "capability 7.5; needed is 8.0 or later");
}
