// Substitution: a row is divided by its pivot and taken from those that are still to come. The
// matrix is halved until its size is that of a block; what one half takes from the other is one
// contraction. Of one matrix a few rows are solved at once, in registers.
#include "passes/linalg/Factorizations.h"
#include "passes/linalg/LoopParts.h"
#include "passes/linalg/StraightRows.h"
#include "passes/loops/StepMoves.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

namespace {

class Substitution {
public:
  // Rows are along the axis, columns along the one behind it.
  Substitution(GraphMath &g, TriangularSolveOp op, Value a, size_t axis, int64_t atOnce = 1)
      : math(g), a(a), axis(axis), isTransposed(op.getTransposed()), isUnit(op.getUnitDiagonal()),
        fromFirst(op.getLower() != op.getTransposed()), atOnce(atOnce) {}

  // y for the rows [first, first + size) alone, b being that part of it.
  Value solve(Value b, int64_t first, int64_t size) const;
  // The same in one loop, for a part of a on the diagonal.
  Value solveBlock(Value part, Value b) const;

private:
  // As many rows as may be solved at once; several times as many, in a loop.
  Value solveRows(GraphMath &g, Value part, Value b) const;
  Value solveInSteps(Value part, Value b) const;
  Value solveDiagonal(int64_t first, int64_t size, Value b) const;
  // What the matrix that is solved with has in these rows and columns, times y.
  Value product(int64_t row, int64_t rows, int64_t column, int64_t columns, Value y) const {
    return isTransposed ? matrixProduct(math, matrixPart(math, a, column, columns, row, rows), y,
                                        {/*aTransposed=*/true})
                        : matrixProduct(math, matrixPart(math, a, row, rows, column, columns), y);
  }

  GraphMath &math;
  Value a;
  size_t axis; // of rows
  bool isTransposed, isUnit, fromFirst;
  int64_t atOnce; // rows; 1: each by itself
};

} // namespace

Value Substitution::solveBlock(Value part, Value b) const {
  Value columns = moveToFront(math, part, int64_t(isTransposed ? axis : axis + 1));
  LoopInputs inputs{b, columns, {}, /*reverse=*/!fromFirst};
  ScanOp loop = buildScan(math, getShape(b)[axis], inputs, [&](GraphMath &g, LoopStep &step) {
    Value rest = step.states[0], column = step.elements[0];
    Value y = elementAt(g, rest, axis, step.number);
    if (!isUnit)
      y = g.div(y, repeatAlong(g, elementAt(g, column, axis, step.number), y, axis));
    Value isToCome =
        placesThat(g, fromFirst ? Comparison::GT : Comparison::LT, column, axis, step.number);
    Value factors = g.select(isToCome, column, g.zeroLike(column));
    step.next = {
        g.sub(rest, g.mul(repeatAlong(g, factors, rest, axis + 1), repeatAlong(g, y, rest, axis)))};
    step.stacked = {y};
  });
  return moveFirst(math, loop.getStacks()[0], int64_t(axis));
}

Value Substitution::solveRows(GraphMath &g, Value part, Value b) const {
  const Shape shape = getShape(b);
  const int64_t rows = shape[axis].constantValue();
  auto element = [&](int64_t row, int64_t column, Value like) {
    return repeatMatrix(
        g, elementOf(g, part, isTransposed ? column : row, isTransposed ? row : column), like);
  };
  // So many divisions would take longer than all else.
  constexpr int64_t manyColumns = 16;
  const bool multiplies = shape.back().isConstant() && shape.back().constantValue() >= manyColumns;
  SmallVector<Value> solved(rows);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = fromFirst ? i : rows - 1 - i;
    Value y = matrixPart(g, b, row, 1, 0, shape.back());
    for (int64_t k = 0; k < i; ++k) {
      const int64_t before = fromFirst ? k : rows - 1 - k;
      y = g.sub(y, g.mul(element(row, before, y), solved[before]));
    }
    if (!isUnit && multiplies) {
      Value pivot = elementOf(g, part, row, row);
      y = g.mul(y, repeatMatrix(g, g.div(g.oneLike(pivot), pivot), y));
    } else if (!isUnit) {
      y = g.div(y, element(row, row, y));
    }
    solved[row] = y;
  }
  return g.concatenate(solved, int64_t(axis));
}

Value Substitution::solveInSteps(Value part, Value b) const {
  const Shape shape = getShape(b);
  const DimExpr steps = shape[axis].constantValue() / atOnce;
  // The columns of the matrix that is solved with, so many at a time.
  const size_t columns = isTransposed ? axis : axis + 1;
  Value parts = moveToFront(math, axisInBlocks(math, part, columns, atOnce), int64_t(columns));
  LoopInputs inputs{b, parts, {}, /*reverse=*/!fromFirst};
  ScanOp loop = buildScan(math, steps, inputs, [&](GraphMath &g, LoopStep &step) {
    Value rest = step.states[0], factors = step.elements[0];
    const size_t rows = isTransposed ? axis + 1 : axis;
    Value own = elementAt(g, axisInBlocks(g, factors, rows, atOnce), rows, step.number);
    Value y =
        solveRows(g, own, elementAt(g, axisInBlocks(g, rest, axis, atOnce), axis, step.number));
    // Nobody reads again what becomes of rows that were solved.
    step.next = {g.sub(rest, matrixProduct(g, factors, y, {isTransposed}))};
    step.stacked = {y};
  });
  return math.reshape(moveFirst(math, loop.getStacks()[0], int64_t(axis)), shape);
}

Value Substitution::solveDiagonal(int64_t first, int64_t size, Value b) const {
  Value part = matrixPart(math, a, first, size, first, size);
  if (atOnce == 1)
    return solveBlock(part, b);
  return size <= atOnce ? solveRows(math, part, b) : solveInSteps(part, b);
}

Value Substitution::solve(Value b, int64_t first, int64_t size) const {
  const int64_t inSteps = size / atOnce * atOnce;
  if (size <= kFactorBlock && (size <= atOnce || size == inSteps))
    return solveDiagonal(first, size, b);
  const int64_t blocks = llvm::divideCeil(size, kFactorBlock),
                upper = blocks == 1 ? inSteps : llvm::divideCeil(blocks, 2) * kFactorBlock,
                lower = size - upper;
  const DimExpr width = getShape(b).back();
  Value above = matrixPart(math, b, 0, upper, 0, width),
        below = matrixPart(math, b, upper, lower, 0, width);
  if (fromFirst) {
    above = solve(above, first, upper);
    below = math.sub(below, product(first + upper, lower, first, upper, above));
    below = solve(below, first + upper, lower);
  } else {
    below = solve(below, first + upper, lower);
    above = math.sub(above, product(first, upper, first + upper, lower, below));
    above = solve(above, first, upper);
  }
  return math.concatenate({above, below}, int64_t(axis));
}

SmallVector<Value> expandTriangularSolve(OpBuilder &builder, TriangularSolveOp op,
                                         int64_t rowsAtOnce) {
  GraphMath g(builder, op.getLoc());
  const DimExpr size = getShape(op.getA()).back();
  if (size == DimExpr(0))
    return {op.getB()};
  const Shape shape = getShape(op.getB());
  if (areManySmallMatrices(getShape(op.getA())) && areManySmallMatrices(shape)) {
    Value a = withBatchLast(g, op.getA());
    Substitution substitution(g, op, a, 0);
    return {withBatchFirst(g, substitution.solveBlock(a, withBatchLast(g, op.getB())))};
  }
  Substitution substitution(g, op, op.getA(), shape.size() - 2,
                            isOneMatrix(getShape(op.getA())) ? rowsAtOnce : 1);
  return {size.isConstant() ? substitution.solve(op.getB(), 0, size.constantValue())
                            : substitution.solveBlock(op.getA(), op.getB())};
}

} // namespace keratin::passes
