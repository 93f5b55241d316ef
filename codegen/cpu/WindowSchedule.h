// How a CPU walks windows (docs/windows.md).
#ifndef KERATIN_CODEGEN_CPU_WINDOWSCHEDULE_H
#define KERATIN_CODEGEN_CPU_WINDOWSCHEDULE_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/lowering/SingleOp.h"
#include "codegen/lowering/WindowNest.h"

namespace keratin::codegen {

// Windows that neighbour each other along the last sliding dimension, computed together: which
// elements of x, counted from the first element under the first of them, lie under any.
struct WindowTile {
  unsigned windows = 0; // side by side; 0: none fit
  int64_t elements = 0; // under all of them
  llvm::SmallVector<bool> used;

  int64_t usedElements() const { return llvm::count(used, true); }
};

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
  enum class Choice { Sum, Largest, Picked };

  WindowReductionPlan(ir::KernelOp kernel, mlir::Operation *op, ir::IterationSpace space,
                      const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { print(out, dims); }
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  // Whether lanes are windows.
  bool isAlong() const { return column + 1 == dims.size(); }
  // Whether a unit has all windows of the column.
  bool isOneBlock() const {
    const ir::DimExpr &columns = dims[column].y;
    return columns.isConstant() && columns.constantValue() <= blocks.blockColumns;
  }

  mlir::Operation *op;
  ir::IterationSpace space;
  WindowDims dims;
  Choice choice;
  unsigned column = 0; // the dimension whose windows a unit walks
  llvm::SmallVector<unsigned> rowDims;
  UnitBlocks blocks;
  WindowReductionSchedule schedule;

private:
  WindowTile tileOf(unsigned windows) const;
  WindowTile chooseTile(const MachineTarget &target) const;
  void chooseForm(const MachineTarget &target);
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

  void printNest(llvm::raw_ostream &out) const override { print(out, dims); }
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  // Whether lanes are windows.
  bool isAlong() const { return dims.back().slides() || sliding.empty(); }
  // Whether two windows can have an element in common.
  bool overlap() const;
  // Whether each element is known to lie under exactly one window: it is written with that one.
  bool cover() const;

  ir::WindowScatterOp scatter;
  WindowDims dims;
  llvm::SmallVector<unsigned> sliding, still; // dimensions before the last
  UnitBlocks blocks;
  WindowScatterSchedule schedule;

private:
  llvm::SmallVector<int64_t> countsWrittenOut() const;
  void splitWork();
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_WINDOWSCHEDULE_H
