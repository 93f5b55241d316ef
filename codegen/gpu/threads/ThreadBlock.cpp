#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace keratin::codegen;
using namespace mlir;

// The one variable of a module behind which a launch's shared memory is.
static constexpr const char *memoryName = "keratin_shared";

// Bytes between accesses at most, and so of the widest.
static constexpr uint64_t alignment = 16;

Value ThreadBlock::thread() {
  Value number = b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(),
                                                 b.getStringAttr("llvm.nvvm.read.ptx.sreg.tid.x"),
                                                 ValueRange{})
                     .getResult(0);
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number);
}

Value ThreadBlock::threadAnew() {
  auto read = b.create<LLVM::InlineAsmOp>(
      loc, TypeRange{b.getI32Type()}, ValueRange{}, threadAssembly, "=r", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), read.getResult(0));
}

void ThreadBlock::barrier() {
  b.create<LLVM::CallIntrinsicOp>(loc, Type(), b.getStringAttr("llvm.nvvm.barrier0"), ValueRange{});
}

Value ThreadBlock::memory() {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto variable = module.lookupSymbol<LLVM::GlobalOp>(memoryName);
  if (!variable) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    variable = b.create<LLVM::GlobalOp>(module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                        /*isConstant=*/false, LLVM::Linkage::External, memoryName,
                                        Attribute(), alignment, sharedMemory);
  }
  return b.create<LLVM::AddressOfOp>(loc, variable);
}
