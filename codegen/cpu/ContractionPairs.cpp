#include "codegen/cpu/ContractionPairs.h"

#include "codegen/cpu/Avx512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace keratin::codegen;

static Value integers(LoopEmitter &emit, Type type, int64_t number) {
  Attribute attribute = emit.builder.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return emit.builder.create<arith::ConstantOp>(emit.loc, cast<TypedAttr>(attribute));
}

Value keratin::codegen::emitPairs(LoopEmitter &emit, ValueRange numbers) {
  if (numbers.size() == 1)
    return numbers.front();
  // Neighbours first.
  SmallVector<Value> pairs;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    auto type = cast<VectorType>(numbers[i].getType());
    const int64_t lanes = type.getNumElements();
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.append({lane, lanes + lane});
    Value both =
        emit.builder.create<vector::ShuffleOp>(emit.loc, numbers[i], numbers[i + 1], order);
    Type twice = emit.builder.getIntegerType(2 * type.getElementTypeBitWidth());
    pairs.push_back(emit.builder.create<vector::BitCastOp>(emit.loc, type.clone(twice), both));
  }
  return emitPairs(emit, pairs);
}

static Value callOnIntegers(LoopEmitter &emit, Type type, StringRef name, ValueRange operands) {
  return emit.builder
      .create<LLVM::CallIntrinsicOp>(emit.loc, type, emit.builder.getStringAttr("llvm.x86." + name),
                                     operands)
      .getResult(0);
}

// Unsigned factors come first.
static Value addFours(LoopEmitter &emit, Value sums, Value x, Value y) {
  auto type = cast<VectorType>(sums.getType());
  const char *name = type.getNumElements() == 16 ? "avx512.vpdpbusd.512" : "avx512.vpdpbusd.256";
  return callOnIntegers(emit, type, name, {sums, x, y});
}

static Value addWords(LoopEmitter &emit, Value sums, Value x, Value y) {
  auto type = cast<VectorType>(sums.getType());
  const int64_t lanes = type.getNumElements();
  const char *name = lanes == 16  ? "avx512.pmaddw.d.512"
                     : lanes == 8 ? "avx2.pmadd.wd"
                                  : "sse2.pmadd.wd";
  auto words = VectorType::get(2 * lanes, emit.builder.getI16Type());
  SmallVector<Value> factors;
  for (Value pairs : {x, y})
    factors.push_back(emit.builder.create<LLVM::BitcastOp>(emit.loc, words, pairs));
  return emit.builder.create<arith::AddIOp>(emit.loc, sums,
                                            callOnIntegers(emit, type, name, factors));
}

Value keratin::codegen::emitAddPairs(LoopEmitter &emit, const ContractionPlan &plan, Value sums,
                                     Value a, Value b) {
  if (plan.isOfBfloat16())
    return avx512PairsOfBfloat16(emit.builder, emit.loc, sums, a, b);
  if (plan.depthStep == 2)
    return addWords(emit, sums, a, b);
  return plan.isSignedA ? addFours(emit, sums, b, a) : addFours(emit, sums, a, b);
}

// bfloat16 is the upper half of a f32.
static Value upperHalves(LoopEmitter &emit, Value bits) {
  auto type = cast<VectorType>(bits.getType());
  Value upper =
      emit.builder.create<arith::AndIOp>(emit.loc, bits, integers(emit, type, int32_t(0xffff0000)));
  return emit.builder.create<arith::BitcastOp>(emit.loc, type.clone(emit.builder.getF32Type()),
                                               upper);
}

Value keratin::codegen::emitLanesOfPairs(LoopEmitter &emit, int64_t lanes, Value from, Value half) {
  Type number = emit.builder.getI16Type();
  Value before = emit.address(from, number, emit.sub(emit.constant(0), half));
  Value bits = emit.load(VectorType::get(2 * lanes, number), before);
  auto pairs = VectorType::get(lanes, emit.builder.getI32Type());
  return upperHalves(emit, emit.builder.create<vector::BitCastOp>(emit.loc, pairs, bits));
}

Value keratin::codegen::emitSplatOfPairs(LoopEmitter &emit, int64_t lanes, Value from, Value half) {
  Type number = emit.builder.getI16Type();
  Value at = emit.address(from, number, emit.sub(emit.constant(1), half));
  Value bits = emit.splat(emit.load(number, at), 2 * lanes);
  auto pairs = VectorType::get(lanes, emit.builder.getI32Type());
  return upperHalves(emit, emit.builder.create<vector::BitCastOp>(emit.loc, pairs, bits));
}

// Magnitudes are told apart by their bits less one, of which those of zero are the largest.
static constexpr int64_t leastOfNone = 0xffff;

static Value smaller(LoopEmitter &emit, Value x, Value y) {
  return emit.builder.create<arith::MinUIOp>(emit.loc, x, y);
}

void keratin::codegen::emitForgetLeast(LoopEmitter &emit, Value least) {
  emit.store(integers(emit, emit.builder.getI16Type(), leastOfNone), least);
}

LoopEmitter::Values keratin::codegen::emitLeastSoFar(LoopEmitter &emit, const ContractionPlan &plan,
                                                     Value least) {
  if (!least)
    return {};
  return {emit.splat(emit.load(emit.builder.getI16Type(), least), 2 * plan.lanes)};
}

void keratin::codegen::emitLeastOf(LoopEmitter &emit, Value packed, LoopEmitter::Values &least) {
  if (least.empty())
    return;
  auto numbers = cast<VectorType>(least.front().getType());
  Value bits = isa<VectorType>(packed.getType())
                   ? emit.builder.create<vector::BitCastOp>(emit.loc, numbers, packed).getResult()
                   : emit.splat(packed, numbers.getNumElements());
  Value magnitude =
      emit.builder.create<arith::AndIOp>(emit.loc, bits, integers(emit, numbers, 0x7fff));
  magnitude = emit.builder.create<arith::SubIOp>(emit.loc, magnitude, integers(emit, numbers, 1));
  least.front() = smaller(emit, least.front(), magnitude);
}

void keratin::codegen::emitKeepLeast(LoopEmitter &emit, const LoopEmitter::Values &found,
                                     Value least) {
  if (found.empty())
    return;
  Value vector = found.front();
  for (int64_t half = cast<VectorType>(vector.getType()).getNumElements() / 2; half; half /= 2) {
    SmallVector<int64_t> lower, upper;
    for (int64_t i = 0; i < half; ++i) {
      lower.push_back(i);
      upper.push_back(half + i);
    }
    Value low = emit.builder.create<vector::ShuffleOp>(emit.loc, vector, vector, lower);
    Value high = emit.builder.create<vector::ShuffleOp>(emit.loc, vector, vector, upper);
    vector = smaller(emit, low, high);
  }
  Value number = emit.builder.create<vector::ExtractOp>(emit.loc, vector, ArrayRef<int64_t>{0});
  emit.store(number, least);
}

Value keratin::codegen::emitPairsAreExact(LoopEmitter &emit, Value leastOfA, Value leastOfB) {
  auto exponent = [&](Value least) {
    Value bits = emit.builder.create<arith::ExtUIOp>(emit.loc, emit.builder.getI64Type(),
                                                     emit.load(emit.builder.getI16Type(), least));
    return emit.div(emit.add(bits, 1), emit.constant(1 << 7));
  };
  Value ofA = exponent(leastOfA), ofB = exponent(leastOfB);
  // Biased by 127: denormal numbers have 0.
  Value areNormal = emit.less(emit.constant(0), emit.min(ofA, ofB));
  return emit.logicalAnd(areNormal,
                         emit.less(emit.constant(2 * 127 - 112 - 1), emit.add(ofA, ofB)));
}
