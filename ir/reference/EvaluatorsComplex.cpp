// Complex numbers, as functions take and return them (passes/complex).
#include "ir/reference/Evaluation.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

static LogicalResult takePart(const HostTensor &x, size_t part, HostTensor &y) {
  for (size_t i = 0; i < y.floats.size(); ++i)
    y.floats[i] = x.floats[2 * i + part];
  return success();
}

LogicalResult ComplexOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  for (size_t i = 0; i < operands[0]->floats.size(); ++i) {
    results[0].floats[2 * i] = operands[0]->floats[i];
    results[0].floats[2 * i + 1] = operands[1]->floats[i];
  }
  return success();
}

LogicalResult RealOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return takePart(*operands[0], 0, results[0]);
}

LogicalResult ImagOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return takePart(*operands[0], 1, results[0]);
}

// The interpreter holds complex numbers as their parts.
LogicalResult AsPartsOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0].floats = operands[0]->floats;
  return success();
}

LogicalResult FromPartsOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0].floats = operands[0]->floats;
  return success();
}
