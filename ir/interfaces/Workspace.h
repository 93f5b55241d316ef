// Memory that an op needs to work in beside its operands and results.
//
// The op's kernel gets it as one more result, which nobody reads: it is planned like any other
// value, and its place may be another's before and after. In the kernel's body an iota of this type
// stands for it, whose elements are never computed by code generation.
#ifndef KERATIN_IR_INTERFACES_WORKSPACE_H
#define KERATIN_IR_INTERFACES_WORKSPACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace keratin::ir {

// nullopt for an op that needs none. Precondition: the op is verified.
std::optional<mlir::RankedTensorType> workspaceOf(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_WORKSPACE_H
