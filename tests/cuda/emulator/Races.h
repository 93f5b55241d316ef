// Who touched a piece of memory last, and whether that happened before what somebody does now.
//
// Each warp has a clock that ticks when its lanes meet, at barriers and at fences. An access is
// recorded with the clock of its warp; it happened before another warp's access if that warp has
// seen that clock: through a barrier of the block, or through an atomic or volatile access behind a
// fence (release) that the other read before a fence (acquire).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace keratin::ptx {

constexpr uint32_t warpLanes = 32, maxWarps = 32;

// A thread and the clock of its warp, in 64 bits; 0 is nobody.
struct Access {
  uint64_t bits = 0;
  static constexpr uint32_t maxClock = (1u << 28) - 1;
  static constexpr uint64_t strongBit = uint64_t(1) << 28;
  static Access of(uint32_t block, uint32_t warp, uint32_t lane, uint32_t clock, bool strong) {
    return {uint64_t(block & 0xffffff) << 40 | uint64_t(warp) << 35 | uint64_t(lane) << 30 |
            uint64_t(strong) << 28 | clock};
  }
  explicit operator bool() const { return bits != 0; }
  uint32_t block() const { return uint32_t(bits >> 40); }
  uint32_t warp() const { return bits >> 35 & 31; }
  uint32_t lane() const { return bits >> 30 & 31; }
  bool strong() const { return bits >> 28 & 1; } // atomic or volatile
  uint32_t clock() const { return bits & maxClock; }
  // The lane aside.
  uint64_t warpAndClock() const { return bits & ~(uint64_t(31) << 30); }
};

// What has been published through one address that threads synchronise by.
class SyncLog {
public:
  struct Seen {
    const SyncLog *log;
    uint32_t length;
  };
  void publish(uint32_t block, uint32_t warp, uint32_t clock);
  void publish(Seen other);
  uint32_t length() const { return entries; }
  // Whether the first `length` entries say that the warp had come to the clock.
  bool holds(uint32_t length, Access access) const;

private:
  // From the entry of this position on, a warp had come to this clock, or another log was so long.
  // Both grow only.
  struct Entry {
    uint32_t position, reached;
  };
  using Entries = std::vector<Entry>;
  void note(Entries &known, uint32_t reached);
  static uint32_t reachedBefore(const Entries &known, uint32_t length);
  uint32_t entries = 0;
  std::unordered_map<uint64_t, Entries> byWarp;
  std::unordered_map<const SyncLog *, Entries> byLog;
};

// What a warp knows of the others.
struct WarpClock {
  uint32_t block = 0, warp = 0, warps = 1;
  uint32_t clock = 1;
  // Accesses of the block's warp u up to seen[u] happened before; seenOfAll is the least of them.
  std::array<uint32_t, maxWarps> seen{};
  uint32_t seenOfAll = 0;
  std::vector<SyncLog::Seen> acquired, read; // what was read counts from the next fence on
  // What a relaxed write publishes: all that had happened before the last fence.
  bool fenced = false;
  uint32_t fencedClock = 0;
  std::array<uint32_t, maxWarps> fencedSeen{};
  std::vector<SyncLog::Seen> fencedAcquired;
  // The same of accesses that the asynchronous proxy sees, behind a fence.proxy.async.
  std::array<uint32_t, maxWarps> seenByProxy{};

  Access access(uint32_t lane, bool strong) const {
    return Access::of(block, warp, lane, clock, strong);
  }
  bool happenedBefore(Access other, uint32_t lane) const {
    if (other.block() == block &&
        (seen[other.warp()] >= other.clock() || (other.warp() == warp && other.lane() == lane)))
      return true;
    return !acquired.empty() && wasAcquired(other);
  }
  bool wasAcquired(Access other) const;

  void start(uint32_t block, uint32_t warp, uint32_t warps);
  void meetLanes(); // bar.warp.sync
  void fence();
  // By all lanes of the warp, or by some: then what the warp itself did since its lanes met is not
  // meant.
  void fenceProxy(bool byAll);
  bool isSeenByProxy(Access other) const {
    return other.block() == block && seenByProxy[other.warp()] >= other.clock();
  }
  void readSynchronised(const SyncLog &log, bool acquire);
  void writeSynchronised(SyncLog &log, bool release);
  // A barrier of these warps; others only arrived, with these clocks.
  static void meet(const std::vector<WarpClock *> &participants,
                   const std::vector<WarpClock> &arrived);
  // What others may know of it when it arrives and goes on.
  WarpClock leaveBehind();

private:
  void findSeenOfAll();
  // Of some warps of other blocks the latest access that was found to be acquired, without its
  // lane: what is acquired grows only, and so does a warp's clock.
  mutable std::array<uint64_t, 64> found{};
};

// One granule of shared memory. Readers since the last ordered ones: which warps, the latest clock,
// one lane of them.
struct Granule {
  Access write;
  uint32_t readers = 0; // a bit a warp
  uint32_t readClock : 26 = 0, readLane : 5 = 0, manyLanes : 1 = 0;
};

// Of global memory: readers of one block as above, and one reader of another block.
struct GlobalGranule : Granule {
  uint32_t readBlock = 0;
  Access otherRead;
};

// The access that another one is not ordered with.
struct Conflict {
  Access other;
  bool otherWrote = false;
  explicit operator bool() const { return bool(other); }
};
Conflict noteWrite(Granule &granule, const WarpClock &clock, uint32_t lane, bool strong);
Conflict noteWrite(GlobalGranule &granule, const WarpClock &clock, uint32_t lane, bool strong);
Conflict noteRead(Granule &granule, const WarpClock &clock, uint32_t lane, bool strong);
Conflict noteRead(GlobalGranule &granule, const WarpClock &clock, uint32_t lane, bool strong);

// A reader of the block that the granule's readers belong to; those that happened before are
// forgotten.
inline void addReader(Granule &granule, const WarpClock &clock, uint32_t lane) {
  uint32_t self = 1u << clock.warp;
  bool forgotten = granule.readers == 0 || granule.readClock <= clock.seenOfAll ||
                   (granule.readers == self && granule.readClock <= clock.seen[clock.warp]);
  uint32_t others = forgotten ? 0 : granule.readers;
  granule.manyLanes =
      !forgotten && (granule.manyLanes || granule.readLane != lane || others != self);
  granule.readClock =
      forgotten || granule.readClock < clock.clock ? clock.clock : granule.readClock;
  granule.readers = others | self;
  granule.readLane = lane;
}

// The usual cases, which are no conflict: nobody wrote, or before the last barrier of all; readers
// of this block alone.
inline bool noteUsualRead(Granule &granule, const WarpClock &clock, uint32_t lane) {
  if (granule.write &&
      (granule.write.block() != clock.block || granule.write.clock() > clock.seenOfAll))
    return false;
  addReader(granule, clock, lane);
  return true;
}
inline bool noteUsualRead(GlobalGranule &granule, const WarpClock &clock, uint32_t lane) {
  if (granule.write &&
      (granule.write.block() != clock.block || granule.write.clock() > clock.seenOfAll))
    return false;
  if (granule.readers && granule.readBlock != clock.block) {
    granule.otherRead = Access::of(granule.readBlock, uint32_t(__builtin_ctz(granule.readers)),
                                   granule.readLane, granule.readClock, false);
    granule.readers = 0;
    granule.readClock = 0;
  }
  addReader(granule, clock, lane);
  granule.readBlock = clock.block;
  return true;
}
inline bool noteUsualWrite(Granule &granule, const WarpClock &clock, uint32_t lane, bool strong) {
  if (granule.write &&
      (granule.write.block() != clock.block || granule.write.clock() > clock.seenOfAll))
    return false;
  if (granule.readers && granule.readClock > clock.seenOfAll)
    return false;
  granule.write = clock.access(lane, strong);
  granule.readers = 0;
  return true;
}
inline bool noteUsualWrite(GlobalGranule &granule, const WarpClock &clock, uint32_t lane,
                           bool strong) {
  if (granule.otherRead || (granule.readers && granule.readBlock != clock.block))
    return false;
  return noteUsualWrite(static_cast<Granule &>(granule), clock, lane, strong);
}

// Granules of one allocation, made for the pages that a launch touches and forgotten with it.
class GlobalRecords {
public:
  static constexpr uint64_t pageBytes = 4096;
  explicit GlobalRecords(uint64_t bytes) : pages(bytes / pageBytes + 1) {}
  // Those of the page with the offset; `shift` is the logarithm of the launch's granule.
  GlobalGranule *page(uint64_t offset, uint32_t launch, uint32_t shift) {
    Page &page = pages[offset / pageBytes];
    if (page.launch != launch)
      renew(page, launch, shift);
    return page.granules.data();
  }

private:
  struct Page {
    uint32_t launch = 0;
    std::vector<GlobalGranule> granules;
  };
  static void renew(Page &page, uint32_t launch, uint32_t shift);
  std::vector<Page> pages;
};

} // namespace keratin::ptx
