#include "codegen/gpu/threads/ThreadGrid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

Value ThreadGrid::read(const char *assembly) {
  auto number = b.create<LLVM::InlineAsmOp>(
      loc, TypeRange{b.getI32Type()}, ValueRange{}, assembly, "=r",
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number.getResult(0));
}

Value ThreadGrid::block() { return read("mov.u32 $0, %ctaid.x;"); }
Value ThreadGrid::blocks() { return read("mov.u32 $0, %nctaid.x;"); }
Value ThreadGrid::threadOfBlock() { return read(threadAssembly); }

Value ThreadGrid::thread() {
  Value before = b.create<arith::MulIOp>(loc, block(), read("mov.u32 $0, %ntid.x;"));
  return b.create<arith::AddIOp>(loc, before, threadOfBlock());
}

Value ThreadGrid::threads() {
  return b.create<arith::MulIOp>(loc, blocks(), read("mov.u32 $0, %ntid.x;"));
}
