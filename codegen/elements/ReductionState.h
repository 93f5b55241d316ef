// The numbers of reductions on their way through loops.
#ifndef KERATIN_CODEGEN_ELEMENTS_REDUCTIONSTATE_H
#define KERATIN_CODEGEN_ELEMENTS_REDUCTIONSTATE_H

#include "codegen/elements/ElementEmitter.h"

namespace keratin::codegen {

// An accumulator takes element by element, in lanes or as a scalar. Where long sums are made of
// blocks, a state takes the sums of blocks: its value so far and, of compensated sums, the rounding
// errors that it has lost.
class ReductionState {
public:
  using Value = mlir::Value;
  using Ops = llvm::ArrayRef<ir::ReductionOpInterface>;

  ReductionState(KernelBuilder &k, ElementEmitter &emitter, bool keepsErrors)
      : b(k.b), loc(k.loc), emitter(emitter), keepsErrors(keepsErrors) {}

  // An accumulator that has taken nothing.
  Value identity(ir::ReductionOpInterface op, bool isVector);
  // States of the ops, one after the other, that have taken nothing.
  llvm::SmallVector<Value> begin(Ops ops, bool isVector);
  // Takes partial results: one of each op, or several times one of each, as the state has.
  // Where `isFirst` is given and true, the state has taken nothing yet.
  void absorb(Ops ops, llvm::MutableArrayRef<Value> state, llvm::ArrayRef<Value> partials,
              Value isFirst = Value());
  // The result of each op, as often as the state has it: for each lane, or of all lanes together,
  // in a fixed order.
  enum class Lanes { Apart, Together };
  llvm::SmallVector<Value> settle(Ops ops, llvm::ArrayRef<Value> state, Lanes lanes);

private:
  unsigned size(ir::ReductionOpInterface op) { return keepsErrors && op.isCompensated() ? 2 : 1; }
  void absorb(ir::ReductionOpInterface op, llvm::MutableArrayRef<Value> state, Value partial,
              Value isFirst);
  Value settle(ir::ReductionOpInterface op, llvm::ArrayRef<Value> state);
  Value acrossLanes(ir::ReductionOpInterface op, Value vector);

  mlir::OpBuilder &b;
  mlir::Location loc;
  ElementEmitter &emitter;
  bool keepsErrors;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_REDUCTIONSTATE_H
