// keratin.custom_gradient: a body in the place of the gradient that ops would have.
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
  SmallVector<Type> arguments;
  for (Value output : getOutputs())
    if (isFloating(output))
      arguments.push_back(output.getType());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(verifyRegion(*this, getBody(), arguments, getInputs().getTypes(), "the gradient")))
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

LogicalResult CustomGradientOp::buildVjp(OpBuilder &builder, ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &gradients) {
  GraphMath g(builder, gradientLocation(*this));
  SmallVector<Value> arguments;
  for (auto [y, dy] : llvm::zip(getYs(), cotangents))
    if (isFloating(y))
      arguments.push_back(dy ? dy : g.zeroLike(y));
  size_t first = arguments.size();
  llvm::append_range(arguments, getCaptures());
  for (auto [i, number] : llvm::enumerate(capturedResults(*this)))
    arguments[first + i] = getYs()[number];
  gradients.assign((*this)->getNumOperands(), Value());
  llvm::copy(inlineBody(builder, getBody().front(), arguments),
             gradients.begin() + getOutputs().size());
  return success();
}

LogicalResult CustomGradientOp::buildJvp(OpBuilder &builder, ArrayRef<Value> tangents,
                                         SmallVectorImpl<Value> &results) {
  if (!(*this)->hasAttr(kForwardAttr))
    return tangentsByVjp(*this, builder, tangents, results);
  llvm::append_range(results, tangents.take_front(getOutputs().size()));
  return success();
}
