// How a block of threads divides a tile of a product among them.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTILE_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTILE_H

#include "ir/shapes/DimExpr.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>

namespace keratin::codegen {

// The tile is warps x warps, a warp lanes x lanes, a thread rows x columns of
// sums in registers, which lie as far apart as its warp has lanes.
struct ContractionTile {
  // What multiplies: threads (ThreadsEngine), or tensor cores matrices of f64
  // (DoublesEngine), of f16 and bf16 (HalvesEngine), or of f32 in tf32
  // (TensorFloatEngine), each of a warp. On sm_90a larger ones: of f64
  // (LargeDoublesEngine), or of f16 and bf16 those of four warps together
  // (WarpgroupsEngine).
  enum class Units { Threads, Doubles, Halves, TensorFloats, LargeDoubles, Warpgroups };

  Units units = Units::Threads;
  int64_t warpRows = 1, warpColumns = 1;
  int64_t threadRows = 4, threadColumns = 4;
  int64_t depth = 16;   // of a stage of shared memory
  int64_t sumBytes = 4; // of a number in registers: 4 or 8

  int64_t laneRows() const { return units == Units::Threads ? 4 : 8; }
  int64_t laneColumns() const { return 32 / laneRows(); }
  int64_t rowsOfWarp() const { return laneRows() * threadRows; }
  int64_t columnsOfWarp() const { return laneColumns() * threadColumns; }
  int64_t threads() const { return 32 * warpRows * warpColumns; }
  int64_t rows() const { return warpRows * rowsOfWarp(); }
  int64_t columns() const { return warpColumns * columnsOfWarp(); }
  // Sums of 16 bytes.
  int64_t group() const { return 16 / sumBytes; }
  int64_t rowGroups() const { return threadRows / group(); }
  int64_t columnGroups() const { return threadColumns / group(); }
  // Elements that are read at once from where neighbours are next to each
  // other.
  int64_t sourceGroup() const { return isOfHalves() ? 8 : group(); }
  // Whether stages are StagesEngine's, and what an element takes of them.
  bool isStaged() const { return isOfHalves() || units == Units::TensorFloats; }
  int64_t elementBytes() const { return isOfHalves() ? 2 : sumBytes; }
  bool isOfHalves() const { return units == Units::Halves || units == Units::Warpgroups; }
  bool isOfLargeMatrices() const {
    return units == Units::Warpgroups || units == Units::LargeDoubles;
  }

  // Of threads and doubles: numbers of a row of shared memory for one depth.
  // What is read along the depth is written across the rows: four more than
  // there are lines keep that free of conflicts.
  static int64_t pitch(int64_t lines) { return lines + 4; }
  int64_t stageBytes() const;
  // Of small tiles more are on their way: fewer bytes at a time, from memory as far away.
  int64_t stages() const;

  // Finished sums go through shared memory, so many rows of each warp at a
  // time.
  int64_t sliceOfWarp() const;
  int64_t slices() const { return rowsOfWarp() / sliceOfWarp(); }
  int64_t sliceRows() const { return warpRows * sliceOfWarp(); }
  // How far apart the rows of two warps are, and those of two slices. A warp
  // has its rows of each matrix of a warpgroup, 16 of 64.
  int64_t warpPitch() const { return units == Units::Warpgroups ? 16 : rowsOfWarp(); }
  int64_t slicePitch() const { return units == Units::Warpgroups ? 64 : sliceOfWarp(); }
  int64_t resultPitch() const { return columns() + (units == Units::Threads ? 4 : 8); }
  int64_t sharedBytes() const;
  // Where it begins: warpgroups find chunks by the bits of their addresses.
  uint64_t sharedAlignment() const { return units == Units::Warpgroups ? 1024 : 16; }

  // The same rows and columns of the same threads, multiplied as sm_90a can:
  // nullopt where threads or tf32 do, or rows or threads are too few for a
  // warpgroup.
  std::optional<ContractionTile> ofLargeMatrices() const;
};

// "128 x 64 x 16, a warp 32 x 32, a thread 8 x 4", for people.
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const ContractionTile &tile);

// A product whose sizes may not be known. Tiles follow from them alone, the
// same whatever the device; what multiplies them may differ.
struct ContractionSizes {
  std::optional<int64_t> batch, rows, columns, depth;
};
ContractionTile chooseTile(ContractionTile::Units units, int64_t sumBytes,
                           const ContractionSizes &sizes, bool hasLargeMatrices);
// How many blocks should share the depth of so many of these tiles at most: 1
// where tiles are enough, or not known, since each needs a counter (Meeting).
int64_t mostDepthParts(const ContractionTile &tile, const ir::DimExpr &tiles,
                       const ir::DimExpr &depth);
// The same of what is no tile.
int64_t mostDepthParts(const ir::DimExpr &tiles, const ir::DimExpr &depth);
// Of a depth that is known at the call only, the least that is worth a block of
// its own; and how many share a depth then.
inline constexpr int64_t leastPartDepth = 128;
ir::DimExpr partsOfDepth(const ir::DimExpr &depth, int64_t mostParts);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONTILE_H
