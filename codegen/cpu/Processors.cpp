#include "codegen/cpu/Processors.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;

// Their third-level cache gives a core 9 bytes a cycle (that of a Zen 5 30), and it and memory are
// far away.
static bool isFarFromMemory(llvm::StringRef cpu, bool hasAmx) {
  static constexpr llvm::StringRef names[] = {"sapphirerapids", "emeraldrapids", "graniterapids",
                                              "graniterapids-d"};
  return hasAmx || llvm::is_contained(names, cpu);
}

codegen::ProductTraits codegen::productTraits(llvm::StringRef cpu, bool hasAmx) {
  // Of B half of their second-level cache is held, A passes by fewer panels, and stores do not wait
  // for lines.
  if (isFarFromMemory(cpu, hasAmx))
    return {.heldColumnBytes = 1024 * 1024,
            .rowsAhead = 8,
            .crowdedColumnBytes = 1024,
            .tileVectors = 4,
            .asksForResults = true};
  return {};
}

codegen::MemoryTraits codegen::memoryTraits(llvm::StringRef cpu, bool hasAmx) {
  if (isFarFromMemory(cpu, hasAmx))
    return {.partsAhead = 8, .isFar = true};
  return {};
}
