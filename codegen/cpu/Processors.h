// What was measured once on a family of processors, by their names in LLVM.
#ifndef KERATIN_CODEGEN_CPU_PROCESSORS_H
#define KERATIN_CODEGEN_CPU_PROCESSORS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace keratin::codegen {

// Of products of matrices. Measured by `contraction_bench native "square 1024" f32 KIB ROWS`
// (docs/contractions.md).
struct ProductTraits {
  // How much of B is packed at once: what stays near while rows of A go past it.
  int64_t heldColumnBytes = 2048 * 1024;
  // The same where columns of A are packed for each unit.
  int64_t heldPastColumnsBytes = 2048 * 1024;
  // How many rows of B ahead of their use large tiles bring into the first-level cache; 0 if
  // loads alone are as fast.
  int64_t rowsAhead = 0;
  // Columns of A at multiples of so many bytes are so many in a set of a cache that a tile does not
  // find near what is left of the lines of the one before.
  int64_t crowdedColumnBytes = 2048;
  // Vectors of a tile of many rows, if there are as many columns: more than two read A less often,
  // and B more often.
  int64_t tileVectors = 2;
  // Lines of results are asked for before the tiles multiply whose sums go there.
  bool asksForResults = false;
};

// Of what the second-level cache does not hold (docs/performance.md#pages-of-sums).
struct MemoryTraits {
  // What it holds of operands and results, beside what else is near.
  static constexpr int64_t nearBytes = 1 << 20;
  static constexpr int64_t pageBytes = 4096;
  // Of how many parts of a block ahead lines are asked for in turns.
  int64_t partsAhead = 2;
  // So far away that what a core fetches ahead by itself of one walk is two thirds of what it can
  // have under way, and of results less.
  bool isFar = false;
};

// `hasAmx`: of a name that says nothing (x86-64-v4), AMX says that it is an Intel.
ProductTraits productTraits(llvm::StringRef cpu, bool hasAmx);
MemoryTraits memoryTraits(llvm::StringRef cpu, bool hasAmx);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_PROCESSORS_H
