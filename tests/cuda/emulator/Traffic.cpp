// What accesses cost: sectors of global memory and wavefronts of shared memory, against the least.
#include "tests/cuda/emulator/Access.h"

#include <algorithm>
#include <bit>

namespace keratin::ptx {

namespace {

constexpr uint32_t sectorBytes = SectorSet::sectorBytes, banks = 32, bankBytes = 4,
                   wavefrontBytes = banks * bankBytes;

struct Cost {
  uint64_t units, ideal, distinctBytes;
};

Cost contiguousCost(const Touch &touch, uint32_t unitBytes) {
  uint64_t bytes = uint64_t(touch.bytes) * warpLanes, first = touch.address[0];
  return {(first + bytes - 1) / unitBytes - first / unitBytes + 1,
          (bytes + unitBytes - 1) / unitBytes, bytes};
}

// The active lanes' addresses, ascending. Lanes that share one with their neighbour are left out.
uint32_t sortedAddresses(const Touch &touch, uint64_t *sorted) {
  uint32_t count = 0;
  bool ascending = true;
  for (uint32_t left = touch.full() ? touch.leaders : touch.mask; left; left &= left - 1) {
    sorted[count] = touch.address[std::countr_zero(left)];
    ascending &= count == 0 || sorted[count - 1] <= sorted[count];
    ++count;
  }
  if (!ascending)
    std::sort(sorted, sorted + count);
  return count;
}

Cost sectors(const Touch &touch) {
  if (touch.contiguous)
    return contiguousCost(touch, sectorBytes);
  uint64_t sorted[warpLanes];
  uint32_t count = sortedAddresses(touch, sorted);
  uint64_t distinct = 1, units = 1;
  for (uint32_t l = 1; l < count; ++l) {
    distinct += sorted[l] != sorted[l - 1];
    units += sorted[l] / sectorBytes != sorted[l - 1] / sectorBytes;
  }
  uint64_t bytes = distinct * touch.bytes;
  return {units, (bytes + sectorBytes - 1) / sectorBytes, bytes};
}

// The most different words that lanes ask of one bank.
uint32_t conflictingWavefronts(const Touch &touch, uint32_t lanes, uint32_t unit, uint32_t groups) {
  uint64_t words[banks][warpLanes];
  uint8_t used[banks] = {};
  uint32_t most = 0;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t word = touch.address[std::countr_zero(lanes)] / unit;
    uint32_t bank = word % groups;
    if (std::find(words[bank], words[bank] + used[bank], word) == words[bank] + used[bank])
      words[bank][used[bank]++] = word;
    most = std::max<uint32_t>(most, used[bank]);
  }
  return most;
}

// A wavefront serves each bank once; the lanes of one are those whose bytes fill all banks. Lanes
// that read the same word share it. Wide accesses take neighbouring banks together.
uint32_t phaseWavefronts(const Touch &touch, uint32_t first, uint32_t lanes) {
  uint32_t unit = std::max(touch.bytes, bankBytes), groups = wavefrontBytes / unit;
  uint32_t shift = uint32_t(std::countr_zero(unit));
  uint32_t within = lanes == warpLanes ? ~0u : ((1u << lanes) - 1) << first;
  // The first lane of each phase counts even where it shares its address with the phase before.
  uint32_t counted = (touch.full() ? touch.leaders | 1u << first : touch.mask) & within;
  uint32_t seen = 0;
  uint64_t words[banks];
  for (uint32_t left = counted; left; left &= left - 1) {
    uint64_t word = touch.address[std::countr_zero(left)] >> shift;
    uint32_t bank = word & (groups - 1);
    if ((seen >> bank & 1) && words[bank] != word)
      return conflictingWavefronts(touch, counted, unit, groups);
    seen |= 1u << bank;
    words[bank] = word;
  }
  return seen != 0;
}

Cost wavefronts(const Touch &touch) {
  if (touch.contiguous && touch.bytes >= bankBytes) {
    // Aligned to a lane's size: each wavefront's words are neighbours, and no two share a bank.
    uint64_t bytes = uint64_t(touch.bytes) * warpLanes;
    return {bytes / wavefrontBytes, bytes / wavefrontBytes, bytes};
  }
  uint32_t lanes = std::min(warpLanes, wavefrontBytes / std::max(touch.bytes, bankBytes));
  if (lanes == warpLanes && touch.full() && touch.leaders == 1)
    return {1, 1, uint64_t(touch.bytes) * warpLanes};
  Cost cost{0, 0, 0};
  for (uint32_t first = 0; first < warpLanes; first += lanes) {
    uint32_t needed = phaseWavefronts(touch, first, lanes);
    cost.units += needed;
    cost.ideal += needed > 0;
  }
  cost.distinctBytes = uint64_t(std::popcount(touch.mask)) * touch.bytes;
  return cost;
}

// Local memory is interleaved: lanes at the same offset are neighbours.
Cost localSectors(const Touch &touch) {
  uint32_t first = uint32_t(std::countr_zero(touch.mask)),
           lanes = uint32_t(std::popcount(touch.mask));
  bool same = true;
  for (uint32_t left = touch.mask; left; left &= left - 1)
    same &= touch.address[std::countr_zero(left)] == touch.address[first];
  uint64_t bytes = uint64_t(lanes) * touch.bytes, ideal = (bytes + sectorBytes - 1) / sectorBytes;
  return {same ? ideal : lanes, ideal, bytes};
}

// Those of the access that the launch has not touched before.
uint64_t newSectors(SectorSet &seen, const Touch &touch) {
  uint64_t count = 0;
  auto add = [&](uint64_t address, uint64_t bytes) {
    for (uint64_t at = address / sectorBytes * sectorBytes; at < address + bytes; at += sectorBytes)
      count += seen.insert(at);
  };
  if (touch.contiguous) {
    add(touch.address[0], uint64_t(touch.bytes) * warpLanes);
    return count;
  }
  for (uint32_t left = touch.full() ? touch.leaders : touch.mask; left; left &= left - 1)
    add(touch.address[std::countr_zero(left)], touch.bytes);
  return count;
}

} // namespace

void countTraffic(Warp &warp, const Touch &touch, bool isStore) {
  if (touch.space == Space::Parameter)
    return;
  Counters &totals = warp.grid->totals;
  bool isShared = touch.space == Space::Shared, isLocal = touch.space == Space::Local;
  Cost cost = isShared ? wavefronts(touch) : isLocal ? localSectors(touch) : sectors(touch);
  Traffic &traffic = isShared ? totals.shared : isLocal ? totals.local : totals.global;
  (isStore ? traffic.bytesWritten : traffic.bytesRead) += cost.distinctBytes;
  traffic.units += cost.units;
  traffic.idealUnits += cost.ideal;
  if (touch.space == Space::Global && warp.grid->sectors)
    traffic.onceUnits += newSectors(*warp.grid->sectors, touch);
  ++traffic.accesses;
  traffic.wideAccesses += touch.bytes == 16;
  PerInstruction &count = warp.grid->counts[size_t(warp.current - warp.code().instructions.data())];
  count.units += cost.units;
  count.idealUnits += cost.ideal;
}

} // namespace keratin::ptx
