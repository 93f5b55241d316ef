// Loops and branches, a step after the other.
#include "ir/dialect/SourceLine.h"
#include "ir/reference/BlockRunner.h"
#include "ir/reference/Evaluation.h"

#include <algorithm>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

FailureOr<int64_t> keratin::ir::reference::stepCount(ScanOp scan, EvaluationContext &context) {
  DimExpr length = scan.getSteps();
  std::optional<int64_t> steps = context.evaluate(length);
  if (steps && *steps >= 0)
    return *steps;
  std::string found = steps ? " is " + std::to_string(*steps) : " has no value";
  return fail(context,
              withSourceLine("scan: the number of steps " + length.str() + found, scan.getLoc()));
}

FailureOr<int64_t> keratin::ir::reference::mostSteps(WhileOp loop, EvaluationContext &context) {
  std::optional<DimExpr> bound = loop.getBound();
  if (!bound)
    return INT64_MAX;
  if (std::optional<int64_t> most = context.evaluate(*bound))
    return *most;
  context.error =
      withSourceLine("while: the most steps " + bound->str() + " have no value", loop.getLoc());
  return failure();
}

HostTensor keratin::ir::reference::makeNumber(int64_t number) {
  HostTensor scalar;
  scalar.dtype = KERATIN_DTYPE_INT64;
  scalar.ints.push_back(number);
  return scalar;
}

HostTensor keratin::ir::reference::elementOf(const HostTensor &tensor, int64_t place) {
  HostTensor element;
  element.dtype = tensor.dtype;
  element.dims.assign(tensor.dims.begin() + 1, tensor.dims.end());
  int64_t size = tensor.size() / tensor.dims[0], first = place * size;
  if (tensor.isFloat())
    element.floats.assign(tensor.floats.begin() + first, tensor.floats.begin() + first + size);
  else
    element.ints.assign(tensor.ints.begin() + first, tensor.ints.begin() + first + size);
  return element;
}

void keratin::ir::reference::setElement(HostTensor &stack, int64_t place,
                                        const HostTensor &element) {
  int64_t first = place * element.size();
  if (element.isFloat())
    std::copy(element.floats.begin(), element.floats.end(), stack.floats.begin() + first);
  else
    std::copy(element.ints.begin(), element.ints.end(), stack.ints.begin() + first);
}

LogicalResult ScanOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  auto runBody = [&](Operands arguments, std::vector<HostTensor> &yielded) {
    return runBlock(getRegion().front(), arguments, context, yielded);
  };
  return runSteps<HostTensor>(*this, operands, context, results, runBody);
}

LogicalResult WhileOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  auto runBody = [&](Operands arguments, std::vector<HostTensor> &yielded) {
    return runBlock(getRegion().front(), arguments, context, yielded);
  };
  auto isTrue = [](const HostTensor &flag) { return flag.ints[0] != 0; };
  std::vector<HostTensor> made;
  if (failed(runSteps<HostTensor>(*this, operands, context, made, runBody, isTrue)))
    return failure();
  std::move(made.begin(), made.end(), results.begin());
  return success();
}

LogicalResult IfOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  Region &taken = operands[0]->ints[0] ? getThenBody() : getElseBody();
  std::vector<HostTensor> yielded;
  if (failed(runBlock(taken.front(), operands.drop_front(), context, yielded)))
    return failure();
  std::move(yielded.begin(), yielded.end(), results.begin());
  return success();
}
