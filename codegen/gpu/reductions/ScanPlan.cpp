#include "codegen/gpu/reductions/ScanPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/threads/ThreadMeeting.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Elements of a thread at a time: enough to hide most of the memory's latency.
static constexpr unsigned mostAtOnce = 4;
// Threads of a long line, and elements of a line that is long; of fewer lines than this, lines of
// any length are a block's if theirs is not known.
static constexpr unsigned blockThreads = 256;
static constexpr int64_t longLine = 2048, manyLines = 2048;

static std::optional<int64_t> known(const DimExpr &size) {
  return size.isConstant() ? std::optional(size.constantValue()) : std::nullopt;
}

static ScanForm formOf(const ScanNest &nest) {
  const AxisLines &lines = nest.lines;
  if (!lines.isInnermost())
    return {ScanForm::Columns, 1, mostAtOnce};
  if (!nest.isAssociative)
    return {ScanForm::Tiles, warpThreads, 1};
  std::optional<int64_t> length = known(lines.length), count = known(lines.outer);
  bool isLong = length ? *length > longLine : count && *count < manyLines;
  unsigned atOnce = mostAtOnce;
  while (length && atOnce > 1 && *length <= int64_t{warpThreads} * atOnce / 2)
    atOnce /= 2;
  return {ScanForm::Prefixes, isLong ? blockThreads : warpThreads, atOnce};
}

DevicePlanPtr ScanPlan::make(ir::KernelOp kernel, unsigned threads) {
  if (kindOf(kernel) != KernelKind::Scan || threads == 1)
    return nullptr;
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<ScanPlan>(kernel, op) : nullptr;
}

ScanPlan::ScanPlan(ir::KernelOp kernel, Operation *op)
    : FormPlan(kernel), nest(op), form(formOf(nest)) {
  const AxisLines &lines = nest.lines;
  int64_t element = Slot::bytes(lines.type.getElementType(), 1);
  unitThreads = form.threads;
  switch (form.kind) {
  case ScanForm::Columns:
    setWork(mul(lines.outer, lines.inner).value_or(DimExpr(0)), lines.length);
    break;
  case ScanForm::Prefixes:
    if (form.threads > warpThreads)
      sharedBytes = element * (form.threads / warpThreads);
    setWork(lines.outer, lines.length);
    break;
  case ScanForm::Tiles:
    sharedBytes = element * int64_t(op->getNumOperands()) * tileSide * tilePitch;
    setWork(*ceildiv(lines.outer, DimExpr(tileSide)),
            mul(lines.length, DimExpr(tileSide)).value_or(DimExpr(INT64_MAX)));
    break;
  }
}

void ScanPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: ";
  switch (form.kind) {
  case ScanForm::Columns:
    out << "a thread a line, neighbouring threads neighbouring lines; "
        << counted(form.atOnce, "element") << " before the first is taken\n";
    return;
  case ScanForm::Prefixes:
    out << counted(form.threads, "thread") << " a line, prefixes by shuffles; "
        << counted(form.atOnce, "element") << " of each at a time\n";
    return;
  case ScanForm::Tiles:
    out << "a thread a line, element by element; " << tileSide << " lines through shared memory\n";
    return;
  }
}
