#include "codegen/cpu/HostFeatures.h"

#include "runtime/abi/keratin_cpu_tiles.h"

#include "llvm/TargetParser/Host.h"

llvm::StringMap<bool> keratin::codegen::hostFeatures() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  // LLVM looks at the processor, and at what is saved at task switches.
  if (!features.lookup("amx-tile") || !keratin_cpu_request_tiles())
    for (auto &feature : features)
      if (feature.first().starts_with("amx-"))
        feature.second = false;
  return features;
}
