// Elimination with partial pivoting, by columns: rows change places, and what lies below a pivot,
// divided by it, is taken from the columns behind. In panels of columns: the rest of the matrix
// takes part in a panel's exchanges afterwards, and what the panel takes from it is one
// contraction.
#include "passes/linalg/Factorizations.h"
#include "passes/linalg/LoopParts.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

#include <algorithm>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// A step walks all of its panel, and each panel is a few more loops and contractions: 250 matrices
// of 64 rows took 0.45 of the time in narrow panels, one of 256 rows 1.6 times.
static constexpr int64_t kNarrowPanel = 16, kRowsInNarrowPanels = 128;

static int64_t panelWidth(int64_t rows, int64_t columns) {
  return std::min(rows, columns) <= kRowsInNarrowPanels ? kNarrowPanel : kFactorBlock;
}

namespace {

struct Factored {
  Value factors, permutation;
};

} // namespace

// 0, 1, 2, … for the rows, which are along this axis, of each matrix with its columns along
// another.
static Value rowNumbers(GraphMath &g, Value x, size_t axis, size_t columns) {
  Shape rows = getShape(x);
  rows.erase(rows.begin() + ptrdiff_t(columns));
  return g.iota(getTensorType(rows, g.builder().getI64Type()),
                int64_t(axis) - int64_t(columns < axis));
}

static Value rowNumbers(GraphMath &g, Value x) {
  const size_t rank = getShape(x).size();
  return rowNumbers(g, x, rank - 2, rank - 1);
}

// Of each column what is in the matrix's row, one each. Where columns are vectors, one element of
// each is read; where batches are the last dimensions, these are, so all rows are looked at.
static Value pivotsOf(GraphMath &g, Value all, Value row, size_t axis) {
  Shape shape = getShape(all);
  if (axis + 2 < shape.size()) {
    Value places =
        g.iota(withElementType(getTensorType(all), getElementType(row)), int64_t(axis) + 1);
    Value isRow = g.equal(places, g.broadcastAlong(row, shape, {int64_t(axis), int64_t(axis) + 1}));
    return g.reduceSum(g.select(isRow, all, g.zeroLike(all)), {int64_t(axis) + 1});
  }
  Shape pivots = shape;
  pivots.pop_back();
  Shape one = pivots;
  one.push_back(1);
  Value places = g.reshape(g.broadcastAlong(row, pivots, {int64_t(axis)}), one);
  return g.reshape(gatherRows(g, all, places), pivots);
}

// Columns stand as rows here, along the axis, which makes the longest runs in memory of what a step
// does alike; the rows are behind. So do those of the factors.
static Factored factorColumns(GraphMath &math, Value columns, size_t axis) {
  const Shape shape = getShape(columns);
  const DimExpr length = *min(shape[axis], shape[axis + 1]);
  Value inits[] = {columns, rowNumbers(math, columns, axis + 1, axis)};
  ScanOp loop = buildScan(math, length, {inits, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    Value all = step.states[0], order = step.states[1], number = step.number;
    // Of one column, by rows.
    Value column = elementAt(g, all, axis, number);
    Value isCandidate = placesThat(g, Comparison::GE, column, axis, number);
    Value sizes = g.select(isCandidate, g.abs(column), g.constantLike(-1, column));
    Value pivotRow = g.builder().createOrFold<ArgMaxOp>(g.location(), sizes, int64_t(axis));
    Value isPivotRow = placesThat(g, Comparison::EQ, column, axis, pivotRow),
          isStepRow = placesThat(g, Comparison::EQ, column, axis, number),
          isBelow = placesThat(g, Comparison::GT, column, axis, number);
    auto along = [&](Value x) { return repeatAlong(g, x, all, axis); };      // each row's
    auto across = [&](Value x) { return repeatAlong(g, x, all, axis + 1); }; // each column's
    // Exchanges the row of the step with the pivot's.
    Value pivots = pivotsOf(g, all, pivotRow, axis);
    Value olds = elementAt(g, all, axis + 1, number);
    Value swapped =
        g.select(along(isStepRow), across(pivots), g.select(along(isPivotRow), across(olds), all));
    auto scalarIn = [&](Value x) {
      return repeatAlong(g, elementAt(g, x, axis, number), column, axis);
    };
    Value pivot = scalarIn(pivots);
    Value exchanged = g.select(isPivotRow, scalarIn(olds), column);
    Value isZero = g.equal(pivot, g.zeroLike(pivot));
    Value quotient = g.div(exchanged, g.select(isZero, g.oneLike(pivot), pivot));
    Value isStepColumn = placesThat(g, Comparison::EQ, pivots, axis, number),
          isBehind = placesThat(g, Comparison::GT, pivots, axis, number);
    Value less = g.sub(swapped, g.mul(across(pivots), along(quotient)));
    Value below =
        g.select(across(isStepColumn), along(quotient), g.select(across(isBehind), less, swapped));
    // The same exchange in the order.
    Value zeros = g.zeroLike(order);
    Value chosen = g.reduceSum(g.select(isPivotRow, order, zeros), {int64_t(axis)});
    Value old = elementAt(g, order, axis, number);
    step.next = {g.select(along(isBelow), below, swapped),
                 g.select(isStepRow, repeatAlong(g, chosen, order, axis),
                          g.select(isPivotRow, repeatAlong(g, old, order, axis), order))};
  });
  return {loop.getLastStates()[0], loop.getLastStates()[1]};
}

static Factored factorPanel(GraphMath &g, Value panel) {
  Factored made = factorColumns(g, matrixTranspose(g, panel), getShape(panel).size() - 2);
  return {matrixTranspose(g, made.factors), made.permutation};
}

// The rows that are not finished yet, all columns of them: factors, then what is left of the
// matrix. Each panel finishes as many rows as it has columns.
static Factored factorInPanels(GraphMath &g, Value rest, int64_t rows, int64_t columns) {
  const int64_t axis = getTensorType(rest).getRank() - 2;
  Value order = rowNumbers(g, rest);
  SmallVector<Value> finished, finishedOrder;
  const int64_t most = panelWidth(rows, columns);
  for (int64_t first = 0; first < std::min(rows, columns); first += most) {
    const int64_t left = rows - first, width = std::min({most, left, columns - first}),
                  behind = columns - first - width;
    auto part = [&](Value x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
      return matrixPart(g, x, row, rows, column, columns);
    };
    Factored panel = factorPanel(g, part(rest, 0, left, first, width));
    rest = gatherRows(g, rest, panel.permutation);
    order = gatherRows(g, order, panel.permutation);
    Value top = part(panel.factors, 0, width, 0, width);
    SmallVector<Value> above{part(rest, 0, width, 0, first), top},
        below{part(rest, width, left - width, 0, first),
              part(panel.factors, width, left - width, 0, width)};
    if (behind > 0) {
      Value right = part(rest, 0, width, first + width, behind);
      Value upper = g.builder().create<TriangularSolveOp>(g.location(), right.getType(), top, right,
                                                          /*lower=*/true, /*transposed=*/false,
                                                          /*unit_diagonal=*/true);
      above.push_back(upper);
      below.push_back(g.sub(part(rest, width, left - width, first + width, behind),
                            matrixProduct(g, below[1], upper)));
    }
    finished.push_back(g.concatenate(above, axis + 1));
    rest = g.concatenate(below, axis + 1);
    auto someOf = [&](int64_t start, int64_t size) {
      Shape starts(size_t(axis) + 1, DimExpr(0)), sizes = getShape(order);
      starts.back() = start;
      sizes.back() = size;
      return g.slice(order, starts, sizes, SmallVector<int64_t>(starts.size(), 1));
    };
    finishedOrder.push_back(someOf(0, width));
    order = someOf(width, left - width);
  }
  finished.push_back(rest);
  finishedOrder.push_back(order);
  return {g.concatenate(finished, axis), g.concatenate(finishedOrder, axis)};
}

SmallVector<Value> expandLu(OpBuilder &builder, LuOp op) {
  GraphMath g(builder, op.getLoc());
  const Shape shape = getShape(op.getX());
  const DimExpr rows = shape[shape.size() - 2], columns = shape.back();
  if (rows == DimExpr(0) || columns == DimExpr(0))
    return {op.getX(), rowNumbers(g, op.getX())};
  if (areManySmallMatrices(shape, kShortRow)) {
    Factored made = factorColumns(g, withBatchLast(g, op.getX(), /*transposed=*/true), 0);
    return {withBatchFirst(g, made.factors, 2, /*transposed=*/true),
            withBatchFirst(g, made.permutation, 1)};
  }
  const bool isDivided = rows.isConstant() && columns.isConstant() &&
                         std::min(rows.constantValue(), columns.constantValue()) > kNarrowPanel;
  Factored factored =
      isDivided ? factorInPanels(g, op.getX(), rows.constantValue(), columns.constantValue())
                : factorPanel(g, op.getX());
  return {factored.factors, factored.permutation};
}

} // namespace keratin::passes
