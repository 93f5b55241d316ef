// What is no larger, or no smaller, than any number of an element type.
#ifndef KERATIN_IR_INTERFACES_EXTREMES_H
#define KERATIN_IR_INTERFACES_EXTREMES_H

#include "ir/interfaces/ScalarBuilder.h"

namespace keratin::ir {

// The infinity, or the extreme of an integer type: what maxima and minima begin with.
mlir::Value buildLargest(ScalarBuilder &builder, mlir::Type elementType);
mlir::Value buildSmallest(ScalarBuilder &builder, mlir::Type elementType);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_EXTREMES_H
