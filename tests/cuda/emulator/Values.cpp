// Handlers of comparisons, conversions and moves that lane functions do not cover.
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Machine.h"

#include <cstring>

namespace keratin::ptx {

uint64_t Warp::value(uint32_t offset, uint32_t bytes, uint32_t lane) {
  uint64_t value = 0;
  std::memcpy(&value, registers + offset + lane * bytes, bytes);
  return value;
}

namespace {
void setPredicate(uint32_t &to, uint32_t value, uint32_t mask) {
  to = (to & ~mask) | (value & mask);
}
} // namespace

void runQuaternary(Warp &warp, const Instruction &i, uint32_t mask) {
  i.lanes(warp.registers + i.d, warp.registers + i.a, warp.registers + i.b, warp.registers + i.c,
          reinterpret_cast<uintptr_t>(warp.registers + i.detail), mask);
}

// setp with a second predicate to combine with, or with the complement as a second result.
void compareAndCombine(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t compared = 0;
  i.lanes(&compared, warp.registers + i.a, warp.registers + i.b, nullptr, 0, ~0u);
  uint32_t other = warp.predicate(i.c) ^ ((i.e & flipA) ? ~0u : 0);
  auto combined = [&](uint32_t value) {
    switch (Logic(i.e & 255)) {
    case Logic::And:
      return value & other;
    case Logic::Or:
      return value | other;
    case Logic::Xor:
      return value ^ other;
    default:
      return value;
    }
  };
  setPredicate(warp.predicate(i.d), combined(compared), mask);
  setPredicate(warp.predicate(i.detail), combined(~compared), mask);
}

void compareToValue(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t compared = 0;
  i.lanes(&compared, warp.registers + i.a, warp.registers + i.b, nullptr, 0, ~0u);
  forLanes(mask, [&](uint32_t l) {
    warp.lanes<uint32_t>(i.d)[l] = (compared >> l & 1) ? uint32_t(i.e) : 0;
  });
}

void predicateLogic(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t a = warp.predicate(i.a) ^ ((i.e & flipA) ? ~0u : 0),
           b = warp.predicate(i.b) ^ ((i.e & flipB) ? ~0u : 0);
  uint32_t result = a;
  switch (Logic(i.e & 255)) {
  case Logic::And:
    result = a & b;
    break;
  case Logic::Or:
    result = a | b;
    break;
  case Logic::Xor:
    result = a ^ b;
    break;
  case Logic::Not:
    result = ~a;
    break;
  case Logic::Move:
    break;
  }
  setPredicate(warp.predicate(i.d), result, mask);
}

void convertLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  const CvtUse &use = warp.code().conversions[i.detail];
  bool extends = isSigned(use.conversion.to) && bytesOf(use.conversion.to) < use.resultBytes;
  uint32_t width = bytesOf(use.conversion.to) * 8;
  forLanes(mask, [&](uint32_t l) {
    uint64_t result = convert(use.conversion, warp.value(i.a, use.sourceBytes, l));
    if (use.pair)
      result = result << 16 | convert(use.conversion, warp.value(i.b, use.sourceBytes, l));
    if (extends)
      result = uint64_t(int64_t(result << (64 - width)) >> (64 - width));
    std::memcpy(warp.registers + i.d + l * use.resultBytes, &result, use.resultBytes);
  });
}

void packLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  const std::vector<uint32_t> &parts = warp.code().matrices[i.detail].a;
  uint32_t bytes = uint32_t(i.e), whole = bytes * uint32_t(parts.size());
  forLanes(mask, [&](uint32_t l) {
    std::byte packed[16];
    for (size_t p = 0; p < parts.size(); ++p)
      std::memcpy(packed + p * bytes, warp.registers + parts[p] + l * bytes, bytes);
    std::memcpy(warp.registers + i.d + l * whole, packed, whole);
  });
}

void unpackLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  const std::vector<uint32_t> &parts = warp.code().matrices[i.detail].a;
  uint32_t bytes = uint32_t(i.e), whole = bytes * uint32_t(parts.size());
  forLanes(mask, [&](uint32_t l) {
    std::byte packed[16];
    std::memcpy(packed, warp.registers + i.a + l * whole, whole);
    for (size_t p = 0; p < parts.size(); ++p)
      if (parts[p] != nowhere)
        std::memcpy(warp.registers + parts[p] + l * bytes, packed + p * bytes, bytes);
  });
}

// Time is what has been executed so far.
void readClock(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t now = warp.grid->options.maxInstructions - warp.grid->instructionsLeft;
  forLanes(mask, [&](uint32_t l) { std::memcpy(warp.registers + i.d + l * i.e, &now, i.e); });
}

void testSpace(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t result = 0;
  forLanes(mask, [&](uint32_t l) {
    uint64_t window = warp.lanes<uint64_t>(i.a)[l] >> 40;
    result |= uint32_t((window >= 1 && window <= 3 ? window : 0) == i.e) << l;
  });
  setPredicate(warp.predicate(i.d), result, mask);
}

void doNothing(Warp &, const Instruction &, uint32_t) {}

} // namespace keratin::ptx
