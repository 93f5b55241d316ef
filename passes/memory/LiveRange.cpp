#include "passes/memory/LiveRange.h"

#include <algorithm>
#include <cassert>

using namespace keratin::passes;

namespace {

struct Peak {
  int64_t position = 0;
  int64_t bytes = 0;
};

std::optional<Peak> findPeak(const std::vector<LiveRange> &ranges,
                             const std::vector<int64_t> &sizes) {
  assert(ranges.size() == sizes.size() && "one size for each range");
  std::vector<size_t> byFirst(ranges.size()), byLast(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i)
    byFirst[i] = byLast[i] = i;
  std::sort(byFirst.begin(), byFirst.end(),
            [&](size_t a, size_t b) { return ranges[a].first < ranges[b].first; });
  std::sort(byLast.begin(), byLast.end(),
            [&](size_t a, size_t b) { return ranges[a].last < ranges[b].last; });
  // The sum only grows where a range begins, so it is enough to look there.
  Peak peak;
  int64_t live = 0;
  size_t ended = 0;
  for (size_t begin : byFirst) {
    int64_t now = ranges[begin].first;
    while (ended < byLast.size() && ranges[byLast[ended]].last < now)
      live -= sizes[byLast[ended++]];
    if (__builtin_add_overflow(live, sizes[begin], &live))
      return std::nullopt;
    if (live > peak.bytes)
      peak = {now, live};
  }
  return peak;
}

} // namespace

std::optional<int64_t> keratin::passes::maxLiveBytes(const std::vector<LiveRange> &ranges,
                                                     const std::vector<int64_t> &sizes) {
  std::optional<Peak> peak = findPeak(ranges, sizes);
  return peak ? std::optional<int64_t>(peak->bytes) : std::nullopt;
}

std::optional<int64_t> keratin::passes::busiestPosition(const std::vector<LiveRange> &ranges,
                                                        const std::vector<int64_t> &sizes) {
  std::optional<Peak> peak = findPeak(ranges, sizes);
  return peak ? std::optional<int64_t>(peak->position) : std::nullopt;
}
