// arg_max and arg_min: vectors of the best values so far, and vectors of where they are.
//
// A unit is one line where the axis is innermost: each lane keeps the best of its own elements, and
// the lanes meet at the end. Otherwise a unit is a block of neighbouring lines with a lane for
// each. An element replaces one at a smaller index only if it beats it, so the first of equals
// stays. The axis is never empty: that was required before the call.
#include "codegen/cpu/BlockAhead.h"
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/lowering/ArgReductionNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

struct ArgReductionSchedule {
  unsigned lanes = 1;
  // Along lines: of one line. Across them: neighbouring lines of a unit.
  unsigned vectors = 1;
  std::optional<BlockAhead> ahead; // along lines
};

int64_t bytesOf(Type elementType) { return ir::dtypeBytes(ir::dtypeOf(elementType)); }

class ArgReductionPlan final : public CpuKernelPlan {
public:
  ArgReductionPlan(ir::KernelOp kernel, Operation *op, const MachineTarget &target)
      : CpuKernelPlan(kernel), nest(op) {
    const AxisLines &lines = nest.lines;
    schedule.lanes = lanesFor(target, lines.type.getElementTypeBitWidth());
    if (lines.isInnermost()) {
      bool isLong = !lines.length.isConstant() ||
                    lines.length.constantValue() >= 2 * int64_t(maxUnroll) * schedule.lanes;
      schedule.vectors = isLong ? maxUnroll : 1;
      if (target.memory.isFar)
        schedule.ahead = BlockAhead::of(/*inputs=*/1, bytesOf(lines.type.getElementType()),
                                        elementsOf(ir::getShape(lines.type)), target.memory);
      blocks = {lines.outer, DimExpr(1), 1};
      setWork(blocks.units(), lines.length);
      return;
    }
    schedule.vectors = blockVectors(maxUnroll, schedule.lanes, lines.inner);
    int64_t columns = int64_t(schedule.vectors) * schedule.lanes;
    blocks = {lines.outer, lines.inner, columns};
    setWork(blocks.units(), mul(lines.length, DimExpr(columns)).value_or(DimExpr(INT64_MAX)));
  }

  void printNest(llvm::raw_ostream &out) const override { nest.lines.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: lanes "
        << (nest.lines.isInnermost() ? "along lines" : "across lines, which are columns of a unit")
        << "; " << counted(schedule.lanes, "lane") << "; " << counted(schedule.vectors, "vector")
        << " side by side; places of " << nest.indexBits << " bits";
    if (schedule.ahead)
      out << "; asks for its line " << *schedule.ahead;
    out << "\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ArgReductionNest nest;
  UnitBlocks blocks;
  ArgReductionSchedule schedule;
};

class ArgReductionKernel : SingleOpKernel {
public:
  ArgReductionKernel(CpuKernelBuilder &k, const ArgReductionPlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.schedule.lanes), plan(plan), lines(plan.nest.lines),
        type(lines.type.getElementType()), indexType(b.getIntegerType(plan.nest.indexBits)),
        best(b, loc, type, plan.nest.largest) {}

  void emit() {
    if (lines.isInnermost())
      emitRows();
    else
      emitColumns();
  }

private:
  void emitRows();
  void emitColumns();
  Best meetLanes(Best own);
  Value toIndexType(Value position);
  void askAhead(RankedTensorType rowType, Value row, Value position);

  const ArgReductionPlan &plan;
  const AxisLines &lines;
  Type type, indexType;
  BestOf best;
};

Best ArgReductionKernel::meetLanes(Best own) {
  for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> from(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      from[lane] = (lane + distance) % lanes;
    auto moved = [&](Value v) -> Value { return b.create<vector::ShuffleOp>(loc, v, v, from); };
    own = best.merge(own, {moved(own.value), moved(own.index)});
  }
  auto first = [&](Value v) -> Value {
    return b.create<vector::ExtractOp>(loc, v, ArrayRef<int64_t>{0});
  };
  return {first(own.value), first(own.index)};
}

Value ArgReductionKernel::toIndexType(Value position) {
  return indexType.isInteger(64) ? position
                                 : b.create<arith::TruncIOp>(loc, indexType, position).getResult();
}

void ArgReductionKernel::askAhead(RankedTensorType rowType, Value row, Value position) {
  if (!plan.schedule.ahead)
    return;
  LoopEmitter code(b, loc, k.target);
  Value distance = plan.schedule.ahead->distance(
      code, code.add(code.mul(row, size(lines.length)), position), bytesOf(type));
  prefetch(input(0), rowType, {row, position}, distance);
}

void ArgReductionKernel::emitRows() {
  unsigned unroll = plan.schedule.vectors;
  SmallVector<Attribute> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getIntegerAttr(indexType, lane));
  auto vectorType = VectorType::get(lanes, indexType);
  auto resultType = ir::getTensorType({lines.outer}, b.getI64Type());

  forEachUnit(plan.blocks, [&](Value row, Value) {
    Value laneNumbers =
        b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vectorType, numbers));
    // Every lane starts with the first element, which none of its own need beat.
    Value first = loadScalar(input(0), lines.type, {row, i64(0), i64(0)});
    Best start{emitter.splat(first), emitter.splat(toIndexType(i64(0)))};
    // The line as its own last dimension, for lanes along it.
    auto rowType = ir::getTensorType({lines.outer, lines.length}, type);
    SmallVector<Value> sets =
        laneLoop(lines.length, unroll, {start.value, start.index},
                 [&](Value position, Value mask, ArrayRef<Value> carried) -> SmallVector<Value> {
                   Value element = loadLanes(input(0), rowType, {row, position}, mask);
                   if (!mask)
                     askAhead(rowType, row, position);
                   Value index = plus(emitter.splat(toIndexType(position)), laneNumbers);
                   Best kept = best.keep({carried[0], carried[1]}, {element, index}, mask);
                   return {kept.value, kept.index};
                 });
    Best found{sets[0], sets[1]};
    for (unsigned u = 1; u < unroll; ++u)
      found = best.merge(found, {sets[2 * u], sets[2 * u + 1]});
    Value index = meetLanes(found).index;
    if (!indexType.isInteger(64))
      index = b.create<arith::ExtUIOp>(loc, b.getI64Type(), index);
    storeScalar(index, output(), resultType, {row});
  });
}

void ArgReductionKernel::emitColumns() {
  unsigned unroll = plan.schedule.vectors;
  auto resultType = ir::getTensorType({lines.outer, lines.inner}, b.getI64Type());

  forEachUnit(plan.blocks, [&](Value row, Value column) {
    auto [starts, masks] = columnsFrom(column, lines.inner, unroll);
    SmallVector<Value> sets;
    for (unsigned u = 0; u < unroll; ++u) {
      sets.push_back(loadLanes(input(0), lines.type, {row, i64(0), starts[u]}, masks[u]));
      sets.push_back(emitter.splat(toIndexType(i64(0))));
    }
    sets = loop(i64(1), size(lines.length), 1, sets, [&](Value i, ArrayRef<Value> carried) {
      SmallVector<Value> next;
      Value index = emitter.splat(toIndexType(i));
      for (unsigned u = 0; u < unroll; ++u) {
        Value element = loadLanes(input(0), lines.type, {row, i, starts[u]}, masks[u]);
        Best kept = best.keep({carried[2 * u], carried[2 * u + 1]}, {element, index});
        next.append({kept.value, kept.index});
      }
      return next;
    });
    for (unsigned u = 0; u < unroll; ++u) {
      Value index = sets[2 * u + 1];
      if (!indexType.isInteger(64))
        index = b.create<arith::ExtUIOp>(loc, VectorType::get(lanes, b.getI64Type()), index);
      storeLanes(index, output(), resultType, {row, starts[u]}, masks[u]);
    }
  });
}

void ArgReductionPlan::emit(CpuKernelBuilder &k) const { ArgReductionKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planArgReductionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<ArgReductionPlan>(kernel, op, target) : nullptr;
}
