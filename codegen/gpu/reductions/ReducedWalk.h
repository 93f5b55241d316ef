// Where a thread stands in the loops that are reduced.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_REDUCEDWALK_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_REDUCEDWALK_H

#include "codegen/elements/NestBody.h"

namespace keratin::codegen {

// One number counts the groups of all reduced loops, the last fastest. A walk in steps of one size
// goes from the positions of one group to those of the next by additions.
class ReducedWalk {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  // An innermost loop that is reduced has groups of so many elements.
  ReducedWalk(KernelBuilder &k, const LoopNest &nest, unsigned lanes);

  // A position for each of the loops, outermost first.
  Values positions(Value number);
  // Those that lie further by others. The number they stand for is that of a group.
  Values add(llvm::ArrayRef<Value> positions, llvm::ArrayRef<Value> step);
  // The elements there, in lanes of the emitter if they are several.
  llvm::SmallVector<LaneIndex> indices(ElementEmitter &emitter, llvm::ArrayRef<Value> positions);
  // Puts the body there.
  void select(NestBody &body, llvm::ArrayRef<LaneIndex> indices);
  // How many groups there are, as i64.
  Value count();

private:
  KernelBuilder &k;
  const LoopNest &nest;
  unsigned lanes;
  llvm::SmallVector<unsigned> loops;
  Values extents; // in groups
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_REDUCEDWALK_H
