#include "codegen/elements/LanePositions.h"

#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::Shape;

std::optional<int64_t> keratin::codegen::constantOf(Value value) {
  llvm::APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

//===-- Forms ---------------------------------------------------------------------------------===//

Value LanePositions::extent(const DimExpr &value) {
  return value.isConstant() ? code.i64(value.constantValue()) : k.sizeOf(value);
}

LaneIndex LanePositions::ofInteger(Value integer, bool isUnsigned) {
  OpBuilder &b = code.b;
  Type wide = likeShape(b.getI64Type(), integer);
  Value position = integer;
  if (wide != integer.getType())
    position = code.place({integer}, [&]() -> Value {
      if (isUnsigned)
        return b.create<arith::ExtUIOp>(code.loc, wide, integer);
      return b.create<arith::ExtSIOp>(code.loc, wide, integer);
    });
  return isa<VectorType>(wide) ? Index{Value(), 0, position} : scalar(position);
}

Value LanePositions::each(const Index &a) {
  if (a.lanes)
    return a.lanes;
  Value base = code.splat(a.base);
  if (a.laneStep == 0)
    return base;
  SmallVector<int64_t> steps;
  for (unsigned lane = 0; lane < code.lanes; ++lane)
    steps.push_back(lane * a.laneStep);
  return code.place({base}, [&]() -> Value {
    OpBuilder &b = code.b;
    Value offsets = b.create<arith::ConstantOp>(code.loc, b.getI64VectorAttr(steps));
    return b.create<arith::AddIOp>(code.loc, base, offsets);
  });
}

Value LanePositions::laneNumbers() {
  SmallVector<int32_t> numbers(code.lanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  return code.b.create<arith::ConstantOp>(code.loc, code.b.getI32VectorAttr(numbers));
}

//===-- Arithmetic ----------------------------------------------------------------------------===//

// x as a sum whose second addend is a constant; null if it is none.
static arith::AddIOp sumWithConstant(Value x) {
  auto sum = x.getDefiningOp<arith::AddIOp>();
  return sum && constantOf(sum.getRhs()) ? sum : arith::AddIOp();
}

Value LanePositions::binary(Value x, Value y, bool subtract) {
  if (constantOf(y) == 0)
    return x;
  if (!subtract && constantOf(x) == 0)
    return y;
  // Constants are added last, where addresses of vectors side by side have room for them: one sum
  // serves them all.
  if (auto sum = sumWithConstant(x); sum && !constantOf(y))
    return binary(binary(sum.getLhs(), y, subtract), sum.getRhs(), false);
  if (auto sum = sumWithConstant(y); sum && !subtract && !constantOf(x))
    return binary(binary(x, sum.getLhs(), false), sum.getRhs(), false);
  return code.place({x, y}, [&]() -> Value {
    if (subtract)
      return code.b.create<arith::SubIOp>(code.loc, x, y);
    return code.b.create<arith::AddIOp>(code.loc, x, y);
  });
}

LaneIndex LanePositions::add(const Index &x, const Index &y) {
  if (x.lanes || y.lanes)
    return Index{Value(), 0, binary(each(x), each(y), false)};
  return Index{binary(x.base, y.base, false), x.laneStep + y.laneStep, Value()};
}

LaneIndex LanePositions::sub(const Index &x, const Index &y) {
  if (x.lanes || y.lanes)
    return Index{Value(), 0, binary(each(x), each(y), true)};
  return Index{binary(x.base, y.base, true), x.laneStep - y.laneStep, Value()};
}

LaneIndex LanePositions::scale(const Index &x, int64_t factor) {
  if (factor == 1)
    return x;
  auto times = [&](Value v) {
    Value by = isa<VectorType>(v.getType()) ? code.splat(code.i64(factor)) : code.i64(factor);
    return code.place({v, by},
                      [&]() -> Value { return code.b.create<arith::MulIOp>(code.loc, v, by); });
  };
  if (x.lanes)
    return Index{Value(), 0, times(x.lanes)};
  return Index{times(x.base), x.laneStep * factor, Value()};
}

LaneIndex LanePositions::scale(const Index &x, const DimExpr &factor) {
  if (factor.isConstant())
    return scale(x, factor.constantValue());
  Value by = k.sizeOf(factor), position = eachOrScalar(x);
  bool varies = isa<VectorType>(position.getType());
  if (varies)
    by = code.splat(by);
  Value product = code.place({position, by}, [&]() -> Value {
    return code.b.create<arith::MulIOp>(code.loc, position, by);
  });
  return varies ? Index{Value(), 0, product} : scalar(product);
}

LaneIndex LanePositions::floorDiv(const Index &x, int64_t divisor) {
  auto divide = [&](Value v) {
    Value by = isa<VectorType>(v.getType()) ? code.splat(code.i64(divisor)) : code.i64(divisor);
    return code.place({v, by}, [&]() -> Value {
      return VectorMath(code.b, code.loc, target).floorDiv(v, by, /*isSigned=*/true);
    });
  };
  if (x.varies())
    return Index{Value(), 0, divide(each(x))};
  return scalar(divide(x.base));
}

std::pair<LaneIndex, LaneIndex> LanePositions::divMod(const Index &position, Value extent) {
  OpBuilder &b = code.b;
  bool varies = position.varies();
  Value p = eachOrScalar(position), by = varies ? code.splat(extent) : extent;
  Value quotient =
      code.place({p, by}, [&]() -> Value { return b.create<arith::DivUIOp>(code.loc, p, by); });
  Value remainder =
      code.place({p, by}, [&]() -> Value { return b.create<arith::RemUIOp>(code.loc, p, by); });
  if (varies)
    return {Index{Value(), 0, quotient}, Index{Value(), 0, remainder}};
  return {scalar(quotient), scalar(remainder)};
}

//===-- Comparisons ---------------------------------------------------------------------------===//

// Lanes whose number is below, or above, how far `to` is ahead of `from`.
Value LanePositions::compareLanes(bool below, Value from, Value to) {
  return code.place({from, to}, [&]() -> Value {
    OpBuilder &b = code.b;
    Location loc = code.loc;
    Value ahead = b.create<arith::SubIOp>(loc, to, from);
    Value capped = b.create<arith::MinSIOp>(loc, ahead, code.i64(code.lanes));
    capped = b.create<arith::MaxSIOp>(loc, capped, code.i64(-1));
    Value narrow = b.create<arith::TruncIOp>(loc, b.getI32Type(), capped);
    Value spread =
        b.create<vector::SplatOp>(loc, narrow, VectorType::get(code.lanes, narrow.getType()));
    auto predicate = below ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
    return b.create<arith::CmpIOp>(loc, predicate, laneNumbers(), spread);
  });
}

Value LanePositions::less(const Index &x, const Index &y) {
  // The common comparisons of neighbours with a bound do without vectors of positions.
  auto areNeighbours = [](const Index &i) { return !i.lanes && i.laneStep == 1; };
  auto isUniform = [](const Index &i) { return !i.varies(); };
  if (areNeighbours(x) && isUniform(y))
    return compareLanes(/*below=*/true, x.base, y.base);
  if (isUniform(x) && areNeighbours(y))
    return compareLanes(/*below=*/false, y.base, x.base);
  bool varies = x.lanes || y.lanes || x.laneStep != y.laneStep;
  Value p = varies ? each(x) : x.base, q = varies ? each(y) : y.base;
  return code.place({p, q}, [&]() -> Value {
    return code.b.create<arith::CmpIOp>(code.loc, arith::CmpIPredicate::slt, p, q);
  });
}

Value LanePositions::equal(const Index &x, const Index &y) {
  bool varies = x.lanes || y.lanes || x.laneStep != y.laneStep;
  Value p = varies ? each(x) : x.base, q = varies ? each(y) : y.base;
  return code.place({p, q}, [&]() -> Value {
    return code.b.create<arith::CmpIOp>(code.loc, arith::CmpIPredicate::eq, p, q);
  });
}

Value LanePositions::maskBelow(Value position, Value bound) {
  // min(bound - position, lanes) > lane number, in 32 bits
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value left = b.create<arith::SubIOp>(loc, bound, position);
  Value capped = b.create<arith::MinSIOp>(loc, left, code.i64(code.lanes));
  Value narrow = b.create<arith::TruncIOp>(loc, b.getI32Type(), capped);
  Value spread = code.splat(narrow);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, laneNumbers(), spread);
}

//===-- Memory --------------------------------------------------------------------------------===//

LaneIndex LanePositions::linearize(RankedTensorType type, ArrayRef<Index> index) {
  Shape shape = ir::getShape(type);
  Index offset = scalar(code.i64(0));
  DimExpr stride(1);
  for (size_t i = shape.size(); i-- > 0;) {
    bool isZero = !index[i].varies() && constantOf(index[i].base) == 0;
    if (!isZero)
      offset = add(offset, scale(index[i], stride));
    // Overflow was refused when the type was made: the element count fits.
    stride = ir::mul(stride, shape[i]).value_or(DimExpr(0));
  }
  return offset;
}
