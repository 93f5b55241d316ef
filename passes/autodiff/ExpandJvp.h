// Forward mode of the expansion of derivatives.
#ifndef KERATIN_PASSES_AUTODIFF_EXPANDJVP_H
#define KERATIN_PASSES_AUTODIFF_EXPANDJVP_H

#include "ir/dialect/Keratin.h"

namespace keratin::passes {

// Replaces the op by tangents. They are computed beside the values, and loops and branches carry
// them, if all that they are computed from can stand before the first op on the way; else (a
// tangent depends on what is differentiated) behind all values, and loops are run again.
//
// Returns how many ops were differentiated; a bounded number is built for each.
mlir::FailureOr<int64_t> expandJvp(ir::JvpOp op);

} // namespace keratin::passes

#endif // KERATIN_PASSES_AUTODIFF_EXPANDJVP_H
