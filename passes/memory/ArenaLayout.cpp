#include "passes/memory/ArenaLayout.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>

using namespace keratin::ir;
using namespace keratin::passes;

namespace {

constexpr int64_t kAlignment = 64;

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

} // namespace

std::optional<PackedBuffers> keratin::passes::packBuffers(const std::vector<int64_t> &sizes,
                                                          const std::vector<LiveRange> &ranges) {
  assert(sizes.size() == ranges.size() && "one range for each size");
  std::optional<int64_t> bound = maxLiveBytes(ranges, sizes);
  if (!bound)
    return std::nullopt;

  std::optional<PackedBuffers> best;
  std::vector<size_t> order(sizes.size());
  auto attempt = [&](auto key) {
    // No order can do better than what is live at once.
    if (best && best->total == *bound)
      return;
    sortBy(order, key);
    std::optional<PackedBuffers> packed = packInOrder(sizes, ranges, order);
    if (packed && (!best || packed->total < best->total))
      best = std::move(packed);
  };
  attempt([&](size_t i) { return std::pair(-sizes[i], ranges[i].first); });
  attempt([&](size_t i) { return std::pair(-ranges[i].length(), -sizes[i]); });
  attempt([&](size_t i) { return std::pair(ranges[i].first, -sizes[i]); });
  return best;
}

//===----------------------------------------------------------------------===//
// Sizes with symbols
//===----------------------------------------------------------------------===//

namespace {

std::optional<DimExpr> roundUp(const DimExpr &bytes) {
  std::optional<DimExpr> units = ceildiv(bytes, kAlignment);
  return units ? mul(*units, kAlignment) : std::nullopt;
}

std::optional<int64_t> roundUp(int64_t bytes) {
  int64_t padded;
  if (__builtin_add_overflow(bytes, kAlignment - 1, &padded))
    return std::nullopt;
  return padded / kAlignment * kAlignment;
}

// Builds the layout region after region.
class Builder {
public:
  explicit Builder(const std::vector<ArenaBuffer> &buffers) : buffers(buffers) {
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
    return std::move(layout);
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
  bool closeRegion(const std::optional<DimExpr> &bytes) {
    std::optional<DimExpr> total = bytes ? add(layout.totalBytes, *bytes) : std::nullopt;
    if (total)
      layout.totalBytes = *total;
    return total.has_value();
  }
  std::vector<LiveRange> rangesOf(const std::vector<size_t> &members) const {
    std::vector<LiveRange> ranges;
    for (size_t member : members)
      ranges.push_back(buffers[member].live);
    return ranges;
  }

  const std::vector<ArenaBuffer> &buffers;
  ArenaLayout layout;
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
    std::optional<int64_t> size = roundUp(buffers[buffer].bytes.constantValue());
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
  return closeRegion(DimExpr(packed->total));
}

bool Builder::placeGroup(const DimExpr &unit, const std::vector<size_t> &members) {
  std::vector<int64_t> sizes;
  for (size_t member : members)
    sizes.push_back(factors[member]);
  std::vector<LiveRange> ranges = rangesOf(members);
  std::optional<PackedBuffers> packed = packBuffers(sizes, ranges);
  if (!packed)
    return false;
  const std::vector<int64_t> &offsets = packed->offsets;

  // A buffer below that ends between two multiples of 64 pushes those above it up by one of them.
  // Where factors are multiples of 64 all ends are aligned, and nothing is lost.
  std::vector<size_t> upwards(members.size());
  sortBy(upwards, [&](size_t i) { return offsets[i]; });
  std::vector<int64_t> pushes(members.size(), 0);
  auto pushesAbove = [&](size_t i) { return pushes[i] + (sizes[i] % kAlignment != 0); };
  int64_t mostPushes = 0;
  for (size_t above = 0; above < upwards.size(); ++above) {
    size_t i = upwards[above];
    for (size_t below = 0; below < above; ++below)
      if (ranges[upwards[below]].overlaps(ranges[i]))
        pushes[i] = std::max(pushes[i], pushesAbove(upwards[below]));
    mostPushes = std::max(mostPushes, pushesAbove(i));
  }

  auto position = [&](int64_t units, int64_t pushed) -> std::optional<DimExpr> {
    std::optional<DimExpr> bytes = mul(unit, units);
    bytes = bytes ? roundUp(*bytes) : std::nullopt;
    return bytes ? add(*bytes, pushed * kAlignment) : std::nullopt;
  };
  for (size_t i = 0; i < members.size(); ++i)
    if (!place(members[i], position(offsets[i], pushes[i])))
      return false;
  return closeRegion(position(packed->total, mostPushes));
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
    if (!closeRegion(roundUp(slot.bytes)))
      return false;
  }
  return true;
}

} // namespace

std::optional<ArenaLayout> keratin::passes::layOutArena(const std::vector<ArenaBuffer> &buffers) {
  return Builder(buffers).build();
}
