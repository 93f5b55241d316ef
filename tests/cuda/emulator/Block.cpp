// Blocks: their warps' turns and their barriers.
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Machine.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace keratin::ptx {

Block::Block(Grid &inGrid) : grid(&inGrid), warps(inGrid.warpsOfBlock()) {
  const Code &code = grid->code;
  registerStore.resize(uint64_t(code.registerBytes) * warps.size() + 64);
  auto begin = reinterpret_cast<std::byte *>(
      (reinterpret_cast<uintptr_t>(registerStore.data()) + 63) / 64 * 64);
  shared.resize(grid->sharedBytes() + 32);
  sharedInitialised = ByteSet(grid->sharedBytes());
  sharedPending = ByteSet(grid->sharedBytes());
  sharedGranules.resize((grid->sharedBytes() >> code.sharedShift) + 1);
  productReads.resize(code.products.empty() ? 0 : grid->sharedBytes() / 16 + 1);
  for (uint32_t w = 0; w < warps.size(); ++w) {
    Warp &warp = warps[w];
    warp.grid = grid;
    warp.block = this;
    warp.number = w;
    warp.registers = begin + uint64_t(code.registerBytes) * w;
    warp.predicate(alwaysTrue) = ~0u;
    warp.local.resize(uint64_t(code.localBytes) * warpLanes + 32);
    warp.localInitialised = ByteSet(uint64_t(code.localBytes) * warpLanes);
    for (const ConstantSlot &slot : code.constants)
      for (uint32_t l = 0; l < warpLanes; ++l)
        std::memcpy(warp.registers + slot.offset + l * slot.bytes, &slot.bits, slot.bytes);
    const ModuleState &state = grid->kernel.module().state();
    for (const VariableSlot &slot : code.variables)
      for (uint32_t l = 0; l < warpLanes; ++l)
        warp.lanes<uint64_t>(slot.offset)[l] =
            state.addresses.at(slot.variable) + uint64_t(slot.addend);
    warp.setSpecials(true);
  }
}

void Block::start(uint64_t linear) {
  number = linear;
  Dim3 size = grid->size;
  index = {uint32_t(linear % size.x), uint32_t(linear / size.x % size.y),
           uint32_t(linear / size.x / size.y)};
  std::memset(shared.data(), int(grid->memory.fillingByte()), shared.size());
  if (grid->checks()) {
    sharedInitialised.clear();
    sharedPending.clear();
    std::fill(sharedGranules.begin(), sharedGranules.end(), Granule());
  }
  std::fill(productReads.begin(), productReads.end(), uint16_t(0));
  warpgroups.assign((warps.size() + Warpgroup::warps - 1) / Warpgroup::warps, Warpgroup());
  pendingBytes = productsInFlight = 0;
  exitedThreads = turns = 0;
  barriers.fill(Barrier());
  for (uint32_t w = 0; w < warps.size(); ++w)
    warps[w].start(*this, w);
}

void Warp::start(Block &ofBlock, uint32_t ofNumber) {
  block = &ofBlock;
  number = ofNumber;
  uint64_t threads = grid->blockSize.count() - uint64_t(number) * warpLanes;
  live = threads >= warpLanes ? ~0u : (1u << threads) - 1;
  active = live;
  pc = 0;
  reconvergence = noInstruction;
  stack.clear();
  frames.clear();
  atBarrier = false;
  current = nullptr;
  clock.start(uint32_t(block->number), number, uint32_t(block->warps.size()));
  uncommitted.clear();
  groups.clear();
  openProducts.clear();
  productGroups.clear();
  productRegisters.assign(code().productRegisters.size(), ProductRegister());
  hasFencedProducts = false;
  warpgroupSteps = 0;
  localInitialised.clear();
  written.assign(code().suspects.size(), Written{});
  lastAllocation = nullptr;
  setSpecials(false);
}

uint64_t Warp::special(Special which, uint32_t lane) const {
  Dim3 threads = grid->blockSize, blocks = grid->size, at = block->index;
  uint64_t linear = uint64_t(number) * warpLanes + lane;
  switch (which) {
  case Special::ThreadX:
    return linear % threads.x;
  case Special::ThreadY:
    return linear / threads.x % threads.y;
  case Special::ThreadZ:
    return linear / threads.x / threads.y;
  case Special::Lane:
    return lane;
  case Special::LanesEqual:
    return 1u << lane;
  case Special::LanesUpTo:
    return (2u << lane) - 1;
  case Special::LanesBelow:
    return (1u << lane) - 1;
  case Special::LanesFrom:
    return ~((1u << lane) - 1);
  case Special::LanesAbove:
    return ~((2u << lane) - 1);
  default: {
    // The same for all lanes, in the order of Special.
    const uint64_t uniform[] = {
        threads.x,     threads.y,      threads.z,   at.x, at.y,   at.z,
        blocks.x,      blocks.y,       blocks.z,    0,    number, block->warps.size(),
        block->number, blocks.count(), grid->launch};
    if (which == Special::DynamicShared)
      return grid->dynamicShared;
    return which == Special::TotalShared ? grid->sharedBytes()
                                         : uniform[size_t(which) - size_t(Special::ThreadsX)];
  }
  }
}

// Once for all blocks of the place, and again what differs between blocks.
void Warp::setSpecials(bool first) {
  auto ofBlock = [](Special which) {
    return which == Special::BlockX || which == Special::BlockY || which == Special::BlockZ ||
           which == Special::Multiprocessor;
  };
  for (const SpecialSlot &slot : code().specials) {
    if (!first && !ofBlock(slot.which))
      continue;
    uint64_t value = special(slot.which, 0);
    for (uint32_t l = 0; l < warpLanes; ++l) {
      if (!ofBlock(slot.which))
        value = special(slot.which, l);
      if (slot.which == Special::Grid)
        lanes<uint64_t>(slot.offset)[l] = value;
      else
        lanes<uint32_t>(slot.offset)[l] = uint32_t(value);
    }
  }
}

bool Block::finished() const {
  return std::all_of(warps.begin(), warps.end(), [](const Warp &warp) { return warp.finished(); });
}

std::vector<uint32_t> Block::warpOrder() const {
  std::vector<uint32_t> order(warps.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = grid->options.warps == Order::Reversed ? uint32_t(order.size()) - 1 - i : i;
  if (grid->options.warps == Order::Seeded) {
    std::mt19937_64 random(grid->options.seed + number * 1000003 + turns);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

bool Block::turn(uint64_t slice) {
  bool progress = false;
  for (uint32_t w : warpOrder()) {
    Warp &warp = warps[w];
    if (warp.finished() || warp.atBarrier)
      continue;
    if (grid->instructionsLeft == 0)
      warp.fail(FaultKind::InfiniteLoop, uint32_t(__builtin_ctz(warp.active)),
                "more than " + std::to_string(grid->options.maxInstructions) +
                    " instructions have been executed");
    uint64_t budget = std::min(slice, grid->instructionsLeft);
    grid->instructionsLeft -= budget - warp.execute(budget);
    progress = true;
  }
  ++turns;
  return progress;
}

void Block::failDeadlocked() {
  for (Warp &warp : warps)
    if (!warp.finished() && warp.atBarrier) {
      const Barrier &barrier = barriers[warp.barrier];
      warp.fail(FaultKind::Deadlock, uint32_t(__builtin_ctz(warp.live)),
                "waits for ever at barrier " + std::to_string(warp.barrier) + ": " +
                    std::to_string(barrier.arrivedThreads) + " of " +
                    std::to_string(barrier.expected) + " threads have come");
    }
  warps[0].fail(FaultKind::Deadlock, 0, "nobody can go on");
}

template <class T> T uniform(Warp &warp, uint32_t offset, uint32_t mask, const char *what) {
  const T *values = warp.lanes<T>(offset);
  T first = values[__builtin_ctz(mask)];
  if (std::memcmp(values, values + 1, sizeof(T) * (warpLanes - 1)) == 0)
    return first;
  for (uint32_t left = mask; left; left &= left - 1)
    if (values[__builtin_ctz(left)] != first)
      warp.fail(FaultKind::DivergentBarrier, uint32_t(__builtin_ctz(left)),
                std::string("the lanes of a warp give different ") + what);
  return first;
}
template uint32_t uniform(Warp &, uint32_t, uint32_t, const char *);
template uint64_t uniform(Warp &, uint32_t, uint32_t, const char *);

void useBarrier(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.block->arrive(warp, warp.code().barriers[i.detail], mask);
}

void Block::arrive(Warp &warp, const BarrierUse &use, uint32_t mask) {
  uint32_t lane = uint32_t(__builtin_ctz(mask));
  if (mask != warp.live)
    warp.fail(FaultKind::DivergentBarrier, uint32_t(__builtin_ctz(mask)),
              "the lanes " + hex(warp.live & ~mask) +
                  " of its warp are elsewhere: a barrier needs all of them");
  uint32_t id = uniform<uint32_t>(warp, use.number, mask, "barriers");
  if (id >= barriers.size())
    warp.fail(FaultKind::DivergentBarrier, lane,
              "there is no barrier " + std::to_string(id) + ", only 0 to 15");
  uint32_t expected = uint32_t(warps.size()) * warpLanes;
  if (use.hasThreads)
    expected = uniform<uint32_t>(warp, use.threads, mask, "numbers of threads");
  if (expected == 0 || expected % warpLanes != 0)
    warp.fail(FaultKind::DivergentBarrier, lane,
              "a barrier of " + std::to_string(expected) + " threads: a multiple of 32 is needed");
  if (!use.hasThreads && exitedThreads)
    warp.fail(FaultKind::DivergentBarrier, lane,
              std::to_string(exitedThreads) +
                  " threads of the block have left: a barrier needs all of them");
  Barrier &barrier = barriers[id];
  if (barrier.expected && barrier.expected != expected)
    warp.fail(FaultKind::DivergentBarrier, lane,
              "expects " + std::to_string(expected) + " threads at barrier " + std::to_string(id) +
                  ", line " + std::to_string(barrier.line) + " expects " +
                  std::to_string(barrier.expected));
  barrier.expected = expected;
  barrier.ofAllThreads |= !use.hasThreads;
  barrier.line = warp.current->line;
  barrier.arrivedThreads += warpLanes;
  uint32_t input = (warp.predicate(use.input) ^ use.inputFlip) & mask;
  barrier.population += uint32_t(__builtin_popcount(input));
  barrier.all &= input == mask;
  barrier.any |= input != 0;
  if (use.mode == BarrierUse::Arrive) {
    barrier.arrived.push_back(warp.clock.leaveBehind());
  } else {
    warp.atBarrier = true;
    warp.barrier = id;
    barrier.waiting.push_back(warp.number);
    barrier.results.push_back({warp.number, &use});
  }
  if (barrier.arrivedThreads == barrier.expected)
    complete(barrier);
}

void Block::complete(Barrier &barrier) {
  ++grid->totals.barriers;
  std::vector<WarpClock *> clocks;
  for (uint32_t w : barrier.waiting) {
    warps[w].atBarrier = false;
    clocks.push_back(&warps[w].clock);
  }
  if (!clocks.empty())
    WarpClock::meet(clocks, barrier.arrived);
  for (const Barrier::Result &result : barrier.results) {
    Warp &warp = warps[result.warp];
    const BarrierUse &use = *result.use;
    if (use.mode == BarrierUse::ReduceAnd || use.mode == BarrierUse::ReduceOr) {
      bool value = use.mode == BarrierUse::ReduceAnd ? barrier.all : barrier.any;
      uint32_t &to = warp.predicate(use.result);
      to = (to & ~warp.live) | (value ? warp.live : 0);
    } else if (use.mode == BarrierUse::ReducePopulation) {
      std::fill_n(warp.lanes<uint32_t>(use.result), warpLanes, barrier.population);
    }
  }
  barrier = Barrier();
}

// A warp has left: nobody may wait for it.
void Block::checkLeft(Warp &warp) {
  for (size_t id = 0; id < barriers.size(); ++id)
    if (barriers[id].ofAllThreads && !barriers[id].waiting.empty())
      warp.fail(FaultKind::DivergentBarrier, 0,
                "leaves while others wait at barrier " + std::to_string(id) + " in line " +
                    std::to_string(barriers[id].line));
}

// Scopes are not told apart: a fence of the block counts for the device.
void fenceMemory(Warp &warp, const Instruction &, uint32_t) { warp.clock.fence(); }

} // namespace keratin::ptx
