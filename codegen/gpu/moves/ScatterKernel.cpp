// Rows that warps look for, after a ScatterPlan.
#include "codegen/gpu/moves/ScatterPlan.h"

#include "codegen/gpu/moves/DeviceOpKernel.h"
#include "codegen/gpu/threads/Shuffle.h"

#include "ir/dialect/OwnRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

namespace {

class ScatterKernel : DeviceOpKernel {
public:
  ScatterKernel(DeviceKernelBuilder &k, const ScatterPlan &plan)
      : DeviceOpKernel(k, plan.nest.op), plan(plan), nest(plan.nest), type(nest.elementType),
        warp(b, loc) {}

  void emit();

private:
  // The place of an addition in the tile; too large where there is none.
  Value rowInTile(Value number);
  Value isInTile(Value row) { return isBelow(row, i64(plan.tileRows())); }
  void checkIndices();
  Values look(Value first, ArrayRef<Value> sums);
  Values addThose(Value first, ArrayRef<Value> sums);

  // One addition: its row in the tile, whether there is one, and what it adds to each column.
  struct Addition {
    Value row, exists;
    Values addends;
  };
  Addition additionOf(Value first, Value rows, Value member, Value exists);
  Values add(ArrayRef<Value> sums, const Addition &addition);
  void storeSums(ArrayRef<Value> sums);

  Value column(unsigned number) { return e.add(firstColumn, int64_t(number) * plan.rowThreads); }
  Value bits(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

  const ScatterPlan &plan;
  const ScatterNest &nest;
  mlir::Type type;
  Warp warp;
  Value lane, ownRow;          // the thread's; among the rows that the warp has side by side
  Value firstRow, firstColumn; // of the tile; of the thread
  Values hasColumn;
};

//===-- Indices -------------------------------------------------------------------------------===//

Value ScatterKernel::rowInTile(Value number) {
  Value exists = e.less(number, size(nest.count));
  return e.choose(
      exists, {b.getI64Type()},
      [&]() -> Values {
        Value row = position(nest.targetOperand, number);
        // What is outside is in no tile.
        return {e.select(isBelow(row, size(nest.rows)), e.sub(row, firstRow), i64(-1))};
      },
      [&]() -> Values { return {i64(-1)}; })[0];
}

// All of them, by the threads of one unit.
void ScatterKernel::checkIndices() {
  if (ir::hasOwnRows(op))
    return;
  Value site = k.site(op, nest.message());
  e.branch(e.equal(k.begin, i64(0)), [&] {
    e.loop(lane, size(nest.count), plan.unitThreads, [&](Value number) {
      Value inside = isBelow(position(nest.targetOperand, number), size(nest.rows));
      if (nest.isSparse)
        inside =
            e.logicalAnd(inside, isBelow(position(nest.sourceOperand, number), size(nest.sources)));
      e.branch(inside, [] {}, [&] { k.fail(loc, site); });
    });
  });
}

// A few indices for each thread; most of them are other tiles'.
ScatterKernel::Values ScatterKernel::look(Value first, ArrayRef<Value> sums) {
  Value any;
  for (unsigned i = 0; i < plan.looks; ++i) {
    Value number = e.add(e.add(first, int64_t(i) * plan.unitThreads), lane);
    Value here = isInTile(rowInTile(number));
    any = any ? b.create<arith::OrIOp>(loc, any, here) : here;
  }
  SmallVector<Type> types(ValueRange(sums).getTypes());
  return e.choose(
      warp.any(any), types,
      [&] {
        return e.loop(
            first, e.add(first, int64_t(plan.looks) * plan.unitThreads), plan.unitThreads, sums,
            [&](Value next, ValueRange carried) { return addThose(next, Values(carried)); });
      },
      [&] { return Values(sums); });
}

//===-- Additions -----------------------------------------------------------------------------===//

// Of the thread of the warp with the number `member`.
ScatterKernel::Addition ScatterKernel::additionOf(Value first, Value rows, Value member,
                                                  Value exists) {
  Value row = warp.from(rows, member);
  Addition addition{b.create<arith::ExtUIOp>(loc, b.getI64Type(), row), exists, {}};
  Value number = e.add(first, b.create<arith::ExtUIOp>(loc, b.getI64Type(), member));
  Value from = number, factor;
  if (nest.isSparse) {
    // Those that do not exist stand for the first.
    number = e.select(exists, number, first);
    from = position(nest.sourceOperand, number);
    addition.exists = e.logicalAnd(exists, isBelow(from, size(nest.sources)));
    factor = load(input(nest.factorOperand), type, number);
  }
  if (plan.rowsTogether() > 1)
    addition.exists = e.logicalAnd(addition.exists,
                                   e.equal(e.rem(addition.row, i64(plan.rowsTogether())), ownRow));
  Value start = e.mul(from, size(nest.width));
  for (unsigned i = 0; i < plan.columns; ++i) {
    Value addend = loadWhere(e.logicalAnd(addition.exists, hasColumn[i]), input(nest.addendOperand),
                             type, e.add(start, column(i)));
    emitter.setElementType(type);
    addition.addends.push_back(factor ? emitter.mul(factor, addend) : addend);
  }
  return addition;
}

// Sums of rows are kept as they are stored, as those of one thread are that adds to memory.
ScatterKernel::Values ScatterKernel::add(ArrayRef<Value> sums, const Addition &addition) {
  Values next;
  Value row = e.div(addition.row, i64(plan.rowsTogether()));
  for (unsigned r = 0; r < plan.rows; ++r) {
    Value here = e.logicalAnd(addition.exists, e.equal(row, i64(r)));
    for (Value addend : addition.addends) {
      Value sum = sums[next.size()];
      Value larger = nest.combined(emitter, sum, addend);
      next.push_back(e.select(here, nest.isSparse ? larger : rounded(larger, type), sum));
    }
  }
  return next;
}

// Those among the indices of the warp's threads that are in the tile, in their order.
ScatterKernel::Values ScatterKernel::addThose(Value first, ArrayRef<Value> sums) {
  Value row = rowInTile(e.add(first, lane));
  Value rows = b.create<arith::TruncIOp>(loc, b.getI32Type(), row);
  Values state{warp.ballot(isInTile(row))};
  Value count = b.create<arith::ExtUIOp>(loc, b.getI64Type(),
                                         b.create<LLVM::CtPopOp>(loc, b.getI32Type(), state[0]));
  state.append(sums.begin(), sums.end());
  state = e.loop(i64(0), count, plan.reads, state, [&](Value, ValueRange carried) {
    Value members = carried[0];
    SmallVector<Addition> additions;
    for (unsigned i = 0; i < plan.reads; ++i) {
      Value exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, members, bits(0));
      Value member = b.create<LLVM::CountTrailingZerosOp>(loc, b.getI32Type(), members,
                                                          /*is_zero_poison=*/false);
      member = b.create<arith::AndIOp>(loc, member, bits(plan.unitThreads - 1));
      additions.push_back(additionOf(first, rows, member, exists));
      members =
          b.create<arith::AndIOp>(loc, members, b.create<arith::SubIOp>(loc, members, bits(1)));
    }
    Values next(carried.drop_front());
    for (const Addition &addition : additions)
      next = add(next, addition);
    next.insert(next.begin(), members);
    return next;
  });
  return Values(ArrayRef<Value>(state).drop_front());
}

//===-- Units ---------------------------------------------------------------------------------===//

void ScatterKernel::storeSums(ArrayRef<Value> sums) {
  for (unsigned r = 0; r < plan.rows; ++r) {
    Value row = e.add(e.add(firstRow, ownRow), int64_t(r) * plan.rowsTogether());
    Value start = e.mul(row, size(nest.width)), exists = e.less(row, size(nest.rows));
    for (unsigned i = 0; i < plan.columns; ++i)
      e.branch(e.logicalAnd(exists, hasColumn[i]),
               [&] { store(sums[r * plan.columns + i], output(), type, e.add(start, column(i))); });
  }
}

void ScatterKernel::emit() {
  lane = warp.lane();
  ownRow = e.div(lane, i64(plan.rowThreads));
  Value unit = k.begin;
  Value block = e.popCounter(unit, size(plan.blocks.blocksOfRow()));
  firstRow = e.mul(unit, plan.tileRows());
  firstColumn = e.add(e.mul(block, plan.tileColumns()), e.rem(lane, i64(plan.rowThreads)));
  for (unsigned i = 0; i < plan.columns; ++i)
    hasColumn.push_back(e.less(column(i), size(nest.width)));
  checkIndices();
  Values sums(size_t(plan.rows) * plan.columns, nest.initial(emitter));
  sums = e.loop(i64(0), size(nest.count), int64_t(plan.looks) * plan.unitThreads, sums,
                [&](Value first, ValueRange carried) { return look(first, Values(carried)); });
  storeSums(sums);
}

} // namespace

void ScatterPlan::emit(DeviceKernelBuilder &k) const { ScatterKernel(k, *this).emit(); }
