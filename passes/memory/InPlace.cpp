#include "passes/memory/InPlace.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

static bool sameShape(Value a, Value b) { return getShape(a) == getShape(b); }

static bool canKernelWriteOver(KernelOp kernel, unsigned result, Value root) {
  Block &body = kernel.getBody().front();
  Value written = kernel.getResult(result);
  int64_t elementBytes = dtypeBytes(dtypeOf(getElementType(written)));

  // Values that depend on the storage, in the order of the body.
  llvm::DenseSet<Value> dependent;
  for (auto [input, argument] : llvm::zip(kernel.getInputs(), body.getArguments())) {
    if (rootOf(input) != root)
      continue;
    // A part of the storage begins elsewhere.
    if (!sameShape(argument, written) || byteCount(input) != byteCount(root) ||
        dtypeBytes(dtypeOf(getElementType(argument))) != elementBytes)
      return false;
    dependent.insert(argument);
  }
  // What nobody reads is memory to work in.
  for (Value other : kernel.getResults())
    if (!other.use_empty() && !sameShape(other, written))
      return false;
  for (Operation &op : body) {
    // scatter_add among others only says what is added to which rows.
    if (!isMadeByElement(&op) && !isa<YieldOp, ScatterAddOp>(op))
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

// What ranks add up they add up piece by piece, each of which is read before it is written.
static bool canMessageWriteOver(KernelOp message, unsigned result, Value root) {
  Value operand = message->getNumOperands() == 1 ? message->getOperand(0) : Value();
  return isa<AllReduceOp>(message.getBody().front().front()) && operand &&
         rootOf(operand) == root && byteCount(operand) == byteCount(root) &&
         byteCount(message.getResult(result)) == byteCount(root);
}

// The operand of the yield that shares storage with the state's next value, or -1.
static int64_t yieldOfStack(LoopOpInterface loop, unsigned state) {
  Operation *yield = loop.getBody().front().getTerminator();
  Value next = rootOf(yield->getOperand(state));
  for (unsigned index = loop.getNumStates(); index < yield->getNumOperands(); ++index)
    if (rootOf(yield->getOperand(index)) == next)
      return index;
  return -1;
}

StateHome keratin::passes::homeOf(LoopOpInterface loop, unsigned state) {
  if (yieldOfStack(loop, state) >= 0)
    return StateHome::InStack;
  auto next = cast<OpResult>(rootOf(loop.getBody().front().getTerminator()->getOperand(state)));
  Value last = loop.getStateArguments()[state];
  Operation *node = next.getOwner();
  // A view of unproved size is checked at the call; a buffer's size must be certain.
  if (byteCount(next) != byteCount(last))
    return StateHome::TwoBuffers;
  for (Operation *reader : readersOf(last))
    if (node->isBeforeInBlock(isMessage(reader) ? waiterFor(cast<KernelOp>(reader)) : reader))
      return StateHome::TwoBuffers;
  if (operandOf(node, last) && !canWriteOver(node, next.getResultNumber(), last))
    return StateHome::TwoBuffers;
  return StateHome::InPlace;
}

unsigned keratin::passes::stackOfState(LoopOpInterface loop, unsigned state) {
  return yieldOfStack(loop, state) - loop.getNumStates();
}

static bool canLoopWriteOver(LoopOpInterface loop, unsigned result, Value root) {
  if (result >= loop.getNumStates() || byteCount(root) != byteCount(loop->getResult(result)))
    return false;
  for (auto [index, operand] : llvm::enumerate(loop->getOperands()))
    if ((index == result) != (rootOf(operand) == root))
      return false;
  return homeOf(loop, result) == StateHome::InPlace;
}

bool keratin::passes::canWriteOver(Operation *node, unsigned result, Value root) {
  if (auto kernel = dyn_cast<KernelOp>(node))
    return isMessage(kernel) ? canMessageWriteOver(kernel, result, root)
                             : canKernelWriteOver(kernel, result, root);
  auto loop = dyn_cast<LoopOpInterface>(node);
  return loop && canLoopWriteOver(loop, result, root);
}

int64_t keratin::passes::updatingNode(const KernelProgram &program, const UpdateResult &update) {
  return program.producer(rootOf(program.exit()->getOperand(update.result)));
}

bool keratin::passes::canUpdateInPlace(const KernelProgram &program, const UpdateResult &update) {
  Value value = program.exit()->getOperand(update.result);
  auto root = dyn_cast<OpResult>(rootOf(value));
  int64_t position = root ? program.producer(root) : -1;
  if (position < 0 || !update.isOnlyUpdate || program.isFallible(position) ||
      program.returnedAs(root).size() != 1)
    return false;
  // A view of unproved size is checked at the call; a buffer's size must be certain.
  if (value.getType() != update.variable.getType() || byteCount(root) != byteCount(update.variable))
    return false;
  Operation *node = program.nodes()[position];
  return !operandOf(node, update.variable) ||
         canWriteOver(node, root.getResultNumber(), update.variable);
}

std::optional<unsigned> keratin::passes::operandOf(Operation *node, Value root) {
  for (auto [index, operand] : llvm::enumerate(node->getOperands()))
    if (rootOf(operand) == root)
      return index;
  return std::nullopt;
}
