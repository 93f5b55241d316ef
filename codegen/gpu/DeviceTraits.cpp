#include "codegen/gpu/DeviceTraits.h"

using namespace keratin::codegen;

std::optional<DeviceTraits> DeviceTraits::on(llvm::StringRef architecture) const {
  if (architecture != "sm_90a")
    return std::nullopt;
  DeviceTraits own = *this;
  own.machine.cpu = architecture.str();
  own.hasLargeMatrices = true;
  return own;
}
