#include "codegen/cpu/DepthwisePlan.h"

#include "codegen/lowering/Rounding.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

// The fewest outputs that a phase of a window has; nullopt if unknown.
static std::optional<int64_t> fewestOutputs(const ConvolutionWindow &window,
                                            const WindowSteps &steps) {
  if (!window.y.constant)
    return std::nullopt;
  return std::max<int64_t>(1, *window.y.constant / steps.phases);
}

// The tile that takes the fewest cycles: products two a cycle but none before the one four cycles
// earlier, the lines of x that a tile brings into the first-level cache, and starting a tile.
static DepthwiseTile chooseTile(const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                                const MachineTarget &target) {
  DepthwiseTile tile;
  tile.lanes = plan.tile.lanes;
  int64_t most = target.vectorRegisters >= 32 ? 24 : 12; // sums in registers
  size_t last = spec.windows.size() - 1;
  auto known = [&](const ConvolutionSize &size, int64_t otherwise) {
    return size.constant ? std::clamp<int64_t>(*size.constant, 1, 1 << 20) : otherwise;
  };
  // Of the tile's rows; one window has columns only.
  int64_t outputRows = 1, rowTaps = 1;
  if (last > 0) {
    outputRows = fewestOutputs(spec.windows[last - 1], plan.steps[last - 1]).value_or(24);
    rowTaps = known(spec.windows[last - 1].filter, 3);
  }
  int64_t outputColumns = fewestOutputs(spec.windows[last], plan.steps[last]).value_or(24);
  int64_t columnTaps = known(spec.windows[last].filter, 3);
  int64_t channels = known(spec.groups, 64);

  double best = 1e300;
  for (int64_t vectors = 1; vectors <= (channels >= 2 * tile.lanes ? 2 : 1); ++vectors)
    for (int64_t rows = 1; rows <= std::min(outputRows, most / vectors); ++rows)
      for (int64_t columns = 1; columns <= std::min(outputColumns, most / vectors / rows);
           ++columns) {
        double sums = rows * columns * vectors;
        double taps = double(rowTaps) * columnTaps;
        double lines = double(rows - 1 + rowTaps) * (columns - 1 + columnTaps) * vectors;
        double cycles = taps * (std::max(sums + vectors, 8.0) / 2 + 1) + lines / 2 + sums + 20;
        double tiles = double(ceilDiv(outputRows, rows)) * ceilDiv(outputColumns, columns) *
                       ceilDiv(channels, vectors * tile.lanes);
        if (tiles * cycles < best) {
          best = tiles * cycles;
          tile.rows = rows;
          tile.columns = columns;
          tile.vectors = vectors;
        }
      }
  return tile;
}

static DepthwisePlan::Scratch layOutScratch(const ConvolutionSpec &spec,
                                            const DepthwisePlan &plan) {
  auto bytesOf = [](Type type) { return ceilDiv(type.getIntOrFloatBitWidth(), 8); };
  DepthwisePlan::Scratch scratch;
  if (const std::optional<DepthwiseStencil> &stencil = plan.stencil) {
    int64_t channels =
        std::min(spec.groups.constant.value_or(stencil->mostChannels), stencil->mostChannels);
    scratch.table = roundUp((channels + 2 * stencil->lanes) * bytesOf(spec.x.elementType), 64);
    scratch.sums = scratch.table + roundUp(stencil->tableBytes(), 64);
  }
  scratch.bytes = scratch.sums + roundUp(plan.tile.elements() * bytesOf(spec.accumulatorType), 64);
  return scratch;
}

bool keratin::codegen::isDirectDepthwise(const ConvolutionSpec &spec, const ConvolutionPlan &plan) {
  return plan.alongGroups && spec.x.groups.constant == 1 && spec.filter.groups.constant == 1;
}

DepthwisePlan keratin::codegen::planDepthwise(const ConvolutionSpec &spec,
                                              const ConvolutionPlan &plan,
                                              const MachineTarget &target) {
  DepthwisePlan result;
  result.stencil = planDepthwiseStencil(spec, plan, target);
  result.wordLanes = target.lanes(32);
  if (const std::optional<DepthwiseStencil> &stencil = result.stencil) {
    result.tile.lanes = plan.tile.lanes;
    result.rows = stencil->rows.outputs;
    result.columns = stencil->columns.outputs;
    result.channels = stencil->mostChannels;
  } else {
    result.tile = chooseTile(spec, plan, target);
    result.rows = result.tile.rows;
    result.columns = result.tile.columns;
    // Few outputs of many taps: channels are what threads can share.
    result.channels = plan.batchInside ? result.tile.channels() : 1024;
  }
  result.scratch = layOutScratch(spec, result);
  return result;
}

void keratin::codegen::print(llvm::raw_ostream &out, const DepthwisePlan &plan) {
  out << "schedule: depthwise, lanes along groups; tiles of " << plan.rows << " x " << plan.columns
      << " outputs";
  if (plan.stencil)
    out << " with all taps of " << plan.stencil->rowsAtOnce << " x " << plan.stencil->columns.taps
        << " written out; " << plan.stencil->lanes << " lanes";
  else
    out << " x " << plan.tile.vectors << " vectors; " << plan.tile.lanes << " lanes";
  out << "; units of " << plan.tilesOfUnit << " tiles and up to " << plan.channels << " channels\n";
}
