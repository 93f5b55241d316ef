// How a block of threads divides a tile of a product among them.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONTILE_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONTILE_H

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>

namespace keratin::codegen {

// The tile is warps x warps, a warp laneRows x laneColumns threads, a thread rows x columns sums in
// registers: groups of 16 bytes, which lie as far apart as the lanes have groups, so that
// neighbouring threads read neighbouring groups of a line of shared memory.
struct ContractionTile {
  static constexpr int64_t laneRows = 4, laneColumns = 8;

  int64_t sumBytes = 4; // of a number in registers and shared memory: 4 or 8
  int64_t warpRows = 1, warpColumns = 1;
  int64_t threadRows = 4, threadColumns = 4;
  int64_t depth = 16; // of the tiles of A and B in shared memory

  int64_t threads() const { return 32 * warpRows * warpColumns; }
  int64_t rows() const { return warpRows * laneRows * threadRows; }
  int64_t columns() const { return warpColumns * laneColumns * threadColumns; }
  int64_t group() const { return 16 / sumBytes; }
  int64_t rowGroups() const { return threadRows / group(); }
  int64_t columnGroups() const { return threadColumns / group(); }

  // Shared memory holds lines of A and B by depth, [depth][line]. Lines of memory that are read
  // along the depth are written across: four further numbers a row keep that free of conflicts.
  static int64_t pitch(int64_t lines) { return lines + 4; }
  int64_t stageBytes() const { return (pitch(rows()) + pitch(columns())) * depth * sumBytes; }
  // The groups of finished sums that go through shared memory at a time: one of each thread's rows.
  int64_t sliceRows() const { return rows() / rowGroups(); }
  int64_t sharedBytes() const;
};

// "128 x 64 x 16", for people.
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const ContractionTile &tile);

// A product whose sizes may not be known. Tiles follow from them alone, the same whatever the
// device.
struct ContractionSizes {
  std::optional<int64_t> batch, rows, columns, depth;
};
ContractionTile chooseTile(int64_t sumBytes, const ContractionSizes &sizes);
// How many blocks should share the depth of so many tiles at most: 1 where tiles are enough.
int64_t mostDepthParts(int64_t tiles);
// The least depth that is worth a block of its own.
inline constexpr int64_t leastPartDepth = 256;

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONTILE_H
