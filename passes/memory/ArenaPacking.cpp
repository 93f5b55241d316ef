// Known sizes packed into one block of memory.
#include "passes/memory/ArenaLayout.h"
#include "passes/memory/IndexOrder.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <queue>
#include <set>

using namespace keratin::passes;

namespace {

// Places buffers in the given order, each into the smallest gap that holds it.
std::optional<PackedBuffers> packInOrder(const std::vector<int64_t> &sizes,
                                         const std::vector<LiveRange> &ranges,
                                         const std::vector<size_t> &order) {
  struct Placed {
    LiveRange live;
    int64_t offset, end;
  };
  PackedBuffers packed;
  packed.offsets.assign(sizes.size(), 0);
  std::vector<Placed> placed; // by ascending offset
  placed.reserve(sizes.size());
  for (size_t buffer : order) {
    int64_t size = sizes[buffer];
    if (size == 0)
      continue;
    int64_t bestGap = std::numeric_limits<int64_t>::max();
    int64_t offset = -1;
    int64_t reached = 0; // end of everything seen so far that is alive at the same time
    for (const Placed &other : placed) {
      if (!other.live.overlaps(ranges[buffer]))
        continue;
      int64_t gap = other.offset - reached;
      if (gap >= size && gap < bestGap) {
        bestGap = gap;
        offset = reached;
        if (gap == size)
          break;
      }
      reached = std::max(reached, other.end);
    }
    if (offset < 0)
      offset = reached;
    int64_t end;
    if (__builtin_add_overflow(offset, size, &end))
      return std::nullopt;
    packed.offsets[buffer] = offset;
    packed.total = std::max(packed.total, end);
    auto after = [](int64_t value, const Placed &other) { return value < other.offset; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset, after),
                  {ranges[buffer], offset, end});
  }
  return packed;
}

// The same in the order of their first use, where only what is alive then can overlap: buffers come
// and go, and gaps between those that are alive are kept by place and by size.
class MovingPacker {
public:
  MovingPacker(const std::vector<int64_t> &sizes, const std::vector<LiveRange> &ranges)
      : sizes(sizes), ranges(ranges) {}

  std::optional<PackedBuffers> pack(const std::vector<size_t> &order) {
    PackedBuffers packed;
    packed.offsets.assign(sizes.size(), 0);
    for (size_t buffer : order) {
      int64_t size = sizes[buffer], end;
      if (size == 0)
        continue;
      release(ranges[buffer].first);
      // The smallest that holds it; of several, the lowest. Above all others there is room.
      auto best = bySize.lower_bound({size, 0});
      int64_t offset = best == bySize.end() ? top : best->second;
      if (__builtin_add_overflow(offset, size, &end))
        return std::nullopt;
      if (best != bySize.end()) {
        int64_t gapEnd = offset + best->first;
        removeGap(offset, gapEnd);
        addGap(end, gapEnd);
      }
      top = std::max(top, end);
      packed.offsets[buffer] = offset;
      packed.total = std::max(packed.total, end);
      alive.push({ranges[buffer].last, offset, end});
    }
    return packed;
  }

private:
  struct Placed {
    int64_t last, offset, end;
    bool operator>(const Placed &other) const { return last > other.last; }
  };

  void addGap(int64_t begin, int64_t end) {
    if (begin == end)
      return;
    byPlace.emplace(begin, end);
    bySize.emplace(end - begin, begin);
  }
  void removeGap(int64_t begin, int64_t end) {
    byPlace.erase(begin);
    bySize.erase({end - begin, begin});
  }

  // What nobody uses from `now` on becomes a gap, one with its neighbours; what is above all others
  // is none.
  void release(int64_t now) {
    while (!alive.empty() && alive.top().last < now) {
      auto [last, begin, end] = alive.top();
      alive.pop();
      auto above = byPlace.lower_bound(begin);
      if (above != byPlace.begin())
        if (auto below = std::prev(above); below->second == begin) {
          begin = below->first;
          removeGap(begin, below->second);
        }
      if (above = byPlace.find(end); above != byPlace.end()) {
        int64_t merged = above->second;
        removeGap(end, merged);
        end = merged;
      }
      if (end == top)
        top = begin;
      else
        addGap(begin, end);
    }
  }

  const std::vector<int64_t> &sizes;
  const std::vector<LiveRange> &ranges;
  std::priority_queue<Placed, std::vector<Placed>, std::greater<>> alive;
  std::map<int64_t, int64_t> byPlace;           // gaps
  std::set<std::pair<int64_t, int64_t>> bySize; // their sizes and places
  int64_t top = 0;                              // the end of all that are alive
};

// Of more buffers than this, those that are alive with each other are not searched in every order:
// that takes the square of their number.
constexpr size_t kMostSearched = 4096;

} // namespace

std::optional<PackedBuffers> keratin::passes::packBuffers(const std::vector<int64_t> &sizes,
                                                          const std::vector<LiveRange> &ranges) {
  assert(sizes.size() == ranges.size() && "one range for each size");
  std::optional<int64_t> bound = maxLiveBytes(ranges, sizes);
  if (!bound)
    return std::nullopt;

  std::optional<PackedBuffers> best;
  std::vector<size_t> order(sizes.size());
  auto attempt = [&](auto key, auto pack) {
    // No order can do better than what is live at once.
    if (best && best->total == *bound)
      return;
    sortBy(order, key);
    std::optional<PackedBuffers> packed = pack(order);
    if (packed && (!best || packed->total < best->total))
      best = std::move(packed);
  };
  auto search = [&](const std::vector<size_t> &order) { return packInOrder(sizes, ranges, order); };
  if (sizes.size() <= kMostSearched) {
    attempt([&](size_t i) { return std::pair(-sizes[i], ranges[i].first); }, search);
    attempt([&](size_t i) { return std::pair(-ranges[i].length(), -sizes[i]); }, search);
  }
  attempt(
      [&](size_t i) { return std::pair(ranges[i].first, -sizes[i]); },
      [&](const std::vector<size_t> &order) { return MovingPacker(sizes, ranges).pack(order); });
  return best;
}
