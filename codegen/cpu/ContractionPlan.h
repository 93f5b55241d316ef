// What a CPU makes of a contraction.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONPLAN_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONPLAN_H

#include "codegen/cpu/MachineTarget.h"
#include "codegen/lowering/ContractionSpec.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

namespace keratin::codegen {

// Dot products along k: vectors of rows of the matrix times the vector.
struct ContractionDots {
  int64_t lanes = 1;
  int64_t unitRows = 64; // of a unit: their sums fit a few lines of scratch
  // Rows of the matrix that share the loads of the vector, and vectors of each in flight: eight
  // independent sums.
  int64_t rowsAtOnce = 4, vectorsAtOnce = 2;
  // Of rows that are known to be no longer than so many vectors, which are read whole.
  std::optional<int64_t> depth;
};

// Rows of A that fit one tile, times panels of B that are read once: sums stay in registers over
// the whole depth.
struct ContractionNarrow {
  int64_t lanes = 1, rows = 1;
  int64_t vectors = 1; // of a panel but the last, which has what is left
  int64_t panels = 1;
  // Neighbours in k have sums of their own, so that none waits for another.
  int64_t streams = 1;
  // So many vectors of sums are finished out of registers, more of them in a loop over memory.
  int64_t mostDirect = 2;
  int64_t panelColumns() const { return vectors * lanes; }
};

// Shallow sums of many rows, of whole vectors of columns: tiles over the whole depth, each through
// all columns before the next (ContractionStrips.h).
struct ContractionStrips {
  int64_t lanes = 1, rows = 6, vectors = 2;
  int64_t unitRows = 60;  // whole tiles
  bool storesSums = true; // out of registers; else in a loop over memory
};

// As ContractionNarrow for sizes that only the call knows: tiles of as many rows as there are, or
// four, with sums of as many vectors of a panel as there are, or as registers hold.
struct ContractionFew {
  int64_t lanes = 1;
  int64_t panelVectors = 8; // what threads share
  int64_t tileRows = 4;
  int64_t streamedRows = 2;      // read any B where it is,
  int64_t nearColumns = 1;       // and one tile's a B of so many columns,
  int64_t mostRows = 16;         // and others one that is read several times:
  int64_t mostRowsOfVector = 16; // (of one vector, if only the call knows that)
  int64_t nearElements = 1;      // so many elements, one more for each column
  int64_t mostRowsOfParts = 64;  // the same where other tiles would be filled in part
  int64_t inFlight = 5;          // sums that do not wait for each other
  int64_t panelColumns() const { return panelVectors * lanes; }
  int64_t mostVectors(int64_t rows) const { return panelVectors / (rows <= 2 ? rows : 4); }
};

// Decided at compile time.
struct ContractionPlan {
  // How an operand reaches the micro-kernel.
  enum class Access {
    Direct,     // from where it is
    Copied,     // packed, its contiguous direction kept
    Transposed, // packed through transposes in registers
    Gathered    // packed one element at a time
  };
  int64_t lanes = 1;
  int64_t tileRows = 1, tileVectors = 1;
  int64_t tailRows =
      0; // rows of the smaller tile that finishes a block of rows; 0 if none is ever needed
  // Of tiles between the two, the largest first, for numbers of rows that only the call knows.
  llvm::SmallVector<int64_t, 2> middleRows;
  // How many there are of the largest and of each of those between, two bits for each number of
  // rows: of what the largest tiles leave, together with the last of them.
  llvm::SmallVector<uint64_t, 3> tilesOfRest;
  // Tiles bring rows of B near so many steps ahead; 0 if they do not.
  int64_t rowsAhead = 0;
  // Lines of results are asked for before the tiles multiply whose sums go there.
  bool asksForResults = false;
  // The last of the largest tiles may lack so many rows: it repeats one.
  int64_t repeatedRows = 0;
  // As many tiles as the largest alone would be, of which some are of tailRows, one row fewer.
  bool evensRows = false;
  Access a = Access::Copied, b = Access::Copied;
  bool aColumnsContiguous = false;   // the rows of A lie next to each other for each k
  bool wholePanels = false;          // the columns are known to fill all panels
  bool packsA = true, packsB = true; // false if nothing of it is ever packed
  // Panels of B that several blocks of rows use are packed together, before the first is used: rows
  // of B are read along all of them, and come from far away faster than lines of one panel.
  bool packsPanelsTogether = false;
  // B is read from panels of so many columns and all of its depth, one behind the other, that
  // somebody has packed before: the base of the operand is theirs. 0: from where it is.
  int64_t panelColumns = 0;
  bool readsPanels() const { return panelColumns > 0; }
  // They are large, and tiles bring near what comes behind those that they read.
  bool bringsPanels = false;
  // Numbers along k that are one packed element, of 32 bits: two where bfloat16 or integers are
  // multiplied in pairs, four of 8 bits (ContractionPairs.h).
  int64_t depthStep = 1;
  // Where there are several. Of 8 bits the signs count.
  bool isOfIntegers = false, isSignedA = true, isSignedB = true;
  // They are multiplied in tiles of AMX (ContractionAmx.h).
  bool usesAmx = false;
  // Steps in depth that a tile goes through at once, and if it reads B where it is.
  int64_t blockK = 1024, inPlaceK = 256;
  // Sums of so many steps are made for all rows of a unit before any is finished.
  int64_t shallowK = 256;
  // Narrow numbers of B stay what they are, packed or not, and are widened as tiles read them.
  bool widensB = false;
  // They would be in panels that somebody has packed.
  bool widensPanels = false;
  // The largest unit for sums of up to so many steps in depth, and of deeper sums, which are set
  // aside and continued after so many.
  struct Regime {
    int64_t depth, rows, columns;
  };
  std::array<Regime, 3> regimes;
  Regime continued;
  bool continues = false; // sums may be so deep
  // They are, and tiles bring near what the next panel's depth reads of both operands.
  bool bringsNext = false;
  // Direct operands are packed nevertheless: B if there are more rows than this; A if there are
  // more columns than this and the rows lie at least farBytes apart, or at a multiple of
  // crowdedBytes.
  int64_t packedRowsThreshold = 1 << 30;
  int64_t packedColumnsThreshold = 128;
  int64_t farBytes = 4096, crowdedBytes = 2048;
  // Few rows, as may turn out at run time, meet a B too large to stay near: it is read where it is,
  // stretch by stretch through all columns of a unit, and brought near ahead of its use.
  bool mayStreamB = false;
  // The call asks whether B is too large, by the number of its elements.
  std::optional<int64_t> mostNearElements;
  int64_t stretch() const { return inPlaceK / 2; } // steps

  // With few rows, fewer than two of the largest units, columns are what threads can share.
  int64_t sharedColumns = 256;
  // Tiles read only what there is of the last panel: it need not be packed for what it lacks.
  bool masksB = false;
  // Masks cost nothing: one loop finishes whole and partial panels.
  bool masksPanels = false;
  // In every other step of a loop the last unit is done first: what the step before has read last
  // of a B that caches do not hold is still there.
  bool turnsInLoops = false;
  // Set for a row times a matrix, both contiguous in k: then nothing else here counts.
  std::optional<ContractionDots> dots;
  // Set for few rows: the same.
  std::optional<ContractionNarrow> narrow;
  std::optional<ContractionStrips> strips;
  std::optional<ContractionFew> few;
  bool isTiled() const { return !dots && !narrow && !strips && !few; }

  // Where things are in the scratch, in elements of the accumulator; it ends after `bytes`, which
  // do not depend on sizes known only at run time.
  struct Scratch {
    int64_t a = 0, b = 0, sums = 0, leastOfPairs = 0, bytes = 0;
  } scratch;

  int64_t tileColumns() const { return tileVectors * lanes; }
  int64_t blockDepth() const { return blockK * depthStep; }
  int64_t depthOf(const Regime &regime) const { return regime.depth * depthStep; }
  bool isOfPairs() const { return depthStep > 1; }
  bool isOfBfloat16() const { return isOfPairs() && !isOfIntegers; }
  // What is packed has a multiple of so many steps, those behind the depth of zeros.
  int64_t stepsAtOnce() const { return usesAmx ? 16 : 1; }
  // Rows behind the last that tiles may write.
  int64_t spareRows() const { return middleRows.empty() ? tailRows : middleRows.front(); }
};

// What only the call knows, and code is made for.
struct ContractionCall {
  bool mayHaveFewRows = false; // of how many is not known
  // How many columns there are, where it is not known: any, not more than a vector has, or at least
  // as many as a panel.
  enum Columns { Any, OneVector, Panel } columns = Any;
  // Of rows that turn out to be few, see ContractionFew: a plan with `few`, where there is one.
  bool hasFewRows = false;
  // The tiles are a part of another kernel, which packs for them in its own way: no form without
  // tiles, and elements as they are in the sums.
  bool isOnlyTiles = false;
  // What is made of each vector of sums, about: of many, there is one copy.
  int64_t instructionsOfStore = 0;
  // B lies in panels of so many columns, too; 0: it does not.
  int64_t panelColumns = 0;
  bool isInLoop = false;
};

// Of panels that would suit the plan best, whose elements are those of the sums. 0: it reads none.
int64_t panelColumns(const ContractionSpec &spec, const ContractionPlan &plan);

// Cycles that a step in depth takes of a tile. If it is wide, A has a vector of its own for each of
// B's.
double cyclesOfTile(int64_t rows, int64_t vectors, bool isWide = false);
// Tiles between tileRows and tailRows, for what the largest leave of rows that only the call knows;
// fewer where there are seldom few rows.
void chooseMiddleRows(ContractionPlan &plan, const MachineTarget &target, bool finishesMany);

// Whether products of such integers are summed several at a time, and the tile that does so: in
// fours where instructions of vectors, or `byTiles` those of AMX, take their bytes, else in pairs.
bool areSummedTogether(mlir::Type accumulator, mlir::Type a, mlir::Type b,
                       const MachineTarget &target);
void sumTogether(ContractionPlan &tile, mlir::Type a, mlir::Type b, const MachineTarget &target,
                 bool byTiles);

// Reads what is known of the sizes, the strides and the types: values may be null.
ContractionPlan planContraction(const ContractionSpec &spec, const MachineTarget &target,
                                ContractionCall call = {});
// "schedule: tiles of ...", for people.
void printTile(llvm::raw_ostream &out, const ContractionPlan &plan);
// "schedule: ...", a line for people.
void print(llvm::raw_ostream &out, const ContractionPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONPLAN_H
