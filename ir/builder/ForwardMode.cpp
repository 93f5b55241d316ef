#include "ir/builder/ForwardMode.h"

#include "ir/builder/BuiltOps.h"
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/ops/LoopTangents.h"

using namespace keratin::ir;
using namespace mlir;

ForwardMode::ForwardMode(OpBuilder &builder, Location location, ArrayRef<Value> inputs)
    : builder(builder), location(location), between(inputs) {}

ForwardMode::~ForwardMode() {
  for (Operation *op : replaced)
    op->erase();
}

LogicalResult ForwardMode::prepare(ArrayRef<Value> outputs) {
  return between.find(builder.getInsertionBlock(), outputs);
}

void ForwardMode::add(Value value, Tangent tangent) {
  auto [sum, isFirst] = tangents.try_emplace(value, tangent);
  if (isFirst)
    return;
  Operation *op = value.getDefiningOp();
  GraphMath g(builder, op ? gradientLocation(op) : location);
  sum->second = {g.add(sum->second.value, tangent.value), sum->second.zeros + tangent.zeros};
}

ChosenZeros keratin::ir::zerosOfTangents(Operation *op, ArrayRef<Tangent> ofOperands) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return {};
  bool isElementwise = isa<ElementwiseOpInterface>(op);
  bool choosesEach = isElementwise && differentiable.choosesElements();
  bool adds = (isElementwise && !choosesEach) || isContraction(op);
  std::optional<ChosenZeros> zeros;
  bool isAbsent = false;
  for (OpOperand &operand : op->getOpOperands()) {
    const Tangent &tangent = ofOperands[operand.getOperandNumber()];
    if (!tangent.value)
      isAbsent |= isDifferentiableOperand(operand);
    else if (!zeros)
      zeros = tangent.zeros;
    else
      zeros = adds ? *zeros + tangent.zeros : *zeros | tangent.zeros;
  }
  ChosenZeros result = zeros.value_or(ChosenZeros());
  result.byChoice |= differentiable.fillsWithZeros() || op->getNumRegions() != 0 ||
                     (isAbsent && (choosesEach || isa<ConcatenateOp>(op)));
  return result;
}

// What one operand's tangent adds, with a guard where that holds zeros by choice.
static LogicalResult buildPart(OpBuilder &builder, DifferentiableOpInterface op, unsigned operand,
                               const Tangent &tangent, Tangent &sum) {
  SmallVector<Value> ofOperands(op->getNumOperands()), ofResults;
  ofOperands[operand] = tangent.value;
  if (failed(op.buildJvp(builder, ofOperands, ofResults)))
    return failure();
  Value part = ofResults[0];
  if (!part)
    return success();
  GraphMath g(builder, gradientLocation(op));
  if (tangent.zeros)
    part = g.keepZeros(tangent.value, part);
  sum.value = sum.value ? g.add(sum.value, part) : part;
  return success();
}

LogicalResult keratin::ir::buildTangents(OpBuilder &builder, Operation *op,
                                         ArrayRef<Tangent> ofOperands,
                                         SmallVectorImpl<Tangent> &ofResults) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return emitGraphError(op) << "jvp: " << op->getName() << " cannot be differentiated";
  ChosenZeros zeros = zerosOfTangents(op, ofOperands);
  if (differentiable.hasUnboundedDerivative() &&
      llvm::any_of(ofOperands, [](const Tangent &tangent) { return bool(tangent.zeros); })) {
    for (auto [i, tangent] : llvm::enumerate(ofOperands))
      if (tangent.value && failed(buildPart(builder, differentiable, i, tangent, ofResults[0])))
        return failure();
  } else {
    SmallVector<Value> values =
        llvm::map_to_vector(ofOperands, [](const Tangent &tangent) { return tangent.value; });
    SmallVector<Value> built;
    if (failed(differentiable.buildJvp(builder, values, built)))
      return failure();
    for (auto [result, value] : llvm::zip(ofResults, built))
      result.value = value;
  }
  for (Tangent &result : ofResults)
    result.zeros = zeros;
  return success();
}

// An op with a body; the tangents are those of the values that take the place of its results.
LogicalResult ForwardMode::buildRegionTangents(Operation *op, ArrayRef<Tangent> ofOperands) {
  SmallVector<bool> wanted =
      llvm::map_to_vector(op->getResults(), [&](Value result) { return between.reaches(result); });
  bool replaces = place == Place::BesideValues;
  if (replaces)
    builder.setInsertionPoint(op);
  auto loop = dyn_cast<LoopOpInterface>(op);
  auto checkpoint = dyn_cast<CheckpointOp>(op);
  FailureOr<RegionTangents> built =
      loop         ? tangentsOfLoop(loop, builder, ofOperands, wanted, replaces)
      : checkpoint ? tangentsOfCheckpoint(checkpoint, builder, ofOperands, wanted, replaces)
                   : tangentsOfIf(cast<IfOp>(op), builder, ofOperands, wanted, replaces);
  if (failed(built))
    return failure();
  differentiatedOps += built->differentiated;
  if (replaces)
    builder.setInsertionPointAfter(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Value value = result;
    if (!built->values.empty()) {
      value = built->values[i];
      result.replaceAllUsesWith(value);
      if (Tangent seeded = tangents.lookup(result); seeded.value)
        add(value, seeded);
    }
    if (built->tangents[i].value)
      add(value, built->tangents[i]);
  }
  if (!built->values.empty())
    replaced.push_back(op);
  return success();
}

LogicalResult ForwardMode::differentiate(Operation *op) {
  SmallVector<Tangent> ofOperands;
  bool hasTangent = false;
  for (OpOperand &operand : op->getOpOperands()) {
    ofOperands.push_back(isDifferentiableOperand(operand) ? tangentOf(operand.get()) : Tangent());
    hasTangent |= bool(ofOperands.back().value);
  }
  if (!hasTangent)
    return success();
  if (isa<LoopOpInterface, IfOp, CheckpointOp>(op))
    return buildRegionTangents(op, ofOperands);

  if (place == Place::BesideValues)
    builder.setInsertionPointAfter(op);
  Operation *last = lastBuilt(builder);
  SmallVector<Tangent> ofResults(op->getNumResults());
  if (failed(buildTangents(builder, op, ofOperands, ofResults)))
    return failure();
  for (auto [tangent, result] : llvm::zip(ofResults, op->getResults()))
    if (tangent.value && tangent.value.getType() != result.getType())
      return op->emitError("tangent: built ")
             << tangent.value.getType() << " for a result of type " << result.getType();
  eraseUnused(builder, last,
              llvm::map_to_vector(ofResults, [](const Tangent &tangent) { return tangent.value; }));
  for (auto [tangent, result] : llvm::zip(ofResults, op->getResults()))
    if (tangent.value)
      add(result, tangent);
  return success();
}

LogicalResult ForwardMode::run(Place where) {
  place = where;
  differentiatedOps += between.ops().size();
  for (Operation *op : between.ops())
    if (failed(differentiate(op)))
      return failure();
  return success();
}
