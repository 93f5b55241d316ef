// Devices of CUDA as a target: kernels are PTX that the driver compiles, in memory of the device.
#ifndef KERATIN_CODEGEN_GPU_CUDATARGET_H
#define KERATIN_CODEGEN_GPU_CUDATARGET_H

#include "codegen/Target.h"
#include "codegen/gpu/DeviceTraits.h"

namespace keratin::codegen {

class CudaTarget : public Target {
public:
  // Machine code is made for these architectures, all of them or none (lower() fails), unless there
  // is no assembler, and for that of the device at hand, "" for none, if it can be made.
  CudaTarget(PortableMachine machine, DeviceTraits device, std::vector<std::string> architectures,
             std::string deviceArchitecture);

  llvm::StringRef name() const override;
  TargetLimits limits() const override;
  const MachineTarget &host() const override { return machine.target; }
  std::array<uint64_t, 2> requiredFeatures() const override {
    return {machine.required[0], machine.required[1]};
  }
  std::string warning() const override;
  // The images are those of runtime/abi/keratin_cuda_abi.h.
  mlir::LogicalResult lower(mlir::func::FuncOp function, host::ProgramOp program,
                            mlir::ModuleOp into, llvm::StringRef name,
                            EntryDescription &description) const override;

private:
  // That code is made for, besides PTX for all: what was named, else that of the device at hand.
  std::vector<std::string> wanted() const;
  // A thread for each architecture, of the PTX that `ptxFor` gives.
  mlir::LogicalResult
  addCubins(EntryDescription &description,
            llvm::function_ref<const std::string &(llvm::StringRef architecture)> ptxFor,
            mlir::Location location) const;

  PortableMachine machine; // of the host
  DeviceTraits device;
  const std::vector<std::string> architectures;
  const std::string deviceArchitecture;
};

// A TargetMaker.
std::unique_ptr<Target> makeCudaTarget(const TargetChoice &choice, std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CUDATARGET_H
