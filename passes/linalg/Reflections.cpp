#include "passes/linalg/Reflections.h"
#include "passes/linalg/LoopParts.h"

#include "ir/builder/MatrixMath.h"

#include <algorithm>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

Value reflectorOf(GraphMath &g, Value column, Value place, size_t axis) {
  Value zeros = g.zeroLike(column), isAt = placesThat(g, Comparison::EQ, column, axis, place);
  Value rest = g.select(placesThat(g, Comparison::GE, column, axis, place), column, zeros);
  // Of what squares neither overflow nor vanish.
  Value largest = g.reduceMax(g.abs(rest), {int64_t(axis)});
  Value size = g.select(g.equal(largest, g.zeroLike(largest)), g.oneLike(largest), largest);
  Value x = g.div(rest, repeatAlong(g, size, rest, axis));
  Value first = g.reduceSum(g.select(isAt, x, zeros), {int64_t(axis)}),
        tail = g.reduceSum(g.select(isAt, zeros, g.mul(x, x)), {int64_t(axis)});
  Value norm = g.sqrt(g.add(g.mul(first, first), tail));
  Value zero = g.zeroLike(norm);
  Value signedNorm = g.select(g.less(first, zero), g.neg(norm), norm);
  Value length = g.sqrt(g.mul(norm, g.add(norm, g.abs(first)))); // of the sum below, over sqrt(2)
  Value factor = g.select(g.equal(tail, zero), zero, g.div(g.oneLike(length), length));
  Value v = g.select(isAt, repeatAlong(g, g.add(first, signedNorm), x, axis), x);
  return g.mul(v, repeatAlong(g, factor, v, axis));
}

// T^-1 has ones on the diagonal and above it the products of the vectors.
Value triangleOf(GraphMath &g, Value vectors) {
  Value products = matrixProduct(g, vectors, vectors, {false, /*bTransposed=*/true});
  return g.builder().create<TriangularSolveOp>(g.location(), products.getType(), products,
                                               unitMatrices(g, products), /*lower=*/false,
                                               /*transposed=*/false, /*unit_diagonal=*/true);
}

Value reflected(GraphMath &g, Value x, Value vectors, Value triangle, bool transposed) {
  Value products = matrixProduct(g, x, vectors, {false, /*bTransposed=*/true});
  Value factors = matrixProduct(g, products, triangle, {false, /*bTransposed=*/!transposed});
  return matrixProduct(g, factors, vectors);
}

static constexpr int64_t kFewestColumns = 16, kMostPanels = 8;

int64_t shrinkingPanelWidth(int64_t columns) {
  return std::max(kFewestColumns, int64_t(llvm::divideCeil(columns, kMostPanels)));
}

Value reflectedByAll(GraphMath &g, Value rows, ArrayRef<ReflectionPanel> panels) {
  const Shape shape = getShape(rows);
  const int64_t axis = int64_t(shape.size()) - 2, columns = shape.back().constantValue();
  for (const ReflectionPanel &panel : llvm::reverse(panels)) {
    auto part = [&](int64_t first, int64_t size) {
      return matrixPart(g, rows, 0, shape[axis], first, size);
    };
    Value behind = part(panel.first, columns - panel.first);
    behind = g.sub(behind, reflected(g, behind, panel.vectors, panel.triangle, false));
    rows = panel.first == 0 ? behind : g.concatenate({part(0, panel.first), behind}, axis + 1);
  }
  return rows;
}

} // namespace keratin::passes
