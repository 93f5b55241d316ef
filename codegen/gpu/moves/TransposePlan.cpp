#include "codegen/gpu/moves/TransposePlan.h"

#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

// Of an access where rows allow it.
static constexpr int64_t wideBytes = 16;
// A row of a tile, at least: whole lines of the device's memory.
static constexpr int64_t rowBytes = 128;
static constexpr int64_t leastTile = 32;

static int64_t tileOf(unsigned elementBytes) {
  return std::max(leastTile, rowBytes / elementBytes);
}

DevicePlanPtr TransposePlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Transpose || warpThreads == 1)
    return nullptr;
  auto op = cast<ir::TransposeOp>(kernel.getBody().front().front());
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || space->groups.size() < 2)
    return nullptr;
  TransposeRuns runs = transposeRunsOf(op, *space);
  unsigned bytes = std::max(8u, ir::getElementType(op.getX()).getIntOrFloatBitWidth()) / 8;
  auto isShort = [&](const DimExpr &extent) {
    return extent.isConstant() && extent.constantValue() < tileOf(bytes) / 2;
  };
  if (runs.copiesRows() || isShort(runs.places().extent) || isShort(runs.columns().extent))
    return nullptr;
  return std::make_shared<TransposePlan>(kernel, std::move(runs), bytes);
}

TransposePlan::TransposePlan(ir::KernelOp kernel, TransposeRuns transposed, unsigned elementBytes)
    : FormPlan(kernel), runs(std::move(transposed)), elementBytes(elementBytes),
      tile(tileOf(elementBytes)),
      pitch(tile * elementBytes + std::max<int64_t>(sharedBankBytes, elementBytes)),
      wideElements(wideBytes / elementBytes),
      writers(std::min<int64_t>(readers, 2 * elementBytes)) {
  unitThreads = transposeThreads;
  sharedBytes = tile * pitch;
  DimExpr tiles = mul(placeTiles(), columnTiles()).value_or(DimExpr(0));
  setWork(mul(runs.rows(), tiles).value_or(DimExpr(0)), DimExpr(tile * tile));
}

void TransposePlan::printNest(llvm::raw_ostream &out) const {
  out << "nest: " << runs.rows().str() << " matrices of " << runs.columns().extent.str()
      << " rows and " << runs.places().extent.str() << " places\n";
}

void TransposePlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: tiles of " << tile << " x " << tile << " through shared memory, rows " << pitch
      << " bytes apart; " << wideBytes << " bytes an access where sides are multiples of them\n";
}
