#include "codegen/gpu/moves/ScatterWindowsPlan.h"

#include "codegen/lowering/KernelKind.h"
#include "codegen/lowering/SingleOp.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

DevicePlanPtr ScatterWindowsPlan::make(ir::KernelOp kernel) {
  if (kindOf(kernel) != KernelKind::WindowScatter)
    return nullptr;
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<ScatterWindowsPlan>(kernel, cast<ir::WindowScatterOp>(op)) : nullptr;
}

ScatterWindowsPlan::ScatterWindowsPlan(ir::KernelOp kernel, ir::WindowScatterOp op)
    : FormPlan(kernel), nest(op), access(nest.dims, getElementType(op.getX())),
      byWindows(nest.cover()) {
  setWork(byWindows ? windowsOf(nest.dims) : elementsOf(nest.dims), elementsUnder(nest.dims));
}

void ScatterWindowsPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: "
      << (byWindows ? "a window a thread, which tile x, " : "an element a thread, its windows ");
  access.print(out);
  out << "\n";
}

namespace {

class ScatterWindowsKernel : WindowThread {
public:
  ScatterWindowsKernel(DeviceKernelBuilder &k, const ScatterWindowsPlan &plan)
      : WindowThread(k, plan.nest.op, plan.nest.dims, plan.access), plan(plan),
        resultType(getElementType(op->getResult(0))) {}

  void emit() {
    if (plan.byWindows)
      emitWindow();
    else
      emitElement();
  }

private:
  // Windows that tile x.
  void emitWindow();
  void storeWrittenOut(ArrayRef<Value> offsets, Value place, Value number);
  Value partAt(Value offset, Value place, Value number) {
    return e.select(e.equal(offset, place), number, zero(resultType));
  }

  // Any others.
  void emitElement();
  Values addWindows(unsigned dim, const Fixed &fixed, ArrayRef<Value> index, ArrayRef<Value> sum);

  const ScatterWindowsPlan &plan;
  Type resultType;
};

//===-- A window a thread ---------------------------------------------------------------------===//

void ScatterWindowsKernel::storeWrittenOut(ArrayRef<Value> offsets, Value place, Value number) {
  Values parts;
  for (Value offset : offsets)
    parts.push_back(partAt(offset, place, number));
  if (!accessesNeighbours(resultType)) {
    for (auto [offset, part] : llvm::zip(offsets, parts))
      store(part, output(), resultType, offset);
    return;
  }
  auto write = [&](bool atOnce) {
    for (size_t i = 0; i < offsets.size(); i += access.neighbours)
      storeNeighbours(ArrayRef<Value>(parts).slice(i, access.neighbours), output(), resultType,
                      offsets[i], atOnce);
  };
  e.branch(areNeighboursAligned(output(), resultType), [&] { write(true); }, [&] { write(false); });
}

void ScatterWindowsKernel::emitWindow() {
  Fixed window = windowAt(k.begin);
  Value number = load(input(1), resultType, window.y);
  emitter.watchRegisters(number, resultType);
  auto larger = [&](ArrayRef<Value> best, Value offset, Value element) {
    return keepLarger(best, offset, element);
  };
  eitherWay(
      window, {},
      [&](ArrayRef<Value> offsets) -> Values {
        storeWrittenOut(offsets, foldWrittenOut(offsets, beginLargest(window), larger)[1], number);
        return {};
      },
      [&]() -> Values {
        Value place = foldInLoops(window, beginLargest(window), larger)[1];
        ranges.forEachElement(window.ranges, window.steps, window.x, {},
                              [&](Value offset, ArrayRef<Value>) -> Values {
                                store(partAt(offset, place, number), output(), resultType, offset);
                                return {};
                              });
        return {};
      });
}

//===-- An element a thread -------------------------------------------------------------------===//

// Of the windows along this dimension and those behind it that the element lies under. Sums are
// rounded as those in memory are.
ScatterWindowsKernel::Values ScatterWindowsKernel::addWindows(unsigned dim, const Fixed &fixed,
                                                              ArrayRef<Value> index,
                                                              ArrayRef<Value> sum) {
  if (dim == dims.size()) {
    Value here = e.equal(placeOfLargest(fixed), k.begin);
    Value number = loadWhere(here, input(1), resultType, fixed.y);
    emitter.setElementType(resultType);
    return {e.select(here, rounded(emitter.add(sum[0], number), resultType), sum[0])};
  }
  Fixed next = fixed;
  if (!dims[dim].slides()) {
    next.x = e.add(next.x, e.mul(index[dim], size(dims[dim].xStep)));
    next.y = e.add(next.y, e.mul(index[dim], size(dims[dim].yStep)));
    return addWindows(dim + 1, next, index, sum);
  }
  WindowRanges::Range windows = ranges.above(dims[dim], index[dim]);
  return e.loop(windows.from, windows.to, 1, sum, [&](Value window, ValueRange carried) {
    Fixed inner = next;
    ranges.fixWindow(inner, dim, window);
    return addWindows(dim + 1, inner, index, Values(carried));
  });
}

void ScatterWindowsKernel::emitElement() {
  Values index(dims.size());
  Value number = k.begin;
  for (size_t i = dims.size(); i-- > 0;)
    index[i] = i ? e.popCounter(number, size(dims[i].x)) : number;
  Fixed fixed{i64(0), i64(0), {}, {}, Values(dims.size())};
  store(addWindows(0, fixed, index, {zero(resultType)})[0], output(), resultType, k.begin);
}

} // namespace

void ScatterWindowsPlan::emit(DeviceKernelBuilder &k) const {
  ScatterWindowsKernel(k, *this).emit();
}
