// Constants, positions, sizes and random bits.
#include "ir/reference/Evaluation.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/IndexWalk.h"
#include "ir/reference/Philox.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// A size or position as an element.
static void storeInteger(HostTensor &tensor, int64_t i, int64_t value) {
  HostElement element = castElement(KERATIN_DTYPE_INT64, {0, value}, tensor.dtype);
  if (tensor.isFloat())
    tensor.floats[i] = element.floating;
  else
    tensor.ints[i] = element.integer;
}

LogicalResult ConstantOp::evaluate(EvaluationContext &context, Operands, Results results) {
  std::optional<HostTensor> value = fromElements(getValue());
  if (!value)
    return fail(context, "constant: cannot read the value");
  results[0] = std::move(*value);
  return success();
}

LogicalResult IotaOp::evaluate(EvaluationContext &, Operands, Results results) {
  HostTensor &y = results[0];
  forEachIndex(y.dims,
               [&](const HostIndex &index, int64_t i) { storeInteger(y, i, index[getAxis()]); });
  return success();
}

LogicalResult DimOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  storeInteger(results[0], 0, operands[0]->dims[getAxis()]);
  return success();
}

static uint32_t low(uint64_t value) { return uint32_t(value); }
static uint32_t high(uint64_t value) { return uint32_t(value >> 32); }

LogicalResult RandomBitsOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  uint64_t seed = getSeed(), draw = operands[0]->ints[0];
  uint64_t line = getLine() ? operands[1]->ints[0] : 0;
  HostTensor &y = results[0];
  for (int64_t i = 0; i < y.size(); ++i) {
    // The record's layout: 64 elements are 16 blocks side by side.
    uint64_t block = (line + i / 64) * 16 + i % 16;
    y.ints[i] = philox({low(block), high(block), low(draw), high(draw)},
                       {low(seed), high(seed)})[i / 16 % 4];
  }
  return success();
}
