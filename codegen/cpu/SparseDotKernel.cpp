// sparse_dot: rows of x, scaled and added up.
//
// Units are blocks of columns, and each walks all stored elements in their order, so the result
// does not depend on the number of threads. While the row stays the same its sums stay in
// registers: elements in row-major order cost a load of x and a multiplication each. An element
// outside makes the call fail, and is left out.
#include "codegen/cpu/SingleOpKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::getTensorType;

namespace {

// Vectors of a block of columns.
constexpr unsigned maxUnroll = 4;

struct SparseDotSchedule {
  unsigned lanes = 1;
  unsigned vectors = 1; // of a unit's block of columns
};

class SparseDotPlan final : public CpuKernelPlan {
public:
  SparseDotPlan(ir::KernelOp kernel, ir::SparseDotOp dot, const MachineTarget &target)
      : CpuKernelPlan(kernel), dot(dot), count(getShape(dot.getRows())[0]),
        height(getShape(dot.getY())[0]), width(getShape(dot.getY())[1]) {
    schedule.lanes = lanesFor(target, getElementType(dot.getY()).getIntOrFloatBitWidth());
    schedule.vectors = blockVectors(maxUnroll, schedule.lanes, width, /*blocks=*/2);
    int64_t columns = int64_t(schedule.vectors) * schedule.lanes;
    // Positions are checked even if x has no columns.
    blocks = {DimExpr(1), *max(DimExpr(1), width), columns};
    DimExpr touched = *max(DimExpr(1), add(height, count).value_or(DimExpr(INT64_MAX)));
    setWork(blocks.units(), mul(touched, DimExpr(columns)).value_or(DimExpr(INT64_MAX)));
  }

  void printNest(llvm::raw_ostream &out) const override {
    out << "nest: " << count.str() << " stored elements, rows of " << width.str()
        << " elements added to " << height.str() << "\n";
  }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: " << counted(schedule.lanes, "lane") << "; blocks of "
        << counted(schedule.vectors, "vector") << " of columns, each through all elements\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ir::SparseDotOp dot;
  DimExpr count, height, width;
  UnitBlocks blocks;
  SparseDotSchedule schedule;
};

class SparseDotKernel : SingleOpKernel {
public:
  SparseDotKernel(CpuKernelBuilder &k, const SparseDotPlan &plan)
      : SingleOpKernel(k, plan.dot, plan.schedule.lanes), plan(plan),
        indicesType(getTensorType({plan.count}, getElementType(op->getOperand(0)))),
        xType(getTensorType(op->getOperand(3))), yType(getTensorType(op->getResult(0))),
        type(yType.getElementType()), count(plan.count), width(plan.width),
        unroll(plan.schedule.vectors) {}

  void emit();

private:
  void emitBlock(Value column);

  const SparseDotPlan &plan;
  RankedTensorType indicesType, xType, yType;
  Type type;
  const DimExpr &count, &width;
  unsigned unroll;
  Value site;
};

void SparseDotKernel::emitBlock(Value column) {
  auto [starts, masks] = columnsFrom(column, width, unroll);
  loop(i64(0), size(getShape(yType)[0]), 1, {},
       [&](Value row, ArrayRef<Value>) -> SmallVector<Value> {
         for (unsigned u = 0; u < unroll; ++u)
           storeLanes(zeros(type), output(), yType, {row, starts[u]}, masks[u]);
         return {};
       });

  // The row whose sums are in registers, none at first; they are in memory up to the last row.
  auto flush = [&](Value row, ArrayRef<Value> sums) {
    Value isRow = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, row, i64(0));
    auto branch = b.create<scf::IfOp>(loc, isRow, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (unsigned u = 0; u < unroll; ++u)
      storeLanes(sums[u], output(), yType, {row, starts[u]}, masks[u]);
  };
  SmallVector<Value> state{i64(-1)};
  for (unsigned u = 0; u < unroll; ++u)
    state.push_back(zeros(type));
  state = loop(i64(0), size(count), 1, state, [&](Value element, ArrayRef<Value> held) {
    Value row = position(0, indicesType, {element}), from = position(1, indicesType, {element});
    // Unsigned: what is negative is too large.
    auto below = [&](Value x, const DimExpr &limit) -> Value {
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, size(limit));
    };
    Value inside = b.create<arith::AndIOp>(loc, below(row, getShape(yType)[0]),
                                           below(from, getShape(xType)[0]));
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
        loaded.push_back(loadLanes(output(), yType, {row, starts[u]}, masks[u]));
      b.create<scf::YieldOp>(loc, loaded);
    }
    Value value = loadScalar(input(2), getTensorType({count}, type), {element});
    SmallVector<Value> next{row};
    for (unsigned u = 0; u < unroll; ++u) {
      Value factor = loadLanes(input(3), xType, {from, starts[u]}, masks[u]);
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
  site = k.site(op, "sparse_dot: a stored element is outside the matrix");
  forEachUnit(plan.blocks, [&](Value, Value column) { emitBlock(column); });
}

void SparseDotPlan::emit(CpuKernelBuilder &k) const { SparseDotKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planSparseDotKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  if (!op)
    return nullptr;
  return std::make_shared<SparseDotPlan>(kernel, cast<ir::SparseDotOp>(op), target);
}
