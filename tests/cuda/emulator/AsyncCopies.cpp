// cp.async: bytes that land at the wait for them and are not to be touched before.
#include "tests/cuda/emulator/Access.h"
#include "tests/cuda/emulator/Handlers.h"

#include <bit>
#include <cstring>

namespace keratin::ptx {

void copyAsync(Warp &warp, const Instruction &i, uint32_t mask) {
  const AsyncCopy &use = warp.code().copies[i.detail];
  Touch to, from;
  to.space = Space::Shared;
  from.space = Space::Global;
  to.mask = from.mask = mask;
  to.bytes = from.bytes = from.alignment = use.bytes;
  findAddresses(warp, use.to, mask, to.address);
  findAddresses(warp, use.from, mask, from.address);
  resolve(warp, to, true);
  // Lanes that take fewer bytes are not to read beyond them, and nothing at all where they take
  // none.
  uint32_t taken[warpLanes], reading = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t l = uint32_t(std::countr_zero(left));
    taken[l] = use.hasSourceBytes ? warp.lanes<uint32_t>(use.sourceBytes)[l] : use.bytes;
    if (use.hasIgnore && (warp.predicate(use.ignore) >> l & 1))
      taken[l] = 0;
    if (taken[l] > use.bytes)
      warp.fail(FaultKind::OutOfBounds, l,
                "copies " + std::to_string(taken[l]) + " of " + std::to_string(use.bytes) +
                    " bytes");
    reading |= uint32_t(taken[l] > 0) << l;
  }
  countTraffic(warp, to, true);
  for (uint32_t left = reading; left;) {
    // Lanes with as many bytes together.
    uint32_t first = uint32_t(std::countr_zero(left)), same = 0;
    for (uint32_t l = first; l < warpLanes; ++l)
      same |= uint32_t((left >> l & 1) && taken[l] == taken[first]) << l;
    left &= ~same;
    from.mask = same;
    from.bytes = taken[first];
    resolve(warp, from, false);
    countTraffic(warp, from, false);
    checkLoad(warp, from, false);
  }
  checkStore(warp, to, false, nullptr);
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t l = uint32_t(std::countr_zero(left));
    Allocation *source = taken[l] ? warp.grid->memory.find(from.address[l]) : nullptr;
    warp.uncommitted.push_back({to.address[l], uint8_t(l), uint8_t(use.bytes), uint8_t(taken[l]),
                                i.line, source, source ? from.address[l] - source->address : 0});
    warp.block->sharedPending.add(to.address[l], use.bytes);
    warp.block->pendingBytes += use.bytes;
  }
}

void commitGroup(Warp &warp, const Instruction &, uint32_t mask) {
  warp.groups.push_back({mask, std::move(warp.uncommitted)});
  warp.uncommitted.clear();
}

namespace {

void land(Warp &warp, const PendingCopy &copy) {
  Block &block = *warp.block;
  std::byte *to = block.shared.data() + copy.to;
  std::memset(to, 0, copy.bytes);
  if (copy.sourceBytes)
    std::memcpy(to, copy.from->data.get() + copy.fromOffset, copy.sourceBytes);
  block.sharedPending.removeRange(copy.to, copy.bytes);
  block.pendingBytes -= copy.bytes;
  if (!warp.grid->checks())
    return;
  // It is written now: who reads it needs what orders it after this wait.
  block.sharedInitialised.add(copy.to, copy.bytes);
  uint32_t shift = warp.code().sharedShift;
  for (uint64_t granule = copy.to >> shift; granule << shift < copy.to + copy.bytes; ++granule)
    noteWrite(block.sharedGranules[granule], warp.clock, copy.lane, false);
}

// The copies of these lanes.
void landLanes(Warp &warp, std::vector<PendingCopy> &copies, uint32_t lanes) {
  std::vector<PendingCopy> kept;
  for (const PendingCopy &copy : copies)
    if (lanes >> copy.lane & 1)
      land(warp, copy);
    else
      kept.push_back(copy);
  copies = std::move(kept);
}

} // namespace

// All groups of a lane but its last `e` have landed.
void waitGroups(Warp &warp, const Instruction &i, uint32_t mask) {
  bool everything = i.e == ~uintptr_t(0);
  uint32_t passed[warpLanes] = {};
  for (auto group = warp.groups.rbegin(); group != warp.groups.rend(); ++group) {
    uint32_t landing = 0;
    for (uint32_t left = group->lanes & mask; left; left &= left - 1) {
      uint32_t l = uint32_t(std::countr_zero(left));
      landing |= uint32_t(everything || passed[l] >= i.e) << l;
      ++passed[l];
    }
    landLanes(warp, group->copies, landing);
    group->lanes &= ~landing;
  }
  while (!warp.groups.empty() && warp.groups.front().lanes == 0)
    warp.groups.pop_front();
  if (everything)
    landLanes(warp, warp.uncommitted, mask);
}

} // namespace keratin::ptx
