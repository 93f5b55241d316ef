// Arithmetic on elements: the ScalarBuilder side of ElementEmitter.
#include "codegen/elements/ElementEmitter.h"
#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::Comparison;

// Every op goes through one of these, which put it where its operands allow.
template <typename Function> Value ElementEmitter::unary(Value x, Function function) {
  return code.place({x}, [&]() -> Value { return function(x); });
}

template <typename Function> Value ElementEmitter::binary(Value x, Value y, Function function) {
  code.match(x, y);
  return code.place({x, y}, [&]() -> Value { return function(x, y); });
}

template <typename Function>
Value ElementEmitter::ternary(Value x, Value y, Value z, Function function) {
  code.match(x, y);
  code.match(y, z);
  code.match(x, z);
  return code.place({x, y, z}, [&]() -> Value { return function(x, y, z); });
}

Value ElementEmitter::constant(double value) {
  Type type = registerType(elementType);
  return code.place({}, [&]() -> Value {
    if (auto floating = dyn_cast<FloatType>(type)) {
      // A constant of a narrow type is held wide, but has the narrow type's value.
      APFloat number(value);
      bool lossy;
      number.convert(cast<FloatType>(elementType).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &lossy);
      number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      return b.create<arith::ConstantOp>(loc, b.getFloatAttr(floating, number));
    }
    return b.create<arith::ConstantOp>(
        loc, b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), int64_t(value), true)));
  });
}

Value ElementEmitter::integerConstant(int64_t value) {
  Type type = registerType(elementType);
  return code.place({}, [&]() -> Value {
    return b.create<arith::ConstantOp>(
        loc, b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), value, true)));
  });
}

// Of functions that are finite for some infinite x: they hide it (setWatch).
#define KERATIN_MATH(method, call, finiteAtInfinity)                                               \
  Value ElementEmitter::method(Value x) {                                                          \
    hides |= finiteAtInfinity;                                                                     \
    return unary(x, [&](Value v) { return VectorMath(b, loc, target).call(v); });                  \
  }
KERATIN_MATH(atan, atan, true)
KERATIN_MATH(besselI0e, besselI0e, true)
KERATIN_MATH(besselI1e, besselI1e, true)
KERATIN_MATH(ceil, ceil, false)
KERATIN_MATH(cos, cos, false)
KERATIN_MATH(digamma, digamma, false)
KERATIN_MATH(erf, erf, true)
KERATIN_MATH(erfc, erfc, true)
KERATIN_MATH(erfinv, erfinv, false)
KERATIN_MATH(exp, exp, true)
KERATIN_MATH(expOfNotPositive, expOfNotPositive, true)
KERATIN_MATH(expm1, expm1, true)
KERATIN_MATH(floor, floor, false)
KERATIN_MATH(lgamma, lgamma, false)
KERATIN_MATH(log, log, false)
KERATIN_MATH(log1p, log1p, false)
KERATIN_MATH(logistic, sigmoid, true)
KERATIN_MATH(rsqrt, rsqrt, true)
KERATIN_MATH(sin, sin, false)
KERATIN_MATH(softplus, softplus, true)
KERATIN_MATH(sqrt, sqrt, false)
KERATIN_MATH(tan, tan, false)
KERATIN_MATH(tanh, tanh, true)
#undef KERATIN_MATH

Value ElementEmitter::round(Value x) {
  return isFloat() ? unary(x, [&](Value v) { return VectorMath(b, loc, target).roundEven(v); }) : x;
}

Value ElementEmitter::abs(Value x) {
  return isUnsigned() ? x : unary(x, [&](Value v) { return VectorMath(b, loc, target).abs(v); });
}

Value ElementEmitter::sign(Value x) {
  hides = true;
  if (isUnsigned())
    return select(compare(Comparison::EQ, x, integerConstant(0)), integerConstant(0),
                  integerConstant(1));
  return unary(x, [&](Value v) { return VectorMath(b, loc, target).sign(v); });
}

Value ElementEmitter::neg(Value x) {
  if (isFloat())
    return unary(x, [&](Value v) -> Value { return b.create<arith::NegFOp>(loc, v); });
  return sub(integerConstant(0), x);
}

Value ElementEmitter::not_(Value x) {
  Value ones = integerConstant(-1);
  return binary(x, ones,
                [&](Value p, Value q) -> Value { return b.create<arith::XOrIOp>(loc, p, q); });
}

Value ElementEmitter::isFinite(Value x) {
  hides = true;
  // x - x is 0 for finite numbers, NaN otherwise.
  Value difference =
      binary(x, x, [&](Value p, Value q) -> Value { return b.create<arith::SubFOp>(loc, p, q); });
  return binary(difference, difference, [&](Value p, Value q) -> Value {
    return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD, p, q);
  });
}

Value ElementEmitter::add(Value x, Value y) {
  return binary(x, y, [&](Value p, Value q) -> Value {
    return isFloat() ? b.create<arith::AddFOp>(loc, p, q).getResult()
                     : b.create<arith::AddIOp>(loc, p, q).getResult();
  });
}

Value ElementEmitter::sub(Value x, Value y) {
  return binary(x, y, [&](Value p, Value q) -> Value {
    return isFloat() ? b.create<arith::SubFOp>(loc, p, q).getResult()
                     : b.create<arith::SubIOp>(loc, p, q).getResult();
  });
}

Value ElementEmitter::mul(Value x, Value y) {
  return binary(x, y, [&](Value p, Value q) -> Value {
    return isFloat() ? b.create<arith::MulFOp>(loc, p, q).getResult()
                     : b.create<arith::MulIOp>(loc, p, q).getResult();
  });
}

Value ElementEmitter::multiplyAdd(Value x, Value y, Value z) {
  if (!isFloat())
    return add(mul(x, y), z);
  return ternary(x, y, z, [&](Value p, Value q, Value r) {
    return VectorMath(b, loc, target).multiplyAdd(p, q, r);
  });
}

Value ElementEmitter::div(Value x, Value y) {
  hides = true;
  return binary(x, y,
                [&](Value p, Value q) -> Value { return b.create<arith::DivFOp>(loc, p, q); });
}

Value ElementEmitter::floorDiv(Value x, Value y) {
  return binary(x, y, [&](Value p, Value q) {
    VectorMath math(b, loc, target);
    return isFloat() ? math.floorDiv(p, q) : math.floorDiv(p, q, !isUnsigned());
  });
}

Value ElementEmitter::mod(Value x, Value y) {
  hides = true;
  return binary(x, y, [&](Value p, Value q) {
    VectorMath math(b, loc, target);
    return isFloat() ? math.floorMod(p, q) : math.floorMod(p, q, !isUnsigned());
  });
}

Value ElementEmitter::maximum(Value x, Value y) {
  hides = true;
  if (!isFloat())
    return binary(x, y, [&](Value p, Value q) -> Value {
      return isUnsigned() ? b.create<arith::MaxUIOp>(loc, p, q).getResult()
                          : b.create<arith::MaxSIOp>(loc, p, q).getResult();
    });
  return binary(x, y, [&](Value p, Value q) -> Value {
    // One instruction gives q where p is not greater, a NaN in q included; a NaN in p is put back.
    Value larger = b.create<arith::SelectOp>(
        loc, b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, p, q), p, q);
    return b.create<arith::SelectOp>(
        loc, b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, p, p), p, larger);
  });
}

Value ElementEmitter::minimum(Value x, Value y) {
  hides = true;
  if (!isFloat())
    return binary(x, y, [&](Value p, Value q) -> Value {
      return isUnsigned() ? b.create<arith::MinUIOp>(loc, p, q).getResult()
                          : b.create<arith::MinSIOp>(loc, p, q).getResult();
    });
  return binary(x, y, [&](Value p, Value q) -> Value {
    Value smaller = b.create<arith::SelectOp>(
        loc, b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, p, q), p, q);
    return b.create<arith::SelectOp>(
        loc, b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, p, p), p, smaller);
  });
}

Value ElementEmitter::and_(Value x, Value y) {
  return binary(x, y,
                [&](Value p, Value q) -> Value { return b.create<arith::AndIOp>(loc, p, q); });
}

Value ElementEmitter::or_(Value x, Value y) {
  return binary(x, y, [&](Value p, Value q) -> Value { return b.create<arith::OrIOp>(loc, p, q); });
}

Value ElementEmitter::xor_(Value x, Value y) {
  return binary(x, y,
                [&](Value p, Value q) -> Value { return b.create<arith::XOrIOp>(loc, p, q); });
}

Value ElementEmitter::shiftLeft(Value x, Value y) {
  Value shifted =
      binary(x, y, [&](Value p, Value q) -> Value { return b.create<arith::ShLIOp>(loc, p, q); });
  return inWidth(y, shifted);
}

Value ElementEmitter::shiftRight(Value x, Value y) {
  Value shifted =
      binary(x, y, [&](Value p, Value q) -> Value { return b.create<arith::ShRUIOp>(loc, p, q); });
  return inWidth(y, shifted);
}

// A shift by the width or more has no value in hardware; here it is 0.
Value ElementEmitter::inWidth(Value shift, Value shifted) {
  Value width = integerConstant(elementType.getIntOrFloatBitWidth());
  Value inside = binary(shift, width, [&](Value p, Value q) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, p, q);
  });
  return select(inside, shifted, integerConstant(0));
}

// All are finite for some infinite operands.
#define KERATIN_MATH_OF_TWO(method)                                                                \
  Value ElementEmitter::method(Value x, Value y) {                                                 \
    hides = true;                                                                                  \
    return binary(x, y,                                                                            \
                  [&](Value p, Value q) { return VectorMath(b, loc, target).method(p, q); });      \
  }
KERATIN_MATH_OF_TWO(gammaSampleGradient)
KERATIN_MATH_OF_TWO(igamma)
KERATIN_MATH_OF_TWO(igammac)
KERATIN_MATH_OF_TWO(zeta)
#undef KERATIN_MATH_OF_TWO

#define KERATIN_MATH_OF_THREE(method)                                                              \
  Value ElementEmitter::method(Value x, Value y, Value z) {                                        \
    hides = true;                                                                                  \
    return ternary(x, y, z, [&](Value p, Value q, Value r) {                                       \
      return VectorMath(b, loc, target).method(p, q, r);                                           \
    });                                                                                            \
  }
KERATIN_MATH_OF_THREE(betainc)
KERATIN_MATH_OF_THREE(betaSampleGradient)
#undef KERATIN_MATH_OF_THREE

Value ElementEmitter::pow(Value x, Value y) {
  hides = true;
  if (isFloat())
    return binary(x, y, [&](Value p, Value q) { return VectorMath(b, loc, target).pow(p, q); });
  // Square and multiply over the bits of the exponent; a negative one gives 0.
  unsigned width = elementType.getIntOrFloatBitWidth();
  bool isSigned = !isUnsigned();
  return binary(x, y, [&](Value base, Value exponent) -> Value {
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(base.getType()));
    auto splatOf = [&](int64_t n) -> Value {
      auto number = b.getIntegerAttr(getElementTypeOrSelf(base.getType()), n);
      if (auto vector = dyn_cast<VectorType>(base.getType()))
        return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vector, number.getValue()));
      return b.create<arith::ConstantOp>(loc, number);
    };
    Value one = splatOf(1);
    Value from = b.create<arith::ConstantIntOp>(loc, 0, 64),
          to = b.create<arith::ConstantIntOp>(loc, width, 64),
          step = b.create<arith::ConstantIntOp>(loc, 1, 64);
    auto loop = b.create<scf::ForOp>(
        loc, from, to, step, ValueRange{one, base, exponent},
        [&](OpBuilder &inner, Location l, Value, ValueRange state) {
          Value bit = inner.create<arith::AndIOp>(l, state[2], one);
          Value odd = inner.create<arith::CmpIOp>(l, arith::CmpIPredicate::ne, bit, zero);
          Value times = inner.create<arith::MulIOp>(l, state[0], state[1]);
          Value result = inner.create<arith::SelectOp>(l, odd, times, state[0]);
          Value square = inner.create<arith::MulIOp>(l, state[1], state[1]);
          Value rest = inner.create<arith::ShRUIOp>(l, state[2], one);
          inner.create<scf::YieldOp>(l, ValueRange{result, square, rest});
        });
    Value result = loop.getResult(0);
    if (!isSigned)
      return result;
    Value negative = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, exponent, zero);
    return b.create<arith::SelectOp>(loc, negative, zero, result);
  });
}

Value ElementEmitter::compare(Comparison direction, Value x, Value y) {
  hides = true;
  if (isFloat()) {
    static const arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE, arith::CmpFPredicate::OLT,
        arith::CmpFPredicate::OLE, arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return binary(x, y, [&](Value p, Value q) -> Value {
      return b.create<arith::CmpFOp>(loc, predicates[uint64_t(direction)], p, q);
    });
  }
  using P = arith::CmpIPredicate;
  static const P signedPredicates[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static const P unsignedPredicates[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  P predicate = (isUnsigned() ? unsignedPredicates : signedPredicates)[uint64_t(direction)];
  return binary(x, y, [&](Value p, Value q) -> Value {
    return b.create<arith::CmpIOp>(loc, predicate, p, q);
  });
}

Value ElementEmitter::select(Value condition, Value x, Value y) {
  code.match(x, y);
  if (isa<VectorType>(condition.getType())) {
    x = splat(x);
    y = splat(y);
  }
  return code.place({condition, x, y},
                    [&]() -> Value { return b.create<arith::SelectOp>(loc, condition, x, y); });
}

Value ElementEmitter::cast(Value x, Type to) {
  Type from = elementType;
  if (from == to)
    return x;
  hides |= isa<IntegerType>(to);
  return unary(x, [&](Value v) -> Value {
    VectorMath math(b, loc, target);
    Type wide = likeShape(registerType(to), v);
    auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
    if (to.isInteger(1)) {
      Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(v.getType()));
      // NaN is not equal to zero, so it is true.
      if (fromInt)
        return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, v, nothing);
      return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, v, nothing);
    }
    bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
    if (fromInt && toInt) {
      unsigned before = fromInt.getWidth(), after = toInt.getWidth();
      if (before == after)
        return v;
      if (before > after)
        return b.create<arith::TruncIOp>(loc, wide, v);
      if (fromUnsigned)
        return b.create<arith::ExtUIOp>(loc, wide, v);
      return b.create<arith::ExtSIOp>(loc, wide, v);
    }
    Value result;
    if (fromInt) {
      result = fromUnsigned ? b.create<arith::UIToFPOp>(loc, wide, v).getResult()
                            : b.create<arith::SIToFPOp>(loc, wide, v).getResult();
    } else if (toInt) {
      return math.castFloatToInt(v, wide, !to.isUnsignedInteger());
    } else {
      // From the register's width to the register's width of the result.
      result = v.getType() == wide ? v : math.castFloatToFloat(v, registerType(to));
    }
    // A narrow type is held wide, but rounded as it says.
    if (to.isF16() || to.isBF16())
      result = memory.rounded(result, to);
    return result;
  });
}
