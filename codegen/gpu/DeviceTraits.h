// What plans of kernels must know of a device, and of what was asked for.
#ifndef KERATIN_CODEGEN_GPU_DEVICETRAITS_H
#define KERATIN_CODEGEN_GPU_DEVICETRAITS_H

#include "codegen/Float32Products.h"
#include "codegen/gpu/CudaMachine.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace keratin::codegen {

struct DeviceTraits {
  MachineTarget machine = cudaMachine(); // what threads are told to be
  // That can exchange values; 1 of a machine whose threads cannot, nor wait for each other.
  unsigned warpThreads = codegen::warpThreads;
  Float32Products float32Products = Float32Products::Float32;
  // 128 threads multiply matrices together, wgmma, and a warp larger ones of f64.
  bool hasLargeMatrices = false;

  // The same of this architecture alone, "sm_90a", where kernels have forms of their own on it;
  // else nullopt.
  std::optional<DeviceTraits> on(llvm::StringRef architecture) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_DEVICETRAITS_H
