// top_k: a heap of places in the result itself, whose root is the worst of the k best so far.
//
// A unit is one line. Its first k places are made a heap; each further element that precedes the
// root takes its place; vectors of elements none of which does are left behind with one comparison.
// The heap is sorted at the end, worst last. Which places are kept, and their order, follows from
// the elements alone, as no two places are equal: of equal elements the first precedes. Where k is
// most of a long line, the line is sorted instead (TopKSort.h).
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/cpu/TopKSort.h"
#include "codegen/lowering/TopKNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class TopKPlan final : public CpuKernelPlan {
public:
  TopKPlan(ir::KernelOp kernel, Operation *op, const MachineTarget &target)
      : CpuKernelPlan(kernel), nest(op),
        lanes(lanesFor(target, nest.lines.type.getElementTypeBitWidth())) {
    blocks = {nest.units(), DimExpr(1), 1};
    setWork(blocks.units(), nest.lines.length);
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: a heap of places for each line, in the result; " << counted(lanes, "lane")
        << " compared with its root\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  TopKNest nest;
  unsigned lanes;
  UnitBlocks blocks;
};

class TopKKernel : SingleOpKernel {
public:
  TopKKernel(CpuKernelBuilder &k, const TopKPlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.lanes), plan(plan), nest(plan.nest),
        type(nest.lines.type.getElementType()),
        elements(ir::getTensorType({nest.lines.outer, nest.lines.length}, type)),
        places(ir::getTensorType({nest.lines.outer, nest.k}, b.getI64Type())) {}

  void emit();

private:
  // A place of the line, and the element there.
  struct Entry {
    Value place, element;
  };
  Value placeAt(Value slot) { return loadScalar(output(), places, {row, slot}); }
  void put(Value place, Value slot) { storeScalar(place, output(), places, {row, slot}); }
  Entry entryOf(Value place) { return {place, loadScalar(input(0), elements, {row, place})}; }
  Entry entryAt(Value slot) { return entryOf(placeAt(slot)); }

  Value beats(Value x, Value y) {
    return keratin::codegen::beats(b, loc, type, x, y, /*largest=*/true);
  }
  Value precedes(const Entry &x, const Entry &y);
  void sink(Entry entry, Value hole, Value end);
  void offer(Value place);
  void offerVector(Value first, Value length);

  const TopKPlan &plan;
  const TopKNest &nest;
  Type type;
  RankedTensorType elements, places;
  Value row;
};

Value TopKKernel::precedes(const Entry &x, const Entry &y) {
  Value isBefore = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x.place, y.place);
  Value wins = b.create<arith::OrIOp>(loc, beats(x.element, y.element), isBefore);
  return b.create<arith::SelectOp>(loc, beats(y.element, x.element),
                                   b.create<arith::ConstantIntOp>(loc, 0, 1), wins);
}

// Puts the entry into the heap [0, end), whose slot `hole` is free and may be too near the root for
// it: what it precedes rises.
void TopKKernel::sink(Entry entry, Value hole, Value end) {
  Type i64Type = b.getI64Type();
  OpBuilder::InsertionGuard guard(b);
  auto walk = b.create<scf::WhileOp>(
      loc, TypeRange{i64Type, i64Type, i64Type}, ValueRange{hole},
      [&](OpBuilder &inner, Location, ValueRange state) {
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        Value left = plus(plus(state[0], state[0]), i64(1));
        Value exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, left, end);
        auto rises = b.create<scf::IfOp>(
            loc, exists,
            [&](OpBuilder &then, Location) {
              b.setInsertionPointToEnd(then.getInsertionBlock());
              // Where there is no right child the left one is compared with itself.
              Value right = b.create<arith::MinUIOp>(loc, plus(left, i64(1)), minus(end, i64(1)));
              Entry x = entryAt(left), y = entryAt(right);
              Value isLeft = precedes(y, x);
              Value child = b.create<arith::SelectOp>(loc, isLeft, left, right);
              Entry worse{b.create<arith::SelectOp>(loc, isLeft, x.place, y.place),
                          b.create<arith::SelectOp>(loc, isLeft, x.element, y.element)};
              b.create<scf::YieldOp>(loc, ValueRange{precedes(entry, worse), child, worse.place});
            },
            [&](OpBuilder &otherwise, Location) {
              b.setInsertionPointToEnd(otherwise.getInsertionBlock());
              Value no = b.create<arith::ConstantIntOp>(loc, 0, 1);
              b.create<scf::YieldOp>(loc, ValueRange{no, left, left});
            });
        b.setInsertionPointAfter(rises);
        b.create<scf::ConditionOp>(loc, rises.getResult(0),
                                   ValueRange{state[0], rises.getResult(1), rises.getResult(2)});
      },
      [&](OpBuilder &inner, Location, ValueRange state) {
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        put(state[2], state[0]);
        b.create<scf::YieldOp>(loc, state[1]);
      });
  b.setInsertionPointAfter(walk);
  put(entry.place, walk.getResult(0));
}

// An element behind all that have been looked at.
void TopKKernel::offer(Value place) {
  Entry entry = entryOf(place);
  Value better = beats(entry.element, entryAt(i64(0)).element);
  where(better, [&] { sink(entry, i64(0), size(nest.k)); });
}

void TopKKernel::offerVector(Value first, Value length) {
  Value mask = emitter.maskBelow(first, length);
  Value vector = loadLanes(input(0), elements, {row, first}, mask);
  Value better = beats(vector, emitter.splat(entryAt(i64(0)).element));
  better = b.create<arith::AndIOp>(loc, better, mask);
  Value any = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, better);
  where(any, [&] {
    Value end = b.create<arith::MinUIOp>(loc, plus(first, i64(lanes)), length);
    loop(first, end, 1, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
      offer(place);
      return {};
    });
  });
}

void TopKKernel::emit() {
  forEachUnit(plan.blocks, [&](Value unit, Value) {
    row = unit;
    Value k = size(nest.k), length = size(nest.lines.length);
    loop(i64(0), k, 1, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
      put(place, place);
      return {};
    });
    // Slots with children, from the last on.
    Value inner = b.create<arith::DivUIOp>(loc, k, i64(2));
    loop(i64(0), inner, 1, {}, [&](Value done, ArrayRef<Value>) -> SmallVector<Value> {
      Value slot = minus(minus(inner, i64(1)), done);
      sink(entryAt(slot), slot, k);
      return {};
    });
    loop(k, length, lanes, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
      if (lanes == 1)
        offer(place);
      else
        offerVector(place, length);
      return {};
    });
    // The worst goes behind the heap, whose last takes its place.
    loop(i64(1), k, 1, {}, [&](Value done, ArrayRef<Value>) -> SmallVector<Value> {
      Value end = minus(k, done);
      Value worst = placeAt(i64(0));
      Entry last = entryAt(end);
      put(worst, end);
      sink(last, i64(0), end);
      return {};
    });
  });
}

void TopKPlan::emit(CpuKernelBuilder &k) const { TopKKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planTopKKernel(ir::KernelOp kernel, const MachineTarget &target) {
  auto op = cast<ir::TopKOp>(mainOp(kernel));
  if (CpuPlan sort = planTopKSort(kernel, op, target))
    return sort;
  return std::make_shared<TopKPlan>(kernel, op, target);
}
