#include "codegen/elements/LoopEmitter.h"

#include "codegen/elements/VectorMath.h"
#include "codegen/llvm/SharedFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace keratin::codegen;

Value LoopEmitter::constant(int64_t value) {
  return builder.create<arith::ConstantIntOp>(loc, value, 64);
}

std::optional<int64_t> LoopEmitter::constantOf(Value value) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Value LoopEmitter::fromIndex(Value index) {
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), index);
}

Value LoopEmitter::toIndex(Value integer) {
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), integer);
}

Value LoopEmitter::add(Value x, Value y) { return builder.createOrFold<arith::AddIOp>(loc, x, y); }
Value LoopEmitter::sub(Value x, Value y) { return builder.createOrFold<arith::SubIOp>(loc, x, y); }
Value LoopEmitter::mul(Value x, Value y) { return builder.createOrFold<arith::MulIOp>(loc, x, y); }
Value LoopEmitter::div(Value x, Value y) { return builder.createOrFold<arith::DivUIOp>(loc, x, y); }
Value LoopEmitter::rem(Value x, Value y) { return builder.createOrFold<arith::RemUIOp>(loc, x, y); }

Value LoopEmitter::ceilDiv(Value x, Value y) { return div(add(x, sub(y, constant(1))), y); }

Value LoopEmitter::popCounter(Value &counters, Value count) {
  Value quotient = div(counters, count);
  Value counter = sub(counters, mul(quotient, count));
  counters = quotient;
  return counter;
}

Value LoopEmitter::popBits(Value &counters, Value count) {
  std::optional<int64_t> known = constantOf(count);
  if (!known || !llvm::isPowerOf2_64(uint64_t(*known)))
    return popCounter(counters, count);
  Value bits = rem(counters, count);
  counters = div(counters, count);
  return bits;
}

Value LoopEmitter::divSigned(Value x, int64_t y) {
  return builder.createOrFold<arith::DivSIOp>(loc, x, constant(y));
}
Value LoopEmitter::remSigned(Value x, int64_t y) {
  return builder.createOrFold<arith::RemSIOp>(loc, x, constant(y));
}

Value LoopEmitter::min(Value x, Value y) { return builder.createOrFold<arith::MinSIOp>(loc, x, y); }

Value LoopEmitter::max(Value x, Value y) { return builder.createOrFold<arith::MaxSIOp>(loc, x, y); }

Value LoopEmitter::less(Value x, Value y) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
}

Value LoopEmitter::equal(Value x, Value y) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
}

Value LoopEmitter::logicalAnd(Value x, Value y) {
  return builder.createOrFold<arith::AndIOp>(loc, x, y);
}

Value LoopEmitter::select(Value condition, Value x, Value y) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

LoopEmitter::Values LoopEmitter::loop(Value lower, Value upper, int64_t step, ValueRange carried,
                                      llvm::function_ref<Values(Value, ValueRange)> body) {
  std::optional<int64_t> first = constantOf(lower), last = constantOf(upper);
  if (first && last && *first >= *last)
    return Values(carried);
  if (first && last && *first + step >= *last)
    return body(lower, carried);
  auto loop = builder.create<scf::ForOp>(loc, lower, upper, constant(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  if (carried.empty()) {
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar(), {});
    return {};
  }
  builder.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  builder.create<scf::YieldOp>(loc, next);
  return Values(loop.getResults());
}

void LoopEmitter::loop(Value lower, Value upper, int64_t step,
                       llvm::function_ref<void(Value)> body) {
  loop(lower, upper, step, {}, [&](Value i, ValueRange) {
    body(i);
    return Values();
  });
}

void LoopEmitter::branch(Value condition, llvm::function_ref<void()> then,
                         llvm::function_ref<void()> otherwise) {
  choose(
      condition, {},
      [&] {
        then();
        return Values();
      },
      [&] {
        if (otherwise)
          otherwise();
        return Values();
      });
}

LoopEmitter::Values LoopEmitter::choose(Value condition, TypeRange types,
                                        llvm::function_ref<Values()> then,
                                        llvm::function_ref<Values()> otherwise) {
  if (std::optional<int64_t> known = constantOf(condition))
    return *known ? then() : otherwise();
  auto branch = builder.create<scf::IfOp>(loc, types, condition, /*addThenBlock=*/true,
                                          /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Block *block, llvm::function_ref<Values()> part) {
    builder.setInsertionPointToStart(block);
    Values results = part();
    builder.create<scf::YieldOp>(loc, results);
  };
  fill(branch.thenBlock(), then);
  fill(branch.elseBlock(), otherwise);
  return Values(branch.getResults());
}

void LoopEmitter::callShared(StringRef name, ValueRange arguments,
                             llvm::function_ref<void(LoopEmitter &, ValueRange)> body) {
  codegen::callShared(builder, loc, name, arguments, {},
                      [&](OpBuilder &outside, ValueRange parameters) {
                        LoopEmitter inner(outside, loc, target);
                        body(inner, parameters);
                        return Values();
                      });
}

// Numbers that are widened are bits in memory.
static Type bitsOf(Type type) {
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

// LLVM's integers have no sign.
static Type withoutSign(Type type) { return type.isUnsignedInteger() ? bitsOf(type) : type; }

Value LoopEmitter::address(Value base, Type elementType, Value offset) {
  if (std::optional<int64_t> known = constantOf(offset))
    return address(base, elementType, *known);
  return builder.create<LLVM::GEPOp>(loc, base.getType(), withoutSign(elementType), base,
                                     ValueRange{offset});
}

Value LoopEmitter::address(Value base, Type elementType, int64_t offset) {
  if (offset == 0)
    return base;
  elementType = withoutSign(elementType);
  if (offset != static_cast<int32_t>(offset))
    return builder.create<LLVM::GEPOp>(loc, base.getType(), elementType, base,
                                       ValueRange{constant(offset)});
  return builder.create<LLVM::GEPOp>(loc, base.getType(), elementType, base,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

unsigned LoopEmitter::naturalAlignment(Type type) const {
  return std::max(1u, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
}

Value LoopEmitter::load(Type type, Value pointer) {
  return builder.create<LLVM::LoadOp>(loc, type, pointer, naturalAlignment(type));
}

void LoopEmitter::store(Value value, Value pointer) {
  builder.create<LLVM::StoreOp>(loc, value, pointer, naturalAlignment(value.getType()));
}

Value LoopEmitter::load(VectorType type, Value pointer, Value mask) {
  if (!mask)
    return load(type, pointer);
  return builder.create<LLVM::MaskedLoadOp>(loc, type, pointer, mask, ValueRange{zero(type)},
                                            naturalAlignment(type));
}

void LoopEmitter::store(Value value, Value pointer, Value mask) {
  if (!mask)
    return store(value, pointer);
  builder.create<LLVM::MaskedStoreOp>(loc, value, pointer, mask, naturalAlignment(value.getType()));
}

void LoopEmitter::bringNear(Value pointer, int level) {
  builder.create<LLVM::Prefetch>(loc, pointer, /*rw=*/0, /*hint=*/4 - level, /*cache=*/1);
}

Value LoopEmitter::firstLanes(int64_t lanes, Value count) {
  // 32-bit lanes compare twice as many at once as the 64-bit ones of vector.create_mask.
  auto type = VectorType::get(lanes, builder.getI32Type());
  SmallVector<int32_t> numbers(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers[lane] = lane;
  Value steps = builder.create<arith::ConstantOp>(loc, builder.getI32VectorAttr(numbers));
  Value bounded = min(max(count, constant(0)), constant(lanes));
  Value narrow = builder.createOrFold<arith::TruncIOp>(loc, builder.getI32Type(), bounded);
  Value limit = builder.create<vector::SplatOp>(loc, type, narrow);
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, steps, limit);
}

Value LoopEmitter::zero(Type type) {
  return builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(type));
}

Value LoopEmitter::splat(Value scalar, int64_t lanes) {
  return builder.create<vector::SplatOp>(loc, VectorType::get(lanes, scalar.getType()), scalar);
}

Value LoopEmitter::multiplyAdd(Value x, Value y, Value z) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return VectorMath(builder, loc, target).multiplyAdd(x, y, z);
  return builder.create<arith::AddIOp>(loc, builder.create<arith::MulIOp>(loc, x, y), z);
}

Value LoopEmitter::loadAs(Type to, Type from, Value pointer) {
  if (from == to)
    return load(to, pointer);
  return widen(load(bitsOf(from), pointer), from, to);
}

Value LoopEmitter::loadAs(Type to, Type from, int64_t lanes, Value pointer, Value mask) {
  if (from == to)
    return load(VectorType::get(lanes, from), pointer, mask);
  return widen(load(VectorType::get(lanes, bitsOf(from)), pointer, mask), from, to);
}

// The 16 bits travel as integers: LLVM takes vectors of bfloat apart where the machine lacks them,
// and calls the compiler's library for half.
Value LoopEmitter::widen(Value bits, Type from, Type to) {
  Type half = from, word = builder.getI32Type(), single = builder.getF32Type();
  Type wide = to;
  if (auto vector = dyn_cast<VectorType>(bits.getType())) {
    half = vector.clone(half);
    word = vector.clone(word);
    single = vector.clone(single);
    wide = vector.clone(wide);
  }
  if (isa<IntegerType>(from)) {
    if (from.isUnsignedInteger() || from.isInteger(1))
      return builder.create<arith::ExtUIOp>(loc, wide, bits);
    return builder.create<arith::ExtSIOp>(loc, wide, bits);
  }
  auto number = [&](Type type, Attribute attribute) -> Value {
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(attribute));
  };
  auto integer = [&](int32_t value) { return number(word, builder.getI32IntegerAttr(value)); };
  Value result;
  if (from.isBF16()) {
    // bfloat16 is the upper half of a float.
    Value extended = builder.create<arith::ExtUIOp>(loc, word, bits);
    Value shifted = builder.create<arith::ShLIOp>(loc, extended, integer(16));
    result = builder.create<arith::BitcastOp>(loc, single, shifted);
  } else if (target.hasFma) {
    // Machines with fused multiplication convert halves too (on x86 both come with version 3).
    Value value = builder.create<arith::BitcastOp>(loc, half, bits);
    return builder.create<arith::ExtFOp>(loc, wide, value);
  } else {
    // Exponent and fraction moved into place are the value times 2^-112; infinities and NaN need
    // all exponent bits.
    Value extended = builder.create<arith::ExtUIOp>(loc, word, bits);
    Value sign = builder.create<arith::ShLIOp>(
        loc, builder.create<arith::AndIOp>(loc, extended, integer(0x8000)), integer(16));
    Value magnitude = builder.create<arith::ShLIOp>(
        loc, builder.create<arith::AndIOp>(loc, extended, integer(0x7fff)), integer(13));
    Value scaled =
        builder.create<arith::MulFOp>(loc, builder.create<arith::BitcastOp>(loc, single, magnitude),
                                      number(single, builder.getF32FloatAttr(0x1p112f)));
    Value finite = builder.create<arith::BitcastOp>(loc, word, scaled);
    Value special = builder.create<arith::OrIOp>(loc, magnitude, integer(0x7f800000));
    Value isSpecial = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, magnitude,
                                                    integer(0x7c00 << 13));
    Value merged = builder.create<arith::SelectOp>(loc, isSpecial, special, finite);
    result = builder.create<arith::BitcastOp>(loc, single,
                                              builder.create<arith::OrIOp>(loc, merged, sign));
  }
  return single == wide ? result : builder.create<arith::ExtFOp>(loc, wide, result);
}
