#include "codegen/gpu/RowsPlan.h"

#include "codegen/gpu/RowsKernel.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::Domain;
using keratin::ir::IterationSpace;

// Rows of so many elements at most are a thread's: a warp would wait for most of its threads.
static constexpr int64_t shortRow = 8;
// Sums of more elements than these are compensated.
static constexpr int64_t mostPlainElements = 256;

std::shared_ptr<const RowsPlan> RowsPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Loop)
    return nullptr;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || !space->hasReductions() || !space->isInnermostReduced())
    return nullptr;
  return std::make_shared<RowsPlan>(kernel, std::move(*space), warpThreads);
}

RowsPlan::RowsPlan(ir::KernelOp kernel, IterationSpace analyzed, unsigned warpThreads)
    : CpuKernelPlan(kernel), space(std::move(analyzed)) {
  DimExpr rows(1), elements(1);
  for (auto [number, group] : llvm::enumerate(space.groups)) {
    (group.reduced ? reducedGroups : keptGroups).push_back(unsigned(number));
    DimExpr &product = group.reduced ? elements : rows;
    product = mul(product, group.extent).value_or(DimExpr(INT64_MAX));
  }
  const DimExpr &innermost = space.groups.back().extent;
  bool isShort = innermost.isConstant() && innermost.constantValue() <= shortRow;
  threads = isShort ? 1 : warpThreads;
  isCompensated =
      !elements.isConstant() || elements.constantValue() > mostPlainElements * int64_t(threads);
  int64_t ops = std::distance(body().begin(), body().end());
  setWork(rows, mul(elements, DimExpr(ops)).value_or(DimExpr(INT64_MAX)));
}

SmallVector<unsigned> RowsPlan::elementOutputs(unsigned stage) const {
  SmallVector<unsigned> outputs;
  for (auto [number, value] : llvm::enumerate(body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) != Domain::Row && space.stageOf.lookup(value) == stage)
      outputs.push_back(unsigned(number));
  return outputs;
}

SmallVector<unsigned> RowsPlan::rowOutputs(unsigned stage) const {
  SmallVector<unsigned> outputs;
  for (auto [number, value] : llvm::enumerate(body().getTerminator()->getOperands()))
    if (space.domains.lookup(value) == Domain::Row && space.stageOf.lookup(value) == stage + 1)
      outputs.push_back(unsigned(number));
  return outputs;
}

void RowsPlan::printNest(llvm::raw_ostream &out) const {
  out << "nest: ";
  llvm::interleaveComma(space.groups, out, [&](const IterationSpace::Group &group) {
    out << (group.reduced ? "reduced " : "kept ") << group.extent.str();
  });
  out << "\n";
  for (auto [stage, ops] : llvm::enumerate(space.stages)) {
    out << "stage " << stage << ": ";
    llvm::interleaveComma(
        ops, out, [&](ir::ReductionOpInterface op) { out << op->getName().stripDialect(); });
    out << "\n";
  }
}

void RowsPlan::printSchedule(llvm::raw_ostream &out) const {
  out << "schedule: " << counted(threads, "thread") << " a row";
  if (threads > 1)
    out << ", a warp, which meet by shuffles";
  if (isCompensated)
    out << "; sums with their rounding errors";
  out << "\n";
}

void RowsPlan::emit(CpuKernelBuilder &k) const { emitRows(k, *this); }
