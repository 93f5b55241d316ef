// Runs a function of the dialect in the plainest code: the judge of every pass and kernel.
#ifndef KERATIN_IR_REFERENCE_INTERPRETER_H
#define KERATIN_IR_REFERENCE_INTERPRETER_H

#include "ir/reference/EvaluationContext.h"
#include "ir/reference/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"

#include <vector>

namespace keratin::ir {

// The results of one call. Symbols get their values from the sizes of the arguments (a dimension
// that is a symbol alone), from scalar arguments with the attribute `keratin.symbol = id`, and from
// those already in the context; all of them must agree, and every argument must have the type of
// its parameter. On failure context.error says why. Kernels are run as the ops that they hold. Any
// verified function may be given: sizes are checked, and no tensor has more than kMaxHostElements
// (HostConversions.h).
llvm::FailureOr<std::vector<HostTensor>> interpret(mlir::func::FuncOp function,
                                                   llvm::ArrayRef<HostTensor> arguments,
                                                   EvaluationContext &context);

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_INTERPRETER_H
