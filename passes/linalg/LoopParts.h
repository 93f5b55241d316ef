// What the steps of factorizations do: they look at places along an axis that are before, at or
// behind the step's number.
#ifndef KERATIN_PASSES_LINALG_LOOPPARTS_H
#define KERATIN_PASSES_LINALG_LOOPPARTS_H

#include "ir/builder/GraphMath.h"

#include <utility>

namespace keratin::passes {

// Rows and columns of a block on the diagonal: fewer are more and smaller contractions, more are
// loops that walk more elements (docs/linear-algebra.md).
constexpr int64_t kFactorBlock = 32;

// What lies at the place, a scalar int64, along the axis, which leaves.
inline mlir::Value elementAt(ir::GraphMath &g, mlir::Value x, size_t axis, mlir::Value place) {
  ir::Shape sizes = ir::getShape(x);
  llvm::SmallVector<mlir::Value> starts(sizes.size(),
                                        g.integerScalar(0, ir::getElementType(place)));
  starts[axis] = place;
  sizes[axis] = ir::DimExpr(1);
  mlir::Value box = g.builder().create<ir::DynamicSliceOp>(
      g.location(), ir::getTensorType(sizes, ir::getElementType(x)), x, starts);
  sizes.erase(sizes.begin() + axis);
  return g.reshape(box, sizes);
}

// Where the places along the axis of a tensor like x compare so with this one, or with one for each
// place along the other dimensions.
inline mlir::Value placesThat(ir::GraphMath &g, ir::Comparison direction, mlir::Value x,
                              size_t axis, mlir::Value place) {
  ir::Shape shape = ir::getShape(x);
  mlir::Value places = g.iota(ir::getTensorType(shape, ir::getElementType(place)), int64_t(axis));
  mlir::Value compared = ir::getTensorType(place).getRank() == 0
                             ? g.broadcastScalar(place, shape)
                             : g.broadcastAlong(place, shape, {int64_t(axis)});
  return g.compare(direction, places, compared);
}

// Repeated along an axis to the shape that `like` has.
inline mlir::Value repeatAlong(ir::GraphMath &g, mlir::Value x, mlir::Value like, size_t axis) {
  return g.broadcastAlong(x, ir::getShape(like), {int64_t(axis)});
}

// So many places along the axis from the first one, each so far behind the one before it.
inline mlir::Value placesAlong(ir::GraphMath &g, mlir::Value x, size_t axis, int64_t first,
                               int64_t count, int64_t stride = 1) {
  ir::Shape starts(ir::getShape(x).size(), ir::DimExpr(0)), sizes = ir::getShape(x);
  llvm::SmallVector<int64_t> strides(sizes.size(), 1);
  starts[axis] = first;
  sizes[axis] = count;
  strides[axis] = stride;
  return sizes == ir::getShape(x) ? x : g.slice(x, starts, sizes, strides);
}

//===-- Batches of small matrices -------------------------------------------------------------===//

// Rows and columns that are less than vectors hold, of as many matrices as fill some: they are
// worked on with the batch as the last dimensions. A batch of unknown size may be one matrix, which
// took up to fourteen times as long so (docs/linear-algebra.md).
constexpr int64_t kSmallMatrix = 16, kManyMatrices = 32;

// Steps that do little gain by the batch at their side no longer than this: with 16 rows, of which
// a vector holds one, 1,000 matrices took 1.2 (cholesky) and 1.6 times (lu) as long.
constexpr int64_t kShortRow = 8;

inline bool areManySmallMatrices(llvm::ArrayRef<ir::DimExpr> shape, int64_t most = kSmallMatrix) {
  int64_t matrices = 1;
  for (const ir::DimExpr &size : shape.drop_back(2))
    if (matrices < kManyMatrices)
      matrices *= size.isConstant() ? size.constantValue() : 0;
  return matrices >= kManyMatrices &&
         llvm::all_of(shape.take_back(2), [&](const ir::DimExpr &size) {
           return size.isConstant() && size.constantValue() <= most;
         });
}

// Rows and columns, or where it is `transposed` columns and rows, before the batch.
inline mlir::Value withBatchLast(ir::GraphMath &g, mlir::Value x, bool transposed = false) {
  const int64_t batch = ir::getTensorType(x).getRank() - 2;
  llvm::SmallVector<int64_t> order{batch + transposed, batch + !transposed};
  llvm::append_range(order, llvm::seq<int64_t>(0, batch));
  return g.transpose(x, order);
}

// The other way round; of vectors too, which have one dimension before the batch.
inline mlir::Value withBatchFirst(ir::GraphMath &g, mlir::Value x, int64_t own = 2,
                                  bool transposed = false) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(own, ir::getTensorType(x).getRank()));
  llvm::append_range(order, llvm::seq<int64_t>(0, own));
  if (transposed)
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  return g.transpose(x, order);
}

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_LOOPPARTS_H
