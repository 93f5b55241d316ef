#include "passes/memory/ArenaLayout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

using namespace keratin::ir;
using namespace keratin::passes;

namespace {

//===----------------------------------------------------------------------===//
// Known sizes
//===----------------------------------------------------------------------===//

// All indices, by ascending key; equal keys stay in order.
template <typename Key> void sortBy(std::vector<size_t> &indices, Key key) {
  std::iota(indices.begin(), indices.end(), 0);
  std::sort(indices.begin(), indices.end(),
            [&](size_t a, size_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
}

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

//===----------------------------------------------------------------------===//
// Sizes with symbols
//===----------------------------------------------------------------------===//

namespace {

std::optional<DimExpr> roundUp(const DimExpr &bytes, int64_t alignment) {
  std::optional<DimExpr> units = ceildiv(bytes, alignment);
  return units ? mul(*units, alignment) : std::nullopt;
}

std::optional<int64_t> roundUp(int64_t bytes, int64_t alignment) {
  int64_t padded;
  if (__builtin_add_overflow(bytes, alignment - 1, &padded))
    return std::nullopt;
  return padded / alignment * alignment;
}

// Builds the layout region after region.
class Builder {
public:
  struct Region {
    DimExpr start, bytes;
    std::vector<size_t> members;
  };
  const std::vector<Region> &regions() const { return closed; }

  Builder(const std::vector<ArenaBuffer> &buffers, int64_t alignment)
      : buffers(buffers), alignment(alignment) {
    layout.offsets.resize(buffers.size());
  }

  std::optional<ArenaLayout> build() {
    if (!split() || !placeStatic())
      return std::nullopt;
    std::vector<size_t> alone;
    for (const auto &[unit, members] : groups) {
      if (members.size() == 1)
        alone.push_back(members.front());
      else if (!placeGroup(unit, members))
        return std::nullopt;
    }
    if (!placeSlots(alone))
      return std::nullopt;
    return layout;
  }

private:
  bool split();
  bool placeStatic();
  bool placeGroup(const DimExpr &unit, const std::vector<size_t> &members);
  bool placeSlots(std::vector<size_t> alone);
  // The buffer at `offset` from the start of the region that begins at the current total.
  bool place(size_t buffer, const std::optional<DimExpr> &offset) {
    std::optional<DimExpr> absolute = offset ? add(layout.totalBytes, *offset) : std::nullopt;
    if (absolute)
      layout.offsets[buffer] = *absolute;
    return absolute.has_value();
  }
  bool closeRegion(const std::optional<DimExpr> &bytes, const std::vector<size_t> &members) {
    std::optional<DimExpr> total = bytes ? add(layout.totalBytes, *bytes) : std::nullopt;
    if (!total)
      return false;
    if (!members.empty())
      closed.push_back({layout.totalBytes, *bytes, members});
    layout.totalBytes = *total;
    return true;
  }
  std::vector<LiveRange> rangesOf(const std::vector<size_t> &members) const {
    std::vector<LiveRange> ranges;
    for (size_t member : members)
      ranges.push_back(buffers[member].live);
    return ranges;
  }

  const std::vector<ArenaBuffer> &buffers;
  const int64_t alignment;
  ArenaLayout layout;
  std::vector<Region> closed;
  std::vector<size_t> fixed;                     // buffers of static size
  std::map<DimExpr, std::vector<size_t>> groups; // by what is left of the size without its factor
  std::vector<int64_t> factors;                  // of each buffer in a group
};

bool Builder::split() {
  factors.assign(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const DimExpr &bytes = buffers[i].bytes;
    if (bytes.isConstant()) {
      if (bytes.constantValue() < 0)
        return false;
      fixed.push_back(i);
      continue;
    }
    uint64_t factor = bytes.content();
    if (factor > uint64_t(std::numeric_limits<int64_t>::max()))
      return false;
    factors[i] = int64_t(factor);
    std::optional<DimExpr> unit = floordiv(bytes, factors[i]);
    // What might be negative must not move its neighbours into one another.
    if (unit && unit->lowerBound().value_or(-1) < 0)
      unit = max(*unit, 0);
    if (!unit)
      return false;
    groups[*unit].push_back(i);
  }
  return true;
}

bool Builder::placeStatic() {
  std::vector<int64_t> sizes;
  for (size_t buffer : fixed) {
    std::optional<int64_t> size = roundUp(buffers[buffer].bytes.constantValue(), alignment);
    if (!size)
      return false;
    sizes.push_back(*size);
  }
  std::optional<PackedBuffers> packed = packBuffers(sizes, rangesOf(fixed));
  if (!packed)
    return false;
  for (size_t i = 0; i < fixed.size(); ++i)
    if (!place(fixed[i], DimExpr(packed->offsets[i])))
      return false;
  return closeRegion(DimExpr(packed->total), fixed);
}

// A number for each moment that ranges speak of, 0 at first.
class MostOverTime {
public:
  explicit MostOverTime(const std::vector<LiveRange> &ranges) {
    for (const LiveRange &range : ranges)
      moments.insert(moments.end(), {range.first, range.last});
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    inside.assign(2 * moments.size(), 0);
    whole.assign(2 * moments.size(), 0);
  }

  // The most at any moment of the range.
  int64_t most(LiveRange range) const {
    int64_t found = 0;
    auto [low, high] = leaves(range);
    // What was raised for a node counts for all below it.
    for (size_t node : {low, high - 1})
      for (; node > 0; node /= 2)
        found = std::max(found, whole[node]);
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2)
        found = std::max(found, inside[low++]);
      if (high % 2)
        found = std::max(found, inside[--high]);
    }
    return found;
  }

  // At least `value` at each moment of the range.
  void raise(LiveRange range, int64_t value) {
    auto [low, high] = leaves(range);
    size_t first = low, last = high - 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2)
        raiseNode(low++, value);
      if (high % 2)
        raiseNode(--high, value);
    }
    for (size_t node : {first, last})
      for (; node > 0; node /= 2)
        inside[node] = std::max(inside[node], value);
  }

private:
  // A tree in an array: node n has the children 2 n and 2 n + 1, and moments are its leaves.
  std::pair<size_t, size_t> leaves(LiveRange range) const {
    auto leaf = [&](int64_t moment) {
      return moments.size() +
             (std::lower_bound(moments.begin(), moments.end(), moment) - moments.begin());
    };
    return {leaf(range.first), leaf(range.last) + 1};
  }
  void raiseNode(size_t node, int64_t value) {
    inside[node] = std::max(inside[node], value);
    whole[node] = std::max(whole[node], value);
  }

  std::vector<int64_t> moments;
  std::vector<int64_t> inside; // the most of any moment below a node
  std::vector<int64_t> whole;  // of what was raised for all moments below a node
};

bool Builder::placeGroup(const DimExpr &unit, const std::vector<size_t> &members) {
  std::vector<int64_t> sizes;
  for (size_t member : members)
    sizes.push_back(factors[member]);
  std::vector<LiveRange> ranges = rangesOf(members);
  std::optional<PackedBuffers> packed = packBuffers(sizes, ranges);
  if (!packed)
    return false;
  const std::vector<int64_t> &offsets = packed->offsets;

  // A buffer below that ends between two multiples of the alignment pushes those above it up by one
  // of them. Where factors are multiples of it all ends are aligned, and nothing is lost.
  std::vector<size_t> upwards(members.size());
  sortBy(upwards, [&](size_t i) { return offsets[i]; });
  std::vector<int64_t> pushes(members.size(), 0);
  auto pushesAbove = [&](size_t i) { return pushes[i] + (sizes[i] % alignment != 0); };
  int64_t mostPushes = 0;
  MostOverTime below(ranges);
  for (size_t i : upwards) {
    pushes[i] = below.most(ranges[i]);
    below.raise(ranges[i], pushesAbove(i));
    mostPushes = std::max(mostPushes, pushesAbove(i));
  }

  auto position = [&](int64_t units, int64_t pushed) -> std::optional<DimExpr> {
    std::optional<DimExpr> bytes = mul(unit, units);
    bytes = bytes ? roundUp(*bytes, alignment) : std::nullopt;
    return bytes ? add(*bytes, pushed * alignment) : std::nullopt;
  };
  for (size_t i = 0; i < members.size(); ++i)
    if (!place(members[i], position(offsets[i], pushes[i])))
      return false;
  return closeRegion(position(packed->total, mostPushes), members);
}

bool Builder::placeSlots(std::vector<size_t> alone) {
  // First come, first served: intervals in order of their start need no more slots than are live
  // at once.
  std::sort(alone.begin(), alone.end(), [&](size_t a, size_t b) {
    return std::pair(buffers[a].live.first, a) < std::pair(buffers[b].live.first, b);
  });
  struct Slot {
    DimExpr bytes;
    int64_t last;
    std::vector<size_t> users;
  };
  std::vector<Slot> slots;
  for (size_t buffer : alone) {
    const ArenaBuffer &wanted = buffers[buffer];
    bool found = false;
    for (Slot &slot : slots) {
      // The largest of many sizes may be too long to write down; then it needs a slot of its own.
      std::optional<DimExpr> bytes;
      if (slot.last >= wanted.live.first || !(bytes = max(slot.bytes, wanted.bytes)))
        continue;
      if (bytes->encode().size() > DimExpr::kMaxLength / 16)
        continue;
      slot.bytes = *bytes;
      slot.last = wanted.live.last;
      slot.users.push_back(buffer);
      found = true;
      break;
    }
    if (!found) {
      std::optional<DimExpr> bytes = max(wanted.bytes, 0);
      if (!bytes)
        return false;
      slots.push_back({*bytes, wanted.live.last, {buffer}});
    }
  }
  for (const Slot &slot : slots) {
    for (size_t user : slot.users)
      if (!place(user, DimExpr(0)))
        return false;
    if (!closeRegion(roundUp(slot.bytes, alignment), slot.users))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions into one another
//===----------------------------------------------------------------------===//

// Where guesses are made about sizes: few, usual, many.
constexpr int64_t kSampleSizes[] = {1, 32, 1000};
using Samples = std::array<int64_t, std::size(kSampleSizes)>;
constexpr size_t kUsual = 1;
// Stacking compares every pair of buffers.
constexpr size_t kMostStacked = 1024;
// Offsets are evaluated when sizes change.
constexpr size_t kLongestOffset = 256;

std::optional<Samples> sample(const DimExpr &expr) {
  Samples samples;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::optional<int64_t> value =
        expr.evaluate([&](int64_t) { return std::optional<int64_t>(kSampleSizes[i]); });
    if (!value)
      return std::nullopt;
    samples[i] = *value;
  }
  return samples;
}

bool isNeverAbove(const DimExpr &low, const DimExpr &high) {
  std::optional<DimExpr> gap = sub(high, low);
  return gap && gap->lowerBound().value_or(-1) >= 0;
}

// Keeps the largest region and puts all other buffers over or between its buffers, wherever that
// can be proved for all sizes: activations leave room that the gradients of weights can have.
class Stacker {
public:
  // LowestFirst: what has least of the base below it at usual sizes; those above then find the
  // lower ones there and step over both.
  enum class Order { LargestFirst, LowestFirst };

  Stacker(const std::vector<ArenaBuffer> &buffers, int64_t alignment)
      : buffers(buffers), alignment(alignment) {
    layout.offsets.resize(buffers.size());
  }

  // `base` are the buffers that keep their offsets less `start`.
  std::optional<ArenaLayout> build(const ArenaLayout &regions, const std::vector<size_t> &base,
                                   const DimExpr &start, Order order) {
    std::vector<bool> isBase(buffers.size(), false);
    for (size_t buffer : base) {
      isBase[buffer] = true;
      std::optional<DimExpr> offset = sub(regions.offsets[buffer], start);
      if (!offset || !readSize(buffer) || !place(buffer, *offset))
        return std::nullopt;
    }
    std::vector<std::tuple<int64_t, int64_t, size_t>> rest;
    for (size_t buffer = 0; buffer < buffers.size(); ++buffer) {
      if (isBase[buffer])
        continue;
      if (!readSize(buffer))
        return std::nullopt;
      rest.push_back({order == Order::LargestFirst ? 0 : usualTop(buffers[buffer].live),
                      -sizeSamples[kUsual], buffer});
    }
    std::sort(rest.begin(), rest.end());
    for (auto [top, negativeSize, buffer] : rest) {
      std::optional<DimExpr> offset = readSize(buffer) ? findOffset(buffer) : std::nullopt;
      if (!offset || !place(buffer, *offset))
        return std::nullopt;
    }
    std::vector<const Spot *> all;
    for (const Spot &spot : spots)
      all.push_back(&spot);
    std::optional<DimExpr> total = findTop(std::move(all));
    if (!total)
      return std::nullopt;
    layout.totalBytes = *total;
    return std::move(layout);
  }

private:
  struct Spot {
    LiveRange live;
    DimExpr offset, end;
    Samples offsetSamples, endSamples;
    std::set<size_t> above; // spots that end below it, by construction
  };

  // Where the buffers placed so far end that live at the same time.
  int64_t usualTop(const LiveRange &live) const {
    int64_t top = 0;
    for (const Spot &spot : spots)
      if (spot.live.overlaps(live))
        top = std::max(top, spot.endSamples[kUsual]);
    return top;
  }
  bool readSize(size_t buffer) {
    std::optional<DimExpr> bytes = buffers[buffer].bytes;
    if (bytes->lowerBound().value_or(-1) < 0)
      bytes = max(*bytes, 0);
    bytes = bytes ? roundUp(*bytes, alignment) : std::nullopt;
    std::optional<Samples> samples = bytes ? sample(*bytes) : std::nullopt;
    if (!samples)
      return false;
    size = *bytes;
    sizeSamples = *samples;
    return true;
  }
  bool place(size_t buffer, const DimExpr &offset);
  bool fits(const DimExpr &offset, const Samples &samples, const std::vector<const Spot *> &others);
  std::optional<DimExpr> findOffset(size_t buffer);
  std::optional<DimExpr> findTop(std::vector<const Spot *> others);

  const std::vector<ArenaBuffer> &buffers;
  const int64_t alignment;
  ArenaLayout layout;
  std::vector<Spot> spots;
  DimExpr size; // of the buffer at hand, rounded up
  Samples sizeSamples;
  std::set<size_t> below; // spots that the offset found is above of
};

bool Stacker::place(size_t buffer, const DimExpr &offset) {
  std::optional<DimExpr> end = add(offset, size);
  std::optional<Samples> offsetSamples = sample(offset);
  std::optional<Samples> endSamples = end ? sample(*end) : std::nullopt;
  if (!offsetSamples || !endSamples || end->encode().size() > kLongestOffset)
    return false;
  layout.offsets[buffer] = offset;
  spots.push_back({buffers[buffer].live, offset, *end, *offsetSamples, *endSamples, below});
  return true;
}

// Whether the buffer at hand is apart from all others there, for every size. The samples say
// quickly where a proof is not worth trying.
bool Stacker::fits(const DimExpr &offset, const Samples &samples,
                   const std::vector<const Spot *> &others) {
  std::vector<bool> isBelow;
  for (const Spot *other : others) {
    bool below = true, above = true;
    for (size_t i = 0; i < samples.size(); ++i) {
      below &= samples[i] + sizeSamples[i] <= other->offsetSamples[i];
      above &= samples[i] >= other->endSamples[i];
    }
    if (!below && !above)
      return false;
    isBelow.push_back(below && !above);
  }
  std::optional<DimExpr> end = add(offset, size);
  if (!end)
    return false;
  for (size_t i = 0; i < others.size(); ++i)
    if (isBelow[i] ? !isNeverAbove(*end, others[i]->offset) : !isNeverAbove(others[i]->end, offset))
      return false;
  return true;
}

std::optional<DimExpr> Stacker::findOffset(size_t buffer) {
  below.clear();
  std::vector<const Spot *> others;
  for (const Spot &spot : spots)
    if (spot.live.overlaps(buffers[buffer].live))
      others.push_back(&spot);
  if (others.empty() || fits(DimExpr(0), Samples{}, others))
    return DimExpr(0);
  // Right above one of them, the lowest first.
  std::sort(others.begin(), others.end(), [](const Spot *a, const Spot *b) {
    return std::pair(a->endSamples[kUsual], a) < std::pair(b->endSamples[kUsual], b);
  });
  for (const Spot *other : others)
    if (fits(other->end, other->endSamples, others)) {
      below = other->above;
      below.insert(other - spots.data());
      return other->end;
    }
  return findTop(std::move(others));
}

// Above all that are given.
std::optional<DimExpr> Stacker::findTop(std::vector<const Spot *> others) {
  std::sort(others.begin(), others.end(), [](const Spot *a, const Spot *b) {
    return std::pair(a->endSamples[kUsual], a) < std::pair(b->endSamples[kUsual], b);
  });
  // Most of them lie below others of them: naming only the topmost keeps expressions short,
  // which else double with each buffer of a stack.
  std::optional<DimExpr> top = DimExpr(0);
  std::vector<const Spot *> topmost;
  for (size_t i = others.size(); i-- > 0;) {
    const Spot *other = others[i];
    auto covers = [&](const Spot *higher) {
      return higher->above.count(other - spots.data()) || isNeverAbove(other->end, higher->end);
    };
    if (std::any_of(topmost.begin(), topmost.end(), covers))
      continue;
    topmost.push_back(other);
    top = top ? max(*top, other->end) : std::nullopt;
  }
  for (const Spot *other : topmost) {
    below.insert(other - spots.data());
    below.insert(other->above.begin(), other->above.end());
  }
  return top && top->encode().size() <= kLongestOffset ? top : std::nullopt;
}

// Better for usual sizes, worse for none that is looked at.
bool isSmaller(const ArenaLayout &a, const ArenaLayout &b) {
  std::optional<Samples> left = sample(a.totalBytes), right = sample(b.totalBytes);
  if (!left || !right || (*left)[kUsual] >= (*right)[kUsual])
    return false;
  for (size_t i = 0; i < left->size(); ++i)
    if ((*left)[i] > (*right)[i])
      return false;
  return true;
}

} // namespace

std::optional<ArenaLayout> keratin::passes::layOutArena(const std::vector<ArenaBuffer> &buffers,
                                                        int64_t alignment) {
  Builder builder(buffers, alignment);
  std::optional<ArenaLayout> regions = builder.build();
  if (!regions || builder.regions().size() < 2 || buffers.size() > kMostStacked)
    return regions;
  const Builder::Region *largest = nullptr;
  int64_t most = -1;
  for (const Builder::Region &region : builder.regions()) {
    std::optional<Samples> bytes = sample(region.bytes);
    if (bytes && (*bytes)[kUsual] > most) {
      most = (*bytes)[kUsual];
      largest = &region;
    }
  }
  if (!largest)
    return regions;
  std::optional<ArenaLayout> best = regions;
  for (Stacker::Order order : {Stacker::Order::LargestFirst, Stacker::Order::LowestFirst}) {
    std::optional<ArenaLayout> stacked =
        Stacker(buffers, alignment).build(*regions, largest->members, largest->start, order);
    if (stacked && isSmaller(*stacked, *best))
      best = std::move(stacked);
  }
  return best;
}
