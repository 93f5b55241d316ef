#include "codegen/gpu/moves/WindowAccess.h"

#include "codegen/elements/Choice.h"
#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// Windows of at most so many elements are written out: a thread has all of them in registers.
static constexpr int64_t mostWrittenOut = 16;
// Of one access.
static constexpr int64_t mostBytes = 16;

//===-- What is known of windows --------------------------------------------------------------===//

static bool areInsideAlong(const JoinedWindowDim &dim) {
  if (!dim.slides())
    return true;
  if (!dim.low.isConstant() || !dim.x.isConstant() || !dim.y.isConstant())
    return false;
  int64_t low = dim.low.constantValue(), last = (dim.y.constantValue() - 1) * dim.stride - low;
  return low <= 0 && last + dim.window <= dim.x.constantValue();
}

static int64_t neighboursOf(const JoinedWindowDim &dim, int64_t bytes) {
  bool fit = dim.slides() && llvm::isPowerOf2_64(dim.stride) && dim.stride * bytes <= mostBytes &&
             dim.window % dim.stride == 0 && dim.low.isConstant() &&
             dim.low.constantValue() % dim.stride == 0 && dim.x.isConstant() &&
             dim.x.constantValue() % dim.stride == 0;
  return fit ? dim.stride : 1;
}

WindowAccess::WindowAccess(const WindowDims &dims, Type elementType) {
  int64_t elements = 1;
  for (const JoinedWindowDim &dim : dims) {
    if (!dim.slides())
      continue;
    if (dim.xDilation != 1 || dim.window > mostWrittenOut)
      elements = mostWrittenOut + 1;
    elements = std::min(elements * dim.window, mostWrittenOut + 1);
    writtenOut.push_back(dim.window);
  }
  if (elements > mostWrittenOut) {
    writtenOut.clear();
    return;
  }
  areInside = llvm::all_of(dims, areInsideAlong);
  neighbours = neighboursOf(dims.back(), elementType.getIntOrFloatBitWidth() / 8);
}

void WindowAccess::print(llvm::raw_ostream &out) const {
  if (writtenOut.empty()) {
    out << "walked in loops";
    return;
  }
  llvm::interleave(writtenOut, out, "x");
  out << " written out";
  if (!areInside)
    out << " where they are inside";
  if (neighbours > 1)
    out << ", " << neighbours << " neighbours an access where addresses allow it";
}

//===-- Memory --------------------------------------------------------------------------------===//

Value WindowThread::fromMemory(Value stored, Type elementType) {
  if (!isa<FloatType>(elementType))
    return stored;
  Value number = b.create<arith::BitcastOp>(loc, elementType, stored);
  Type registers = emitter.registerType(elementType);
  return registers == elementType
             ? number
             : VectorMath(b, loc, k.target).castFloatToFloat(number, registers);
}

Value WindowThread::toMemory(Value registers, Type elementType) {
  if (!isa<FloatType>(elementType))
    return registers;
  Value number = registers;
  if (number.getType() != elementType)
    number = VectorMath(b, loc, k.target).castFloatToFloat(number, elementType);
  Type bits = b.getIntegerType(elementType.getIntOrFloatBitWidth());
  return b.create<arith::BitcastOp>(loc, bits, number);
}

bool WindowThread::accessesNeighbours(Type elementType) const {
  return access.neighbours > 1 &&
         access.neighbours * elementType.getIntOrFloatBitWidth() / 8 <= mostBytes;
}

Value WindowThread::areNeighboursAligned(Value pointer, Type elementType) {
  return isAligned(pointer, access.neighbours * elementType.getIntOrFloatBitWidth() / 8);
}

WindowThread::Values WindowThread::loadNeighbours(Value pointer, Type elementType, Value offset,
                                                  bool atOnce) {
  Type bits = b.getIntegerType(elementType.getIntOrFloatBitWidth());
  unsigned bytes = bits.getIntOrFloatBitWidth() / 8;
  Values elements;
  if (atOnce) {
    Value loaded =
        b.create<LLVM::LoadOp>(loc, VectorType::get(access.neighbours, bits),
                               e.address(pointer, bits, offset), bytes * access.neighbours);
    for (int64_t i = 0; i < access.neighbours; ++i)
      elements.push_back(fromMemory(elementOf(loaded, i), elementType));
    return elements;
  }
  for (int64_t i = 0; i < access.neighbours; ++i) {
    Value loaded = b.create<LLVM::LoadOp>(loc, bits, e.address(pointer, bits, e.add(offset, i)),
                                          bytes, /*isVolatile=*/true);
    elements.push_back(fromMemory(loaded, elementType));
  }
  return elements;
}

void WindowThread::storeNeighbours(ArrayRef<Value> elements, Value pointer, Type elementType,
                                   Value offset, bool atOnce) {
  Values stored;
  for (Value element : elements)
    stored.push_back(toMemory(element, elementType));
  Type bits = stored[0].getType();
  unsigned bytes = bits.getIntOrFloatBitWidth() / 8;
  if (atOnce) {
    b.create<LLVM::StoreOp>(loc, vectorOf(stored), e.address(pointer, bits, offset),
                            bytes * stored.size());
    return;
  }
  for (auto [i, element] : llvm::enumerate(stored))
    b.create<LLVM::StoreOp>(loc, element, e.address(pointer, bits, e.add(offset, int64_t(i))),
                            bytes, /*isVolatile=*/true);
}

//===-- Elements of a window ------------------------------------------------------------------===//

WindowThread::Fixed WindowThread::windowAt(Value number) {
  return ranges.fix(llvm::to_vector(llvm::seq<unsigned>(0, dims.size())), number);
}

WindowThread::Values WindowThread::offsetsUnder(const Fixed &window) {
  Values offsets{ranges.firstOffset(window)};
  for (auto [count, step] : llvm::zip(access.writtenOut, window.steps)) {
    Values next;
    for (Value offset : offsets)
      for (int64_t i = 0; i < count; ++i)
        next.push_back(e.add(offset, e.mul(step, i)));
    offsets = next;
  }
  return offsets;
}

// All are read before any is used.
WindowThread::Values WindowThread::elementsAt(ArrayRef<Value> offsets) {
  Values elements;
  if (!accessesNeighbours(type)) {
    for (Value offset : offsets)
      elements.push_back(load(input(0), type, offset));
    return elements;
  }
  auto read = [&](bool atOnce) {
    Values elements;
    for (size_t i = 0; i < offsets.size(); i += access.neighbours)
      elements.append(loadNeighbours(input(0), type, offsets[i], atOnce));
    return elements;
  };
  SmallVector<Type> types(offsets.size(), emitter.registerType(type));
  return e.choose(
      areNeighboursAligned(input(0), type), types, [&] { return read(true); },
      [&] { return read(false); });
}

Value WindowThread::isWhole(const Fixed &window) {
  Value whole = e.equal(window.x, window.x);
  if (access.areInside)
    return whole;
  for (auto [range, count] : llvm::zip(window.ranges, access.writtenOut))
    whole = e.logicalAnd(whole, e.equal(e.sub(range.to, range.from), i64(count)));
  return whole;
}

WindowThread::Values WindowThread::eitherWay(const Fixed &window, TypeRange types,
                                             llvm::function_ref<Values(ArrayRef<Value>)> writtenOut,
                                             llvm::function_ref<Values()> inLoops) {
  if (access.writtenOut.empty())
    return inLoops();
  return e.choose(
      isWhole(window), types, [&] { return writtenOut(offsetsUnder(window)); }, inLoops);
}

WindowThread::Values WindowThread::foldWrittenOut(ArrayRef<Value> offsets, ArrayRef<Value> state,
                                                  Body body) {
  Values next(state);
  for (auto [offset, element] : llvm::zip(offsets, elementsAt(offsets)))
    next = body(next, offset, element);
  return next;
}

WindowThread::Values WindowThread::foldInLoops(const Fixed &window, ArrayRef<Value> state,
                                               Body body) {
  return ranges.forEachElement(window.ranges, window.steps, window.x, state,
                               [&](Value offset, ArrayRef<Value> carried) {
                                 return body(carried, offset, load(input(0), type, offset));
                               });
}

WindowThread::Values WindowThread::fold(const Fixed &window, ArrayRef<Value> state, Body body) {
  SmallVector<Type> types(ValueRange(state).getTypes());
  return eitherWay(
      window, types, [&](ArrayRef<Value> offsets) { return foldWrittenOut(offsets, state, body); },
      [&] { return foldInLoops(window, state, body); });
}

//===-- The largest ---------------------------------------------------------------------------===//

WindowThread::Values WindowThread::beginLargest(const Fixed &window) {
  Value first = ranges.firstOffset(window);
  return {load(input(0), type, first), first};
}

WindowThread::Values WindowThread::keepLarger(ArrayRef<Value> best, Value offset, Value element) {
  Value better = beats(b, loc, type, element, best[0], /*largest=*/true);
  return {e.select(better, element, best[0]), e.select(better, offset, best[1])};
}

Value WindowThread::placeOfLargest(const Fixed &window) {
  return fold(window, beginLargest(window), [&](ArrayRef<Value> best, Value offset, Value element) {
    return keepLarger(best, offset, element);
  })[1];
}
