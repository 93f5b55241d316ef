// Scatters: zeros, or what extremes begin with, then the rows of the updates added, put or
// compared, one after the other.
//
// Rows are added in the order of the indices whatever the number of threads, so the result is
// always the same: units are blocks of columns, and each walks all the indices. Sums of float16 and
// bfloat16 are rounded after each addition, since they are kept in the result. An index outside
// makes the call fail, unless the row is another rank's, and its row is left out.
#include "codegen/cpu/RowUpdateKernel.h"
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/lowering/ScatterNest.h"

#include "ir/dialect/OwnRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

struct ScatterSchedule {
  unsigned lanes = 1;
  unsigned vectors = 1; // of a unit's block of columns; 0: rows of one element, one after the other
  bool fillsFlat = false; // as one run: a unit has all columns
};

class ScatterPlan final : public CpuKernelPlan {
public:
  ScatterPlan(ir::KernelOp kernel, Operation *scatter, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: " << counted(schedule.lanes, "lane") << "; ";
    if (schedule.vectors)
      out << "blocks of " << counted(schedule.vectors, "vector") << " of columns, each "
          << "through all rows";
    else
      out << "rows of one element, one after the other";
    out << (schedule.fillsFlat ? "; zeros as one run\n" : "; zeros row by row\n");
  }
  void emit(CpuKernelBuilder &k) const override;

  ScatterNest nest;
  UnitBlocks blocks;
  ScatterSchedule schedule;
};

ScatterPlan::ScatterPlan(ir::KernelOp kernel, Operation *scatter, const MachineTarget &target)
    : CpuKernelPlan(kernel), nest(scatter) {
  const DimExpr &width = nest.width;
  schedule.lanes = lanesFor(target, nest.elementType.getIntOrFloatBitWidth());
  DimExpr touched = *max(DimExpr(1), add(nest.rows, nest.count).value_or(DimExpr(INT64_MAX)));
  if (width == DimExpr(1)) {
    schedule.vectors = 0;
    schedule.fillsFlat = true;
    setWork(blocks.units(), touched);
    return;
  }
  // Long blocks are kind to memory (rows of 128 floats took 1.5 times as long in four blocks as in
  // two), but there should be two of them, so that two threads can work.
  schedule.vectors = blockVectors(maxUnroll, schedule.lanes, width, /*blocks=*/2);
  int64_t columns = int64_t(schedule.vectors) * schedule.lanes;
  schedule.fillsFlat = width.isConstant() && width.constantValue() <= columns;
  // Indices are checked even if their rows are empty.
  blocks = {DimExpr(1), *max(DimExpr(1), width), columns};
  setWork(blocks.units(), mul(touched, DimExpr(columns)).value_or(DimExpr(INT64_MAX)));
}

class ScatterKernel : SingleOpKernel {
public:
  ScatterKernel(CpuKernelBuilder &k, const ScatterPlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.schedule.lanes), plan(plan), nest(plan.nest),
        type(nest.elementType), rows(nest.rows), width(nest.width), count(nest.count) {}

  void emit();

private:
  void emitScalars();
  void emitBlock(Value column);
  Value initial() { return emitter.splat(nest.initial(emitter)); }
  void fillAll();
  void addRows(llvm::function_ref<void(Value from, Value to)> addRow);

  const ScatterPlan &plan;
  const ScatterNest &nest;
  Type type;
  const DimExpr &rows, &width, &count;
  Value site; // null: indices may be outside
};

// The result as one run.
void ScatterKernel::fillAll() {
  DimExpr elements = mul(rows, width).value_or(DimExpr(0));
  fillWith(initial(), output(), ir::getTensorType({elements}, type), maxUnroll);
}

void ScatterKernel::addRows(llvm::function_ref<void(Value from, Value to)> addRow) {
  loop(i64(0), size(count), 1, {}, [&](Value from, ArrayRef<Value>) -> SmallVector<Value> {
    Value to = position(0, nest.indicesType, {from});
    // Unsigned: what is negative is too large.
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, to, size(rows));
    auto branch = b.create<scf::IfOp>(loc, inside, /*withElseRegion=*/bool(site));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    addRow(from, to);
    if (site) {
      b.setInsertionPointToStart(branch.elseBlock());
      k.fail(loc, site);
    }
    return {};
  });
}

void ScatterKernel::emitBlock(Value column) {
  unsigned unroll = plan.schedule.vectors;
  auto [starts, masks] = columnsFrom(column, width, unroll);
  if (plan.schedule.fillsFlat) {
    fillAll();
  } else {
    Value first = initial();
    loop(i64(0), size(rows), 1, {}, [&](Value row, ArrayRef<Value>) -> SmallVector<Value> {
      for (unsigned u = 0; u < unroll; ++u)
        storeLanes(first, output(), nest.resultType, {row, starts[u]}, masks[u]);
      return {};
    });
  }
  addRows([&](Value from, Value to) {
    SmallVector<Value> sums;
    for (unsigned u = 0; u < unroll; ++u) {
      Value update = loadLanes(input(1), nest.addendsType, {from, starts[u]}, masks[u]);
      Value sum = loadLanes(output(), nest.resultType, {to, starts[u]}, masks[u]);
      sums.push_back(nest.combined(emitter, sum, update));
    }
    for (unsigned u = 0; u < unroll; ++u)
      storeLanes(sums[u], output(), nest.resultType, {to, starts[u]}, masks[u]);
  });
}

// Rows of one element.
void ScatterKernel::emitScalars() {
  fillAll();
  addRows([&](Value from, Value to) {
    Value update = loadScalar(input(1), nest.addendsType, {from, i64(0)});
    Value sum = loadScalar(output(), nest.resultType, {to, i64(0)});
    storeScalar(nest.combined(emitter, sum, update), output(), nest.resultType, {to, i64(0)});
  });
}

void ScatterKernel::emit() {
  if (!ir::hasOwnRows(op))
    site = k.site(op, nest.message());
  forEachUnit(plan.blocks, [&](Value, Value column) {
    if (plan.schedule.vectors)
      emitBlock(column);
    else
      emitScalars();
  });
}

void ScatterPlan::emit(CpuKernelBuilder &k) const { ScatterKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planScatterKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Block &body = kernel.getBody().front();
  if (body.front().getNextNode() != body.getTerminator())
    return planRowUpdateKernel(kernel, target);
  Operation *op = onlyOp(kernel);
  if (!op)
    return nullptr;
  return std::make_shared<ScatterPlan>(kernel, op, target);
}
