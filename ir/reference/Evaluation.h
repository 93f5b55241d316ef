// What the evaluators of ops share: how they fail, and sizes and places that only the call knows.
#ifndef KERATIN_IR_REFERENCE_EVALUATION_H
#define KERATIN_IR_REFERENCE_EVALUATION_H

#include "ir/dialect/Keratin.h"
#include "ir/reference/EvaluationContext.h"
#include "ir/reference/HostTensor.h"

#include <vector>

namespace keratin::ir::reference {

using Operands = llvm::ArrayRef<const HostTensor *>;
using Results = llvm::MutableArrayRef<HostTensor>;

inline llvm::LogicalResult fail(EvaluationContext &context, const llvm::Twine &message) {
  context.error = message.str();
  return llvm::failure();
}

// The values of sizes written as expressions.
inline llvm::LogicalResult evaluateDims(EvaluationContext &context, llvm::StringRef op,
                                        DimsAttr dims, std::vector<int64_t> &values) {
  for (const DimExpr &dim : dims.getDims()) {
    std::optional<int64_t> value = context.evaluate(dim);
    if (!value)
      return fail(context, op + ": " + dim.str() + " has no value");
    values.push_back(*value);
  }
  return llvm::success();
}

// Whether a position of an integer tensor is in [0, size). A large uint64 is negative as bits, so
// outside as it should be.
inline bool isInside(int64_t position, int64_t size) { return position >= 0 && position < size; }

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_EVALUATION_H
