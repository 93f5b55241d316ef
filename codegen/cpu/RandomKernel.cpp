// random_bits: Philox blocks in lanes, in the layout that the op's record describes.
//
// A unit is 64 elements: 16 blocks side by side, whose words are four runs of 16 elements. Machines
// with fewer lanes make them in two or four parts.
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/RandomBits.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

struct RandomSchedule {
  unsigned lanes = 1; // blocks that are made at once
};

class RandomPlan final : public CpuKernelPlan {
public:
  RandomPlan(ir::KernelOp kernel, ir::RandomBitsOp random, const MachineTarget &target)
      : CpuKernelPlan(kernel), nest(random) {
    schedule.lanes = lanesFor(target, 32);
    blocks.rows = nest.groups;
    setWork(blocks.units(), DimExpr(nest.groupElements * nest.elementWork));
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: a group in " << counted(parts(), "part") << " of "
        << counted(schedule.lanes, "lane") << "\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  int64_t parts() const { return ceilDiv(nest.groupBlocks, schedule.lanes); }

  RandomNest nest;
  UnitBlocks blocks;
  RandomSchedule schedule;
};

class RandomKernel : SingleOpKernel {
public:
  RandomKernel(CpuKernelBuilder &k, const RandomPlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.schedule.lanes), plan(plan), nest(plan.nest),
        elements(nest.elements),
        type(ir::getTensorType({elements}, ir::getElementType(op->getResult(0)))) {}

  void emit();

private:
  const RandomPlan &plan;
  const RandomNest &nest;
  const DimExpr &elements;
  RankedTensorType type;
};

void RandomKernel::emit() {
  auto scalar = ir::getTensorType({}, b.getI64Type());
  forEachUnit(plan.blocks, [&](Value group, Value) {
    Value draw = loadScalar(input(0), scalar, {});
    Value line =
        ir::RandomBitsOp(nest.op).getLine() ? plus(group, loadScalar(input(1), scalar, {})) : group;
    Value firstBlock = times(line, i64(nest.groupBlocks)),
          first = times(group, i64(nest.groupElements));
    Value low = halfOf(b, loc, firstBlock, false), high = halfOf(b, loc, firstBlock, true);
    struct Part {
      Value words, position;
    };
    SmallVector<Value> lows;
    for (int64_t part = 0; part < nest.groupBlocks; part += lanes) {
      SmallVector<int32_t> numbers;
      for (unsigned lane = 0; lane < lanes; ++lane)
        numbers.push_back(part + lane);
      // The low four bits of the first block's number are 0, so no lane carries into the high half.
      lows.push_back(b.create<arith::OrIOp>(
          loc, emitter.splat(low), b.create<arith::ConstantOp>(loc, b.getI32VectorAttr(numbers))));
    }
    SmallVector<Part> parts;
    for (auto [part, bits] :
         llvm::enumerate(philoxBlocks(b, loc, k.target, nest.seed, draw, lows, high)))
      for (int64_t word = 0; word < nest.words; ++word)
        parts.push_back(
            {bits[word], plus(first, i64(word * nest.groupBlocks + int64_t(part) * lanes))});
    auto store = [&](bool masked) {
      for (const Part &part : parts)
        storeLanes(part.words, output(), type, {part.position},
                   masked ? emitter.maskBelow(part.position, size(elements)) : Value());
    };
    if (nest.isWhole())
      return store(false);
    Value whole = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                          plus(first, i64(nest.groupElements)), size(elements));
    auto branch = b.create<scf::IfOp>(loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    store(false);
    b.setInsertionPointToStart(branch.elseBlock());
    store(true);
  });
}

void RandomPlan::emit(CpuKernelBuilder &k) const { RandomKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planRandomKernel(ir::KernelOp kernel, const MachineTarget &target) {
  Operation *op = onlyOp(kernel);
  if (!op)
    return nullptr;
  return std::make_shared<RandomPlan>(kernel, cast<ir::RandomBitsOp>(op), target);
}
