// Groups of neighbouring elements, after an ElementsPlan.
#include "codegen/gpu/moves/ElementsPlan.h"

#include "codegen/elements/NestBody.h"
#include "codegen/gpu/threads/Alignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

// Code for so many elements at once. Each keeps what it has made.
struct Elements {
  Elements(DeviceKernelBuilder &k, const LoopNest &nest, unsigned count)
      : emitter(k, k.loc, k.target, count), body(k, nest, emitter) {}

  ElementEmitter emitter;
  NestBody body;
};

class ElementsKernel {
public:
  ElementsKernel(DeviceKernelBuilder &k, const ElementsPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), single(k, plan.nest, 1),
        grouped(k, plan.nest, plan.elements) {}

  void emit();

private:
  void emitUnit(Value unit);
  void emitAt(Elements &elements, Value line, LaneIndex position);
  Value areAligned();
  void assumeAligned();
  void forEach(Value from, Value to, llvm::function_ref<void(Value)> body);

  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value mul(Value x, int64_t y) { return b.create<arith::MulIOp>(loc, x, k.i64(y)); }
  Value isZero(Value x) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, k.i64(0));
  }
  Value lowBits(Value x, int64_t divisor) {
    return b.create<arith::AndIOp>(loc, x, k.i64(divisor - 1));
  }
  bool hasSeveralLines() const { return plan.lines() != DimExpr(1); }

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ElementsPlan &plan;
  Elements single, grouped;
  std::optional<Alignment> tensors; // where there are groups
  Value aligned;                    // whether groups are; null where there are none
};

//===-- Alignment -----------------------------------------------------------------------------===//

// Groups begin on multiples of 16 bytes if tensors do, and lines are whole groups.
Value ElementsKernel::areAligned() {
  Value aligned = tensors->holds();
  if (hasSeveralLines())
    aligned = b.create<arith::AndIOp>(
        loc, aligned, isZero(lowBits(k.sizeOf(plan.lineElements()), plan.elements)));
  return aligned;
}

// What LLVM needs to know to make one access of a group.
void ElementsKernel::assumeAligned() {
  tensors->assume();
  if (hasSeveralLines() && !plan.lineElements().isConstant())
    b.create<LLVM::AssumeOp>(loc, isZero(lowBits(k.sizeOf(plan.lineElements()), plan.elements)));
}

//===-- Elements ------------------------------------------------------------------------------===//

void ElementsKernel::emitAt(Elements &elements, Value line, LaneIndex position) {
  elements.body.setOuterIndex(line);
  if (plan.nest.form != LoopNest::Form::Scalar)
    elements.body.innermost() = position;
  elements.body.emit(0, {});
}

// Of each integer, in a loop in which both emit.
void ElementsKernel::forEach(Value from, Value to, llvm::function_ref<void(Value)> body) {
  k.forLoop(from, to, k.i64(1), {},
            [&](Operation *loop, Value iv, ArrayRef<Value>) -> SmallVector<Value> {
              single.emitter.enter(loop);
              grouped.emitter.enter(loop);
              body(iv);
              grouped.emitter.leave();
              single.emitter.leave();
              return {};
            });
}

// A group: at once if it is whole and aligned, element by element if not.
void ElementsKernel::emitUnit(Value unit) {
  Value line = unit, first = unit;
  if (hasSeveralLines()) {
    Value perLine = k.sizeOf(plan.groups());
    first = b.create<arith::RemUIOp>(loc, unit, perLine);
    line = b.create<arith::DivUIOp>(loc, unit, perLine);
  }
  first = mul(first, plan.elements);
  Value n = k.sizeOf(plan.lineElements());
  Value next = add(first, k.i64(plan.elements));
  Value end = b.create<arith::MinSIOp>(loc, next, n), rest = first;
  if (aligned) {
    Value whole = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, next, n);
    rest =
        b.create<arith::SelectOp>(loc, b.create<arith::AndIOp>(loc, whole, aligned), next, first);
    grouped.emitter.loop(first, rest, plan.elements, {},
                         [&](Value position, ArrayRef<Value>) -> SmallVector<Value> {
                           assumeAligned();
                           emitAt(grouped, line, grouped.emitter.laneIndex(position));
                           return {};
                         });
  }
  single.emitter.loop(rest, end, 1, {}, [&](Value position, ArrayRef<Value>) -> SmallVector<Value> {
    emitAt(single, line, single.emitter.scalarIndex(position));
    return {};
  });
}

void ElementsKernel::emit() {
  if (plan.elements > 1) {
    tensors.emplace(k);
    aligned = areAligned();
  }
  forEach(k.begin, k.end, [&](Value unit) { emitUnit(unit); });
}

} // namespace

void ElementsPlan::emit(DeviceKernelBuilder &k) const { ElementsKernel(k, *this).emit(); }
