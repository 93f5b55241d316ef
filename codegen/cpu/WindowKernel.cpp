#include "codegen/cpu/WindowKernel.h"

#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
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

//===-- Bounds --------------------------------------------------------------------------------===//

WindowKernel::Range WindowKernel::under(const JoinedWindowDim &dim, Value window) {
  Value start = e.sub(e.mul(window, dim.stride), size(dim.low));
  Value zero = i64(0), by = i64(dim.xDilation);
  Value from = e.ceilDiv(e.max(start, zero), by);
  Value to = e.ceilDiv(e.max(e.add(start, dim.window), zero), by);
  return {from, e.min(to, size(dim.x))};
}

Value WindowKernel::anyInside(ArrayRef<Range> ranges) {
  Value all;
  for (const Range &range : ranges)
    all = bothMasks(all, e.less(range.from, range.to));
  return all;
}

void WindowKernel::fixWindow(Fixed &fixed, unsigned dim, Value window) {
  fixed.index[dim] = window;
  fixed.y = e.add(fixed.y, e.mul(window, size(dims[dim].yStep)));
  fixed.ranges.push_back(under(dims[dim], window));
  fixed.steps.push_back(size(dims[dim].xStep));
}

WindowKernel::Fixed WindowKernel::fix(ArrayRef<unsigned> which, Value number) {
  Fixed fixed{i64(0), i64(0), {}, {}, SmallVector<Value>(dims.size())};
  SmallVector<Value> index(which.size());
  for (size_t i = which.size(); i-- > 0;) {
    Value extent = size(dims[which[i]].y);
    index[i] = i ? e.rem(number, extent) : number;
    if (i)
      number = e.div(number, extent);
  }
  for (auto [dim, position] : llvm::zip(which, index)) {
    if (dims[dim].slides()) {
      fixWindow(fixed, dim, position);
      continue;
    }
    fixed.index[dim] = position;
    fixed.x = e.add(fixed.x, e.mul(position, size(dims[dim].xStep)));
    fixed.y = e.add(fixed.y, e.mul(position, size(dims[dim].yStep)));
  }
  return fixed;
}

Value WindowKernel::firstOffset(const Fixed &fixed) {
  Value offset = fixed.x;
  for (auto [range, step] : llvm::zip(fixed.ranges, fixed.steps))
    offset = e.add(offset, e.mul(range.from, step));
  return offset;
}

SmallVector<Value>
WindowKernel::forEachElement(ArrayRef<Range> ranges, ArrayRef<Value> steps, Value offset,
                             ArrayRef<Value> state,
                             llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body) {
  if (ranges.empty())
    return body(offset, state);
  return e.loop(ranges[0].from, ranges[0].to, 1, state, [&](Value i, ValueRange carried) {
    return forEachElement(ranges.drop_front(), steps.drop_front(),
                          e.add(offset, e.mul(i, steps[0])), SmallVector<Value>(carried), body);
  });
}

//===-- Lanes along a dimension that does not slide -------------------------------------------===//

void WindowKernel::forEachLaneBlock(
    unsigned most, llvm::function_ref<void(ArrayRef<Value>, ArrayRef<Value>)> body) {
  const DimExpr &extent = dims.back().y;
  Value n = size(extent);
  auto block = [&](Value start, unsigned count, bool isTail) {
    SmallVector<Value> starts, masks(count);
    for (unsigned u = 0; u < count; ++u)
      starts.push_back(e.add(start, int64_t(u) * lanes));
    if (isTail)
      masks.back() = emitter.maskBelow(starts.back(), n);
    body(starts, masks);
  };
  int64_t step = int64_t(most) * lanes;
  Value whole = e.mul(e.div(n, i64(step)), step);
  e.loop(i64(0), whole, step, [&](Value start) { block(start, most, false); });
  if (!extent.isConstant()) {
    e.loop(whole, n, lanes, [&](Value start) { block(start, 1, true); });
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

Value WindowKernel::leasts(Type elementType) {
  emitter.setElementType(elementType);
  if (isa<FloatType>(elementType))
    return emitter.splat(emitter.constant(-std::numeric_limits<double>::infinity()));
  unsigned width = elementType.getIntOrFloatBitWidth();
  bool isUnsigned = elementType.isUnsignedInteger() || elementType.isInteger(1);
  return emitter.splat(
      emitter.integerConstant(isUnsigned ? 0 : APInt::getSignedMinValue(width).getSExtValue()));
}
