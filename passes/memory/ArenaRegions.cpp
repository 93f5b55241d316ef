#include "passes/memory/ArenaRegions.h"

#include "passes/memory/ArenaSizes.h"
#include "passes/memory/IndexOrder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

using namespace keratin::ir;
using namespace keratin::passes;

namespace {

// Builds the layout region after region.
class Builder {
public:
  Builder(const std::vector<ArenaBuffer> &buffers, int64_t alignment)
      : buffers(buffers), alignment(alignment) {
    layout.offsets.resize(buffers.size());
  }

  std::optional<ArenaRegions> build() {
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
    return ArenaRegions{std::move(layout), std::move(closed)};
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
  std::vector<ArenaRegion> closed;
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

} // namespace

std::optional<ArenaRegions> keratin::passes::layOutRegions(const std::vector<ArenaBuffer> &buffers,
                                                           int64_t alignment) {
  return Builder(buffers, alignment).build();
}
