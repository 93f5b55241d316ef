#include "codegen/gpu/convolutions/ConvolutionProductPlan.h"

#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/lowering/RandomNest.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ConvolutionDims;
using keratin::ir::DimExpr;

static DimExpr times(const DimExpr &x, const DimExpr &y) {
  return mul(x, y).value_or(DimExpr(INT64_MAX));
}

// With a batch of images, and images, that are not known: what tiles are chosen for.
static std::optional<int64_t> typical(const DimExpr &size) {
  return size.evaluate([](int64_t) { return std::optional<int64_t>(32); });
}

// Neighbours of x are places where it has batch entries next to each other; else as the result has
// them.
static SmallVector<ConvolutionDim> orderPlaces(const ConvolutionNest &nest,
                                               const ConvolutionSpec &spec) {
  SmallVector<ConvolutionDim> dims;
  for (const ConvolutionDim &dim : resultDims(nest))
    if (dim.kind == ConvolutionDim::Batch || dim.kind == ConvolutionDim::Window)
      dims.push_back(dim);
  if (spec.x.batch.constant == 1 && spec.x.contracted.constant != 1)
    for (size_t i = 0; i + 1 < dims.size(); ++i)
      if (dims[i].kind == ConvolutionDim::Batch)
        std::swap(dims[i], dims[i + 1]);
  return dims;
}

ConvolutionProductPlan::ConvolutionProductPlan(ir::KernelOp kernel, ConvolutionNest neutral,
                                               const DeviceTraits &device)
    : FormPlan(kernel), nest(std::move(neutral)) {
  ConvolutionSpec spec = nest.describe();
  steps = llvm::map_to_vector(spec.windows, stepsOf);
  placeDims = orderPlaces(nest, spec);
  depthDims = depthDimsOf(nest);
  SmallVector<ConvolutionDim> result = resultDims(nest);
  placesAreRows = result.empty() || result.back().kind == ConvolutionDim::Filters ||
                  result.back().kind == ConvolutionDim::Groups;
  hasTapBits = hasFewTaps();
  int64_t sumBytes = sumTypeOf(spec.accumulatorType).getIntOrFloatBitWidth() / 8;
  DimExpr products = times(nest.shape.groups, DimExpr(phases()));
  tile = chooseTile(unitsFor(spec.x.elementType, device.float32Products), sumBytes,
                    {typical(products), typical(rows()), typical(columns()), typical(depth())},
                    device.hasLargeMatrices);
  isOfDevice = tile.isOfLargeMatrices();
  unitThreads = unsigned(tile.threads());
  // Filters of a group next to each other, as many as are whole groups of blocks.
  std::optional<int64_t> filters = constantOf(nest.shape.filters);
  if (placesAreRows && filters && *filters % RandomNest::groupElements == 0)
    randomBits = SharedRandomBits(kernel, unsigned(tile.group()), tile.columns() / tile.group());
  sharedBytes = tile.sharedBytes();
  DimExpr tiles = times(products, times(rowTiles(), columnTiles()));
  mostParts = mostDepthParts(tile, tiles, depth());
  hasFewBlocks = hasParts();
  if (hasParts())
    partBytes = tile.rows() * tile.columns() * tile.sumBytes;
  setWork(times(tiles, depthParts()),
          times(*ceildiv(depth(), depthParts()), DimExpr(2 * tile.rows() * tile.columns())));
}

bool ConvolutionProductPlan::isDepthWhole() const {
  bool hasZeros = llvm::any_of(steps, [](const WindowSteps &step) { return step.hasZeros; });
  // Phases have each a number of taps.
  std::optional<int64_t> known = constantOf(hasZeros ? nest.shape.contracted : depth());
  return known && *known % tile.depth == 0;
}

bool ConvolutionProductPlan::areLinesWhole(bool ofPlaces) const {
  std::optional<int64_t> known = constantOf(ofPlaces ? places() : nest.shape.filters);
  return known && *known % (ofPlaces == placesAreRows ? tile.rows() : tile.columns()) == 0;
}

bool ConvolutionProductPlan::hasFewTaps() const {
  constexpr int64_t most = 32;
  int64_t count = 1;
  for (size_t j = 0; j < steps.size(); ++j) {
    std::optional<int64_t> here = constantOf(taps(j));
    if (!here || *here > most)
      return false;
    count *= std::max<int64_t>(*here, 1);
    if (count > most)
      return false;
  }
  return true;
}

DimExpr ConvolutionProductPlan::outputs(size_t window) const {
  return *ceildiv(nest.shape.windows[window].ySize, DimExpr(steps[window].phases));
}

DimExpr ConvolutionProductPlan::taps(size_t window) const {
  return *ceildiv(nest.shape.windows[window].filterSize, DimExpr(steps[window].taps));
}

DimExpr ConvolutionProductPlan::places() const {
  DimExpr count = nest.shape.batch;
  for (size_t j = 0; j < steps.size(); ++j)
    count = times(count, outputs(j));
  return count;
}

DimExpr ConvolutionProductPlan::depth() const {
  DimExpr count = nest.shape.contracted;
  for (size_t j = 0; j < steps.size(); ++j)
    count = times(count, taps(j));
  return count;
}

int64_t ConvolutionProductPlan::tapBits(size_t window) const {
  return hasTapBits ? taps(window).constantValue() : 1;
}

int64_t ConvolutionProductPlan::bitsBehind(size_t window) const {
  int64_t count = 1;
  for (size_t j = window + 1; j < steps.size(); ++j)
    count *= tapBits(j);
  return count;
}

int64_t ConvolutionProductPlan::phases() const {
  int64_t count = 1;
  for (const WindowSteps &step : steps)
    count *= step.phases;
  return count;
}

DimExpr ConvolutionProductPlan::rowTiles() const { return *ceildiv(rows(), DimExpr(tile.rows())); }

DimExpr ConvolutionProductPlan::columnTiles() const {
  return *ceildiv(columns(), DimExpr(tile.columns()));
}

DimExpr ConvolutionProductPlan::depthParts() const { return partsOfDepth(depth(), mostParts); }

void ConvolutionProductPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: an implicit product, in tiles of " << tile << "; "
      << (placesAreRows ? "rows are places, columns filters" : "rows are filters, columns places");
  randomBits.print(out);
  out << "\n";
  if (phases() > 1)
    out << "phases: " << phases() << "\n";
  if (hasParts())
    out << "depth: in " << depthParts().str() << " parts, which meet\n";
}
