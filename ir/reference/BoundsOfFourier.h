// The range of Fourier transforms.
#ifndef KERATIN_IR_REFERENCE_BOUNDSOFFOURIER_H
#define KERATIN_IR_REFERENCE_BOUNDSOFFOURIER_H

#include "ir/reference/BoundedTensor.h"
#include "ir/reference/EvaluationContext.h"

#include "mlir/IR/Operation.h"

namespace keratin::ir::reference {

// Each element is a sum of all of its line, whose factors are 1 in size. A transform is done in
// stages, as many as the length has binary digits at most, and each rounds what the next adds up.
// Elements that are no numbers reach some of their line or all of it, as the stages have it.
llvm::LogicalResult boundsOfFourier(mlir::Operation *op,
                                    llvm::ArrayRef<const BoundedTensor *> operands,
                                    EvaluationContext &context,
                                    std::vector<BoundedTensor> &results);

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_BOUNDSOFFOURIER_H
