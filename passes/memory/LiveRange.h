// When a buffer holds something that is still needed.
//
// Time is the order of execution: position i is the i-th kernel. A buffer is live from the kernel
// that writes it to the last that reads it, both included, since a kernel may write its results
// before it has read all of its operands.
#ifndef KERATIN_PASSES_MEMORY_LIVERANGE_H
#define KERATIN_PASSES_MEMORY_LIVERANGE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::passes {

struct LiveRange {
  int64_t first = 0;
  int64_t last = 0; // >= first

  bool overlaps(const LiveRange &other) const { return first <= other.last && other.first <= last; }
  int64_t length() const { return last - first + 1; }
};

// The largest sum of sizes that are live at one time: no layout needs less. sizes[i] >= 0 belongs
// to ranges[i]. nullopt if a sum does not fit 64 bits.
std::optional<int64_t> maxLiveBytes(const std::vector<LiveRange> &ranges,
                                    const std::vector<int64_t> &sizes);

// The position where that sum is reached first; 0 if there are no buffers.
std::optional<int64_t> busiestPosition(const std::vector<LiveRange> &ranges,
                                       const std::vector<int64_t> &sizes);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_LIVERANGE_H
