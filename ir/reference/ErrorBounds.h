// How far compiled code may be from the reference interpreter, element by element.
//
// The interpreter computes in double precision and never rounds; compiled code rounds every step to
// its dtype, sums in another order, and approximates functions. Both are right if what compiled
// code gives lies in the range that is derived here op by op: from the range of the operands, what
// the op makes of its ends, and the errors that Keratin states for its own functions and sums.
#ifndef KERATIN_IR_REFERENCE_ERRORBOUNDS_H
#define KERATIN_IR_REFERENCE_ERRORBOUNDS_H

#include "ir/reference/BoundedTensor.h"
#include "ir/reference/EvaluationContext.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::ir {

struct BoundOptions {
  // Passes may have rewritten the function: every operation may round once more, and what overflows
  // in the function as it is written need not overflow.
  bool rewritten = false;
  // Contractions and convolutions of float32 may round their factors to tf32.
  bool hasTf32Products = false;
};

// Precondition: no kernels and no derivatives that are to be expanded.
llvm::FailureOr<std::vector<BoundedTensor>>
interpretWithBounds(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments,
                    EvaluationContext &context, const BoundOptions &options = {});

// What is wrong with a result, and where first; nullopt if each element is in its range, whose
// width is multiplied by `slack`. A result of the interpreter may have more bits than its dtype.
std::optional<std::string> findMismatch(const HostTensor &actual, const BoundedTensor &expected,
                                        double slack = 1);

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_ERRORBOUNDS_H
