#include "codegen/gpu/attention/AttentionTilesPlan.h"

#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/lowering/KernelKind.h"
#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

static constexpr int64_t warps = 4, rowsOfMatrix = 16;
// Widths that rows of shared memory have: chunks of 16 bytes change places in them.
static constexpr int64_t leastWidth = 32;

ir::AttentionKinds AttentionTilesPlan::kinds(const DeviceTraits &device) {
  const ir::AttentionKinds halves = ir::AttentionKinds::Halves | ir::AttentionKinds::Gradients;
  return device.float32Products == Float32Products::Tf32 ? halves | ir::AttentionKinds::Tf32
                                                         : halves;
}

DevicePlanPtr AttentionTilesPlan::make(ir::KernelOp kernel, const DeviceTraits &device) {
  if (kindOf(kernel) != KernelKind::Contraction || device.warpThreads == 1)
    return nullptr;
  std::optional<AttentionNest> nest = AttentionNest::of(kernel);
  if (!nest || !nest->attention.isForTensorCores(kinds(device)))
    return nullptr;
  return std::make_shared<AttentionTilesPlan>(kernel, std::move(*nest), device);
}

int64_t AttentionTilesPlan::tileOf(int64_t width) {
  return std::max<int64_t>(leastWidth, int64_t(llvm::PowerOf2Ceil(uint64_t(width))));
}

// Of 32 rows of a warp each factor from shared memory is for two products instead of one. But then
// there are half as many blocks, and of wide values sums take all registers.
static int64_t rowsOfWarp(const AttentionNest &nest, int64_t widestBytes) {
  constexpr int64_t few = 16, many = 32, mostBytes = 128;
  constexpr int64_t processors = 128, typicalBatch = 64, typicalRows = 1024; // where not known
  auto known = [](const DimExpr &size, int64_t typical) {
    return size.isConstant() ? size.constantValue() : typical;
  };
  const ir::ContractionShape &shape = nest.mix.shape;
  int64_t batch = known(shape.batch, typicalBatch), rows = known(shape.m, typicalRows);
  int64_t blocks = ceilDiv(rows, warps * many);
  return widestBytes <= mostBytes && batch >= ceilDiv(2 * processors, std::max<int64_t>(blocks, 1))
             ? many
             : few;
}

AttentionTilesPlan::AttentionTilesPlan(ir::KernelOp kernel, AttentionNest attention,
                                       const DeviceTraits &device)
    : FormPlan(kernel), nest(std::move(attention)) {
  const int64_t depth = tileOf(nest.scores.shape.k.constantValue());
  const int64_t width = tileOf(nest.mix.shape.n.constantValue());
  const Type type = nest.mix.describe().b.elementType;
  const ContractionTile::Units units = unitsFor(type, device.float32Products);
  const int64_t widestBytes = std::max(depth, width) * type.getIntOrFloatBitWidth() / 8;
  const int64_t rows = rowsOfWarp(nest, widestBytes);
  // What is as wide as 128 floats leaves shared memory for fewer.
  const int64_t keysOfStage = widestBytes > 256 ? 32 : 64;
  // Warpgroups read rows of 128 bytes. Of the same rows of a block each of their warps has 16.
  isOfDevice = device.hasLargeMatrices && units == ContractionTile::Units::Halves &&
               std::min(depth, width) >= 64;
  auto tile = [&](int64_t columns, int64_t ofDepth) {
    ContractionTile tile = {units, warps, 1, 0, 0, ofDepth, 4};
    if (isOfDevice) {
      tile.units = ContractionTile::Units::Warpgroups;
      tile.warpRows = warps * rows / rowsOfMatrix;
    }
    tile.threadRows = rows * warps / tile.warpRows / tile.laneRows();
    tile.threadColumns = columns / tile.laneColumns();
    return tile;
  };
  scores = tile(keysOfStage, depth);
  mix = tile(width, keysOfStage);
  unitThreads = unsigned(mix.threads());
  hasFewBlocks = true;
  randomBits = SharedRandomBits(kernel, unsigned(mix.group()), mix.columns() / mix.group());
  // Results leave through the same memory.
  sharedBytes = std::max(queryBytes() + stages * stageBytes(),
                         mix.sliceRows() * mix.resultPitch() * mix.sumBytes);
  DimExpr blocks = mul(nest.mix.shape.batch, rowTiles()).value_or(DimExpr(INT64_MAX));
  DimExpr ofRow = mul(nest.mix.shape.k, DimExpr(2 * (depth + width))).value_or(DimExpr(INT64_MAX));
  setWork(blocks, mul(ofRow, DimExpr(mix.rows())).value_or(DimExpr(INT64_MAX)));
}

DimExpr AttentionTilesPlan::rowTiles() const {
  return *ceildiv(nest.mix.shape.m, DimExpr(mix.rows()));
}

void AttentionTilesPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << mix.rows() << " rows, a warp " << mix.rowsOfWarp() << "; " << mix.depth
      << " keys at once, by tensor cores" << (isOfDevice ? " of warpgroups" : "")
      << (mix.units == ContractionTile::Units::TensorFloats ? " in tf32" : "");
  randomBits.print(out);
  out << "\n";
}
