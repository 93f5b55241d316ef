// Grids: which blocks are resident, and whose turn it is.
#include "tests/cuda/emulator/Machine.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace keratin::ptx {

SyncLog *Grid::log(uint64_t key, bool make) {
  auto found = logs.find(key);
  if (found != logs.end())
    return found->second.get();
  if (!make)
    return nullptr;
  return logs.emplace(key, std::make_unique<SyncLog>()).first->second.get();
}

namespace {

// Instructions of a warp before the next one's turn, and turns of a block after which another one
// becomes resident beside it: it may be waiting for that one.
constexpr uint64_t slice = 4096, patience = 256;
constexpr size_t residentAtMost = 64;

Fault badLaunch(const std::string &message) {
  Fault fault;
  fault.kind = FaultKind::BadLaunch;
  fault.message = "bad launch: " + message;
  return fault;
}

std::optional<Fault> checkLaunch(const Kernel &kernel, Dim3 grid, Dim3 block,
                                 uint32_t dynamicShared, size_t parameterBytes,
                                 const Memory &memory, const LaunchOptions &options) {
  const std::string of = kernel.name() + ": ";
  if (grid.count() == 0 || block.count() == 0 || block.count() > maxWarps * warpLanes)
    return badLaunch(of + "found a grid of " + spell(grid) + " blocks of " + spell(block) +
                     " threads, expected at least one block of 1 to 1024 threads");
  if (kernel.maxThreads() && block.count() > kernel.maxThreads())
    return badLaunch(of + "found " + std::to_string(block.count()) + " threads, .maxntid allows " +
                     std::to_string(kernel.maxThreads()));
  if (kernel.requiredThreads().count() && !(kernel.requiredThreads() == block))
    return badLaunch(of + "found blocks of " + spell(block) + ", .reqntid needs " +
                     spell(kernel.requiredThreads()));
  if (parameterBytes != kernel.parameterBytes())
    return badLaunch(of + "found " + std::to_string(parameterBytes) +
                     " bytes of parameters, expected " + std::to_string(kernel.parameterBytes()));
  if (uint64_t(kernel.staticShared()) + dynamicShared > options.maxSharedBytes)
    return badLaunch(
        of + "found " + std::to_string(uint64_t(kernel.staticShared()) + dynamicShared) +
        " bytes of shared memory, a block has " + std::to_string(options.maxSharedBytes));
  const ModuleState &state = kernel.module().state();
  for (const VariableSlot &slot : kernel.code().variables)
    if (state.memory != &memory || !state.addresses.count(slot.variable))
      return badLaunch(of + "its module's variable " + slot.variable->name +
                       " has not been loaded into this memory");
  return std::nullopt;
}

std::vector<uint64_t> blockOrder(uint64_t blocks, const LaunchOptions &options) {
  std::vector<uint64_t> order(blocks);
  std::iota(order.begin(), order.end(), uint64_t(0));
  if (options.blocks == Order::Reversed)
    std::reverse(order.begin(), order.end());
  if (options.blocks == Order::Seeded)
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
  return order;
}

// Keeps blocks running until all are done.
class Residents {
public:
  explicit Residents(Grid &grid) : grid(grid), order(blockOrder(grid.size.count(), grid.options)) {}

  void run() {
    admit(grid.options.cooperative ? order.size() : 1);
    while (!resident.empty()) {
      bool progress = false;
      for (auto &block : resident)
        progress |= block->turn(slice);
      bool anyLeft = removeFinished();
      if (!progress && !anyLeft && !admit(resident.size() + 1))
        resident.front()->failDeadlocked();
      if (resident.empty())
        admit(1);
      else if (resident.back()->turns > patience && resident.size() < residentAtMost)
        admit(resident.size() + 1);
    }
  }

private:
  // False: nothing was left to admit.
  bool admit(size_t count) {
    size_t before = resident.size();
    while (resident.size() < count && next < order.size()) {
      std::unique_ptr<Block> block;
      if (spare.empty()) {
        block = std::make_unique<Block>(grid);
      } else {
        block = std::move(spare.back());
        spare.pop_back();
      }
      block->start(order[next++]);
      resident.push_back(std::move(block));
    }
    return resident.size() > before;
  }

  bool removeFinished() {
    size_t before = resident.size();
    for (auto &block : resident)
      if (block->finished())
        spare.push_back(std::move(block));
    resident.erase(std::remove(resident.begin(), resident.end(), nullptr), resident.end());
    return resident.size() != before;
  }

  Grid &grid;
  std::vector<uint64_t> order;
  size_t next = 0;
  std::vector<std::unique_ptr<Block>> resident, spare;
};

void addCounts(const Grid &grid, Counters &counters) {
  Counters made = grid.totals;
  made.launches = 1;
  made.blocks = grid.size.count();
  for (size_t i = 0; i < grid.counts.size(); ++i) {
    const PerInstruction &count = grid.counts[i];
    const Instruction &instruction = grid.code.instructions[i];
    made.instructions += count.executions;
    made.threadInstructions += count.lanes;
    made.byKind[size_t(instruction.kind)] += count.executions;
    if (instruction.kind == Kind::Atomic)
      made.atomics += count.lanes;
    if (!grid.options.countLines || !count.executions)
      continue;
    LineCounters &line = made.lines[instruction.line];
    line.instructions += count.executions;
    line.units += count.units;
    line.idealUnits += count.idealUnits;
    line.text = grid.code.texts[i];
  }
  counters += made;
}

} // namespace

std::optional<Fault> launch(const Kernel &kernel, Dim3 grid, Dim3 block, uint32_t dynamicShared,
                            const void *parameters, size_t parameterBytes, Memory &memory,
                            const LaunchOptions &options, Counters *counters) {
  if (std::optional<Fault> bad =
          checkLaunch(kernel, grid, block, dynamicShared, parameterBytes, memory, options))
    return bad;
  auto bytes = static_cast<const std::byte *>(parameters);
  Grid state{kernel,
             kernel.code(),
             grid,
             block,
             dynamicShared,
             std::vector<std::byte>(bytes, bytes + parameterBytes),
             memory,
             options,
             memory.nextLaunch(),
             std::vector<PerInstruction>(kernel.code().instructions.size()),
             {},
             options.maxInstructions,
             {}};
  if (counters)
    state.sectors.emplace();
  std::optional<Fault> fault;
  try {
    Residents(state).run();
  } catch (const Failure &failure) {
    fault = failure.fault;
  }
  if (counters)
    addCounts(state, *counters);
  return fault;
}

} // namespace keratin::ptx
