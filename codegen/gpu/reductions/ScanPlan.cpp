#include "codegen/gpu/reductions/ScanPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/threads/OrderedUnits.h"
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

// Units that fill a device, of which a divided line is to have so many at least; and lines that are
// long enough to be divided.
static constexpr int64_t manyUnits = 512, leastParts = 8, longestWhole = 8192;
// Elements of a thread that stay in registers.
static constexpr unsigned mostKept = 16;

static std::optional<int64_t> known(const DimExpr &size) {
  return size.isConstant() ? std::optional(size.constantValue()) : std::nullopt;
}

// Over several units, where few would do all of it.
static void divide(ScanForm &form, const AxisLines &lines) {
  std::optional<int64_t> length = known(lines.length), count = known(lines.outer);
  int64_t most = count ? manyUnits / std::max<int64_t>(*count, 1) : 0;
  if (most < leastParts || (length && *length <= longestWhole))
    return;
  ScanForm divided = form;
  divided.threads = blockThreads;
  divided.atOnce = mostAtOnce;
  if (length && *length <= most * int64_t{blockThreads} * mostKept)
    while (*length > most * divided.tileElements())
      divided.atOnce *= 2;
  DimExpr tiles = *max(DimExpr(1), *ceildiv(lines.length, DimExpr(divided.tileElements())));
  DimExpr parts = *min(tiles, DimExpr(most));
  std::optional<DimExpr> partTiles = ceildiv(tiles, parts);
  if (!partTiles)
    return;
  divided.partTiles = *partTiles;
  divided.parts = parts.isConstant() ? *ceildiv(tiles, *partTiles) : parts;
  form = divided;
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
  ScanForm form{ScanForm::Prefixes, isLong ? blockThreads : warpThreads, atOnce};
  divide(form, lines);
  return form;
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
    if (!form.isDivided())
      break;
    sharedBytes = std::max({sharedBytes, OrderedUnits::sharedBytes,
                            ThreadMeeting::sharedBytes(element, 1, form.threads)});
    partBytes = element;
    setWork(mul(lines.outer, form.parts).value_or(DimExpr(0)),
            mul(form.partTiles, DimExpr(form.tileElements())).value_or(DimExpr(INT64_MAX)));
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
    out << counted(form.threads, "thread") << (form.isDivided() ? " a part of a line" : " a line")
        << ", prefixes by shuffles; " << counted(form.atOnce, "element") << " of each at a time";
    if (form.isDivided())
      out << "; in " << form.parts.str() << " parts"
          << (form.staysInRegisters() ? ", which stay in registers" : ", which are read twice");
    out << "\n";
    return;
  case ScanForm::Tiles:
    out << "a thread a line, element by element; " << tileSide << " lines through shared memory\n";
    return;
  }
}
