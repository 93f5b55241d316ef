// Rounding to integers, and conversions between float formats and to integers.
#include "codegen/elements/VectorMath.h"
#include "codegen/elements/VectorMathKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace keratin::codegen {

namespace kernels {

template <typename Op> static VectorExpr instruction(const VectorExpr &x) {
  const EmitContext &emit = x.emit();
  return VectorExpr(emit, emit.builder.create<Op>(emit.loc, x.type(), Value(x)));
}

VectorExpr roundEven(const VectorExpr &x) {
  if (x.emit().target.hasRoundInstruction)
    return instruction<LLVM::RoundEvenOp>(x);
  // Adding 2^mantissaBits leaves no place for a fraction. Larger numbers are integers.
  FloatFormat format(x);
  VectorExpr a = abs(x);
  double limit = std::ldexp(1.0, format.mantissaBits);
  VectorExpr rounded = copySign((a + limit) - limit, x);
  return select(a < limit, rounded, x);
}

VectorExpr floor(const VectorExpr &x) {
  if (x.emit().target.hasRoundInstruction)
    return instruction<LLVM::FFloorOp>(x);
  VectorExpr rounded = roundEven(x);
  return copySign(select(rounded > x, rounded - 1.0, rounded), x);
}

VectorExpr ceil(const VectorExpr &x) {
  if (x.emit().target.hasRoundInstruction)
    return instruction<LLVM::FCeilOp>(x);
  VectorExpr rounded = roundEven(x);
  return copySign(select(rounded < x, rounded + 1.0, rounded), x);
}

VectorExpr trunc(const VectorExpr &x) {
  if (x.emit().target.hasRoundInstruction)
    return instruction<LLVM::FTruncOp>(x);
  VectorExpr a = abs(x);
  VectorExpr rounded = roundEven(a);
  return copySign(select(rounded > a, rounded - 1.0, rounded), x);
}

// f32 with the value of a f16. The exponent is rebiased by a multiplication, which also normalises
// denormals.
static VectorExpr extendHalf(const VectorExpr &x) {
  if (x.emit().target.hasF16c) {
    const EmitContext &emit = x.emit();
    return VectorExpr(emit,
                      emit.builder.create<arith::ExtFOp>(emit.loc, x.floatType(32), Value(x)));
  }
  VectorExpr bits = x.asInt().zeroExtend(32);
  VectorExpr magnitude = bits & 0x7fff;
  VectorExpr scaled = ((magnitude << 13).asFloat() * 0x1p112).asInt();
  VectorExpr special = (magnitude << 13) | 0x7f800000;
  VectorExpr sign = (bits & 0x8000) << 16;
  return (select(magnitude > 0x7bff, special, scaled) | sign).asFloat();
}

static VectorExpr truncateToHalf(const VectorExpr &x) {
  const EmitContext &emit = x.emit();
  Type half = x.typeOf(Float16Type::get(x.type().getContext()));
  if (emit.target.hasF16c)
    return VectorExpr(emit, emit.builder.create<arith::TruncFOp>(emit.loc, half, Value(x)));
  VectorExpr bits = x.asInt();
  VectorExpr magnitude = bits & 0x7fffffff;
  // Denormal results: the addition of 1/2 rounds to the last place of a f16 denormal.
  VectorExpr denormal = (magnitude.asFloat() + 0.5).asInt() - 0x3f000000;
  // Others: rebias and round by adding half of the last place, less one if the result would stay
  // even. The carry into the exponent is right, up to infinity.
  VectorExpr odd = (magnitude >> 13) & 1;
  VectorExpr normal = (magnitude - 0x38000000 + 0xfff + odd) >> 13;
  VectorExpr nan = ((magnitude >> 13) & 0x3ff) | 0x7e00;
  VectorExpr result = select(magnitude < 0x38800000, denormal, normal);
  result = select(magnitude >= 0x47800000, 0x7c00, result);
  result = select(magnitude > 0x7f800000, nan, result);
  return (result | ((bits >> 16) & 0x8000)).truncateInt(16).bitcast(half);
}

static VectorExpr extendBrain(const VectorExpr &x) {
  return (x.asInt().zeroExtend(32) << 16).asFloat();
}

// In integers on every machine: vcvtneps2bf16 flushes denormals.
static VectorExpr truncateToBrain(const VectorExpr &x) {
  VectorExpr bits = x.asInt();
  VectorExpr rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  VectorExpr nan = (bits >> 16) | 0x40;
  VectorExpr result = select(unordered(x, x), nan, rounded);
  return result.truncateInt(16).bitcast(x.typeOf(BFloat16Type::get(x.type().getContext())));
}

// f64 to f32 by rounding to odd: inexact results get a set last bit, so that a later rounding to
// fewer bits is the same as one rounding of x.
static VectorExpr truncateToOdd(const VectorExpr &x) {
  VectorExpr a = abs(x);
  VectorExpr nearest = a.toFloat(32);
  VectorExpr back = nearest.toFloat(64);
  VectorExpr isAbove = back > a;
  VectorExpr isInexact = isAbove | (back < a);
  VectorExpr bits = nearest.asInt();
  bits = select(isAbove, bits - 1, bits);
  bits = select(isInexact, bits | 1, bits);
  VectorExpr sign = (x.asInt() >> 32).truncateInt(32) & 0x80000000;
  return (bits | sign).asFloat();
}

VectorExpr castFloatToFloat(const VectorExpr &x, Type element) {
  Type from = x.element();
  if (from == element)
    return x;
  if (from.isF16())
    return castFloatToFloat(extendHalf(x), element);
  if (from.isBF16())
    return castFloatToFloat(extendBrain(x), element);
  if (!element.isF16() && !element.isBF16())
    return x.toFloat(element.getIntOrFloatBitWidth());
  VectorExpr single = from.isF64() ? truncateToOdd(x) : x;
  return element.isF16() ? truncateToHalf(single) : truncateToBrain(single);
}

} // namespace kernels

Value VectorMath::castFloatToFloat(Value x, Type resultType) const {
  return kernels::castFloatToFloat(VectorExpr(emit, x), getElementTypeOrSelf(resultType));
}

Value VectorMath::castFloatToInt(Value x, Type resultType, bool isSigned) const {
  VectorExpr value(emit, x);
  if (value.width() == 16)
    value = kernels::castFloatToFloat(value, Float32Type::get(x.getContext()));
  unsigned width = getElementTypeOrSelf(resultType).getIntOrFloatBitWidth();
  // What the conversion itself makes of numbers out of range is not used.
  OpBuilder &builder = emit.builder;
  Value converted =
      isSigned ? builder.create<arith::FPToSIOp>(emit.loc, resultType, Value(value)).getResult()
               : builder.create<arith::FPToUIOp>(emit.loc, resultType, Value(value)).getResult();
  VectorExpr result(emit, converted);
  int64_t least = isSigned ? std::numeric_limits<int64_t>::min() >> (64 - width) : 0;
  int64_t greatest = isSigned ? ~least : -1;
  // Exact in either format, unlike the greatest integer itself.
  double bound = std::ldexp(1.0, isSigned ? width - 1 : width);
  result = select(value < bound, result, greatest);
  result = select(value >= (isSigned ? -bound : 0.0), result, least);
  return select(unordered(value, value), 0, result);
}

} // namespace keratin::codegen
