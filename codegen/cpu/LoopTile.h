// Units side by side, whose sums wait in the thread's memory (LoopSchedule::Tile).
#ifndef KERATIN_CODEGEN_CPU_LOOPTILE_H
#define KERATIN_CODEGEN_CPU_LOOPTILE_H

#include "codegen/cpu/LoopPass.h"

namespace keratin::codegen {

// Each number is added up in the order in which a unit by itself would do it; different numbers
// take turns.
class LoopTile {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  // Precondition: the plan has tiles.
  LoopTile(CpuKernelBuilder &k, const LoopPlan &plan, ElementEmitter &emitter, NestBody &body,
           LoopPass &pass);

  // Columns [first, last) at the index of the outer kept loops: all stages. The first is that of a
  // unit.
  void emitColumns(Value first, Value last);
  // Units [first, last), which are rows: one stage.
  void emitRows(Value first, Value last);

private:
  // Slots: the accumulators of a stage, the parts of its sums; the results of all stages; what else
  // is kept. The place of a number counts numbers.
  unsigned slotOf(unsigned stage, unsigned reduction) const;
  Value address(unsigned slot, mlir::Type elementType, Value place);
  Value load(unsigned slot, mlir::Type elementType, Value place);
  void store(Value registers, unsigned slot, Value place);
  // Of types as those values have, in slots one after the other.
  Values loadAll(unsigned slot, llvm::ArrayRef<Value> like, Value place);
  void storeAll(llvm::ArrayRef<Value> values, unsigned slot, Value place);

  Value minus(Value x, Value y);
  Value plus(Value x, Value y);
  Value least(Value x, Value y);
  Value wholePart(Value x, int64_t step);
  void loop(Value begin, Value end, int64_t step, llvm::function_ref<void(Value position)> body);

  Values accumulators(unsigned stage);
  LoopPass::Column columnAt(unsigned stage, Value start, Value place, bool mayEnd);
  void begin(unsigned stage);
  void walkOuter(llvm::ArrayRef<unsigned> loops, llvm::function_ref<void()> inside);
  void walkBlocks(unsigned stage);
  void takeBlock(unsigned stage, Value first, Value last);
  void walkApart(unsigned stage, Value first, Value last);
  void walkRows(unsigned stage, Value first, Value last);
  void takeRows(unsigned stage, Value row, unsigned count, Value apart);
  void takeVectors(unsigned stage, llvm::ArrayRef<Value> rows, Value start, unsigned vectors,
                   bool mayEnd);
  void absorb(unsigned stage);
  void finish(unsigned stage);

  CpuKernelBuilder &k;
  const LoopPlan &plan;
  const LoopNest &nest;
  const LoopSchedule &schedule;
  const LoopSchedule::Tile &tile;
  ElementEmitter &emitter;
  NestBody &body;
  LoopPass &pass;
  ReductionState state;
  Value scratch, from, to;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_LOOPTILE_H
