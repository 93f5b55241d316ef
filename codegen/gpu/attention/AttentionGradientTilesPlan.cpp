#include "codegen/gpu/attention/AttentionGradientTilesPlan.h"

#include "codegen/gpu/attention/AttentionGradientElements.h"
#include "codegen/gpu/attention/AttentionTilesPlan.h"
#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/lowering/KernelKind.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

using Plan = AttentionGradientTilesPlan;

DevicePlanPtr Plan::make(ir::KernelOp kernel, const DeviceTraits &device) {
  if (kindOf(kernel) != KernelKind::Contraction || device.warpThreads == 1)
    return nullptr;
  std::optional<AttentionGradientNest> nest = AttentionGradientNest::of(kernel);
  if (!nest || !nest->gradient.isForTensorCores(AttentionTilesPlan::kinds(device)))
    return nullptr;
  return std::make_shared<Plan>(kernel, std::move(*nest), device);
}

Plan::AttentionGradientTilesPlan(ir::KernelOp kernel, AttentionGradientNest gradient,
                                 const DeviceTraits &device)
    : FormPlan(kernel), nest(std::move(gradient)) {
  const Type type = nest.made.front().describe().b.elementType;
  multiplier = unitsFor(type, device.float32Products);
  constexpr int64_t fewBits = 1024; // of a row
  SmallVector<int64_t> widths;
  for (const ContractionNest &made : nest.made)
    widths.push_back(AttentionTilesPlan::tileOf(made.shape.k.constantValue()));
  for (const ContractionNest &sum : nest.sums)
    widths.push_back(AttentionTilesPlan::tileOf(sum.shape.n.constantValue()));
  const int64_t widest = *llvm::max_element(widths), narrowest = *llvm::min_element(widths);
  // Warpgroups read rows of 128 bytes.
  isOfDevice = device.hasLargeMatrices && multiplier == ContractionTile::Units::Halves &&
               narrowest * type.getIntOrFloatBitWidth() >= fewBits;
  if (isOfDevice)
    multiplier = ContractionTile::Units::Warpgroups;
  // Of rows of more bytes sums take the registers that more lines would want, and of sizes that are
  // not known addresses do.
  constexpr int64_t many = 64, few = 32;
  const bool areKnown = nest.gradient.queries.isConstant() && nest.gradient.keys.isConstant();
  walk = areKnown && widest * type.getIntOrFloatBitWidth() <= fewBits ? many : few;
  ofKeys = sideOf(/*hasQueries=*/false);
  ofQueries = sideOf(/*hasQueries=*/true);
  unitThreads = warps * warpThreads;
  hasFewBlocks = true;
  sharedBytes = std::max(ofKeys.sharedBytes(), ofQueries.sharedBytes());
  auto orMost = [](std::optional<DimExpr> size) { return size.value_or(DimExpr(INT64_MAX)); };
  DimExpr tiles = orMost(add(tilesOf(ofKeys), tilesOf(ofQueries)));
  // That of all queries and keys, twice.
  DimExpr longest = orMost(max(nest.gradient.queries, nest.gradient.keys));
  const auto products = int64_t(nest.made.size() + nest.sums.size());
  setWork(orMost(mul(nest.gradient.batch, tiles)),
          orMost(mul(longest, DimExpr(2 * rows * widest * products))));
}

DimExpr Plan::tilesOf(const Side &side) const {
  if (!side.exists())
    return 0;
  return *ceildiv(side.hasQueries ? nest.gradient.queries : nest.gradient.keys, DimExpr(rows));
}

// Sums leave through the same memory.
int64_t Plan::Side::sharedBytes() const {
  int64_t bytes = ownBytes + stages * stageBytes;
  for (const Sum &sum : sums)
    bytes = std::max(bytes, sum.tile.sliceRows() * sum.tile.resultPitch() * sum.tile.sumBytes);
  return exists() ? bytes : 0;
}

Plan::Side Plan::sideOf(bool hasQueries) const {
  Side side;
  side.hasQueries = hasQueries;
  auto tileOf = [&](int64_t columns, int64_t depth) {
    ContractionTile tile = {multiplier, warps, 1, 0, 0, depth, 4};
    tile.threadRows = rows / warps / tile.laneRows();
    tile.threadColumns = columns / tile.laneColumns();
    return tile;
  };
  // Halves whose neighbours are known lie in the same order whichever product reads them.
  struct Placed {
    Value matrix;
    DimExpr batch, line, element; // strides
    int64_t width, place;
  };
  SmallVector<Placed> placed;
  const bool mayShare = multiplier != ContractionTile::Units::TensorFloats;
  auto place = [&](Placed wanted, int64_t elementBytes) -> Walked {
    const bool hasNeighbours = wanted.line == DimExpr(1) || wanted.element == DimExpr(1);
    for (const Placed &other : placed)
      if (mayShare && hasNeighbours && other.matrix == wanted.matrix &&
          other.batch == wanted.batch && other.line == wanted.line &&
          other.element == wanted.element && other.width == wanted.width)
        return {other.place, /*isFirst=*/false};
    wanted.place = side.stageBytes;
    placed.push_back(wanted);
    side.stageBytes += walk * wanted.width * elementBytes;
    return {wanted.place, /*isFirst=*/true};
  };

  SmallVector<Value> tiles;
  for (const ir::AttentionGradient::Sum &sum : nest.gradient.sums)
    if (sum.isOverKeys == hasQueries)
      tiles.push_back(nest.gradient.tiles[sum.tile]);
  const llvm::SetVector<Operation *> behind = nest.opsBehind(tiles);
  for (auto [number, made] : llvm::enumerate(nest.made)) {
    ir::DotGeneralOp dot = made.dot;
    if (!behind.contains(dot))
      continue;
    const int64_t width = AttentionTilesPlan::tileOf(made.shape.k.constantValue());
    Made part = {number, tileOf(walk, width), side.ownBytes, {}};
    side.ownBytes += rows * width * part.tile.elementBytes();
    const ir::ContractionShape::Strides &a = made.shape.a, &b = made.shape.b;
    part.walked = place(hasQueries ? Placed{made.b(), b.batch, b.column, b.row, width, 0}
                                   : Placed{made.a(), a.batch, a.row, a.column, width, 0},
                        part.tile.elementBytes());
    side.made.push_back(part);
  }
  for (auto [number, sum] : llvm::enumerate(nest.sums)) {
    if (nest.gradient.sums[number].isOverKeys != hasQueries)
      continue;
    const int64_t width = AttentionTilesPlan::tileOf(sum.shape.n.constantValue());
    Sum part = {number, tileOf(width, walk), {}};
    const ir::ContractionShape::Strides &b = sum.shape.b;
    part.walked = place({sum.b(), b.batch, b.row, b.column, width, 0}, part.tile.elementBytes());
    side.sums.push_back(part);
  }
  // Of what a unit has, threads keep the numbers.
  if (!hasQueries && side.exists()) {
    const auto numbers = int64_t(AttentionGradientElements::mostNumbers(nest));
    side.numbers = side.stageBytes;
    side.stageBytes += roundUp(numbers * walk * numberBytes, int64_t(sharedAlignment()));
  }
  return side;
}

void Plan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: ";
  llvm::ListSeparator separator("; ");
  for (const Side *side : {&ofKeys, &ofQueries})
    if (side->exists())
      out << separator << rows << (side->hasQueries ? " queries and " : " keys and ") << walk
          << (side->hasQueries ? " keys at once" : " queries at once");
  out << ", by tensor cores" << (isOfDevice ? " of warpgroups" : "")
      << (multiplier == ContractionTile::Units::TensorFloats ? " in tf32" : "") << "\n";
}
