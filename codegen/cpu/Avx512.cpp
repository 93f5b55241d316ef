#include "codegen/cpu/Avx512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;

static bool fillsRegisters(const VectorExpr &x) {
  return isa<VectorType>(x.type()) && x.lanes() * x.width() >= 512 &&
         llvm::isPowerOf2_32(x.lanes());
}

static Value integerConstant(const VectorExpr &like, unsigned width, int64_t number) {
  OpBuilder &builder = like.emit().builder;
  return builder.create<arith::ConstantOp>(
      like.emit().loc, builder.getIntegerAttr(builder.getIntegerType(width), number));
}

// Some of the lanes of a, or of a and b after one another.
static VectorExpr lanesOf(const VectorExpr &a, const VectorExpr &b, int64_t first, int64_t count) {
  const EmitContext &emit = a.emit();
  auto order = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  return VectorExpr(emit,
                    emit.builder.create<vector::ShuffleOp>(emit.loc, Value(a), Value(b), order));
}

// The masked form with all lanes taken and the rounding of the environment, which is how LLVM
// spells the plain one.
static VectorExpr callOnRegister(const VectorExpr &x, StringRef name, SmallVector<Value> operands) {
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

// Halves what is longer than a register; vector operands are split as x is.
static VectorExpr call(const VectorExpr &x, StringRef name, ArrayRef<Value> operands) {
  assert(fillsRegisters(x) && "not vectors of AVX-512");
  int64_t lanes = x.lanes();
  int64_t registerLanes = 512 / x.width();
  if (lanes == registerLanes)
    return callOnRegister(x, name, SmallVector<Value>(operands));
  int64_t half = lanes / 2;
  auto part = [&](int64_t first, int64_t count) {
    SmallVector<Value> parts;
    for (Value operand : operands) {
      VectorExpr whole(x.emit(), operand);
      parts.push_back(isa<VectorType>(operand.getType()) ? lanesOf(whole, whole, first, count)
                                                         : whole);
    }
    return call(lanesOf(x, x, first, count), name, parts);
  };
  VectorExpr low = part(0, half), high = part(half, half);
  return lanesOf(low, high, 0, lanes);
}

namespace {

class Avx512Exponents final : public ExponentInstructions {
public:
  bool take(const VectorExpr &x) const override { return fillsRegisters(x); }

  VectorExpr scale(const VectorExpr &x, const VectorExpr &exponent) const override {
    return call(x, "scalef", {x, exponent});
  }

  VectorExpr exponentOf(const VectorExpr &x) const override { return call(x, "getexp", {x}); }

  VectorExpr mantissaOf(const VectorExpr &x) const override {
    // Interval [0.75, 1.5); the sign dropped, but NaN if it was set.
    return call(x, "getmant", {x, integerConstant(x, 32, 0xf)});
  }
};

} // namespace

Value keratin::codegen::avx512PairsOfBfloat16(OpBuilder &builder, Location loc, Value sums, Value x,
                                              Value y) {
  auto numbers = VectorType::get(32, builder.getBF16Type());
  SmallVector<Value> operands = {sums};
  for (Value pairs : {x, y})
    operands.push_back(builder.create<LLVM::BitcastOp>(loc, numbers, pairs));
  auto name = builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512");
  return builder.create<LLVM::CallIntrinsicOp>(loc, sums.getType(), name, operands).getResult(0);
}

const ExponentInstructions &keratin::codegen::avx512Exponents() {
  static constexpr Avx512Exponents instructions;
  return instructions;
}
