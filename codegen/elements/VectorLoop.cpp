#include "codegen/elements/VectorLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace keratin::codegen {

LoopState repeatWhile(const LoopState &start,
                      llvm::function_ref<VectorExpr(llvm::ArrayRef<VectorExpr>)> goesOn,
                      llvm::function_ref<LoopState(llvm::ArrayRef<VectorExpr>)> step) {
  const EmitContext &emit = start.front().emit();
  OpBuilder &b = emit.builder;
  llvm::SmallVector<Value> values(start.begin(), start.end());
  llvm::SmallVector<Type> types(ValueRange(values).getTypes());
  llvm::SmallVector<Location> locations(values.size(), emit.loc);
  auto statesOf = [&](ValueRange state) {
    LoopState states;
    for (Value value : state)
      states.emplace_back(emit, value);
    return states;
  };

  auto loop = b.create<scf::WhileOp>(emit.loc, types, values);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
    Value any = goesOn(statesOf(before->getArguments()));
    if (isa<VectorType>(any.getType()))
      any = b.create<vector::ReductionOp>(emit.loc, vector::CombiningKind::OR, any);
    b.create<scf::ConditionOp>(emit.loc, any, before->getArguments());

    Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
    LoopState state = statesOf(after->getArguments());
    VectorExpr isActive = goesOn(state);
    llvm::SmallVector<Value> next;
    for (auto [stepped, old] : llvm::zip_equal(step(state), state))
      next.push_back(select(isActive, stepped, old));
    b.create<scf::YieldOp>(emit.loc, next);
  }
  return statesOf(loop.getResults());
}

} // namespace keratin::codegen
