// By reflections from the left and from the right in turn (Golub, Kahan: Calculating the singular
// values and pseudo-inverse of a matrix, 1965). A step takes the last two from the rest of the
// matrix, A - u y^T - x v^T, while it multiplies that by the next one from the left; then by the
// one from the right. The rest gets smaller from panel to panel.
#include "passes/linalg/Bidiagonal.h"
#include "passes/linalg/LoopParts.h"
#include "passes/loops/StepMoves.h"

#include "ir/builder/LoopBuilder.h"
#include "ir/builder/MatrixMath.h"

#include <algorithm>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

namespace {

// What comes behind: a - u y^T - x v^T.
struct Rest {
  Value a, u, y, x, v;
};

struct Panel {
  Rest rest;
  Value diagonal, beside, u, v; // stacked
};

} // namespace

static Panel reducePanel(GraphMath &math, const Rest &first, int64_t width) {
  const size_t axis = getShape(first.a).size() - 2;
  Value inits[] = {first.a, first.u, first.y, first.x, first.v};
  ScanOp loop = buildScan(math, width, {inits, {}, {}}, [&](GraphMath &g, LoopStep &step) {
    const Rest rest{step.states[0], step.states[1], step.states[2], step.states[3], step.states[4]};
    Value number = step.number;
    auto sum = [&](Value x) { return g.reduceSum(x, {int64_t(axis)}); };
    auto scaled = [&](Value x, Value factor) { return g.mul(x, repeatAlong(g, factor, x, axis)); };
    auto element = [&](Value x) { return elementAt(g, x, axis, number); };
    auto after = [&](Value x, Value reflector, Value place) {
      Value less = g.sub(x, scaled(reflector, sum(g.mul(reflector, x))));
      Value isAt = placesThat(g, Comparison::EQ, x, axis, place);
      return sum(g.select(isAt, less, g.zeroLike(less)));
    };
    Value column = elementAt(g, rest.a, axis + 1, number);
    column = g.sub(g.sub(column, scaled(rest.u, element(rest.y))), scaled(rest.x, element(rest.v)));
    Value u = reflectorOf(g, column, number, axis);
    auto ofRow = [&](Value x) { return repeatAlong(g, x, rest.a, axis + 1); };
    auto ofColumn = [&](Value x) { return repeatAlong(g, x, rest.a, axis); };
    Value a = g.sub(g.sub(rest.a, g.mul(ofRow(rest.u), ofColumn(rest.y))),
                    g.mul(ofRow(rest.x), ofColumn(rest.v)));
    Value y = sum(g.mul(a, ofRow(u)));
    Value row = g.sub(elementAt(g, a, axis, number), scaled(y, element(u)));
    Value next = g.add(number, g.integerScalar(1, getElementType(number)));
    Value v = reflectorOf(g, row, next, axis);
    Value product = g.reduceSum(g.mul(a, ofColumn(v)), {int64_t(axis) + 1});
    Value x = g.sub(product, scaled(u, sum(g.mul(y, v))));
    step.next = {a, u, y, x, v};
    step.stacked = {after(column, u, number), after(row, v, next), u, v};
  });
  ValueRange last = loop.getLastStates(), stacks = loop.getStacks();
  auto along = [&](Value x) { return moveFirst(math, x, int64_t(axis)); };
  return {{last[0], last[1], last[2], last[3], last[4]},
          along(stacks[0]),
          along(stacks[1]),
          along(stacks[2]),
          along(stacks[3])};
}

BidiagonalFactors bidiagonalOf(GraphMath &g, Value x, bool hasVectors) {
  const size_t axis = getShape(x).size() - 2;
  const int64_t rows = getShape(x).back().constantValue(), most = shrinkingPanelWidth(rows);
  Shape vector = getShape(x);
  vector.pop_back();
  Value zeros = g.splat(0.0, getTensorType(vector, getElementType(x)));
  Rest rest{x, zeros, zeros, zeros, zeros};
  BidiagonalFactors result;
  SmallVector<Value> diagonals, besides;
  for (int64_t first = 0; first < rows; first += most) {
    const int64_t left = rows - first, width = std::min(most, left), behind = left - width;
    Panel panel = reducePanel(g, rest, width);
    diagonals.push_back(panel.diagonal);
    besides.push_back(panel.beside);
    if (hasVectors) {
      result.u.push_back({first, panel.u, triangleOf(g, panel.u)});
      result.v.push_back({first, panel.v, triangleOf(g, panel.v)});
    }
    if (behind == 0)
      break;
    auto part = [&](Value x) { return placesAlong(g, x, axis, width, behind); };
    rest = {matrixPart(g, panel.rest.a, width, behind, width, behind), part(panel.rest.u),
            part(panel.rest.y), part(panel.rest.x), part(panel.rest.v)};
  }
  result.diagonal = g.concatenate(diagonals, int64_t(axis));
  result.beside = g.concatenate(besides, int64_t(axis));
  return result;
}

} // namespace keratin::passes
