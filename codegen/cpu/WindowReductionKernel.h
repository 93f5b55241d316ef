// window_sum, window_max and window_pick with what follows them.
//
// Where the last dimension does not slide (channels last) lanes run along it (WindowsAcross).
// Elsewhere lanes are neighbouring windows (WindowsAlong). Windows that reach outside of x walk the
// part of them that is inside.
#ifndef KERATIN_CODEGEN_CPU_WINDOWREDUCTIONKERNEL_H
#define KERATIN_CODEGEN_CPU_WINDOWREDUCTIONKERNEL_H

#include "codegen/cpu/WindowKernel.h"
#include "codegen/cpu/WindowSchedule.h"
#include "codegen/elements/TileEpilogue.h"

namespace keratin::codegen {

// What both ways of laying lanes share: what is known of windows, and what becomes of results.
class WindowReductionKernel : protected WindowKernel {
public:
  WindowReductionKernel(CpuKernelBuilder &k, const WindowReductionPlan &plan);
  virtual ~WindowReductionKernel() = default;

  void emit();

protected:
  using Choice = WindowReductionNest::Choice;
  using Values = SmallVector<Value>;

  // The windows [from, to) of the column, in the row.
  virtual void emitWindows(const Fixed &row, Value from, Value to) = 0;

  // What is known of one vector of windows: a sum; the largest so far; the largest so far, and the
  // element of the other tensor in its place.
  Values begin(const Index &first, Value mask);
  Values take(ArrayRef<Value> state, const Index &offset, Value mask);
  Value combine(Value x, Value y);
  Value identity() { return choice == Choice::Sum ? zeros(type) : leasts(type); }
  unsigned stateSize() const { return choice == Choice::Picked ? 2 : 1; }
  SmallVector<mlir::Type> types(size_t vectors);

  // The lanes of a window along the column, or without one of the windows from the lane on.
  void finish(Value registers, const Fixed &row, Value window, Value lane, Value mask);

  const WindowReductionPlan &plan;
  const WindowReductionNest &nest;
  const WindowReductionSchedule &schedule;
  Choice choice;
  mlir::Type resultType;

private:
  TileEpilogue epilogue;
};

// Whole bodies of kernels, each for its forms of the schedule.
void emitWindowsAcross(CpuKernelBuilder &k, const WindowReductionPlan &plan);
void emitWindowsAlong(CpuKernelBuilder &k, const WindowReductionPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_WINDOWREDUCTIONKERNEL_H
