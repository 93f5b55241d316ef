#include "ir/interfaces/NeverPositive.h"

#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

// Whether `value` has, for each element of x, the largest along some axes of x at its place.
static bool isLargestOf(Value x, Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return false;
  Value source = broadcast.getX();
  for (auto reshape = source.getDefiningOp<ReshapeOp>(); reshape && isUnitReshape(reshape);
       reshape = source.getDefiningOp<ReshapeOp>())
    source = reshape.getX();
  auto largest = source.getDefiningOp<ReduceMaxOp>();
  if (!largest || largest.getX() != x)
    return false;
  // Sizes of 1 aside, which may come and go, each axis that is kept is repeated where it was.
  SmallVector<int64_t> kept, places;
  for (auto [axis, size] : llvm::enumerate(getShape(x)))
    if (size != DimExpr(1) && !llvm::is_contained(largest.getAxes(), int64_t(axis)))
      kept.push_back(int64_t(axis));
  for (auto [size, place] : llvm::zip(getShape(broadcast.getX()), broadcast.getDims()))
    if (size != DimExpr(1))
      places.push_back(place);
  return kept == places;
}

bool keratin::ir::isNeverPositive(Value value) {
  if (auto sub = value.getDefiningOp<SubOp>())
    return isLargestOf(sub.getA(), sub.getB());
  auto neg = value.getDefiningOp<NegOp>();
  Operation *op = neg ? neg.getX().getDefiningOp() : nullptr;
  auto square = dyn_cast_or_null<MulOp>(op);
  return op && (isNeverNegative(op) || (square && square.getA() == square.getB()));
}
