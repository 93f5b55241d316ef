// What an op is, as its record says (Keratin_Properties in ir/dialect/KeratinBase.td).
#ifndef KERATIN_IR_INTERFACES_OPPROPERTIES_H
#define KERATIN_IR_INTERFACES_OPPROPERTIES_H

#include "mlir/IR/Operation.h"

namespace keratin::ir {

// Whether the op itself may end the call with an error while it runs: an index out of range, a
// number that is not finite.
bool canFail(mlir::Operation *op);
// Whether the function of an element costs more than reading it from memory.
bool isCostly(mlir::Operation *op);
// Whether dimensions may be in any order, the same for operands and result; elementwise ops aside,
// which are so anyway.
bool takesAnyOrder(mlir::Operation *op);
// The function of the runtime by which the host does the op itself; empty: code of its own does it.
llvm::StringRef runtimeFunctionOf(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_OPPROPERTIES_H
