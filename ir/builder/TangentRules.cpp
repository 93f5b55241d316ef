#include "ir/builder/TangentRules.h"

#include "ir/builder/BuiltOps.h"
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/MissingGradients.h"
#include "ir/builder/ReverseMode.h"
#include "ir/dialect/GraphError.h"

using namespace keratin::ir;
using namespace mlir;

// The op with other operands, of the same types.
static ResultRange cloneWith(Operation *op, OpBuilder &builder, ValueRange operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->setLoc(gradientLocation(op));
  return copy->getResults();
}

LogicalResult keratin::ir::tangentOfLinear(DifferentiableOpInterface op, OpBuilder &builder,
                                           ArrayRef<Value> tangents,
                                           SmallVectorImpl<Value> &results) {
  results.assign(op->getNumResults(), Value());
  if (llvm::none_of(tangents, [](Value tangent) { return bool(tangent); }))
    return success();
  GraphMath g(builder, gradientLocation(op));
  SmallVector<Value> operands(op->getOperands());
  for (OpOperand &operand : op->getOpOperands())
    if (isDifferentiableOperand(operand)) {
      Value tangent = tangents[operand.getOperandNumber()];
      operands[operand.getOperandNumber()] = tangent ? tangent : g.zeroLike(operand.get());
    }
  llvm::copy(cloneWith(op, builder, operands), results.begin());
  return success();
}

LogicalResult keratin::ir::tangentOfProduct(DifferentiableOpInterface op, OpBuilder &builder,
                                            ArrayRef<Value> tangents,
                                            SmallVectorImpl<Value> &results) {
  GraphMath g(builder, gradientLocation(op));
  Value sum;
  for (auto [i, tangent] : llvm::enumerate(tangents)) {
    if (!tangent)
      continue;
    SmallVector<Value> operands(op->getOperands());
    operands[i] = tangent;
    Value part = cloneWith(op, builder, operands)[0];
    sum = sum ? g.add(sum, part) : part;
  }
  results.assign(1, sum);
  return success();
}

static LogicalResult tangentOfElementwise(DifferentiableOpInterface op, OpBuilder &builder,
                                          ArrayRef<Value> tangents,
                                          SmallVectorImpl<Value> &results) {
  if (failed(refuseMissingGradients(op, [&](unsigned i) { return bool(tangents[i]); })))
    return failure();
  GraphMath g(builder, gradientLocation(op));
  Value sum;
  for (auto [i, tangent] : llvm::enumerate(tangents)) {
    if (!tangent)
      continue;
    SmallVector<Value> products;
    if (failed(op.buildVjp(builder, {tangent}, products)))
      return failure();
    if (Value part = products[i])
      sum = sum ? g.add(sum, part) : part;
  }
  results.assign(1, sum);
  return success();
}

namespace {

// The cotangents that the gradient of an op is built for, until it is transposed and nothing
// mentions them any more.
class StandIns {
public:
  StandIns(OpBuilder &builder, DifferentiableOpInterface op) {
    for (Value result : op->getResults())
      values.push_back(isa<FloatType>(getElementType(result))
                           ? builder.create<PlaceholderOp>(op.getLoc(), result.getType(), 0,
                                                           "the cotangent of a tangent")
                           : Value());
  }
  ~StandIns() {
    for (Value value : values)
      if (value && value.use_empty())
        value.getDefiningOp()->erase();
  }
  bool areUsed() const {
    return llvm::any_of(values, [](Value value) { return value && !value.use_empty(); });
  }

  SmallVector<Value> values; // null for a result that is no float
};

} // namespace

LogicalResult keratin::ir::transposeBuilt(OpBuilder &builder, Location location, Operation *last,
                                          ArrayRef<Value> independent, ArrayRef<Value> made,
                                          ArrayRef<Value> cotangents,
                                          SmallVectorImpl<Value> &results) {
  results.assign(independent.size(), Value());
  SmallVector<Value> floats;
  llvm::copy_if(independent, std::back_inserter(floats), [](Value value) { return bool(value); });
  {
    // Erases loops that it has replaced when it ends.
    ReverseMode walk(builder, location, {}, floats);
    walk.prepareLinear(builtSince(builder, last));
    for (auto [value, cotangent] : llvm::zip(made, cotangents))
      if (value && cotangent && walk.isActive(value))
        walk.seed(value, {cotangent, {}});
    if (failed(walk.run()))
      return failure();
    for (auto [result, value] : llvm::zip(results, independent))
      if (value)
        result = walk.cotangentOf(value).value;
  }
  // Collectives too: no rank does what was needed for the independent values alone.
  SmallVector<Operation *> all = builtSince(builder, last);
  for (Operation *built : llvm::reverse(all))
    if (built->use_empty() && llvm::none_of(built->getResults(), [&](Value value) {
          return llvm::is_contained(results, value);
        }))
      built->erase();
  return success();
}

// The gradient of <cotangents of the operands, tangents> with respect to the stand-ins.
static LogicalResult transpose(DifferentiableOpInterface op, OpBuilder &builder,
                               ArrayRef<Value> tangents, const StandIns &standIns,
                               SmallVectorImpl<Value> &results) {
  Operation *last = lastBuilt(builder);
  SmallVector<Value> cotangents;
  if (failed(op.buildVjp(builder, standIns.values, cotangents)))
    return failure();
  return transposeBuilt(builder, op.getLoc(), last, standIns.values, cotangents, tangents, results);
}

LogicalResult keratin::ir::tangentsByVjp(DifferentiableOpInterface op, OpBuilder &builder,
                                         ArrayRef<Value> tangents,
                                         SmallVectorImpl<Value> &results) {
  if (isa<ElementwiseOpInterface>(*op))
    return tangentOfElementwise(op, builder, tangents, results);
  StandIns standIns(builder, op);
  if (failed(transpose(op, builder, tangents, standIns, results)))
    return failure();
  if (standIns.areUsed())
    return emitGraphError(op) << "jvp: the gradient of " << op->getName().stripDialect()
                              << " is not linear in its cotangent";
  return success();
}
