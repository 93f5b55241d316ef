#include "ir/builder/ReverseMode.h"

#include "ir/builder/BuiltOps.h"
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/MissingGradients.h"
#include "ir/dialect/GraphError.h"
#include "ir/ops/LoopGradients.h"

using namespace keratin::ir;
using namespace mlir;

ReverseMode::ReverseMode(OpBuilder &builder, Location location, ArrayRef<Value> losses,
                         ArrayRef<Value> independent)
    : builder(builder), location(location), losses(losses), between(independent) {}

ReverseMode::~ReverseMode() {
  for (auto [original, extension] : extensions)
    original->erase();
}

LogicalResult ReverseMode::prepare() {
  if (failed(between.find(builder.getInsertionBlock(), losses)))
    return emitGraphError(location)
           << "gradients: the loss depends on an op outside the block of its gradient";
  return success();
}

void ReverseMode::prepareLinear(ArrayRef<Operation *> ops) {
  isLinear = true;
  between.findAmong(ops);
}

// The value that has taken the place of a result of a loop, or the value itself.
static Value resultOf(const DenseMap<Operation *, Operation *> &replacements, Value value) {
  auto result = dyn_cast_or_null<OpResult>(value);
  auto found = result ? replacements.find(result.getOwner()) : replacements.end();
  return found == replacements.end() ? value
                                     : Value(found->second->getResult(result.getResultNumber()));
}

Cotangent ReverseMode::cotangentOf(Value value) const {
  Value known = resultOf(originals, value);
  Cotangent cotangent = cotangents.lookup(known);
  cotangent.value = resultOf(extensions, cotangent.value);
  cotangent.zeros =
      cotangent.zeros.settle(known, [&](Value part) { return cotangents.contains(part); });
  return cotangent;
}

void ReverseMode::add(Value value, Cotangent cotangent) {
  auto [sum, isFirst] = cotangents.try_emplace(value, cotangent);
  if (isFirst)
    return;
  Operation *op = value.getDefiningOp();
  GraphMath g(builder, op ? gradientLocation(op) : location);
  sum->second = {g.add(resultOf(extensions, sum->second.value), cotangent.value),
                 sum->second.zeros + cotangent.zeros};
}

LogicalResult ReverseMode::buildRegionGradients(Operation *op, ArrayRef<Cotangent> cotangents,
                                                ArrayRef<bool> wanted,
                                                SmallVectorImpl<Cotangent> &gradients) {
  auto loop = dyn_cast<LoopOpInterface>(op);
  auto checkpoint = dyn_cast<CheckpointOp>(op);
  FailureOr<RegionGradients> built =
      loop         ? differentiateLoop(loop, builder, cotangents, wanted)
      : checkpoint ? differentiateCheckpoint(checkpoint, builder, cotangents, wanted)
                   : differentiateIf(cast<IfOp>(op), builder, cotangents, wanted);
  if (failed(built))
    return failure();
  gradients = std::move(built->operands);
  differentiatedOps += built->differentiated;
  if (loop && built->extended.getOperation() != op) {
    op->replaceAllUsesWith(built->extended->getResults().take_front(op->getNumResults()));
    extensions[op] = built->extended;
    originals[built->extended] = op;
  }
  return success();
}

LogicalResult ReverseMode::buildGradients(Operation *op, ArrayRef<Cotangent> cotangents,
                                          ArrayRef<bool> wanted,
                                          SmallVectorImpl<Cotangent> &gradients) {
  if (isa<LoopOpInterface, IfOp, CheckpointOp>(op))
    return buildRegionGradients(op, cotangents, wanted, gradients);
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return emitGraphError(op) << "gradient: " << op->getName() << " cannot be differentiated";
  if (failed(refuseMissingGradients(op, [&](unsigned operand) { return wanted[operand]; })))
    return failure();
  SmallVector<Value> dys, built;
  ChosenZeros zeros;
  for (const Cotangent &cotangent : cotangents) {
    zeros = zeros | cotangent.zeros;
    dys.push_back(cotangent.value);
  }
  if (failed(differentiable.buildVjp(builder, dys, built)))
    return failure();
  for (auto [gradient, value, isWanted] : llvm::zip(gradients, built, wanted)) {
    if (!value || !isWanted)
      continue;
    gradient = {value, zeros.through(op)};
    if (zeros && !isLinear && differentiable.hasUnboundedDerivative())
      gradient.value = GraphMath(builder, gradientLocation(op)).keepZeros(dys[0], value);
  }
  return success();
}

LogicalResult ReverseMode::differentiate(Operation *op) {
  SmallVector<Cotangent> dys;
  bool reached = false;
  for (Value result : op->getResults()) {
    dys.push_back(cotangentOf(result));
    reached |= bool(dys.back().value);
  }
  if (!reached)
    return success();
  SmallVector<bool> wanted;
  for (OpOperand &operand : op->getOpOperands())
    wanted.push_back(isDifferentiableOperand(operand) && isActive(operand.get()));

  Operation *last = lastBuilt(builder);
  SmallVector<Cotangent> gradients(op->getNumOperands());
  if (failed(buildGradients(op, dys, wanted, gradients)))
    return failure();
  for (auto [gradient, operand] : llvm::zip(gradients, op->getOperands()))
    if (gradient.value && gradient.value.getType() != operand.getType())
      return op->emitError("gradient: built ")
             << gradient.value.getType() << " for an operand of type " << operand.getType();
  eraseUnused(builder, last, llvm::map_to_vector(gradients, [](const Cotangent &gradient) {
                return gradient.value;
              }));
  for (auto [gradient, operand] : llvm::zip(gradients, op->getOperands()))
    if (gradient.value)
      add(operand, gradient);
  return success();
}

LogicalResult ReverseMode::run() {
  differentiatedOps += between.ops().size();
  // The definition of an independent value is on a path only to others: their gradients are total.
  for (Operation *op : llvm::reverse(between.ops()))
    if (failed(differentiate(op)))
      return failure();
  return success();
}
