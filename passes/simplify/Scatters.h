// Sums of rows that are added to zeros.
#ifndef KERATIN_PASSES_SIMPLIFY_SCATTERS_H
#define KERATIN_PASSES_SIMPLIFY_SCATTERS_H

#include "ir/dialect/Keratin.h"

namespace keratin::passes {

// One scatter of the rows of both, the first one's first, which is their sum; null for indices of
// two types.
mlir::Value joinScatters(mlir::OpBuilder &builder, mlir::Location location, ir::ScatterAddOp first,
                         ir::ScatterAddOp second);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_SCATTERS_H
