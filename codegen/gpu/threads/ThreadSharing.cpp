#include "codegen/gpu/threads/ThreadSharing.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/lowering/KernelPlan.h"
#include "codegen/lowering/Rounding.h"

#include "llvm/ADT/bit.h"

using namespace keratin::codegen;
using keratin::ir::DimExpr;

// Threads that fill a device: where there are fewer, more share a unit.
static constexpr int64_t manyThreads = 65536;
// Groups that each thread of a part has.
static constexpr int64_t leastOfPart = 8;
// Columns of this length are a thread's, and longer ones where there are threads enough.
static constexpr int64_t shortColumn = 16, middleColumn = 512;

static std::optional<int64_t> known(const DimExpr &size) {
  return size.isConstant() ? std::optional(size.constantValue()) : std::nullopt;
}
static int64_t bitFloor(int64_t x) { return int64_t(llvm::bit_floor(uint64_t(x < 1 ? 1 : x))); }
static int64_t bitCeil(int64_t x) { return int64_t(llvm::bit_ceil(uint64_t(x < 1 ? 1 : x))); }

ThreadSharing ThreadSharing::ofRows(const DimExpr &groups, const DimExpr &units, int64_t ofThread,
                                    int64_t most, unsigned warpThreads) {
  ThreadSharing sharing;
  sharing.partGroups = groups;
  std::optional<int64_t> length = known(groups), count = known(units);
  if (warpThreads == 1)
    return sharing;
  if (!length) {
    bool isFew = count && *count * warpThreads < manyThreads;
    sharing.rows = isFew ? blockThreads : warpThreads;
    return sharing;
  }
  int64_t threads = std::min<int64_t>(bitFloor(*length), warpThreads);
  if (*length > threads * ofThread)
    threads = std::min(bitCeil(ceilDiv(*length, ofThread)), most);
  while (count && threads < blockThreads && *count * threads < manyThreads &&
         *length >= 4 * threads)
    threads *= 2;
  sharing.rows = unsigned(threads);
  return sharing;
}

ThreadSharing ThreadSharing::ofColumns(const DimExpr &groups, const DimExpr &across,
                                       const DimExpr &outer, unsigned leastColumns,
                                       unsigned warpThreads) {
  ThreadSharing sharing;
  sharing.partGroups = groups;
  std::optional<int64_t> length = known(groups), width = known(across), times = known(outer);
  bool isKnown = width && times;
  bool isEnough = isKnown && *width * *times >= manyThreads;
  if (warpThreads == 1 ||
      (length && (*length <= shortColumn || (isEnough && *length <= middleColumn))))
    return sharing;
  sharing.columns = width ? unsigned(std::min<int64_t>(bitCeil(*width), warpThreads)) : warpThreads;
  while (isKnown && sharing.columns > leastColumns &&
         *times * ceilDiv(*width, sharing.columns) < mostUnits)
    sharing.columns /= 2;
  int64_t rows = blockThreads / sharing.columns;
  sharing.rows = unsigned(length ? std::min(rows, bitFloor(*length / 2)) : rows);
  return sharing;
}

void ThreadSharing::divide(const DimExpr &units, int64_t mostInAll) {
  // Blocks meet, not warps; and the number of results is bounded.
  if (!units.isConstant() || threads() <= warpThreads)
    return;
  const DimExpr groups = partGroups, round(int64_t{rows});
  int64_t most = mostInAll / std::max<int64_t>(units.constantValue(), 1);
  int64_t least = leastOfPart * int64_t{rows};
  if (most < 2 || (groups.isConstant() && groups.constantValue() <= least))
    return;
  DimExpr count = *max(DimExpr(1), *min(*ceildiv(groups, DimExpr(least)), DimExpr(most)));
  // Whole rounds of the threads.
  std::optional<DimExpr> rounds = ceildiv(groups, *mul(count, round));
  if (!rounds)
    return;
  partGroups = mul(*rounds, round).value_or(groups);
  parts = count.isConstant() ? *ceildiv(groups, partGroups) : count;
}

DimExpr ThreadSharing::stretches(const DimExpr &across) const {
  return *ceildiv(across, DimExpr(int64_t{columns}));
}

bool ThreadSharing::hasLooseColumns(const DimExpr &across) const {
  return columns > 1 && (!across.isConstant() || across.constantValue() % columns != 0);
}

int64_t ThreadSharing::groupsOfThread() const {
  std::optional<int64_t> groups = known(partGroups);
  return groups ? ceilDiv(*groups, rows) : INT64_MAX;
}

void ThreadSharing::print(llvm::raw_ostream &out, bool ofRows) const {
  if (columns > 1)
    out << counted(columns, "thread") << " next to each other, ";
  out << counted(rows, "thread") << (ofRows ? " a row" : " a column");
  if (isDivided())
    out << "; in " << parts.str() << " parts";
}
