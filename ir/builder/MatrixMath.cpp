#include "ir/builder/MatrixMath.h"

#include <numeric>

using namespace keratin::ir;
using namespace mlir;

static int64_t rankOf(Value x) { return getTensorType(x).getRank(); }

// 0 to `count`.
static SmallVector<int64_t> firstDims(int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

Value keratin::ir::matrixTranspose(GraphMath &g, Value x) {
  SmallVector<int64_t> permutation = firstDims(rankOf(x));
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return g.transpose(x, permutation);
}

Value keratin::ir::matrixProduct(GraphMath &g, Value a, Value b, ProductOf of) {
  int64_t rank = rankOf(a);
  SmallVector<int64_t> batch = firstDims(rank - 2);
  return g.dotGeneral(a, b, batch, batch, {of.aTransposed ? rank - 2 : rank - 1},
                      {of.bTransposed ? rank - 1 : rank - 2});
}

//===-- Diagonals -----------------------------------------------------------------------------===//

Value keratin::ir::diagonalNumbers(GraphMath &g, Value x) {
  auto type = withElementType(getTensorType(x), g.builder().getI64Type());
  int64_t rank = type.getRank();
  return g.sub(g.iota(type, rank - 1), g.iota(type, rank - 2));
}

Value keratin::ir::diagonalBand(GraphMath &g, Value x, std::optional<int64_t> first,
                                std::optional<int64_t> last) {
  Value place = diagonalNumbers(g, x), inside;
  auto limit = [&](Comparison direction, std::optional<int64_t> bound) {
    if (!bound)
      return;
    Value limit = g.integerScalar(*bound, getElementType(place));
    Value isInside = g.compare(direction, place, g.broadcastScalar(limit, getShape(x)));
    inside = inside ? g.and_(inside, isInside) : isInside;
  };
  limit(Comparison::GE, first);
  limit(Comparison::LE, last);
  return inside ? g.select(inside, x, g.zeroLike(x)) : x;
}

Value keratin::ir::withDiagonal(GraphMath &g, Value x, double number) {
  Value place = diagonalNumbers(g, x);
  return g.select(g.equal(place, g.zeroLike(place)), g.constantLike(number, x), x);
}

// Sums of one element and zeros: exact, and what is beside the diagonal does not matter.
Value keratin::ir::mainDiagonal(GraphMath &g, Value x) {
  return g.reduceSum(diagonalBand(g, x, 0, 0), {rankOf(x) - 1});
}

//===-- Rows ----------------------------------------------------------------------------------===//

Value keratin::ir::matrixPart(GraphMath &g, Value x, const DimExpr &firstRow, const DimExpr &rows,
                              const DimExpr &firstColumn, const DimExpr &columns) {
  Shape sizes = getShape(x), starts(sizes.size(), DimExpr(0));
  size_t row = sizes.size() - 2, column = sizes.size() - 1;
  starts[row] = firstRow;
  sizes[row] = rows;
  starts[column] = firstColumn;
  sizes[column] = columns;
  if (sizes == getShape(x))
    return x;
  return g.slice(x, starts, sizes, SmallVector<int64_t>(sizes.size(), 1));
}

namespace {

// Rows of all batches as rows of one matrix.
struct FlatRows {
  FlatRows(GraphMath &g, Value x, Value rows) : shape(getShape(x)), flat(shape) {
    const size_t batch = getShape(rows).size() - 1;
    Type type = g.builder().getI64Type();
    places = g.cast(rows, type);
    if (batch == 0)
      return;
    // Countable, as all elements are.
    const DimExpr batches = *product(std::vector<DimExpr>(shape.begin(), shape.begin() + batch)),
                  each = shape[batch], chosen = getShape(rows).back();
    flat.erase(flat.begin(), flat.begin() + batch);
    flat[0] = *mul(batches, each);
    Value numbers = g.reshape(places, {batches, chosen});
    Value size = each.isConstant() ? g.integerScalar(each.constantValue(), type)
                                   : g.count(x, {int64_t(batch)}, type);
    Value first =
        g.mul(g.iota(getTensorType(numbers), 0), g.broadcastScalar(size, getShape(numbers)));
    places = g.reshape(g.add(numbers, first), {*mul(batches, chosen)});
  }

  Shape shape, flat;
  Value places;
};

} // namespace

Value keratin::ir::gatherRows(GraphMath &g, Value x, Value rows) {
  FlatRows all(g, x, rows);
  Shape result = all.shape;
  result[getShape(rows).size() - 1] = getShape(rows).back();
  return g.reshape(g.gather(g.reshape(x, all.flat), all.places), result);
}

Value keratin::ir::scatterRows(GraphMath &g, Value x, Value rows) {
  FlatRows all(g, x, rows);
  return g.reshape(g.scatterAdd(all.places, g.reshape(x, all.flat), all.flat), all.shape);
}
