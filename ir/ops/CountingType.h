// What ties are counted in.
#ifndef KERATIN_IR_OPS_COUNTINGTYPE_H
#define KERATIN_IR_OPS_COUNTINGTYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace keratin::ir {

// The type itself, or float32: narrow floats cannot count beyond 2^8 or 2^11.
inline mlir::Type countingType(mlir::Type element) {
  return element.getIntOrFloatBitWidth() < 32 ? mlir::Float32Type::get(element.getContext())
                                              : element;
}

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_COUNTINGTYPE_H
