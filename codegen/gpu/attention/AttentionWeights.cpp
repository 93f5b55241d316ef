#include "codegen/gpu/attention/PowerOfTwo.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

Value keratin::codegen::powerOfTwo(OpBuilder &b, Location loc, Value x) {
  return b
      .create<LLVM::CallIntrinsicOp>(loc, b.getF32Type(),
                                     b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), x)
      .getResult(0);
}
