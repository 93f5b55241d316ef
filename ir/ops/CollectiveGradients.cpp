// Gradients of what the ranks of a job do together: those of the sum of what all ranks make, so
// what goes to all comes back from all.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/TangentRules.h"
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

// Of the largest or smallest `y` of all ranks' `x`: equal shares of `dy` to where it comes from.
static Value sharesOf(GraphMath &g, Value x, Value y, Value dy, StringAttr along) {
  Value isChosen = g.cast(g.equal(x, y), getElementType(x));
  return g.mul(isChosen, g.div(dy, g.allReduce(isChosen, RankReduction::Sum, along)));
}

LogicalResult AllReduceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  const bool isMean = getReduction() == RankReduction::Mean;
  Value all = g.allReduce(cotangents[0], isMean ? RankReduction::Mean : RankReduction::Sum,
                          getMeshAxisAttr());
  switch (getReduction()) {
  case RankReduction::Sum:
  case RankReduction::Mean:
    gradients[0] = all;
    break;
  case RankReduction::Before: { // of the ranks behind this one
    Value before = g.allReduce(cotangents[0], RankReduction::Before, getMeshAxisAttr());
    gradients[0] = g.sub(g.sub(all, before), cotangents[0]);
    break;
  }
  case RankReduction::Max:
  case RankReduction::Min:
    gradients[0] = sharesOf(g, getX(), getY(), all, getMeshAxisAttr());
    break;
  }
  return success();
}

LogicalResult AllGatherOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[0] =
      g.reduceScatter(cotangents[0], RankReduction::Sum, 0, getShape(getX())[0], getMeshAxisAttr());
  return success();
}

// To the root alone: whoever receives nothing has zeros.
LogicalResult BroadcastFromOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                        SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  const int64_t root = getRoot();
  Value all = g.allReduce(cotangents[0], RankReduction::Sum, getMeshAxisAttr());
  gradients[0] = g.permute(all, {root, root}, getMeshAxisAttr());
  return success();
}

LogicalResult AllToAllOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                   SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  gradients[0] = g.allToAll(cotangents[0], getMeshAxisAttr());
  return success();
}

LogicalResult PermuteOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                  SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<int64_t> back(getPairs());
  for (size_t i = 0; i < back.size(); i += 2)
    std::swap(back[i], back[i + 1]);
  gradients[0] = g.permute(cotangents[0], back, getMeshAxisAttr());
  return success();
}

LogicalResult ReduceScatterOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                        SmallVectorImpl<Value> &gradients) {
  gradients.assign(1, Value());
  if (!cotangents[0])
    return success();
  GraphMath g(builder, gradientLocation(*this));
  const StringAttr along = getMeshAxisAttr();
  const DimExpr whole = getShape(getX())[0];
  Value all = g.allGather(cotangents[0], 0, whole, along);
  switch (getReduction()) {
  case RankReduction::Mean:
    gradients[0] = g.div(all, g.allReduce(g.oneLike(all), RankReduction::Sum, along));
    break;
  case RankReduction::Max:
  case RankReduction::Min:
    gradients[0] = sharesOf(g, getX(), g.allGather(getY(), 0, whole, along), all, along);
    break;
  default:
    gradients[0] = all;
  }
  return success();
}

// The largest and the smallest choose; the others are linear.
static LogicalResult tangentOfReduction(DifferentiableOpInterface op, RankReduction reduction,
                                        OpBuilder &builder, ArrayRef<Value> tangents,
                                        SmallVectorImpl<Value> &results) {
  bool chooses = reduction == RankReduction::Max || reduction == RankReduction::Min;
  return chooses ? tangentsByVjp(op, builder, tangents, results)
                 : tangentOfLinear(op, builder, tangents, results);
}

LogicalResult AllReduceOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                    SmallVectorImpl<Value> &results) {
  return tangentOfReduction(*this, getReduction(), builder, tangents, results);
}

LogicalResult ReduceScatterOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                        SmallVectorImpl<Value> &results) {
  return tangentOfReduction(*this, getReduction(), builder, tangents, results);
}
