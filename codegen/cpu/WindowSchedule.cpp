#include "codegen/cpu/WindowSchedule.h"

#include "codegen/cpu/WindowKernel.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using Form = WindowReductionSchedule::Form;
using Choice = WindowReductionNest::Choice;

// Windows of a unit: enough work for one that is handed to a thread.
static constexpr int64_t windowsOfUnit = 256;
// Longest windows along the last sliding dimension that are written out element by element.
static constexpr int64_t longestWrittenOut = 8;
static constexpr int64_t widestDeinterleaved = 4;
// Vectors of the last dimension that windows are scattered for together, and windows of at most so
// many elements that are written out where all of them are inside.
static constexpr unsigned mostScatterVectors = 2;
static constexpr int64_t mostScatterElements = 9;

// Vectors that the extent has, as far as that is known: at most `most`.
static unsigned vectorsOf(const DimExpr &extent, unsigned lanes, unsigned most) {
  if (!extent.isConstant())
    return most;
  return std::clamp<int64_t>(ceilDiv(extent.constantValue(), int64_t(lanes)), 1, most);
}

//===-- Sums and choices ----------------------------------------------------------------------===//

WindowReductionPlan::WindowReductionPlan(ir::KernelOp kernel, WindowReductionNest windows,
                                         const MachineTarget &target)
    : CpuKernelPlan(kernel), nest(std::move(windows)) {
  chooseForm(target);
  blocks = {nest.rows(), nest.columnDim().y, windowsOfUnit * (nest.isAlong() ? 4 : 1)};
  splitWork();
}

void WindowReductionPlan::splitWork() {
  DimExpr windows = isOneBlock() ? nest.columnDim().y : DimExpr(blocks.blockColumns);
  DimExpr perUnit = elementsUnder(nest.dims);
  for (const DimExpr &factor : {windows, nest.isAlong() ? DimExpr(1) : nest.dims.back().y})
    perUnit = mul(perUnit, factor).value_or(DimExpr(INT64_MAX));
  setWork(blocks.units(), perUnit);
}

void WindowReductionPlan::chooseForm(const MachineTarget &target) {
  schedule.lanes = windowLanes(nest.op, target);
  const JoinedWindowDim &dim = nest.dims.back();
  bool picks = nest.choice == Choice::Picked;
  if (!nest.isAlong()) {
    schedule.form = Form::Across;
    schedule.tile = chooseTile(target);
    if (schedule.tile.windows > 1 && nest.columnDim().xDilation == 1)
      schedule.narrowTile = windowTile(nest.columnDim(), 1);
  } else if (dim.y == DimExpr(1) && !picks) {
    schedule.form = Form::OneWindow;
  } else if (!picks && dim.xDilation == 1 && dim.window <= longestWrittenOut &&
             dim.stride <= widestDeinterleaved) {
    schedule.form = Form::WrittenOut;
  } else {
    schedule.form = Form::Stepwise;
  }
}

WindowTile WindowReductionPlan::chooseTile(const MachineTarget &target) const {
  const JoinedWindowDim &dim = nest.columnDim();
  // Tiles start where a window begins with an element; with both steps these may be rare.
  if (dim.window > longestWrittenOut || dim.stride > 2 * longestWrittenOut ||
      dim.xDilation > longestWrittenOut || (dim.xDilation > 1 && dim.stride > 1))
    return {};
  unsigned vectors = vectorsOf(nest.dims.back().y, schedule.lanes, schedule.lastVectors);
  bool picks = nest.choice == Choice::Picked;
  unsigned registers = target.vectorRegisters / 2;
  unsigned most = picks ? 2 : 4;
  unsigned step = dim.xDilation;
  for (unsigned windows = std::max(step, most / step * step); windows > 0; windows -= step) {
    WindowTile tile = windowTile(dim, windows);
    unsigned used = tile.usedElements() * vectors;
    if (picks ? 2 * windows * vectors <= registers : used <= registers)
      return tile;
  }
  return {};
}

void WindowReductionPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: ";
  switch (schedule.form) {
  case Form::Across:
    out << "lanes along the last dimension, up to " << counted(schedule.lastVectors, "vector")
        << " together";
    if (schedule.tile.windows)
      out << "; tiles of " << counted(schedule.tile.windows, "window") << " over "
          << counted(schedule.tile.elements, "element");
    else
      out << "; one window at a time";
    break;
  case Form::WrittenOut:
    out << "lanes are windows, vectors of elements added and taken apart";
    break;
  case Form::Stepwise:
    out << "lanes are windows, which walk their elements together";
    break;
  case Form::OneWindow:
    out << "lanes are the elements of one window";
    break;
  }
  out << "; " << counted(schedule.lanes, "lane") << "; units of "
      << (isOneBlock() ? nest.columnDim().y.str() : "up to " + std::to_string(blocks.blockColumns))
      << " windows of a row\n";
}

CpuPlan keratin::codegen::planWindowReductionKernel(ir::KernelOp kernel,
                                                    const MachineTarget &target) {
  std::optional<ir::IterationSpace> space = iterationSpaceOf(kernel);
  if (!space)
    return nullptr;
  WindowReductionNest nest(mainOp(kernel), std::move(*space));
  return std::make_shared<WindowReductionPlan>(kernel, std::move(nest), target);
}

//===-- Scatters ------------------------------------------------------------------------------===//

WindowScatterPlan::WindowScatterPlan(ir::KernelOp kernel, ir::WindowScatterOp scatter,
                                     const MachineTarget &target)
    : CpuKernelPlan(kernel), nest(scatter) {
  schedule.lanes = windowLanes(scatter, target);
  if (!nest.isAlong()) {
    schedule.vectors = vectorsOf(nest.dims.back().y, schedule.lanes, mostScatterVectors);
    schedule.writtenOut = countsWrittenOut();
  }
  splitWork();
}

// The elements under a window along each sliding dimension, if there are few in all.
SmallVector<int64_t> WindowScatterPlan::countsWrittenOut() const {
  int64_t elements = 1;
  SmallVector<int64_t> counts;
  for (unsigned dim : nest.sliding) {
    counts.push_back(nest.dims[dim].window);
    if (nest.dims[dim].window > mostScatterElements)
      return {};
    elements *= nest.dims[dim].window;
  }
  return elements <= mostScatterElements ? counts : SmallVector<int64_t>();
}

void WindowScatterPlan::splitWork() {
  auto times = [](const DimExpr &x, const DimExpr &y, const DimExpr &otherwise) {
    return mul(x, y).value_or(otherwise);
  };
  const JoinedWindowDim &last = nest.dims.back();
  DimExpr slices(1), windows(1), elements = last.x, most(INT64_MAX);
  for (unsigned dim : nest.still)
    slices = times(slices, nest.dims[dim].x, DimExpr(0));
  for (unsigned dim : nest.sliding) {
    elements = times(elements, nest.dims[dim].x, most);
    windows = times(windows, nest.dims[dim].y, most);
  }
  int64_t columns = nest.isAlong() ? 1 : int64_t(schedule.vectors) * schedule.lanes;
  blocks = {slices, nest.isAlong() ? DimExpr(1) : last.x, columns};
  windows = times(windows, nest.isAlong() ? last.y : DimExpr(columns), most);
  DimExpr steps = times(windows, elementsUnder(nest.dims), most);
  setWork(blocks.units(), add(steps, elements).value_or(most));
}

void WindowScatterPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: ";
  if (nest.isAlong()) {
    out << "lanes are windows, which find their places together";
  } else {
    out << "lanes along the last dimension, units of " << counted(schedule.vectors, "vector");
    if (!schedule.writtenOut.empty()) {
      out << "; windows of ";
      llvm::interleave(schedule.writtenOut, out, "x");
      out << " written out";
    }
  }
  out << "; " << counted(schedule.lanes, "lane")
      << (nest.cover()     ? "; windows tile x"
          : nest.overlap() ? "; windows overlap"
                           : "")
      << "\n";
}

CpuPlan keratin::codegen::planWindowScatterKernel(ir::KernelOp kernel,
                                                  const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  if (!op)
    return nullptr;
  return std::make_shared<WindowScatterPlan>(kernel, cast<ir::WindowScatterOp>(op), target);
}
