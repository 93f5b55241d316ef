#include "passes/memory/ArenaStacking.h"

#include "passes/memory/ArenaSizes.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

using namespace keratin::ir;
using namespace keratin::passes;

namespace {

// Offsets are evaluated when sizes change.
constexpr size_t kLongestOffset = 256;

class Stacker {
public:
  Stacker(const std::vector<ArenaBuffer> &buffers, int64_t alignment)
      : buffers(buffers), alignment(alignment) {
    layout.offsets.resize(buffers.size());
  }

  // The buffers of the base keep their offsets less its start.
  std::optional<ArenaLayout> build(const ArenaLayout &regions, const ArenaRegion &base,
                                   StackingOrder order) {
    std::vector<bool> isBase(buffers.size(), false);
    for (size_t buffer : base.members) {
      isBase[buffer] = true;
      std::optional<DimExpr> offset = sub(regions.offsets[buffer], base.start);
      if (!offset || !readSize(buffer) || !place(buffer, *offset))
        return std::nullopt;
    }
    std::vector<std::tuple<int64_t, int64_t, size_t>> rest;
    for (size_t buffer = 0; buffer < buffers.size(); ++buffer) {
      if (isBase[buffer])
        continue;
      if (!readSize(buffer))
        return std::nullopt;
      rest.push_back({order == StackingOrder::LargestFirst ? 0 : usualTop(buffers[buffer].live),
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

} // namespace

std::optional<ArenaLayout> keratin::passes::stackOnRegion(const std::vector<ArenaBuffer> &buffers,
                                                          int64_t alignment,
                                                          const ArenaLayout &layout,
                                                          const ArenaRegion &base,
                                                          StackingOrder order) {
  return Stacker(buffers, alignment).build(layout, base, order);
}
