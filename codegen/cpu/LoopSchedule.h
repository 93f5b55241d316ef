// How a CPU walks elementwise chains, moves and reductions as one loop nest.
//
// A unit is one index of the outer kept loops. The innermost loop group is walked in vectors: along
// a reduced group each row ends in one horizontal step; along a kept group every lane has an
// accumulator of its own. Reductions that need the results of others come in later passes over the
// row.
#ifndef KERATIN_CODEGEN_CPU_LOOPSCHEDULE_H
#define KERATIN_CODEGEN_CPU_LOOPSCHEDULE_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "ir/interfaces/IterationSpace.h"

namespace keratin::codegen {

struct LoopSchedule {
  enum class Form {
    Scalar, // one element
    Flat,   // one run of elements, which are the units
    Lines,  // no reduction: a unit is a line of the innermost group
    Rows,   // lanes walk the innermost group, which is reduced
    Columns // every lane has an accumulator; a unit is a block of columns
  } form = Form::Scalar;
  unsigned lanes = 1;
  // Vectors of the innermost group side by side, for each stage of reductions and what follows the
  // last.
  llvm::SmallVector<unsigned> unroll;
  unsigned columnVectors = 1; // of a unit's block of columns
  // Sums longer than a block are made of blocks, whose sums are added with their rounding errors:
  // elements of a row, or rows of a column. 0: sums are known to be short.
  int64_t block = 0;

  bool isBlocked() const { return block != 0; }
};

class LoopPlan final : public CpuKernelPlan {
public:
  LoopPlan(ir::KernelOp kernel, ir::IterationSpace space, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override;
  void printSchedule(llvm::raw_ostream &out) const override;
  void emit(CpuKernelBuilder &k) const override;

  // The nest.
  llvm::ArrayRef<ir::ReductionOpInterface> reductions(unsigned stage) const {
    return stage < space.stages.size()
               ? llvm::ArrayRef<ir::ReductionOpInterface>(space.stages[stage])
               : llvm::ArrayRef<ir::ReductionOpInterface>();
  }
  unsigned stages() const { return space.stages.size() + 1; }
  bool isStagePresent(unsigned stage) const {
    return !reductions(stage).empty() || !fullOutputs(stage).empty();
  }
  // What is yielded at every index, by its number among the results.
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> fullOutputs(unsigned stage) const;
  const ir::IterationSpace::Group &innermost() const { return space.groups[*laneGroup]; }
  // Blocks of columns of one index of the kept loops.
  ir::DimExpr columnBlocks() const;

  ir::IterationSpace space;
  llvm::SmallVector<unsigned> keptGroups, reducedLoops; // without the lane group
  std::optional<unsigned> laneGroup;                    // the innermost
  LoopSchedule schedule;

private:
  int64_t instructionsOfStage(unsigned stage) const;
  unsigned unrollFor(int64_t instructions) const;
  void chooseSums();
  void splitWork();
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_LOOPSCHEDULE_H
