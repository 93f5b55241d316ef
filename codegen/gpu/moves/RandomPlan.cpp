#include "codegen/gpu/moves/RandomPlan.h"

#include "codegen/elements/VectorMath.h"
#include "codegen/gpu/moves/DeviceOpKernel.h"
#include "codegen/lowering/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

static constexpr int64_t accessBytes = 16;

DevicePlanPtr RandomPlan::make(ir::KernelOp kernel) {
  if (kindOf(kernel) != KernelKind::Random)
    return nullptr;
  Operation *op = onlyOp(kernel);
  return op ? std::make_shared<RandomPlan>(kernel, cast<ir::RandomBitsOp>(op)) : nullptr;
}

RandomPlan::RandomPlan(ir::KernelOp kernel, ir::RandomBitsOp op) : FormPlan(kernel), nest(op) {
  setWork(mul(nest.groups, DimExpr(unitsOfGroup)).value_or(DimExpr(INT64_MAX)),
          DimExpr(blocks * nest.words * nest.elementWork));
}

void RandomPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << blocks << " Philox blocks a thread, words of neighbours in accesses of "
      << accessBytes << " bytes\n";
}

namespace {

class RandomKernel : DeviceOpKernel {
public:
  RandomKernel(DeviceKernelBuilder &k, const RandomPlan &plan)
      : DeviceOpKernel(k, plan.nest.op), plan(plan), nest(plan.nest),
        type(ir::getElementType(op->getResult(0))) {}

  void emit();

private:
  using Block = std::array<Value, RandomNest::words>;

  Value i32(uint32_t value) {
    return b.create<arith::ConstantIntOp>(loc, int64_t(int32_t(value)), 32);
  }
  Value half(Value wide, bool high) {
    if (high)
      wide = b.create<arith::ShRUIOp>(loc, wide, i64(32));
    return b.create<arith::TruncIOp>(loc, b.getI32Type(), wide);
  }
  Block blockOf(Value number, Value draw);
  Value allAtOnce(Value end);
  void storeWord(Value first, ArrayRef<Value> words, bool atOnce);

  const RandomPlan &plan;
  const RandomNest &nest;
  mlir::Type type;
};

RandomKernel::Block RandomKernel::blockOf(Value number, Value draw) {
  return VectorMath(b, loc, k.target)
      .philox({half(number, false), half(number, true), half(draw, false), half(draw, true)},
              {i32(uint32_t(nest.seed)), i32(uint32_t(nest.seed >> 32))});
}

// Whether elements up to the last exist, and accesses are of multiples of their bytes.
Value RandomKernel::allAtOnce(Value behind) {
  Value aligned = isAligned(output(), accessBytes);
  return nest.isWhole() ? aligned
                        : e.logicalAnd(aligned, e.less(behind, e.add(size(nest.elements), 1)));
}

void RandomKernel::storeWord(Value first, ArrayRef<Value> words, bool atOnce) {
  if (atOnce) {
    b.create<LLVM::StoreOp>(loc, vectorOf(words), e.address(output(), b.getI32Type(), first),
                            accessBytes);
    return;
  }
  for (auto [i, word] : llvm::enumerate(words)) {
    Value at = e.add(first, int64_t(i));
    e.branch(e.less(at, size(nest.elements)), [&] { store(word, output(), type, at); });
  }
}

void RandomKernel::emit() {
  Value draw = load(input(0), b.getI64Type(), i64(0));
  Value part = k.begin, firstBlock = e.mul(part, plan.blocks);
  Value group = e.div(part, i64(plan.unitsOfGroup));
  SmallVector<Block> made;
  for (int64_t i = 0; i < plan.blocks; ++i)
    made.push_back(blockOf(e.add(firstBlock, i), draw));
  // Of the first word; further ones are as many elements behind as a group has blocks.
  Value first =
      e.add(e.mul(group, nest.groupElements), e.sub(firstBlock, e.mul(group, nest.groupBlocks)));
  auto storeAll = [&](bool atOnce) {
    for (int64_t word = 0; word < nest.words; ++word) {
      Values words;
      for (const Block &block : made)
        words.push_back(block[word]);
      storeWord(e.add(first, word * nest.groupBlocks), words, atOnce);
    }
  };
  Value behind = e.add(first, (nest.words - 1) * nest.groupBlocks + plan.blocks);
  e.branch(allAtOnce(behind), [&] { storeAll(true); }, [&] { storeAll(false); });
}

} // namespace

void RandomPlan::emit(DeviceKernelBuilder &k) const { RandomKernel(k, *this).emit(); }
