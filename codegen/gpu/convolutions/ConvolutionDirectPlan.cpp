#include "codegen/gpu/convolutions/ConvolutionDirectPlan.h"

#include "codegen/gpu/convolutions/ConvolutionChoices.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ConvolutionShape;
using keratin::ir::DimExpr;

// Outputs of a tile: more share little more, and take the registers in which elements arrive.
static constexpr int64_t mostOutputs = 4;
// Taps that are written out.
static constexpr int64_t mostTaps = 7;
// Threads that hide what each waits for; tiles are not made larger where there are fewer.
static constexpr int64_t manyThreads = 1 << 16;

// The window whose neighbours a thread makes: not the one that neighbouring threads walk.
static size_t windowAlong(ArrayRef<ConvolutionDim> dims, size_t windows) {
  size_t last = windows - 1;
  bool isInnermost =
      !dims.empty() && dims.back().kind == ConvolutionDim::Window && dims.back().window == last;
  return isInnermost && windows > 1 ? last - 1 : last;
}

// Of a phase with so many: those that leave least over, for a price of starting a tile.
static unsigned chooseOutputs(std::optional<int64_t> phase) {
  if (!phase)
    return mostOutputs;
  auto price = [&](int64_t outputs) { return ceilDiv(*phase, outputs) * (2 * outputs + 3); };
  int64_t best = 1;
  for (int64_t outputs = 2; outputs <= std::min(*phase, mostOutputs); ++outputs)
    if (price(outputs) <= price(best))
      best = outputs;
  return unsigned(best);
}

ConvolutionDirectPlan::ConvolutionDirectPlan(ir::KernelOp kernel, ConvolutionNest neutral)
    : FormPlan(kernel), nest(std::move(neutral)), dims(resultDims(nest)) {
  ConvolutionSpec spec = nest.describe();
  steps = llvm::map_to_vector(spec.windows, stepsOf);
  along = windowAlong(dims, spec.windows.size());
  const ConvolutionWindow &window = spec.windows[along];
  const WindowSteps &step = steps[along];
  bool isInnermost =
      !dims.empty() && dims.back().kind == ConvolutionDim::Window && dims.back().window == along;

  chooseLanes(tile, spec, !dims.empty() && dims.back().kind == ConvolutionDim::Groups,
              !dims.empty() && dims.back().kind == ConvolutionDim::Filters);
  if (!step.hasZeros && window.filter.constant && *window.filter.constant <= mostTaps)
    tile.taps = unsigned(std::max<int64_t>(1, *window.filter.constant));
  std::optional<int64_t> phase;
  if (window.y.constant)
    phase = ceilDiv(*window.y.constant, step.phases);
  auto units = [&] {
    DimExpr count = 1;
    for (const ConvolutionDim &dim : dims)
      count = mul(count, parts(dim)).value_or(DimExpr(INT64_MAX));
    return count;
  };
  tile.outputs = isInnermost ? 1 : chooseOutputs(phase);
  while (tile.outputs > 1 && units().isConstant() && units().constantValue() < manyThreads)
    tile.outputs /= 2;
  tile.outputStep = step.step * step.oStep;
  tile.tapStep = step.step * step.iStep;
  tile.isInside = isInside(window, step, tile);
  isOutputWhole = tile.outputs == 1 || (step.phases == 1 && phase && *phase % tile.outputs == 0);
  DimExpr count = units();
  hasShortUnits = count.isConstant() && count.constantValue() <= INT32_MAX;
  setWork(count, DimExpr(1));
  work = nest.operations();
}

DimExpr ConvolutionDirectPlan::parts(const ConvolutionDim &dim) const {
  const ConvolutionShape &shape = nest.shape;
  auto byLanes = [&](const DimExpr &size, bool hasLanes) {
    return hasLanes ? *ceildiv(size, DimExpr(int64_t(tile.lanes))) : size;
  };
  switch (dim.kind) {
  case ConvolutionDim::Batch:
    return shape.batch;
  case ConvolutionDim::Groups:
    return byLanes(shape.groups, tile.alongGroups);
  case ConvolutionDim::Filters:
    return byLanes(shape.filters, !tile.alongGroups);
  default:
    break;
  }
  const DimExpr &y = shape.windows[dim.window].ySize;
  if (dim.window != along || tile.outputs == 1)
    return y;
  int64_t phases = steps[dim.window].phases;
  return *mul(*ceildiv(y, DimExpr(phases * int64_t(tile.outputs))), DimExpr(phases));
}

void ConvolutionDirectPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: direct; a thread makes ";
  print(out, tile, along);
  out << "\n";
}
