// Taking note of elements that are not finite (KernelBuilder::notes).
//
// x - x is 0, all bits of it, for a finite x, else NaN; it is added by `or` to what was noted
// before, in a register that lives through the kernel's loops. There is no branch: one would divide
// what LLVM sees at a time, and products and sums on both sides would no longer be fused.
#include "codegen/elements/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// Whether the kernel has made the number, and not only fetched it: who made it has taken note.
bool ElementEmitter::isComputed(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (bound.contains(value) || isa<ir::ElementwiseOpInterface>(op) || op->getNumOperands() > 1)
      return true;
    if (op->getNumOperands() == 0)
      return false;
    value = op->getOperand(0);
  }
  return false;
}

void ElementEmitter::watch(Value value, Value registers) {
  if (k.watchesNumbers && isComputed(value))
    watchRegisters(registers, ir::getElementType(value));
}

void ElementEmitter::watchRegisters(Value registers, Type type) {
  if (!k.watchesNumbers || !isa<FloatType>(type) || watched.contains(registers))
    return;
  if (!code.isConditional())
    watched.insert(registers);
  bool isVector = isa<VectorType>(registers.getType());
  Value mask = isVector ? masks.active : Value();
  code.place({registers, mask}, [&]() -> Value {
    Value number = registers;
    if (type.isF16() || type.isBF16()) // as it is stored
      number = memory.toRegister(memory.toStorage(registers, type), type);
    Value difference = b.create<arith::SubFOp>(loc, number, number);
    unsigned width = getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth();
    Type bitsType = likeShape(b.getIntegerType(width), number);
    Value bits = b.create<arith::BitcastOp>(loc, bitsType, difference);
    if (mask) // lanes that are not real make what they like
      bits = b.create<arith::SelectOp>(loc, mask, bits,
                                       b.create<arith::ConstantOp>(loc, b.getZeroAttr(bitsType)));
    Value noted = k.notes(bitsType);
    Value before = b.create<LLVM::LoadOp>(loc, bitsType, noted);
    b.create<LLVM::StoreOp>(loc, b.create<arith::OrIOp>(loc, before, bits), noted);
    return {};
  });
}
