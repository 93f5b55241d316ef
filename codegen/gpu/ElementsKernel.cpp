#include "codegen/gpu/ElementsKernel.h"

#include "codegen/cpu/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getShape;
using keratin::ir::getTensorType;
using Index = LaneIndex;

namespace {

class ElementsKernel {
public:
  ElementsKernel(CpuKernelBuilder &k, const ElementsPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan) {}

  void emit();

private:
  // Emitters of single elements and of groups: each keeps what it has made.
  ElementEmitter makeEmitter(unsigned lanes);
  void emitAt(ElementEmitter &emitter, ArrayRef<Index> outer, Index position);
  SmallVector<Index> indexFor(ElementEmitter &emitter, Value value, ArrayRef<Index> outer,
                              Index position);
  SmallVector<Index> outerIndex(ElementEmitter &emitter, Value line);
  SmallVector<Value> addresses();
  Value areAligned();
  void assumeAligned();
  void forEach(Value from, Value to, int64_t step, ArrayRef<ElementEmitter *> emitters,
               llvm::function_ref<void(Value)> body);

  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value mul(Value x, int64_t y) { return b.create<arith::MulIOp>(loc, x, k.i64(y)); }
  Value isZero(Value x) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, k.i64(0));
  }
  Value lowBits(Value x, int64_t divisor) {
    return b.create<arith::AndIOp>(loc, x, k.i64(divisor - 1));
  }
  bool hasSeveralLines() const { return plan.lines() != DimExpr(1); }

  CpuKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const ElementsPlan &plan;
  llvm::DenseMap<Operation *, Value> sites;
  SmallVector<Value> slots; // pointers as numbers
};

ElementEmitter ElementsKernel::makeEmitter(unsigned lanes) {
  ElementEmitter emitter(
      b, loc, k.target, lanes, [this](const DimExpr &size) { return k.sizeOf(size); }, k.context);
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    emitter.bindBuffer(argument, pointer);
  if (k.watchesNumbers)
    emitter.setWatch([this](Type type) { return k.notes(type); });
  emitter.setSites([this](Operation *op, StringRef message) {
    Value &site = sites[op];
    return site ? site : site = k.site(op, message);
  });
  return emitter;
}

//===-- Alignment -----------------------------------------------------------------------------===//

// The pointers of all tensors that more than one element is read of, or written to.
SmallVector<Value> ElementsKernel::addresses() {
  SmallVector<Value> result;
  auto look = [&](Value tensor, Value pointer) {
    if (getShape(tensor).empty())
      return;
    auto load = pointer.getDefiningOp<LLVM::LoadOp>();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(load);
    result.push_back(b.create<LLVM::LoadOp>(loc, b.getI64Type(), load.getAddr()));
  };
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    look(argument, pointer);
  for (auto [value, pointer] : llvm::zip(k.body().getTerminator()->getOperands(), k.outputs))
    look(value, pointer);
  return result;
}

// Groups begin on multiples of 16 bytes if tensors do, and lines are whole groups.
Value ElementsKernel::areAligned() {
  Value together = k.i64(0);
  for (Value address : slots)
    together = b.create<arith::OrIOp>(loc, together, address);
  Value aligned = isZero(lowBits(together, 16));
  if (hasSeveralLines())
    aligned = b.create<arith::AndIOp>(
        loc, aligned, isZero(lowBits(k.sizeOf(plan.lineElements()), plan.elements)));
  return aligned;
}

// What LLVM needs to know to make one access of a group.
void ElementsKernel::assumeAligned() {
  for (Value address : slots)
    b.create<LLVM::AssumeOp>(loc, isZero(lowBits(address, 16)));
  if (hasSeveralLines() && !plan.lineElements().isConstant())
    b.create<LLVM::AssumeOp>(loc, isZero(lowBits(k.sizeOf(plan.lineElements()), plan.elements)));
}

//===-- Elements ------------------------------------------------------------------------------===//

SmallVector<Index> ElementsKernel::outerIndex(ElementEmitter &emitter, Value line) {
  size_t count = plan.space.groups.empty() ? 0 : plan.space.groups.size() - 1;
  SmallVector<Index> outer(count);
  for (size_t i = count; i-- > 0;) {
    if (i == 0) {
      outer[i] = emitter.scalarIndex(line);
      break;
    }
    Value extent = emitter.extent(plan.space.groups[i].extent);
    outer[i] = emitter.scalarIndex(b.create<arith::RemUIOp>(loc, line, extent));
    line = b.create<arith::DivUIOp>(loc, line, extent);
  }
  return outer;
}

SmallVector<Index> ElementsKernel::indexFor(ElementEmitter &emitter, Value value,
                                            ArrayRef<Index> outer, Index position) {
  SmallVector<Index> squeezed;
  for (auto [i, group] : llvm::enumerate(plan.space.groups)) {
    // A position inside a group stands at its last dimension.
    for (unsigned dim = group.first; dim < group.last; ++dim)
      squeezed.push_back(emitter.scalarIndex(emitter.i64(0)));
    squeezed.push_back(i < outer.size() ? outer[i] : position);
  }
  return emitter.unsqueeze(getTensorType(value), squeezed);
}

void ElementsKernel::emitAt(ElementEmitter &emitter, ArrayRef<Index> outer, Index position) {
  // All loads before the first store: an output may lie where an operand does.
  auto outputs = k.body().getTerminator()->getOperands();
  SmallVector<Value> registers;
  for (Value value : outputs)
    registers.push_back(emitter.emit(value, indexFor(emitter, value, outer, position)));
  for (auto [value, element] : llvm::zip(outputs, registers))
    emitter.watch(value, element);
  for (auto [value, element, pointer] : llvm::zip(outputs, registers, k.outputs))
    emitter.store(element, pointer, getTensorType(value),
                  indexFor(emitter, value, outer, position));
}

void ElementsKernel::forEach(Value from, Value to, int64_t step,
                             ArrayRef<ElementEmitter *> emitters,
                             llvm::function_ref<void(Value)> body) {
  k.forLoop(from, to, k.i64(step), {},
            [&](Operation *loop, Value iv, ArrayRef<Value>) -> SmallVector<Value> {
              for (ElementEmitter *emitter : emitters)
                emitter->enter(loop);
              body(iv);
              for (ElementEmitter *emitter : emitters)
                emitter->leave();
              return {};
            });
}

void ElementsKernel::emit() {
  b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  const bool inGroups = plan.elements > 1;
  ElementEmitter single = makeEmitter(1), grouped = makeEmitter(plan.elements);
  Value n = k.sizeOf(plan.lineElements()), perLine = k.sizeOf(plan.groups());
  Value aligned;
  if (inGroups) {
    slots = addresses();
    aligned = areAligned();
  }
  forEach(k.begin, k.end, 1, {&single, &grouped}, [&](Value unit) {
    Value line = unit, first = unit;
    if (hasSeveralLines()) {
      first = b.create<arith::RemUIOp>(loc, unit, perLine);
      line = b.create<arith::DivUIOp>(loc, unit, perLine);
    }
    first = mul(first, plan.elements);
    Value next = add(first, k.i64(plan.elements));
    Value end = b.create<arith::MinSIOp>(loc, next, n), rest = first;
    if (inGroups) {
      Value whole = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, next, n);
      rest =
          b.create<arith::SelectOp>(loc, b.create<arith::AndIOp>(loc, whole, aligned), next, first);
      forEach(first, rest, plan.elements, {&grouped}, [&](Value position) {
        assumeAligned();
        emitAt(grouped, outerIndex(grouped, line), grouped.laneIndex(position));
      });
    }
    forEach(rest, end, 1, {&single}, [&](Value position) {
      emitAt(single, outerIndex(single, line), single.scalarIndex(position));
    });
  });
}

} // namespace

void keratin::codegen::emitElements(CpuKernelBuilder &k, const ElementsPlan &plan) {
  ElementsKernel(k, plan).emit();
}
