// Sums and choices over windows on a device: a thread a window.
#ifndef KERATIN_CODEGEN_GPU_MOVES_WINDOWSPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_WINDOWSPLAN_H

#include "codegen/gpu/moves/WindowAccess.h"

namespace keratin::codegen {

// window_sum, window_max and window_pick with what follows them. Units are windows in the order of
// the result: neighbouring threads write neighbours, and read what lies near each other whether
// channels are last or first.
class WindowsPlan final : public FormPlan {
public:
  // Null where the kernel has none of them.
  static DevicePlanPtr make(ir::KernelOp kernel);

  WindowsPlan(ir::KernelOp kernel, WindowReductionNest nest);

  void printNest(llvm::raw_ostream &out) const override { print(out, nest.dims); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  WindowReductionNest nest;
  WindowAccess access;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_WINDOWSPLAN_H
