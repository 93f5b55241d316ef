#include "codegen/cpu/WindowKernel.h"

#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::Shape;

unsigned keratin::codegen::windowLanes(Operation *op, const MachineTarget &target) {
  unsigned bits = getElementType(op->getResult(0)).getIntOrFloatBitWidth();
  for (Value operand : op->getOperands())
    bits = std::max(bits, getElementType(operand).getIntOrFloatBitWidth());
  return lanesFor(target, bits);
}

//===-- Lanes along a dimension that does not slide -------------------------------------------===//

void WindowKernel::forEachLaneBlock(unsigned most, llvm::function_ref<void(const Columns &)> body) {
  const DimExpr &extent = dims.back().y;
  Value n = size(extent);
  auto block = [&](Value start, unsigned count, bool isTail) {
    Columns columns{{}, SmallVector<Value>(count)};
    for (unsigned u = 0; u < count; ++u)
      columns.starts.push_back(e.add(start, int64_t(u) * lanes));
    if (isTail)
      columns.masks.back() = emitter.maskBelow(columns.starts.back(), n);
    body(columns);
  };
  int64_t step = int64_t(most) * lanes;
  Value whole = e.mul(e.div(n, i64(step)), step);
  e.loop(i64(0), whole, step, [&](Value start) { block(start, most, false); });
  if (!extent.isConstant()) {
    if (extent.content() % uint64_t(step) != 0)
      e.loop(whole, n, lanes, [&](Value start) { block(start, 1, !areFull(extent, 1)); });
  } else if (int64_t rest = extent.constantValue() % step) {
    block(whole, ceilDiv(rest, int64_t(lanes)), rest % lanes != 0);
  }
}

//===-- Lanes that are windows ----------------------------------------------------------------===//

WindowKernel::LaneWindows WindowKernel::laneWindows(Value firstWindow) {
  const JoinedWindowDim &dim = dims.back();
  Value start = e.sub(e.mul(firstWindow, dim.stride), size(dim.low));
  SmallVector<int64_t> apart;
  for (unsigned lane = 0; lane < lanes; ++lane)
    apart.push_back(lane * dim.stride);
  Value places = b.create<arith::AddIOp>(
      loc, emitter.splat(start), b.create<arith::ConstantOp>(loc, b.getI64VectorAttr(apart)));
  Value extent = size(dim.x), zero = i64(0);
  if (dim.xDilation == 1) {
    Value from = e.max(e.sub(zero, e.add(start, apart.back())), zero);
    Value to = e.min(i64(dim.window), e.sub(extent, start));
    return {from, to, start, places, Value()};
  }
  // Elements before x are skipped by each lane for itself: its lanes are gathered anyway.
  Value zeros = emitter.splat(zero), by = emitter.splat(i64(dim.xDilation));
  Value inside = b.create<arith::MaxSIOp>(loc, places, zeros);
  Value element =
      b.create<arith::DivUIOp>(loc, plus(inside, emitter.splat(i64(dim.xDilation - 1))), by);
  Value skipped = minus(times(element, by), places);
  Value to = e.min(i64(ceilDiv(dim.window, dim.xDilation)), extent);
  return {zero, to, Value(), element, skipped};
}

WindowKernel::Lanes WindowKernel::atStep(const LaneWindows &windows, Value step, Value rowOffset) {
  const JoinedWindowDim &dim = dims.back();
  Value element = plus(windows.element, emitter.splat(step));
  // Unsigned: what is negative is too large.
  Value mask =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, element, emitter.splat(size(dim.x)));
  if (windows.first)
    return {Index{e.add(rowOffset, e.add(windows.first, step)), dim.stride, Value()}, mask};
  Value place = plus(windows.skipped, emitter.splat(e.mul(step, dim.xDilation)));
  Value under = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, place,
                                        emitter.splat(i64(dim.window)));
  return {Index{Value(), 0, plus(element, emitter.splat(rowOffset))}, bothMasks(mask, under)};
}

WindowKernel::Lanes WindowKernel::firstUnderLanes(const LaneWindows &windows, Value rowOffset) {
  const JoinedWindowDim &dim = dims.back();
  Value element = b.create<arith::MaxSIOp>(loc, windows.element, emitter.splat(i64(0)));
  auto below = [&](Value position, Value bound) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, position, bound);
  };
  Value mask = below(element, emitter.splat(size(dim.x)));
  Value window = emitter.splat(i64(dim.window));
  Value under = windows.first ? below(element, plus(windows.element, window))
                              : below(windows.skipped, window);
  return {Index{Value(), 0, plus(element, emitter.splat(rowOffset))}, bothMasks(mask, under)};
}

//===-- Registers and memory ------------------------------------------------------------------===//

Value WindowKernel::bothMasks(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

Value WindowKernel::select(Value condition, Value x, Value y) {
  return b.create<arith::SelectOp>(loc, condition, x, y);
}

Value WindowKernel::load(Value pointer, Type elementType, const Index &offset, Value mask) {
  emitter.setMask(mask);
  Value loaded = emitter.load(pointer, ir::getTensorType({DimExpr(1)}, elementType), {offset});
  emitter.setMask(Value());
  return loaded;
}

void WindowKernel::store(Value registers, Value pointer, Type elementType, const Index &offset,
                         Value mask) {
  emitter.setMask(mask);
  emitter.watchRegisters(registers, elementType);
  emitter.store(registers, pointer, ir::getTensorType({DimExpr(1)}, elementType), {offset});
  emitter.setMask(Value());
}

Value WindowKernel::leasts(Type elementType) { return emitter.splat(least(emitter, elementType)); }
