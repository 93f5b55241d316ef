// Where an op of a gradient says it comes from.
#ifndef KERATIN_IR_BUILDER_GRADIENTLOCATION_H
#define KERATIN_IR_BUILDER_GRADIENTLOCATION_H

#include "mlir/IR/Operation.h"

namespace keratin::ir {

// "gradient of dot_general" at the place of the op that is differentiated, which a second
// derivative wraps once more: every error still names the user's line.
mlir::Location gradientLocation(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_GRADIENTLOCATION_H
