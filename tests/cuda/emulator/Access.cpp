#include "tests/cuda/emulator/Access.h"

#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace keratin::ptx {

namespace {

template <class Function> void forLanes(uint32_t mask, Function function) {
  for (; mask; mask &= mask - 1)
    function(uint32_t(std::countr_zero(mask)));
}

std::string plural(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

const char *nameOf(Space space) {
  switch (space) {
  case Space::Shared:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Parameter:
    return "parameter";
  default:
    return "global";
  }
}

std::string describe(const Touch &touch, bool isStore, uint32_t lane) {
  return std::string(isStore ? "writes " : "reads ") + plural(touch.bytes) + " of " +
         nameOf(touch.space) + " memory at " + hex(touch.address[lane]);
}

[[noreturn]] void failOutside(Warp &warp, const Touch &touch, bool isStore, uint32_t lane) {
  uint64_t address = touch.address[lane];
  std::string where = ", where nothing is allocated";
  if (touch.space == Space::Global) {
    // The last allocation that begins at or before the address says most.
    Memory::Range near{0, 0};
    for (const Memory::Range &range : warp.grid->memory.ranges())
      if (range.address <= address)
        near = range;
    if (near.address)
      where = ", " + std::to_string(address - near.address) + " bytes into the allocation of " +
              plural(near.bytes) + " at " + hex(near.address) +
              (address - near.address < near.bytes ? ", which ends before" : "");
    if (near.address && address - near.address > near.bytes + 65536)
      where = ", where nothing is allocated";
  } else {
    uint64_t size = touch.space == Space::Shared  ? warp.grid->sharedBytes()
                    : touch.space == Space::Local ? warp.code().localBytes
                                                  : warp.grid->parameters.size();
    where = ", of " + plural(size);
  }
  warp.fail(FaultKind::OutOfBounds, lane, describe(touch, isStore, lane) + where, address);
}

void resolveGlobal(Warp &warp, Touch &touch, bool isStore, const AddressScan &scan) {
  Allocation *&last = warp.lastAllocation;
  uint64_t span = scan.greatest - scan.least + touch.bytes;
  if (!last || !last->holds(scan.least, span)) {
    if (Allocation *found = warp.grid->memory.find(scan.least))
      last = found;
  }
  if (last && last->holds(scan.least, span)) {
    touch.origin = last->data.get();
    touch.originAddress = last->address;
    touch.allocation = last;
    for (uint32_t l = 0; l < warpLanes; ++l)
      touch.data[l] = last->data.get() + (touch.address[l] - last->address);
    return;
  }
  forLanes(touch.mask, [&](uint32_t l) {
    Allocation *found = warp.grid->memory.find(touch.address[l]);
    if (!found || !found->holds(touch.address[l], touch.bytes))
      failOutside(warp, touch, isStore, l);
    touch.data[l] = found->data.get() + (touch.address[l] - found->address);
    last = found;
  });
}

void resolveWithin(Warp &warp, Touch &touch, bool isStore, const AddressScan &scan, std::byte *data,
                   uint64_t size, uint64_t stride) {
  if (scan.greatest > size || touch.bytes > size - scan.greatest)
    forLanes(touch.mask, [&](uint32_t l) {
      if (touch.address[l] > size || touch.bytes > size - touch.address[l])
        failOutside(warp, touch, isStore, l);
    });
  touch.origin = stride == 0 ? data : nullptr;
  touch.originAddress = 0;
  for (uint32_t l = 0; l < warpLanes; ++l)
    touch.data[l] = data + l * stride + touch.address[l];
}

// The allocation of a lane: nearly always the one that was found last.
Allocation *allocationOf(Warp &warp, const Touch &touch, uint32_t lane) {
  if (touch.allocation)
    return touch.allocation;
  Allocation *last = warp.lastAllocation;
  return last && last->holds(touch.address[lane], touch.bytes)
             ? last
             : warp.grid->memory.find(touch.address[lane]);
}

uint64_t syncKey(const Warp &warp, const Touch &touch, uint32_t lane) {
  if (touch.space == Space::Global)
    return touch.address[lane];
  return uint64_t(1) << 63 | warp.block->number << 20 | touch.address[lane];
}

[[noreturn]] void failRace(Warp &warp, const Touch &touch, bool isStore, uint32_t lane,
                           const Conflict &conflict) {
  uint64_t linear = uint64_t(conflict.other.warp()) * warpLanes + conflict.other.lane();
  Dim3 size = warp.grid->blockSize;
  Dim3 thread{uint32_t(linear % size.x), uint32_t(linear / size.x % size.y),
              uint32_t(linear / size.x / size.y)};
  std::string who = "thread " + spell(thread);
  if (conflict.other.block() != (warp.block->number & 0xffffff))
    who += " of block " + std::to_string(conflict.other.block());
  warp.fail(FaultKind::Race, lane,
            describe(touch, isStore, lane) + ", which " + who +
                (conflict.otherWrote ? " writes" : " reads") +
                " with nothing between them that orders the two",
            touch.address[lane]);
}

[[noreturn]] void failUninitialised(Warp &warp, const Touch &touch, uint32_t lane) {
  warp.fail(FaultKind::Uninitialised, lane,
            describe(touch, false, lane) + ", which nothing has written", touch.address[lane]);
}

// Lanes that stand for all: of full warps those whose neighbour below does not touch the same.
uint32_t leading(const Touch &touch) { return touch.full() ? touch.leaders : ~0u; }

void checkPending(Warp &warp, const Touch &touch, bool isStore) {
  if (warp.block->pendingBytes == 0)
    return;
  forLanes(touch.mask & leading(touch), [&](uint32_t l) {
    if (!warp.block->sharedPending.holdsAny(touch.address[l], touch.bytes))
      return;
    for (uint32_t byte = 0; byte < touch.bytes; ++byte)
      if (warp.block->sharedPending.holds(touch.address[l] + byte, 1))
        warp.fail(FaultKind::AsyncCopy, l,
                  describe(touch, isStore, l) +
                      ", where a cp.async has not landed: no wait has been made for it",
                  touch.address[l]);
  });
}

// Notes an access in every granule of every lane. `onConflict(lane, conflict)` may let it pass.
template <class Note, class OnConflict>
void noteShared(Warp &warp, const Touch &touch, uint32_t lanes, Note note, OnConflict onConflict) {
  uint32_t shift = warp.code().sharedShift, granules = (touch.bytes + (1u << shift) - 1) >> shift;
  Granule *all = warp.block->sharedGranules.data();
  forLanes(lanes, [&](uint32_t l) {
    Granule *first = all + (touch.address[l] >> shift);
    for (uint32_t g = 0; g < granules; ++g)
      if (Conflict conflict = note(first[g], l))
        onConflict(l, conflict);
  });
}

template <class Note, class OnConflict>
void noteGlobal(Warp &warp, const Touch &touch, uint32_t lanes, Note note, OnConflict onConflict) {
  uint32_t shift = warp.code().globalShift, granules = (touch.bytes + (1u << shift) - 1) >> shift;
  uint32_t launch = warp.grid->launch;
  Allocation *allocation = nullptr;
  uint64_t pageNumber = ~uint64_t(0);
  GlobalGranule *page = nullptr;
  forLanes(lanes, [&](uint32_t l) {
    if (!allocation || !allocation->holds(touch.address[l], touch.bytes)) {
      allocation = allocationOf(warp, touch, l);
      pageNumber = ~uint64_t(0);
    }
    uint64_t offset = touch.address[l] - allocation->address;
    if (offset / GlobalRecords::pageBytes != pageNumber) {
      pageNumber = offset / GlobalRecords::pageBytes;
      page = allocation->races.page(offset, launch, shift);
    }
    GlobalGranule *first = page + (offset % GlobalRecords::pageBytes >> shift);
    for (uint32_t g = 0; g < granules; ++g)
      if (Conflict conflict = note(first[g], l))
        onConflict(l, conflict);
  });
}

void checkInitialised(Warp &warp, const Touch &touch) {
  if (touch.space == Space::Shared) {
    const ByteSet &known = warp.block->sharedInitialised;
    if (touch.contiguous && known.holdsRange(touch.address[0], uint64_t(touch.bytes) * warpLanes))
      return;
    forLanes(touch.mask & leading(touch), [&](uint32_t l) {
      if (!known.holds(touch.address[l], touch.bytes))
        failUninitialised(warp, touch, l);
    });
  } else if (touch.space == Space::Local) {
    forLanes(touch.mask, [&](uint32_t l) {
      if (!warp.localInitialised.holds(uint64_t(l) * warp.code().localBytes + touch.address[l],
                                       touch.bytes))
        failUninitialised(warp, touch, l);
    });
  } else if (touch.space == Space::Global) {
    Allocation *allocation = warp.lastAllocation;
    if (touch.contiguous &&
        allocation->holds(touch.address[0], uint64_t(touch.bytes) * warpLanes) &&
        allocation->initialised.holdsRange(touch.address[0] - allocation->address,
                                           uint64_t(touch.bytes) * warpLanes))
      return;
    forLanes(touch.mask & leading(touch), [&](uint32_t l) {
      allocation = allocationOf(warp, touch, l);
      if (!allocation->initialised.holds(touch.address[l] - allocation->address, touch.bytes))
        failUninitialised(warp, touch, l);
    });
  }
}

void setInitialised(Warp &warp, const Touch &touch) {
  if (touch.space == Space::Shared) {
    ByteSet &known = warp.block->sharedInitialised;
    if (touch.contiguous)
      return known.addRange(touch.address[0], uint64_t(touch.bytes) * warpLanes);
    forLanes(touch.mask, [&](uint32_t l) { known.add(touch.address[l], touch.bytes); });
  } else if (touch.space == Space::Local) {
    forLanes(touch.mask, [&](uint32_t l) {
      warp.localInitialised.add(uint64_t(l) * warp.code().localBytes + touch.address[l],
                                touch.bytes);
    });
  } else if (touch.space == Space::Global) {
    forLanes(touch.mask, [&](uint32_t l) {
      Allocation *allocation = allocationOf(warp, touch, l);
      allocation->initialised.add(touch.address[l] - allocation->address, touch.bytes);
    });
  }
}

} // namespace

void findAddresses(Warp &warp, const MemoryAccess &access, uint32_t mask, uint64_t *address) {
  if (access.baseBytes == 8) {
    const uint64_t *base = warp.lanes<uint64_t>(access.base);
    for (uint32_t l = 0; l < warpLanes; ++l)
      address[l] = base[l] + uint64_t(access.offset);
  } else {
    const uint32_t *base = warp.lanes<uint32_t>(access.base);
    for (uint32_t l = 0; l < warpLanes; ++l)
      address[l] = uint32_t(base[l] + uint32_t(access.offset));
  }
}

void resolve(Warp &warp, Touch &touch, bool isStore) {
  if (!touch.full()) {
    uint64_t first = touch.address[std::countr_zero(touch.mask)];
    for (uint32_t l = 0; l < warpLanes; ++l)
      touch.address[l] = (touch.mask >> l & 1) ? touch.address[l] : first;
  }
  AddressScan scan;
  addressLanes().scan(touch.address, touch.bytes, scan);
  touch.leaders = scan.leaders;
  touch.contiguous = scan.contiguous && touch.full();
  touch.allocation = nullptr;
  touch.origin = nullptr;
  uint32_t alignment = touch.alignment ? touch.alignment : touch.bytes;
  if (scan.combined & (alignment - 1))
    forLanes(touch.mask, [&](uint32_t l) {
      if (touch.address[l] & (alignment - 1))
        warp.fail(FaultKind::Misaligned, l,
                  describe(touch, isStore, l) + ": a multiple of " + plural(alignment) +
                      " is needed",
                  touch.address[l]);
    });
  switch (touch.space) {
  case Space::Shared:
    return resolveWithin(warp, touch, isStore, scan, warp.block->shared.data(),
                         warp.grid->sharedBytes(), 0);
  case Space::Local:
    return resolveWithin(warp, touch, isStore, scan, warp.local.data(), warp.code().localBytes,
                         warp.code().localBytes);
  case Space::Parameter:
    return resolveWithin(warp, touch, isStore, scan, warp.grid->parameters.data(),
                         warp.grid->parameters.size(), 0);
  default:
    return resolveGlobal(warp, touch, isStore, scan);
  }
}

void checkLoad(Warp &warp, const Touch &touch, bool strong) {
  if (!warp.grid->checks())
    return;
  // Of many readers of one place two say that it is more than one.
  uint32_t lanes = touch.mask;
  if (touch.full())
    lanes &= touch.leaders | touch.leaders << 1;
  auto note = [&](auto &granule, uint32_t lane) {
    return noteRead(granule, warp.clock, lane, strong);
  };
  auto onConflict = [&](uint32_t lane, const Conflict &conflict) {
    failRace(warp, touch, false, lane, conflict);
  };
  if (touch.space == Space::Shared) {
    checkPending(warp, touch, false);
    checkInitialised(warp, touch);
    noteShared(warp, touch, lanes, note, onConflict);
  } else {
    checkInitialised(warp, touch);
    if (touch.space == Space::Global)
      noteGlobal(warp, touch, lanes, note, onConflict);
  }
}

void checkStore(Warp &warp, const Touch &touch, bool strong, const std::byte (*values)[16]) {
  if (!warp.grid->checks())
    return;
  const WarpClock &clock = warp.clock;
  auto note = [&](auto &granule, uint32_t lane) {
    return noteUsualWrite(granule, clock, lane, strong) ? Conflict()
                                                        : noteWrite(granule, clock, lane, strong);
  };
  auto onConflict = [&](uint32_t lane, const Conflict &conflict) {
    // Lanes of this store are compared with each other too: nothing has been written yet.
    bool own = conflict.other.warpAndClock() == warp.clock.access(0, strong).warpAndClock();
    const void *there = touch.data[lane];
    if (own && values)
      forLanes(touch.mask & ((1u << lane) - 1), [&](uint32_t l) {
        if (touch.address[l] == touch.address[lane])
          there = values[l];
      });
    if (conflict.otherWrote && values && std::memcmp(there, values[lane], touch.bytes) == 0)
      return;
    failRace(warp, touch, true, lane, conflict);
  };
  if (touch.space == Space::Shared) {
    checkPending(warp, touch, true);
    noteShared(warp, touch, touch.mask, note, onConflict);
  } else if (touch.space == Space::Global) {
    noteGlobal(warp, touch, touch.mask, note, onConflict);
  }
  setInitialised(warp, touch);
}

void synchronise(Warp &warp, const Touch &touch, bool reads, bool writes, bool acquire,
                 bool release) {
  if (!warp.grid->checks() || touch.space == Space::Local || touch.space == Space::Parameter)
    return;
  bool publishes = writes && (release || warp.clock.fenced);
  forLanes(touch.mask, [&](uint32_t l) {
    SyncLog *log = warp.grid->log(syncKey(warp, touch, l), publishes);
    if (!log)
      return;
    if (reads)
      warp.clock.readSynchronised(*log, acquire);
    if (publishes)
      warp.clock.writeSynchronised(*log, release);
  });
}

namespace {

// Loads and stores between registers and the lanes' memory.
template <class T> void loadElements(Warp &warp, const MemoryAccess &access, const Touch &touch) {
  for (uint32_t element = 0; element < access.count; ++element) {
    T *to = warp.lanes<T>(access.registers[element]);
    if (touch.contiguous && access.count == 1)
      std::memcpy(to, touch.data[0], sizeof(T) * warpLanes);
    else if (sizeof(T) == 4 && touch.full() && touch.origin)
      addressLanes().gatherWords(reinterpret_cast<uint32_t *>(to),
                                 touch.origin + element * sizeof(T), touch.address,
                                 touch.originAddress);
    else
      forLanes(touch.mask, [&](uint32_t l) {
        std::memcpy(&to[l], touch.data[l] + element * sizeof(T), sizeof(T));
      });
  }
}

// Registers that are wider than what lies in memory.
void loadWidened(Warp &warp, const MemoryAccess &access, const Touch &touch) {
  uint32_t unused = 64 - access.bytes * 8;
  for (uint32_t element = 0; element < access.count; ++element)
    forLanes(touch.mask, [&](uint32_t l) {
      uint64_t value = 0;
      std::memcpy(&value, touch.data[l] + element * access.bytes, access.bytes);
      value <<= unused;
      value = access.signExtend ? uint64_t(int64_t(value) >> unused) : value >> unused;
      std::memcpy(warp.registers + access.registers[element] + l * access.registerBytes, &value,
                  access.registerBytes);
    });
}

void loadTouch(Warp &warp, const MemoryAccess &access, const Touch &touch) {
  if (access.bytes != access.registerBytes)
    return loadWidened(warp, access, touch);
  switch (access.bytes) {
  case 2:
    return loadElements<uint16_t>(warp, access, touch);
  case 4:
    return loadElements<uint32_t>(warp, access, touch);
  case 8:
    return loadElements<uint64_t>(warp, access, touch);
  default:
    return loadWidened(warp, access, touch);
  }
}

} // namespace

void loadMemory(Warp &warp, const Instruction &i, uint32_t mask) {
  const MemoryAccess &access = warp.code().accesses[i.detail];
  touchSpaces(warp, access, uint32_t(access.bytes) * access.count, mask, [&](const Touch &touch) {
    countTraffic(warp, touch, false);
    if (access.strong)
      synchronise(warp, touch, true, false, access.acquire, false);
    checkLoad(warp, touch, access.strong);
    loadTouch(warp, access, touch);
  });
}

void storeMemory(Warp &warp, const Instruction &i, uint32_t mask) {
  const MemoryAccess &access = warp.code().accesses[i.detail];
  alignas(16) std::byte values[warpLanes][16];
  for (uint32_t element = 0; element < access.count; ++element)
    forLanes(mask, [&](uint32_t l) {
      std::memcpy(values[l] + element * access.bytes,
                  warp.registers + access.registers[element] + l * access.registerBytes,
                  access.bytes);
    });
  touchSpaces(warp, access, uint32_t(access.bytes) * access.count, mask, [&](const Touch &touch) {
    countTraffic(warp, touch, true);
    checkStore(warp, touch, access.strong, values);
    if (access.strong)
      synchronise(warp, touch, false, true, false, access.release);
    if (touch.space == Space::Parameter)
      warp.fail(FaultKind::OutOfBounds, uint32_t(std::countr_zero(touch.mask)),
                "writes a parameter of the kernel");
    forLanes(touch.mask, [&](uint32_t l) { std::memcpy(touch.data[l], values[l], touch.bytes); });
  });
}

// A parameter of the kernel by name: the same for all.
void loadParameter(Warp &warp, const Instruction &i, uint32_t mask) {
  const MemoryAccess &access = warp.code().accesses[i.detail];
  const std::vector<std::byte> &parameters = warp.grid->parameters;
  if (uint64_t(access.offset) + access.bytes * access.count > parameters.size())
    warp.fail(FaultKind::OutOfBounds, uint32_t(std::countr_zero(mask)),
              "reads parameters at " + std::to_string(access.offset) + " of " +
                  plural(parameters.size()),
              uint64_t(access.offset));
  Touch touch;
  touch.mask = mask;
  touch.bytes = uint32_t(access.bytes) * access.count;
  for (std::byte *&data : touch.data)
    data = warp.grid->parameters.data() + access.offset;
  loadTouch(warp, access, touch);
}

} // namespace keratin::ptx
