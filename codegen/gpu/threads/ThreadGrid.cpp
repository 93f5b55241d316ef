#include "codegen/gpu/threads/ThreadGrid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

Value ThreadGrid::read(const char *special) {
  auto number = b.create<LLVM::InlineAsmOp>(loc, TypeRange{b.getI32Type()}, ValueRange{},
                                            "mov.u32 $0, %" + std::string(special) + ";", "=r",
                                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                                            LLVM::AsmDialectAttr(), ArrayAttr());
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), number.getResult(0));
}

Value ThreadGrid::block() { return read("ctaid.x"); }
Value ThreadGrid::blocks() { return read("nctaid.x"); }
Value ThreadGrid::threadOfBlock() { return read("tid.x"); }

Value ThreadGrid::thread() {
  Value before = b.create<arith::MulIOp>(loc, block(), read("ntid.x"));
  return b.create<arith::AddIOp>(loc, before, threadOfBlock());
}

Value ThreadGrid::threads() { return b.create<arith::MulIOp>(loc, blocks(), read("ntid.x")); }
