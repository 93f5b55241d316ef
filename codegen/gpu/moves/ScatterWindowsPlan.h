// Numbers put where windows have their largest element, on a device.
#ifndef KERATIN_CODEGEN_GPU_MOVES_SCATTERWINDOWSPLAN_H
#define KERATIN_CODEGEN_GPU_MOVES_SCATTERWINDOWSPLAN_H

#include "codegen/gpu/moves/WindowAccess.h"

namespace keratin::codegen {

// window_scatter. Where each element lies under exactly one window a thread has a window, and
// writes all that is under it. Elsewhere a thread has an element: it looks for the largest of each
// window that it lies under, in the order of the windows, and adds up what falls to the element.
// Memory is written once and added to never.
class ScatterWindowsPlan final : public FormPlan {
public:
  // Null where the kernel is none.
  static DevicePlanPtr make(ir::KernelOp kernel);

  ScatterWindowsPlan(ir::KernelOp kernel, ir::WindowScatterOp op);

  void printNest(llvm::raw_ostream &out) const override { print(out, nest.dims); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  WindowScatterNest nest;
  WindowAccess access;
  bool byWindows; // units are windows; else elements
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_SCATTERWINDOWSPLAN_H
