// sparse_dot: rows of x, scaled and added up.
//
// Units are blocks of columns, and each walks all stored elements in their order, so the result
// does not depend on the number of threads. While the row stays the same its sums stay in
// registers: elements in row-major order cost a load of x and a multiplication each. An element
// outside makes the call fail, and is left out.
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/lowering/ScatterNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getTensorType;

namespace {

struct SparseDotSchedule {
  unsigned lanes = 1;
  unsigned vectors = 1; // of a unit's block of columns
};

class SparseDotPlan final : public CpuKernelPlan {
public:
  SparseDotPlan(ir::KernelOp kernel, Operation *dot, const MachineTarget &target)
      : CpuKernelPlan(kernel), nest(dot) {
    const DimExpr &width = nest.width;
    schedule.lanes = lanesFor(target, nest.elementType.getIntOrFloatBitWidth());
    schedule.vectors = blockVectors(maxUnroll, schedule.lanes, width, /*blocks=*/2);
    int64_t columns = int64_t(schedule.vectors) * schedule.lanes;
    // Positions are checked even if x has no columns.
    blocks = {DimExpr(1), *max(DimExpr(1), width), columns};
    DimExpr touched = *max(DimExpr(1), add(nest.rows, nest.count).value_or(DimExpr(INT64_MAX)));
    setWork(blocks.units(), mul(touched, DimExpr(columns)).value_or(DimExpr(INT64_MAX)));
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: " << counted(schedule.lanes, "lane") << "; blocks of "
        << counted(schedule.vectors, "vector") << " of columns, each through all elements\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ScatterNest nest;
  UnitBlocks blocks;
  SparseDotSchedule schedule;
};

class SparseDotKernel : SingleOpKernel {
public:
  SparseDotKernel(CpuKernelBuilder &k, const SparseDotPlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.schedule.lanes), plan(plan), nest(plan.nest),
        type(nest.elementType), count(nest.count), width(nest.width),
        unroll(plan.schedule.vectors) {}

  void emit();

private:
  void emitBlock(Value column);

  const SparseDotPlan &plan;
  const ScatterNest &nest;
  Type type;
  const DimExpr &count, &width;
  unsigned unroll;
  Value site;
};

void SparseDotKernel::emitBlock(Value column) {
  auto [starts, masks] = columnsFrom(column, width, unroll);
  loop(i64(0), size(nest.rows), 1, {}, [&](Value row, ArrayRef<Value>) -> SmallVector<Value> {
    for (unsigned u = 0; u < unroll; ++u)
      storeLanes(zeros(type), output(), nest.resultType, {row, starts[u]}, masks[u]);
    return {};
  });

  // The row whose sums are in registers, none at first; they are in memory up to the last row.
  auto flush = [&](Value row, ArrayRef<Value> sums) {
    Value isRow = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, row, i64(0));
    where(isRow, [&] {
      for (unsigned u = 0; u < unroll; ++u)
        storeLanes(sums[u], output(), nest.resultType, {row, starts[u]}, masks[u]);
    });
  };
  SmallVector<Value> state{i64(-1)};
  for (unsigned u = 0; u < unroll; ++u)
    state.push_back(zeros(type));
  state = loop(i64(0), size(count), 1, state, [&](Value element, ArrayRef<Value> held) {
    Value row = position(nest.targetOperand, nest.indicesType, {element}),
          from = position(nest.sourceOperand, nest.indicesType, {element});
    // Unsigned: what is negative is too large.
    auto below = [&](Value x, const DimExpr &limit) -> Value {
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, size(limit));
    };
    Value inside = b.create<arith::AndIOp>(loc, below(row, nest.rows), below(from, nest.sources));
    SmallVector<Type> types(ValueRange(held).getTypes());
    auto branch = b.create<scf::IfOp>(loc, types, inside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value isSame = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, row, held[0]);
    auto sums =
        b.create<scf::IfOp>(loc, ArrayRef(types).drop_front(), isSame, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(sums.thenBlock());
      b.create<scf::YieldOp>(loc, held.drop_front());
      b.setInsertionPointToStart(sums.elseBlock());
      flush(held[0], held.drop_front());
      SmallVector<Value> loaded;
      for (unsigned u = 0; u < unroll; ++u)
        loaded.push_back(loadLanes(output(), nest.resultType, {row, starts[u]}, masks[u]));
      b.create<scf::YieldOp>(loc, loaded);
    }
    Value value = loadScalar(input(nest.factorOperand), getTensorType({count}, type), {element});
    SmallVector<Value> next{row};
    for (unsigned u = 0; u < unroll; ++u) {
      Value factor =
          loadLanes(input(nest.addendOperand), nest.addendsType, {from, starts[u]}, masks[u]);
      emitter.setElementType(type);
      next.push_back(emitter.add(sums.getResult(u), emitter.mul(emitter.splat(value), factor)));
    }
    b.create<scf::YieldOp>(loc, next);
    b.setInsertionPointToStart(branch.elseBlock());
    k.fail(loc, site);
    b.create<scf::YieldOp>(loc, held);
    return SmallVector<Value>(branch.getResults());
  });
  flush(state[0], ArrayRef<Value>(state).drop_front());
}

void SparseDotKernel::emit() {
  site = k.site(op, nest.message());
  forEachUnit(plan.blocks, [&](Value, Value column) { emitBlock(column); });
}

void SparseDotPlan::emit(CpuKernelBuilder &k) const { SparseDotKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planSparseDotKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  if (!op)
    return nullptr;
  return std::make_shared<SparseDotPlan>(kernel, op, target);
}
