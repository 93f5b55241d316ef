// What of an access may not be: bytes that nothing has written, races, copies that have not landed;
// and what synchronises.
#include "tests/cuda/emulator/Access.h"

#include <algorithm>
#include <cstring>

namespace keratin::ptx {

namespace {

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
  Dim3 thread = warp.grid->threadOf(conflict.other.warp(), conflict.other.lane());
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
  if (isStore && warp.block->productsInFlight)
    forLanes(touch.mask, [&](uint32_t l) {
      checkProductReads(warp, touch.address[l], touch.bytes, l, describe(touch, isStore, l));
    });
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

} // namespace keratin::ptx
