#include "codegen/lowering/Avx512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace keratin::codegen::avx512 {

bool isRegister(const VectorExpr &x) {
  return x.emit().target.hasAvx512 && isa<VectorType>(x.type()) && x.lanes() * x.width() == 512;
}

static Value integerConstant(const VectorExpr &like, unsigned width, int64_t number) {
  OpBuilder &builder = like.emit().builder;
  return builder.create<arith::ConstantOp>(
      like.emit().loc, builder.getIntegerAttr(builder.getIntegerType(width), number));
}

// The masked form with all lanes taken and the rounding of the environment, which is how LLVM
// spells the plain one.
static VectorExpr call(const VectorExpr &x, StringRef name, SmallVector<Value> operands) {
  assert(isRegister(x) && "not a vector of AVX-512");
  const EmitContext &emit = x.emit();
  operands.push_back(x); // what lanes outside of the mask would keep
  operands.push_back(integerConstant(x, x.lanes(), -1));
  operands.push_back(integerConstant(x, 32, /*current rounding*/ 4));
  std::string intrinsic =
      ("llvm.x86.avx512.mask." + name + (x.width() == 64 ? ".pd" : ".ps") + ".512").str();
  auto op = emit.builder.create<LLVM::CallIntrinsicOp>(
      emit.loc, x.type(), emit.builder.getStringAttr(intrinsic), operands);
  return VectorExpr(emit, op.getResult(0));
}

VectorExpr scale(const VectorExpr &x, const VectorExpr &exponent) {
  return call(x, "scalef", {x, exponent});
}

VectorExpr exponentOf(const VectorExpr &x) { return call(x, "getexp", {x}); }

VectorExpr mantissaOf(const VectorExpr &x) {
  // Interval [0.75, 1.5); the sign dropped, but NaN if it was set.
  return call(x, "getmant", {x, integerConstant(x, 32, 0xf)});
}

} // namespace keratin::codegen::avx512
