// Gradients of branches and checkpoints, and of loops for who asks for all of them.
#include "ir/ops/LoopGradients.h"

#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GivenGradients.h"
#include "ir/ops/InlinedBody.h"
#include "ir/ops/KeptValues.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace mlir;

HeldRegion::HeldRegion(Operation *place) {
  OperationState state(place->getLoc(), KernelOp::getOperationName());
  state.addRegion();
  holder.reset(OpBuilder(place).create(state));
}

//===-- Bodies that are run once
//---------------------------------------------------------------===//

namespace {

// The ops of a body without their effects, and those of its gradient.
struct BodyGradient {
  explicit BodyGradient(Operation *place) : region(place) {}

  HeldRegion region;
  SmallVector<Cotangent> gradients; // of the captures; null where none arrives
  int64_t differentiated = 0;

  Block &block() { return region->front(); }
};

} // namespace

// The arguments are the captures, then the cotangents that there are.
static FailureOr<BodyGradient> differentiateBody(Region &body, Location location,
                                                 ArrayRef<Cotangent> cotangents,
                                                 ArrayRef<bool> wanted) {
  BodyGradient result(body.getParentOp());
  IRMapping mapping;
  body.cloneInto(&*result.region, mapping);
  Block &block = result.block();
  dropEffects(block);
  auto end = cast<YieldOp>(block.getTerminator());
  SmallVector<Value> losses, independent, seeds;
  for (auto [value, cotangent] : llvm::zip(end.getValues(), cotangents)) {
    seeds.push_back(cotangent.value ? block.addArgument(value.getType(), location) : Value());
    if (cotangent.value)
      losses.push_back(value);
  }
  for (auto [isWanted, argument] : llvm::zip(wanted, block.getArguments()))
    if (isWanted)
      independent.push_back(argument);

  OpBuilder inside(end.getContext());
  inside.setInsertionPointToEnd(&block);
  ReverseMode walk(inside, location, losses, independent);
  if (failed(walk.prepare()))
    return failure();
  for (unsigned i = 0, e = seeds.size(); i < e; ++i)
    if (seeds[i] && walk.isActive(end.getValues()[i]))
      walk.seed(end.getValues()[i], {seeds[i], cotangents[i].zeros});
  if (failed(walk.run()))
    return failure();
  for (unsigned i = 0, e = wanted.size(); i < e; ++i)
    result.gradients.push_back(wanted[i] ? walk.cotangentOf(block.getArgument(i)) : Cotangent());
  result.differentiated = walk.differentiated();
  end.erase();
  return result;
}

// Ends the body with gradients of these captures, and erases what does not lead there.
static void finishBody(BodyGradient &body, Location location, ArrayRef<unsigned> captures) {
  Block &block = body.block();
  OpBuilder inside(location.getContext());
  inside.setInsertionPointToEnd(&block);
  GraphMath g(inside, location);
  SmallVector<Value> yielded;
  for (unsigned i : captures) {
    Value gradient = body.gradients[i].value;
    yielded.push_back(gradient ? gradient : g.zeroLike(block.getArgument(i)));
  }
  inside.create<YieldOp>(location, yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===-- Branches ------------------------------------------------------------------------------===//

FailureOr<RegionGradients> keratin::ir::differentiateIf(IfOp op, OpBuilder &builder,
                                                        ArrayRef<Cotangent> cotangents,
                                                        ArrayRef<bool> wanted) {
  Location location = gradientLocation(op);
  // The condition is no capture, and has no gradient.
  ArrayRef<bool> wantedCaptures = wanted.drop_front();
  FailureOr<BodyGradient> first =
      differentiateBody(op.getThenBody(), location, cotangents, wantedCaptures);
  if (failed(first))
    return failure();
  FailureOr<BodyGradient> second =
      differentiateBody(op.getElseBody(), location, cotangents, wantedCaptures);
  if (failed(second))
    return failure();

  RegionGradients gradients;
  gradients.operands.resize(op->getNumOperands());
  gradients.differentiated = first->differentiated + second->differentiated;
  SmallVector<unsigned> reached;
  SmallVector<Type> types;
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (first->gradients[i].value || second->gradients[i].value) {
      reached.push_back(i);
      types.push_back(capture.getType());
    }
  if (reached.empty())
    return gradients;
  finishBody(*first, location, reached);
  finishBody(*second, location, reached);

  SmallVector<Value> captures(op.getCaptures());
  for (const Cotangent &cotangent : cotangents)
    if (cotangent.value)
      captures.push_back(cotangent.value);
  for (unsigned i = captures.size(); i-- > 0;)
    if (first->block().getArgument(i).use_empty() && second->block().getArgument(i).use_empty()) {
      first->block().eraseArgument(i);
      second->block().eraseArgument(i);
      captures.erase(captures.begin() + i);
    }
  auto built = builder.create<IfOp>(location, types, op.getCondition(), captures);
  built.getThenBody().takeBody(*first->region);
  built.getElseBody().takeBody(*second->region);
  for (auto [i, gradient] : llvm::zip(reached, built.getResults()))
    gradients.operands[1 + i] = {gradient, {/*byChoice=*/true, false}};
  return gradients;
}

//===-- Checkpoints ---------------------------------------------------------------------------===//

// The operand, read once the cotangents are there.
static Value delayed(CheckpointOp op, unsigned operand, OpBuilder &builder,
                     ArrayRef<Cotangent> cotangents) {
  Value value = op->getOperand(operand);
  auto some = op->getAttrOfType<DenseI64ArrayAttr>(kDelayedAttr);
  if (some && !llvm::is_contained(some.asArrayRef(), int64_t(operand)))
    return value;
  for (const Cotangent &cotangent : cotangents)
    if (cotangent.value)
      value =
          builder.create<DelayOp>(gradientLocation(op), value.getType(), value, cotangent.value);
  return value;
}

FailureOr<RegionGradients> keratin::ir::differentiateCheckpoint(CheckpointOp op, OpBuilder &builder,
                                                                ArrayRef<Cotangent> cotangents,
                                                                ArrayRef<bool> wanted) {
  Location location = gradientLocation(op);
  FailureOr<BodyGradient> body = differentiateBody(op.getBody(), location, cotangents, wanted);
  if (failed(body))
    return failure();
  RegionGradients gradients;
  gradients.operands.resize(op->getNumOperands());
  gradients.differentiated = body->differentiated;
  SmallVector<unsigned> reached;
  for (auto [i, gradient] : llvm::enumerate(body->gradients))
    if (gradient.value)
      reached.push_back(i);
  if (reached.empty())
    return gradients;
  finishBody(*body, location, reached);
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    arguments.push_back(delayed(op, i, builder, cotangents));
  for (const Cotangent &cotangent : cotangents)
    if (cotangent.value)
      arguments.push_back(cotangent.value);
  for (auto [i, gradient] : llvm::zip(reached, inlineBody(builder, body->block(), arguments)))
    gradients.operands[i] = {gradient, body->gradients[i].zeros};
  return gradients;
}

//===-- Without knowing who asks --------------------------------------------------------------===//

// All gradients, with zeros in all cotangents taken for choices.
template <class Op, class Differentiate>
static LogicalResult buildAllGradients(Op op, OpBuilder &builder, ArrayRef<Value> cotangents,
                                       SmallVectorImpl<Value> &gradients,
                                       const Differentiate &differentiateOp) {
  SmallVector<Cotangent> dys;
  SmallVector<bool> wanted;
  for (Value cotangent : cotangents)
    dys.push_back({cotangent, {/*byChoice=*/true, false}});
  for (OpOperand &operand : op->getOpOperands())
    wanted.push_back(isDifferentiableOperand(operand));
  FailureOr<RegionGradients> built = differentiateOp(op, builder, dys, wanted);
  if (failed(built))
    return failure();
  gradients.clear();
  for (const Cotangent &gradient : built->operands)
    gradients.push_back(gradient.value);
  return success();
}

LogicalResult ScanOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                               SmallVectorImpl<Value> &gradients) {
  return buildAllGradients(*this, builder, cotangents, gradients, differentiateLoop);
}
LogicalResult WhileOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                SmallVectorImpl<Value> &gradients) {
  return buildAllGradients(*this, builder, cotangents, gradients, differentiateLoop);
}
LogicalResult IfOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                             SmallVectorImpl<Value> &gradients) {
  return buildAllGradients(*this, builder, cotangents, gradients, differentiateIf);
}
LogicalResult CheckpointOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &gradients) {
  return buildAllGradients(*this, builder, cotangents, gradients, differentiateCheckpoint);
}
