#include "codegen/gpu/contractions/ContractionTile.h"

#include "codegen/lowering/Rounding.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cmath>

using namespace keratin::codegen;
using keratin::ir::DimExpr;

using Units = ContractionTile::Units;

int64_t ContractionTile::stageBytes() const {
  if (isStaged())
    return (rows() + columns()) * depth * elementBytes();
  return (pitch(rows()) + pitch(columns())) * depth * sumBytes;
}

// As many bytes as three of the largest tile, so that two blocks are on a multiprocessor.
int64_t ContractionTile::stages() const {
  constexpr int64_t least = 3, most = 4, mostBytes = 48 << 10, mostOfWarpgroup = 6;
  if (!isStaged())
    return 2;
  if (units == Units::Warpgroups)
    return std::clamp(2 * mostBytes / stageBytes(), least, mostOfWarpgroup);
  return std::clamp(mostBytes / stageBytes(), least, most);
}

// Of threads a group of each one's rows, of tensor cores the rows of a matrix.
int64_t ContractionTile::sliceOfWarp() const {
  switch (units) {
  case Units::Threads:
    return laneRows() * group();
  case Units::Doubles:
  case Units::LargeDoubles:
    return 8;
  case Units::Halves:
  case Units::TensorFloats:
  case Units::Warpgroups:
    return 16;
  }
  return 0;
}

// Rows of 64 halves fill all banks of shared memory once.
std::optional<ContractionTile> ContractionTile::ofLargeMatrices() const {
  constexpr int64_t warps = 4, matrixRows = 64;
  if (units == Units::Doubles) {
    ContractionTile tile = *this;
    tile.units = Units::LargeDoubles;
    return tile;
  }
  if (units != Units::Halves || warpRows * warpColumns != warps || rows() % matrixRows != 0)
    return std::nullopt;
  ContractionTile tile = *this;
  tile.units = Units::Warpgroups;
  tile.warpRows = warps;
  tile.warpColumns = 1;
  tile.depth = 2 * depth;
  tile.threadRows = rows() / (warps * laneRows());
  tile.threadColumns = columns() / laneColumns();
  return tile;
}

int64_t ContractionTile::sharedBytes() const {
  return std::max(stages() * stageBytes(), sliceRows() * resultPitch() * sumBytes);
}

llvm::raw_ostream &keratin::codegen::operator<<(llvm::raw_ostream &out,
                                                const ContractionTile &tile) {
  out << tile.rows() << " x " << tile.columns() << " x " << tile.depth;
  if (tile.units == Units::Warpgroups)
    return out << ", a warpgroup all by tensor cores";
  out << ", a warp " << tile.rowsOfWarp() << " x " << tile.columnsOfWarp();
  if (tile.units == Units::Threads)
    return out << ", a thread " << tile.threadRows << " x " << tile.threadColumns;
  return out << " by tensor cores" << (tile.units == Units::TensorFloats ? " in tf32" : "");
}

//===-- Choice
//--------------------------------------------------------------------------------===//

namespace {

// A tile, and how much of what the largest do is done while a device is busy with
// such: the larger the tile, the fewer numbers are read for a product.
struct Candidate {
  ContractionTile tile;
  double speed;
};

} // namespace

// Multiprocessors of a device as tiles are chosen for.
static constexpr int64_t processors = 128;
// What a size is taken for that is not known: a batch of images, a sequence.
static constexpr int64_t typicalSize = 1024;

static const Candidate threads4[] = {
    {{Units::Threads, 4, 2, 8, 8, 16, 4}, 1.00}, // 128 x 128
    {{Units::Threads, 4, 1, 8, 8, 16, 4}, 0.85}, // 128 x 64
    {{Units::Threads, 2, 2, 8, 8, 16, 4}, 0.85}, // 64 x 128
    {{Units::Threads, 2, 2, 8, 4, 16, 4}, 0.70}, // 64 x 64
    {{Units::Threads, 4, 1, 8, 4, 16, 4}, 0.60}, // 128 x 32
    {{Units::Threads, 2, 2, 4, 8, 16, 4}, 0.60}, // 32 x 128
    {{Units::Threads, 2, 2, 4, 4, 16, 4}, 0.45}, // 32 x 64
    {{Units::Threads, 4, 1, 4, 4, 16, 4}, 0.45}, // 64 x 32
    {{Units::Threads, 2, 1, 4, 4, 16, 4}, 0.25}, // 32 x 32
};
static const Candidate threads8[] = {
    {{Units::Threads, 4, 2, 8, 4, 8, 8}, 1.00}, // 128 x 64
    {{Units::Threads, 2, 2, 8, 4, 8, 8}, 0.90}, // 64 x 64
    {{Units::Threads, 2, 2, 4, 4, 8, 8}, 0.65}, // 32 x 64
    {{Units::Threads, 4, 1, 4, 4, 8, 8}, 0.65}, // 64 x 32
    {{Units::Threads, 2, 1, 4, 4, 8, 8}, 0.40}, // 32 x 32
};
static const Candidate doubles[] = {
    {{Units::Doubles, 2, 2, 8, 8, 8, 8}, 1.00}, // 128 x 64
    {{Units::Doubles, 2, 2, 4, 8, 8, 8}, 0.80}, // 64 x 64
    {{Units::Doubles, 2, 2, 4, 4, 8, 8}, 0.60}, // 64 x 32
    {{Units::Doubles, 1, 2, 4, 4, 8, 8}, 0.35}, // 32 x 32
};
static const Candidate halves[] = {
    {{Units::Halves, 2, 2, 8, 16, 32, 4}, 1.00}, // 128 x 128
    {{Units::Halves, 2, 2, 8, 8, 32, 4}, 0.80},  // 128 x 64
    {{Units::Halves, 2, 2, 4, 16, 32, 4}, 0.80}, // 64 x 128
    {{Units::Halves, 2, 2, 4, 8, 32, 4}, 0.55},  // 64 x 64
    {{Units::Halves, 1, 2, 4, 8, 32, 4}, 0.30},  // 32 x 64
    {{Units::Halves, 2, 1, 4, 8, 32, 4}, 0.30},  // 64 x 32
    {{Units::Halves, 1, 2, 4, 4, 32, 4}, 0.20},  // 32 x 32
};
static const Candidate tensorFloats[] = {
    {{Units::TensorFloats, 2, 2, 8, 16, 16, 4}, 1.00}, // 128 x 128
    {{Units::TensorFloats, 2, 2, 8, 8, 16, 4}, 0.80},  // 128 x 64
    {{Units::TensorFloats, 2, 2, 4, 16, 16, 4}, 0.80}, // 64 x 128
    {{Units::TensorFloats, 2, 2, 4, 8, 16, 4}, 0.55},  // 64 x 64
    {{Units::TensorFloats, 1, 2, 4, 8, 16, 4}, 0.30},  // 32 x 64
    {{Units::TensorFloats, 2, 1, 4, 8, 16, 4}, 0.30},  // 64 x 32
    {{Units::TensorFloats, 1, 2, 4, 4, 16, 4}, 0.20},  // 32 x 32
};

static llvm::ArrayRef<Candidate> candidatesOf(Units units, int64_t sumBytes) {
  switch (units) {
  case Units::Threads:
    return sumBytes == 4 ? llvm::ArrayRef<Candidate>(threads4)
                         : llvm::ArrayRef<Candidate>(threads8);
  case Units::Doubles:
  case Units::LargeDoubles:
    return doubles;
  case Units::Halves:
  case Units::Warpgroups:
    return halves;
  case Units::TensorFloats:
    return tensorFloats;
  }
  return {};
}

// Products and sums of a multiprocessor in a cycle, where it has enough of the largest tiles.
static double rateOf(Units units) {
  switch (units) {
  case Units::Threads:
    return 96;
  case Units::Doubles:
  case Units::LargeDoubles:
    return 64;
  case Units::Halves:
  case Units::Warpgroups:
    return 1000;
  case Units::TensorFloats:
    return 350;
  }
  return 1;
}

// Cycles of an H100, about, for so many tiles whose depth so many blocks share. `speed`: a
// Candidate's.
static double cyclesOf(const ContractionTile &tile, double speed, double tiles, int64_t depth,
                       int64_t parts) {
  // For a block to begin and to end; for blocks to meet; from memory; between two stages.
  constexpr double begin = 1500, meet = 2000, latency = 600, between = 200;
  const double results = double(tile.rows() * tile.columns());
  double blocks = std::ceil(tiles * double(parts) / double(processors)); // of a multiprocessor
  double ofPart = double(ceilDiv(depth, parts)), turns = std::ceil(blocks / 2);
  double products = blocks * results * ofPart / (speed * rateOf(tile.units));
  double ofStage = tile.isStaged() ? latency / 3 : latency,
         pause = tile.isStaged() ? between / 2 : between;
  // As the same tile of warps.
  const int64_t depthOfStage = tile.units == Units::Warpgroups ? tile.depth / 2 : tile.depth;
  double stages = std::ceil(ofPart / double(depthOfStage)) * turns;
  double cycles = begin + std::max(products + stages * pause, stages * ofStage);
  cycles += blocks * results / 8; // written
  if (parts == 1)
    return cycles;
  // Written by each, and read by one, whose threads have 16 groups on their way.
  double groups = results / double(tile.group() * tile.threads()) * double(parts);
  return cycles + meet + blocks * results / 16 + results * double(parts) / 12 + groups / 16 * 500;
}

// What a size is taken for.
static int64_t typical(std::optional<int64_t> size) {
  return std::max<int64_t>(1, size.value_or(typicalSize));
}

// How many blocks share a depth, and how long it takes.
struct Sharing {
  int64_t parts;
  double cycles;
};
static Sharing bestSharing(const ContractionTile &tile, double speed, double tiles, int64_t depth) {
  Sharing best = {1, cyclesOf(tile, speed, tiles, depth, 1)};
  // Whole stages, of warpgroups too: what multiplies does not count.
  const int64_t ofStage = tile.isOfHalves() ? 64 : tile.depth;
  const int64_t most = tiles < 1 ? 1 : int64_t(double(2 * processors) / tiles);
  for (int64_t parts = 2; parts <= most && parts <= depth / (2 * ofStage); ++parts) {
    if (ceilDiv(depth, roundUp(ceilDiv(depth, parts), ofStage)) != parts)
      continue;
    double cycles = cyclesOf(tile, speed, tiles, depth, parts);
    if (cycles < best.cycles)
      best = {parts, cycles};
  }
  return best;
}

static double tilesOf(const ContractionTile &tile, const ContractionSizes &sizes) {
  return double(ceilDiv(typical(sizes.rows), tile.rows())) *
         double(ceilDiv(typical(sizes.columns), tile.columns())) *
         double(std::max<int64_t>(1, sizes.batch.value_or(1)));
}

static double speedOf(const ContractionTile &tile) {
  for (const Candidate &candidate : candidatesOf(tile.units, tile.sumBytes))
    if (candidate.tile.rows() == tile.rows() && candidate.tile.columns() == tile.columns())
      return candidate.speed;
  return 1;
}

int64_t keratin::codegen::mostDepthParts(const DimExpr &tiles, const DimExpr &depth) {
  int64_t count = tiles.isConstant() ? tiles.constantValue() : processors;
  int64_t most = count < 1 || 2 * count > processors ? 1 : processors / count;
  if (depth.isConstant())
    most = std::min(most, std::max<int64_t>(1, depth.constantValue() / leastPartDepth));
  return most;
}

int64_t keratin::codegen::mostDepthParts(const ContractionTile &tile, const DimExpr &tiles,
                                         const DimExpr &depth) {
  if (!tiles.isConstant() || !depth.isConstant())
    return mostDepthParts(tiles, depth);
  return bestSharing(tile, speedOf(tile), double(tiles.constantValue()), depth.constantValue())
      .parts;
}

DimExpr keratin::codegen::partsOfDepth(const DimExpr &depth, int64_t mostParts) {
  if (depth.isConstant())
    return DimExpr(mostParts);
  DimExpr worthwhile = *max(DimExpr(1), *floordiv(depth, DimExpr(leastPartDepth)));
  return *min(DimExpr(mostParts), worthwhile);
}

ContractionTile keratin::codegen::chooseTile(Units units, int64_t sumBytes,
                                             const ContractionSizes &sizes, bool hasLargeMatrices) {
  // The first of equals: the largest.
  const Candidate *best = nullptr;
  double fewest = 0;
  for (const Candidate &candidate : candidatesOf(units, sumBytes)) {
    double cycles = bestSharing(candidate.tile, candidate.speed, tilesOf(candidate.tile, sizes),
                                typical(sizes.depth))
                        .cycles;
    if (!best || cycles < fewest) {
      best = &candidate;
      fewest = cycles;
    }
  }
  return hasLargeMatrices ? best->tile.ofLargeMatrices().value_or(best->tile) : best->tile;
}
