// Plans of kernels for a device of many threads.
#ifndef KERATIN_CODEGEN_GPU_DEVICEPLAN_H
#define KERATIN_CODEGEN_GPU_DEVICEPLAN_H

#include "codegen/gpu/DeviceTraits.h"
#include "codegen/gpu/LaunchShape.h"
#include "codegen/lowering/KernelPlan.h"

#include <memory>

namespace keratin::codegen {

class DevicePlan : public KernelPlan {
public:
  using KernelPlan::KernelPlan;

  // In the module that the builder stands in. The machine is what threads are told to be.
  virtual KernelFunction lower(mlir::OpBuilder &builder, llvm::StringRef name,
                               const MachineTarget &machine) const = 0;

  // The form, then how it is launched.
  void printSchedule(llvm::raw_ostream &out) const final;

  // But for the slots of argv.
  LaunchShape shape() const {
    LaunchShape shape = LaunchShape::ofUnits(0, unitThreads, sharedBytes, partBytes);
    shape.hasFewBlocks = hasFewBlocks;
    return shape;
  }

  // That do a unit together: 1, a power of two up to a warp, or all of a block.
  unsigned unitThreads = 1;
  int64_t sharedBytes = 0; // of a block; then a block does a unit
  int64_t partBytes = 0;   // that a unit leaves for others (Meeting)
  // One or two for each multiprocessor: their threads may have many registers.
  bool hasFewBlocks = false;
  // It is not what it would be on any device, but for one that has what not all have. Units, and
  // what argv has, are the same all the same.
  bool isOfDevice = false;

protected:
  // As finish(), with what is known of its sizes (KernelBounds).
  KernelFunction finishOnDevice(KernelBuilder &k) const;
  // "schedule: ...", a subject a line.
  virtual void printForm(llvm::raw_ostream &out) const = 0;
  // Units of so many elementary operations each; the grid walks over them one by one.
  void setWork(const ir::DimExpr &units, const ir::DimExpr &perUnit);
};

using DevicePlanPtr = std::shared_ptr<const DevicePlan>;

// A kernel's function under construction for threads of a device.
class DeviceKernelBuilder : public KernelBuilder {
public:
  DeviceKernelBuilder(ir::KernelOp kernel, mlir::OpBuilder &builder, llvm::StringRef name,
                      const ElementTarget &target)
      : KernelBuilder(kernel, builder, name), target(target) {}

  // What the launch gives besides argv, as i64.
  mlir::Value parameter(keratin_cuda_parameter_t number);

  const ElementTarget &target;
};

// Of a kernel that has a form of its own on devices.
class FormPlan : public DevicePlan {
public:
  using DevicePlan::DevicePlan;

  KernelFunction lower(mlir::OpBuilder &builder, llvm::StringRef name,
                       const MachineTarget &machine) const final;
  // The whole body of the function that the builder has begun. The threads of a unit come here with
  // the same [begin, end), one unit, and leave together; they come back for the next unit, so what
  // they share must be read by then.
  virtual void emit(DeviceKernelBuilder &k) const = 0;
};

// What a kernel becomes: the first of its forms that takes it, else units a thread. Null, with a
// diagnostic at the op that has no lowering.
DevicePlanPtr planDeviceKernel(ir::KernelOp kernel, const DeviceTraits &device);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_DEVICEPLAN_H
