#include "codegen/gpu/moves/ElementGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

ElementGroups::ElementGroups(DeviceKernelBuilder &k, const LoopNest &nest, unsigned elements)
    : single(k, nest, 1), grouped(k, nest, elements), k(k), nest(nest), elements(elements),
      lines(nest.outerRows()) {
  if (elements > 1)
    tensors.emplace(k);
}

DimExpr ElementGroups::elementsOfLine(const LoopNest &nest) {
  return nest.form == LoopNest::Form::Scalar ? DimExpr(1) : nest.innermost().extent;
}

//===-- Alignment -----------------------------------------------------------------------------===//

Value ElementGroups::isWhole(Value size) {
  Value rest = k.b.create<arith::AndIOp>(k.loc, size, k.i64(elements - 1));
  return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, rest, k.i64(0));
}

// Groups begin on multiples of 16 bytes if tensors do, and lines are whole groups.
Value ElementGroups::areAligned() {
  if (!tensors)
    return {};
  Value aligned = tensors->holds();
  if (hasSeveralLines())
    aligned = k.b.create<arith::AndIOp>(k.loc, aligned, isWhole(k.sizeOf(elementsOfLine(nest))));
  return aligned;
}

// What LLVM needs to know to make one access of a group.
void ElementGroups::assumeAligned() {
  tensors->assume();
  DimExpr line = elementsOfLine(nest);
  if (hasSeveralLines() && !line.isConstant())
    k.b.create<LLVM::AssumeOp>(k.loc, isWhole(k.sizeOf(line)));
}

//===-- Elements ------------------------------------------------------------------------------===//

void ElementGroups::emitAt(Code &code, Value line, LaneIndex place) {
  code.body.setOuterIndex(line);
  if (nest.form != LoopNest::Form::Scalar)
    code.body.innermost() = place;
  code.body.emit(0, {});
}

void ElementGroups::emitElement(Value line, Value place) {
  emitAt(single, line, single.emitter.scalarIndex(place));
}

void ElementGroups::emitGroup(Value line, Value place) {
  assumeAligned();
  emitAt(grouped, line, grouped.emitter.laneIndex(place));
}

void ElementGroups::forEach(Value from, Value to, llvm::function_ref<void(Value)> body) {
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
