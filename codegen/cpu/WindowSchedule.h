// How a CPU walks windows (docs/windows.md).
#ifndef KERATIN_CODEGEN_CPU_WINDOWSCHEDULE_H
#define KERATIN_CODEGEN_CPU_WINDOWSCHEDULE_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/lowering/SingleOp.h"
#include "codegen/lowering/WindowNest.h"

namespace keratin::codegen {

struct WindowReductionSchedule {
  enum class Form {
    Across,     // lanes along a last dimension that does not slide
    WrittenOut, // lanes are windows: vectors of elements are added, and taken apart at the end
    Stepwise,   // lanes are windows, which walk their elements together
    OneWindow   // lanes are the elements of the one window of a row
  } form = Form::Across;
  unsigned lanes = 1;
  // Across: the most vectors of the last dimension, and the tiles of windows that are inside. What
  // is left of the first is done by the second.
  unsigned lastVectors = 2;
  WindowTile tile, narrowTile;
};

// window_sum, window_max and window_pick with what follows them.
class WindowReductionPlan final : public CpuKernelPlan {
public:
  WindowReductionPlan(ir::KernelOp kernel, WindowReductionNest nest, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { print(out, nest.dims); }
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  // Whether a unit has all windows of the column.
  bool isOneBlock() const {
    const ir::DimExpr &columns = nest.columnDim().y;
    return columns.isConstant() && columns.constantValue() <= blocks.blockColumns;
  }

  WindowReductionNest nest;
  UnitBlocks blocks;
  WindowReductionSchedule schedule;

private:
  WindowTile chooseTile(const MachineTarget &target) const;
  void chooseForm(const MachineTarget &target);
  void splitWork();
};

struct WindowScatterSchedule {
  unsigned lanes = 1;
  unsigned vectors = 1; // of a unit's block of the last dimension, where it does not slide
  // Where windows are written out when they are inside: their elements along each sliding
  // dimension.
  llvm::SmallVector<int64_t> writtenOut;
};

class WindowScatterPlan final : public CpuKernelPlan {
public:
  WindowScatterPlan(ir::KernelOp kernel, ir::WindowScatterOp scatter, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { print(out, nest.dims); }
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  WindowScatterNest nest;
  UnitBlocks blocks;
  WindowScatterSchedule schedule;

private:
  llvm::SmallVector<int64_t> countsWrittenOut() const;
  void splitWork();
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_WINDOWSCHEDULE_H
