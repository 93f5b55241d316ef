// random_bits: Philox blocks in lanes, in the layout that the op's record describes.
//
// A unit is 64 elements: 16 blocks side by side, whose words are four runs of 16 elements. Machines
// with fewer lanes make them in two or four parts.
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/VectorMath.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getShape;

namespace {

constexpr int64_t groupBlocks = 16, words = 4, groupElements = groupBlocks * words;
// Philox costs about as much as that many simple operations an element.
constexpr int64_t elementWork = 8;

struct RandomSchedule {
  unsigned lanes = 1; // blocks that are made at once
};

class RandomPlan final : public CpuKernelPlan {
public:
  RandomPlan(ir::KernelOp kernel, ir::RandomBitsOp random, const MachineTarget &target)
      : CpuKernelPlan(kernel), random(random), elements(elementsOf(getShape(random.getY()))) {
    schedule.lanes = lanesFor(target, 32);
    blocks.rows = *ceildiv(elements, DimExpr(groupElements));
    setWork(blocks.units(), DimExpr(groupElements * elementWork));
  }

  void printNest(llvm::raw_ostream &out) const override {
    out << "nest: " << elements.str() << " elements in groups of " << groupElements << "\n";
  }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: a group in " << counted(parts(), "part") << " of "
        << counted(schedule.lanes, "lane") << "\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  int64_t parts() const { return ceilDiv(groupBlocks, schedule.lanes); }

  ir::RandomBitsOp random;
  DimExpr elements;
  UnitBlocks blocks;
  RandomSchedule schedule;
};

class RandomKernel : SingleOpKernel {
public:
  RandomKernel(CpuKernelBuilder &k, const RandomPlan &plan)
      : SingleOpKernel(k, plan.random, plan.schedule.lanes), plan(plan), elements(plan.elements),
        type(ir::getTensorType({elements}, ir::getElementType(op->getResult(0)))),
        seed(ir::RandomBitsOp(plan.random).getSeed()) {}

  void emit();

private:
  Value i32(uint32_t value) {
    return emitter.splat(b.create<arith::ConstantIntOp>(loc, int64_t(int32_t(value)), 32));
  }
  // Half of an i64 in all lanes.
  Value half(Value wide, bool high) {
    if (high)
      wide = b.create<arith::ShRUIOp>(loc, wide, i64(32));
    return emitter.splat(b.create<arith::TruncIOp>(loc, b.getI32Type(), wide));
  }

  const RandomPlan &plan;
  const DimExpr &elements;
  RankedTensorType type;
  uint64_t seed;
};

void RandomKernel::emit() {
  auto scalar = ir::getTensorType({}, b.getI64Type());
  forEachUnit(plan.blocks, [&](Value group, Value) {
    Value draw = loadScalar(input(0), scalar, {});
    Value firstBlock = times(group, i64(groupBlocks)), first = times(group, i64(groupElements));
    std::array<Value, 2> key{i32(uint32_t(seed)), i32(uint32_t(seed >> 32))};
    struct Part {
      Value words, position;
    };
    SmallVector<Part> parts;
    for (int64_t part = 0; part < groupBlocks; part += lanes) {
      SmallVector<int32_t> numbers;
      for (unsigned lane = 0; lane < lanes; ++lane)
        numbers.push_back(part + lane);
      // The low four bits of the first block's number are 0, so no lane carries into the high half.
      Value low =
          b.create<arith::OrIOp>(loc, half(firstBlock, false),
                                 b.create<arith::ConstantOp>(loc, b.getI32VectorAttr(numbers)));
      std::array<Value, 4> bits =
          VectorMath(b, loc, k.target)
              .philox({low, half(firstBlock, true), half(draw, false), half(draw, true)}, key);
      for (int64_t word = 0; word < words; ++word)
        parts.push_back({bits[word], plus(first, i64(word * groupBlocks + part))});
    }
    auto store = [&](bool masked) {
      for (const Part &part : parts)
        storeLanes(part.words, output(), type, {part.position},
                   masked ? emitter.maskBelow(part.position, size(elements)) : Value());
    };
    if (elements.isConstant() && elements.constantValue() % groupElements == 0)
      return store(false);
    Value whole = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                          plus(first, i64(groupElements)), size(elements));
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
