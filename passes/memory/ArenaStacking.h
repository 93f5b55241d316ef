// Regions of an arena put into one another; private to ArenaLayout.
#ifndef KERATIN_PASSES_MEMORY_ARENASTACKING_H
#define KERATIN_PASSES_MEMORY_ARENASTACKING_H

#include "passes/memory/ArenaRegions.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::passes {

// LowestFirst: what has least of the base below it at usual sizes; those above then find the
// lower ones there and step over both.
enum class StackingOrder { LargestFirst, LowestFirst };

// Keeps `base`, one of the regions of the layout, and puts all other buffers over or between its
// buffers, wherever that can be proved for all sizes: activations leave room that the gradients of
// weights can have. It compares every pair of buffers.
std::optional<ArenaLayout> stackOnRegion(const std::vector<ArenaBuffer> &buffers, int64_t alignment,
                                         const ArenaLayout &layout, const ArenaRegion &base,
                                         StackingOrder order);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_ARENASTACKING_H
