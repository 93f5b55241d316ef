// The state of a launch: grid, blocks, warps.
#pragma once

#include "tests/cuda/emulator/Allocation.h"
#include "tests/cuda/emulator/Code.h"
#include "tests/cuda/emulator/Emulator.h"
#include "tests/cuda/emulator/SectorSet.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

namespace keratin::ptx {

struct Block;
struct Warp;

// What ends a launch early; it does not leave `launch`.
struct Failure {
  Fault fault;
};

// What is a module's own beside its kernels.
struct ModuleState {
  Program program;
  Memory *memory = nullptr;
  std::map<const Variable *, uint64_t> addresses;
};

struct PerInstruction {
  uint64_t executions = 0, lanes = 0, units = 0, idealUnits = 0;
};

// One launch.
struct Grid {
  const Kernel &kernel;
  const Code &code;
  Dim3 size, blockSize;
  uint32_t dynamicShared;
  std::vector<std::byte> parameters;
  Memory &memory;
  const LaunchOptions &options;
  uint32_t launch;
  std::vector<PerInstruction> counts;
  Counters totals;
  uint64_t instructionsLeft;
  std::unordered_map<uint64_t, std::unique_ptr<SyncLog>> logs;
  // Of global memory, where somebody counts.
  std::optional<SectorSet> sectors{};

  bool checks() const { return options.checks; }
  SyncLog *log(uint64_t key, bool make);
  uint32_t warpsOfBlock() const {
    return uint32_t((blockSize.count() + warpLanes - 1) / warpLanes);
  }
  uint32_t sharedBytes() const { return code.sharedBytes + dynamicShared; }
  // Which thread of a block it is.
  Dim3 threadOf(uint32_t warp, uint32_t lane) const;
};

// A copy that was issued and has not landed.
struct PendingCopy {
  uint64_t to;
  uint8_t lane, bytes, sourceBytes;
  int line;
  Allocation *from;
  uint64_t fromOffset;
};
struct CopyGroup {
  uint32_t lanes; // that committed it
  std::vector<PendingCopy> copies;
};

// A wgmma.mma_async that was issued and has not been waited for.
struct PendingProduct {
  const Instruction *instruction;
  uint64_t a, b; // descriptors
  bool adds;
};
// What a warp has done to a register of products.
struct ProductRegister {
  uint32_t pendingSums = 0, pendingFactors = 0; // of products that may run
  int touched = 0;      // the line of another access since the last wgmma.fence; 0: none
  uint32_t columns = 0; // of the product since then that summed in it; 0: none
};

struct StackEntry {
  uint32_t pc, reconvergence, active;
};
struct Frame {
  size_t stackHeight; // entries below it are the caller's
  const Instruction *call;
};

struct Warp {
  Grid *grid = nullptr;
  Block *block = nullptr;
  uint32_t number = 0;
  std::byte *registers = nullptr;
  uint32_t pc = 0, reconvergence = noInstruction, active = 0, live = 0;
  std::vector<StackEntry> stack;
  std::vector<Frame> frames;
  bool atBarrier = false;
  uint32_t barrier = 0; // that it waits at
  const Instruction *current = nullptr;
  WarpClock clock;
  std::vector<PendingCopy> uncommitted;
  std::deque<CopyGroup> groups;
  std::vector<PendingProduct> openProducts; // that are in no group
  std::deque<std::vector<PendingProduct>> productGroups;
  std::vector<ProductRegister> productRegisters;
  bool hasFencedProducts = false;
  uint64_t warpgroupSteps = 0; // that it has taken with its warpgroup
  std::vector<std::byte> local;
  ByteSet localInitialised;
  // Of each suspect register the lanes that have written it, a quarter of its bits each: a vector
  // may have parts that nobody has written, and nobody reads.
  using Written = std::array<uint32_t, 4>;
  std::vector<Written> written;
  Allocation *lastAllocation = nullptr;

  template <class T> T *lanes(uint32_t offset) { return reinterpret_cast<T *>(registers + offset); }
  uint32_t &predicate(uint32_t offset) { return *lanes<uint32_t>(offset); }
  uint64_t value(uint32_t offset, uint32_t bytes, uint32_t lane);
  const Code &code() const { return grid->code; }

  void start(Block &ofBlock, uint32_t number);
  void setSpecials(bool first);
  uint64_t special(Special which, uint32_t lane) const;
  bool finished() const { return live == 0; }
  // Executes until a barrier, the end or so many instructions; gives what is left of them.
  uint64_t execute(uint64_t budget);

  // Control.
  void branch(const Instruction &instruction, uint32_t taken);
  void jumpTo(uint32_t target, uint32_t lanes, uint32_t reconverge);
  void leave(uint32_t lanes);    // exit
  void giveBack(uint32_t lanes); // ret
  void popEmpty();

  // Ends the launch. The lane is the one to blame.
  [[noreturn]] void fail(FaultKind kind, uint32_t lane, const std::string &what,
                         uint64_t address = 0);
};

// Four warps, which take the same steps: instructions with their operands.
struct Warpgroup {
  struct Step {
    const Instruction *instruction;
    uint64_t a, b;
    bool adds;
    bool operator==(const Step &) const = default;
  };
  static constexpr uint32_t warps = 4;
  std::deque<Step> steps; // that not all have taken
  uint64_t forgotten = 0; // steps before them
};

struct Barrier {
  uint32_t arrivedThreads = 0, expected = 0; // expected 0: nobody has come
  std::vector<uint32_t> waiting;             // warps
  std::vector<WarpClock> arrived;            // of warps that went on
  struct Result {
    uint32_t warp;
    const BarrierUse *use;
  };
  std::vector<Result> results;
  uint32_t population = 0;
  bool all = true, any = false, ofAllThreads = false;
  int line = 0;
};

struct Block {
  Grid *grid = nullptr;
  Dim3 index;
  uint64_t number = 0; // linear
  std::vector<Warp> warps;
  std::vector<std::byte> registerStore;
  std::vector<std::byte> shared;
  ByteSet sharedInitialised, sharedPending; // pending: bytes that cp.async will write
  uint64_t pendingBytes = 0;
  std::vector<Granule> sharedGranules;
  std::vector<uint16_t> productReads; // of 16 bytes: products of warps that may still read them
  uint64_t productsInFlight = 0;
  std::vector<Warpgroup> warpgroups;
  std::array<Barrier, 16> barriers;
  uint64_t exitedThreads = 0;

  // A place for blocks of the grid, one after the other.
  explicit Block(Grid &grid);
  void start(uint64_t number);
  bool finished() const;
  // Runs each warp for a slice. False: nobody could do anything.
  bool turn(uint64_t slice);
  void arrive(Warp &warp, const BarrierUse &use, uint32_t mask);
  void complete(Barrier &barrier);
  [[noreturn]] void failDeadlocked();
  void checkLeft(Warp &warp);

  uint64_t turns = 0;

private:
  std::vector<uint32_t> warpOrder() const;
};

// Ends the launch unless all lanes are on.
void needWholeWarp(Warp &warp, uint32_t mask);
// What all lanes agree on, of registers of 32 or 64 bits.
template <class T> T uniform(Warp &warp, uint32_t offset, uint32_t mask, const char *what);
// Of instructions that are none of a warpgroup.
void touchProductRegisters(Warp &warp, const Code::Touches &touches, uint32_t mask);
// Ends the launch where a lane writes what a product may still read; `what` says what it does.
void checkProductReads(Warp &warp, uint64_t address, uint32_t bytes, uint32_t lane,
                       const std::string &what);
// A warp has left: no step of its warpgroup may be left for it.
void leaveWarpgroup(Warp &warp);

// Calls `function(lane)` for the lanes of a mask.
template <class Function> void forLanes(uint32_t mask, Function function) {
  for (; mask; mask &= mask - 1)
    function(uint32_t(__builtin_ctz(mask)));
}

std::string hex(uint64_t value);
std::string spell(Dim3 index);

} // namespace keratin::ptx
