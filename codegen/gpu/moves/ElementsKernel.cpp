// Groups of neighbouring elements, after an ElementsPlan.
#include "codegen/gpu/moves/ElementGroups.h"
#include "codegen/gpu/moves/ElementsPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

class ElementsKernel {
public:
  ElementsKernel(DeviceKernelBuilder &k, const ElementsPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), groups(k, plan.nest, plan.elements) {}

  void emit() {
    aligned = groups.areAligned();
    groups.forEach(k.begin, k.end, [&](Value unit) { emitUnit(unit); });
  }

private:
  void emitUnit(Value unit);

  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value mul(Value x, int64_t y) { return b.create<arith::MulIOp>(loc, x, k.i64(y)); }

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ElementsPlan &plan;
  ElementGroups groups;
  Value aligned; // whether groups are; null where there are none
};

// A group: at once if it is whole and aligned, element by element if not.
void ElementsKernel::emitUnit(Value unit) {
  Value line = unit, first = unit;
  if (groups.hasSeveralLines()) {
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
    groups.grouped.emitter.loop(first, rest, plan.elements, {},
                                [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
                                  groups.emitGroup(line, place);
                                  return {};
                                });
  }
  groups.single.emitter.loop(rest, end, 1, {},
                             [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
                               groups.emitElement(line, place);
                               return {};
                             });
}

} // namespace

void ElementsPlan::emit(DeviceKernelBuilder &k) const { ElementsKernel(k, *this).emit(); }
