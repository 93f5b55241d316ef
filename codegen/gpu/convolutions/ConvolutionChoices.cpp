#include "codegen/gpu/convolutions/ConvolutionChoices.h"

#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ConvolutionDims;
using keratin::ir::DimExpr;

// Of one access to memory.
static constexpr unsigned accessBytes = 16;
// More would be held in registers than hides anything.
static constexpr unsigned mostLanes = 8;

// In the order of their places in a tensor; without those that it lacks.
static SmallVector<ConvolutionDim> inOrder(SmallVector<std::pair<int, ConvolutionDim>> places) {
  llvm::sort(places, [](const auto &a, const auto &b) { return a.first < b.first; });
  SmallVector<ConvolutionDim> result;
  for (auto &[place, dim] : places)
    if (place >= 0)
      result.push_back(dim);
  return result;
}

SmallVector<ConvolutionDim> keratin::codegen::resultDims(const ConvolutionNest &nest) {
  const ConvolutionDims &dims = nest.shape.dims;
  ir::Shape shape = ir::getShape(ir::ConvolutionOp(nest.op).getY());
  SmallVector<std::pair<int, ConvolutionDim>> places;
  auto add = [&](int place, ConvolutionDim dim) {
    if (place >= 0 && shape[place] != DimExpr(1))
      places.push_back({place, dim});
  };
  add(dims.batch.y, {ConvolutionDim::Batch});
  add(dims.groups.y, {ConvolutionDim::Groups});
  add(dims.filters.y, {ConvolutionDim::Filters});
  for (auto [j, window] : llvm::enumerate(dims.windows))
    add(window.y, {ConvolutionDim::Window, j});
  return inOrder(std::move(places));
}

SmallVector<ConvolutionDim> keratin::codegen::depthDimsOf(const ConvolutionNest &nest) {
  const ConvolutionDims &dims = nest.shape.dims;
  SmallVector<std::pair<int, ConvolutionDim>> places;
  if (nest.shape.contracted != DimExpr(1))
    places.push_back({dims.contracted.x, {ConvolutionDim::Contracted}});
  for (auto [j, window] : llvm::enumerate(dims.windows))
    if (nest.shape.windows[j].filterSize != DimExpr(1))
      places.push_back({window.x, {ConvolutionDim::Window, j}});
  return inOrder(std::move(places));
}

void keratin::codegen::chooseLanes(ConvolutionTile &tile, const ConvolutionSpec &spec,
                                   bool groupsAreInnermost, bool filtersAreInnermost) {
  tile.alongGroups =
      groupsAreInnermost && spec.x.groups.constant == 1 && spec.filter.groups.constant == 1;
  bool alongFilters = filtersAreInnermost && spec.filter.filters.constant == 1;
  const ConvolutionSize &size = tile.alongGroups ? spec.groups : spec.filters;
  if ((!tile.alongGroups && !alongFilters) || !size.constant || *size.constant < 1)
    return;
  unsigned bytes = std::max(1u, spec.filter.elementType.getIntOrFloatBitWidth() / 8);
  tile.lanes = std::min(mostLanes, accessBytes / bytes);
  while (*size.constant % tile.lanes)
    tile.lanes /= 2;
}

bool keratin::codegen::isInside(const ConvolutionWindow &window, const WindowSteps &steps,
                                const ConvolutionTile &tile) {
  if (steps.hasZeros || !window.low.constant || !window.y.constant || !window.filter.constant ||
      !window.x.constant || *window.low.constant > 0 || *window.y.constant < 1)
    return false;
  // In 128 bits nothing overflows.
  __int128 outputs = roundUp(*window.y.constant, int64_t(tile.outputs));
  __int128 last = (outputs - 1) * window.stride +
                  (__int128(*window.filter.constant) - 1) * window.dilation - *window.low.constant;
  return last < *window.x.constant;
}
