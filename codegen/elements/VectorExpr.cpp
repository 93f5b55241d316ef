#include "codegen/elements/VectorExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace keratin::codegen {

template <typename Op, typename... Args>
static VectorExpr make(const VectorExpr &like, Args &&...args) {
  const EmitContext &emit = like.emit();
  return VectorExpr(emit, emit.builder.create<Op>(emit.loc, std::forward<Args>(args)...));
}

static VectorExpr splat(const VectorExpr &like, TypedAttr number) {
  if (auto vector = dyn_cast<VectorType>(like.type()))
    return make<arith::ConstantOp>(like, DenseElementsAttr::get(vector, Attribute(number)));
  return make<arith::ConstantOp>(like, number);
}

unsigned VectorExpr::lanes() const {
  auto vector = dyn_cast<VectorType>(type());
  return vector ? vector.getNumElements() : 1;
}

Type VectorExpr::typeOf(Type element) const {
  if (auto vector = dyn_cast<VectorType>(type()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Type VectorExpr::intType(unsigned width) const {
  return typeOf(IntegerType::get(value.getContext(), width));
}

Type VectorExpr::floatType(unsigned width) const {
  assert((width == 32 || width == 64) && "nothing is computed in 16-bit floats");
  return typeOf(width == 32 ? Type(Float32Type::get(value.getContext()))
                            : Type(Float64Type::get(value.getContext())));
}

VectorExpr VectorExpr::constant(double number) const {
  return splat(*this, FloatAttr::get(element(), number));
}

VectorExpr VectorExpr::integer(int64_t number) const {
  llvm::APInt bits = llvm::APInt(64, static_cast<uint64_t>(number)).trunc(width());
  return splat(*this, IntegerAttr::get(element(), bits));
}

VectorExpr VectorExpr::bitcast(Type type) const {
  auto from = dyn_cast<VectorType>(value.getType()), to = dyn_cast<VectorType>(type);
  if (from && to && from.getShape() != to.getShape())
    return make<vector::BitCastOp>(*this, to, value);
  return make<arith::BitcastOp>(*this, type, value);
}

VectorExpr VectorExpr::asInt() const { return bitcast(intType(width())); }
VectorExpr VectorExpr::asFloat() const { return bitcast(floatType(width())); }

VectorExpr VectorExpr::toFloat(unsigned to) const {
  Type type = floatType(to);
  if (!isFloat())
    return make<arith::SIToFPOp>(*this, type, value);
  if (to > width())
    return make<arith::ExtFOp>(*this, type, value);
  if (to < width())
    return make<arith::TruncFOp>(*this, type, value);
  return *this;
}

VectorExpr VectorExpr::zeroExtend(unsigned to) const {
  return to == width() ? *this : make<arith::ExtUIOp>(*this, intType(to), value);
}

VectorExpr VectorExpr::signExtend(unsigned to) const {
  return to == width() ? *this : make<arith::ExtSIOp>(*this, intType(to), value);
}

VectorExpr VectorExpr::truncateInt(unsigned to) const {
  return to == width() ? *this : make<arith::TruncIOp>(*this, intType(to), value);
}

template <typename FloatOp, typename IntOp>
static VectorExpr arithmetic(const VectorExpr &a, Operand b) {
  if (a.isFloat())
    return make<FloatOp>(a, Value(a), Value(b.like(a)));
  return make<IntOp>(a, Value(a), Value(b.like(a)));
}

template <typename Op> static VectorExpr binary(const VectorExpr &a, Operand b) {
  return make<Op>(a, Value(a), Value(b.like(a)));
}

VectorExpr operator+(const VectorExpr &a, Operand b) {
  return arithmetic<arith::AddFOp, arith::AddIOp>(a, b);
}
VectorExpr operator-(const VectorExpr &a, Operand b) {
  return arithmetic<arith::SubFOp, arith::SubIOp>(a, b);
}
VectorExpr operator*(const VectorExpr &a, Operand b) {
  return arithmetic<arith::MulFOp, arith::MulIOp>(a, b);
}
VectorExpr operator/(const VectorExpr &a, Operand b) { return binary<arith::DivFOp>(a, b); }
VectorExpr operator&(const VectorExpr &a, Operand b) { return binary<arith::AndIOp>(a, b); }
VectorExpr operator|(const VectorExpr &a, Operand b) { return binary<arith::OrIOp>(a, b); }
VectorExpr operator^(const VectorExpr &a, Operand b) { return binary<arith::XOrIOp>(a, b); }
VectorExpr operator<<(const VectorExpr &a, Operand b) { return binary<arith::ShLIOp>(a, b); }
VectorExpr operator>>(const VectorExpr &a, Operand b) { return binary<arith::ShRUIOp>(a, b); }
VectorExpr arithmeticShift(const VectorExpr &a, Operand b) { return binary<arith::ShRSIOp>(a, b); }

VectorExpr operator-(const VectorExpr &a) {
  return a.isFloat() ? make<arith::NegFOp>(a, Value(a)) : a.integer(0) - a;
}

VectorExpr operator!(const VectorExpr &condition) { return condition ^ 1; }

static VectorExpr compare(const VectorExpr &a, Operand b, arith::CmpFPredicate ofFloats,
                          arith::CmpIPredicate ofIntegers) {
  if (a.isFloat())
    return make<arith::CmpFOp>(a, ofFloats, Value(a), Value(b.like(a)));
  return make<arith::CmpIOp>(a, ofIntegers, Value(a), Value(b.like(a)));
}

VectorExpr operator<(const VectorExpr &a, Operand b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
VectorExpr operator<=(const VectorExpr &a, Operand b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
VectorExpr operator>(const VectorExpr &a, Operand b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
VectorExpr operator>=(const VectorExpr &a, Operand b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
VectorExpr equal(const VectorExpr &a, Operand b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
VectorExpr notEqual(const VectorExpr &a, Operand b) {
  return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
VectorExpr unordered(const VectorExpr &a, Operand b) {
  return make<arith::CmpFOp>(a, arith::CmpFPredicate::UNO, Value(a), Value(b.like(a)));
}

VectorExpr select(const VectorExpr &condition, const VectorExpr &a, Operand b) {
  return make<arith::SelectOp>(a, Value(condition), Value(a), Value(b.like(a)));
}

VectorExpr fma(const VectorExpr &a, Operand b, Operand c) {
  if (!a.emit().target.hasFma)
    return a * b + c;
  return make<LLVM::FMAOp>(a, a.type(), Value(a), Value(b.like(a)), Value(c.like(a)));
}

VectorExpr abs(const VectorExpr &a) {
  if (a.isFloat())
    return make<LLVM::FAbsOp>(a, a.type(), Value(a));
  return select(a < 0, -a, a);
}

VectorExpr copySign(const VectorExpr &magnitude, const VectorExpr &sign) {
  return make<LLVM::CopySignOp>(magnitude, magnitude.type(), Value(magnitude), Value(sign));
}

VectorExpr squareRoot(const VectorExpr &a) { return make<LLVM::SqrtOp>(a, a.type(), Value(a)); }

// The comparison is false for NaN and then gives the second value: exactly what minps and maxps do.
VectorExpr atMost(const VectorExpr &x, Operand limit) {
  VectorExpr bound = limit.like(x);
  return select(bound < x, bound, x);
}
VectorExpr atLeast(const VectorExpr &x, Operand limit) {
  VectorExpr bound = limit.like(x);
  return select(bound > x, bound, x);
}

VectorExpr polynomial(const VectorExpr &x, ArrayRef<double> coefficients) {
  VectorExpr sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

} // namespace keratin::codegen
