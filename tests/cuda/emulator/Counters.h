// What a kernel did: instructions by kind, and its traffic against the least that would have done.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace keratin::ptx {

// Kinds of instructions, as the tables name them.
enum class Kind : uint8_t {
  Integer,
  Logic,
  Compare,
  Move,
  Convert,
  Half,     // arithmetic in f16 and bf16
  Float,    // arithmetic in f32, without the next
  FloatFma, // fma of f32: FFMA
  Double,   // arithmetic in f64
  Function, // rcp, sqrt, ex2, sin and so on
  Matrix,   // mma: HMMA and its relatives
  LoadMatrix,
  LoadGlobal,
  StoreGlobal,
  CopyAsync,
  LoadShared,
  StoreShared,
  Local, // memory of a thread's own: spills and indexed arrays
  Parameter,
  Atomic,
  Exchange, // shfl, vote, match, redux
  Barrier,
  Fence,
  Branch,
  Call,
  Other,
  Count
};
const char *name(Kind kind);

// Traffic of one memory. Units are sectors of 32 bytes (global) or wavefronts (shared).
struct Traffic {
  uint64_t bytesRead = 0,
           bytesWritten =
               0; // what the lanes asked for, the same byte of several lanes counted once each
  uint64_t units = 0, idealUnits = 0;      // moved, and the least that holds the distinct bytes
  uint64_t onceUnits = 0;                  // of global memory, each sector once a launch
  uint64_t accesses = 0, wideAccesses = 0; // of warps; with 16 bytes a lane
  Traffic &operator+=(const Traffic &other);
  double overIdeal() const { return idealUnits ? double(units) / double(idealUnits) : 1.0; }
};

struct LineCounters {
  uint64_t instructions = 0, units = 0, idealUnits = 0;
  std::string text; // the instruction as the module spells it
};

struct Counters {
  uint64_t launches = 0, blocks = 0;
  uint64_t instructions = 0;       // of warps
  uint64_t threadInstructions = 0; // of lanes that were on
  std::array<uint64_t, size_t(Kind::Count)> byKind{};
  Traffic global, shared, local;
  uint64_t barriers = 0, atomics = 0, divergentBranches = 0;
  // By line of PTX, where LaunchOptions::countLines asked for it.
  std::map<int, LineCounters> lines;

  Counters &operator+=(const Counters &other);
  uint64_t of(Kind kind) const { return byKind[size_t(kind)]; }
  // Of all instructions, 0 to 1.
  double share(Kind kind) const {
    return instructions ? double(of(kind)) / double(instructions) : 0.0;
  }
  std::string table() const;
  std::string json() const;
};

} // namespace keratin::ptx
