// The range of factors of matrices and of what is solved by them.
#ifndef KERATIN_IR_REFERENCE_BOUNDSOFFACTORIZATION_H
#define KERATIN_IR_REFERENCE_BOUNDSOFFACTORIZATION_H

#include "ir/reference/BoundedTensor.h"
#include "ir/reference/EvaluationContext.h"

#include "mlir/IR/Operation.h"

namespace keratin::ir::reference {

// What such an op computes is exactly right for operands that are a little wrong: how much that
// matters is up to the matrix. So the range is what other operands give, drawn from the range of
// each element and from what the roundings of a row and column amount to, and some more.
llvm::LogicalResult boundsOfFactorization(mlir::Operation *op,
                                          llvm::ArrayRef<const BoundedTensor *> operands,
                                          EvaluationContext &context,
                                          std::vector<BoundedTensor> &results);

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_BOUNDSOFFACTORIZATION_H
