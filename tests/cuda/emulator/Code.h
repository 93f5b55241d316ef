// A kernel and the functions that it calls as decoded instructions.
#pragma once

#include "tests/cuda/emulator/Convert.h"
#include "tests/cuda/emulator/Counters.h"
#include "tests/cuda/ptx/Program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keratin::ptx {

struct Warp;
struct Instruction;

// Computes 32 lanes: d = f(a, b, c), written where the mask is set. `e` is what else an instruction
// needs.
using LaneFunction = void (*)(void *d, const void *a, const void *b, const void *c, uintptr_t e,
                              uint32_t mask);
// What is no function of lanes: memory, control, exchange.
using Handler = void (*)(Warp &warp, const Instruction &instruction, uint32_t mask);

constexpr uint32_t noInstruction = ~0u;

// Windows of generic addresses. Offsets within them are addresses of the space.
constexpr uint64_t sharedWindow = uint64_t(1) << 40, localWindow = uint64_t(2) << 40,
                   parameterWindow = uint64_t(3) << 40;
constexpr uint64_t windowBytes = uint64_t(1) << 32;

// Places in a warp's registers: byte offsets. The first are everybody's.
constexpr uint32_t alwaysTrue = 0; // a predicate
constexpr uint32_t carryFlag = 4;  // a predicate too
constexpr uint32_t nowhere = 512;  // 256 bytes that take what goes to `_`
constexpr uint32_t firstFreeOffset = 1024;

enum class Flow : uint8_t { Next, Branch, Indexed, End };

struct Instruction {
  LaneFunction lanes = nullptr;
  Handler run = nullptr; // if set, it runs and may use `lanes`
  uint32_t d = nowhere, a = alwaysTrue, b = alwaysTrue, c = alwaysTrue;
  uintptr_t e = 0;
  uint32_t guard = alwaysTrue, guardFlip = 0;
  uint32_t target = 0, reconvergence = noInstruction;
  uint32_t detail = 0; // index into one of Code's tables
  int line = 0;
  Kind kind = Kind::Other;
  Flow flow = Flow::Next;
  bool traced = false;          // reads or writes a register that may be read before it is written
  bool always = false;          // runs with no lane on, too
  bool touchesProducts = false; // reads or writes a register of a product of a warpgroup
};

// A load, store, atomic or copy.
struct MemoryAccess {
  Space space = Space::Generic;
  uint8_t bytes = 4, count = 1; // of one element; elements of a lane
  uint8_t registerBytes = 4;
  bool signExtend = false, isStore = false;
  bool strong = false, acquire = false, release = false;
  uint32_t base = 0; // register or constant with the address
  uint8_t baseBytes = 8;
  int64_t offset = 0;
  uint32_t registers[4] = {nowhere, nowhere, nowhere, nowhere};
};

enum class AtomicOp : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor, Exchange, CompareAndSwap };
struct Atomic {
  MemoryAccess access;
  AtomicOp op;
  Type type;
  uint32_t result = nowhere, value = 0, other = 0;
  bool hasResult = false;
};

struct AsyncCopy {
  MemoryAccess from, to;
  uint32_t bytes = 16;
  uint32_t sourceBytes = 0; // register or constant; only with hasSourceBytes
  bool hasSourceBytes = false;
  uint32_t ignore = alwaysTrue; // predicate: copy zeros
  bool hasIgnore = false;
};

struct MatrixShape {
  Type type, accumulator; // of A and B; of C and D
  uint8_t m, n, k;
};
struct Matrix {
  MatrixShape shape;
  std::vector<uint32_t> d, a, b, c;
};
struct LoadMatrix {
  MemoryAccess access;
  std::vector<uint32_t> d;
  bool transposed;
};

// wgmma.mma_async of f16 or bf16 with sums in f32.
struct WarpgroupProduct {
  struct Factor {
    uint32_t descriptor = alwaysTrue; // register or constant
    bool isTransposed = false, isNegated = false;
  };
  Type type;
  uint32_t columns, depths;
  std::vector<uint32_t> sums, factors;             // factors: of A, where it is no matrix in memory
  std::vector<uint32_t> sumNumbers, factorNumbers; // of Code::productRegisters
  Factor a, b;
  uint32_t adds = alwaysTrue, addsFlip = 0; // predicate: to what the sums are
};

struct Exchange {
  enum Mode : uint8_t { Up, Down, Butterfly, Index } mode;
  uint32_t predicate = nowhere;
};

struct BarrierUse {
  enum Mode : uint8_t { Sync, Arrive, ReducePopulation, ReduceAnd, ReduceOr } mode = Sync;
  uint32_t number = alwaysTrue; // register or constant
  uint32_t threads = alwaysTrue;
  bool hasThreads = false;
  uint32_t input = alwaysTrue, inputFlip = 0, result = nowhere;
};

struct CvtUse {
  Conversion conversion;
  bool pair;                        // two sources into one register
  uint8_t sourceBytes, resultBytes; // of the registers
};

struct CallUse {
  struct Copy {
    uint32_t from, to, bytes; // of a thread's own memory
  };
  std::vector<Copy> arguments, results;
};

// A place that a launch or a warp fills in.
enum class Special : uint8_t {
  ThreadX,
  ThreadY,
  ThreadZ,
  ThreadsX,
  ThreadsY,
  ThreadsZ,
  BlockX,
  BlockY,
  BlockZ,
  BlocksX,
  BlocksY,
  BlocksZ,
  Lane,
  Warp,
  Warps,
  Multiprocessor,
  Multiprocessors,
  Grid,
  LanesEqual,
  LanesUpTo,
  LanesBelow,
  LanesFrom,
  LanesAbove,
  DynamicShared,
  TotalShared
};
struct SpecialSlot {
  Special which;
  uint32_t offset;
};
struct ConstantSlot {
  uint32_t offset, bytes;
  uint64_t bits;
};
struct VariableSlot {
  uint32_t offset;
  const Variable *variable;
  int64_t addend;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<std::string_view> texts; // of the instructions
  std::vector<MemoryAccess> accesses;
  std::vector<Atomic> atomics;
  std::vector<AsyncCopy> copies;
  std::vector<Matrix> matrices;
  std::vector<LoadMatrix> loadMatrices;
  std::vector<WarpgroupProduct> products;
  std::vector<Exchange> exchanges;
  std::vector<BarrierUse> barriers;
  std::vector<CallUse> calls;
  std::vector<CvtUse> conversions;
  std::vector<std::vector<uint32_t>> branchTargets;

  // Registers that may be read before they are written, by instruction that touches them.
  struct Trace {
    std::vector<uint32_t> reads, writes; // numbers of suspects
    bool moves = false;                  // passes on what is unwritten instead of complaining
    uint8_t ignored = 0; // a bit for each quarter of what it reads that makes no difference
    // Of a vector that is put together or taken apart: the suspects that its parts are, in order,
    // noInstruction for a part that is none.
    std::vector<uint32_t> parts;
  };
  std::vector<Trace> traces; // by instruction; empty without suspects
  std::vector<std::string> suspects;

  // Registers of products, by their names, and who else touches them, by instruction.
  struct Touches {
    std::vector<uint32_t> reads, writes; // numbers of productRegisters
  };
  std::vector<std::string> productRegisters;
  std::vector<Touches> productTouches; // empty without products

  uint32_t registerBytes = firstFreeOffset; // of a warp
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  std::vector<VariableSlot> variables;
  uint32_t localBytes = 0;  // of a thread
  uint32_t sharedBytes = 0; // static
  uint32_t dynamicAlignment = 1;
  uint32_t globalShift = 2, sharedShift = 2; // logarithm of the bytes of the smallest access
};

} // namespace keratin::ptx
