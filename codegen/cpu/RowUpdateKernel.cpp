// Rows added up for the places that indices name, and what follows from the sums element by
// element there. Where no row is added, each result is its table's.
//
// The indices of one row are a chain: heads[row] is the first that names it, next[i] the one after
// index i, both counted from 1, 0 being none. So the rows of a chain are added up in the order of
// the indices, in registers, and the sum is the one that scatter_add has. Whoever takes a chunk of
// units makes the chains anew: heads in the thread's memory, the rest in the line of the kernel's
// that belongs to the chunk's first unit. A row belongs to the unit of the first index in its
// chain; where a result is not in its table's place, each unit also copies its share of the rows
// without a chain. An index outside is left out: others have checked it.
//
// Zeros times a number that is not finite are none. Where the kernel has numbers from outside, it
// looks what becomes of a zero, and computes the rows without a chain, too, if that is anything
// else.
#include "codegen/cpu/RowUpdateKernel.h"
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/TileEpilogue.h"
#include "codegen/lowering/ScatterNest.h"
#include "codegen/lowering/SingleOp.h"
#include "ir/interfaces/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

constexpr int64_t alignment = 64;

class RowUpdatePlan final : public CpuKernelPlan {
public:
  RowUpdatePlan(ir::KernelOp kernel, ir::ScatterAddOp scatter, ArrayRef<unsigned> tables,
                RankedTensorType chains, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: " << counted(lanes, "lane") << "; rows in blocks of "
        << counted(vectors, "vector") << ", none but those that are added to; units of "
        << unitIndices.str() << " indices\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ScatterNest nest;
  llvm::SmallVector<unsigned> tables; // which input is the old value of each result
  RankedTensorType chains;
  unsigned lanes, vectors;
  DimExpr unitIndices, unitRows; // at most
};

RowUpdatePlan::RowUpdatePlan(ir::KernelOp kernel, ir::ScatterAddOp scatter,
                             ArrayRef<unsigned> tables, RankedTensorType chains,
                             const MachineTarget &target)
    : CpuKernelPlan(kernel), nest(scatter), tables(tables), chains(chains) {
  lanes = lanesFor(target, nest.elementType.getIntOrFloatBitWidth());
  vectors = blockVectors(maxUnroll, lanes, nest.width);
  const DimExpr count = ir::getShape(chains)[0];
  unitIndices = ceildiv(nest.count, count).value_or(nest.count);
  unitRows = ceildiv(nest.rows, count).value_or(nest.rows);
  scratchBytes =
      llvm::alignTo(chains.getElementTypeBitWidth() / 8 * nest.rows.constantValue(), alignment);
  setWork(count, mul(*max(DimExpr(1), unitIndices), nest.width).value_or(DimExpr(INT64_MAX)));
}

class RowUpdateKernel : SingleOpKernel {
public:
  RowUpdateKernel(CpuKernelBuilder &k, const RowUpdatePlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.lanes), plan(plan), nest(plan.nest),
        entry(plan.chains.getElementType()), headsType(ir::getTensorType({nest.rows}, entry)),
        epilogue(k, k.target, nest.op->getResult(0)) {}

  void emit();

private:
  using RowBody = llvm::function_ref<void(ArrayRef<Value> starts, ArrayRef<Value> masks)>;

  Value headOf(Value row) { return number(loadScalar(heads, headsType, {row})); }
  Value afterIndex(Value index) { return number(loadScalar(next, plan.chains, {k.begin, index})); }
  Value number(Value value);
  Value isEqual(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
  }
  Value either(Value x, Value y) {
    return !x ? y : !y ? x : Value(b.create<arith::OrIOp>(loc, x, y));
  }
  Value added(Value sum, Value addend);
  void alongRow(RowBody body);
  // Of an index that is inside, the row that it names.
  void withRow(Value index, llvm::function_ref<void(Value row)> body);
  void makeChains();
  void updateRow(Value head, Value row);
  void copyRow(Value row, unsigned result);
  Value changesAll();
  Value isElsewhere(unsigned result);
  void fillOtherRows(Value unit, Value unitRows);

  const RowUpdatePlan &plan;
  const ScatterNest &nest;
  Type entry;
  RankedTensorType headsType;
  TileEpilogue epilogue;
  Value heads, next;
  Value all; // whether rows are computed to which nothing is added; null: never
  SmallVector<Value> elsewhere;
};

// An entry as i64.
Value RowUpdateKernel::number(Value value) {
  return entry.isInteger(64) ? value : b.create<arith::ExtUIOp>(loc, b.getI64Type(), value);
}

// Narrow sums are rounded after each addition, as those that are kept in memory.
Value RowUpdateKernel::added(Value sum, Value addend) {
  emitter.setElementType(nest.elementType);
  Value result = nest.combined(emitter, sum, addend);
  if (nest.elementType.getIntOrFloatBitWidth() >= 32)
    return result;
  emitter.setElementType(b.getF32Type());
  return emitter.cast(result, nest.elementType);
}

void RowUpdateKernel::alongRow(RowBody body) {
  int64_t step = int64_t(plan.vectors) * lanes;
  loop(i64(0), size(nest.width), step, {}, [&](Value column, ArrayRef<Value>) {
    auto [starts, masks] = columnsFrom(column, nest.width, plan.vectors);
    body(starts, masks);
    return SmallVector<Value>();
  });
}

void RowUpdateKernel::withRow(Value index, llvm::function_ref<void(Value row)> body) {
  Value row = position(ScatterNest::targetOperand, nest.indicesType, {index});
  // Unsigned: what is negative is too large.
  Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, row, size(nest.rows));
  where(inside, [&] { body(row); });
}

// From the last index to the first, so that each becomes the head of its chain.
void RowUpdateKernel::makeChains() {
  fillWithZeros(heads, headsType, maxUnroll);
  loop(i64(0), size(nest.count), 1, {}, [&](Value done, ArrayRef<Value>) {
    Value number = minus(size(nest.count), done), index = minus(number, i64(1));
    withRow(index, [&](Value row) {
      storeScalar(loadScalar(heads, headsType, {row}), next, plan.chains, {k.begin, index});
      Value head =
          entry.isInteger(64) ? number : b.create<arith::TruncIOp>(loc, entry, number).getResult();
      storeScalar(head, heads, headsType, {row});
    });
    return SmallVector<Value>();
  });
}

// The head is counted from 1; 0: nothing is added.
void RowUpdateKernel::updateRow(Value head, Value row) {
  alongRow([&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
    SmallVector<Value> init{head};
    init.append(plan.vectors, zeros(nest.elementType));
    SmallVector<Type> types(ValueRange(init).getTypes());
    OpBuilder::InsertionGuard guard(b);
    auto chain = b.create<scf::WhileOp>(
        loc, types, init,
        [&](OpBuilder &inner, Location, ValueRange state) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          Value goesOn = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, state[0], i64(0));
          b.create<scf::ConditionOp>(loc, goesOn, state);
        },
        [&](OpBuilder &inner, Location, ValueRange state) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          Value from = minus(state[0], i64(1));
          SmallVector<Value> after{afterIndex(from)};
          for (unsigned u = 0; u < plan.vectors; ++u) {
            Value addend =
                loadLanes(input(nest.addendOperand), nest.addendsType, {from, starts[u]}, masks[u]);
            after.push_back(added(state[1 + u], addend));
          }
          b.create<scf::YieldOp>(loc, after);
        });
    b.setInsertionPointAfter(chain);
    for (unsigned u = 0; u < plan.vectors; ++u)
      epilogue.emit(b, loc, chain.getResult(1 + u), masks[u], [&](ElementEmitter &element) {
        return llvm::SmallVector<LaneIndex>{element.scalarIndex(row), element.laneIndex(starts[u])};
      });
  });
}

void RowUpdateKernel::copyRow(Value row, unsigned result) {
  alongRow([&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
    for (unsigned u = 0; u < plan.vectors; ++u)
      storeLanes(
          loadLanes(k.inputs[plan.tables[result]], nest.resultType, {row, starts[u]}, masks[u]),
          k.outputs[result], nest.resultType, {row, starts[u]}, masks[u]);
  });
}

// Whether zeros that are added to zeros make anything else in a result that no selection guards.
Value RowUpdateKernel::changesAll() {
  if (k.inputs.size() == nest.op->getNumOperands() + plan.tables.size())
    return {}; // all numbers are known
  ElementEmitter element(k, loc, k.target, 1);
  element.setElementType(nest.elementType);
  Value zero = element.constant(0), changes;
  element.bindRegister(nest.op->getResult(0), zero);
  for (unsigned table : plan.tables)
    element.bindRegister(k.body().getArgument(table), zero);
  for (Value result : ir::valuesOf(k.kernel)) {
    if (result.getDefiningOp<ir::SelectOp>())
      continue;
    SmallVector<LaneIndex> origin(2, element.scalarIndex(i64(0)));
    Value made = element.emit(result, element.unsqueeze(ir::getTensorType(result), origin));
    element.setElementType(nest.elementType);
    changes = either(changes, element.compare(ir::Comparison::NE, made, zero));
  }
  return changes;
}

Value RowUpdateKernel::isElsewhere(unsigned result) {
  auto address = [&](Value pointer) {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), pointer);
  };
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, address(k.outputs[result]),
                                 address(k.inputs[plan.tables[result]]));
}

// The unit's share of the rows to which nothing is added.
void RowUpdateKernel::fillOtherRows(Value unit, Value unitRows) {
  Value from = times(unit, unitRows);
  Value to = b.create<arith::MinSIOp>(loc, plus(from, unitRows), size(nest.rows));
  loop(from, to, 1, {}, [&](Value row, ArrayRef<Value>) {
    where(isEqual(headOf(row), i64(0)), [&] {
      for (unsigned result = 0; result < elsewhere.size(); ++result)
        where(elsewhere[result], [&] { copyRow(row, result); });
      if (all)
        where(all, [&] { updateRow(i64(0), row); });
    });
    return SmallVector<Value>();
  });
}

void RowUpdateKernel::emit() {
  heads = k.scratch();
  next = k.outputs.back();
  makeChains();
  all = changesAll();
  Value any = all;
  for (unsigned result = 0; result < plan.tables.size(); ++result) {
    elsewhere.push_back(isElsewhere(result));
    any = either(any, elsewhere.back());
  }
  Value unitIndices = size(plan.unitIndices), unitRows = size(plan.unitRows);
  loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) {
    Value first = times(unit, unitIndices);
    Value last = b.create<arith::MinSIOp>(loc, plus(first, unitIndices), size(nest.count));
    loop(first, last, 1, {}, [&](Value index, ArrayRef<Value>) {
      withRow(index, [&](Value row) {
        Value head = plus(index, i64(1));
        where(isEqual(headOf(row), head), [&] { updateRow(head, row); });
      });
      return SmallVector<Value>();
    });
    where(any, [&] { fillOtherRows(unit, unitRows); });
    return SmallVector<Value>();
  });
}

void RowUpdatePlan::emit(CpuKernelBuilder &k) const { RowUpdateKernel(k, *this).emit(); }

} // namespace

// The old value of a result: what a selection has where the condition does not hold, or the only
// table that the last op reads.
static BlockArgument tableOf(Value result) {
  Operation *op = result.getDefiningOp();
  if (auto select = dyn_cast_or_null<ir::SelectOp>(op))
    return dyn_cast<BlockArgument>(select.getB());
  BlockArgument table;
  for (Value operand : op ? op->getOperands() : ValueRange())
    if (auto argument = dyn_cast<BlockArgument>(operand);
        argument && argument.getType() == result.getType())
      table = argument;
  return table;
}

CpuPlan keratin::codegen::planRowUpdateKernel(ir::KernelOp kernel, const MachineTarget &target) {
  auto scatter = dyn_cast<ir::ScatterAddOp>(mainOp(kernel));
  Block &body = kernel.getBody().front();
  OperandRange results = ir::valuesOf(kernel);
  llvm::SmallVector<unsigned> tables;
  for (Value result : results)
    if (BlockArgument table = tableOf(result);
        table && scatter && table.getType() == scatter.getY().getType())
      tables.push_back(table.getArgNumber());
  auto isGiven = [](Value value) { return isa<BlockArgument>(value); };
  if (tables.empty() || tables.size() != results.size() ||
      body.getTerminator()->getNumOperands() != results.size() + 1 ||
      !llvm::all_of(scatter->getOperands(), isGiven) ||
      ir::squeezed(ir::getShape(scatter.getY())).size() != 2) {
    (void)onlyOp(kernel); // says that it has others
    return nullptr;
  }
  Value chains = body.getTerminator()->getOperands().back();
  return std::make_shared<RowUpdatePlan>(kernel, scatter, tables, ir::getTensorType(chains),
                                         target);
}
