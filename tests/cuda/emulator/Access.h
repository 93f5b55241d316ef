// How lanes reach memory: addresses, where they lie, and the checks of each.
#pragma once

#include "tests/cuda/emulator/Machine.h"

namespace keratin::ptx {

// What one warp instruction touches in one space.
struct Touch {
  Space space = Space::Global;
  uint32_t mask = 0;      // lanes
  uint32_t bytes = 0;     // of a lane
  uint32_t alignment = 0; // that is needed; 0: as many bytes
  // Lanes that are off have the address of one that is on.
  uint64_t address[warpLanes];
  std::byte *data[warpLanes];
  // The lanes' bytes lie one after the other, from the first lane's on; all lanes take part.
  bool contiguous = false;
  // Lanes whose address is not that of the lane before.
  uint32_t leaders = 0;
  // Where all lanes' data lie in one piece of memory: that piece, and its address.
  const std::byte *origin = nullptr;
  uint64_t originAddress = 0;
  Allocation *allocation = nullptr; // the one that holds all, of global memory

  bool full() const { return mask == ~0u; }
};

// Addresses of the lanes; those of generic accesses with their window still in them.
void findAddresses(Warp &warp, const MemoryAccess &access, uint32_t mask, uint64_t *address);

// Calls `use(touch)` for each space that lanes reach, after a check of bounds and alignment.
template <class Use>
void touchSpaces(Warp &warp, const MemoryAccess &access, uint32_t bytes, uint32_t mask, Use use);

// Bounds and alignment; fills in the data pointers.
void resolve(Warp &warp, Touch &touch, bool isStore);

// For messages: what the lane reads or writes, and where.
std::string describe(const Touch &touch, bool isStore, uint32_t lane);

// Everything else that is checked (Checks.cpp), before a load and before a store. `values` of a
// store are what will be written, for writes of the same value to the same place, which are no
// race.
void checkLoad(Warp &warp, const Touch &touch, bool strong);
void checkStore(Warp &warp, const Touch &touch, bool strong, const std::byte (*values)[16]);
// Counts traffic.
void countTraffic(Warp &warp, const Touch &touch, bool isStore);
// Atomic and volatile accesses, for who sees what of whom.
void synchronise(Warp &warp, const Touch &touch, bool reads, bool writes, bool acquire,
                 bool release);

inline uint64_t windowOf(uint64_t address) {
  uint64_t window = address >> 40;
  return window >= 1 && window <= 3 ? window : 0;
}

template <class Use>
void touchSpaces(Warp &warp, const MemoryAccess &access, uint32_t bytes, uint32_t mask, Use use) {
  Touch touch;
  touch.bytes = bytes;
  findAddresses(warp, access, mask, touch.address);
  if (access.space != Space::Generic) {
    touch.space = access.space;
    touch.mask = mask;
    resolve(warp, touch, access.isStore);
    return use(touch);
  }
  static constexpr Space spaces[] = {Space::Global, Space::Shared, Space::Local, Space::Parameter};
  for (uint64_t window = 0; window < 4; ++window) {
    touch.mask = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
      uint32_t l = uint32_t(__builtin_ctz(left));
      touch.mask |= uint32_t(windowOf(touch.address[l]) == window) << l;
    }
    if (touch.mask == 0)
      continue;
    uint64_t saved[warpLanes];
    std::copy(touch.address, touch.address + warpLanes, saved);
    for (uint64_t &address : touch.address)
      address -= window << 40;
    touch.space = spaces[window];
    resolve(warp, touch, access.isStore);
    use(touch);
    std::copy(saved, saved + warpLanes, touch.address);
  }
}

} // namespace keratin::ptx
