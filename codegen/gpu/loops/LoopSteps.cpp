// The steps and branches of a resident loop, which all threads take alike.
#include "codegen/gpu/loops/LoopKernel.h"

using namespace keratin::codegen;
using namespace mlir;

void LoopKernel::lower(scf::ForOp op) {
  SmallVector<Value> init;
  for (Value value : op.getInitArgs())
    init.push_back(values.of(value));
  auto steps = b.create<scf::ForOp>(loc, values.of(op.getLowerBound()),
                                    values.of(op.getUpperBound()), values.of(op.getStep()), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(steps.getBody());
  for (auto [argument, value] :
       llvm::zip(op.getBody()->getArguments(), steps.getBody()->getArguments()))
    values.set(argument, value);
  values.set(op.getInductionVar(), readAnew(steps.getInductionVar()));
  haveMet = false; // behind the step before
  lowerBlock(*op.getBody());
  haveMet = false;
  SmallVector<Value> next;
  for (Value value : op.getYieldedValues())
    next.push_back(values.of(value));
  if (!init.empty())
    b.create<scf::YieldOp>(loc, next);
  for (auto [result, value] : llvm::zip(op.getResults(), steps.getResults()))
    values.set(result, value);
}

void LoopKernel::lower(scf::WhileOp op) {
  SmallVector<Value> init;
  for (Value value : op.getInits())
    init.push_back(values.of(value));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(values.typeOf(type));
  auto steps = b.create<scf::WhileOp>(loc, types, init);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *from, Region &to) {
    SmallVector<Type> arguments;
    for (Type type : from->getArgumentTypes())
      arguments.push_back(values.typeOf(type));
    SmallVector<Location> locations(arguments.size(), loc);
    Block *block = b.createBlock(&to, {}, arguments, locations);
    for (auto [argument, value] : llvm::zip(from->getArguments(), block->getArguments()))
      values.set(argument, value.getType().isInteger(64) ? readAnew(value) : Value(value));
    lowerBlock(*from);
    SmallVector<Value> last;
    for (Value value : from->getTerminator()->getOperands())
      last.push_back(values.of(value));
    return last;
  };
  haveMet = false; // behind the step before
  SmallVector<Value> condition = fill(op.getBeforeBody(), steps.getBefore());
  b.create<scf::ConditionOp>(loc, condition.front(), ArrayRef<Value>(condition).drop_front());
  bool metAtEnd = haveMet;
  SmallVector<Value> next = fill(op.getAfterBody(), steps.getAfter());
  b.create<scf::YieldOp>(loc, next);
  haveMet = metAtEnd;
  for (auto [result, value] : llvm::zip(op.getResults(), steps.getResults()))
    values.set(result, value);
}

void LoopKernel::lower(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(values.typeOf(type));
  bool hasElse = op.elseBlock();
  auto branch = b.create<scf::IfOp>(loc, types, values.of(op.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(b);
  const bool metBefore = haveMet;
  bool metBehind = !hasElse && haveMet;
  auto fill = [&](Block *from, Block *to) {
    haveMet = metBefore;
    b.setInsertionPointToStart(to);
    lowerBlock(*from);
    SmallVector<Value> yielded;
    for (Value value : from->getTerminator()->getOperands())
      yielded.push_back(values.of(value));
    if (!yielded.empty())
      b.create<scf::YieldOp>(loc, yielded);
  };
  fill(op.thenBlock(), branch.thenBlock());
  bool metInThen = haveMet;
  if (hasElse) {
    fill(op.elseBlock(), branch.elseBlock());
    metBehind = haveMet;
  }
  haveMet = metInThen && metBehind;
  for (auto [result, value] : llvm::zip(op.getResults(), branch.getResults()))
    values.set(result, value);
}
