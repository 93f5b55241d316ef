// keratin.custom_gradient: a body in the place of the derivative that ops would have.
#include "ir/builder/BuiltOps.h"
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/TangentRules.h"
#include "ir/dialect/GivenGradients.h"
#include "ir/ops/BodyVerification.h"
#include "ir/ops/InlinedBody.h"

using namespace keratin::ir;
using namespace mlir;

static bool isFloating(Value value) { return isa<FloatType>(getElementType(value)); }

ArrayRef<int64_t> keratin::ir::capturedResults(CustomGradientOp op) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(kCapturedResultsAttr);
  return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
}

static LogicalResult verifyCapturedResults(CustomGradientOp op) {
  auto given = op->getAttr(kCapturedResultsAttr);
  if (!given)
    return success();
  auto numbers = dyn_cast<DenseI64ArrayAttr>(given);
  if (!numbers || numbers.size() > int64_t(op.getCaptures().size()))
    return op.emitOpError() << kCapturedResultsAttr
                            << " must be a list of no more numbers than there are captures";
  for (auto [capture, number] : llvm::zip(op.getCaptures(), numbers.asArrayRef())) {
    if (number < 0 || number >= int64_t(op.getYs().size()))
      return op.emitOpError() << kCapturedResultsAttr << " has " << number << " for one of "
                              << op.getYs().size() << " results";
    if (capture.getType() != op.getYs()[number].getType())
      return op.emitOpError() << "the capture that stands for result " << number << " has type "
                              << capture.getType() << ", found " << op.getYs()[number].getType()
                              << " for the result";
  }
  return success();
}

LogicalResult CustomGradientOp::verify() {
  if (failed(verifyTypes(*this, getYs().getTypes(), getOutputs().getTypes(), "the results")))
    return failure();
  if (getForward() && (*this)->hasAttr(kForwardAttr))
    return emitOpError() << "has tangents of its own, and " << kForwardAttr
                         << " says that they are the outputs'";
  SmallVector<Type> outputs, inputs = llvm::to_vector(getInputs().getTypes());
  for (Value output : getOutputs())
    if (isFloating(output))
      outputs.push_back(output.getType());
  SmallVector<Type> arguments = getForward() ? inputs : outputs;
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(verifyRegion(*this, getBody(), arguments, getForward() ? outputs : inputs,
                          getForward() ? "the tangents" : "the gradient")))
    return failure();
  return verifyCapturedResults(*this);
}

bool CustomGradientOp::isDifferentiableOperand(unsigned operand) {
  if (!isFloating((*this)->getOperand(operand)) || llvm::none_of(getYs(), isFloating))
    return false;
  unsigned outputs = getOutputs().size();
  return operand < outputs ? (*this)->hasAttr(kForwardAttr)
                           : operand < outputs + getInputs().size();
}

// What the body says for these cotangents of the outputs, or tangents of the inputs.
static SmallVector<Value> inlineFor(CustomGradientOp op, OpBuilder &builder,
                                    SmallVector<Value> arguments) {
  const size_t first = arguments.size();
  llvm::append_range(arguments, op.getCaptures());
  for (auto [i, number] : llvm::enumerate(capturedResults(op)))
    arguments[first + i] = op.getYs()[number];
  return inlineBody(builder, op.getBody().front(), arguments);
}

// Of tangents that are given: the transpose of what the body makes of tangents of zeros, which are
// values of their own, so that a body that is not linear in them has the derivative that it has
// there.
static LogicalResult transposeTangents(CustomGradientOp op, OpBuilder &builder,
                                       ArrayRef<Value> cotangents,
                                       MutableArrayRef<Value> gradients) {
  GraphMath g(builder, gradientLocation(op));
  Operation *last = lastBuilt(builder);
  SmallVector<Value> tangents, made, given, transposed;
  for (Value input : op.getInputs())
    tangents.push_back(g.zeroLike(input));
  made = inlineFor(op, builder, tangents);
  for (auto [y, dy] : llvm::zip(op.getYs(), cotangents))
    if (isFloating(y))
      given.push_back(dy);
  if (failed(transposeBuilt(builder, g.location(), last, tangents, made, given, transposed)))
    return failure();
  llvm::copy(transposed, gradients.begin());
  return success();
}

LogicalResult CustomGradientOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &gradients) {
  gradients.assign((*this)->getNumOperands(), Value());
  auto ofInputs = MutableArrayRef(gradients).slice(getOutputs().size(), getInputs().size());
  if (getForward())
    return transposeTangents(*this, builder, cotangents, ofInputs);
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<Value> arguments;
  for (auto [y, dy] : llvm::zip(getYs(), cotangents))
    if (isFloating(y))
      arguments.push_back(dy ? dy : g.zeroLike(y));
  llvm::copy(inlineFor(*this, builder, arguments), ofInputs.begin());
  return success();
}

LogicalResult CustomGradientOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                         SmallVectorImpl<Value> &results) {
  if ((*this)->hasAttr(kForwardAttr)) {
    llvm::append_range(results, tangents.take_front(getOutputs().size()));
    return success();
  }
  if (!getForward())
    return tangentsByVjp(*this, builder, tangents, results);
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<Value> arguments;
  for (auto [input, tangent] :
       llvm::zip(getInputs(), tangents.slice(getOutputs().size(), getInputs().size())))
    arguments.push_back(tangent ? tangent : g.zeroLike(input));
  SmallVector<Value> made = inlineFor(*this, builder, arguments);
  const Value *next = made.begin();
  for (Value y : getYs())
    results.push_back(isFloating(y) ? *next++ : Value());
  return success();
}
