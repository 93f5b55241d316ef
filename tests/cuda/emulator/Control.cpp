// The course of a warp: divergence, reconvergence, calls.
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Machine.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace keratin::ptx {

namespace {

// Lanes that have written all bits of those of the quarters [first, last) that are not ignored.
uint32_t allOf(const Warp::Written &written, size_t first = 0, size_t last = 4,
               uint8_t ignored = 0) {
  uint32_t lanes = ~0u;
  for (size_t quarter = first; quarter < last; ++quarter)
    if (!(ignored >> quarter & 1))
      lanes &= written[quarter];
  return lanes;
}

void set(Warp::Written &written, size_t first, size_t last, uint32_t lanes, uint32_t mask) {
  for (size_t quarter = first; quarter < last; ++quarter)
    written[quarter] = (written[quarter] & ~mask) | (lanes & mask);
}

// Reads of registers that this lane has not written.
void traceReads(Warp &warp, const Code::Trace &trace, uint32_t mask) {
  for (uint32_t suspect : trace.reads) {
    uint32_t unwritten = mask & ~allOf(warp.written[suspect], 0, 4, trace.ignored);
    if (unwritten)
      warp.fail(FaultKind::Uninitialised, uint32_t(__builtin_ctz(unwritten)),
                "reads the register " + warp.code().suspects[suspect] +
                    ", which nothing has written");
  }
}

// What is unwritten stays so in its place.
void traceMove(Warp &warp, const Code::Trace &trace, bool packs, uint32_t mask) {
  const Warp::Written all{~0u, ~0u, ~0u, ~0u};
  if (trace.parts.empty()) {
    const Warp::Written from = trace.reads.empty() ? all : warp.written[trace.reads.back()];
    for (uint32_t suspect : trace.writes)
      for (size_t quarter = 0; quarter < 4; ++quarter)
        set(warp.written[suspect], quarter, quarter + 1, from[quarter], mask);
    return;
  }
  const size_t width = 4 / trace.parts.size();
  Warp::Written whole = packs || trace.reads.empty() ? all : warp.written[trace.reads.back()];
  for (size_t part = 0; part < trace.parts.size(); ++part) {
    const uint32_t suspect = trace.parts[part];
    if (suspect == noInstruction)
      continue;
    const size_t first = part * width, last = first + width;
    if (packs)
      set(whole, first, last, allOf(warp.written[suspect]), ~0u);
    else
      set(warp.written[suspect], 0, 4, allOf(whole, first, last), mask);
  }
  if (packs)
    for (uint32_t suspect : trace.writes)
      for (size_t quarter = 0; quarter < 4; ++quarter)
        set(warp.written[suspect], quarter, quarter + 1, whole[quarter], mask);
}

} // namespace

uint64_t Warp::execute(uint64_t budget) {
  const Instruction *instructions = code().instructions.data();
  PerInstruction *counts = grid->counts.data();
  const bool traces = grid->checks() && grid->options.checkRegisters && !code().suspects.empty();
  for (; budget; --budget) {
    while (pc == reconvergence) {
      active = 0;
      popEmpty();
    }
    const Instruction &i = instructions[pc];
    uint32_t mask = active & (predicate(i.guard) ^ i.guardFlip);
    PerInstruction &count = counts[pc];
    ++count.executions;
    count.lanes += uint32_t(__builtin_popcount(mask));
    ++pc;
    current = &i;
    if (mask == 0 && !i.always)
      continue;
    if (i.touchesProducts)
      touchProductRegisters(*this, code().productTouches[size_t(&i - instructions)], mask);
    const Code::Trace *trace =
        traces && i.traced ? &code().traces[size_t(&i - instructions)] : nullptr;
    bool moves = trace && trace->moves;
    if (trace && !moves)
      traceReads(*this, *trace, mask);
    if (!i.run) {
      i.lanes(registers + i.d, registers + i.a, registers + i.b, registers + i.c, i.e, mask);
    } else {
      i.run(*this, i, mask);
      if (atBarrier || live == 0) {
        return budget - 1;
      }
    }
    if (trace && moves)
      traceMove(*this, *trace, i.run == packLanes, mask);
    else if (trace)
      for (uint32_t suspect : trace->writes)
        set(written[suspect], 0, 4, ~0u, mask);
  }
  return 0;
}

// Goes on with what lies on the stack while no lane is on.
void Warp::popEmpty() {
  while (active == 0 && !stack.empty()) {
    const StackEntry &entry = stack.back();
    pc = entry.pc;
    reconvergence = entry.reconvergence;
    active = entry.active & live;
    stack.pop_back();
    if (!frames.empty() && stack.size() < frames.back().stackHeight)
      frames.pop_back();
  }
}

// One side waits on the stack while the other runs; both meet where all ways meet.
void Warp::branch(const Instruction &i, uint32_t taken) {
  uint32_t others = active & ~taken;
  if (taken == 0)
    return;
  if (others == 0) {
    pc = i.target;
    return;
  }
  ++grid->totals.divergentBranches;
  if (i.reconvergence != reconvergence && i.reconvergence != noInstruction) {
    stack.push_back({i.reconvergence, reconvergence, active});
    reconvergence = i.reconvergence;
  }
  if (grid->options.warps == Order::Reversed) {
    stack.push_back({pc, reconvergence, others});
    active = taken;
    pc = i.target;
  } else {
    stack.push_back({i.target, reconvergence, taken});
    active = others;
  }
}

void branchTo(Warp &warp, const Instruction &i, uint32_t mask) { warp.branch(i, mask); }

void branchIndexed(Warp &warp, const Instruction &i, uint32_t mask) {
  const std::vector<uint32_t> &targets = warp.code().branchTargets[i.detail];
  const uint32_t *index = warp.lanes<uint32_t>(i.a);
  uint32_t others = warp.active & ~mask, next = warp.pc;
  if (mask == 0)
    return;
  if (i.reconvergence != warp.reconvergence && i.reconvergence != noInstruction) {
    warp.stack.push_back({i.reconvergence, warp.reconvergence, warp.active});
    warp.reconvergence = i.reconvergence;
  }
  if (others)
    warp.stack.push_back({next, warp.reconvergence, others});
  for (uint32_t left = mask; left;) {
    uint32_t lane = uint32_t(__builtin_ctz(left)), same = 0;
    if (index[lane] >= targets.size())
      warp.fail(FaultKind::OutOfBounds, lane,
                "branches by index " + std::to_string(index[lane]) + " of " +
                    std::to_string(targets.size()) + " targets");
    for (uint32_t l = lane; l < warpLanes; ++l)
      same |= uint32_t((left >> l & 1) && index[l] == index[lane]) << l;
    warp.stack.push_back({targets[index[lane]], warp.reconvergence, same});
    left &= ~same;
  }
  warp.active = 0;
  warp.popEmpty();
}

void Warp::leave(uint32_t lanes) {
  live &= ~lanes;
  active &= ~lanes;
  block->exitedThreads += uint32_t(__builtin_popcount(lanes));
  popEmpty();
}

void exitThreads(Warp &warp, const Instruction &, uint32_t mask) {
  if (mask)
    warp.leave(mask);
  if (warp.finished()) {
    warp.block->checkLeft(warp);
    leaveWarpgroup(warp);
  }
}

namespace {
void copyParameters(Warp &warp, const std::vector<CallUse::Copy> &copies, uint32_t mask) {
  uint32_t stride = warp.code().localBytes;
  for (const CallUse::Copy &copy : copies)
    for (uint32_t left = mask; left; left &= left - 1) {
      uint64_t own = uint64_t(__builtin_ctz(left)) * stride;
      std::memmove(&warp.local[own + copy.to], &warp.local[own + copy.from], copy.bytes);
      for (uint32_t byte = 0; byte < copy.bytes; ++byte)
        if (warp.localInitialised.holds(own + copy.from + byte, 1))
          warp.localInitialised.add(own + copy.to + byte, 1);
    }
}
} // namespace

void callFunction(Warp &warp, const Instruction &i, uint32_t mask) {
  static constexpr size_t deepest = 64;
  if (warp.frames.size() == deepest)
    warp.fail(FaultKind::Unsupported, uint32_t(__builtin_ctz(mask)),
              "calls are nested too deeply: recursion is not emulated");
  copyParameters(warp, warp.code().calls[i.detail].arguments, mask);
  warp.stack.push_back({warp.pc, warp.reconvergence, warp.active});
  warp.frames.push_back({warp.stack.size(), &i});
  warp.active = mask;
  warp.reconvergence = noInstruction;
  warp.pc = i.target;
}

void returnThreads(Warp &warp, const Instruction &, uint32_t mask) {
  if (mask == 0)
    return;
  copyParameters(warp, warp.code().calls[warp.frames.back().call->detail].results, mask);
  for (size_t entry = warp.frames.back().stackHeight; entry < warp.stack.size(); ++entry)
    warp.stack[entry].active &= ~mask;
  warp.active &= ~mask;
  warp.popEmpty();
}

void stopAtTrap(Warp &warp, const Instruction &, uint32_t mask) {
  warp.fail(FaultKind::Trap, uint32_t(__builtin_ctz(mask)), "the kernel stops itself");
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string spell(Dim3 index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

Dim3 Grid::threadOf(uint32_t warp, uint32_t lane) const {
  uint64_t linear = uint64_t(warp) * warpLanes + lane;
  return {uint32_t(linear % blockSize.x), uint32_t(linear / blockSize.x % blockSize.y),
          uint32_t(linear / blockSize.x / blockSize.y)};
}

void Warp::fail(FaultKind kind, uint32_t lane, const std::string &what, uint64_t address) {
  Dim3 index = grid->threadOf(number, lane);
  Fault fault{kind, current ? current->line : 0, block->index, index, address, {}};
  std::string text =
      current ? std::string(code().texts[size_t(current - code().instructions.data())]) : "";
  fault.message = std::string(name(kind)) + ": " + grid->kernel.name() + ", line " +
                  std::to_string(fault.line) + ", '" + text + "', block " + spell(block->index) +
                  ", thread " + spell(index) + ": " + what;
  throw Failure{fault};
}

} // namespace keratin::ptx
