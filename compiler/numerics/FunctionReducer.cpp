#include "compiler/numerics/FunctionReducer.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"

#include "mlir/IR/Verifier.h"

using namespace keratin::compiler;
using namespace keratin::ir;
using namespace mlir;

OwningOpRef<ModuleOp> keratin::compiler::copyOf(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder::atBlockEnd(module->getBody()).clone(*function);
  return module;
}

func::FuncOp keratin::compiler::functionOf(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

FunctionReducer::FunctionReducer(func::FuncOp function, Fails fails)
    : fails(std::move(fails)), module(copyOf(function)) {}

bool FunctionReducer::accept(OwningOpRef<ModuleOp> candidate) {
  // Tried is what may not be valid.
  ScopedDiagnosticHandler silence(candidate->getContext(), [](Diagnostic &) {});
  if (failed(verify(*candidate)) || !fails(functionOf(*candidate)))
    return false;
  module = std::move(candidate);
  return true;
}

// Without what no result needs.
static void cleanUp(func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->getNumResults() != 0 && op->use_empty())
      op->erase();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

bool FunctionReducer::dropResults() {
  bool changed = false;
  for (unsigned i = function().getNumResults(); i-- > 0 && function().getNumResults() > 1;) {
    OwningOpRef<ModuleOp> candidate = copyOf(function());
    func::FuncOp smaller = functionOf(*candidate);
    // An update stays with its variable.
    if (Signature(smaller).isUpdate(i) && i + 1 != smaller.getNumResults())
      continue;
    smaller.eraseResult(i);
    smaller.getBody().front().getTerminator()->eraseOperand(i);
    cleanUp(smaller);
    changed |= accept(std::move(candidate));
  }
  return changed;
}

// From the last op to the first.
bool FunctionReducer::dropOps() {
  bool changed = false;
  size_t number = llvm::range_size(function().getBody().front().without_terminator());
  while (number-- > 0) {
    OwningOpRef<ModuleOp> candidate = copyOf(function());
    func::FuncOp smaller = functionOf(*candidate);
    Block &body = smaller.getBody().front();
    if (number >= size_t(llvm::range_size(body.without_terminator())))
      continue;
    Operation &op = *std::next(body.begin(), number);
    if (op.getNumResults() != 1 || isa<ConstantOp>(op))
      continue;
    // Inputs come before variables.
    unsigned at = 0;
    while (at < smaller.getNumArguments() && !Signature(smaller).isVariable(at))
      ++at;
    smaller.insertArgument(at, op.getResult(0).getType(), {}, smaller.getLoc());
    Signature(smaller).makeInput(at);
    op.getResult(0).replaceAllUsesWith(body.getArgument(at));
    cleanUp(smaller);
    changed |= accept(std::move(candidate));
  }
  return changed;
}

void FunctionReducer::run() {
  for (int round = 0; round < 3; ++round) {
    bool fewerResults = dropResults();
    if (!dropOps() && !fewerResults)
      break;
  }
}
