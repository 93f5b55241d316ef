#include "codegen/gpu/threads/ThreadBlock.h"

#include "codegen/gpu/threads/ThreadGrid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace keratin::codegen;
using namespace mlir;

// The one variable of a module behind which a launch's shared memory is.
static constexpr const char *memoryName = "keratin_shared";

Value ThreadBlock::thread() {
  Value number = b.create<LLVM::CallIntrinsicOp>(loc, b.getI32Type(),
                                                 b.getStringAttr("llvm.nvvm.read.ptx.sreg.tid.x"),
                                                 ValueRange{})
                     .getResult(0);
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number);
}

Value ThreadBlock::threadAnew() { return ThreadGrid(b, loc).threadOfBlock(); }

void ThreadBlock::barrier() {
  b.create<LLVM::CallIntrinsicOp>(loc, Type(), b.getStringAttr("llvm.nvvm.barrier0"), ValueRange{});
}

Value ThreadBlock::any(Value condition) {
  Type word = b.getI32Type();
  Value holds = b.create<arith::ExtUIOp>(loc, word, condition);
  Value any =
      b.create<LLVM::CallIntrinsicOp>(loc, word, b.getStringAttr("llvm.nvvm.barrier0.or"), holds)
          .getResult(0);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, any,
                                 b.create<arith::ConstantIntOp>(loc, 0, 32));
}

Value ThreadBlock::memory(uint64_t alignment) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto variable = module.lookupSymbol<LLVM::GlobalOp>(memoryName);
  if (!variable) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    variable = b.create<LLVM::GlobalOp>(module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                        /*isConstant=*/false, LLVM::Linkage::External, memoryName,
                                        Attribute(), alignment, sharedMemory);
  }
  variable.setAlignment(std::max(variable.getAlignment().value_or(1), alignment));
  return b.create<LLVM::AddressOfOp>(loc, variable);
}
