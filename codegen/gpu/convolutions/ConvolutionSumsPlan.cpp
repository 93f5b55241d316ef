#include "codegen/gpu/convolutions/ConvolutionSumsPlan.h"

#include "codegen/gpu/convolutions/ConvolutionChoices.h"
#include "codegen/lowering/Rounding.h"
#include "runtime/abi/keratin_cuda_abi.h"

#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

static constexpr unsigned blockThreads = 256;
// Outputs along all windows together, at most; and taps, at least, that make them few.
static constexpr int64_t fewOutputs = 128, manyTaps = 256;
// Of a tile, in registers.
static constexpr int64_t mostSums = 48, mostOutputs = 8;
// Taps along a line that a thread meets at once, and how often before it looks for its next line.
static constexpr unsigned tapsAtOnce = 2;
static constexpr int64_t stepsOfStretch = 16;
// Blocks that fill a device, and those that meet for a result at most.
static constexpr int64_t manyBlocks = 512, mostParts = 256;

// Whether there are few outputs along the windows, for a depth that is long or not known.
static bool hasFewOutputs(const ConvolutionSpec &spec) {
  int64_t outputs = 1, taps = spec.contracted.constant.value_or(manyTaps);
  for (const ConvolutionWindow &window : spec.windows) {
    if (!window.y.constant || *window.y.constant > fewOutputs)
      return false;
    outputs = std::min(outputs * *window.y.constant, fewOutputs + 1);
    taps = std::min(std::max<int64_t>(taps, 0) *
                        std::min(window.filter.constant.value_or(manyTaps), manyTaps),
                    manyTaps);
  }
  return outputs <= fewOutputs && taps >= manyTaps;
}

DevicePlanPtr ConvolutionSumsPlan::make(ir::KernelOp kernel, const ConvolutionNest &nest,
                                        unsigned warpThreads) {
  ConvolutionSpec spec = nest.describe();
  bool hasZeros = llvm::any_of(
      spec.windows, [](const ConvolutionWindow &window) { return stepsOf(window).hasZeros; });
  if (warpThreads == 1 || hasZeros || !hasFewOutputs(spec))
    return nullptr;
  return std::make_shared<ConvolutionSumsPlan>(kernel, nest);
}

ConvolutionSumsPlan::ConvolutionSumsPlan(ir::KernelOp kernel, ConvolutionNest neutral)
    : FormPlan(kernel), nest(std::move(neutral)) {
  ConvolutionSpec spec = nest.describe();
  steps = llvm::map_to_vector(spec.windows, stepsOf);
  chooseTile(spec);
  chooseThreads(spec);
  chooseParts();
  unitThreads = blockThreads;
  int64_t bytes = ceilDiv(spec.accumulatorType.getIntOrFloatBitWidth(), 8);
  // Half of the threads tell the other half.
  sharedBytes = int64_t(tile.sums()) * tile.lanes * (blockThreads / 2) * bytes + elements() * bytes;
  partBytes = parts > 1 ? roundUp(elements() * bytes, 16) : 0;
  DimExpr units = mul(results(), DimExpr(parts)).value_or(DimExpr(INT64_MAX));
  setWork(units, DimExpr(1));
  work = nest.operations();
}

// Tiles of whole windows if they fit; else of all outputs along the last one.
void ConvolutionSumsPlan::chooseTile(const ConvolutionSpec &spec) {
  along = spec.windows.size() - 1;
  // Of 1-element dimensions behind them strides say nothing wrong.
  chooseLanes(tile, spec, /*groupsAreInnermost=*/true, /*filtersAreInnermost=*/true);
  int64_t outputs = std::max<int64_t>(1, *spec.windows[along].y.constant);
  tile.outputs = unsigned(ceilDiv(outputs, ceilDiv(outputs, mostOutputs)));
  if (along > 0) {
    across = along - 1;
    int64_t rows = std::max<int64_t>(1, *spec.windows[*across].y.constant);
    int64_t most = std::max<int64_t>(1, mostSums / (tile.outputs * tile.lanes));
    tile.rows = unsigned(ceilDiv(rows, ceilDiv(rows, most)));
  }
  tile.outputStep = steps[along].step * steps[along].oStep;
  tile.tapStep = steps[along].step * steps[along].iStep;
  tile.isInside = isInside(spec.windows[along], steps[along], tile);
}

// Neighbouring threads read neighbours: of lanes' dimension, or of the line.
void ConvolutionSumsPlan::chooseThreads(const ConvolutionSpec &spec) {
  constexpr int64_t warpThreads = 32;
  bool hasLanes =
      tile.lanes > 1 || (tile.alongGroups && spec.groups.constant != 1) ||
      (!tile.alongGroups && spec.filter.filters.constant == 1 && spec.filters.constant != 1);
  auto least = [&](const ConvolutionSize &size, int64_t by) {
    int64_t threads = size.constant ? ceilDiv(*size.constant, by) : warpThreads;
    return unsigned(
        std::min<int64_t>(warpThreads, llvm::PowerOf2Ceil(std::max<int64_t>(1, threads))));
  };
  if (hasLanes)
    laneThreads = least(tile.alongGroups ? spec.groups : spec.filters, tile.lanes);
  else
    columnThreads = least(spec.windows[along].filter, 1);
  tile.taps = hasLanes ? tapsAtOnce : 1;
  lineThreads = blockThreads / laneThreads / columnThreads;
  stretch = int64_t(columnThreads) * tile.taps * stepsOfStretch;
}

// As many blocks as fill a device, each of which has lines for its threads.
void ConvolutionSumsPlan::chooseParts() {
  DimExpr count = results(), length = lines();
  if (!count.isConstant() || count.constantValue() > KERATIN_CUDA_COUNTERS_OF_CALL ||
      count.constantValue() < 1)
    return;
  parts = std::min(ceilDiv(manyBlocks, count.constantValue()), mostParts);
  if (length.isConstant())
    parts = std::min(parts, ceilDiv(length.constantValue(), lineThreads));
  parts = std::max<int64_t>(parts, 1);
}

static DimExpr times(const DimExpr &x, const DimExpr &y) {
  return mul(x, y).value_or(DimExpr(INT64_MAX));
}

DimExpr ConvolutionSumsPlan::groupBlocks() const {
  return tile.alongGroups ? *ceildiv(nest.shape.groups, DimExpr(laneElements()))
                          : nest.shape.groups;
}

DimExpr ConvolutionSumsPlan::filterBlocks() const {
  return tile.alongGroups ? nest.shape.filters
                          : *ceildiv(nest.shape.filters, DimExpr(laneElements()));
}

DimExpr ConvolutionSumsPlan::results() const {
  DimExpr count = times(times(nest.shape.batch, groupBlocks()), filterBlocks());
  for (auto [j, window] : llvm::enumerate(nest.shape.windows))
    count = times(count, *ceildiv(window.ySize, DimExpr(outputsOf(j))));
  return count;
}

DimExpr ConvolutionSumsPlan::stretches() const {
  return *ceildiv(nest.shape.windows[along].filterSize, DimExpr(stretch));
}

DimExpr ConvolutionSumsPlan::lines() const {
  DimExpr count = times(nest.shape.contracted, stretches());
  for (auto [j, window] : llvm::enumerate(nest.shape.windows))
    if (j != along)
      count = times(count, window.filterSize);
  return count;
}

void ConvolutionSumsPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: sums; a thread makes ";
  print(out, tile, along);
  out << "; " << laneThreads << " x " << columnThreads << " x " << lineThreads
      << " threads side by side, along a line and on other lines, which meet in shared memory\n"
      << "depth: lines of " << counted(stretch, "tap") << "; "
      << (parts == 1 ? std::string("one block") : counted(parts, "block") + " that meet")
      << " a result\n";
}
