// Taking note of numbers that are not finite: what a function without keratin.check_numbers has no
// code of.
//
// x - x is 0, all bits of it, for a finite x, else NaN; it is added by `or` to what was noted
// before, in a register that lives through the kernel's loops. There is no branch: one would divide
// what LLVM sees at a time, and products and sums on both sides would no longer be fused.
#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/cpu/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

//===-- Of a kernel ---------------------------------------------------------------------------===//

Value CpuKernelBuilder::notes(Type type) {
  Value &memory = noted[type];
  if (memory)
    return memory;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&result.function.getBody().front());
  memory = b.create<LLVM::AllocaOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), type, i64(1));
  b.create<LLVM::StoreOp>(loc, b.create<arith::ConstantOp>(loc, b.getZeroAttr(type)), memory);
  return memory;
}

void CpuKernelBuilder::tellNotes() {
  if (noted.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(result.function.getBody().front().getTerminator());
  Value any;
  for (auto [type, memory] : noted) {
    Value bits = b.create<LLVM::LoadOp>(loc, type, memory);
    if (isa<VectorType>(type))
      bits = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, bits);
    Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(bits.getType()));
    Value set = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, bits, none);
    any = any ? b.create<arith::OrIOp>(loc, any, set).getResult() : set;
  }
  auto branch = b.create<scf::IfOp>(loc, any, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = b.create<LLVM::GEPOp>(
      loc, pointer, b.getI8Type(), context,
      ArrayRef<LLVM::GEPArg>{int32_t(offsetof(keratin_context_t, numbers_suspect))});
  Value suspect = b.create<LLVM::LoadOp>(loc, pointer, slot);
  Value yes = b.create<arith::ConstantIntOp>(loc, 1, 32);
  // Several threads may store it, all of them the same.
  b.create<LLVM::StoreOp>(loc, yes, suspect, /*alignment=*/4, /*isVolatile=*/false,
                          /*isNonTemporal=*/false, LLVM::AtomicOrdering::monotonic);
}

//===-- Of an element -------------------------------------------------------------------------===//

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

// Whether code stands under a condition that other code of the same values may not share.
bool ElementEmitter::isConditional() const {
  return llvm::any_of(scopes, [](const Scope &scope) { return scope.isBarrier; });
}

void ElementEmitter::watch(Value value, Value registers) {
  if (notes && isComputed(value))
    watchRegisters(registers, ir::getElementType(value));
}

void ElementEmitter::watchRegisters(Value registers, Type type) {
  if (!notes || !isa<FloatType>(type) || watched.contains(registers))
    return;
  if (!isConditional())
    watched.insert(registers);
  bool isVector = isa<VectorType>(registers.getType());
  Value mask = isVector ? activeMask : Value();
  place({registers, mask}, [&]() -> Value {
    Value number = registers;
    if (type.isF16() || type.isBF16()) // as it is stored
      number = toRegister(toStorage(registers, type), type);
    Value difference = b.create<arith::SubFOp>(loc, number, number);
    unsigned width = getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth();
    Type bitsType = likeShape(b.getIntegerType(width), number);
    Value bits = b.create<arith::BitcastOp>(loc, bitsType, difference);
    if (mask) // lanes that are not real make what they like
      bits = b.create<arith::SelectOp>(loc, mask, bits,
                                       b.create<arith::ConstantOp>(loc, b.getZeroAttr(bitsType)));
    Value memory = notes(bitsType);
    Value before = b.create<LLVM::LoadOp>(loc, bitsType, memory);
    b.create<LLVM::StoreOp>(loc, b.create<arith::OrIOp>(loc, before, bits), memory);
    return {};
  });
}
