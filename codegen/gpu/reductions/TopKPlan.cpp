#include "codegen/gpu/reductions/TopKPlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/reductions/SortedSlots.h"
#include "codegen/gpu/threads/ThreadSharing.h"
#include "codegen/lowering/KernelKind.h"

#include "llvm/ADT/bit.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

// Shared memory that every device has for a block.
static constexpr int64_t mostShared = 96 * 1024;
// Threads that fill a device: where lines have fewer, more share a line.
static constexpr int64_t manyThreads = 65536;
// Elements of a thread, and entries that it sorts, before more threads share a line.
static constexpr int64_t leastOfThread = 8, mostSorted = 8;

static int64_t bitCeil(int64_t x) { return int64_t(llvm::bit_ceil(uint64_t(x))); }

DevicePlanPtr TopKPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::TopK || warpThreads == 1)
    return nullptr;
  Operation *op = mainOp(kernel);
  if (!TopKNest(op).k.isConstant())
    return nullptr;
  auto plan = std::make_shared<TopKPlan>(kernel, op, warpThreads);
  return plan->sharedBytes <= mostShared ? plan : nullptr;
}

TopKPlan::TopKPlan(ir::KernelOp kernel, Operation *op, unsigned warpThreads)
    : FormPlan(kernel), nest(op) {
  const int64_t k = std::max<int64_t>(nest.k.constantValue(), 1), taken = bitCeil(k);
  const int64_t length =
      nest.lines.length.isConstant() ? std::max(nest.lines.length.constantValue(), k) : INT64_MAX;
  setWork(nest.units(), nest.lines.length);
  if (length <= warpThreads) {
    unitThreads = unsigned(bitCeil(length));
    return;
  }
  const DimExpr &lines = nest.lines.outer;
  const int64_t known = lines.isConstant() ? lines.constantValue() : INT64_MAX;
  int64_t threads = warpThreads;
  while (threads < ThreadSharing::blockThreads && length / leastOfThread >= 2 * threads &&
         (known < manyThreads / threads || taken > mostSorted * threads))
    threads *= 2;
  unitThreads = unsigned(threads);
  if (length <= 2 * taken) {
    slots = bitCeil(length);
  } else {
    const int64_t atOnce = threads * inFlight;
    best = taken;
    slots = bitCeil(std::max(taken, threads + atOnce));
    mostWaiting = std::min(std::max(taken, threads), slots - atOnce + 1);
  }
  bool countsWarps = !isWhole() && threads > warpThreads;
  sharedBytes = SortedSlots::bytes(nest, slots + best, countsWarps ? threads / warpThreads : 0);
}

void TopKPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << counted(unitThreads, "thread") << " a line, ";
  if (isOfWarp())
    out << "sorted by shuffles";
  else if (isWhole())
    out << "all of it sorted in shared memory";
  else
    out << counted(inFlight, "element") << " before the first is looked at; the best " << best
        << " so far in shared memory, and " << mostWaiting << " others before they are sorted";
  out << "\n";
}
