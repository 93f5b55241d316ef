// The range of what ranks do together, from the ranges of what each of them has.
#ifndef KERATIN_IR_REFERENCE_BOUNDSOFCOLLECTIVE_H
#define KERATIN_IR_REFERENCE_BOUNDSOFCOLLECTIVE_H

#include "ir/reference/BoundedTensor.h"
#include "ir/reference/EvaluationContext.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace keratin::ir::reference {

// Of the op's operand. All ranks of the context come to it, whatever is known of theirs. Sums may
// be added up in any order, in the format of the elements, as devices do it.
llvm::LogicalResult boundsOfCollective(mlir::Operation *op, const BoundedTensor &operand,
                                       EvaluationContext &context,
                                       std::vector<BoundedTensor> &results);

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_BOUNDSOFCOLLECTIVE_H
