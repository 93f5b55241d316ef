#include "codegen/cpu/RowsTogether.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ReductionOpInterface;

RowsTogether::RowsTogether(CpuKernelBuilder &k, const LoopPlan &plan, ElementEmitter &emitter,
                           NestBody &body, LoopPass &pass)
    : k(k), nest(plan.nest), emitter(emitter), body(body), pass(pass),
      stages(plan.stagesPresent()) {
  const SmallVector<Value> computed = nest.keptOfRows();
  unsigned behind = 0;
  for (unsigned stage : stages) {
    known.push_back(known.empty() ? Values() : known.back());
    if (!found.empty())
      known.back().append(found.back());
    Values &news = found.emplace_back();
    for (ReductionOpInterface op : nest.reductions(stage))
      news.push_back(op->getResult(0));
    for (Value value : computed)
      if (unsigned at = nest.space.stageOf.lookup(value); at > behind && at <= stage + 1)
        news.push_back(value);
    behind = stage + 1;
  }
}

RowsTogether::Values RowsTogether::nothing(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    Type type = emitter.registerType(ir::getElementType(value));
    return k.b.create<arith::ConstantOp>(k.loc, k.b.getZeroAttr(type));
  });
}

LoopPass::Walk RowsTogether::walkOf(size_t at, Value row, Value begin, Value end,
                                    ArrayRef<Value> registers) {
  LoopPass::Walk walk(stages[at]);
  auto compare = [&](arith::CmpIPredicate how, Value bound) -> Value {
    return k.b.create<arith::CmpIOp>(k.loc, how, row, bound);
  };
  walk.isThere = compare(arith::CmpIPredicate::slt, end);
  if (at)
    walk.isThere =
        k.b.create<arith::AndIOp>(k.loc, walk.isThere, compare(arith::CmpIPredicate::sge, begin));
  body.setOuterIndex(row);
  for (unsigned group : nest.outerKept)
    walk.row.push_back(body.index(group));
  for (auto [value, inRegisters] : llvm::zip(known[at], registers))
    walk.found.push_back({value, inRegisters});
  return walk;
}

RowsTogether::Values RowsTogether::finish(size_t at, const LoopPass::Walk &walk,
                                          ArrayRef<Value> results) {
  pass.select(walk);
  return emitter.where(walk.isThere, nothing(found[at]), [&] {
    const ArrayRef<Value> values(found[at]);
    // What follows from results is bound to that of another row.
    for (Value value : values.drop_front(results.size()))
      emitter.bindRegister(value, Value());
    for (auto [value, registers] : llvm::zip(values, results))
      emitter.bindRegister(value, registers);
    body.storeRows(walk.stage);
    Values registers(results);
    for (Value value : values.drop_front(results.size()))
      registers.push_back(body.rowValue(value));
    return registers;
  });
}

void RowsTogether::emit(Value begin, Value end) {
  Values init;
  for (ArrayRef<Value> values : known)
    init.append(nothing(values));
  Value last = k.b.create<arith::AddIOp>(k.loc, end, emitter.i64(int64_t(stages.size()) - 1));
  // Of no rows there is no step: an index in an empty shape would be divided by its sizes.
  Value isAny = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt, begin, end);
  last = k.b.create<arith::SelectOp>(k.loc, isAny, last, begin);
  emitter.loop(begin, last, 1, init, [&](Value step, ArrayRef<Value> carried) {
    SmallVector<LoopPass::Walk> walks;
    for (size_t at = 0; at < stages.size(); ++at) {
      Value row =
          at ? k.b.create<arith::SubIOp>(k.loc, step, emitter.i64(int64_t(at))).getResult() : step;
      walks.push_back(walkOf(at, row, begin, end, carried.take_front(known[at].size())));
      carried = carried.drop_front(known[at].size());
    }
    const Values results = pass.emit(walks);
    Values next;
    ArrayRef<Value> left(results);
    for (auto [at, walk] : llvm::enumerate(walks)) {
      const size_t count = nest.reductions(walk.stage).size();
      const Values news = finish(at, walk, left.take_front(count));
      left = left.drop_front(count);
      if (at + 1 == walks.size())
        break;
      for (auto [value, registers] : walk.found)
        next.push_back(registers);
      next.append(news);
    }
    return next;
  });
  // Registers of this loop are none of what is emitted behind it.
  for (ArrayRef<Value> values : found)
    for (Value value : values)
      emitter.bindRegister(value, Value());
}
