// What the steps of factorizations do: they look at places along an axis that are before, at or
// behind the step's number.
#ifndef KERATIN_PASSES_LINALG_LOOPPARTS_H
#define KERATIN_PASSES_LINALG_LOOPPARTS_H

#include "ir/builder/GraphMath.h"

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
// of the dimensions before the axis.
inline mlir::Value placesThat(ir::GraphMath &g, ir::Comparison direction, mlir::Value x,
                              size_t axis, mlir::Value place) {
  ir::Shape shape = ir::getShape(x);
  mlir::Value places = g.iota(ir::getTensorType(shape, ir::getElementType(place)), int64_t(axis));
  auto before = llvm::to_vector(llvm::seq<int64_t>(0, ir::getTensorType(place).getRank()));
  return g.compare(direction, places, g.broadcast(place, shape, before));
}

// Repeated along an axis to the shape that `like` has.
inline mlir::Value repeatAlong(ir::GraphMath &g, mlir::Value x, mlir::Value like, size_t axis) {
  return g.broadcastAlong(x, ir::getShape(like), {int64_t(axis)});
}

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_LOOPPARTS_H
