#include "codegen/gpu/contractions/ContractionTilesPlan.h"

#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

DevicePlanPtr ContractionTilesPlan::make(ir::KernelOp kernel, const DeviceTraits &device) {
  if (kindOf(kernel) != KernelKind::Contraction || device.warpThreads == 1)
    return nullptr;
  std::optional<ContractionNest> nest = ContractionNest::of(kernel);
  if (!nest || nest->describe().a.elementType.isInteger(1))
    return nullptr;
  return std::make_shared<ContractionTilesPlan>(kernel, std::move(*nest), device);
}

// Rows of tiles of a band: about the square root of how many blocks run at the same time.
static constexpr int64_t mostBandTiles = 8;

ContractionTilesPlan::ContractionTilesPlan(ir::KernelOp kernel, ContractionNest product,
                                           const DeviceTraits &device)
    : FormPlan(kernel), nest(std::move(product)) {
  ContractionSpec spec = nest.describe();
  int64_t sumBytes = sumTypeOf(spec.accumulatorType).getIntOrFloatBitWidth() / 8;
  tile = chooseTile(unitsFor(spec.a.elementType, device.float32Products), sumBytes,
                    {spec.batch.constant, spec.m.constant, spec.n.constant, spec.k.constant},
                    device.hasLargeMatrices);
  isOfDevice = tile.isOfLargeMatrices();
  unitThreads = unsigned(tile.threads());
  randomBits = SharedRandomBits(kernel, unsigned(tile.group()), tile.columns() / tile.group());
  sharedBytes = tile.sharedBytes();
  DimExpr tiles = mul(rowTiles(), columnTiles()).value_or(DimExpr(INT64_MAX));
  tiles = mul(nest.shape.batch, tiles).value_or(DimExpr(INT64_MAX));
  mostParts = mostDepthParts(tile, tiles, nest.shape.k);
  auto isMany = [](const DimExpr &tiles) {
    return !tiles.isConstant() || tiles.constantValue() > mostBandTiles;
  };
  bandTiles = isMany(rowTiles()) && isMany(columnTiles()) ? mostBandTiles : 0;
  hasFewBlocks = hasParts();
  if (hasParts())
    partBytes = tile.rows() * tile.columns() * tile.sumBytes;
  setWork(mul(tiles, depthParts()).value_or(DimExpr(INT64_MAX)),
          mul(*ceildiv(nest.shape.k, depthParts()), DimExpr(2 * tile.rows() * tile.columns()))
              .value_or(DimExpr(INT64_MAX)));
}

DimExpr ContractionTilesPlan::depthParts() const { return partsOfDepth(nest.shape.k, mostParts); }

DimExpr ContractionTilesPlan::rowTiles() const {
  return *ceildiv(nest.shape.m, DimExpr(tile.rows()));
}

DimExpr ContractionTilesPlan::columnTiles() const {
  return *ceildiv(nest.shape.n, DimExpr(tile.columns()));
}

void ContractionTilesPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: tiles of " << tile;
  if (bandTiles)
    out << "; in bands of " << bandTiles;
  randomBits.print(out);
  out << "\n";
  if (hasParts())
    out << "depth: in " << depthParts().str() << " parts, which meet\n";
}
