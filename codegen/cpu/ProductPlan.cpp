#include "codegen/cpu/ProductPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

ProductPlan::ProductPlan(ir::KernelOp kernel, const DimExpr &operations) : CpuKernelPlan(kernel) {
  work = *floordiv(operations, DimExpr(16)); // many operations an instruction
}

Value ProductPlan::countUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  return b.create<arith::IndexCastOp>(loc, b.getI64Type(), emitUnits(b, loc, sizeOf));
}

std::string ProductPlan::unitsInWords() const {
  // Where windows have unknown sizes, blocks depend on blocks: formulas that nobody reads.
  constexpr size_t longest = 120;
  std::string text = unitSizes().str();
  return text.size() <= longest ? text : SizeCases().str();
}

void ProductPlan::emit(CpuKernelBuilder &k) const {
  k.b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  emitUnitsOf(k);
}

Value keratin::codegen::toIndex(CpuKernelBuilder &k, Value integer) {
  return k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), integer);
}

Value keratin::codegen::memoryOf(CpuKernelBuilder &k, Value operand) {
  return k.inputs[cast<BlockArgument>(operand).getArgNumber()];
}
