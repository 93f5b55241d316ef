// Loops that a device does by itself.
#ifndef KERATIN_CODEGEN_GPU_LOOPS_LOOPPLAN_H
#define KERATIN_CODEGEN_GPU_LOOPS_LOOPPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/lowering/LoopFunction.h"

#include "llvm/ADT/MapVector.h"

namespace keratin::codegen {

// A resident loop is one launch. Its blocks are resident at once; they do the units of one kernel
// after the other, each in strides of the grid, and meet in between. Steps, places and conditions
// each thread computes for itself.
class LoopPlan {
public:
  // `kernels` are those of the function by their numbers. Null, with a diagnostic at the op that
  // has no lowering.
  static std::unique_ptr<LoopPlan> make(host::LoopOp loop, llvm::ArrayRef<ir::KernelOp> kernels,
                                        const DeviceTraits &device);

  // For people, a line.
  void print(llvm::raw_ostream &out) const;
  // But for the slots of argv.
  LaunchShape shape() const { return LaunchShape::ofLoop(blockThreads, sharedBytes, partBytes); }
  // In the module; no function where there are more arguments than a launch takes.
  mlir::FailureOr<LoopFunction> lower(mlir::ModuleOp into, llvm::ArrayRef<ir::KernelOp> kernels,
                                      llvm::StringRef name, const MachineTarget &machine) const;

  // Threads of a block that do a unit of the plan together: the first ones of the block; 0 where
  // units are of threads or warps.
  static unsigned threadsOfUnit(const DevicePlan &plan);

  host::LoopOp loop;
  // What its kernels become, by their numbers: as they would by themselves.
  llvm::MapVector<int64_t, DevicePlanPtr> plans;
  unsigned blockThreads = 0; // as many as any of them wants
  int64_t sharedBytes = 0;   // of a block
  int64_t partBytes = 0;     // of a unit, for others
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_LOOPS_LOOPPLAN_H
