// Verifiers of loops and branches.
#include "ir/dialect/MemoryPlan.h"
#include "ir/ops/BodyVerification.h"

using namespace keratin::ir;
using namespace mlir;

// The states before the first step and after the last one.
static LogicalResult verifyLastStates(LoopOpInterface loop, unsigned others, StringRef what) {
  unsigned states = loop.getNumStates();
  if (loop->getNumResults() < states + others)
    return loop->emitOpError("needs a result for each of the ")
           << states << " states" << what << ", found " << loop->getNumResults();
  return verifyTypes(loop, loop.getLastStates().getTypes(), loop.getInits().getTypes(),
                     "the last states");
}

static RankedTensorType numberType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

// Adds the types of one element of the sequences or stacks, whose first size is the loop's length.
static LogicalResult addElements(LoopOpInterface op, TypeRange types, StringRef kind,
                                 SmallVectorImpl<Type> &elements) {
  for (auto [number, type] : llvm::enumerate(types)) {
    Shape shape = getShape(cast<RankedTensorType>(type));
    if (shape.empty() || shape.front() != op.getSteps())
      return op->emitOpError() << kind << " " << number << " must have " << op.getSteps().str()
                               << " elements along dimension 0, found " << type;
    shape.erase(shape.begin());
    elements.push_back(getTensorType(shape, cast<RankedTensorType>(type).getElementType()));
  }
  return success();
}

//===-- ScanOp --------------------------------------------------------------------------------===//

DimExpr ScanOp::getSteps() { return getLength().getDims().front(); }
ResultRange ScanOp::getStacks() { return getResults().drop_front(getNumStates()); }
OpResult ScanOp::getResultOf(unsigned yielded) { return (*this)->getResult(yielded); }

LogicalResult ScanOp::verify() {
  if (getLength().getDims().size() != 1)
    return emitOpError("needs one length, found ") << getLength().getDims().size();
  if (getSteps().isConstant() && getSteps().constantValue() < 0)
    return emitOpError("the length must not be negative, found ") << getSteps().str();
  if (failed(verifyLastStates(*this, 0, "")))
    return failure();

  SmallVector<Type> arguments = {numberType(getContext())};
  SmallVector<Type> yielded(getInits().getTypes());
  llvm::append_range(arguments, getInits().getTypes());
  if (failed(addElements(*this, getSequences().getTypes(), "sequence", arguments)))
    return failure();
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(addElements(*this, getStacks().getTypes(), "stack", yielded)))
    return failure();
  if (failed(verifyRegion(*this, getRegion(), arguments, yielded, "the body")))
    return failure();
  return verifyNodePlan(*this);
}

//===-- WhileOp -------------------------------------------------------------------------------===//

DimExpr WhileOp::getSteps() { return getLength()->getDims().front(); }
OperandRange WhileOp::getSequences() { return getOperands().take_front(0); }
ResultRange WhileOp::getStacks() { return getResults().drop_front(getNumStates() + 1); }
OpResult WhileOp::getResultOf(unsigned yielded) {
  return (*this)->getResult(yielded + (yielded >= getNumStates()));
}

std::optional<DimExpr> WhileOp::getBound() {
  return getAtMost() ? std::optional(getAtMost()->getDims().front()) : std::nullopt;
}

void WhileOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getLength())
    effects.emplace_back(MemoryEffects::Write::get());
}

// Nothing in the loop has its number of steps for a size, since nobody knows it before the last
// one.
static LogicalResult verifyUnknown(WhileOp loop) {
  int64_t symbol = loop.getSteps().symbolId();
  auto check = [&](Attribute attribute) -> LogicalResult {
    if (auto dims = dyn_cast_or_null<DimsAttr>(attribute))
      for (const DimExpr &dim : dims.getDims())
        if (llvm::is_contained(dim.symbols(), symbol))
          return loop.emitOpError("no step knows their number, found the size ") << dim.str();
    return success();
  };
  auto checkTypes = [&](TypeRange types) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && failed(check(tensor.getEncoding())))
        return failure();
    return success();
  };
  if (failed(checkTypes(loop->getOperandTypes())) ||
      failed(checkTypes(loop.getBody().getArgumentTypes())))
    return failure();
  WalkResult walk = loop.getBody().walk([&](Operation *op) {
    bool fits = succeeded(checkTypes(op->getResultTypes()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        fits = fits && succeeded(checkTypes(block.getArgumentTypes()));
    for (NamedAttribute attribute : op->getAttrs())
      fits = fits && succeeded(check(attribute.getValue()));
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}

LogicalResult WhileOp::verify() {
  if (std::optional<DimsAttr> length = getLength()) {
    if (length->getDims().size() != 1 || !length->getDims()[0].isSymbol())
      return emitOpError("the length must be one symbol, found ") << *length;
  }
  if (std::optional<DimsAttr> bound = getAtMost()) {
    if (bound->getDims().size() != 1)
      return emitOpError("needs one number of steps at most, found ") << bound->getDims().size();
    DimExpr most = bound->getDims()[0];
    if (most.isConstant() && most.constantValue() < 0)
      return emitOpError("the most steps must not be negative, found ") << most.str();
    if (getLength() && llvm::is_contained(most.symbols(), getSteps().symbolId()))
      return emitOpError("the most steps must not depend on their number, found ") << most.str();
  }
  Type flag = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (getInits().empty() || getInits()[0].getType() != flag)
    return emitOpError("the first state says whether there is a step and must have type ") << flag;
  if (failed(verifyLastStates(*this, 1, ", and for the number of steps")))
    return failure();
  if (getStepCount().getType() != numberType(getContext()))
    return emitOpError("the number of steps must have type ")
           << numberType(getContext()) << ", found " << getStepCount().getType();
  if (!getStacks().empty() && !getLength())
    return emitOpError("needs a length, which is the size of its ")
           << getStacks().size() << " stacks";

  SmallVector<Type> arguments = {numberType(getContext())};
  SmallVector<Type> yielded(getInits().getTypes());
  llvm::append_range(arguments, getInits().getTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(addElements(*this, getStacks().getTypes(), "stack", yielded)))
    return failure();
  if (failed(verifyRegion(*this, getRegion(), arguments, yielded, "the body")))
    return failure();
  if (getLength() && failed(verifyUnknown(*this)))
    return failure();
  return verifyNodePlan(*this);
}

//===-- IfOp ----------------------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  if (getTensorType(getCondition()).getRank() != 0)
    return emitOpError("the condition must be a scalar, found ") << getCondition().getType();
  TypeRange arguments = getCaptures().getTypes(), results = getResultTypes();
  if (failed(verifyRegion(*this, getThenBody(), arguments, results, "the first branch")))
    return failure();
  if (failed(verifyRegion(*this, getElseBody(), arguments, results, "the second branch")))
    return failure();
  return verifyNodePlan(*this);
}
