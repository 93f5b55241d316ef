#include "codegen/gpu/moves/TransposeChainPlan.h"

#include "codegen/elements/LoopEmitter.h"
#include "codegen/elements/NestBody.h"
#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/moves/TransposePlan.h"
#include "codegen/gpu/threads/ThreadBlock.h"
#include "codegen/lowering/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

// More tiles would leave too few blocks room.
static constexpr size_t mostTiles = 4;

// Whether what the op gives is used at the index of the loops alone. It is not handed on as it
// came: nobody takes note of numbers that have only been moved.
static bool isUsedInPlace(ir::TransposeOp op) {
  bool isComputed = op.getX().getDefiningOp<ir::ElementwiseOpInterface>();
  SmallVector<Value> open{op.getY()};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<ir::ElementwiseOpInterface>(user))
        open.push_back(user->getResult(0));
      else if (!user->hasTrait<OpTrait::IsTerminator>() ||
               (!isComputed && llvm::is_contained(user->getOperands(), op.getY())))
        return false;
    }
  return true;
}

static bool isLong(const DimExpr &extent) {
  return !extent.isConstant() || extent.constantValue() >= TransposeChainPlan::tile / 2;
}

DevicePlanPtr TransposeChainPlan::make(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Loop || warpThreads == 1)
    return nullptr;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || space->hasReductions() || space->groups.size() < 2)
    return nullptr;
  SmallVector<Value> turned;
  std::optional<TransposeRuns> runs;
  for (auto op : kernel.getBody().front().getOps<ir::TransposeOp>()) {
    if (ir::squeezed(ir::getShape(op.getY())) != space->shape || !isUsedInPlace(op))
      continue;
    TransposeRuns own = transposeRunsOf(op, *space);
    if (own.copiesRows() || !isLong(own.places().extent) || !isLong(own.columns().extent) ||
        (runs && runs->column != own.column) || turned.size() == mostTiles)
      continue;
    turned.push_back(op.getY());
    runs = std::move(own);
  }
  if (turned.empty())
    return nullptr;
  return std::make_shared<TransposeChainPlan>(kernel, LoopNest(kernel, std::move(*space)),
                                              std::move(turned), std::move(*runs));
}

// What is computed of a float16 is a float32 until it is stored.
static int64_t bytesInRegisters(Type type) {
  if (type.isF16() || type.isBF16())
    return 4;
  return std::max(8u, type.getIntOrFloatBitWidth()) / 8;
}

TransposeChainPlan::TransposeChainPlan(ir::KernelOp kernel, LoopNest neutral,
                                       SmallVector<Value> values, TransposeRuns runsOfTurned)
    : FormPlan(kernel), nest(std::move(neutral)), turned(std::move(values)),
      runs(std::move(runsOfTurned)) {
  unitThreads = transposeThreads;
  for (auto [i, value] : llvm::enumerate(turned)) {
    elementBytes.push_back(bytesInRegisters(ir::getElementType(value)));
    starts.push_back(sharedBytes);
    sharedBytes += llvm::alignTo(tile * pitch(i), 16);
  }
  DimExpr tiles = mul(placeTiles(), columnTiles()).value_or(DimExpr(0));
  setWork(mul(runs.rows(), tiles).value_or(DimExpr(0)),
          DimExpr(tile * tile * std::distance(body().begin(), body().end())));
}

int64_t TransposeChainPlan::pitch(size_t number) const {
  return tile * elementBytes[number] + std::max(sharedBankBytes, elementBytes[number]);
}

void TransposeChainPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << counted(turned.size(), "tile") << " of " << tile << " x " << tile
      << " through shared memory, computed along rows before and after\n";
}

namespace {

class TransposeChainKernel {
public:
  TransposeChainKernel(DeviceKernelBuilder &k, const TransposeChainPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), e(b, loc, k.target), block(b, loc), before(k, plan),
        after(k, plan) {}

  void emit();

private:
  // Code on one side of the barrier. Each keeps what it has made.
  struct Side {
    Side(DeviceKernelBuilder &k, const TransposeChainPlan &plan)
        : emitter(k, k.loc, k.target, /*lanes=*/1), body(k, plan.nest, emitter) {}

    ElementEmitter emitter;
    NestBody body;
  };

  // Of a tile's places and columns: which one a thread of the block is at, in the device's order.
  using Body = llvm::function_ref<void(Value place, Value column)>;
  void forEachElement(Side &side, bool alongPlaces, Body body);
  void setOuterIndex(Side &side);
  Value at(size_t number, Value place, Value column);
  void readElement(Value place, Value column);
  void writeElement(Value place, Value column);

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const TransposeChainPlan &plan;
  LoopEmitter e;
  ThreadBlock block;
  Side before, after;
  SmallVector<Value> outer;      // indices of the loops; null of the tile's two
  Value lane, warp, memory;      // the thread's; the block's
  Value firstPlace, firstColumn; // of the tile
};

// The loop of one element is a condition: what does not depend on the element goes before it.
void TransposeChainKernel::forEachElement(Side &side, bool alongPlaces, Body body) {
  ElementEmitter &emitter = side.emitter;
  auto once = [&](Value position, const DimExpr &extent, llvm::function_ref<void(Value)> inner) {
    Value behind = e.min(e.add(position, 1), k.sizeOf(extent));
    emitter.loop(position, behind, 1, {}, [&](Value at, ArrayRef<Value>) -> SmallVector<Value> {
      inner(at);
      return {};
    });
  };
  int64_t warps = plan.unitThreads / warpThreads;
  emitter.loop(warp, e.constant(plan.tile), warps, {},
               [&](Value line, ArrayRef<Value>) -> SmallVector<Value> {
                 Value place = e.add(firstPlace, alongPlaces ? lane : line);
                 Value column = e.add(firstColumn, alongPlaces ? line : lane);
                 once(place, plan.runs.places().extent, [&](Value p) {
                   once(column, plan.runs.columns().extent, [&](Value c) { body(p, c); });
                 });
                 return {};
               });
}

void TransposeChainKernel::setOuterIndex(Side &side) {
  for (auto [group, index] : llvm::enumerate(outer))
    if (index)
      side.body.index(group) = side.emitter.scalarIndex(index);
}

Value TransposeChainKernel::at(size_t number, Value place, Value column) {
  Value row = e.sub(place, firstPlace), element = e.sub(column, firstColumn);
  Value bytes = e.add(e.mul(row, plan.pitch(number)), e.mul(element, plan.elementBytes[number]));
  return e.address(memory, b.getI8Type(), e.add(bytes, plan.starts[number]));
}

void TransposeChainKernel::readElement(Value place, Value column) {
  before.body.index(plan.runs.column) = before.emitter.scalarIndex(column);
  before.body.innermost() = before.emitter.scalarIndex(place);
  for (auto [i, value] : llvm::enumerate(plan.turned)) {
    Value element = before.body.element(value);
    if (element.getType().isInteger(1))
      element = b.create<arith::ExtUIOp>(loc, b.getI8Type(), element);
    e.store(element, at(i, place, column));
  }
}

void TransposeChainKernel::writeElement(Value place, Value column) {
  after.body.index(plan.runs.column) = after.emitter.scalarIndex(column);
  after.body.innermost() = after.emitter.scalarIndex(place);
  for (auto [i, value] : llvm::enumerate(plan.turned)) {
    Type type = after.emitter.registerType(ir::getElementType(value));
    bool isBool = type.isInteger(1);
    Value element = e.load(isBool ? b.getI8Type() : type, at(i, place, column));
    if (isBool)
      element = b.create<arith::TruncIOp>(loc, type, element);
    after.emitter.bindRegister(value, element);
  }
  after.body.storeElements(0);
}

void TransposeChainKernel::emit() {
  Value thread = block.thread(), unit = k.begin;
  lane = e.rem(thread, e.constant(warpThreads));
  warp = e.div(thread, e.constant(warpThreads));
  memory = block.memory();
  firstPlace = e.mul(e.popCounter(unit, k.sizeOf(plan.placeTiles())), plan.tile);
  firstColumn = e.mul(e.popCounter(unit, k.sizeOf(plan.columnTiles())), plan.tile);
  outer.resize(plan.runs.runs.size());
  for (size_t i = outer.size() - 1; i-- > 0;)
    if (i != plan.runs.column)
      outer[i] = e.popCounter(unit, k.sizeOf(plan.runs.runs[i].extent));
  setOuterIndex(before);
  setOuterIndex(after);
  forEachElement(before, /*alongPlaces=*/false,
                 [&](Value place, Value column) { readElement(place, column); });
  block.barrier();
  forEachElement(after, /*alongPlaces=*/true,
                 [&](Value place, Value column) { writeElement(place, column); });
  block.barrier();
}

} // namespace

void TransposeChainPlan::emit(DeviceKernelBuilder &k) const {
  TransposeChainKernel(k, *this).emit();
}
