#include "codegen/gpu/RowsPlan.h"

#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

// Rows of so many elements at most are a thread's: a warp would wait for most of its threads.
static constexpr int64_t shortRow = 8;
// Sums of more elements than these are compensated.
static constexpr int64_t mostPlainElements = 256;

DevicePlanPtr RowsPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Loop)
    return nullptr;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || !space->hasReductions() || !space->isInnermostReduced())
    return nullptr;
  return std::make_shared<RowsPlan>(kernel, LoopNest(kernel, std::move(*space)), warpThreads);
}

RowsPlan::RowsPlan(ir::KernelOp kernel, LoopNest neutral, unsigned warpThreads)
    : FormPlan(kernel), nest(std::move(neutral)) {
  const DimExpr &innermost = nest.innermost().extent, elements = nest.reducedElements();
  bool isShort = innermost.isConstant() && innermost.constantValue() <= shortRow;
  unitThreads = isShort ? 1 : warpThreads;
  isCompensated =
      !elements.isConstant() || elements.constantValue() > mostPlainElements * int64_t(unitThreads);
  int64_t ops = std::distance(body().begin(), body().end());
  setWork(nest.outerRows(), mul(elements, DimExpr(ops)).value_or(DimExpr(INT64_MAX)));
}

void RowsPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << counted(unitThreads, "thread") << " a row";
  if (unitThreads > 1)
    out << ", a warp, which meet by shuffles";
  if (isCompensated)
    out << "; sums with their rounding errors";
  out << "\n";
}
