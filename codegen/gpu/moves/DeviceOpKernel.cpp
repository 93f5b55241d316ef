#include "codegen/gpu/moves/DeviceOpKernel.h"

#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

Value DeviceOpKernel::input(unsigned operand) {
  return k.inputs[cast<BlockArgument>(op->getOperand(operand)).getArgNumber()];
}

//===-- Elements ------------------------------------------------------------------------------===//

Value DeviceOpKernel::load(Value pointer, Type elementType, Value offset) {
  return emitter.load(pointer, ir::getTensorType({DimExpr(1)}, elementType),
                      {emitter.scalarIndex(offset)});
}

Value DeviceOpKernel::loadWhere(Value condition, Value pointer, Type elementType, Value offset) {
  return e.choose(
      condition, {emitter.registerType(elementType)},
      [&]() -> Values { return {load(pointer, elementType, offset)}; },
      [&]() -> Values { return {zero(elementType)}; })[0];
}

void DeviceOpKernel::store(Value registers, Value pointer, Type elementType, Value offset) {
  emitter.watchRegisters(registers, elementType);
  emitter.store(registers, pointer, ir::getTensorType({DimExpr(1)}, elementType),
                {emitter.scalarIndex(offset)});
}

Value DeviceOpKernel::position(unsigned operand, Value offset) {
  Type type = ir::getElementType(op->getOperand(operand));
  Value integer = load(input(operand), type, offset);
  emitter.setElementType(type);
  return emitter.positionOf(integer).base;
}

Value DeviceOpKernel::zero(Type elementType) { return e.zero(emitter.registerType(elementType)); }

Value DeviceOpKernel::rounded(Value registers, Type elementType) {
  Type type = registers.getType();
  if (type == elementType || !isa<FloatType>(type))
    return registers;
  VectorMath math(b, loc, k.target);
  return math.castFloatToFloat(math.castFloatToFloat(registers, elementType), type);
}

//===-- Conditions and vectors ----------------------------------------------------------------===//

Value DeviceOpKernel::isBelow(Value x, Value bound) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, bound);
}

Value DeviceOpKernel::isAligned(Value pointer, int64_t bytes) {
  Value address = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), pointer);
  return e.equal(b.create<arith::AndIOp>(loc, address, i64(bytes - 1)), i64(0));
}

Value DeviceOpKernel::elementOf(Value vector, int64_t number) {
  return b.create<vector::ExtractOp>(loc, vector, ArrayRef<int64_t>{number});
}

Value DeviceOpKernel::vectorOf(ArrayRef<Value> elements) {
  Value vector = e.zero(VectorType::get(elements.size(), elements[0].getType()));
  for (auto [i, value] : llvm::enumerate(elements))
    vector = b.create<vector::InsertOp>(loc, value, vector, ArrayRef<int64_t>{int64_t(i)});
  return vector;
}
