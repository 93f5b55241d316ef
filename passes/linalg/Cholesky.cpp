// The upper triangle U = L^T, by rows: each is divided by the root of its pivot and taken from
// those below. In panels of rows: what all rows before a panel take from it is one contraction. Of
// one matrix a few rows are factored at once, in registers. (XLA's CholeskyExpander goes by
// columns.)
#include "passes/linalg/Factorizations.h"
#include "passes/linalg/LoopParts.h"
#include "passes/linalg/StraightRows.h"
#include "passes/loops/StepMoves.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

#include <limits>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// The rows of U in a panel, whose first columns are those of its own rows. Of each row what lies
// before the diagonal is not read. Rows are along the axis, columns along the one behind it.
static Value factorPanel(GraphMath &math, Value panel, size_t axis) {
  const DimExpr rows = getShape(panel)[axis];
  ScanOp loop = buildScan(math, rows, {panel, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    Value rest = step.states[0], row = elementAt(g, rest, axis, step.number);
    Value root = g.sqrt(elementAt(g, row, axis, step.number));
    Value isBehind = placesThat(g, Comparison::GE, row, axis, step.number);
    Value u = g.select(isBehind, g.div(row, repeatAlong(g, root, row, axis)), g.zeroLike(row));
    Shape own = getShape(u), first(own.size(), DimExpr(0));
    own[axis] = rows;
    Value factors = g.slice(u, first, own, SmallVector<int64_t>(own.size(), 1));
    step.next = {
        g.sub(rest, g.mul(repeatAlong(g, factors, rest, axis + 1), repeatAlong(g, u, rest, axis)))};
    step.stacked = {u};
  });
  return moveFirst(math, loop.getStacks()[0], int64_t(axis));
}

// As many rows of U as there are, without a loop, from a square whose first one's diagonal is
// theirs; what they have before it is any.
static Value factorRows(GraphMath &g, Value square, Value rows) {
  const Shape shape = getShape(rows);
  const int64_t axis = int64_t(shape.size()) - 2, count = shape[axis].constantValue();
  // The elements of the square by themselves: all of a row needs those before it.
  SmallVector<SmallVector<Value>> factors(count, SmallVector<Value>(count));
  SmallVector<Value> solved;
  for (int64_t i = 0; i < count; ++i) {
    auto without = [&](Value x, int64_t column) {
      for (int64_t k = 0; k < i; ++k)
        x = g.sub(x, g.mul(factors[k][i], factors[k][column]));
      return x;
    };
    Value inverse = g.rsqrt(without(elementOf(g, square, i, i), i));
    for (int64_t j = i + 1; j < count; ++j)
      factors[i][j] = g.mul(without(elementOf(g, square, i, j), j), inverse);
    Value row = matrixPart(g, rows, i, 1, 0, shape.back());
    for (int64_t k = 0; k < i; ++k)
      row = g.sub(row, g.mul(repeatMatrix(g, factors[k][i], row), solved[k]));
    solved.push_back(g.mul(row, repeatMatrix(g, inverse, row)));
  }
  return g.concatenate(solved, axis);
}

// A panel as factorPanel() has it, so many rows at a time; what is before the diagonal is any.
static Value factorInSteps(GraphMath &math, Value panel, int64_t atOnce) {
  const Shape shape = getShape(panel);
  const size_t axis = shape.size() - 2;
  const int64_t rows = shape[axis].constantValue();
  auto ownColumns = [&](GraphMath &g, Value x) {
    return matrixPart(g, x, 0, getShape(x)[axis], 0, rows);
  };
  if (rows <= atOnce)
    return factorRows(math, ownColumns(math, panel), panel);
  ScanOp loop = buildScan(math, rows / atOnce, {panel, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    Value rest = step.states[0];
    Value own = elementAt(g, axisInBlocks(g, rest, axis, atOnce), axis, step.number);
    Value square =
        elementAt(g, axisInBlocks(g, ownColumns(g, own), axis + 1, atOnce), axis + 1, step.number);
    Value u = factorRows(g, square, own);
    // Nobody reads again what becomes of rows that were factored.
    step.next = {g.sub(rest, matrixProduct(g, ownColumns(g, u), u, {/*aTransposed=*/true}))};
    step.stacked = {u};
  });
  return math.reshape(moveFirst(math, loop.getStacks()[0], int64_t(axis)), shape);
}

// One matrix above the other, where panels end at the same column: of each its last columns.
static Value lastColumns(GraphMath &g, ArrayRef<Value> panels, int64_t columns) {
  SmallVector<Value> parts;
  for (Value panel : panels) {
    Shape shape = getShape(panel);
    const DimExpr rows = shape[shape.size() - 2];
    parts.push_back(matrixPart(g, panel, 0, rows, shape.back().constantValue() - columns, columns));
  }
  return g.concatenate(parts, int64_t(getShape(panels[0]).size()) - 2);
}

static Value factorInPanels(GraphMath &g, Value x, int64_t size, int64_t atOnce) {
  SmallVector<Value> panels;
  for (int64_t first = 0, rows; first < size; first += rows) {
    const int64_t columns = size - first;
    rows = std::min(kFactorBlock, columns);
    if (rows > atOnce)
      rows -= rows % atOnce;
    Value panel = matrixTranspose(g, matrixPart(g, x, first, columns, first, rows));
    if (!panels.empty()) {
      Value before = lastColumns(g, panels, columns);
      panel = g.sub(panel, matrixProduct(g, matrixPart(g, before, 0, first, 0, rows), before,
                                         {/*aTransposed=*/true}));
    }
    panels.push_back(atOnce > 1 ? factorInSteps(g, panel, atOnce)
                                : factorPanel(g, panel, getShape(panel).size() - 2));
  }
  for (Value &panel : panels) {
    Shape low(getShape(panel).size(), DimExpr(0)), shape = getShape(panel);
    low.back() = size - shape.back().constantValue();
    shape.back() = size;
    panel = g.pad(panel, low, SmallVector<int64_t>(low.size(), 0), shape);
  }
  Value upper = g.concatenate(panels, int64_t(getShape(x).size()) - 2);
  return atOnce > 1 ? upperTriangle(g, upper) : upper;
}

// The first pivot that is not positive leaves a NaN on the diagonal: then all of the matrix.
static Value failedAsNan(GraphMath &g, Value factor, Value diagonal, int64_t axis) {
  Value fails = g.reduceAny(g.notEqual(diagonal, diagonal), {axis});
  Value nan = g.constantLike(std::numeric_limits<double>::quiet_NaN(), factor);
  return g.select(g.broadcastAlong(fails, getShape(factor), {axis, axis + 1}), nan, factor);
}

static Value factorSmall(GraphMath &g, Value x) {
  Value upper = factorPanel(g, withBatchLast(g, x, /*transposed=*/true), 0);
  auto numbers = withElementType(getTensorType(upper), g.builder().getI64Type());
  Value isDiagonal = g.equal(g.iota(numbers, 0), g.iota(numbers, 1));
  Value diagonal = g.reduceSum(g.select(isDiagonal, upper, g.zeroLike(upper)), {1});
  return withBatchFirst(g, failedAsNan(g, upper, diagonal, 0), 2, /*transposed=*/true);
}

SmallVector<Value> expandCholesky(OpBuilder &builder, CholeskyOp op, int64_t rowsAtOnce) {
  GraphMath g(builder, op.getLoc());
  const DimExpr size = getShape(op.getX()).back();
  if (size == DimExpr(0))
    return {op.getX()};
  if (areManySmallMatrices(getShape(op.getX()), kShortRow))
    return {factorSmall(g, op.getX())};
  const int64_t axis = int64_t(getShape(op.getX()).size()) - 2;
  const int64_t atOnce = isOneMatrix(getShape(op.getX())) ? rowsAtOnce : 1;
  const bool isDivided = size.isConstant() && (size.constantValue() > kFactorBlock || atOnce > 1);
  Value upper = isDivided ? factorInPanels(g, op.getX(), size.constantValue(), atOnce)
                          : factorPanel(g, matrixTranspose(g, op.getX()), size_t(axis));
  Value lower = matrixTranspose(g, upper);
  return {failedAsNan(g, lower, mainDiagonal(g, lower), axis)};
}

} // namespace keratin::passes
