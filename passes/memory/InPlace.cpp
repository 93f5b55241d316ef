#include "passes/memory/InPlace.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// Ops that make an element of their result from elements of their operands and nothing else; they
// need no storage. A contraction is one of them for those who read its result: each of its elements
// is finished, and passed on, once. A list of what is known to be so: anything new is refused until
// it is added.
static bool isComputedByElement(Operation &op) {
  return isa<ElementwiseOpInterface, IndexingOpInterface, ConstantOp, DimOp, DotGeneralOp,
             RandomBitsOp, YieldOp>(op);
}

static bool sameShape(Value a, Value b) { return getShape(a) == getShape(b); }

bool keratin::passes::canWriteOver(KernelOp kernel, unsigned result, Value root) {
  Block &body = kernel.getBody().front();
  Value written = kernel.getResult(result);
  int64_t elementBytes = dtypeBytes(dtypeOf(getElementType(written)));

  // Values that depend on the storage, in the order of the body.
  llvm::DenseSet<Value> dependent;
  for (auto [input, argument] : llvm::zip(kernel.getInputs(), body.getArguments())) {
    if (rootOf(input) != root)
      continue;
    if (!sameShape(argument, written) ||
        dtypeBytes(dtypeOf(getElementType(argument))) != elementBytes)
      return false;
    dependent.insert(argument);
  }
  for (Value other : kernel.getResults())
    if (!sameShape(other, written))
      return false;
  for (Operation &op : body) {
    if (!isComputedByElement(op))
      return false;
    if (isa<YieldOp>(op) ||
        llvm::none_of(op.getOperands(), [&](Value operand) { return dependent.contains(operand); }))
      continue;
    if (!isa<ElementwiseOpInterface>(op))
      return false;
    for (Value value : op.getResults()) {
      if (!sameShape(value, written))
        return false;
      dependent.insert(value);
    }
  }
  return true;
}

int64_t keratin::passes::updatingKernel(const KernelProgram &program, const UpdateResult &update) {
  return program.producer(rootOf(program.returnOp().getOperand(update.result)));
}

bool keratin::passes::canUpdateInPlace(const KernelProgram &program, const UpdateResult &update) {
  Value value = program.returnOp().getOperand(update.result);
  auto root = dyn_cast<OpResult>(rootOf(value));
  int64_t position = root ? program.producer(root) : -1;
  if (position < 0 || !update.isOnlyUpdate || program.isFallible(position) ||
      program.returnedAs(root).size() != 1)
    return false;
  // A view of unproved size is checked at the call; a buffer's size must be certain.
  if (value.getType() != update.variable.getType() || bytesOf(root) != bytesOf(update.variable))
    return false;
  KernelOp kernel = program.kernels()[position];
  return !operandOf(kernel, update.variable) ||
         canWriteOver(kernel, root.getResultNumber(), update.variable);
}

std::optional<unsigned> keratin::passes::operandOf(KernelOp kernel, Value root) {
  for (auto [index, input] : llvm::enumerate(kernel.getInputs()))
    if (rootOf(input) == root)
      return index;
  return std::nullopt;
}
