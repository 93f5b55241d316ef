#include "tests/cuda/emulator/Races.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace keratin::ptx {

void SyncLog::note(Entries &known, uint32_t reached) {
  if (known.empty() || known.back().reached < reached)
    known.push_back({entries++, reached});
}

// 0: nothing yet.
uint32_t SyncLog::reachedBefore(const Entries &known, uint32_t length) {
  auto behind = std::partition_point(known.begin(), known.end(),
                                     [&](const Entry &entry) { return entry.position < length; });
  return behind == known.begin() ? 0 : std::prev(behind)->reached;
}

void SyncLog::publish(uint32_t block, uint32_t warp, uint32_t clock) {
  note(byWarp[uint64_t(block) << 5 | warp], clock);
}

void SyncLog::publish(Seen other) {
  if (other.log != this)
    note(byLog[other.log], other.length);
}

// Logs that know of each other may lead to one again, when more had been published in it.
bool SyncLog::holds(uint32_t length, Access access) const {
  std::unordered_map<const SyncLog *, uint32_t> visited;
  std::vector<Seen> open{{this, length}};
  while (!open.empty()) {
    Seen next = open.back();
    open.pop_back();
    uint32_t &searched = visited[next.log];
    if (searched >= next.length)
      continue;
    searched = next.length;
    auto known = next.log->byWarp.find(uint64_t(access.block()) << 5 | access.warp());
    if (known != next.log->byWarp.end() &&
        reachedBefore(known->second, next.length) >= access.clock())
      return true;
    for (const auto &[other, lengths] : next.log->byLog)
      if (uint32_t then = reachedBefore(lengths, next.length))
        open.push_back({other, then});
  }
  return false;
}

bool WarpClock::wasAcquired(Access other) const {
  const uint64_t wanted = other.warpAndClock() & ~Access::strongBit;
  uint64_t &latest = found[(other.block() * 5 + other.warp()) % found.size()];
  if ((latest ^ wanted) <= Access::maxClock && latest >= wanted)
    return true;
  const bool isHeld = std::any_of(acquired.begin(), acquired.end(), [&](const SyncLog::Seen &seen) {
    return seen.log->holds(seen.length, other);
  });
  if (isHeld)
    latest = wanted;
  return isHeld;
}

void WarpClock::start(uint32_t ofBlock, uint32_t number, uint32_t ofWarps) {
  *this = WarpClock();
  block = ofBlock & 0xffffff;
  warp = number;
  warps = ofWarps;
}

void WarpClock::findSeenOfAll() {
  seenOfAll = *std::min_element(seen.begin(), seen.begin() + warps);
}

void WarpClock::meetLanes() {
  seen[warp] = clock++;
  findSeenOfAll();
}

namespace {
void join(std::vector<SyncLog::Seen> &into, const std::vector<SyncLog::Seen> &from) {
  for (const SyncLog::Seen &seen : from) {
    auto same = std::find_if(into.begin(), into.end(),
                             [&](const SyncLog::Seen &s) { return s.log == seen.log; });
    if (same == into.end())
      into.push_back(seen);
    else
      same->length = std::max(same->length, seen.length);
  }
}
} // namespace

void WarpClock::fence() {
  join(acquired, read);
  read.clear();
  fenced = true;
  fencedClock = clock++;
  fencedSeen = seen;
  fencedAcquired = acquired;
}

void WarpClock::fenceProxy(bool byAll) {
  for (uint32_t u = 0; u < warps; ++u)
    seenByProxy[u] = std::max(seenByProxy[u], seen[u]);
  if (byAll)
    seenByProxy[warp] = clock++;
}

void WarpClock::readSynchronised(const SyncLog &log, bool acquire) {
  if (log.length())
    join(acquire ? acquired : read, {{&log, log.length()}});
}

void WarpClock::writeSynchronised(SyncLog &log, bool release) {
  if (release)
    fence();
  if (!fenced)
    return;
  for (uint32_t u = 0; u < warps; ++u)
    if (fencedSeen[u])
      log.publish(block, u, fencedSeen[u]);
  log.publish(block, warp, fencedClock);
  for (const SyncLog::Seen &seenThere : fencedAcquired)
    log.publish(seenThere);
}

WarpClock WarpClock::leaveBehind() {
  WarpClock left = *this;
  ++clock;
  return left;
}

void WarpClock::meet(const std::vector<WarpClock *> &participants,
                     const std::vector<WarpClock> &arrived) {
  WarpClock all = *participants.front();
  uint32_t latest = 0;
  auto learn = [&](const WarpClock &from) {
    latest = std::max(latest, from.clock);
    for (uint32_t u = 0; u < all.warps; ++u) {
      all.seen[u] = std::max(all.seen[u], from.seen[u]);
      all.seenByProxy[u] = std::max(all.seenByProxy[u], from.seenByProxy[u]);
    }
    join(all.acquired, from.acquired);
  };
  for (const WarpClock *participant : participants)
    learn(*participant);
  for (const WarpClock &other : arrived) {
    learn(other);
    all.seen[other.warp] = std::max(all.seen[other.warp], other.clock);
  }
  for (const WarpClock *participant : participants)
    all.seen[participant->warp] = latest;
  all.findSeenOfAll();
  for (WarpClock *participant : participants) {
    participant->clock = latest + 1;
    participant->seen = all.seen;
    participant->seenOfAll = all.seenOfAll;
    participant->seenByProxy = all.seenByProxy;
    participant->acquired = all.acquired;
  }
}

namespace {
// The block's recorded readers that the thread is not ordered after, or nobody.
Access unorderedReader(const Granule &granule, uint32_t block, const WarpClock &clock,
                       uint32_t lane) {
  if (!granule.readers || (block == clock.block && clock.seenOfAll >= granule.readClock))
    return {};
  for (uint32_t left = granule.readers; left; left &= left - 1) {
    uint32_t warp = uint32_t(__builtin_ctz(left));
    bool own = block == clock.block && warp == clock.warp;
    if (own && !granule.manyLanes && granule.readLane == lane)
      continue;
    // A lane that is not the asking one stands for those of its warp.
    Access reader =
        Access::of(block, warp, own && granule.readLane == lane ? lane ^ 1 : granule.readLane,
                   granule.readClock, false);
    if (!clock.happenedBefore(reader, lane))
      return reader;
  }
  return {};
}

Conflict unorderedWriter(const Granule &granule, const WarpClock &clock, uint32_t lane,
                         bool strong) {
  Access write = granule.write;
  if (!write || (strong && write.strong()) || clock.happenedBefore(write, lane))
    return {};
  return {write, true};
}
} // namespace

Conflict noteRead(Granule &granule, const WarpClock &clock, uint32_t lane, bool strong) {
  Conflict conflict = unorderedWriter(granule, clock, lane, strong);
  if (!strong) // of strong accesses only the writes are kept
    addReader(granule, clock, lane);
  return conflict;
}

Conflict noteWrite(Granule &granule, const WarpClock &clock, uint32_t lane, bool strong) {
  Conflict conflict = unorderedWriter(granule, clock, lane, strong);
  if (!conflict)
    conflict = {unorderedReader(granule, clock.block, clock, lane)};
  granule.write = clock.access(lane, strong);
  granule.readers = 0;
  return conflict;
}

Conflict noteRead(GlobalGranule &granule, const WarpClock &clock, uint32_t lane, bool strong) {
  Conflict conflict = unorderedWriter(granule, clock, lane, strong);
  if (strong)
    return conflict;
  if (granule.readers && granule.readBlock != clock.block) {
    uint32_t warp = uint32_t(__builtin_ctz(granule.readers));
    granule.otherRead =
        Access::of(granule.readBlock, warp, granule.readLane, granule.readClock, false);
    granule.readers = 0;
    granule.readClock = 0;
  }
  addReader(granule, clock, lane);
  granule.readBlock = clock.block;
  return conflict;
}

Conflict noteWrite(GlobalGranule &granule, const WarpClock &clock, uint32_t lane, bool strong) {
  Conflict conflict = unorderedWriter(granule, clock, lane, strong);
  if (!conflict)
    conflict = {unorderedReader(granule, granule.readBlock, clock, lane)};
  if (!conflict && granule.otherRead && !clock.happenedBefore(granule.otherRead, lane))
    conflict = {granule.otherRead};
  granule.write = clock.access(lane, strong);
  granule.readers = 0;
  granule.otherRead = {};
  return conflict;
}

void GlobalRecords::renew(Page &page, uint32_t launch, uint32_t shift) {
  page.launch = launch;
  // All zeros is nobody.
  page.granules.resize(pageBytes >> shift);
  std::memset(static_cast<void *>(page.granules.data()), 0,
              page.granules.size() * sizeof(GlobalGranule));
}

} // namespace keratin::ptx
