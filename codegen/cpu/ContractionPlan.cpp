// What a contraction decides at compile time: its register tile, its blocks, and what is packed.
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ContractionPacking.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

static int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
static int64_t roundUp(int64_t x, int64_t y) { return ceilDiv(x, y) * y; }

// Vectors in a row of the tile: as many columns as there are, else what wastes least of the last
// panel.
static int64_t chooseVectors(const ContractionSpec &spec, const MachineTarget &target,
                             int64_t lanes) {
  if (!spec.n.constant)
    return 2;
  int64_t vectors = std::max<int64_t>(1, ceilDiv(*spec.n.constant, lanes));
  if (vectors <= 2)
    return vectors;
  // Two come first: they leave the most rows, hence the fewest loads for a product.
  int64_t best = 2, bestCost = roundUp(vectors, 2);
  if (target.vectorRegisters >= 32)
    for (int64_t candidate : {3, 4})
      if (roundUp(vectors, candidate) < bestCost) {
        best = candidate;
        bestCost = roundUp(vectors, candidate);
      }
  return best;
}

// Rows of the tile: registers hold rows x vectors sums, one row of B and one element of A; of the
// shapes that keep the multiplier busy, the one that leaves the fewest rows over.
static void chooseRows(ContractionPlan &plan, const ContractionSpec &spec,
                       const MachineTarget &target) {
  int64_t registers = target.vectorRegisters;
  int64_t most = std::min<int64_t>((registers - 1 - plan.tileVectors) / plan.tileVectors, 14);
  plan.tileRows = registers < 32 && plan.tileVectors < 3 ? std::min<int64_t>(most, 6) : most;
  plan.tailRows = registers < 32 ? 3 : 4;
  if (!spec.m.constant)
    return;
  int64_t m = std::max<int64_t>(1, *spec.m.constant);
  if (m <= plan.tileRows) {
    plan.tileRows = m;
    plan.tailRows = 0;
    return;
  }
  auto cost = [&](int64_t rows) {
    int64_t left = m % rows;
    return m - left + roundUp(left, plan.tailRows);
  };
  int64_t best = plan.tileRows;
  for (int64_t rows = plan.tileRows - 1; rows >= std::max<int64_t>(4, plan.tileRows - 6); --rows)
    if (cost(rows) < cost(best))
      best = rows;
  plan.tileRows = best;
  if (m % best == 0)
    plan.tailRows = 0;
}

ContractionPlan keratin::codegen::planContraction(const ContractionSpec &spec,
                                                  const MachineTarget &target) {
  using Access = ContractionPlan::Access;
  ContractionPlan plan;
  int64_t bytes = ceilDiv(spec.accumulatorType.getIntOrFloatBitWidth(), 8);
  plan.lanes = target.lanes(bytes * 8);
  plan.tileVectors = chooseVectors(spec, target, plan.lanes);
  chooseRows(plan, spec, target);

  // A panel of B stays in half of a first-level cache while the tiles of a block of rows pass over
  // it.
  constexpr int64_t panelBytes = 32 * 1024;
  plan.blockK = std::clamp<int64_t>(panelBytes / (plan.tileColumns() * bytes), 128, 512);
  plan.maxRows = std::max<int64_t>(1, 112 / plan.tileRows) * plan.tileRows;
  plan.maxColumns = roundUp(1024, plan.tileColumns());
  // The blocks in scratch: A in half of a second-level cache, B in what a core may claim of the
  // third.
  plan.rowBlocks =
      std::max(512 * 1024 / (plan.blockK * bytes), plan.tileRows * plan.maxDepthBlocks);
  plan.columnBlocks =
      std::max(2048 * 1024 / (plan.blockK * bytes), plan.tileColumns() * plan.maxDepthBlocks);

  bool aIsNarrow = spec.a.elementType != spec.accumulatorType;
  bool rowsContiguous = spec.a.constantColStride == 1;
  bool columnsContiguous = spec.a.constantRowStride == 1;
  plan.aColumnsContiguous = columnsContiguous && !rowsContiguous;
  if (!aIsNarrow) {
    plan.a = Access::Direct;
    // What is known to stay in place needs no code that packs it.
    std::optional<int64_t> step =
        plan.aColumnsContiguous ? spec.a.constantColStride : spec.a.constantRowStride;
    bool near = step && *step * bytes < plan.farBytes && *step * bytes % plan.crowdedBytes != 0;
    bool fewColumns = spec.n.constant && *spec.n.constant <= plan.packedColumnsThreshold;
    bool contiguous = rowsContiguous || columnsContiguous;
    plan.packsA = contiguous && !near && !fewColumns;
  } else {
    plan.a = rowsContiguous || columnsContiguous ? Access::Copied : Access::Gathered;
  }

  bool bIsNarrow = spec.b.elementType != spec.accumulatorType;
  if (spec.b.constantColStride == 1) {
    plan.b = bIsNarrow ? Access::Copied : Access::Direct;
    plan.packedRowsThreshold = 4 * plan.tileRows;
  } else {
    plan.b = spec.b.constantRowStride == 1 ? Access::Transposed : Access::Gathered;
  }
  if (plan.b != Access::Direct)
    plan.packedRowsThreshold = -1;
  plan.wholePanels = spec.n.constant && *spec.n.constant % plan.tileColumns() == 0;
  plan.packsB =
      !plan.wholePanels || !spec.m.constant || *spec.m.constant > plan.packedRowsThreshold;
  return plan;
}
