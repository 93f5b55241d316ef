// Notes of numbers that are not finite: what a function without keratin.check_numbers has no code
// of.
#include "codegen/lowering/KernelFunction.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

Value KernelBuilder::notes(Type type) {
  Value &memory = noted[type];
  if (memory)
    return memory;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&result.function.getBody().front());
  memory = b.create<LLVM::AllocaOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), type, i64(1));
  b.create<LLVM::StoreOp>(loc, b.create<arith::ConstantOp>(loc, b.getZeroAttr(type)), memory);
  return memory;
}

void KernelBuilder::tellNotes() {
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
  tellSuspect();
}

void KernelBuilder::tellSuspect() {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = b.create<LLVM::GEPOp>(
      loc, pointer, b.getI8Type(), context,
      ArrayRef<LLVM::GEPArg>{int32_t(offsetof(keratin_context_t, numbers_suspect))});
  Value suspect = b.create<LLVM::LoadOp>(loc, pointer, slot);
  Value yes = b.create<arith::ConstantIntOp>(loc, 1, 32);
  b.create<LLVM::StoreOp>(loc, yes, suspect, /*alignment=*/4, /*isVolatile=*/false,
                          /*isNonTemporal=*/false, LLVM::AtomicOrdering::monotonic);
}
