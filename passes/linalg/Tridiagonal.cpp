// By reflections from both sides (Householder). A step takes the reflection of a column from the
// whole rest of the matrix, and multiplies the rest by the next reflection while it has it in
// hands: A - v w^T - w v^T. The rest gets smaller from panel to panel.
#include "passes/linalg/Tridiagonal.h"
#include "passes/linalg/LoopParts.h"
#include "passes/linalg/Reflections.h"
#include "passes/loops/StepMoves.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

#include <algorithm>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// x - v w^T - w v^T.
static Value lessBoth(GraphMath &g, Value x, Value v, Value w) {
  const size_t axis = getShape(x).size() - 2;
  auto product = [&](Value a, Value b) {
    return g.mul(repeatAlong(g, a, x, axis + 1), repeatAlong(g, b, x, axis));
  };
  return g.sub(g.sub(x, product(v, w)), product(w, v));
}

namespace {

struct Panel {
  Value rest, v, w;                // what comes behind: rest - v w^T - w v^T
  Value diagonal, beside, vectors; // stacked
};

} // namespace

static Panel reducePanel(GraphMath &math, Value all, Value v, Value w, int64_t width) {
  const size_t axis = getShape(all).size() - 2;
  Value inits[] = {all, v, w};
  ScanOp loop = buildScan(math, width, {inits, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    Value all = step.states[0], v = step.states[1], w = step.states[2], number = step.number;
    auto timesElement = [&](Value x, Value of) {
      return g.mul(x, repeatAlong(g, elementAt(g, of, axis, number), x, axis));
    };
    auto sum = [&](Value x) { return g.reduceSum(x, {int64_t(axis)}); };
    Value row = elementAt(g, all, axis, number); // as the column
    row = g.sub(g.sub(row, timesElement(w, v)), timesElement(v, w));
    Value next = g.add(number, g.integerScalar(1, getElementType(number)));
    Value u = reflectorOf(g, row, next, axis);
    Value after = g.sub(row, g.mul(u, repeatAlong(g, sum(g.mul(u, row)), u, axis)));
    Value isNext = placesThat(g, Comparison::EQ, row, axis, next);
    Value rest = lessBoth(g, all, v, w);
    Value product = g.reduceSum(g.mul(rest, repeatAlong(g, u, rest, axis)), {int64_t(axis) + 1});
    Value half = g.scale(sum(g.mul(u, product)), 0.5);
    step.next = {rest, u, g.sub(product, g.mul(u, repeatAlong(g, half, u, axis)))};
    step.stacked = {elementAt(g, row, axis, number),
                    sum(g.select(isNext, after, g.zeroLike(after))), u};
  });
  ValueRange last = loop.getLastStates(), stacks = loop.getStacks();
  auto along = [&](Value x) { return moveFirst(math, x, int64_t(axis)); };
  return {last[0], last[1], last[2], along(stacks[0]), along(stacks[1]), along(stacks[2])};
}

TridiagonalFactors tridiagonalOf(GraphMath &g, Value x, bool hasVectors) {
  const int64_t axis = getTensorType(x).getRank() - 2, rows = getShape(x).back().constantValue(),
                most = shrinkingPanelWidth(rows);
  Shape vector = getShape(x);
  vector.pop_back();
  Value v = g.splat(0.0, getTensorType(vector, getElementType(x))), w = v;
  TridiagonalFactors result;
  SmallVector<Value> diagonals, besides;
  for (int64_t first = 0; first < rows; first += most) {
    const int64_t left = rows - first, width = std::min(most, left);
    Panel panel = reducePanel(g, x, v, w, width);
    diagonals.push_back(panel.diagonal);
    besides.push_back(panel.beside);
    if (hasVectors)
      result.panels.push_back({first, panel.vectors, triangleOf(g, panel.vectors)});
    if (width == left)
      break;
    x = matrixPart(g, panel.rest, width, left - width, width, left - width);
    v = placesAlong(g, panel.v, size_t(axis), width, left - width);
    w = placesAlong(g, panel.w, size_t(axis), width, left - width);
  }
  // The last is beside nothing.
  Value beside = placesAlong(g, g.concatenate(besides, axis), size_t(axis), 0, rows - 1);
  result.t = {g.concatenate(diagonals, axis), beside};
  return result;
}

} // namespace keratin::passes
