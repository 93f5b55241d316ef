// Verifiers of loops and branches.
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

// The types of a block's arguments, or of what it yields, are those that the op around it asks for.
static LogicalResult verifyTypes(Operation *op, TypeRange found, TypeRange needed,
                                 const Twine &what) {
  if (found.size() != needed.size())
    return op->emitOpError() << what << " must be " << needed.size() << " values, found "
                             << found.size();
  for (auto [i, types] : llvm::enumerate(llvm::zip(found, needed)))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError() << what << ": value " << i << " must have type "
                               << std::get<1>(types) << ", found " << std::get<0>(types);
  return success();
}

// Precondition: one block, which the region's own constraint sees to.
static LogicalResult verifyRegion(Operation *op, Region &region, TypeRange arguments,
                                  TypeRange yielded, StringRef what) {
  Block &block = region.front();
  if (failed(
          verifyTypes(op, block.getArgumentTypes(), arguments, "the arguments of " + Twine(what))))
    return failure();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << what << " must end with keratin.yield";
  // Each step would give the symbol another value.
  if (llvm::any_of(block, [](Operation &inner) { return isa<TruncateOp>(inner); }))
    return op->emitOpError() << what
                             << " holds keratin.truncate, whose size is one of the whole function";
  return verifyTypes(op, yield.getValues().getTypes(), yielded, "the yield of " + Twine(what));
}

//===-- ScanOp --------------------------------------------------------------------------------===//

// The type of one element of a sequence or stack, whose first size is the length of the loop.
static FailureOr<Type> elementOf(ScanOp op, Type type, StringRef kind, unsigned number) {
  Shape shape = getShape(cast<RankedTensorType>(type));
  if (shape.empty() || shape.front() != op.getSteps())
    return op.emitOpError() << kind << " " << number << " must have " << op.getSteps().str()
                            << " elements along dimension 0, found " << type;
  shape.erase(shape.begin());
  return Type(getTensorType(shape, cast<RankedTensorType>(type).getElementType()));
}

LogicalResult ScanOp::verify() {
  if (getLength().getDims().size() != 1)
    return emitOpError("needs one length, found ") << getLength().getDims().size();
  if (getSteps().isConstant() && getSteps().constantValue() < 0)
    return emitOpError("the length must not be negative, found ") << getSteps().str();
  unsigned states = getNumStates();
  if (getNumResults() < states)
    return emitOpError("needs a result for each of the ")
           << states << " states, found " << getNumResults();
  if (failed(
          verifyTypes(*this, getLastStates().getTypes(), getInits().getTypes(), "the last states")))
    return failure();

  SmallVector<Type> arguments = {RankedTensorType::get({}, IntegerType::get(getContext(), 64))};
  SmallVector<Type> yielded(getInits().getTypes());
  llvm::append_range(arguments, getInits().getTypes());
  for (auto [i, type] : llvm::enumerate(getSequences().getTypes())) {
    FailureOr<Type> element = elementOf(*this, type, "sequence", i);
    if (failed(element))
      return failure();
    arguments.push_back(*element);
  }
  llvm::append_range(arguments, getCaptures().getTypes());
  for (auto [i, type] : llvm::enumerate(getStacks().getTypes())) {
    FailureOr<Type> element = elementOf(*this, type, "stack", i);
    if (failed(element))
      return failure();
    yielded.push_back(*element);
  }
  return verifyRegion(*this, getRegion(), arguments, yielded, "the body");
}

//===-- IfOp ----------------------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  if (getTensorType(getCondition()).getRank() != 0)
    return emitOpError("the condition must be a scalar, found ") << getCondition().getType();
  TypeRange arguments = getCaptures().getTypes(), results = getResultTypes();
  if (failed(verifyRegion(*this, getThenBody(), arguments, results, "the first branch")))
    return failure();
  return verifyRegion(*this, getElseBody(), arguments, results, "the second branch");
}
