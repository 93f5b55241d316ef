#include "codegen/gpu/convolutions/ConvolutionSources.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

using Neighbours = ContractionSource::Neighbours;

//===-- What they share -----------------------------------------------------------------------===//

ConvolutionProduct::ConvolutionProduct(LoopEmitter &emit, const ConvolutionSpec &spec,
                                       const ConvolutionProductPlan &plan,
                                       llvm::function_ref<Value(const DimExpr &)> sizeOf)
    : emit(emit), spec(spec), plan(plan), places(sizeOf(plan.places())),
      batch(sizeOf(plan.nest.shape.batch)), contracted(sizeOf(plan.nest.shape.contracted)) {
  for (size_t j = 0; j < plan.steps.size(); ++j)
    outputs.push_back(sizeOf(plan.outputs(j)));
}

void ConvolutionProduct::open(Value ofGroup, ArrayRef<Value> phases) {
  group = ofGroup;
  axes.clear();
  depth = contracted;
  for (size_t j = 0; j < plan.steps.size(); ++j) {
    axes.push_back(openConvolutionAxis(emit, spec, j, plan.steps[j], phases[j]));
    depth = emit.mul(depth, axes[j].phase.taps);
  }
}

// LLVM divides 32 bits where it knows that there are no more.
Value ConvolutionProduct::narrowed(Value number, const DimExpr &size) {
  constexpr int64_t most = INT32_MAX - (1 << 16); // beyond the last there may be a tile
  if (!size.isConstant() || size.constantValue() > most)
    return number;
  OpBuilder &b = emit.builder;
  return b.create<arith::ExtUIOp>(emit.loc, b.getI64Type(),
                                  b.create<arith::TruncIOp>(emit.loc, b.getI32Type(), number));
}

ConvolutionProduct::Place ConvolutionProduct::placeOf(Value number) {
  Value zero = emit.constant(0), rest = narrowed(number, plan.places());
  Place place = {zero, zero, SmallVector<Value, 3>(axes.size(), zero)};
  for (size_t i = plan.placeDims.size(); i-- > 0;) {
    const ConvolutionDim &dim = plan.placeDims[i];
    bool isBatch = dim.kind == ConvolutionDim::Batch;
    Value size = isBatch ? batch : outputs[dim.window];
    (isBatch ? place.batch : place.windows[dim.window]) = i == 0 ? rest : emit.popBits(rest, size);
  }
  return place;
}

ConvolutionProduct::Place ConvolutionProduct::depthOf(Value number) {
  Value zero = emit.constant(0), rest = narrowed(number, plan.depth());
  Place place = {zero, zero, SmallVector<Value, 3>(axes.size(), zero)};
  for (size_t i = plan.depthDims.size(); i-- > 0;) {
    const ConvolutionDim &dim = plan.depthDims[i];
    bool isContracted = dim.kind == ConvolutionDim::Contracted;
    Value size = isContracted ? contracted : axes[dim.window].phase.taps;
    (isContracted ? place.contracted : place.windows[dim.window]) =
        i == 0 ? rest : emit.popBits(rest, size);
  }
  return place;
}

Value ConvolutionProduct::always() { return emit.equal(emit.constant(0), emit.constant(0)); }

Value ConvolutionProduct::hasPlace(Value number) {
  return plan.areLinesWhole(/*ofPlaces=*/true) ? always() : emit.less(number, places);
}

Value ConvolutionProduct::hasDepth(Value number) {
  return plan.isDepthWhole() ? always() : emit.less(number, depth);
}

// Whether groups of neighbours that are so many begin on multiples of theirs; null: no.
static Value areGrouped(ConvolutionProduct &product, const ConvolutionSize &size, Value isAligned) {
  LoopEmitter &emit = product.emit;
  int64_t group = product.plan.tile.sourceGroup();
  if (size.constant)
    return *size.constant % group == 0 ? isAligned : Value();
  Value left = emit.rem(numberOf(emit, size), emit.constant(group));
  return emit.logicalAnd(isAligned, emit.equal(left, emit.constant(0)));
}

static bool isFastest(ArrayRef<ConvolutionDim> dims, ConvolutionDim::Kind kind) {
  return !dims.empty() && dims.back().kind == kind;
}

//===-- x -------------------------------------------------------------------------------------===//

// Along a window both places and depths are neighbours: then as the longer of both has them.
static Neighbours neighboursOfWindow(const ConvolutionWindow &window) {
  bool isShort = window.y.constant &&
                 (!window.filter.constant || *window.y.constant < *window.filter.constant);
  return isShort ? Neighbours::Depths : Neighbours::Lines;
}

ConvolutionXSource::ConvolutionXSource(ConvolutionProduct &product, Value first, Value isAligned)
    : product(product), first(first) {
  const ConvolutionSpec &spec = product.spec;
  const ConvolutionProductPlan &plan = product.plan;
  elementType = spec.x.elementType;
  if (spec.x.contracted.constant == 1 && isFastest(plan.depthDims, ConvolutionDim::Contracted)) {
    neighbours = Neighbours::Depths;
    isGrouped = areGrouped(product, spec.contracted, isAligned);
  } else if (spec.x.batch.constant == 1 && isFastest(plan.placeDims, ConvolutionDim::Batch)) {
    neighbours = Neighbours::Lines;
    isGrouped = areGrouped(product, spec.batch, isAligned);
  } else {
    neighbours = neighboursOfWindow(spec.windows.back());
  }
}

// Which taps of all windows together meet x at such a place, as bits, the last window's next to
// each other; none where there is no such place.
Value ConvolutionXSource::tapsInside(LoopEmitter &emit, ArrayRef<Value> positions, Value exists) {
  OpBuilder &b = emit.builder;
  auto bits = [&](int64_t value) {
    return b.create<arith::ConstantIntOp>(emit.loc, value, 32).getResult();
  };
  Value none = bits(0), together = bits(1);
  for (size_t j = product.axes.size(); j-- > 0;) {
    const ConvolutionAxis &axis = product.axes[j];
    int64_t behind = product.plan.bitsBehind(j);
    Value here = none;
    for (int64_t tap = 0; tap < product.plan.tapBits(j); ++tap) {
      Value inside = isInside(emit, axis, emit.add(positions[j], tap * axis.step * axis.iStep));
      Value taps = b.create<arith::ShLIOp>(emit.loc, together, bits(tap * behind));
      here = b.create<arith::OrIOp>(emit.loc, here, emit.select(inside, taps, none));
    }
    together = here;
  }
  return emit.select(exists, together, none);
}

// A position before x is a great number without a sign.
Value ConvolutionXSource::isInside(LoopEmitter &emit, const ConvolutionAxis &axis, Value position) {
  return emit.builder.create<arith::CmpIOp>(emit.loc, arith::CmpIPredicate::ult, position, axis.x);
}

// Where it begins in x, and what there is of it: as bits, or as its positions in each window behind
// whether there is such a place.
ContractionSource::Values ConvolutionXSource::line(LoopEmitter &emit, Value number) {
  const ConvolutionSpec &spec = product.spec;
  number = emit.add(first, number);
  ConvolutionProduct::Place place = product.placeOf(number);
  Value offset = emit.add(emit.mul(product.group, numberOf(emit, spec.x.groups)),
                          emit.mul(place.batch, numberOf(emit, spec.x.batch)));
  Value exists = product.hasPlace(number);
  Values positions;
  for (auto [axis, output] : llvm::zip(product.axes, place.windows)) {
    positions.push_back(positionOf(emit, axis, output, emit.constant(0)));
    offset = emit.add(offset, emit.mul(positions.back(), axis.xStride));
  }
  if (product.plan.hasTapBits)
    return {offset, tapsInside(emit, positions, exists)};
  Values result = {offset, exists};
  result.append(positions);
  return result;
}

// How far it is from where places begin, and whether there is such a depth; the number of its taps,
// or how far it is in each window.
ContractionSource::Values ConvolutionXSource::depth(LoopEmitter &emit, Value number) {
  const ConvolutionSpec &spec = product.spec;
  ConvolutionProduct::Place place = product.depthOf(number);
  Value offset = emit.mul(place.contracted, numberOf(emit, spec.x.contracted));
  Value bit = emit.constant(0);
  Values ahead;
  for (size_t j = 0; j < product.axes.size(); ++j) {
    const ConvolutionAxis &axis = product.axes[j];
    ahead.push_back(emit.mul(place.windows[j], axis.step * axis.iStep));
    offset = emit.add(offset, emit.mul(ahead.back(), axis.xStride));
    bit = emit.add(bit, emit.mul(place.windows[j], product.plan.bitsBehind(j)));
  }
  Values result = {offset, product.hasDepth(number)};
  if (!product.plan.hasTapBits) {
    result.append(ahead);
    return result;
  }
  // Beyond the depth there may be more of them than bits.
  OpBuilder &b = emit.builder;
  Value last = b.create<arith::ConstantIntOp>(emit.loc, 31, 32);
  Value narrow = b.create<arith::TruncIOp>(emit.loc, b.getI32Type(), bit);
  result.push_back(b.create<arith::AndIOp>(emit.loc, narrow, last));
  return result;
}

ContractionSource::Element ConvolutionXSource::element(LoopEmitter &emit, ValueRange line,
                                                       ValueRange depth) {
  OpBuilder &b = emit.builder;
  Value pointer = emit.address(product.spec.x.base, elementType, emit.add(line[0], depth[0]));
  if (product.plan.hasTapBits) {
    Value bit = b.create<arith::ShRUIOp>(emit.loc, line[1], depth[2]);
    Value isInside = b.create<arith::TruncIOp>(emit.loc, b.getI1Type(), bit);
    return {pointer, emit.logicalAnd(depth[1], isInside)};
  }
  Value exists = emit.logicalAnd(line[1], depth[1]);
  for (size_t j = 0; j < product.axes.size(); ++j)
    exists = emit.logicalAnd(exists,
                             isInside(emit, product.axes[j], emit.add(line[2 + j], depth[2 + j])));
  return {pointer, exists};
}

//===-- The filter ----------------------------------------------------------------------------===//

ConvolutionFilterSource::ConvolutionFilterSource(ConvolutionProduct &product, Value first,
                                                 Value isAligned)
    : product(product), first(first) {
  const ConvolutionSpec &spec = product.spec;
  elementType = spec.filter.elementType;
  if (spec.filter.filters.constant == 1) {
    neighbours = Neighbours::Lines;
    isGrouped = areGrouped(product, spec.filters, isAligned);
  } else if (spec.filter.contracted.constant == 1 &&
             isFastest(product.plan.depthDims, ConvolutionDim::Contracted)) {
    isGrouped = areGrouped(product, spec.contracted, isAligned);
  }
}

ContractionSource::Values ConvolutionFilterSource::line(LoopEmitter &emit, Value number) {
  const ConvolutionSpec &spec = product.spec;
  number = emit.add(first, number);
  Value offset = emit.add(emit.mul(product.group, numberOf(emit, spec.filter.groups)),
                          emit.mul(number, numberOf(emit, spec.filter.filters)));
  for (const ConvolutionAxis &axis : product.axes)
    offset = emit.add(offset, axis.phase.filterBase);
  bool isWhole = product.plan.areLinesWhole(/*ofPlaces=*/false);
  return {offset, isWhole ? product.always() : emit.less(number, numberOf(emit, spec.filters))};
}

ContractionSource::Values ConvolutionFilterSource::depth(LoopEmitter &emit, Value number) {
  const ConvolutionSpec &spec = product.spec;
  ConvolutionProduct::Place place = product.depthOf(number);
  Value offset = emit.mul(place.contracted, numberOf(emit, spec.filter.contracted));
  for (auto [axis, tap] : llvm::zip(product.axes, place.windows))
    offset = emit.add(offset, emit.mul(tap, axis.phase.filterStep));
  return {offset, product.hasDepth(number)};
}

ContractionSource::Element ConvolutionFilterSource::element(LoopEmitter &emit, ValueRange line,
                                                            ValueRange depth) {
  return {emit.address(product.spec.filter.base, elementType, emit.add(line[0], depth[0])),
          emit.logicalAnd(line[1], depth[1])};
}
