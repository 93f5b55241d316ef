// Tiles of an implicit product, after a ConvolutionProductPlan.
#include "codegen/gpu/convolutions/ConvolutionProductPlan.h"

#include "codegen/elements/ConvolutionEpilogue.h"
#include "codegen/gpu/contractions/ContractionParts.h"
#include "codegen/gpu/convolutions/ConvolutionSources.h"
#include "codegen/gpu/threads/Alignment.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class ProductKernel {
public:
  ProductKernel(DeviceKernelBuilder &k, const ConvolutionProductPlan &plan)
      : k(k), plan(plan), tile(plan.tile), emit(k.b, k.loc, k.target), block(k.b, k.loc),
        alignment(k), epilogue(k, k.target, plan.nest), spec(describe()),
        sumType(sumTypeOf(spec.accumulatorType)), parts(k, plan, emit, plan.tile, sumType),
        product(emit, spec, plan, [&](const DimExpr &size) { return k.sizeOf(size); }) {}

  void run();

private:
  ConvolutionSpec describe();
  void runUnit(Value unit);
  Value mayGroupColumns();
  void store(Value place, Value filter, Value sums);

  DeviceKernelBuilder &k;
  const ConvolutionProductPlan &plan;
  const ContractionTile &tile;
  LoopEmitter emit;
  ThreadBlock block;
  Alignment alignment;
  ConvolutionEpilogue epilogue;
  ConvolutionSpec spec;
  Type sumType;
  ContractionParts parts;
  ConvolutionProduct product;
  Value isAligned;
};

ConvolutionSpec ProductKernel::describe() {
  ConvolutionSpec result =
      plan.nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); });
  result.x.base = k.inputs[cast<BlockArgument>(plan.nest.x()).getArgNumber()];
  result.filter.base = k.inputs[cast<BlockArgument>(plan.nest.filter()).getArgNumber()];
  return result;
}

void ProductKernel::runUnit(Value unit) {
  Value own = unit, part = emit.constant(0), count = k.sizeOf(plan.depthParts());
  if (plan.hasParts())
    part = emit.popBits(unit, count);
  Value number = unit;
  Value firstRow = emit.mul(emit.popBits(unit, k.sizeOf(plan.rowTiles())), tile.rows());
  Value firstColumn = emit.mul(emit.popBits(unit, k.sizeOf(plan.columnTiles())), tile.columns());
  SmallVector<Value, 3> phases(plan.steps.size());
  for (size_t j = plan.steps.size(); j-- > 0;)
    phases[j] = emit.popBits(unit, emit.constant(plan.steps[j].phases));
  product.open(unit, phases);
  ConvolutionXSource x(product, plan.placesAreRows ? firstRow : firstColumn, isAligned);
  ConvolutionFilterSource filter(product, plan.placesAreRows ? firstColumn : firstRow, isAligned);
  ContractionSource &a = plan.placesAreRows ? static_cast<ContractionSource &>(x) : filter;
  ContractionSource &b = plan.placesAreRows ? static_cast<ContractionSource &>(filter) : x;
  std::unique_ptr<ContractionEngine> engine = ContractionEngine::make(
      emit, tile, sumType, block.memory(plan.tile.sharedAlignment()), block.threadAnew());
  ContractionEngine::Result result;
  if (!plan.areLinesWhole(/*ofPlaces=*/plan.placesAreRows))
    result.rows = emit.sub(k.sizeOf(plan.rows()), firstRow);
  if (!plan.areLinesWhole(/*ofPlaces=*/!plan.placesAreRows))
    result.columns = emit.sub(k.sizeOf(plan.columns()), firstColumn);
  result.isGrouped = mayGroupColumns();
  auto store = [&](Value row, Value column, Value sums) {
    row = emit.add(firstRow, row);
    column = emit.add(firstColumn, column);
    this->store(plan.placesAreRows ? row : column, plan.placesAreRows ? column : row, sums);
  };
  if (!plan.hasParts()) {
    engine->finish(engine->multiply(a, b, emit.constant(0), product.depth), result, store);
    return;
  }
  Value ofPart = emit.roundUp(emit.ceilDiv(product.depth, count), tile.depth);
  Value begin = emit.mul(part, ofPart), end = emit.min(emit.add(begin, ofPart), product.depth);
  parts.meet(*engine, engine->multiply(a, b, begin, end), own, number, count, result, store);
}

//===-- Results -------------------------------------------------------------------------------===//

// Whether groups of columns can be accessed at once; null: no.
Value ProductKernel::mayGroupColumns() {
  SmallVector<ConvolutionDim> dims = resultDims(plan.nest);
  if (dims.empty() || dims.back().kind != ConvolutionDim::Filters)
    return Value();
  if (spec.filters.constant)
    return *spec.filters.constant % tile.group() == 0 ? isAligned : Value();
  Value left = emit.rem(numberOf(emit, spec.filters), emit.constant(tile.group()));
  return emit.logicalAnd(isAligned, emit.equal(left, emit.constant(0)));
}

void ProductKernel::store(Value number, Value filter, Value sums) {
  Type type = spec.accumulatorType;
  if (auto vector = dyn_cast<VectorType>(sums.getType())) {
    type = vector.clone(type);
    // What LLVM needs to know to access a group at once.
    alignment.assume();
    if (!spec.filters.constant)
      k.b.create<LLVM::AssumeOp>(
          k.loc, emit.equal(emit.rem(numberOf(emit, spec.filters), emit.constant(tile.group())),
                            emit.constant(0)));
  }
  if (type != sums.getType())
    sums = k.b.create<arith::TruncIOp>(k.loc, type, sums);
  ConvolutionProduct::Place at = product.placeOf(number);
  ConvolutionPlace place;
  place.batch = emit.toIndex(at.batch);
  place.group = emit.toIndex(product.group);
  place.filter = emit.toIndex(filter);
  Value exists;
  for (size_t j = 0; j < product.axes.size(); ++j) {
    const ConvolutionAxis &axis = product.axes[j];
    int64_t phases = plan.steps[j].phases;
    place.windows.push_back(emit.toIndex(emit.add(emit.mul(at.windows[j], phases), axis.number)));
    // Phases differ by one output.
    if (phases == 1)
      continue;
    Value here = emit.less(at.windows[j], axis.phase.outputs);
    exists = exists ? emit.logicalAnd(exists, here) : here;
  }
  auto storeIt = [&] { epilogue.emit(k.b, k.loc, place, sums, Value()); };
  if (exists)
    emit.branch(exists, storeIt);
  else
    storeIt();
}

void ProductKernel::run() {
  isAligned = alignment.holds();
  emit.loop(k.begin, k.end, 1, [&](Value unit) { runUnit(unit); });
}

} // namespace

void ConvolutionProductPlan::emit(DeviceKernelBuilder &k) const {
  randomBits.use(k);
  ProductKernel(k, *this).run();
}
