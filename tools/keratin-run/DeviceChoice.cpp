#include "tools/keratin-run/DeviceChoice.h"

#include "codegen/Target.h"
#include "keratin/device.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace keratin;
using namespace keratin::tools;

// Where the build puts it: beside the folder of the tools.
static std::string emulatorLibrary() {
  static int inThisProgram;
  llvm::SmallString<256> path(llvm::sys::fs::getMainExecutable(nullptr, &inThisProgram));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "lib", "libkeratin_cuda_emulator.so");
  return path.str().str();
}

absl::StatusOr<DeviceChoice> keratin::tools::chooseDevice(const std::string &device,
                                                          const std::string &target) {
  DeviceChoice choice = {target, device};
  if (device.empty())
    return choice;
  if (device == "emulated") {
    std::string library = emulatorLibrary();
    if (!llvm::sys::fs::exists(library))
      return absl::InvalidArgumentError("--device=emulated needs '" + library +
                                        "', which is built with the tests");
    setenv("KERATIN_CUDA_DRIVER", library.c_str(), /*overwrite=*/1);
    choice.device = "cuda";
  }
  const keratin_device_t *found = nullptr;
  keratin_status_t status;
  if (keratin_device_open(choice.device.c_str(), &found, &status) != KERATIN_OK)
    return absl::InvalidArgumentError("--device=" + device + ": " + status.message);
  std::string needed = codegen::targetFamily(found->name).str();
  if (!target.empty() && codegen::targetFamily(target) != needed)
    return absl::InvalidArgumentError("--device=" + device + " needs --target=" + needed +
                                      "; found --target=" + target);
  if (target.empty())
    choice.target = needed;
  return choice;
}
