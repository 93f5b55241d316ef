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

// Of threads a group of each one's rows, of tensor cores the rows of a matrix.
int64_t ContractionTile::sliceOfWarp() const {
  switch (units) {
  case Units::Threads:
    return laneRows() * group();
  case Units::Doubles:
    return 8;
  case Units::Halves:
  case Units::TensorFloats:
  case Units::Warpgroups:
    return 16;
  }
  return 0;
}

// Rows of 64 halves fill all banks of shared memory once.
std::optional<ContractionTile> ContractionTile::ofWarpgroup() const {
  constexpr int64_t warps = 4, matrixRows = 64;
  if (units != Units::Halves || warpRows * warpColumns != warps || rows() % matrixRows != 0)
    return std::nullopt;
  ContractionTile tile = {Units::Warpgroups, warps, 1, 0, 0, /*depth=*/64, sumBytes};
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

// A tile, and how much of a device's arithmetic is done while all of it is busy
// with such: the larger the tile, the fewer numbers are read for a product.
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
    return doubles;
  case Units::Halves:
  case Units::Warpgroups:
    return halves;
  case Units::TensorFloats:
    return tensorFloats;
  }
  return {};
}

int64_t keratin::codegen::mostDepthParts(int64_t tiles) {
  return tiles < 1 || 2 * tiles > processors ? 1 : processors / tiles;
}

int64_t keratin::codegen::mostDepthParts(const DimExpr &tiles, const DimExpr &depth) {
  int64_t most = tiles.isConstant() ? mostDepthParts(tiles.constantValue()) : 1;
  if (depth.isConstant())
    most = std::min(most, std::max<int64_t>(1, depth.constantValue() / leastPartDepth));
  return most;
}

DimExpr keratin::codegen::partsOfDepth(const DimExpr &depth, int64_t mostParts) {
  DimExpr worthwhile = *max(DimExpr(1), *floordiv(depth, DimExpr(leastPartDepth)));
  return *min(DimExpr(mostParts), worthwhile);
}

// How much of a device's arithmetic is done.
static double scoreOf(const Candidate &candidate, const ContractionSizes &sizes) {
  auto typical = [](std::optional<int64_t> size) {
    return std::max<int64_t>(1, size.value_or(typicalSize));
  };
  const ContractionTile &tile = candidate.tile;
  int64_t m = typical(sizes.rows), n = typical(sizes.columns);
  int64_t down = ceilDiv(m, tile.rows()), across = ceilDiv(n, tile.columns());
  double used =
      double(m) * double(n) / (double(down * tile.rows()) * double(across * tile.columns()));
  double blocks =
      double(down) * double(across) * double(std::max<int64_t>(1, sizes.batch.value_or(1)));
  double speed = candidate.speed;
  int64_t parts = blocks > double(processors) ? 1 : mostDepthParts(int64_t(blocks));
  parts = std::clamp<int64_t>(typical(sizes.depth) / leastPartDepth, 1, parts);
  if (parts > 1) {
    blocks *= double(parts);
    speed *= 0.9; // parts are written and read once more
  }
  return speed * used * blocks / (std::ceil(blocks / double(processors)) * double(processors));
}

ContractionTile keratin::codegen::chooseTile(Units units, int64_t sumBytes,
                                             const ContractionSizes &sizes, bool hasWarpgroups) {
  llvm::ArrayRef<Candidate> candidates = candidatesOf(units, sumBytes);
  // The first of equals: the largest.
  const Candidate *best = &candidates.front();
  for (const Candidate &candidate : candidates.drop_front())
    if (scoreOf(candidate, sizes) > scoreOf(*best, sizes))
      best = &candidate;
  return hasWarpgroups ? best->tile.ofWarpgroup().value_or(best->tile) : best->tile;
}
