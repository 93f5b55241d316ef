// Passes over everything that is reduced for a row, or for a block of columns.
#ifndef KERATIN_CODEGEN_CPU_LOOPPASS_H
#define KERATIN_CODEGEN_CPU_LOOPPASS_H

#include "codegen/cpu/LoopSchedule.h"
#include "codegen/elements/NestBody.h"
#include "codegen/elements/ReductionState.h"

namespace keratin::codegen {

class LoopPass {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  LoopPass(CpuKernelBuilder &k, const LoopPlan &plan, ElementEmitter &emitter, NestBody &body)
      : k(k), nest(plan.nest), schedule(plan.schedule), emitter(emitter), body(body),
        state(k, emitter, schedule.isBlocked()),
        stateOfOneBlock(k, emitter, /*keepsErrors=*/false) {}

  // A vector of columns; a row is one without position.
  struct Column {
    Value start, mask;
    unsigned number = 0; // in its block
    // What the reductions of earlier stages gave for it.
    llvm::SmallVector<std::pair<Value, Value>> found;
  };
  // What is emitted next is for this column: its lanes, and what was found for it.
  void select(const Column &column);

  // A stage on its way along a row: the current one or, where several are under way, one of its
  // own, which may not be there.
  struct Walk {
    Walk(unsigned stage) : stage(stage) {}
    unsigned stage;
    Value isThere; // null: the current row, which is
    llvm::SmallVector<LaneIndex> row;
    // What earlier stages have found for it.
    llvm::SmallVector<std::pair<Value, Value>> found;
  };
  using Walks = llvm::ArrayRef<Walk>;
  // What is emitted next is for this row.
  void select(const Walk &walk);

  // One pass, for the rows at the index of the outer kept loops; gives the results of the stage's
  // reductions, column by column.
  Values emit(unsigned stage, llvm::ArrayRef<Column> columns);
  // Several stages at once, each along its row; gives the results stage by stage.
  Values emit(Walks walks);
  // Whether the innermost loop is a multiple of `count` in every call.
  bool areFull(int64_t count) const;
  // Where a value waits that does so in the thread's memory.
  void setScratch(Value pointer) { scratch = pointer; }
  // From here on rows have more vectors than `fewest`, and `most` at most; 0: any number.
  void setVectors(unsigned fewest, unsigned most) { fewestVectors = fewest, mostVectors = most; }
  bool areRowsShort() const { return mostVectors != 0; }
  // Whether from here on rows are one block at most.
  void setOneBlock(bool isOne) { isOneBlock = isOne; }
  // Where reductions of columns have what they have found in the rows before, in their order: from
  // here on they add to it.
  void setColumnSums(Values pointers) { columnSums = std::move(pointers); }
  mlir::Type columnType(const LoopNest::Column &column); // of their elements
  // Vectors of columns, numbered as if all reduced loops were one, under masks where the last may
  // not be full.
  void forColumns(llvm::function_ref<void(Value position, Value mask)> body);
  // Walks [from, to) of the innermost loop in vectors, `extent` of them if that is known; gives the
  // partial results as vectors, stage by stage.
  Values walkLanes(Walks walks, Value from, Value to, std::optional<int64_t> extent);
  // Asks for what the schedule says while the stage is at this vector, whose number is that of
  // vectors side by side.
  void lookAhead(unsigned stage, Value start, unsigned vector);
  // One row of each, whose sums come to those that there are.
  Values walkRow(Walks walks, Values sums);

private:
  llvm::ArrayRef<ir::ReductionOpInterface> ops(unsigned stage) const {
    return nest.reductions(stage);
  }
  llvm::SmallVector<ir::ReductionOpInterface> ops(Walks walks) const;
  unsigned vectorsOf(Walks walks) const;
  void along(Walks walks, llvm::MutableArrayRef<Value> numbers, unsigned sets,
             llvm::function_ref<void(unsigned stage, llvm::MutableArrayRef<Value> own)> body);
  Values walkOuter(unsigned stage, llvm::ArrayRef<unsigned> loops, Values sums,
                   llvm::ArrayRef<Column> columns);
  Values shortRow(unsigned stage, Value extent);
  Values merge(unsigned stage, llvm::ArrayRef<Value> sets);
  Values walkColumns(unsigned stage, Values sums, llvm::ArrayRef<Column> columns);
  Values rowsOfColumns(unsigned stage, Value from, Value to, llvm::ArrayRef<Column> columns);
  Values absorbBlocks(llvm::ArrayRef<ir::ReductionOpInterface> ops, Value first, Value extent,
                      Values sums, llvm::function_ref<Values(Value from, Value to)> block);
  Values wholeVectors(Walks walks, Value from, Value to, Values sets);
  Values lastVectors(Walks walks, Value from, Value to, std::optional<int64_t> extent,
                     llvm::ArrayRef<Value> accumulators);
  void emitElement(unsigned stage, llvm::MutableArrayRef<Value> accumulators, unsigned column = 0);
  Value position(bool ofReduced);
  Value waitingPlace(unsigned column);
  void addToColumns(unsigned stage);
  void emitLanes(unsigned stage, Value position, llvm::MutableArrayRef<Value> accumulators);
  Value add(Value x, Value y);

  CpuKernelBuilder &k;
  const LoopNest &nest;
  const LoopSchedule &schedule;
  ElementEmitter &emitter;
  NestBody &body;
  bool areRowsOneBlock() const { return mostVectors || isOneBlock; }
  ReductionState &stateOfRows() { return areRowsOneBlock() ? stateOfOneBlock : state; }

  ReductionState state, stateOfOneBlock;
  Values columnSums;
  Value scratch;
  unsigned fewestVectors = 0, mostVectors = 0;
  bool isOneBlock = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_LOOPPASS_H
