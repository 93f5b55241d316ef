// Tiles of a contraction, after a ContractionTilesPlan.
#include "codegen/gpu/Alignment.h"
#include "codegen/gpu/ContractionEngine.h"
#include "codegen/gpu/ContractionTilesPlan.h"
#include "codegen/gpu/Meeting.h"
#include "codegen/gpu/ThreadBlock.h"

#include "codegen/elements/ContractionEpilogue.h"
#include "codegen/elements/SpecSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class ContractionTilesKernel {
public:
  ContractionTilesKernel(DeviceKernelBuilder &k, const ContractionTilesPlan &plan)
      : k(k), plan(plan), tile(plan.tile), emit(k.b, k.loc, k.target), block(k.b, k.loc),
        meeting(k, plan), alignment(k), epilogue(k, k.target, plan.nest),
        spec(plan.nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); })),
        sumType(sumTypeOf(spec.accumulatorType)) {}

  void emitUnits();

private:
  void emitUnit(Value unit);
  Value inPart(Value unit, Value row, Value column);
  void leavePart(ContractionEngine &engine, ValueRange sums, Value unit);
  Value sumOfParts(Value firstUnit, Value parts, Value row, Value column, int64_t group);
  StridedSource sourceOf(const ContractionOperand &operand, Value base, bool isA, Value batch,
                         Value first);
  Value mayGroupColumns();
  void store(Value batch, Value row, Value column, Value sums);

  DeviceKernelBuilder &k;
  const ContractionTilesPlan &plan;
  const ContractionTile &tile;
  LoopEmitter emit;
  ThreadBlock block;
  Meeting meeting;
  Alignment alignment;
  ContractionEpilogue epilogue;
  ContractionSpec spec;
  Type sumType;
  Value isAligned, m, n, depth;
};

} // namespace

static bool divides(int64_t divisor, std::optional<int64_t> size) {
  return size && *size % divisor == 0;
}

StridedSource ContractionTilesKernel::sourceOf(const ContractionOperand &operand, Value base,
                                               bool isA, Value batch, Value first) {
  StridedSource::Direction rows = {emit.fromIndex(operand.rowStride), operand.constantRowStride,
                                   isA ? m : depth, isA ? spec.m.constant : spec.k.constant};
  StridedSource::Direction columns = {emit.fromIndex(operand.colStride), operand.constantColStride,
                                      isA ? depth : n, isA ? spec.k.constant : spec.n.constant};
  StridedSource::Direction lines = isA ? rows : columns, depths = isA ? columns : rows;
  lines.first = first;
  lines.isWhole = divides(isA ? tile.rows() : tile.columns(), lines.constantSize);
  depths.isWhole = divides(tile.depth, depths.constantSize);
  Value batchStride = emit.fromIndex(operand.batchStride), aligned = isAligned;
  // A matrix of the batch begins on a group if all do.
  if (spec.batch.constant != 1)
    aligned = emit.logicalAnd(
        aligned,
        emit.equal(emit.rem(batchStride, emit.constant(tile.sourceGroup())), emit.constant(0)));
  Value matrix = emit.address(base, operand.elementType, emit.mul(batch, batchStride));
  return StridedSource(emit, matrix, operand.elementType, lines, depths, tile.sourceGroup(),
                       aligned);
}

void ContractionTilesKernel::emitUnit(Value unit) {
  Value own = unit, part = emit.constant(0), parts = k.sizeOf(plan.depthParts());
  if (plan.hasParts())
    part = emit.popCounter(unit, parts);
  Value number = unit;
  Value firstRow = emit.mul(emit.popCounter(unit, k.sizeOf(plan.rowTiles())), tile.rows());
  Value firstColumn = emit.mul(emit.popCounter(unit, k.sizeOf(plan.columnTiles())), tile.columns());
  Value batch = unit;
  ir::DotGeneralOp dot = plan.nest.dot;
  auto memoryOf = [&](Value operand) {
    return k.inputs[cast<BlockArgument>(operand).getArgNumber()];
  };
  StridedSource a = sourceOf(spec.a, memoryOf(dot.getA()), true, batch, firstRow);
  StridedSource b = sourceOf(spec.b, memoryOf(dot.getB()), false, batch, firstColumn);
  std::unique_ptr<ContractionEngine> engine =
      ContractionEngine::make(emit, tile, sumType, block.memory(), block.threadAnew());
  ContractionEngine::Result result;
  if (!divides(tile.rows(), spec.m.constant))
    result.rows = emit.sub(m, firstRow);
  if (!divides(tile.columns(), spec.n.constant))
    result.columns = emit.sub(n, firstColumn);
  result.isGrouped = mayGroupColumns();
  auto store = [&](Value row, Value column, Value sums) {
    this->store(batch, emit.add(firstRow, row), emit.add(firstColumn, column), sums);
  };
  if (!plan.hasParts()) {
    engine->finish(engine->multiply(a, b, emit.constant(0), depth), result, store);
    return;
  }
  Value ofPart = emit.roundUp(emit.ceilDiv(depth, parts), tile.depth);
  Value begin = emit.mul(part, ofPart), end = emit.min(emit.add(begin, ofPart), depth);
  leavePart(*engine, engine->multiply(a, b, begin, end), own);
  emit.branch(meeting.isLast(number, parts), [&] {
    engine->hand(
        result,
        [&](Value row, Value column, int64_t group) {
          return sumOfParts(emit.mul(number, parts), parts, row, column, group);
        },
        store);
  });
}

// The place of a row and a column in what a unit leaves.
Value ContractionTilesKernel::inPart(Value unit, Value row, Value column) {
  return emit.address(meeting.part(unit), sumType, emit.add(emit.mul(row, tile.columns()), column));
}

void ContractionTilesKernel::leavePart(ContractionEngine &engine, ValueRange sums, Value unit) {
  Value always = emit.equal(emit.constant(0), emit.constant(0));
  engine.finish(sums, {Value(), Value(), always}, [&](Value row, Value column, Value group) {
    k.b.create<LLVM::StoreOp>(k.loc, group, inPart(unit, row, column), 16);
  });
}

Value ContractionTilesKernel::sumOfParts(Value firstUnit, Value parts, Value row, Value column,
                                         int64_t group) {
  Type type = group > 1 ? Type(VectorType::get(group, sumType)) : sumType;
  auto load = [&](Value part) -> Value {
    Value from = inPart(emit.add(firstUnit, part), row, column);
    return k.b.create<LLVM::LoadOp>(k.loc, type, from, unsigned(group * tile.sumBytes));
  };
  return emit.loop(emit.constant(1), parts, 1, load(emit.constant(0)),
                   [&](Value part, ValueRange sum) {
                     Value more = load(part), next;
                     if (isa<FloatType>(sumType))
                       next = k.b.create<arith::AddFOp>(k.loc, sum[0], more);
                     else
                       next = k.b.create<arith::AddIOp>(k.loc, sum[0], more);
                     return LoopEmitter::Values{next};
                   })[0];
}

// Whether groups of columns can be accessed at once; null: no.
Value ContractionTilesKernel::mayGroupColumns() {
  if (spec.n.constant)
    return divides(tile.group(), spec.n.constant) ? isAligned : Value();
  Value left = emit.rem(n, emit.constant(tile.group()));
  return emit.logicalAnd(isAligned, emit.equal(left, emit.constant(0)));
}

void ContractionTilesKernel::store(Value batch, Value row, Value column, Value sums) {
  Type type = spec.accumulatorType;
  if (auto vector = dyn_cast<VectorType>(sums.getType())) {
    type = vector.clone(type);
    // What LLVM needs to know to access a group at once.
    alignment.assume();
    if (!spec.n.constant)
      k.b.create<LLVM::AssumeOp>(
          k.loc, emit.equal(emit.rem(n, emit.constant(tile.group())), emit.constant(0)));
  }
  if (type != sums.getType())
    sums = k.b.create<arith::TruncIOp>(k.loc, type, sums);
  epilogue.emit(k.b, k.loc, emit.toIndex(batch), emit.toIndex(row), emit.toIndex(column), sums,
                Value());
}

void ContractionTilesKernel::emitUnits() {
  isAligned = alignment.holds();
  m = numberOf(emit, spec.m);
  n = numberOf(emit, spec.n);
  depth = numberOf(emit, spec.k);
  emit.loop(k.begin, k.end, 1, [&](Value unit) { emitUnit(unit); });
}

void ContractionTilesPlan::emit(DeviceKernelBuilder &k) const {
  ContractionTilesKernel(k, *this).emitUnits();
}
