#include "codegen/cpu/ContractionPairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

static Value integers(LoopEmitter &emit, Type type, int64_t number) {
  Attribute attribute = emit.builder.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return emit.builder.create<arith::ConstantOp>(emit.loc, cast<TypedAttr>(attribute));
}

Value keratin::codegen::emitPairs(LoopEmitter &emit, Value first, Value second) {
  const int64_t lanes = cast<VectorType>(first.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.append({lane, lanes + lane});
  Value both = emit.builder.create<vector::ShuffleOp>(emit.loc, first, second, order);
  auto type = VectorType::get(lanes, emit.builder.getI32Type());
  return emit.builder.create<vector::BitCastOp>(emit.loc, type, both);
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

static Value leastOfLanes(LoopEmitter &emit, Value vector) {
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
  return emit.builder.create<vector::ExtractOp>(emit.loc, vector, ArrayRef<int64_t>{0});
}

// Of `rows` rows of `count` pairs, `stride` pairs apart, and of `before`; `before` and the result
// are vectors of 16 bits.
static Value leastOfRows(LoopEmitter &emit, int64_t lanes, Value from, Value rows, Value stride,
                         Value count, Value before) {
  auto pairs = VectorType::get(lanes, emit.builder.getI32Type());
  auto numbers = cast<VectorType>(before.getType());
  Value zero = emit.constant(0);
  Value whole = emit.mul(emit.div(count, emit.constant(lanes)), lanes);
  auto next = [&](Value row, Value i, Value mask, Value least) {
    Value loaded = emit.load(pairs, emit.address(row, pairs.getElementType(), i), mask);
    Value bits = emit.builder.create<vector::BitCastOp>(emit.loc, numbers, loaded);
    Value magnitude =
        emit.builder.create<arith::AndIOp>(emit.loc, bits, integers(emit, numbers, 0x7fff));
    magnitude = emit.builder.create<arith::SubIOp>(emit.loc, magnitude, integers(emit, numbers, 1));
    return LoopEmitter::Values{smaller(emit, least, magnitude)};
  };
  return emit
      .loop(zero, rows, 1, {before},
            [&](Value i, ValueRange state) {
              Value row = emit.address(from, pairs.getElementType(), emit.mul(i, stride));
              auto least = emit.loop(zero, whole, lanes, state, [&](Value i, ValueRange state) {
                return next(row, i, nullptr, state.front());
              });
              return emit.loop(whole, count, lanes, least, [&](Value i, ValueRange state) {
                return next(row, i, emit.firstLanes(lanes, emit.sub(count, i)), state.front());
              });
            })
      .front();
}

// Regions of packed pairs, one for each depth block.
struct PairRegion {
  Value from, rows, stride, count;
};

static void emitLeast(LoopEmitter &emit, const ContractionPlan &plan, Value depth, Value least,
                      Value isFirst,
                      llvm::function_ref<PairRegion(Value depthBlock, Value steps)> region) {
  Value blockDepth = emit.constant(plan.blockDepth()), zero = emit.constant(0);
  emit.branch(isFirst,
              [&] { emit.store(integers(emit, emit.builder.getI16Type(), leastOfNone), least); });
  std::string name = llvm::formatv("keratin_least_of_pairs_{0}", plan.lanes);
  emit.loop(zero, emit.ceilDiv(depth, blockDepth), 1, [&](Value depthBlock) {
    Value here = emit.min(blockDepth, emit.sub(depth, emit.mul(depthBlock, blockDepth)));
    PairRegion part = region(depthBlock, emit.ceilDiv(here, emit.constant(plan.depthStep)));
    emit.callShared(name, {part.from, part.rows, part.stride, part.count, least},
                    [&](LoopEmitter &inner, ValueRange p) {
                      Type number = inner.builder.getI16Type();
                      Value before = inner.splat(inner.load(number, p[4]), 2 * plan.lanes);
                      Value after = leastOfRows(inner, plan.lanes, p[0], p[1], p[2], p[3], before);
                      inner.store(leastOfLanes(inner, after), p[4]);
                    });
  });
}

void keratin::codegen::emitLeastOfColumns(LoopEmitter &emit, const ContractionPlan &plan,
                                          const PackedColumns &block, Value least, Value isFirst) {
  const int64_t width = plan.tileColumns();
  Value panels = emit.ceilDiv(block.columnsHere, emit.constant(width));
  emitLeast(emit, plan, block.depth, least, isFirst, [&](Value depthBlock, Value steps) {
    return PairRegion{packedPanel(emit, plan, block, depthBlock, emit.constant(0)), panels,
                      emit.constant(width * plan.blockK), emit.mul(steps, width)};
  });
}

void keratin::codegen::emitLeastOfRows(LoopEmitter &emit, const ContractionPlan &plan,
                                       const PackedRows &block, Value least, Value isFirst) {
  emitLeast(emit, plan, block.depth, least, isFirst, [&](Value depthBlock, Value steps) {
    Value from = packedTile(emit, plan, block, depthBlock, emit.constant(0));
    if (!block.columnsContiguous)
      return PairRegion{from, block.rowsHere, emit.constant(packedRowStride(plan, false)), steps};
    Value tiles = emit.ceilDiv(block.rowsHere, emit.constant(plan.tileRows));
    return PairRegion{from, tiles, emit.constant(packedRowElements(plan, true)),
                      emit.mul(steps, packedDepthStride(plan, true))};
  });
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
