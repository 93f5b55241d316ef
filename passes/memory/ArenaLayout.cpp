#include "passes/memory/ArenaLayout.h"

#include "passes/memory/ArenaRegions.h"
#include "passes/memory/ArenaSizes.h"
#include "passes/memory/ArenaStacking.h"

using namespace keratin::ir;
using namespace keratin::passes;

// Stacking compares every pair of buffers.
constexpr size_t kMostStacked = 1024;

// Better for usual sizes, worse for none that is looked at.
static bool isSmaller(const ArenaLayout &a, const ArenaLayout &b) {
  std::optional<Samples> left = sample(a.totalBytes), right = sample(b.totalBytes);
  if (!left || !right || (*left)[kUsual] >= (*right)[kUsual])
    return false;
  for (size_t i = 0; i < left->size(); ++i)
    if ((*left)[i] > (*right)[i])
      return false;
  return true;
}

std::optional<ArenaLayout> keratin::passes::layOutArena(const std::vector<ArenaBuffer> &buffers,
                                                        int64_t alignment) {
  std::optional<ArenaRegions> packed = layOutRegions(buffers, alignment);
  if (!packed)
    return std::nullopt;
  if (packed->regions.size() < 2 || buffers.size() > kMostStacked)
    return packed->layout;
  const ArenaRegion *largest = nullptr;
  int64_t most = -1;
  for (const ArenaRegion &region : packed->regions) {
    std::optional<Samples> bytes = sample(region.bytes);
    if (bytes && (*bytes)[kUsual] > most) {
      most = (*bytes)[kUsual];
      largest = &region;
    }
  }
  if (!largest)
    return packed->layout;
  ArenaLayout best = packed->layout;
  for (StackingOrder order : {StackingOrder::LargestFirst, StackingOrder::LowestFirst}) {
    std::optional<ArenaLayout> stacked =
        stackOnRegion(buffers, alignment, packed->layout, *largest, order);
    if (stacked && isSmaller(*stacked, best))
      best = std::move(*stacked);
  }
  return best;
}
