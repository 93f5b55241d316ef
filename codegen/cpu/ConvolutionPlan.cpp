#include "codegen/cpu/ConvolutionPlan.h"

#include "codegen/cpu/ConvolutionBlocks.h"
#include "codegen/cpu/DepthwisePlan.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

static bool isOne(const ConvolutionSize &size) { return size.constant == 1; }

// Lanes along the groups read a vector of A for each product, lanes along the filters leave lanes
// empty where a group has few filters.
static bool runsAlongGroups(const ConvolutionSpec &spec, int64_t lanes) {
  if (isOne(spec.groups) || !spec.filters.constant)
    return false;
  int64_t filters = std::max<int64_t>(1, *spec.filters.constant);
  int64_t groups = spec.groups.constant.value_or(1 << 20);
  return 2 * ceilDiv(groups, lanes) * filters < groups * ceilDiv(filters, lanes);
}

// The filter's gradient is a convolution with few outputs along its windows and a filter as large
// as an image, x's batch being the images' channels.
static bool keepsBatchInside(const ConvolutionSpec &spec) {
  if (isOne(spec.x.contracted) != isOne(spec.x.batch))
    return isOne(spec.x.batch);
  const ConvolutionWindow &last = spec.windows.back();
  if (!last.y.constant)
    return false;
  return !last.filter.constant || *last.filter.constant > *last.y.constant;
}

// A step of a few sums waits for the multiplier.
static double cyclesOfTile(int64_t rows, const ContractionPlan &tile, bool isWide) {
  constexpr double latency = 4;
  return std::max(keratin::codegen::cyclesOfTile(rows, tile.tileVectors, isWide), latency);
}

// Cycles of a step over m rows. Some tiles have one row fewer, where that leaves none over.
static double cyclesOfLine(int64_t m, const ContractionPlan &tile, bool isWide) {
  auto all = [&](int64_t count, int64_t rows) {
    return count ? double(count) * cyclesOfTile(rows, tile, isWide) : 0;
  };
  const int64_t rows = tile.tileRows, tiles = ceilDiv(m, rows), lacking = tiles * rows - m;
  if (tile.evensRows)
    return all(tiles - lacking, rows) + all(lacking, rows - 1);
  return all(m / rows, rows) + all(ceilDiv(m % rows, tile.tailRows), tile.tailRows);
}

// The tile that wastes least on rows and columns that do not exist.
static void chooseTile(ConvolutionPlan &plan, std::optional<int64_t> rows,
                       std::optional<int64_t> columns, bool mayEven, const MachineTarget &target) {
  bool many = target.vectorRegisters >= 32;
  const int64_t tailRows = many ? 4 : 3, m = std::max<int64_t>(1, rows.value_or(56));
  ContractionPlan tile = plan.tile;
  double best = 1e30;
  auto consider = [&](int64_t count, int64_t tail, bool evensRows) {
    tile.tileRows = count;
    tile.tailRows = tail;
    tile.evensRows = evensRows;
    const int64_t panels = ceilDiv(columns.value_or(128), tile.tileColumns());
    const double cycles = double(panels) * cyclesOfLine(m, tile, plan.alongGroups);
    if (cycles < best) {
      best = cycles;
      plan.tile = tile;
    }
  };
  for (tile.tileVectors = 1; tile.tileVectors <= (many ? 4 : 2); ++tile.tileVectors) {
    int64_t most = (target.vectorRegisters - 1 - tile.tileVectors) / tile.tileVectors;
    most = std::clamp<int64_t>(most, 1, many ? 14 : 6);
    for (int64_t count = rows ? 1 : most; count <= most; ++count) {
      consider(count, tailRows, false);
      const int64_t lacking = ceilDiv(m, count) * count - m;
      if (rows && mayEven && count > 1 && lacking > 0 && lacking <= ceilDiv(m, count))
        consider(count, count - 1, true);
    }
  }
  // Short lines leave many rows over.
  if (!rows && !plan.batchInside && !plan.alongGroups)
    chooseMiddleRows(plan.tile, target, /*finishesMany=*/false);
}

// Whether rows of the filter follow one another at one distance, through all taps and channels, as
// whole vectors.
static bool isFilterOneRun(const ConvolutionSpec &spec, const ConvolutionPlan &plan) {
  const ConvolutionOperand &filter = spec.filter;
  if (filter.elementType != spec.accumulatorType || !isOne(spec.groups) ||
      filter.filters.constant != 1 || !plan.tile.wholePanels || !filter.contracted.constant ||
      !spec.contracted.constant)
    return false;
  std::optional<int64_t> apart = filter.contracted.constant;
  int64_t rows = *spec.contracted.constant;
  for (size_t j = spec.windows.size(); j-- > 0;) {
    apart = llvm::checkedMul(*apart, rows);
    const ConvolutionWindow &window = spec.windows[j];
    if (!apart || window.reversed || plan.steps[j].hasZeros || !window.filter.constant ||
        filter.windows[j].constant != apart)
      return false;
    rows = *window.filter.constant;
  }
  return *apart > 0 && llvm::checkedMul(*apart, rows);
}

// Of the filter, if they are known.
static bool takesMore(const ConvolutionSpec &spec, const ConvolutionPlan &plan, int64_t most) {
  int64_t bytes = ceilDiv(spec.filter.elementType.getIntOrFloatBitWidth(), 8);
  auto count = [&](const ConvolutionSize &size) {
    bytes = std::min(bytes, most + 1) * std::clamp<int64_t>(size.constant.value_or(1), 0, 1 << 20);
  };
  for (const ConvolutionWindow &window : spec.windows)
    count(window.filter);
  count(plan.columns(spec));
  count(spec.contracted);
  return bytes > most;
}

// Than a second-level cache has to spare.
static bool isLarge(const ConvolutionSpec &spec, const ConvolutionPlan &plan) {
  return takesMore(spec, plan, 512 * 1024);
}

// Whether tiles that are made so can read the filter from panels.
static bool canReadPanels(const ConvolutionSpec &spec, const ConvolutionPlan &plan) {
  if (plan.alongGroups || plan.batchInside || plan.depthwise || !plan.tile.wholePanels ||
      !isOne(spec.groups) || spec.filter.elementType != spec.accumulatorType ||
      !spec.contracted.constant || !spec.filters.constant)
    return false;
  for (auto [window, steps] : llvm::zip(spec.windows, plan.steps))
    if (!window.filter.constant || window.reversed || steps.hasZeros)
      return false;
  return true;
}

// What a small filter's panels read in place, line by line, stays near all the same.
bool keratin::codegen::gainsByPanels(const ConvolutionSpec &spec, const ConvolutionPlan &plan) {
  return canReadPanels(spec, plan) && (!plan.isFilterOneRun() || takesMore(spec, plan, 256 * 1024));
}

// Known sizes decide, so that there is code for one way only.
static void chooseFilter(ConvolutionPlan &plan, const ConvolutionSpec &spec, int64_t panelColumns) {
  if (plan.alongGroups || plan.batchInside)
    return;
  if (panelColumns == plan.tile.tileColumns() && canReadPanels(spec, plan)) {
    plan.filter = ConvolutionPlan::Filter::InPanels;
    plan.bringsPanels = isLarge(spec, plan);
    return;
  }
  constexpr int64_t fewRows = 64, someRows = 256, nearBytes = 512, farBytes = 1024;
  std::optional<int64_t> rows = spec.batch.constant;
  for (const ConvolutionWindow &window : spec.windows)
    rows = rows && window.y.constant ? llvm::checkedMul(*rows, *window.y.constant) : std::nullopt;
  if (rows && *rows <= fewRows && isLarge(spec, plan) && isOne(spec.groups) &&
      plan.tile.b != ContractionPlan::Access::Gathered) {
    plan.filter = ConvolutionPlan::Filter::PackedInPasses;
    plan.joinsChannel = false;
    plan.sweepsColumns = plan.tile.b != ContractionPlan::Access::Transposed;
    plan.passDepth = plan.sweepsColumns ? 128 : 256;
    return;
  }
  // Rows far apart crowd into few sets of the second-level cache, which packing avoids; so it pays
  // if enough rows of the result share it.
  int64_t bytes = ceilDiv(spec.accumulatorType.getIntOrFloatBitWidth(), 8);
  int64_t most = rows && *rows <= someRows ? farBytes : nearBytes;
  if (isFilterOneRun(spec, plan) && *spec.filter.contracted.constant <= most / bytes)
    plan.filter = ConvolutionPlan::Filter::InPlace;
}

// The parts that dimensions play, the tile, and how the filter reaches it.
static ConvolutionPlan chooseParts(const ConvolutionSpec &spec, const MachineTarget &target,
                                   int64_t panelColumns, bool mayEven) {
  using Access = ContractionPlan::Access;
  ConvolutionPlan plan;
  int64_t bits = spec.accumulatorType.getIntOrFloatBitWidth();
  plan.tile.lanes = target.lanes(bits);
  plan.alongGroups = runsAlongGroups(spec, plan.tile.lanes);
  plan.batchInside = keepsBatchInside(spec);
  for (const ConvolutionWindow &window : spec.windows)
    plan.steps.push_back(stepsOf(window));
  const ConvolutionWindow &last = spec.windows.back();
  const WindowSteps &steps = plan.steps.back();
  bool single = isOne(plan.channel(spec));
  plan.joinsChannel = single || (plan.batchInside ? steps.oStep : steps.iStep) == 1;

  // Of one tap many channels fit a region: cut, the region would be copied and the filter packed
  // again for each part.
  if (llvm::all_of(spec.windows, [](const ConvolutionWindow &w) { return isOne(w.filter); }))
    plan.mostChannel = 2048;
  std::optional<int64_t> rows;
  if (last.y.constant)
    rows = ceilDiv(*last.y.constant, steps.phases);
  if (plan.batchInside) {
    plan.mostRows = plan.mostChannel = 1024;
    plan.mostDepth = 4096;
    plan.passDepth = 256;
    std::optional<int64_t> batch = spec.batch.constant;
    if (!plan.joinsChannel || !batch || *batch > plan.mostRows)
      rows = batch;
    else if (rows)
      rows = *rows <= plan.mostRows / std::max<int64_t>(1, *batch) ? std::optional(*rows * *batch)
                                                                   : std::nullopt;
  }
  if (rows && *rows > plan.mostRows)
    rows.reset();
  mayEven &= !plan.batchInside && last.y.isMultipleOf(steps.phases);
  chooseTile(plan, rows, plan.columns(spec).constant, mayEven, target);
  // A region holds the columns of one panel, so that little of it leaves the caches before its use.
  if (plan.alongGroups)
    plan.mostColumns = plan.tile.tileColumns();

  // Filters are always packed: a panel is read by many tiles.
  const ConvolutionOperand &filter = spec.filter;
  bool isNarrow = filter.elementType != spec.accumulatorType;
  const ConvolutionSize &column = plan.alongGroups ? filter.groups : filter.filters;
  const ConvolutionSize &row = plan.batchInside ? filter.windows.back() : filter.contracted;
  if (column.constant == 1 || isOne(plan.columns(spec)))
    plan.tile.b = isNarrow ? Access::Copied : Access::Direct;
  else if (row.constant == 1 && !(plan.batchInside && last.reversed) && steps.taps == 1 &&
           plan.tile.lanes * bits >= 128) // transposes are made of pieces of 16 bytes
    plan.tile.b = Access::Transposed;
  else
    plan.tile.b = Access::Gathered;
  const ConvolutionSize &columns = plan.columns(spec);
  plan.tile.wholePanels = columns.isMultipleOf(plan.tile.tileColumns());
  if (!single && !plan.alongGroups && !plan.batchInside &&
      areSummedTogether(spec.accumulatorType, spec.x.elementType, filter.elementType, target))
    sumTogether(plan.tile, spec.x.elementType, filter.elementType, target, /*byTiles=*/false);
  chooseFilter(plan, spec, panelColumns);
  return plan;
}

// What is known is allotted exactly; else the limits hold.
static ConvolutionPlan::Scratch layOutScratch(const ConvolutionPlan &plan,
                                              const KnownConvolutionBlocks &blocks,
                                              int64_t elementBytes) {
  using Number = KnownArithmetic::Number;
  KnownArithmetic known;
  ConvolutionPlan::Scratch scratch;
  auto elements = [&](Number size, int64_t most) {
    return roundUp(std::min(size.value_or(most), most), 64);
  };
  int64_t tile = plan.tile.tileColumns();
  scratch.panels = elements(blocks.regionElements, plan.regionElements);
  int64_t columns = plan.alongGroups ? std::max(plan.mostColumns, tile) : tile;
  scratch.sums = scratch.panels;
  if (plan.filter == ConvolutionPlan::Filter::PackedInPasses)
    scratch.sums += roundUp(plan.passDepth * tile, 64);
  else if (plan.filter == ConvolutionPlan::Filter::PackedOnce)
    scratch.sums += elements(known.mul(blocks.depth, blocks.columnBlock),
                             std::max(plan.panelElements, columns * plan.mostDepth));
  Number waiting = blocks.columnBlock;
  if (!plan.sweepsColumns)
    waiting = known.select(blocks.isOneRegion, tile, waiting);
  scratch.offsets =
      scratch.sums + elements(known.mul(waiting, known.mul(blocks.lines, blocks.lineRows)),
                              std::max<int64_t>(128, tile) * (plan.mostRows + plan.spareRows));
  scratch.bytes = roundUp(scratch.offsets * elementBytes, 64) + plan.mostTaps * 8;
  return scratch;
}

// Whether tiles are known to leave no rows over.
static bool areTilesWhole(const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                          const KnownConvolutionBlocks &blocks) {
  const KnownConvolutionBlocks::Window &window = blocks.windows.back();
  std::optional<int64_t> y = spec.windows.back().y.constant;
  if (!window.outputs || !window.outputBlock || !y || *y % plan.steps.back().phases)
    return false;
  int64_t outputs = *window.outputs, block = *window.outputBlock;
  if (!plan.batchInside)
    return outputs % plan.tile.tileRows == 0 && block % plan.tile.tileRows == 0;
  if (outputs % block || !blocks.channel || blocks.channelCount != 1)
    return false;
  return block * *blocks.channel % plan.tile.tileRows == 0;
}

ConvolutionPlan keratin::codegen::planConvolution(const ConvolutionSpec &spec,
                                                  const MachineTarget &target,
                                                  int64_t panelColumns) {
  ConvolutionPlan plan = chooseParts(spec, target, panelColumns, /*mayEven=*/true);
  if (isDirectDepthwise(spec, plan)) {
    plan.depthwise = std::make_shared<DepthwisePlan>(planDepthwise(spec, plan, target));
    plan.scratch.bytes = plan.depthwise->scratch.bytes;
    return plan;
  }
  plan.spareRows = plan.tile.spareRows();
  KnownConvolutionBlocks blocks = knownConvolutionBlocks(spec, plan);
  // Rows are evened out in lines that are all alike.
  if (plan.tile.evensRows && blocks.windows.back().outputCount != 1) {
    plan = chooseParts(spec, target, panelColumns, /*mayEven=*/false);
    plan.spareRows = plan.tile.spareRows();
    blocks = knownConvolutionBlocks(spec, plan);
  }
  // Where the filter is read in place a region meets all taps, so that they follow one another.
  bool meetsAllTaps =
      llvm::all_of(blocks.windows, [](const KnownConvolutionBlocks::Window &window) {
        return window.tapCount == 1;
      });
  if (plan.isFilterOneRun() && !meetsAllTaps) {
    plan.filter = ConvolutionPlan::Filter::PackedOnce;
    blocks = knownConvolutionBlocks(spec, plan);
  }
  plan.scratch =
      layOutScratch(plan, blocks, ceilDiv(spec.accumulatorType.getIntOrFloatBitWidth(), 8));
  // No code for rows left over by tiles where none ever are.
  if (areTilesWhole(spec, plan, blocks))
    plan.tile.tailRows = 0;
  return plan;
}

//===-- For people ----------------------------------------------------------------------------===//

static const char *wordsFor(const ConvolutionPlan &plan) {
  switch (plan.filter) {
  case ConvolutionPlan::Filter::PackedOnce:
    return "packed once for several units";
  case ConvolutionPlan::Filter::PackedInPasses:
    return plan.sweepsColumns ? "packed for each pass, all columns to a stretch of the depth"
                              : "packed for each pass, panel by panel";
  case ConvolutionPlan::Filter::InPlace:
    return "in place";
  case ConvolutionPlan::Filter::InPanels:
    return "in panels";
  }
  llvm_unreachable("all ways are named");
}

void keratin::codegen::print(llvm::raw_ostream &out, const ConvolutionPlan &plan) {
  if (plan.depthwise)
    return print(out, *plan.depthwise);
  printTile(out, plan.tile);
  if (plan.tile.isOfPairs())
    out << (plan.tile.depthStep == 4 ? ", in fours" : ", in pairs");
  out << "\nrows: "
      << (plan.batchInside ? "the last window and the batch" : "the last window's positions")
      << "; columns: " << (plan.alongGroups ? "groups" : "filters") << "; depth: "
      << (plan.batchInside ? "the contracted dimension, the taps" : "the taps, the channels")
      << "\nfilter: " << wordsFor(plan) << "\nlimits: regions of " << plan.regionElements
      << " elements, " << plan.mostDepth << " deep; units of " << plan.mostRows << " x "
      << plan.mostColumns << "; passes of " << plan.passDepth << " deep\n";
}
