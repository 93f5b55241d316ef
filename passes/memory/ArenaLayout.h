// Places in one arena for buffers whose sizes are known only at run time.
//
// A layout holds for every value of the symbols: decided once when compiling, evaluated when a call
// has new sizes. No MLIR here; tested on numbers.
//
// A size is c * m bytes, c the largest integer factor and m what is left (1 for a static size).
// Buffers with the same m are packed against each other in units of m: each, largest first, into
// the smallest gap that holds it among those alive at the same time; the orders by lifetime and by
// first use are tried too, and the smallest result is kept. Every group of equal m is a region of
// its own, because sizes with different m cannot be compared before they are known. Buffers whose m
// nobody shares take turns in slots as large as the largest of those that use them.
//
// Then the largest region stays, and the others' buffers are put over and between its buffers
// wherever that can be proved to be apart for all sizes; kept if it is smaller.
//
// An offset A units into a region becomes roundUp(A * m) + a * B, a the alignment, where B counts
// the buffers that lie below it at the same time and whose end may fall between two multiples of a.
// So every buffer is aligned for all sizes, at a cost of less than a bytes for each buffer of a
// stack.
#ifndef KERATIN_PASSES_MEMORY_ARENALAYOUT_H
#define KERATIN_PASSES_MEMORY_ARENALAYOUT_H

#include "ir/shapes/DimExpr.h"
#include "passes/memory/LiveRange.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::passes {

struct ArenaBuffer {
  ir::DimExpr bytes; // not negative for sizes that can occur
  LiveRange live;
};

struct ArenaLayout {
  std::vector<ir::DimExpr> offsets; // one a buffer, each a multiple of the alignment
  ir::DimExpr totalBytes;           // a multiple of the alignment
};

// nullopt if an offset or the total cannot be represented (ir/shapes/DimExpr.h), or if a constant
// size is negative. Precondition: the alignment is a power of two.
std::optional<ArenaLayout> layOutArena(const std::vector<ArenaBuffer> &buffers,
                                       int64_t alignment = 64);

// Packing of known sizes, the part of layOutArena that has no symbols.
struct PackedBuffers {
  std::vector<int64_t> offsets;
  int64_t total = 0;
};
// Precondition: sizes are not negative. nullopt on overflow.
std::optional<PackedBuffers> packBuffers(const std::vector<int64_t> &sizes,
                                         const std::vector<LiveRange> &ranges);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_ARENALAYOUT_H
