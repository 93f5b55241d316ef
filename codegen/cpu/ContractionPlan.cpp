// What a contraction decides at compile time: its register tile, its blocks, and what is packed.
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
using namespace keratin::codegen;

// Vectors in a row of the tile: as many columns as there are, else what wastes least of the last
// panel.
static int64_t chooseVectors(const ContractionSpec &spec, const MachineTarget &target,
                             int64_t lanes) {
  if (!spec.n.constant)
    return 2;
  int64_t vectors = std::max<int64_t>(1, ceilDiv(*spec.n.constant, lanes));
  if (vectors <= 2)
    return vectors;
  // A row or two stream B, and long stretches of its rows stream best.
  if (spec.m.constant && *spec.m.constant <= 2 && spec.b.constantColStride == 1) {
    return std::min<int64_t>(vectors,
                             target.vectorRegisters / 2 / std::max<int64_t>(1, *spec.m.constant));
  }
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

// Rows of the tile: registers hold rows x vectors sums, one row of B and one element of A. Always
// as many as fit: the small tile takes care of what is left over, and contractions with the same
// tile share its code.
static void chooseRows(ContractionPlan &plan, const ContractionSpec &spec,
                       const MachineTarget &target) {
  int64_t registers = target.vectorRegisters;
  // One row can do without a register for each vector of B: it reads each from memory just once.
  int64_t most = std::clamp<int64_t>((registers - 1 - plan.tileVectors) / plan.tileVectors, 1, 14);
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
  if (m % plan.tileRows == 0)
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
  // What scratch holds: of A about half a second-level cache, of B what a core may claim of the
  // third. More than a few tiles of rows, or more columns, would gain nothing and leave threads
  // less to share.
  int64_t elements = plan.blockK * bytes;
  int64_t depth = 1;
  for (ContractionPlan::Regime &regime : plan.regimes) {
    auto most = [&](int64_t limit, int64_t held, int64_t tile) {
      return std::max(std::min(limit, held / (depth * elements)) / tile, int64_t(1)) * tile;
    };
    regime = {depth, most(56, 512 * 1024, plan.tileRows),
              most(1024, 2048 * 1024, plan.tileColumns())};
    depth *= 4;
  }

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
  // Weights whose sizes are known. A row or two have tiles as wide as a stretch.
  constexpr int64_t staysBytes = 512 * 1024;
  int64_t fewest = spec.m.constant.value_or(plan.tileRows);
  bool isLarge = spec.n.constant && spec.k.constant &&
                 *spec.n.constant > staysBytes / bytes / std::max<int64_t>(1, *spec.k.constant);
  plan.mayStreamB = plan.b == Access::Direct && isLarge && fewest > 2 &&
                    fewest <= plan.packedRowsThreshold && plan.regimes.front().rows >= fewest;
  plan.packsB =
      !plan.wholePanels || !spec.m.constant || *spec.m.constant > plan.packedRowsThreshold;
  return plan;
}
