#include "codegen/gpu/moves/ScatterPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/lowering/KernelKind.h"
#include "codegen/lowering/Rounding.h"

#include "llvm/ADT/bit.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Sums of a thread: more would leave too few warps room.
static constexpr unsigned mostSums = 16, mostColumns = 4, mostRows = 8;
// As many warps keep a device busy; with fewer, each has less to do.
static constexpr int64_t enoughUnits = 1024;

DevicePlanPtr ScatterPlan::make(ir::KernelOp kernel, unsigned threads) {
  KernelKind kind = kindOf(kernel);
  if ((kind != KernelKind::Scatter && kind != KernelKind::SparseDot) || threads != warpThreads)
    return nullptr;
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<ScatterPlan>(kernel, op) : nullptr;
}

ScatterPlan::ScatterPlan(ir::KernelOp kernel, Operation *op) : FormPlan(kernel), nest(op) {
  unitThreads = warpThreads;
  if (nest.width.isConstant()) {
    int64_t width = std::max<int64_t>(1, nest.width.constantValue());
    rowThreads = llvm::bit_ceil(uint64_t(std::min<int64_t>(width, warpThreads)));
    columns = std::min<int64_t>(mostColumns, ceilDiv(width, int64_t(rowThreads)));
  }
  rows = std::min(mostRows, mostSums / columns);
  // Indices are checked even if there is nothing to add to.
  auto split = [&] {
    blocks = {*max(DimExpr(1), *ceildiv(nest.rows, DimExpr(tileRows()))),
              *max(DimExpr(1), nest.width), tileColumns()};
    return blocks.units();
  };
  for (DimExpr units = split();
       rows > 1 && units.isConstant() && units.constantValue() < enoughUnits; units = split())
    rows /= 2;
  setWork(blocks.units(), *max(DimExpr(1), nest.count));
}

void ScatterPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: a warp has " << tileRows() << " x " << tileColumns() << " sums, "
      << counted(rows * columns, "sum") << " a thread; it looks through all indices, "
      << looks * unitThreads << " at a time, and adds in their order\n";
}
