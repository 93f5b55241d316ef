// What a contraction decides at compile time: its register tile, its blocks, and what is packed.
#include "codegen/cpu/ContractionPlan.h"

#include "codegen/cpu/ContractionAmx.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace keratin::codegen;

// Rows of a unit whose sums are not continued.
constexpr int64_t kUnitRows = 56;

// Whether tiles are as wide as the processor likes them for many rows: A is read along its rows,
// and the last panel has no more to spare than that of tiles of two vectors.
static bool areWide(const ContractionSpec &spec, const MachineTarget &target, int64_t vectors,
                    const ContractionCall &call) {
  const int64_t wide = target.products.tileVectors;
  const bool areMany = spec.m.constant && *spec.m.constant > kUnitRows;
  return wide > 2 && target.vectorRegisters >= 32 && areMany && !call.isOnlyTiles &&
         spec.a.constantColStride == 1 && isa<FloatType>(spec.accumulatorType) &&
         roundUp(vectors, wide) == roundUp(vectors, 2);
}

// Vectors in a row of the tile: as many columns as there are, else what wastes least of the last
// panel.
static int64_t chooseVectors(const ContractionSpec &spec, const MachineTarget &target,
                             int64_t lanes, const ContractionCall &call) {
  const ContractionCall::Columns columns = call.columns;
  constexpr int64_t any = 1 << 20;
  if (!spec.n.constant && columns == ContractionCall::Any)
    return 2;
  int64_t vectors = columns == ContractionCall::OneVector ? 1 : any;
  if (spec.n.constant)
    vectors = std::max<int64_t>(1, ceilDiv(*spec.n.constant, lanes));
  if (vectors <= 2)
    return vectors;
  // A row or two stream B, and long stretches of its rows stream best.
  if (spec.m.constant && *spec.m.constant <= 2 && spec.b.constantColStride == 1) {
    return std::min<int64_t>(vectors,
                             target.vectorRegisters / 2 / std::max<int64_t>(1, *spec.m.constant));
  }
  if (spec.n.constant && areWide(spec, target, vectors, call))
    return target.products.tileVectors;
  // Two come first: they leave the most rows, hence the fewest loads for a product.
  int64_t best = 2, bestCost = roundUp(vectors, 2);
  if (target.vectorRegisters >= 32)
    for (int64_t candidate : {3, 4})
      if (roundUp(vectors, candidate) < bestCost) {
        best = candidate;
        bestCost = roundUp(vectors, candidate);
      }
  return best;
}

// What more than two rows read where it is, if they are few: of a larger B they wait for memory
// less where tiles bring it near.
constexpr int64_t kNearBytes = 512 * 1024, kNearColumns = 128;

static bool isKnownToBeNear(const ContractionSpec &spec, int64_t bytes) {
  if (!spec.n.constant || spec.b.constantColStride != 1)
    return false;
  const int64_t columns = *spec.n.constant;
  return columns <= kNearColumns ||
         (spec.k.constant && columns <= kNearBytes / bytes / (*spec.k.constant + 1));
}

// Of one tile: two products a cycle, or two loads.
double keratin::codegen::cyclesOfTile(int64_t rows, int64_t vectors, bool isWide) {
  const int64_t loads = isWide ? vectors * (rows + 1) : rows + vectors;
  return std::max(double(rows * vectors), double(loads + 1)) / 2 + 0.25;
}

// Of one tile of a few, each of which reads all of B again; a short step waits for the multiplier.
static double cyclesOfFew(int64_t rows, int64_t vectors) {
  constexpr double latency = 5;
  return std::max(cyclesOfTile(rows, vectors, false), latency) + 0.5 * double(vectors);
}

// See ContractionPlan::tilesOfRest.
static void chooseTilesOfRest(ContractionPlan &plan) {
  SmallVector<int64_t, 4> sizes{plan.tileRows};
  llvm::append_range(sizes, plan.middleRows);
  sizes.push_back(plan.tailRows);
  struct Choice {
    double cycles = 0;
    SmallVector<uint64_t, 4> counts;
  };
  // Of each number of rows, from none on.
  SmallVector<Choice> choices{{0, SmallVector<uint64_t, 4>(sizes.size(), 0)}};
  for (int64_t rest = 1; rest < 2 * plan.tileRows; ++rest) {
    Choice best;
    for (auto [i, rows] : llvm::enumerate(sizes)) {
      // Of rows that are packed side by side, smaller tiles do not begin in one and end in the
      // next.
      const bool isLargest = i == 0;
      if (isLargest ? rest < rows - plan.repeatedRows
                    : rest > plan.tileRows - plan.repeatedRows && plan.aColumnsContiguous)
        continue;
      const Choice &after = choices[std::max<int64_t>(0, rest - rows)];
      const double cycles = after.cycles + cyclesOfFew(rows, plan.tileVectors);
      if (!best.counts.empty() && cycles >= best.cycles)
        continue;
      best = {cycles, after.counts};
      ++best.counts[i];
    }
    choices.push_back(std::move(best));
  }
  plan.tilesOfRest.assign(sizes.size() - 1, 0);
  for (auto [rest, choice] : llvm::enumerate(choices))
    for (auto [i, bits] : llvm::enumerate(plan.tilesOfRest))
      bits |= choice.counts[i] << (2 * rest);
}

void keratin::codegen::chooseMiddleRows(ContractionPlan &plan, const MachineTarget &target,
                                        bool finishesMany) {
  // Each tile reads all of B, which takes as long for few rows as for half a tile of them.
  SmallVector<int64_t, 2> middle{3 * plan.tailRows, 2 * plan.tailRows};
  if (target.vectorRegisters < 32)
    middle = {plan.tileRows - 1};
  else if (finishesMany)
    middle = {2 * plan.tailRows};
  for (int64_t rows : middle)
    if (rows > plan.tailRows && rows < plan.tileRows)
      plan.middleRows.push_back(rows);
  if (plan.middleRows.empty())
    return;
  plan.repeatedRows = 1;
  chooseTilesOfRest(plan);
}

// Of known rows, more than a tile has: as many as `most`, and small tiles for what they leave, or
// where there are but a few tiles fewer, of which the last one may repeat a row, or some have one
// fewer.
static void chooseKnownRows(ContractionPlan &plan, int64_t m, bool isOnlyTiles) {
  const int64_t most = plan.tileRows;
  auto cycles = [&](int64_t rows) { return cyclesOfFew(rows, plan.tileVectors); };
  auto withTail = [&](int64_t rows) {
    return double(m / rows) * cycles(rows) +
           double(ceilDiv(m % rows, plan.tailRows)) * cycles(plan.tailRows);
  };
  const int64_t tiles = ceilDiv(m, most), rows = ceilDiv(m, tiles), lacking = tiles * rows - m;
  constexpr int64_t fewTiles = 4;
  int64_t best = most;
  double bestCycles = 0.985 * withTail(most);
  if (tiles <= fewTiles) {
    for (int64_t rows = most - 1; rows > plan.tailRows; --rows)
      if (withTail(rows) <= bestCycles) {
        best = rows;
        bestCycles = withTail(rows);
      }
    if (!isOnlyTiles && double(tiles) * cycles(rows) <= bestCycles) {
      best = rows;
      bestCycles = double(tiles) * cycles(rows);
      plan.repeatedRows = lacking;
      plan.tailRows = 0;
    }
  }
  // Rows that are packed side by side are so for tiles of one size.
  const bool mayEven = !isOnlyTiles && !plan.aColumnsContiguous && m <= kUnitRows && lacking > 0;
  if (mayEven &&
      double(tiles - lacking) * cycles(rows) + double(lacking) * cycles(rows - 1) < bestCycles) {
    best = rows;
    plan.repeatedRows = 0;
    plan.tailRows = rows - 1;
    plan.evensRows = true;
  }
  plan.tileRows = best;
}

// Of rows contiguous in k, a line of each is read for as many steps as it has elements, and is to
// stay meanwhile. Rows at multiples of `kSetBytes` meet in one set of a first-level cache.
constexpr int64_t kSetBytes = 4096, kLinesOfSet = 8;

// Whether all rows of A are known to meet in one set.
static bool isKnownToBeCrowded(const ContractionSpec &spec, int64_t bytes) {
  return spec.a.elementType == spec.accumulatorType && spec.a.constantColStride == 1 &&
         spec.a.constantRowStride && *spec.a.constantRowStride * bytes % kSetBytes == 0;
}

// Rows of the tile: registers hold rows x vectors sums, one row of B and one element of A. As many
// as fit, almost always: the small tile takes care of what is left over, and contractions with the
// same tile share its code.
static void chooseRows(ContractionPlan &plan, const ContractionSpec &spec,
                       const MachineTarget &target, int64_t bytes, ContractionCall call) {
  int64_t registers = target.vectorRegisters;
  // One row can do without a register for each vector of B: it reads each from memory just once.
  int64_t limit = plan.tileVectors == 1 ? 16 : 14;
  // Of many, so many that a set has room for them. Few read more of B than of A.
  const bool areMany = spec.m.constant && *spec.m.constant > 4 * limit;
  if (plan.tileVectors > 1 && areMany && isKnownToBeCrowded(spec, bytes))
    limit = kLinesOfSet;
  int64_t most =
      std::clamp<int64_t>((registers - 1 - plan.tileVectors) / plan.tileVectors, 1, limit);
  plan.tileRows = registers < 32 && plan.tileVectors < 3 ? std::min<int64_t>(most, 6) : most;
  plan.tailRows = registers < 32 ? 3 : 4;
  if (!spec.m.constant) {
    // Where few rows have other tiles, these finish many.
    if (call.mayHaveFewRows)
      chooseMiddleRows(plan, target, /*finishesMany=*/isKnownToBeNear(spec, bytes));
    return;
  }
  int64_t m = std::max<int64_t>(1, *spec.m.constant);
  if (m <= plan.tileRows) {
    plan.tileRows = m;
    plan.tailRows = 0;
    return;
  }
  chooseKnownRows(plan, m, call.isOnlyTiles);
  if (m % plan.tileRows == 0)
    plan.tailRows = 0;
}

// Where things are in the scratch: what is known is allotted exactly, else the limits hold.
static ContractionPlan::Scratch layOutScratch(const ContractionSpec &spec,
                                              const ContractionPlan &plan, int64_t elementBytes) {
  ContractionPlan::Scratch scratch;
  // All rows are one block: panels of B are packed one at a time.
  const bool packsPanelwise = spec.m.constant && *spec.m.constant <= plan.regimes.back().rows;
  int64_t ofA = 0, ofB = 0, waiting = plan.regimes.front().rows + plan.spareRows();
  SmallVector<ContractionPlan::Regime, 4> regimes(plan.regimes.begin(), plan.regimes.end());
  if (plan.continues)
    regimes.push_back(plan.continued);
  for (const ContractionPlan::Regime &regime : regimes) {
    int64_t depth = regime.depth;
    if (spec.k.constant) {
      int64_t needed = std::max<int64_t>(1, ceilDiv(*spec.k.constant, plan.depthStep));
      needed = roundUp(needed, plan.stepsAtOnce());
      const bool isContinued = plan.continues && &regime == &regimes.back();
      if (depth < needed && !isContinued)
        continue;
      depth = std::min(depth, needed);
    }
    auto most = [](const ContractionSize &size, int64_t limit, int64_t tile) {
      return size.constant ? std::min(limit, std::max(roundUp(*size.constant, tile), tile)) : limit;
    };
    const int64_t tiles = most(spec.m, regime.rows, plan.tileRows) / plan.tileRows;
    ofA = std::max(ofA, tiles * packedTileElements(plan, depth));
    const int64_t mostColumns = packsPanelwise ? plan.tileColumns() : regime.columns;
    ofB = std::max(ofB, depth * most(spec.n, mostColumns, plan.tileColumns()));
    if (spec.k.constant)
      break;
  }
  // Sums wait for one panel, or for all panels of a unit if they are continued.
  if (plan.continues)
    waiting = std::max(waiting, plan.continued.columns / plan.tileColumns() *
                                    (plan.continued.rows + plan.spareRows()));
  // Or for all panels of few rows.
  if (plan.mayStreamB) {
    int64_t few =
        roundUp(std::min(plan.sharedColumns, plan.regimes.front().columns), plan.tileColumns());
    int64_t panels = few / plan.tileColumns();
    waiting = std::max(waiting, panels * (plan.regimes.front().rows + plan.spareRows()));
  }
  // Every part begins on a cache line.
  auto align = [](int64_t elements) { return roundUp(elements, 64); };
  scratch.b = scratch.a;
  if (plan.packsA)
    scratch.b += align(ofA);
  scratch.sums = scratch.b;
  if (plan.packsB)
    scratch.sums += align(ofB);
  int64_t end = scratch.sums + align(waiting * plan.tileColumns());
  scratch.leastOfPairs = end;
  if (plan.isOfBfloat16())
    end += align(2);
  scratch.bytes = roundUp(end * elementBytes, 64);
  return scratch;
}

// Whether there is one row, and both operands are known to be contiguous in k.
static bool isDots(const ContractionSpec &spec) {
  return spec.m.constant == 1 && spec.a.constantColStride == 1 && spec.b.constantRowStride == 1;
}

// Whether the last vector of so many elements of A and B may be read by itself, often: loads with
// masks take no longer than others, or none is needed.
static bool readsParts(const ContractionSpec &spec, const MachineTarget &target, int64_t elements) {
  const unsigned narrowest = std::min(spec.a.elementType.getIntOrFloatBitWidth(),
                                      spec.b.elementType.getIntOrFloatBitWidth());
  const unsigned lanes = target.lanes(spec.accumulatorType.getIntOrFloatBitWidth());
  // 256 bits have them for elements of 32 bits and more.
  return elements % lanes == 0 || target.vectorBits >= 512 ||
         (target.vectorBits >= 256 && narrowest >= 32);
}

static void chooseDots(ContractionPlan &plan, const ContractionSpec &spec,
                       const MachineTarget &target, int64_t bytes) {
  ContractionDots &dots = plan.dots.emplace();
  dots.lanes = plan.lanes;
  // Vectors of sums are read whole.
  plan.scratch.bytes = roundUp(2 * dots.unitRows * bytes, 64);
  // Of short rows loops and their last steps would take longer than the products.
  constexpr int64_t mostVectors = 2;
  const int64_t depth = spec.k.constant.value_or(0);
  if (depth == 0 || depth > mostVectors * plan.lanes || !readsParts(spec, target, depth))
    return;
  dots.depth = depth;
  dots.vectorsAtOnce = ceilDiv(depth, plan.lanes);
  // As many as a vector has sums for, or as there are.
  dots.rowsAtOnce = std::min<int64_t>(plan.lanes, dots.unitRows / 4);
  while (spec.n.constant && dots.rowsAtOnce > std::max<int64_t>(1, *spec.n.constant))
    dots.rowsAtOnce /= 2;
}

// Whether one tile holds all rows: what it reads of B nobody reads again, so nothing is packed.
static bool chooseNarrow(ContractionPlan &plan, const ContractionSpec &spec,
                         const MachineTarget &target, int64_t bytes) {
  if (!spec.m.constant || !spec.n.constant || spec.b.constantColStride != 1)
    return false;
  constexpr int64_t mostRows = 16, inFlight = 8;
  const int64_t rows = *spec.m.constant, columns = *spec.n.constant;
  if (rows < 1 || rows > mostRows || columns < 1 || !readsParts(spec, target, columns))
    return false;
  if (rows > 2 && !isKnownToBeNear(spec, bytes))
    return false;
  // Registers hold the sums, a row of B, and what elements of A are spread over; a row or two
  // stream B, and long stretches of its rows stream best.
  const int64_t registers = target.vectorRegisters;
  const int64_t most =
      rows <= 2 ? registers / 2 / rows : std::min<int64_t>(4, (registers - 4) / (rows + 1));
  if (most < 1 || (most < 2 && columns > plan.lanes))
    return false;
  ContractionNarrow &narrow = plan.narrow.emplace();
  const int64_t vectors = ceilDiv(columns, plan.lanes);
  narrow.lanes = plan.lanes;
  narrow.rows = rows;
  // Evened out.
  narrow.vectors = ceilDiv(vectors, ceilDiv(vectors, most));
  narrow.panels = ceilDiv(vectors, narrow.vectors);
  while (narrow.streams * rows * narrow.vectors < inFlight)
    narrow.streams *= 2;
  if (narrow.panels > 1 || rows * narrow.vectors > narrow.mostDirect)
    plan.scratch.bytes = roundUp(rows * narrow.vectors * plan.lanes * bytes, 64);
  return true;
}

// Whether many rows meet so few numbers of B, known and one behind the other, that tiles can go
// through all of them before the next: results are stored about in the order of memory, which
// shallow sums wait for longer than they multiply.
static bool chooseStrips(ContractionPlan &plan, const ContractionSpec &spec,
                         const MachineTarget &target, int64_t bytes, int64_t instructionsOfStore) {
  constexpr int64_t mostDepth = 128, nearBytes = 160 * 1024, mostInstructions = 16;
  if (!spec.n.constant || !spec.k.constant || spec.batch.constant != 1)
    return false;
  const int64_t columns = *spec.n.constant, depth = *spec.k.constant;
  const bool areInPlace = spec.a.constantColStride == 1 && spec.b.constantColStride == 1 &&
                          spec.b.constantRowStride == columns &&
                          spec.a.elementType == spec.accumulatorType &&
                          spec.b.elementType == spec.accumulatorType;
  ContractionStrips strips;
  strips.lanes = plan.lanes;
  const bool areMany = !spec.m.constant || *spec.m.constant > kUnitRows;
  const bool areWhole = plan.lanes > 1 && columns > plan.lanes && columns % plan.lanes == 0;
  const bool isNear = depth > 0 && depth <= mostDepth && columns <= nearBytes / bytes / depth;
  if (!areInPlace || !areMany || !areWhole || !isNear)
    return false;
  // Registers hold the sums, a row of B and an element of A; tiles are evened out.
  const int64_t most = target.vectorRegisters >= 32 ? 4 : 2, vectors = columns / plan.lanes;
  strips.vectors = ceilDiv(vectors, ceilDiv(vectors, most));
  strips.storesSums = instructionsOfStore <= mostInstructions;
  if (!strips.storesSums || !spec.m.isMultipleOf(strips.rows))
    plan.scratch.bytes = roundUp(strips.rows * strips.vectors * plan.lanes * bytes, 64);
  plan.strips = strips;
  return true;
}

// The same where not all sizes are known.
static bool chooseFew(ContractionPlan &plan, const ContractionSpec &spec,
                      const MachineTarget &target, int64_t bytes, bool hasFewRows) {
  ContractionFew few;
  const bool isOneOrTwo = spec.m.constant && *spec.m.constant <= few.streamedRows;
  if (!hasFewRows && !(isOneOrTwo && !spec.n.constant))
    return false;
  if (spec.b.constantColStride != 1 || !readsParts(spec, target, spec.n.constant.value_or(1)))
    return false;
  few.lanes = plan.lanes;
  few.panelVectors = target.vectorRegisters / 2;
  few.nearColumns = kNearColumns;
  few.nearElements = kNearBytes / bytes;
  const bool knowsB = spec.n.constant && spec.k.constant;
  if (knowsB && !isKnownToBeNear(spec, bytes))
    return false;
  // Of one vector tiles of eight and more rows are better.
  if (spec.n.constant && *spec.n.constant <= plan.lanes)
    few.mostRows = 2 * few.tileRows - 1;
  // Sixteen are one tile.
  if (!spec.m.constant && !spec.n.constant && target.vectorRegisters >= 32)
    few.mostRowsOfVector = 15;
  if (spec.m.constant && *spec.m.constant > few.mostRows)
    return false;
  const int64_t most = spec.n.constant ? few.mostRows : few.mostRowsOfParts;
  plan.scratch.bytes = spec.m.constant.value_or(most) * few.panelColumns() * bytes;
  plan.few = few;
  return true;
}

// Tiles read a panel of B, and rows of A, from a second-level cache as fast as they multiply: so
// deep are their sums that to load and store them hardly counts. Where B is, its rows may be in
// each other's way: of what is not packed a panel stays in half of a first-level cache. What
// scratch holds: of A about half a second-level cache, of B what is measured (Processors.h): where
// the third-level cache is slow, a tile that has its panel from there takes twice as long. Columns
// of A that are packed come from there, too, again for each unit, and the more of B each copy meets
// the fewer copies there are. More than a few tiles of rows, or more columns, would gain nothing
// and leave threads less to share.
static void chooseBlocks(ContractionPlan &plan, const MachineTarget &target, int64_t bytes) {
  // Tiles of AMX multiply so fast that a panel has to be in a first-level cache.
  const int64_t panelBytes = (plan.usesAmx ? 32 : 64 * target.products.tileVectors) * 1024,
                mostRows = plan.usesAmx ? 128 : kUnitRows;
  constexpr int64_t inPlaceBytes = 32 * 1024;
  const int64_t rowBytes = plan.tileColumns() * bytes;
  plan.blockK = std::clamp<int64_t>(panelBytes / rowBytes, 128, 1024);
  plan.inPlaceK = std::clamp<int64_t>(inPlaceBytes / rowBytes, 128, 512);
  const bool packsColumns = plan.packsA && plan.aColumnsContiguous;
  const int64_t heldBytes =
      packsColumns ? target.products.heldPastColumnsBytes : target.products.heldColumnBytes;
  int64_t depth = plan.blockK;
  for (ContractionPlan::Regime &regime : plan.regimes) {
    auto most = [&](int64_t limit, int64_t held, int64_t tile) {
      return std::max(std::min(limit, held / (depth * bytes)) / tile, int64_t(1)) * tile;
    };
    regime = {depth, most(mostRows, 512 * 1024, plan.tileRows),
              most(1024, heldBytes, plan.tileColumns())};
    depth *= 2;
  }
  // Where sums wait anyway, few steps at a time leave room for more of them: what is packed of
  // either operand meets more of the other, and both stay in a second-level cache.
  auto whole = [](int64_t limit, int64_t tile) {
    return std::max(limit / tile, int64_t(1)) * tile;
  };
  plan.continued = {std::min<int64_t>(plan.blockK, 256), whole(112, plan.tileRows),
                    whole(256, plan.tileColumns())};
}

// Whether bfloat16, or integers that 16 bits with a sign hold, can be multiplied in pairs.
static bool hasPairs(const ContractionSpec &spec, const MachineTarget &target) {
  if (spec.k.constant && *spec.k.constant < 2)
    return false;
  if (spec.accumulatorType.isF32())
    return target.multipliesPairs && spec.a.elementType.isBF16() && spec.b.elementType.isBF16();
  return areSummedTogether(spec.accumulatorType, spec.a.elementType, spec.b.elementType, target);
}

// Those that 16 bits with a sign hold.
bool keratin::codegen::areSummedTogether(Type accumulator, Type a, Type b,
                                         const MachineTarget &target) {
  const bool hasVectors = target.lanes(32) >= 4;
  auto isShort = [](Type type) { return type.isInteger(8) || type.isSignlessInteger(16); };
  return target.multipliesWords && hasVectors && accumulator.isInteger(32) && isShort(a) &&
         isShort(b);
}

void keratin::codegen::sumTogether(ContractionPlan &tile, Type a, Type b,
                                   const MachineTarget &target, bool byTiles) {
  tile.depthStep = 2;
  tile.isOfIntegers = true;
  tile.isSignedA = !a.isUnsignedInteger();
  tile.isSignedB = !b.isUnsignedInteger();
  const bool areBytes = a.isInteger(8) && b.isInteger(8);
  const bool areDifferent = tile.isSignedA != tile.isSignedB;
  if (areBytes && (byTiles || (target.multipliesBytes && areDifferent)))
    tile.depthStep = 4;
}

// How narrow numbers are multiplied. To pack B costs more than to widen each row of it for each
// tile, if that is an instruction and tiles are few: a row of B is read where it is. Of one tile it
// also costs more than pairs save.
static void chooseNumbers(ContractionPlan &plan, const ContractionSpec &spec,
                          const MachineTarget &target, ContractionCall call) {
  if (call.isOnlyTiles || spec.b.elementType == spec.accumulatorType)
    return;
  bool isInPlace = spec.b.constantColStride == 1;
  bool isOneTile = spec.m.constant && *spec.m.constant <= plan.tileRows;
  bool isFewTiles = spec.m.constant ? *spec.m.constant <= 4 * plan.tileRows : call.mayHaveFewRows;
  bool isInstruction = !spec.b.elementType.isF16() || target.hasFma;
  bool mayBePairs = hasPairs(spec, target) && !(spec.m.constant && *spec.m.constant <= 2);
  plan.widensPanels = isa<FloatType>(spec.b.elementType) && isInstruction && !mayBePairs;
  plan.widensB = (isInPlace && (isOneTile || (isFewTiles && isInstruction && !mayBePairs))) ||
                 (call.panelColumns == plan.tileColumns() && plan.widensPanels);
  if (!mayBePairs || plan.widensB)
    return;
  plan.depthStep = 2;
  if (isa<IntegerType>(spec.accumulatorType))
    sumTogether(plan, spec.a.elementType, spec.b.elementType, target, target.multipliesByteTiles);
}

// Whether rows of A are lines of tiles where they are: whole ones, and none is missing of a tile.
// Those of two tiles do not meet in so few sets of a first-level cache that they drive out B.
static bool areLinesOfTiles(const ContractionSpec &spec, const ContractionPlan &plan) {
  const int64_t line = kAmxLanes * plan.depthStep;
  if (spec.a.constantColStride != 1 || !spec.a.constantRowStride ||
      *spec.a.constantRowStride % line != 0)
    return false;
  constexpr int64_t sets = kSetBytes / 64, mostTogether = 4;
  const int64_t apart = *spec.a.constantRowStride / line;
  const int64_t together = plan.tileRows / (sets / std::gcd(sets, apart));
  return together <= mostTogether && spec.k.isMultipleOf(line) && spec.m.isMultipleOf(kAmxRows);
}

// Two tiles of sixteen rows, times two of as many columns each, in place of vectors' sums. What
// is left takes one or two tiles of rows, too: rows of A behind the last are whatever is there, and
// so are their sums.
static void chooseAmx(ContractionPlan &plan, const ContractionSpec &spec,
                      const MachineTarget &target) {
  if (plan.isOfBfloat16() ? !target.multipliesTiles
                          : plan.depthStep != 4 || !target.multipliesByteTiles)
    return;
  plan.usesAmx = true;
  plan.tileVectors = std::min<int64_t>(plan.tileVectors, 2) * kAmxLanes / plan.lanes;
  plan.tileRows = 32;
  plan.tailRows = 16;
  plan.repeatedRows = 0;
  plan.evensRows = false;
  plan.middleRows.clear();
  plan.tilesOfRest.clear();
  // Tiles have pairs of one row next to each other.
  if (plan.aColumnsContiguous) {
    plan.aColumnsContiguous = false;
    plan.a = ContractionPlan::Access::Transposed;
  }
  if (areLinesOfTiles(spec, plan)) {
    plan.a = ContractionPlan::Access::Direct;
    plan.packsA = false;
  }
}

// How A reaches the micro-kernel.
static void chooseA(ContractionPlan &plan, const ContractionSpec &spec, const MachineTarget &target,
                    int64_t bytes) {
  using Access = ContractionPlan::Access;
  bool contiguous = spec.a.constantColStride == 1 || spec.a.constantRowStride == 1;
  bool isNarrow = spec.a.elementType != spec.accumulatorType;
  if (isNarrow) {
    plan.a = contiguous ? Access::Copied : Access::Gathered;
    return;
  }
  plan.a = Access::Direct;
  if (!plan.aColumnsContiguous) {
    plan.farBytes = std::numeric_limits<int64_t>::max();
    plan.crowdedBytes = kSetBytes;
  } else if (!(spec.m.constant && *spec.m.constant <= plan.tileRows)) {
    // The next tile finds its part of a line near only if columns are not crowded: several tiles of
    // few rows share one.
    const bool areFew = plan.tileRows < 8;
    plan.farBytes = areFew ? 2048 : plan.farBytes;
    plan.crowdedBytes = areFew ? 512 : target.products.crowdedColumnBytes;
  }
  // What is known to stay in place needs no code that packs it.
  std::optional<int64_t> step =
      plan.aColumnsContiguous ? spec.a.constantColStride : spec.a.constantRowStride;
  bool near = step && *step * bytes < plan.farBytes && *step * bytes % plan.crowdedBytes != 0;
  bool fewColumns = spec.n.constant && *spec.n.constant <= plan.packedColumnsThreshold;
  bool fewRows = spec.m.constant && *spec.m.constant <= 2;
  bool areMany = !spec.m.constant || *spec.m.constant > 4 * plan.tileRows;
  bool fit = !plan.aColumnsContiguous && plan.tileRows <= kLinesOfSet && areMany;
  plan.packsA = contiguous && !near && !fewColumns && !fewRows && !fit;
}

// More rows than there are, and one more is a number, too.
constexpr int64_t kNeverPacked = std::numeric_limits<int64_t>::max() / 2;

// How B does, and whether it streams past few rows.
static void chooseB(ContractionPlan &plan, const ContractionSpec &spec, int64_t bytes,
                    bool mayHaveFewRows) {
  using Access = ContractionPlan::Access;
  bool isCopied = spec.b.elementType != spec.accumulatorType && !plan.widensB;
  int64_t bytesOfB = plan.widensB ? ceilDiv(spec.b.elementType.getIntOrFloatBitWidth(), 8) : bytes;
  if (spec.b.constantColStride == 1) {
    plan.b = isCopied ? Access::Copied : Access::Direct;
    plan.packedRowsThreshold = 4 * plan.tileRows;
  } else {
    // Transposes in registers are made of pieces of 16 bytes.
    bool transposes = spec.b.constantRowStride == 1 && plan.lanes * bytes >= 16;
    plan.b = transposes ? Access::Transposed : Access::Gathered;
  }
  if (plan.b != Access::Direct)
    plan.packedRowsThreshold = -1;
  plan.wholePanels = spec.n.isMultipleOf(plan.tileColumns());
  // A row or two have tiles as wide as a stretch.
  constexpr int64_t staysBytes = 512 * 1024;
  int64_t fewest = spec.m.constant.value_or(plan.tileRows);
  bool isLarge = mayHaveFewRows;
  if (spec.n.constant && spec.k.constant)
    isLarge = *spec.n.constant > staysBytes / bytesOfB / std::max<int64_t>(1, *spec.k.constant);
  else
    plan.mostNearElements = staysBytes / bytesOfB;
  plan.mayStreamB = plan.b == Access::Direct && isLarge && fewest > 2 &&
                    fewest <= plan.packedRowsThreshold && plan.regimes.front().rows >= fewest;
  // B streams past one block of rows, and tiles even out one.
  if (plan.mayStreamB || plan.evensRows)
    for (ContractionPlan::Regime &regime : plan.regimes)
      regime.rows = std::max(regime.rows, roundUp(fewest, plan.tileRows));
  // Rows that lie together are read as fast from where they are, by however many rows of A.
  const bool hasMasks = plan.b == Access::Direct && !plan.widensB && plan.masksPanels;
  const bool isTogether = hasMasks && plan.tileVectors == 1 && spec.b.constantRowStride &&
                          *spec.b.constantRowStride <= plan.lanes;
  if (isTogether)
    plan.packedRowsThreshold = kNeverPacked;
  const bool mayBeMany =
      spec.m.constant ? *spec.m.constant > plan.packedRowsThreshold : !isTogether;
  // Of many panels the last is a small part, and the masks of all cost as much as they save.
  constexpr int64_t mostMasked = 4;
  const bool hasFewPanels =
      plan.tileVectors == 1 ||
      (spec.n.constant && *spec.n.constant <= mostMasked * plan.tileColumns());
  const bool mayBeFew = spec.m.constant.value_or(0) <= plan.packedRowsThreshold;
  plan.masksB = hasMasks && !plan.wholePanels && hasFewPanels && mayBeFew;
  plan.packsB = mayBeMany || (!plan.wholePanels && !plan.masksB);
  plan.packsPanelsTogether = plan.usesAmx && plan.b == Access::Copied;
}

int64_t keratin::codegen::panelColumns(const ContractionSpec &spec, const ContractionPlan &plan) {
  if (spec.batch.constant != 1 || !spec.n.constant || !spec.k.constant)
    return 0;
  const bool isNarrow = spec.b.elementType != spec.accumulatorType;
  // The last panel, if columns fill it in part, would be packed by each call, or read with masks.
  // Of less than a vector much would be zeros.
  if (plan.isTiled()) {
    const bool fill = plan.wholePanels || (plan.packsB && *spec.n.constant > plan.lanes);
    return fill && (!isNarrow || plan.widensPanels) ? plan.tileColumns() : 0;
  }
  // One panel would be B as it is.
  return plan.narrow && (!isNarrow || isa<FloatType>(spec.b.elementType)) && plan.narrow->panels > 1
             ? plan.narrow->panelColumns()
             : 0;
}

// Whether it reads B from panels of so many columns, which may be those of another plan.
static bool canReadPanels(const ContractionSpec &spec, const ContractionPlan &plan, int64_t width) {
  if (width == 0)
    return false;
  if (plan.narrow)
    return plan.narrow->panelColumns() % width == 0;
  return width == panelColumns(spec, plan);
}

// Whether few rows read all of a B in each step that second-level caches do not hold, or not much
// beside it. What is copied to other memory each time is not read again where it was.
static bool turnsInLoops(const ContractionSpec &spec, const ContractionPlan &plan,
                         const ContractionCall &call) {
  if (!call.isInLoop || spec.batch.constant != 1 || !spec.n.constant || !spec.k.constant)
    return false;
  const bool areFew = !spec.m.constant || *spec.m.constant <= kUnitRows;
  const int64_t bytes = ceilDiv(spec.b.elementType.getIntOrFloatBitWidth(), 8);
  const bool isLarge =
      *spec.n.constant > kNearBytes / bytes / std::max<int64_t>(1, *spec.k.constant);
  const bool mayPackB = plan.isTiled() && plan.packsB;
  return areFew && isLarge && !plan.strips && !mayPackB;
}

static ContractionPlan planForm(const ContractionSpec &spec, const MachineTarget &target,
                                const ContractionCall &call) {
  ContractionPlan plan;
  int64_t bytes = ceilDiv(spec.accumulatorType.getIntOrFloatBitWidth(), 8);
  plan.lanes = target.lanes(bytes * 8);
  if (!call.isOnlyTiles && isDots(spec)) {
    chooseDots(plan, spec, target, bytes);
    return plan;
  }
  if (!call.isOnlyTiles && chooseNarrow(plan, spec, target, bytes)) {
    if (canReadPanels(spec, plan, call.panelColumns))
      plan.panelColumns = call.panelColumns;
    return plan;
  }
  if (!call.isOnlyTiles && chooseFew(plan, spec, target, bytes, call.hasFewRows))
    return plan;
  if (!call.isOnlyTiles && chooseStrips(plan, spec, target, bytes, call.instructionsOfStore))
    return plan;
  plan.masksPanels = target.vectorBits >= 512;
  plan.tileVectors = chooseVectors(spec, target, plan.lanes, call);
  plan.aColumnsContiguous = spec.a.constantRowStride == 1 && spec.a.constantColStride != 1;
  chooseRows(plan, spec, target, bytes, call);
  chooseA(plan, spec, target, bytes);
  chooseNumbers(plan, spec, target, call);
  chooseAmx(plan, spec, target);
  plan.rowsAhead = call.isOnlyTiles ? 0 : target.products.rowsAhead;
  plan.asksForResults = target.products.asksForResults && !call.isOnlyTiles && !plan.usesAmx &&
                        !plan.evensRows && plan.tileVectors == target.products.tileVectors;
  chooseBlocks(plan, target, bytes);
  chooseB(plan, spec, bytes, call.mayHaveFewRows);
  if (canReadPanels(spec, plan, call.panelColumns)) {
    plan.panelColumns = call.panelColumns;
    plan.packsB = plan.masksB = plan.mayStreamB = false;
    plan.bringsPanels =
        *spec.n.constant > kNearBytes / bytes / std::max<int64_t>(1, *spec.k.constant);
  }
  plan.continues = !spec.k.constant || *spec.k.constant > plan.depthOf(plan.regimes.back());
  // Tiles that do so are another function, which most sums of unknown depth would not call.
  plan.bringsNext = plan.continues && spec.k.constant &&
                    plan.a == ContractionPlan::Access::Direct &&
                    plan.b == ContractionPlan::Access::Direct && !plan.widensB &&
                    !plan.readsPanels() && !call.isOnlyTiles;
  plan.scratch = layOutScratch(spec, plan, bytes);
  return plan;
}

ContractionPlan keratin::codegen::planContraction(const ContractionSpec &spec,
                                                  const MachineTarget &target,
                                                  ContractionCall call) {
  ContractionPlan plan = planForm(spec, target, call);
  plan.turnsInLoops = turnsInLoops(spec, plan, call);
  return plan;
}

//===-- For people ----------------------------------------------------------------------------===//

static const char *wordFor(ContractionPlan::Access access) {
  using Access = ContractionPlan::Access;
  switch (access) {
  case Access::Direct:
    return "in place";
  case Access::Copied:
    return "copied";
  case Access::Transposed:
    return "transposed";
  case Access::Gathered:
    return "gathered";
  }
  llvm_unreachable("all ways are named");
}

void keratin::codegen::printTile(llvm::raw_ostream &out, const ContractionPlan &plan) {
  out << "schedule: tiles of " << plan.tileRows << " rows x " << plan.tileVectors << " vectors x "
      << plan.lanes << " lanes";
  if (plan.tailRows) {
    out << ", of ";
    for (int64_t rows : plan.middleRows)
      out << rows << " or ";
    out << plan.tailRows << (plan.evensRows ? " rows evened out" : " rows for the rest");
  }
  if (plan.repeatedRows)
    out << "; the last of the largest may lack " << plan.repeatedRows
        << (plan.repeatedRows == 1 ? " row" : " rows");
}

static void printForm(llvm::raw_ostream &out, const ContractionPlan &plan) {
  using Access = ContractionPlan::Access;
  if (plan.dots) {
    const ContractionDots &dots = *plan.dots;
    out << "schedule: dot products of " << dots.lanes << " lanes, " << dots.rowsAtOnce << " rows x "
        << dots.vectorsAtOnce << (dots.vectorsAtOnce == 1 ? " vector" : " vectors")
        << (dots.depth ? ", whole rows" : " at once") << "; units of " << dots.unitRows
        << " rows\n";
    return;
  }
  if (plan.narrow) {
    const ContractionNarrow &narrow = *plan.narrow;
    out << "schedule: one tile of " << narrow.rows << (narrow.rows == 1 ? " row x " : " rows x ")
        << narrow.vectors << (narrow.vectors == 1 ? " vector x " : " vectors x ") << narrow.lanes
        << " lanes over the whole depth, B in " << (plan.readsPanels() ? "panels" : "place");
    if (narrow.streams > 1)
      out << "; " << narrow.streams << " steps side by side";
    out << "\n";
    return;
  }
  if (plan.strips) {
    const ContractionStrips &strips = *plan.strips;
    out << "schedule: tiles of " << strips.rows << " rows x " << strips.vectors << " vectors x "
        << strips.lanes << " lanes over the whole depth, each through all columns, B in place; "
        << (strips.storesSums ? "stored out of registers" : "stored in a loop") << "; units of "
        << strips.unitRows << " rows\n";
    return;
  }
  if (plan.few) {
    const ContractionFew &few = *plan.few;
    out << "schedule: tiles of up to " << few.tileRows << " rows x "
        << few.mostVectors(few.tileRows) << " vectors x " << few.lanes
        << " lanes over the whole depth, B in place; units of " << few.panelColumns()
        << " columns\n";
    return;
  }
  printTile(out, plan);
  out << "; panels of depth " << plan.blockDepth()
      << (plan.depthStep == 4 ? ", in fours"
          : plan.isOfPairs()  ? ", in pairs"
                              : "")
      << (plan.usesAmx ? ", by AMX" : "") << "; units of up to ";
  llvm::interleaveComma(plan.regimes, out, [&](const ContractionPlan::Regime &regime) {
    out << regime.rows << " x " << regime.columns << " for " << plan.depthOf(regime) << " deep";
  });
  if (plan.continues)
    out << ", " << plan.continued.rows << " x " << plan.continued.columns << " beyond";
  if (plan.asksForResults)
    out << "; lines of results are asked for";
  out << "\nA: " << wordFor(plan.a);
  if (plan.a == Access::Direct && plan.packsA)
    out << ", packed for more than " << plan.packedColumnsThreshold
        << " columns if its rows lie far apart or crowd the cache";
  if (plan.readsPanels()) {
    out << "\nB: in panels\n";
    return;
  }
  out << "\nB: " << wordFor(plan.b) << (plan.widensB ? ", widened as it is read" : "");
  if (plan.b == Access::Direct && plan.packsB)
    out << ", packed for more than " << plan.packedRowsThreshold << " rows"
        << (plan.wholePanels || plan.masksB ? "" : ", its last panel always");
  if (plan.mayStreamB)
    out << ", streamed for fewer";
  if (plan.mayStreamB && plan.mostNearElements)
    out << " if it has more than " << *plan.mostNearElements << " elements";
  out << "\n";
}

void keratin::codegen::print(llvm::raw_ostream &out, const ContractionPlan &plan) {
  printForm(out, plan);
  if (plan.turnsInLoops)
    out << "order: the last unit first in every other step of the loop\n";
}
