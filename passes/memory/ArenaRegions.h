// Places in regions, one after the other: buffers whose sizes can be compared share one. Private to
// ArenaLayout, which says what they are.
#ifndef KERATIN_PASSES_MEMORY_ARENAREGIONS_H
#define KERATIN_PASSES_MEMORY_ARENAREGIONS_H

#include "passes/memory/ArenaLayout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::passes {

struct ArenaRegion {
  ir::DimExpr start, bytes;
  std::vector<size_t> members; // never none
};

struct ArenaRegions {
  ArenaLayout layout;
  std::vector<ArenaRegion> regions;
};

// nullopt as of layOutArena.
std::optional<ArenaRegions> layOutRegions(const std::vector<ArenaBuffer> &buffers,
                                          int64_t alignment);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_ARENAREGIONS_H
