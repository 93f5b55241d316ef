// Elementwise ops: the generated evaluators, and the ops whose types are mixed.
#include "ir/dialect/Keratin.h"
#include "ir/reference/ElementMath.h"
#include "ir/reference/HostConversions.h"

#include <cmath>

namespace keratin::ir {

using namespace reference;

template <class T> static bool compare(Comparison direction, T a, T b) {
  switch (direction) {
  case Comparison::EQ:
    return a == b;
  case Comparison::NE:
    return a != b;
  case Comparison::LT:
    return a < b;
  case Comparison::LE:
    return a <= b;
  case Comparison::GT:
    return a > b;
  case Comparison::GE:
    return a >= b;
  }
  return false;
}

// The operands have one element type, and the shape of the result. The function is a generic
// lambda over one to three elements.
template <class Function>
static mlir::LogicalResult evaluateElementwise(llvm::ArrayRef<const HostTensor *> operands,
                                               HostTensor &result, const Function &function) {
  dispatchElement(operands[0]->dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < result.size(); ++i) {
      auto operand = [&](size_t k) { return load<T>(*operands[k], i); };
      if constexpr (std::is_invocable_v<Function, T>)
        store(result, i, function(operand(0)));
      else if constexpr (std::is_invocable_v<Function, T, T>)
        store(result, i, function(operand(0), operand(1)));
      else
        store(result, i, function(operand(0), operand(1), operand(2)));
    }
  });
  return mlir::success();
}

#include "ir/ops/OpEvaluators.cpp.inc"

mlir::LogicalResult SelectOp::evaluate(EvaluationContext &,
                                       llvm::ArrayRef<const HostTensor *> operands,
                                       llvm::MutableArrayRef<HostTensor> results) {
  for (int64_t i = 0; i < results[0].size(); ++i) {
    const HostTensor &chosen = *operands[operands[0]->ints[i] ? 1 : 2];
    if (chosen.isFloat())
      results[0].floats[i] = chosen.floats[i];
    else
      results[0].ints[i] = chosen.ints[i];
  }
  return mlir::success();
}

mlir::LogicalResult CastOp::evaluate(EvaluationContext &,
                                     llvm::ArrayRef<const HostTensor *> operands,
                                     llvm::MutableArrayRef<HostTensor> results) {
  const HostTensor &x = *operands[0];
  HostTensor &y = results[0];
  for (int64_t i = 0; i < y.size(); ++i) {
    HostElement element;
    if (x.isFloat())
      element.floating = x.floats[i];
    else
      element.integer = x.ints[i];
    element = castElement(x.dtype, element, y.dtype);
    if (y.isFloat())
      y.floats[i] = element.floating;
    else
      y.ints[i] = element.integer;
  }
  return mlir::success();
}

} // namespace keratin::ir
