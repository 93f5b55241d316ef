// concatenate alone: rows of the result are runs of the operands, which are copied in whole vectors
// and without a question for each element which operand it is of.
//
// A unit is a block of a row.
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/LoopEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;

namespace {

constexpr int64_t kBlock = 16 * 1024;

class ConcatenatePlan final : public CpuKernelPlan {
public:
  ConcatenatePlan(ir::KernelOp kernel, ir::ConcatenateOp op, unsigned lanes)
      : CpuKernelPlan(kernel), op(op), lanes(lanes) {
    const AxisLines lines(op.getY(), op.getAxis());
    for (Value x : op.getXs())
      runs.push_back(mul(getShape(x)[op.getAxis()], lines.inner).value_or(DimExpr(0)));
    blocks = {lines.outer, mul(lines.length, lines.inner).value_or(DimExpr(0)), kBlock};
    setWork(blocks.units(), min(blocks.columns, DimExpr(kBlock)).value_or(DimExpr(kBlock)));
  }

  void printNest(llvm::raw_ostream &out) const override {
    out << "nest: " << blocks.rows.str() << " rows of " << blocks.columns.str() << " elements\n";
  }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: runs copied, " << counted(lanes, "lane") << "; blocks of " << kBlock << "\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  // Whether a block is a row.
  bool hasShortRows() const {
    return blocks.columns.isConstant() && blocks.columns.constantValue() <= kBlock;
  }

  ir::ConcatenateOp op;
  unsigned lanes;
  llvm::SmallVector<DimExpr> runs; // of a row: what is of each operand
  UnitBlocks blocks;
};

class ConcatenateKernel : SingleOpKernel {
public:
  ConcatenateKernel(CpuKernelBuilder &k, const ConcatenatePlan &plan)
      : SingleOpKernel(k, plan.op, plan.lanes), plan(plan),
        element(b.getIntegerType(
            std::max(8u, getElementType(op->getResult(0)).getIntOrFloatBitWidth()))) {}

  void emit();

private:
  Value at(Value base, Value offset) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), element, base,
                                 ArrayRef<LLVM::GEPArg>{offset});
  }
  void copy(Value from, Value to, Value count);

  const ConcatenatePlan &plan;
  Type element;
};

// The last vector begins earlier, where it would not be full otherwise.
void ConcatenateKernel::copy(Value from, Value to, Value count) {
  constexpr int64_t unroll = 4;
  LoopEmitter emit(b, loc, k.target);
  Value zero = emit.constant(0), vector = emit.constant(lanes);
  auto move = [&](Type type, Value place) {
    emit.store(emit.load(type, at(from, place)), at(to, place));
  };
  auto type = VectorType::get(lanes, element);
  Value most = emit.mul(emit.div(count, emit.constant(lanes * unroll)), lanes * unroll);
  Value whole = emit.mul(emit.div(count, vector), lanes);
  emit.loop(zero, most, lanes * unroll, [&](Value place) {
    for (int64_t i = 0; i < unroll; ++i)
      move(type, emit.add(place, i * lanes));
  });
  emit.loop(most, whole, lanes, [&](Value place) { move(type, place); });
  emit.branch(
      emit.less(count, vector),
      [&] { emit.loop(zero, count, 1, [&](Value place) { move(element, place); }); },
      [&] { emit.branch(emit.less(whole, count), [&] { move(type, emit.sub(count, vector)); }); });
}

void ConcatenateKernel::emit() {
  forEachUnit(plan.blocks, [&](Value row, Value first) {
    LoopEmitter emit(b, loc, k.target);
    Value length = size(plan.blocks.columns);
    Value target = at(output(), times(row, length));
    Value end = emit.min(plus(first, i64(kBlock)), length), before = i64(0);
    for (auto [i, run] : llvm::enumerate(plan.runs)) {
      Value elements = size(run);
      Value source = at(input(i), times(row, elements));
      if (plan.hasShortRows()) {
        copy(source, at(target, before), elements);
      } else {
        Value from = emit.max(first, before);
        Value count = emit.max(minus(emit.min(end, plus(before, elements)), from), i64(0));
        copy(at(source, minus(from, before)), at(target, from), count);
      }
      before = plus(before, elements);
    }
  });
}

void ConcatenatePlan::emit(CpuKernelBuilder &k) const { ConcatenateKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planConcatenateKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Block &body = kernel.getBody().front();
  auto op = dyn_cast<ir::ConcatenateOp>(body.front());
  if (!op || op->getNextNode() != body.getTerminator() ||
      !llvm::all_of(op.getXs(), [](Value x) { return isa<BlockArgument>(x); }) ||
      !getElementType(op.getY()).isIntOrFloat())
    return planLoopKernel(kernel, target);
  const unsigned width = std::max(8u, getElementType(op.getY()).getIntOrFloatBitWidth());
  return std::make_shared<ConcatenatePlan>(kernel, op, target.lanes(width));
}
