// What the lanes of a warp tell each other.
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Machine.h"

#include <algorithm>
#include <bit>

namespace keratin::ptx {

namespace {
// The members that every lane names must be the lanes that have not left, and all of them must be
// here.
uint32_t members(Warp &warp, uint32_t mask, uint32_t operand) {
  const uint32_t *named = warp.lanes<uint32_t>(operand);
  uint32_t first = uint32_t(std::countr_zero(mask)), all = named[first];
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(std::countr_zero(left));
    if (named[lane] != all)
      warp.fail(FaultKind::DivergentBarrier, lane,
                "names the members " + hex(named[lane]) + " where lane " + std::to_string(first) +
                    " names " + hex(all));
    if (!(all >> lane & 1))
      warp.fail(FaultKind::DivergentBarrier, lane,
                "is not among the members " + hex(all) + " that it names");
  }
  if (uint32_t missing = all & warp.live & ~mask)
    warp.fail(FaultKind::DivergentBarrier, first,
              "waits for the lanes " + hex(missing) +
                  " of its warp, which are elsewhere: members " + hex(all) + ", here " + hex(mask));
  return all;
}

// Lanes may exchange in parts, each of which names its own lanes, all of which must be here.
void eachPart(Warp &warp, uint32_t mask, uint32_t operand) {
  const uint32_t *named = warp.lanes<uint32_t>(operand);
  while (mask) {
    uint32_t first = uint32_t(std::countr_zero(mask)), part = 0;
    for (uint32_t left = mask; left; left &= left - 1)
      if (named[std::countr_zero(left)] == named[first])
        part |= left & -left;
    members(warp, part, operand);
    mask &= ~part;
  }
}

void setPredicate(uint32_t &to, uint32_t value, uint32_t mask) {
  to = (to & ~mask) | (value & mask);
}
void setAll(Warp &warp, uint32_t offset, uint32_t value, uint32_t mask) {
  for (; mask; mask &= mask - 1)
    warp.lanes<uint32_t>(offset)[std::countr_zero(mask)] = value;
}
} // namespace

void meetLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  members(warp, mask, i.a);
  warp.clock.meetLanes();
}

void shuffle(Warp &warp, const Instruction &i, uint32_t mask) {
  const Exchange &use = warp.code().exchanges[i.detail];
  eachPart(warp, mask, uint32_t(i.e));
  const uint32_t *b = warp.lanes<uint32_t>(i.b), *c = warp.lanes<uint32_t>(i.c);
  uint32_t a[warpLanes], inside = 0;
  std::copy_n(warp.lanes<uint32_t>(i.a), warpLanes, a);
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(std::countr_zero(left));
    uint32_t clamp = c[lane] & 31, segment = c[lane] >> 8 & 31, by = b[lane] & 31;
    uint32_t last = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from = 0;
    bool valid = false;
    switch (use.mode) {
    case Exchange::Up:
      from = int(lane) - int(by);
      valid = from >= int(last);
      break;
    case Exchange::Down:
      from = int(lane + by);
      valid = from <= int(last);
      break;
    case Exchange::Butterfly:
      from = int(lane ^ by);
      valid = from <= int(last);
      break;
    case Exchange::Index:
      from = int(least | (by & ~segment));
      valid = from <= int(last);
      break;
    }
    if (!valid)
      from = int(lane);
    if (warp.grid->checks() && !(mask >> from & 1))
      warp.fail(FaultKind::Uninitialised, lane,
                "takes a value from lane " + std::to_string(from) + ", which gives none");
    warp.lanes<uint32_t>(i.d)[lane] = a[from];
    inside |= uint32_t(valid) << lane;
  }
  setPredicate(warp.predicate(use.predicate), inside, mask);
}

void vote(Warp &warp, const Instruction &i, uint32_t mask) {
  members(warp, mask, i.b);
  uint32_t votes = (warp.predicate(i.a) ^ ((i.e & flipA) ? ~0u : 0)) & mask;
  switch (Vote(i.e & 255)) {
  case Vote::All:
    return setPredicate(warp.predicate(i.d), votes == mask ? ~0u : 0, mask);
  case Vote::Any:
    return setPredicate(warp.predicate(i.d), votes ? ~0u : 0, mask);
  case Vote::Uniform:
    return setPredicate(warp.predicate(i.d), votes == mask || votes == 0 ? ~0u : 0, mask);
  case Vote::Ballot:
    return setAll(warp, i.d, votes, mask);
  }
}

void matchLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  members(warp, mask, i.b);
  uint32_t bytes = uint32_t(i.e & 255), same[warpLanes] = {};
  for (uint32_t l = 0; l < warpLanes; ++l)
    for (uint32_t other = 0; other < warpLanes; ++other)
      same[l] |= uint32_t((mask >> other & 1) &&
                          warp.value(i.a, bytes, l) == warp.value(i.a, bytes, other))
                 << other;
  uint32_t first = uint32_t(std::countr_zero(mask));
  if (!(i.e & flipA)) {
    for (uint32_t left = mask; left; left &= left - 1)
      setAll(warp, i.d, same[std::countr_zero(left)], left & -left);
    return;
  }
  bool all = same[first] == mask;
  setAll(warp, i.d, all ? mask : 0, mask);
  setPredicate(warp.predicate(i.detail), all ? ~0u : 0, mask);
}

namespace {
uint32_t reduced(LaneReduction op, uint32_t a, uint32_t b) {
  switch (op) {
  case LaneReduction::Add:
    return a + b;
  case LaneReduction::Min:
    return std::min(a, b);
  case LaneReduction::Max:
    return std::max(a, b);
  case LaneReduction::And:
    return a & b;
  case LaneReduction::Or:
    return a | b;
  case LaneReduction::Xor:
    return a ^ b;
  case LaneReduction::MinSigned:
    return uint32_t(std::min(int32_t(a), int32_t(b)));
  case LaneReduction::MaxSigned:
    return uint32_t(std::max(int32_t(a), int32_t(b)));
  }
  return a;
}
} // namespace

void reduceLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  members(warp, mask, i.b);
  const uint32_t *a = warp.lanes<uint32_t>(i.a);
  uint32_t result = a[std::countr_zero(mask)];
  for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
    result = reduced(LaneReduction(i.e), result, a[std::countr_zero(left)]);
  setAll(warp, i.d, result, mask);
}

void activeLanes(Warp &warp, const Instruction &i, uint32_t mask) { setAll(warp, i.d, mask, mask); }

void electLane(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t all = members(warp, mask, i.b) & mask, leader = uint32_t(std::countr_zero(all));
  setAll(warp, i.d, leader, mask);
  setPredicate(warp.predicate(i.detail), 1u << leader, mask);
}

} // namespace keratin::ptx
