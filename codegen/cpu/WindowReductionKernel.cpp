#include "codegen/cpu/WindowReductionKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::getElementType;

WindowReductionKernel::WindowReductionKernel(CpuKernelBuilder &k, const WindowReductionPlan &plan)
    : WindowKernel(k, plan.nest.op, plan.nest.dims, plan.schedule.lanes), plan(plan),
      nest(plan.nest), schedule(plan.schedule), choice(nest.choice),
      resultType(getElementType(op->getResult(0))), epilogue(k, k.target, op->getResult(0)) {}

//===-- Elements ------------------------------------------------------------------------------===//

SmallVector<Type> WindowReductionKernel::types(size_t vectors) {
  SmallVector<Type> result(
      vectors,
      VectorType::get(lanes, emitter.registerType(choice == Choice::Picked ? resultType : type)));
  return result;
}

Value WindowReductionKernel::combine(Value x, Value y) {
  emitter.setElementType(type);
  return choice == Choice::Sum ? emitter.add(x, y) : emitter.maximum(x, y);
}

WindowReductionKernel::Values WindowReductionKernel::begin(const Index &first, Value mask) {
  if (choice != Choice::Picked)
    return {identity()};
  return {load(input(0), type, first, mask), load(input(1), resultType, first, mask)};
}

WindowReductionKernel::Values WindowReductionKernel::take(ArrayRef<Value> state,
                                                          const Index &offset, Value mask) {
  Value element = load(input(0), type, offset, mask);
  if (choice == Choice::Sum)
    return {combine(state[0], element)};
  if (choice == Choice::Largest)
    return {combine(state[0], mask ? select(mask, element, identity()) : element)};
  Value better = bothMasks(beats(b, loc, type, element, state[0], /*largest=*/true), mask);
  Value other = load(input(1), resultType, offset, mask);
  return {select(better, element, state[0]), select(better, other, state[1])};
}

//===-- Results -------------------------------------------------------------------------------===//

void WindowReductionKernel::finish(Value registers, const Fixed &row, Value window, Value lane,
                                   Value mask) {
  epilogue.emit(b, loc, registers, mask, [&](ElementEmitter &emitter) {
    SmallVector<Index> index(nest.space.shape.size(), emitter.scalarIndex(i64(0)));
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (dim.group < 0)
        continue;
      // The position in joined dimensions stands at the last of them.
      Index &place = index[nest.space.groups[dim.group].last];
      if (i + 1 == dims.size())
        place = emitter.laneIndex(lane);
      else
        place = emitter.scalarIndex(i == nest.column ? window : row.index[i]);
    }
    return index;
  });
}

//===-- Units ---------------------------------------------------------------------------------===//

void WindowReductionKernel::emit() {
  bool oneBlock = plan.isOneBlock();
  forEachUnit(plan.blocks, [&](Value number, Value first) {
    Value from = oneBlock ? i64(0) : first, to = size(nest.columnDim().y);
    if (!oneBlock)
      to = e.min(to, e.add(from, plan.blocks.blockColumns));
    emitWindows(ranges.fix(nest.rowDims, number), from, to);
  });
}

void WindowReductionPlan::emit(CpuKernelBuilder &k) const {
  if (nest.isAlong())
    emitWindowsAlong(k, *this);
  else
    emitWindowsAcross(k, *this);
}
