// What a module may hold that comes from outside.
#ifndef KERATIN_IR_DIALECT_MODELCONTENTS_H
#define KERATIN_IR_DIALECT_MODELCONTENTS_H

#include "mlir/IR/BuiltinOps.h"

namespace keratin::ir {

// Whether the module holds nothing but functions of tensors (or modules of these) with the
// dialect's ops in them; a diagnostic says what else. Passes and tools may rely on it. Verifiers
// cannot tell: an op of another dialect is right by itself. `isAllowed`, if given, says what else
// there may be beside functions.
mlir::LogicalResult
verifyModelContents(mlir::ModuleOp module,
                    llvm::function_ref<bool(mlir::Operation &)> isAllowed = nullptr);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_MODELCONTENTS_H
