#include "codegen/gpu/attention/AttentionGradientElements.h"

#include "codegen/gpu/attention/PowerOfTwo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

using Elements = AttentionGradientElements;

Elements::AttentionGradientElements(DeviceKernelBuilder &k, LoopEmitter &emit,
                                    const AttentionGradientNest &nest)
    : k(k), loops(emit), nest(nest) {
  if (!k.watchesNumbers)
    for (auto div : k.body().getOps<ir::DivOp>())
      if (areWeights(div))
        weights.push_back(div);
  // All places are known before any entry is.
  for (Value tile : nest.gradient.tiles)
    placeOf(tile);
  for (ir::DivOp div : weights)
    placeOf(div.getY());
}

// What is multiplied keeps as many bits of it as it has.
bool Elements::areWeights(ir::DivOp div) {
  auto exp = div.getA().getDefiningOp<ir::ExpOp>();
  return exp && ir::getElementType(div.getY()).isF32() &&
         llvm::all_of(div->getUsers(), [](Operation *user) {
           return isa<ir::MulOp, ir::CastOp, ir::ReshapeOp, ir::DotGeneralOp>(user);
         });
}

size_t Elements::placeOf(Value value) {
  ir::Shape shape = ir::getShape(value);
  auto *found = llvm::find(shapes, shape);
  const size_t number = size_t(found - shapes.begin());
  if (found == shapes.end()) {
    places.emplace_back(k, loops, shape, nest.gradient.queries);
    shapes.push_back(std::move(shape));
  }
  return number;
}

void Elements::enter(Value batch) {
  for (AttentionPlaces &place : places)
    place.enter(batch);
}

Elements::Together::Together(AttentionGradientElements &all, ArrayRef<unsigned> numbers)
    : all(all), emitter(all.k, all.k.loc, all.k.target, /*lanes=*/1) {
  for (unsigned number : numbers)
    tiles.push_back(all.nest.gradient.tiles[number]);
  const llvm::SetVector<Operation *> behind = all.nest.opsBehind(tiles);
  for (ir::DivOp div : all.weights)
    if (behind.contains(div))
      weights.push_back(div);
}

SmallVector<LaneIndex> Elements::Together::indexOf(Value value, Value query, Value key) {
  const size_t place = all.placeOf(value);
  SmallVector<Value> &positions = leading[{place, query}];
  if (positions.empty())
    positions = all.places[place].ofRow(query);
  SmallVector<LaneIndex> index;
  for (Value position : positions)
    index.push_back(emitter.scalarIndex(position));
  index.push_back(emitter.scalarIndex(key));
  return index;
}

// By one instruction for the power and one product with what is divided by, which is inverted once
// for all elements that share it. Factors have 11 bits at most, these some 20.
void Elements::Together::bindWeights(Value query, Value key) {
  constexpr double log2e = 1.4426950408889634;
  OpBuilder &b = all.k.b;
  const Location loc = all.k.loc;
  auto number = [&](double value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(float(value)));
  };
  for (ir::DivOp div : weights) {
    const SmallVector<LaneIndex> index = indexOf(div.getY(), query, key);
    auto exp = div.getA().getDefiningOp<ir::ExpOp>();
    Value power = emitter.emit(exp.getX(), index), sum = emitter.emit(div.getB(), index);
    Value &reciprocal = reciprocals[sum];
    if (!reciprocal)
      reciprocal = b.create<arith::DivFOp>(loc, number(1), sum);
    power = powerOfTwo(b, loc, b.create<arith::MulFOp>(loc, power, number(log2e)));
    emitter.bindRegister(div.getY(), b.create<arith::MulFOp>(loc, power, reciprocal));
  }
}

Elements::Values Elements::Together::emit(Value query, Value key) {
  bindWeights(query, key);
  Values numbers;
  for (Value tile : tiles) {
    const SmallVector<LaneIndex> index = indexOf(tile, query, key);
    const bool watches = all.k.watchesNumbers;
    // It is rounded as a factor, and once is enough.
    auto cast = tile.getDefiningOp<ir::CastOp>();
    if (cast && !watches && ir::getElementType(cast.getX()).isF32())
      tile = cast.getX();
    numbers.push_back(emitter.emit(tile, index));
    if (watches)
      emitter.watch(tile, numbers.back());
  }
  return numbers;
}
