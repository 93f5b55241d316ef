// Reflections of Householder, each of which makes what is below the diagonal of a column zeros. In
// panels of columns: reflections one after the other are I - V T V^T, so that the rest of the
// matrix, and Q, take part in all of a panel by contractions (Schreiber, Van Loan: A
// storage-efficient WY representation for products of Householder transformations, 1989).
#include "passes/linalg/Factorizations.h"
#include "passes/linalg/LoopParts.h"
#include "passes/linalg/Reflections.h"
#include "passes/loops/StepMoves.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Each row, along the axis, times I - v v^T.
static Value reflectRows(GraphMath &g, Value rows, Value v, size_t axis) {
  Value along = repeatAlong(g, v, rows, axis);
  Value factors = g.reduceSum(g.mul(rows, along), {int64_t(axis) + 1});
  return g.sub(rows, g.mul(repeatAlong(g, factors, rows, axis + 1), along));
}

namespace {

// A panel's reflections in their order are I - V T V^T, V having them as columns. V stands
// transposed.
struct Reflections {
  Value vectors, triangle;
};

} // namespace

// Of columns that stand as rows; the first of them belongs to the row `first` of the matrix.
static Reflections reflectPanel(GraphMath &math, Value columns, Value first) {
  const size_t axis = getShape(columns).size() - 2;
  LoopInputs inputs{columns, {}, first};
  ScanOp loop = buildScan(math, getShape(columns)[axis], inputs, [&](GraphMath &g, LoopStep &step) {
    Value all = step.states[0];
    Value v = reflectorOf(g, elementAt(g, all, axis, step.number),
                          g.add(step.captures[0], step.number), axis);
    step.next = {reflectRows(g, all, v, axis)};
    step.stacked = {v};
  });
  Value vectors = moveFirst(math, loop.getStacks()[0], int64_t(axis));
  return {vectors, triangleOf(math, vectors)};
}

// The first k rows and m columns of the unit matrix, in each batch of `like`.
static Value unitRows(GraphMath &g, Value like, const DimExpr &rows, const DimExpr &columns) {
  Shape shape = getShape(like);
  shape[shape.size() - 2] = rows;
  shape.back() = columns;
  return unitMatrices(g, g.splat(0.0, getTensorType(shape, getElementType(like))));
}

namespace {

// Both stand transposed; r has anything below its diagonal.
struct Factors {
  Value q, r;
};

} // namespace

static Factors factorPanel(GraphMath &g, Value x, const DimExpr &k) {
  const Shape shape = getShape(x);
  const DimExpr n = shape[shape.size() - 2], m = shape.back();
  Value first = g.integerScalar(0, g.builder().getI64Type());
  auto [vectors, triangle] = reflectPanel(g, matrixPart(g, x, 0, k, 0, m), first);
  Value r = g.sub(x, reflected(g, x, vectors, triangle, /*transposed=*/true));
  Value factors = matrixProduct(g, matrixPart(g, vectors, 0, k, 0, k), triangle, {true, true});
  return {g.sub(unitRows(g, x, k, m), matrixProduct(g, factors, vectors)), r};
}

// Panels that have columns which the matrix has not reflect nothing in these.
static Factors factorInPanels(GraphMath &math, Value x, const DimExpr &k, const DimExpr &panels) {
  Shape shape = getShape(x), low(shape.size(), DimExpr(0));
  const size_t axis = shape.size() - 2;
  const DimExpr m = shape.back();
  shape[axis] = *max(shape[axis], *mul(panels, kFactorBlock));
  Value padded = math.pad(x, low, SmallVector<int64_t>(low.size(), 0), shape);
  ScanOp loop = buildScan(math, panels, {padded, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    Value all = step.states[0];
    Type integer = getElementType(step.number);
    Value first = g.mul(step.number, g.integerScalar(kFactorBlock, integer));
    Shape block = shape;
    block[axis] = kFactorBlock;
    SmallVector<Value> starts(block.size(), g.integerScalar(0, integer));
    starts[axis] = first;
    Value columns = g.builder().create<DynamicSliceOp>(
        g.location(), getTensorType(block, getElementType(all)), all, starts);
    auto [vectors, triangle] = reflectPanel(g, columns, first);
    Value less = g.sub(all, reflected(g, all, vectors, triangle, /*transposed=*/true));
    step.next = {g.select(placesThat(g, Comparison::GE, all, axis, first), less, all)};
    step.stacked = {vectors, triangle};
  });
  Value stacks[] = {loop.getStacks()[0], loop.getStacks()[1]};
  LoopInputs inputs{unitRows(math, x, k, m), stacks, {}, /*reverse=*/true};
  ScanOp product = buildScan(math, panels, inputs, [](GraphMath &g, LoopStep &step) {
    Value q = step.states[0];
    step.next = {g.sub(q, reflected(g, q, step.elements[0], step.elements[1], false))};
  });
  return {product.getLastStates()[0],
          matrixPart(math, loop.getLastStates()[0], 0, getShape(x)[axis], 0, m)};
}

// Of small matrices, with the batch as the last dimensions: all columns take part in each
// reflection, and all rows of Q.
static Factors factorSmall(GraphMath &math, Value columns, const DimExpr &k) {
  ScanOp loop = buildScan(math, k, {columns, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    Value all = step.states[0];
    Value v = reflectorOf(g, elementAt(g, all, 0, step.number), step.number, 0);
    step.next = {reflectRows(g, all, v, 0)};
    step.stacked = {v};
  });
  Shape shape = getShape(columns);
  shape[0] = k;
  auto numbers = getTensorType(shape, math.builder().getI64Type());
  Value isDiagonal = math.equal(math.iota(numbers, 0), math.iota(numbers, 1));
  Value unit = math.cast(isDiagonal, getElementType(columns));
  Value vectors = loop.getStacks()[0];
  LoopInputs inputs{unit, vectors, {}, /*reverse=*/true};
  ScanOp product = buildScan(math, k, inputs, [](GraphMath &g, LoopStep &step) {
    step.next = {reflectRows(g, step.states[0], step.elements[0], 0)};
  });
  auto rows = [&](Value x) { return withBatchFirst(math, x); };
  return {rows(product.getLastStates()[0]), rows(loop.getLastStates()[0])};
}

SmallVector<Value> expandQr(OpBuilder &builder, QrOp op) {
  GraphMath g(builder, op.getLoc());
  const DimExpr k = getShape(op.getQ()).back();
  if (k == DimExpr(0))
    return {g.zeroLike(op.getQ()), g.zeroLike(op.getR())};
  Value columns = matrixTranspose(g, op.getX());
  const Shape shape = getShape(columns);
  Factors factors = areManySmallMatrices(shape) ? factorSmall(g, withBatchLast(g, columns), k)
                    : k.isConstant() && k.constantValue() <= kFactorBlock
                        ? factorPanel(g, columns, k)
                        : factorInPanels(g, columns, k, *ceildiv(k, kFactorBlock));
  Value r = matrixTranspose(g, matrixPart(g, factors.r, 0, shape[shape.size() - 2], 0, k));
  return {matrixTranspose(g, factors.q), upperTriangle(g, r)};
}

} // namespace keratin::passes
