// Stages that are under way at once, each along a row of its own
// (LoopSchedule::vectorsTogether).
#ifndef KERATIN_CODEGEN_CPU_ROWSTOGETHER_H
#define KERATIN_CODEGEN_CPU_ROWSTOGETHER_H

#include "codegen/cpu/LoopPass.h"

namespace keratin::codegen {

// In a step each stage goes along the row behind that of the stage before it. At the first rows
// and behind the last one not all stages have one. What is known of a row goes with it from stage
// to stage.
class RowsTogether {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  RowsTogether(CpuKernelBuilder &k, const LoopPlan &plan, ElementEmitter &emitter, NestBody &body,
               LoopPass &pass);

  // Rows [begin, end) of the outer kept loops.
  void emit(Value begin, Value end);

private:
  // Numbers of these values' types.
  Values nothing(llvm::ArrayRef<Value> values);
  LoopPass::Walk walkOf(size_t at, Value row, Value begin, Value end,
                        llvm::ArrayRef<Value> registers);
  // The end of a stage's row: its results and what follows from them.
  Values finish(size_t at, const LoopPass::Walk &walk, llvm::ArrayRef<Value> results);

  CpuKernelBuilder &k;
  const LoopNest &nest;
  ElementEmitter &emitter;
  NestBody &body;
  LoopPass &pass;
  llvm::SmallVector<unsigned> stages; // that are present
  // Of each of them: what of its row becomes known at the end, results of reductions first, and
  // what is known before.
  llvm::SmallVector<Values> found, known;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_ROWSTOGETHER_H
