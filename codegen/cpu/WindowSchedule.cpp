#include "codegen/cpu/WindowSchedule.h"

#include "codegen/cpu/WindowKernel.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using Form = WindowReductionSchedule::Form;

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

WindowReductionPlan::WindowReductionPlan(ir::KernelOp kernel, Operation *op,
                                         ir::IterationSpace analyzed, const MachineTarget &target)
    : CpuKernelPlan(kernel), op(op), space(std::move(analyzed)), dims(joinedWindowDims(op, &space)),
      choice(isa<ir::WindowSumOp>(op)   ? Choice::Sum
             : isa<ir::WindowMaxOp>(op) ? Choice::Largest
                                        : Choice::Picked) {
  unsigned last = dims.size() - 1;
  column = last;
  if (!dims[last].slides())
    for (unsigned i = 0; i < last; ++i)
      if (dims[i].slides())
        column = i;
  DimExpr rows(1);
  for (unsigned i = 0; i < last; ++i)
    if (i != column) {
      rowDims.push_back(i);
      rows = mul(rows, dims[i].y).value_or(DimExpr(0));
    }
  chooseForm(target);
  blocks = {rows, dims[column].y, windowsOfUnit * (isAlong() ? 4 : 1)};
  DimExpr windows = isOneBlock() ? dims[column].y : DimExpr(blocks.blockColumns);
  DimExpr perUnit = elementsUnder(dims);
  for (const DimExpr &factor : {windows, isAlong() ? DimExpr(1) : dims[last].y})
    perUnit = mul(perUnit, factor).value_or(DimExpr(INT64_MAX));
  setWork(blocks.units(), perUnit);
}

void WindowReductionPlan::chooseForm(const MachineTarget &target) {
  schedule.lanes = windowLanes(op, target);
  const JoinedWindowDim &dim = dims.back();
  if (!isAlong()) {
    schedule.form = Form::Across;
    schedule.tile = chooseTile(target);
    if (schedule.tile.windows > 1 && dims[column].xDilation == 1)
      schedule.narrowTile = tileOf(1);
  } else if (dim.y == DimExpr(1) && choice != Choice::Picked) {
    schedule.form = Form::OneWindow;
  } else if (choice != Choice::Picked && dim.xDilation == 1 && dim.window <= longestWrittenOut &&
             dim.stride <= widestDeinterleaved) {
    schedule.form = Form::WrittenOut;
  } else {
    schedule.form = Form::Stepwise;
  }
}

// The first element under the first window lies at the very beginning of it.
WindowTile WindowReductionPlan::tileOf(unsigned windows) const {
  const JoinedWindowDim &dim = dims[column];
  WindowTile tile{windows, 0, {}};
  for (unsigned w = 0; w < windows; ++w) {
    int64_t from = ceilDiv(w * dim.stride, dim.xDilation);
    int64_t to = ceilDiv(w * dim.stride + dim.window, dim.xDilation);
    tile.elements = std::max(tile.elements, to);
    tile.used.resize(std::max<size_t>(tile.used.size(), to));
    for (int64_t i = from; i < to; ++i)
      tile.used[i] = true;
  }
  return tile;
}

WindowTile WindowReductionPlan::chooseTile(const MachineTarget &target) const {
  const JoinedWindowDim &dim = dims[column];
  // Tiles start where a window begins with an element; with both steps these may be rare.
  if (dim.window > longestWrittenOut || dim.stride > 2 * longestWrittenOut ||
      dim.xDilation > longestWrittenOut || (dim.xDilation > 1 && dim.stride > 1))
    return {};
  unsigned vectors = vectorsOf(dims.back().y, schedule.lanes, schedule.lastVectors);
  unsigned registers = target.vectorRegisters / 2;
  unsigned most = choice == Choice::Picked ? 2 : 4;
  unsigned step = dim.xDilation;
  for (unsigned windows = std::max(step, most / step * step); windows > 0; windows -= step) {
    WindowTile tile = tileOf(windows);
    unsigned used = tile.usedElements() * vectors;
    if (choice == Choice::Picked ? 2 * windows * vectors <= registers : used <= registers)
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
      << (isOneBlock() ? dims[column].y.str() : "up to " + std::to_string(blocks.blockColumns))
      << " windows of a row\n";
}

CpuPlan keratin::codegen::planWindowReductionKernel(ir::KernelOp kernel,
                                                    const MachineTarget &target) {
  Operation *windows = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (isa<ir::WindowSumOp, ir::WindowMaxOp, ir::WindowPickOp>(op))
      windows = &op;
  std::string why;
  std::optional<ir::IterationSpace> space = ir::analyzeIterationSpace(kernel, &why);
  if (!space) {
    kernel.emitError("not implemented: a kernel with ") << why;
    return nullptr;
  }
  return std::make_shared<WindowReductionPlan>(kernel, windows, std::move(*space), target);
}

//===-- Scatters ------------------------------------------------------------------------------===//

WindowScatterPlan::WindowScatterPlan(ir::KernelOp kernel, ir::WindowScatterOp scatter,
                                     const MachineTarget &target)
    : CpuKernelPlan(kernel), scatter(scatter), dims(joinedWindowDims(scatter)) {
  for (unsigned i = 0; i + 1 < dims.size(); ++i)
    (dims[i].slides() ? sliding : still).push_back(i);
  schedule.lanes = windowLanes(scatter, target);
  if (!isAlong()) {
    schedule.vectors = vectorsOf(dims.back().y, schedule.lanes, mostScatterVectors);
    schedule.writtenOut = countsWrittenOut();
  }
  splitWork();
}

bool WindowScatterPlan::overlap() const {
  return llvm::any_of(dims, [](const JoinedWindowDim &dim) { return dim.window > dim.stride; });
}

bool WindowScatterPlan::cover() const {
  return llvm::all_of(dims, [](const JoinedWindowDim &dim) {
    return dim.window == dim.stride && dim.low == DimExpr(0) &&
           dim.y == *ceildiv(dim.x, DimExpr(dim.stride));
  });
}

// The elements under a window along each sliding dimension, if there are few in all.
SmallVector<int64_t> WindowScatterPlan::countsWrittenOut() const {
  int64_t elements = 1;
  SmallVector<int64_t> counts;
  for (unsigned dim : sliding) {
    counts.push_back(dims[dim].window);
    if (dims[dim].window > mostScatterElements)
      return {};
    elements *= dims[dim].window;
  }
  return elements <= mostScatterElements ? counts : SmallVector<int64_t>();
}

void WindowScatterPlan::splitWork() {
  auto times = [](const DimExpr &x, const DimExpr &y, const DimExpr &otherwise) {
    return mul(x, y).value_or(otherwise);
  };
  const JoinedWindowDim &last = dims.back();
  DimExpr slices(1), windows(1), elements = last.x, most(INT64_MAX);
  for (unsigned dim : still)
    slices = times(slices, dims[dim].x, DimExpr(0));
  for (unsigned dim : sliding) {
    elements = times(elements, dims[dim].x, most);
    windows = times(windows, dims[dim].y, most);
  }
  int64_t columns = isAlong() ? 1 : int64_t(schedule.vectors) * schedule.lanes;
  blocks = {slices, isAlong() ? DimExpr(1) : last.x, columns};
  windows = times(windows, isAlong() ? last.y : DimExpr(columns), most);
  DimExpr steps = times(windows, elementsUnder(dims), most);
  setWork(blocks.units(), add(steps, elements).value_or(most));
}

void WindowScatterPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: ";
  if (isAlong()) {
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
      << (cover()     ? "; windows tile x"
          : overlap() ? "; windows overlap"
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
