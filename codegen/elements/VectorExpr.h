// Vector arithmetic written as formulas: a Value with operators that emit arith and LLVM intrinsic
// ops.
#ifndef KERATIN_CODEGEN_ELEMENTS_VECTOREXPR_H
#define KERATIN_CODEGEN_ELEMENTS_VECTOREXPR_H

#include "codegen/elements/ElementTarget.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/ArrayRef.h"

#include <concepts>
#include <cstdint>

namespace keratin::codegen {

// Where ops go and for which machine. Outlives the expressions made with it.
struct EmitContext {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const ElementTarget &target;
};

// A scalar or a one-dimensional vector of floats or of signless integers. Operators choose the
// float or the integer op by the element type; numbers among the operands take the type of the
// other operand. Comparisons give i1 and are ordered: false if a NaN takes part. No op carries
// fast-math flags, so that error-free transformations stay what they are.
class VectorExpr {
public:
  VectorExpr(const EmitContext &context, mlir::Value value) : context(&context), value(value) {}

  const EmitContext &emit() const { return *context; }
  operator mlir::Value() const { return value; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  // 1 for a scalar.
  unsigned lanes() const;
  // The type of this shape with other elements.
  mlir::Type typeOf(mlir::Type element) const;
  mlir::Type intType(unsigned width) const;
  mlir::Type floatType(unsigned width) const;

  VectorExpr constant(double number) const;
  VectorExpr integer(int64_t number) const;
  // Reinterpretations of the bits; bitcast may also regroup them into another number of lanes.
  VectorExpr asInt() const;
  VectorExpr asFloat() const;
  VectorExpr bitcast(mlir::Type type) const;
  // Value conversions: between float widths and from signed integers; between integer widths.
  VectorExpr toFloat(unsigned width) const;
  VectorExpr zeroExtend(unsigned width) const;
  VectorExpr signExtend(unsigned width) const;
  VectorExpr truncateInt(unsigned width) const;

private:
  const EmitContext *context;
  mlir::Value value;
};

// An operand that may be a plain number.
class Operand {
public:
  Operand(const VectorExpr &expr) : expr(&expr) {}
  template <std::floating_point T> Operand(T number) : number(number) {}
  template <std::integral T>
  Operand(T number) : whole(static_cast<int64_t>(number)), isWhole(true) {}

  VectorExpr like(const VectorExpr &other) const {
    if (expr)
      return *expr;
    if (other.isFloat())
      return other.constant(isWhole ? static_cast<double>(whole) : number);
    return other.integer(isWhole ? whole : static_cast<int64_t>(number));
  }

private:
  const VectorExpr *expr = nullptr;
  double number = 0;
  int64_t whole = 0;
  bool isWhole = false;
};

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

VectorExpr operator+(const VectorExpr &a, Operand b);
VectorExpr operator-(const VectorExpr &a, Operand b);
VectorExpr operator*(const VectorExpr &a, Operand b);
VectorExpr operator/(const VectorExpr &a, Operand b); // floats only
VectorExpr operator&(const VectorExpr &a, Operand b);
VectorExpr operator|(const VectorExpr &a, Operand b);
VectorExpr operator^(const VectorExpr &a, Operand b);
VectorExpr operator<<(const VectorExpr &a, Operand b);
VectorExpr operator>>(const VectorExpr &a, Operand b); // logical
VectorExpr arithmeticShift(const VectorExpr &a, Operand b);
VectorExpr operator-(const VectorExpr &a);
VectorExpr operator!(const VectorExpr &condition);
template <Number T> VectorExpr operator+(T a, const VectorExpr &b) {
  return Operand(a).like(b) + b;
}
template <Number T> VectorExpr operator-(T a, const VectorExpr &b) {
  return Operand(a).like(b) - b;
}
template <Number T> VectorExpr operator*(T a, const VectorExpr &b) {
  return Operand(a).like(b) * b;
}
template <Number T> VectorExpr operator/(T a, const VectorExpr &b) {
  return Operand(a).like(b) / b;
}

// Integers compare as signed.
VectorExpr operator<(const VectorExpr &a, Operand b);
VectorExpr operator<=(const VectorExpr &a, Operand b);
VectorExpr operator>(const VectorExpr &a, Operand b);
VectorExpr operator>=(const VectorExpr &a, Operand b);
VectorExpr equal(const VectorExpr &a, Operand b);
VectorExpr notEqual(const VectorExpr &a, Operand b); // true for NaN
VectorExpr unordered(const VectorExpr &a, Operand b);
VectorExpr select(const VectorExpr &condition, const VectorExpr &a, Operand b);
template <Number T> VectorExpr select(const VectorExpr &condition, T a, const VectorExpr &b) {
  return select(condition, Operand(a).like(b), b);
}

// a * b + c: one rounding where the machine has the instruction, two where it has not.
VectorExpr fma(const VectorExpr &a, Operand b, Operand c);
VectorExpr abs(const VectorExpr &a);
VectorExpr copySign(const VectorExpr &magnitude, const VectorExpr &sign);
VectorExpr squareRoot(const VectorExpr &a);
// The smaller and the larger; x if x is NaN. One instruction on x86.
VectorExpr atMost(const VectorExpr &x, Operand limit);
VectorExpr atLeast(const VectorExpr &x, Operand limit);
// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
VectorExpr polynomial(const VectorExpr &x, llvm::ArrayRef<double> coefficients);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_VECTOREXPR_H
