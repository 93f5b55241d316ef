#include "codegen/gpu/attention/AttentionGradientElements.h"

#include "codegen/gpu/attention/AttentionWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

using Elements = AttentionGradientElements;

// Repeated along the keys.
bool Elements::isOfQueries(Value value, const AttentionGradientNest &nest) {
  auto broadcast = value.getDefiningOp<ir::BroadcastOp>();
  ir::Shape shape = ir::getShape(value);
  if (!broadcast || shape.empty() || shape.back() != nest.gradient.keys ||
      !isa<FloatType>(ir::getElementType(value)) || ir::getElementType(value).isF64())
    return false;
  const auto last = int64_t(shape.size()) - 1;
  bool varies = false;
  for (auto [dim, size] : llvm::zip(broadcast.getDims(), ir::getShape(broadcast.getX()))) {
    if (dim == last && size != ir::DimExpr(1))
      return false;
    varies |= size != ir::DimExpr(1);
  }
  return varies;
}

// What is multiplied keeps as many bits of it as it has.
std::optional<Elements::Weights> Elements::weightsOf(ir::DivOp div,
                                                     const AttentionGradientNest &nest) {
  auto exp = div.getA().getDefiningOp<ir::ExpOp>();
  auto exponent = exp ? exp.getX().getDefiningOp<ir::SubOp>() : ir::SubOp();
  if (!exponent || !ir::getElementType(div.getY()).isF32() || !isOfQueries(exponent.getB(), nest) ||
      !isOfQueries(div.getB(), nest) || !llvm::all_of(div->getUsers(), [](Operation *user) {
        return isa<ir::MulOp, ir::CastOp, ir::ReshapeOp, ir::DotGeneralOp>(user);
      }))
    return std::nullopt;
  Weights found = {div, exponent, Value(), std::nullopt, 0};
  for (const ContractionNest &made : nest.made) {
    Value product = ir::DotGeneralOp(made.dot).getY();
    if (std::optional<double> scale = scaleOf(exponent.getA(), product)) {
      found.product = product;
      found.scale = scale;
    }
  }
  return found;
}

Elements::Forms Elements::formsOf(const AttentionGradientNest &nest) {
  Forms forms;
  Block &body = *ir::DotGeneralOp(nest.made.front().dot)->getBlock();
  llvm::DenseSet<std::pair<Operation *, Value>> ofWeights; // who reads what there
  for (auto div : body.getOps<ir::DivOp>())
    if (std::optional<Weights> found = weightsOf(div, nest)) {
      Value largest = found->exponent.getB(), sum = div.getB();
      found->numbers = forms.ofQueries.size();
      forms.ofQueries.push_back({Number::Form::Exponent, largest});
      forms.ofQueries.push_back({Number::Form::Reciprocal, sum});
      ofWeights.insert({found->exponent, largest});
      ofWeights.insert({div, sum});
      forms.weights.push_back(*found);
    }
  for (auto broadcast : body.getOps<ir::BroadcastOp>()) {
    Value value = broadcast.getY();
    const bool isReadElsewhere = llvm::any_of(
        value.getUsers(), [&](Operation *user) { return !ofWeights.contains({user, value}); });
    if (isReadElsewhere && isOfQueries(value, nest))
      forms.ofQueries.push_back({Number::Form::Itself, value});
  }
  return forms;
}

size_t Elements::mostNumbers(const AttentionGradientNest &nest) {
  return formsOf(nest).ofQueries.size();
}

Elements::AttentionGradientElements(DeviceKernelBuilder &k, LoopEmitter &emit,
                                    const AttentionGradientNest &nest)
    : k(k), loops(emit), nest(nest) {
  // What is noted is what the ops say.
  if (!k.watchesNumbers)
    forms = formsOf(nest);
  // All places are known before any entry is.
  for (Value tile : nest.gradient.tiles)
    placeOf(tile);
  for (const Number &number : forms.ofQueries)
    placeOf(number.value);
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

SmallVector<LaneIndex> Elements::indexOf(ElementEmitter &emitter, Value value, Value query,
                                         Value key) {
  SmallVector<LaneIndex> index;
  for (Value position : places[placeOf(value)].ofRow(query))
    index.push_back(emitter.scalarIndex(position));
  index.push_back(emitter.scalarIndex(key));
  return index;
}

static Value number(OpBuilder &b, Location loc, double value) {
  return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(float(value)));
}

Elements::Values Elements::numbersOf(Value query) {
  OpBuilder &b = k.b;
  const Location loc = k.loc;
  ElementEmitter emitter(k, loc, k.target, /*lanes=*/1);
  Values found;
  for (const Number &each : forms.ofQueries) {
    Value value = emitter.emit(each.value, indexOf(emitter, each.value, query, loops.constant(0)));
    if (each.form == Number::Form::Exponent)
      value = b.create<arith::MulFOp>(loc, value, number(b, loc, -log2e));
    if (each.form == Number::Form::Reciprocal)
      value = b.create<arith::DivFOp>(loc, number(b, loc, 1), value);
    found.push_back(value);
  }
  return found;
}

//===-- Elements together ---------------------------------------------------------------------===//

Elements::Together::Together(AttentionGradientElements &all, ArrayRef<unsigned> numbers)
    : all(all), emitter(all.k, all.k.loc, all.k.target, /*lanes=*/1) {
  for (unsigned number : numbers)
    tiles.push_back(all.nest.gradient.tiles[number]);
}

void Elements::Together::bindNumbers(ValueRange numbers) {
  ofQuery.assign(numbers.begin(), numbers.end());
  for (auto [each, registers] : llvm::zip(all.forms.ofQueries, ofQuery))
    if (each.form == Number::Form::Itself)
      emitter.bindRegister(each.value, registers);
}

// By one product and sum and one instruction for the power, and a product with what is divided by.
// Factors have 11 bits at most, these some 20.
void Elements::Together::bindWeights(Value query, Value key) {
  OpBuilder &b = all.k.b;
  const Location loc = all.k.loc;
  const llvm::SetVector<Operation *> behind = all.nest.opsBehind(tiles);
  for (const Weights &each : all.forms.weights) {
    if (!behind.contains(each.div))
      continue;
    Value logits = each.product;
    const SmallVector<LaneIndex> index =
        all.indexOf(emitter, ir::DivOp(each.div).getY(), query, key);
    if (!logits)
      logits = ir::SubOp(each.exponent).getA();
    Value exponent = all.loops.multiplyAdd(emitter.emit(logits, index),
                                           number(b, loc, each.scale.value_or(1) * log2e),
                                           ofQuery[each.numbers]);
    emitter.bindRegister(
        ir::DivOp(each.div).getY(),
        b.create<arith::MulFOp>(loc, powerOfTwo(b, loc, exponent), ofQuery[each.numbers + 1]));
  }
}

Elements::Values Elements::Together::emit(Value query, Value key) {
  bindWeights(query, key);
  OpBuilder &b = all.k.b;
  Values numbers;
  for (Value tile : tiles) {
    const SmallVector<LaneIndex> index = all.indexOf(emitter, tile, query, key);
    if (all.k.watchesNumbers) {
      numbers.push_back(emitter.emit(tile, index));
      emitter.watch(tile, numbers.back());
      continue;
    }
    // It is rounded as a factor.
    auto [factor, scale] = unroundedFactor(tile);
    Value element = emitter.emit(factor, index);
    if (scale != 1)
      element = b.create<arith::MulFOp>(all.k.loc, element, number(b, all.k.loc, scale));
    numbers.push_back(element);
  }
  return numbers;
}
