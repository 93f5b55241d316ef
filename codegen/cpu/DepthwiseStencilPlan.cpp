// Which outputs and taps of a depthwise convolution are written out together.
#include "codegen/cpu/DepthwiseStencil.h"

#include "codegen/lowering/Rounding.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

using Side = DepthwiseStencil::Side;

int64_t DepthwiseStencil::tableColumns() const {
  return roundUp(columns.reach(columns.taps), addressLanes);
}

int64_t DepthwiseStencil::tableBytes() const {
  return rows.reach(rows.taps) * tableColumns() * sizeof(int64_t);
}

// How many of the places that a tile reaches are read.
static int64_t countPlaces(const Side &side, int64_t taps) {
  int64_t count = 0;
  for (int64_t place = 0; place < side.reach(taps); ++place)
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t output = place - tap * side.iStep;
      if (output >= 0 && output % side.oStep == 0 && output / side.oStep < side.outputs) {
        ++count;
        break;
      }
    }
  return count;
}

// nullopt if nothing is known.
static std::optional<Side> sideOf(const ConvolutionWindow &window, const WindowSteps &steps) {
  if (!window.filter.constant || *window.filter.constant < 1 || *window.filter.constant > 64)
    return std::nullopt;
  Side side;
  side.taps = ceilDiv(*window.filter.constant, steps.taps);
  side.tapsVary = steps.hasZeros;
  // If dilations have no common divisor, every phase has a tap among the first xDilation.
  side.noneArePossible = steps.taps != window.xDilation;
  side.oStep = steps.oStep;
  side.iStep = steps.iStep;
  return side;
}

// The most that a phase of the window has; many if that is unknown.
static int64_t outputsOf(const ConvolutionWindow &window, const WindowSteps &steps) {
  if (!window.y.constant)
    return 24;
  return ceilDiv(std::clamp<int64_t>(*window.y.constant, 1, 1 << 20), steps.phases);
}

// Sums, the taps of some rows, and elements of x are in registers. More sums than a quarter of
// these read x less often, but leave too few registers to read ahead.
static bool fits(const DepthwiseStencil &stencil, const MachineTarget &target) {
  constexpr int64_t mostProducts = 128, mostEntries = 512;
  int64_t registers = target.vectorRegisters - 2, mostSums = target.vectorRegisters / 4;
  int64_t taps = stencil.tapsAtOnce(), sums = stencil.sums();
  return sums <= mostSums && sums + taps <= registers && sums * taps <= mostProducts &&
         stencil.tableBytes() <= mostEntries * 8;
}

// Of a tile, for a vector of channels where there are so many. An element of x takes two loads, its
// address and itself.
static double cyclesOf(const DepthwiseStencil &stencil, double vectors) {
  int64_t taps = stencil.tapsAtOnce(), sums = stencil.sums();
  int64_t places = countPlaces(stencil.rows, stencil.rowsAtOnce) *
                   countPlaces(stencil.columns, stencil.columns.taps);
  int64_t passes = ceilDiv(stencil.rows.taps, stencil.rowsAtOnce);
  double cycles = passes * std::max({double(sums * taps), double(2 * places + taps), 8.0}) / 2;
  return cycles + (2 * sums + 2 * passes + 30 / vectors);
}

// The sides with one output each; nullopt if there are more windows than two, or too little is
// known of their taps.
static std::optional<DepthwiseStencil> sidesOf(const ConvolutionSpec &spec,
                                               const ConvolutionPlan &plan) {
  size_t last = spec.windows.size() - 1;
  if (plan.batchInside || spec.contracted.constant != 1 || last > 1)
    return std::nullopt;
  std::optional<Side> rows = Side(), columns = sideOf(spec.windows[last], plan.steps[last]);
  if (last > 0)
    rows = sideOf(spec.windows[last - 1], plan.steps[last - 1]);
  if (!rows || !columns)
    return std::nullopt;
  DepthwiseStencil stencil;
  stencil.rows = *rows;
  stencil.columns = *columns;
  return stencil;
}

std::optional<DepthwiseStencil>
keratin::codegen::planDepthwiseStencil(const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                                       const MachineTarget &target) {
  std::optional<DepthwiseStencil> stencil = sidesOf(spec, plan), best;
  if (!stencil)
    return std::nullopt;
  size_t last = spec.windows.size() - 1;
  int64_t outputRows = last > 0 ? outputsOf(spec.windows[last - 1], plan.steps[last - 1]) : 1;
  int64_t outputColumns = outputsOf(spec.windows[last], plan.steps[last]);
  int64_t channels = std::clamp<int64_t>(spec.groups.constant.value_or(64), 1, 1 << 20);
  stencil->lanes = plan.tile.lanes;
  stencil->addressLanes = target.lanes(64);
  double fewestCycles = 1e300;
  for (int64_t rows = 1; rows <= std::min<int64_t>(outputRows, 4); ++rows)
    for (int64_t columns = 1; columns <= std::min<int64_t>(outputColumns, 8); ++columns)
      for (int64_t atOnce : {stencil->rows.taps, int64_t(1)}) {
        stencil->rows.outputs = rows;
        stencil->columns.outputs = columns;
        stencil->rowsAtOnce = stencil->rows.tapsVary ? 1 : atOnce;
        if (!fits(*stencil, target))
          continue;
        double cycles = cyclesOf(*stencil, ceilDiv(channels, plan.tile.lanes));
        cycles *= ceilDiv(outputRows, rows) * ceilDiv(outputColumns, columns);
        if (cycles < fewestCycles) {
          fewestCycles = cycles;
          best = stencil;
        }
      }
  return best;
}
