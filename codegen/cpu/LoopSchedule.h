// How a CPU walks elementwise chains, moves and reductions as one loop nest.
//
// A unit is one index of the outer kept loops. The innermost loop is walked in vectors: along a
// reduced one each row ends in one horizontal step; along a kept one every lane has an accumulator
// of its own. Reductions that need the results of others come in later passes over the row.
//
// Where columns are reduced beside rows, a unit is a block of rows, which leaves what it has of the
// columns in memory; in one unit more, behind all others, the blocks become the results.
#ifndef KERATIN_CODEGEN_CPU_LOOPSCHEDULE_H
#define KERATIN_CODEGEN_CPU_LOOPSCHEDULE_H

#include "codegen/cpu/BlockAhead.h"
#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/lowering/LoopNest.h"

namespace keratin::codegen {

struct LoopSchedule {
  unsigned lanes = 1;
  // Vectors of the innermost loop side by side, for each stage of reductions and what follows the
  // last.
  llvm::SmallVector<unsigned> unroll;
  unsigned columnVectors = 1; // of a unit's block of columns
  // Stages are under way at once, each along a row of its own, one behind that of the stage before:
  // so many vectors of each side by side. 0: they pass over a row one after the other.
  unsigned vectorsTogether = 0;
  // Sums longer than a block are made of blocks, whose sums are added with their rounding errors:
  // elements of a row, or rows of a column. 0: sums are known to be short.
  int64_t block = 0;
  // Waits in memory between the stages.
  std::optional<LoopNest::Waiting> waiting;
  // An input, by its number, that is read once, in the first stage: its elements lie where
  // `waiting` will until there is that, or to the end if nothing waits.
  std::optional<unsigned> copied;
  // Tensors of which a stage asks for what stands so many elements further on.
  struct Ahead {
    unsigned stage;
    bool isOutput;
    unsigned number; // among the inputs or results
    int64_t elementBytes;
  };
  llvm::SmallVector<Ahead> ahead;
  ir::DimExpr aheadElements = 0;
  // In the place of those elements, of what is walked from one end to the other.
  std::optional<BlockAhead> aheadBlock;
  // Rows of lengths that the call knows have code of their own where they are at most so many
  // vectors. 0: there is none.
  unsigned shortVectors = 0;
  // Of rows that are known to be so short. 0: they are not.
  unsigned knownVectors = 0;
  // Those of a reduction and nothing behind it have it for blocks that are whole.
  bool areWholeBlocksApart = false;
  // Rows of lengths that the call knows have code of their own where they are one block.
  bool isOneBlockApart = false;
  // Neighbouring units whose sums wait in the thread's memory, so that what lies side by side is
  // read side by side: some rows of all the columns, then the next rows; or a row of each unit for
  // one index of the loops further out, then for the next.
  struct Tile {
    int64_t units = 1; // at most
    // Of columns: rows and vectors that are taken together, for each stage.
    struct Step {
      unsigned rows = 1, vectors = 1;
      bool isLong = false; // so long that what it reads is asked for before
      // Short steps of one tensor: rows of several are more lines than a set of a cache has.
      bool mayLieApart = false;
    };
    llvm::SmallVector<Step> steps;
    // Whole rows, whose sums wait only while blocks of them are put together.
    bool areInRegisters = false;
    bool isOneStage = true;
    int64_t elementBytes = 0; // that are read at an index
    // Operands of so many bytes at least are walked in tiles; of those whose rows lie pages apart.
    int64_t leastBytes = 0, leastApart = 0;
    // What later stages need of each column, beside the results of reductions.
    llvm::SmallVector<mlir::Value> kept;
    // Numbers that wait, for each column or each lane of a unit, lie in a slot of their own.
    int64_t slotBytes = 0;

    // Whether columns of operands with so many elements are better walked in tiles than by
    // themselves. Not asked of rows.
    bool suits(int64_t columns, int64_t elements) const;
    // Rows at such a distance lie pages apart.
    static constexpr int64_t apartBytes = 4 * MemoryTraits::pageBytes;
    // What a tile whose stages read it again reads at most, where columns are wide enough.
    static constexpr int64_t rereadBytes = 512 << 10;
  };
  std::optional<Tile> tile;

  bool isBlocked() const { return block != 0; }
  // Of a block of columns.
  int64_t blockColumns() const { return int64_t(lanes) * columnVectors; }
};

class LoopPlan final : public CpuKernelPlan {
public:
  LoopPlan(ir::KernelOp kernel, ir::IterationSpace space, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  // Blocks of columns of one index of the outer kept loops.
  ir::DimExpr columnBlocks() const;
  // Whether sums of a tile are put together of parts: of blocks, or of the rows of several indices
  // further out.
  bool hasParts() const { return schedule.isBlocked() || nest.outerReduced.size() > 1; }
  // Slots of a tile that the stages need one after the other.
  unsigned tileSlots() const;
  llvm::SmallVector<unsigned> stagesPresent() const;
  // Blocks of rows, where columns are reduced beside them.
  ir::DimExpr rowBlocks() const;
  // Elements from a row to the next one, of the last of the reduced loops.
  ir::DimExpr rowDistance() const;

  LoopNest nest;
  LoopSchedule schedule;

private:
  MemoryTraits memory;
  bool areWholeRows = false;   // of columns: one block
  unsigned waitingVectors = 1; // of a block of columns, if something of it waits
  int64_t instructions(unsigned stage) const;
  // One of reductions, and nothing that needs their results at every index.
  bool isOneStage() const { return nest.space.stages.size() == 1 && !nest.isStagePresent(1); }
  unsigned unrollFor(int64_t instructions) const;
  bool areRowsApart(int64_t bytes) const;
  std::optional<unsigned> inputToCopy() const;
  void chooseWaiting();
  void chooseSums(const MachineTarget &target);
  void chooseRowLengths();
  void chooseTogether();
  llvm::SmallVector<LoopSchedule::Ahead> tensorsOfRows() const;
  void chooseTile();
  void chooseTileOfColumns();
  void chooseAhead();
  bool askForNextRow(llvm::ArrayRef<LoopSchedule::Ahead> tensors);
  void askTogether(llvm::ArrayRef<LoopSchedule::Ahead> tensors);
  std::optional<unsigned> firstStageAt(const LoopSchedule::Ahead &tensor) const;
  bool isFarAway(llvm::ArrayRef<LoopSchedule::Ahead> tensors) const;
  void askForResults(llvm::ArrayRef<LoopSchedule::Ahead> tensors);
  void askForRows(llvm::ArrayRef<LoopSchedule::Ahead> tensors);
  void askForLater(llvm::ArrayRef<LoopSchedule::Ahead> inputs, llvm::ArrayRef<unsigned> stages);
  int64_t numbersIn(int64_t bytes) const;
  void setTile(LoopSchedule::Tile tile, int64_t ofUnit, int64_t most, unsigned slots);
  void printTile(llvm::raw_ostream &out) const;
  void splitWork();
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_LOOPSCHEDULE_H
