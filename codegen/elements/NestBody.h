// What runs at one index of a loop nest.
#ifndef KERATIN_CODEGEN_ELEMENTS_NESTBODY_H
#define KERATIN_CODEGEN_ELEMENTS_NESTBODY_H

#include "codegen/elements/ElementEmitter.h"
#include "codegen/lowering/LoopNest.h"

namespace keratin::codegen {

// For one element or for the lanes of the emitter, as the index says.
class NestBody {
public:
  using Value = mlir::Value;

  NestBody(KernelBuilder &k, const LoopNest &nest, ElementEmitter &emitter)
      : k(k), nest(nest), emitter(emitter), current(nest.space.groups.size()) {}

  // Of a group of the nest's space; to be set before code that depends on it.
  LaneIndex &index(unsigned group) { return current[group]; }
  LaneIndex &innermost() { return current.back(); }
  // Of the kept loops but the innermost, which one number counts, the last fastest.
  void setOuterIndex(Value number);

  // Combines the accumulator of each reduction of the stage with the element at the index, and
  // stores what the stage yields there. Lanes that are not real leave reduced rows as they are.
  void emit(unsigned stage, llvm::MutableArrayRef<Value> accumulators);
  // The value at the index.
  Value element(Value value) { return emitter.emit(value, indexFor(value, false)); }
  // Its parts: the element that a reduction takes, the accumulator with it, and what the stage
  // yields.
  Value operand(ir::ReductionOpInterface op, bool isVector);
  Value combined(ir::ReductionOpInterface op, Value accumulator);
  void storeElements(unsigned stage);
  // Stores a value of the index where the result will be, and loads what is there.
  void storeInPlaceOf(unsigned output, Value value);
  Value elementInPlaceOf(unsigned output);
  // Asks for what an input or result of the full shape has so many elements behind the index.
  void prefetch(bool isOutput, unsigned number, Value distance);
  void prefetchInputs(); // at the index
  // A value of the row, of which reductions are registers.
  Value rowValue(Value value) { return emitter.emit(value, indexFor(value, true)); }
  // Stores a reduction's result for these columns, which are numbered as if all reduced loops were
  // one.
  void storeColumns(const LoopNest::Column &column, Value registers, Value position);
  // Stores what became known of the row with the reductions of the stage, which are registers.
  void storeRows(unsigned stage);

private:
  llvm::SmallVector<LaneIndex> squeezedIndex(bool rowOnly);
  llvm::SmallVector<LaneIndex> indexFor(Value value, bool isRow);
  void accumulate(ir::ReductionOpInterface op, Value &accumulator);
  void store(const LoopNest::Output &output, Value element, llvm::ArrayRef<LaneIndex> index);

  KernelBuilder &k;
  const LoopNest &nest;
  ElementEmitter &emitter;
  llvm::SmallVector<LaneIndex> current;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_NESTBODY_H
