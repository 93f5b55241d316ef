#include "codegen/gpu/moves/WindowsPlan.h"

#include "codegen/elements/Choice.h"
#include "codegen/elements/TileEpilogue.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

DevicePlanPtr WindowsPlan::make(ir::KernelOp kernel) {
  if (kindOf(kernel) != KernelKind::WindowReduction)
    return nullptr;
  std::optional<ir::IterationSpace> space = iterationSpaceOf(kernel);
  if (!space)
    return nullptr;
  return std::make_shared<WindowsPlan>(kernel,
                                       WindowReductionNest(mainOp(kernel), std::move(*space)));
}

WindowsPlan::WindowsPlan(ir::KernelOp kernel, WindowReductionNest windows)
    : FormPlan(kernel), nest(std::move(windows)),
      access(nest.dims, ir::getElementType(nest.op->getOperand(0))) {
  setWork(windowsOf(nest.dims), elementsUnder(nest.dims));
}

void WindowsPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: a window a thread, ";
  access.print(out);
  out << "\n";
}

namespace {

class WindowsKernel : WindowThread {
public:
  WindowsKernel(DeviceKernelBuilder &k, const WindowsPlan &plan)
      : WindowThread(k, plan.nest.op, plan.nest.dims, plan.access), nest(plan.nest),
        resultType(ir::getElementType(op->getResult(0))), epilogue(k, k.target, op->getResult(0)) {}

  void emit();

private:
  Value combined(const Fixed &window);
  Value picked(const Fixed &window);
  SmallVector<LaneIndex> positionOf(ElementEmitter &emitter, const Fixed &window);

  const WindowReductionNest &nest;
  mlir::Type resultType;
  TileEpilogue epilogue;
};

// The sum, or the largest.
Value WindowsKernel::combined(const Fixed &window) {
  bool adds = nest.choice == WindowReductionNest::Choice::Sum;
  Value first = adds ? zero(type) : least(emitter, type);
  return fold(window, {first}, [&](ArrayRef<Value> state, Value, Value element) -> Values {
    emitter.setElementType(type);
    return {adds ? emitter.add(state[0], element) : emitter.maximum(state[0], element)};
  })[0];
}

// Zero of windows that have no element under them.
Value WindowsKernel::picked(const Fixed &window) {
  auto pick = [&]() -> Values { return {load(input(1), resultType, placeOfLargest(window))}; };
  Value inside = access.areInside ? Value() : ranges.anyInside(window.ranges);
  if (!inside)
    return pick()[0];
  return e.choose(inside, {emitter.registerType(resultType)}, pick,
                  [&]() -> Values { return {zero(resultType)}; })[0];
}

// Of the window in what follows, an entry for each dimension: the position in joined ones stands at
// the last of them.
SmallVector<LaneIndex> WindowsKernel::positionOf(ElementEmitter &emitter, const Fixed &window) {
  SmallVector<LaneIndex> position(nest.space.shape.size(), emitter.scalarIndex(emitter.i64(0)));
  for (auto [dim, index] : llvm::zip(dims, window.index))
    if (dim.group >= 0)
      position[nest.space.groups[dim.group].last] = emitter.scalarIndex(index);
  return position;
}

void WindowsKernel::emit() {
  Fixed window = windowAt(k.begin);
  bool picks = nest.choice == WindowReductionNest::Choice::Picked;
  Value result = picks ? picked(window) : combined(window);
  epilogue.emit(b, loc, result, Value(),
                [&](ElementEmitter &emitter) { return positionOf(emitter, window); });
}

} // namespace

void WindowsPlan::emit(DeviceKernelBuilder &k) const { WindowsKernel(k, *this).emit(); }
