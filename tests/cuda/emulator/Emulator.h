// A machine that executes PTX on the host, with a check of everything that hardware leaves
// undefined.
//
// It depends on the C++ library alone: no compiler of Keratin's, no LLVM, no driver.
#pragma once

#include "tests/cuda/emulator/Counters.h"
#include "tests/cuda/emulator/Memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keratin::ptx {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
  bool operator==(const Dim3 &) const = default;
};

enum class FaultKind : uint8_t {
  BadLaunch, // the launch itself: sizes, parameters, more threads than .maxntid
  OutOfBounds,
  Uninitialised,
  Misaligned,
  Race,
  DivergentBarrier, // also: a barrier that not all threads reach, one of a warp that not all its
                    // lanes reach
  Deadlock,         // everybody waits
  AsyncCopy,        // data of cp.async used before a wait
  AsyncProduct,     // registers or memory of a wgmma.mma_async while it may run, or without fences
  Trap,
  InfiniteLoop, // more than maxInstructions
  Unsupported,  // known only when it is executed: an indirect call, an address of no memory
};
const char *name(FaultKind kind);

// What a kernel did wrong.
struct Fault {
  FaultKind kind = FaultKind::BadLaunch;
  int line = 0; // of the PTX; 0: of no line
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  uint64_t address = 0; // where memory is concerned
  std::string
      message; // for people: kernel, line, instruction, block, thread, address, what is there
};

struct Parameter {
  std::string name;
  uint32_t offset, bytes, alignment;
};

struct Function;    // of the text
struct Code;        // decoded instructions
struct ModuleState; // the program, and where its variables lie

class Module;

class Kernel {
public:
  ~Kernel();
  const std::string &name() const { return kernelName; }
  const std::vector<Parameter> &parameters() const { return parameterList; }
  uint32_t parameterBytes() const { return parameterSize; }
  uint32_t staticShared() const { return sharedBytes; } // bytes
  uint32_t localBytes() const { return threadBytes; }   // of memory of a thread's own
  uint32_t registers() const { return registerCount; }  // virtual ones
  // The limits that the module states; 0 if it states none.
  uint32_t maxThreads() const { return maxThreadCount; }
  Dim3 requiredThreads() const { return requiredThreadCount; } // {0, 0, 0}: none
  const Module &module() const { return *owner; }
  const Code &code() const { return *decoded; }

private:
  friend class Module;
  Kernel();
  std::string kernelName;
  std::vector<Parameter> parameterList;
  uint32_t parameterSize = 0, sharedBytes = 0, threadBytes = 0, registerCount = 0,
           maxThreadCount = 0;
  Dim3 requiredThreadCount{0, 0, 0};
  const Module *owner = nullptr;
  std::unique_ptr<Code> decoded;
};

// The text of one module, decoded. Immutable but for `load`; its kernels live as long as it.
class Module {
public:
  ~Module();
  // Null: *error says at which line what was found and what was expected.
  static std::unique_ptr<Module> parse(std::string_view ptx, std::string *error);

  const Kernel *kernel(std::string_view name) const;
  std::vector<const Kernel *> kernels() const;

  // Gives the module's .global and .const variables their place in a device's memory and their
  // first values. Needed once before launches if the module has any; a module lies in one memory.
  // False: no room.
  bool load(Memory &memory);
  void unload();
  // Address and bytes of a variable; {0, 0}: none of that name, or not loaded.
  Memory::Range variable(std::string_view name) const;
  std::string_view text() const { return source; }
  const ModuleState &state() const { return *inside; }

private:
  Module();
  void makeKernel(const Function &entry);
  std::string source;
  std::vector<std::unique_ptr<Kernel>> kernelList;
  std::unique_ptr<ModuleState> inside;
};

enum class Order : uint8_t { Fixed, Reversed, Seeded };

struct LaunchOptions {
  Order blocks = Order::Fixed, warps = Order::Fixed;
  uint64_t seed = 0;          // of both orders
  bool checks = true;         // false: only what would crash the emulator itself (out of bounds,
                              // misaligned, traps, deadlocks)
  bool checkRegisters = true; // with checks: reads of registers that nothing wrote
  bool cooperative = false;   // all blocks are resident and take turns
  bool permuteMatrix =
      false; // mma adds its products in another order, which the PTX manual leaves open
  bool countLines = false;
  uint64_t maxInstructions = uint64_t(1) << 36; // of warps, in the whole launch
  uint32_t maxSharedBytes = 227 * 1024;         // static and dynamic, of a block
};

// Runs a kernel to its end. No value: it ended well. After a fault, memory is what the kernel had
// made of it by then. `parameters` are the bytes of the parameter block, laid out as
// Kernel::parameters says. Counters are added to.
std::optional<Fault> launch(const Kernel &kernel, Dim3 grid, Dim3 block, uint32_t dynamicShared,
                            const void *parameters, size_t parameterBytes, Memory &memory,
                            const LaunchOptions &options = {}, Counters *counters = nullptr);

} // namespace keratin::ptx
