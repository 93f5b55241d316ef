// Verifiers of random numbers, gradients and kernels.
#include "ir/dialect/GivenGradients.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/ops/BodyVerification.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult RandomBitsOp::verify() {
  if (getTensorType(getDraw()).getRank() != 0)
    return emitOpError("draw must be a scalar, found ") << getDraw().getType();
  if (getLine() && getTensorType(getLine()).getRank() != 0)
    return emitOpError("line must be a scalar, found ") << getLine().getType();
  return success();
}

LogicalResult RequireOp::verify() {
  if (getLhs().getDims().size() != getRhs().getDims().size())
    return emitOpError("needs as many sizes on the left as on the right");
  return success();
}

LogicalResult GradientsOp::verify() {
  if (getXs().size() != getYs().size())
    return emitOpError("needs one result for each of the ") << getXs().size() << " values";
  for (auto [x, y] : llvm::zip(getXs(), getYs()))
    if (x.getType() != y.getType())
      return emitOpError("a gradient has the type of its value, found ")
             << y.getType() << " for " << x.getType();
  return success();
}

// Of what a derivative pairs one by one.
static LogicalResult verifySameTypes(Operation *op, StringRef what, ValueRange values,
                                     StringRef theirs, ValueRange partners) {
  if (values.size() != partners.size())
    return op->emitOpError("needs one ") << what << " for each of the " << partners.size() << " "
                                         << theirs << "s, found " << values.size();
  for (auto [value, partner] : llvm::zip(values, partners))
    if (value.getType() != partner.getType())
      return op->emitOpError("a ") << what << " has the type of its " << theirs << ", found "
                                   << value.getType() << " for " << partner.getType();
  return success();
}

LogicalResult JvpOp::verify() {
  if (failed(verifySameTypes(*this, "tangent", getTangents(), "input", getInputs())))
    return failure();
  return verifySameTypes(*this, "result", getYs(), "output", getOutputs());
}

LogicalResult VjpOp::verify() {
  if (failed(verifySameTypes(*this, "cotangent", getCotangents(), "output", getOutputs())))
    return failure();
  return verifySameTypes(*this, "result", getYs(), "input", getInputs());
}

static LogicalResult emitNotExpanded(Operation *op) {
  return op->emitOpError("must be expanded before what depends on it is differentiated");
}

#define KERATIN_DERIVATIVE(Op)                                                                     \
  LogicalResult Op::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {             \
    return emitNotExpanded(*this);                                                                 \
  }                                                                                                \
  LogicalResult Op::buildJvp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) {             \
    return emitNotExpanded(*this);                                                                 \
  }
KERATIN_DERIVATIVE(GradientsOp)
KERATIN_DERIVATIVE(JvpOp)
KERATIN_DERIVATIVE(VjpOp)
#undef KERATIN_DERIVATIVE

LogicalResult CheckpointOp::verify() {
  if (failed(
          verifyRegion(*this, getBody(), getInputs().getTypes(), getYs().getTypes(), "the body")))
    return failure();
  Attribute given = (*this)->getAttr(kDelayedAttr);
  auto delayed = dyn_cast_or_null<DenseI64ArrayAttr>(given);
  auto isOperand = [&](int64_t number) {
    return number >= 0 && number < int64_t(getInputs().size());
  };
  if (given && (!delayed || !llvm::all_of(delayed.asArrayRef(), isOperand)))
    return emitOpError() << kDelayedAttr << " must be a list of numbers of operands";
  return success();
}

LogicalResult DefineSizeOp::verify() {
  if (!isa_and_nonnull<FunctionOpInterface, LoopOpInterface, IfOp, CheckpointOp, CustomGradientOp>(
          (*this)->getParentOp()))
    return emitOpError("must stand in the body of a function, a loop or a branch, of which its "
                       "symbol is one");
  if (getTensorType(getSize()).getRank() != 0)
    return emitOpError("the size must be a scalar, found ") << getSize().getType();
  if (int64_t(getSymbol()) < 0)
    return emitOpError("a symbol has no negative number, found ") << int64_t(getSymbol());
  // As in the dimensions that name it (kSymbolLimit of ir/shapes/DimExprDetail.h).
  if (getSymbol() >= uint64_t(1) << 62)
    return emitOpError("a symbol's number is below 2^62, found ") << getSymbol();
  if (getBound() && getBound()->getDims().size() != 1)
    return emitOpError("needs one bound");
  return success();
}

LogicalResult CheckNumbersOp::verify() {
  if (getCounts() && getShape(getCounts()) != getShape(getY()))
    return emitOpError("has ") << getY().getType() << " and counts its elements by "
                               << getCounts().getType();
  if (getStep() && getTensorType(getStep()).getRank() != 0)
    return emitOpError("the step must be a scalar, found ") << getStep().getType();
  for (Value operand : getReadFrom())
    if (getRule() == NumberRule::Elementwise && getTensorType(operand).getRank() != 0 &&
        getShape(operand) != getShape(getY()))
      return emitOpError("an operand of an elementwise op has type ")
             << operand.getType() << " for a result of type " << getY().getType();
  return success();
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("the body needs one argument for each of the ")
           << getInputs().size() << " inputs";
  for (auto [argument, input] : llvm::zip(body.getArguments(), getInputs()))
    if (argument.getType() != input.getType())
      return emitOpError("an argument has type ")
             << argument.getType() << " for an input of type " << input.getType();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getOutputs().size())
    return emitOpError("the body must yield one value for each result");
  for (auto [value, output] : llvm::zip(yield.getValues(), getOutputs()))
    if (value.getType() != output.getType())
      return emitOpError("yields ")
             << value.getType() << " for a result of type " << output.getType();
  return verifyNodePlan(*this);
}
