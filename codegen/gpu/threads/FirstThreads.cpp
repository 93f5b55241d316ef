#include "codegen/gpu/threads/FirstThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;

// Not 0, at which all threads of the block meet.
static constexpr unsigned barrier = 1;

// LLVM has no intrinsic of a barrier of some threads that combines predicates.
static Value orOfThreads(OpBuilder &b, Location loc, Value word, unsigned threads) {
  std::string number = std::to_string(barrier) + ", " + std::to_string(threads);
  std::string text = "{\n\t.reg .pred %p1;\n\t.reg .pred %p2;\n\tsetp.ne.u32 %p1, $1, 0;\n\t"
                     "bar.red.or.pred %p2, " +
                     number + ", %p1;\n\tselp.u32 $0, 1, 0, %p2;\n\t}";
  return b
      .create<LLVM::InlineAsmOp>(loc, TypeRange{b.getI32Type()}, ValueRange{word}, text, "=r,r",
                                 /*has_side_effects=*/true, /*is_align_stack=*/false,
                                 LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

void keratin::codegen::meetAsFirstThreads(LLVM::LLVMFuncOp function, unsigned threads) {
  SmallVector<LLVM::CallIntrinsicOp> calls;
  function.walk([&](LLVM::CallIntrinsicOp call) {
    if (call.getIntrin().starts_with("llvm.nvvm.barrier0"))
      calls.push_back(call);
  });
  for (LLVM::CallIntrinsicOp call : calls) {
    OpBuilder b(call);
    Location loc = call.getLoc();
    if (call.getNumResults() == 0) {
      auto i32 = [&](unsigned value) -> Value {
        return b.create<arith::ConstantIntOp>(loc, value, 32);
      };
      b.create<LLVM::CallIntrinsicOp>(loc, Type(), b.getStringAttr("llvm.nvvm.barrier.sync.cnt"),
                                      ValueRange{i32(barrier), i32(threads)});
    } else {
      assert(call.getIntrin() == "llvm.nvvm.barrier0.or" && "the one that kernels use");
      call.getResult(0).replaceAllUsesWith(orOfThreads(b, loc, call.getOperand(0), threads));
    }
    call.erase();
  }
}
